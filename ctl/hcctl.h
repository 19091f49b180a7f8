/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl: what its files share.
 *
 * A command gets the context and its words, reads them with args.c, asks the
 * kernel through nl.c (the only files with libnl) and prints with out.c (the
 * only one that prints).  It returns 0, HC_NO, HC_USAGE or a negative errno
 * (counted as HC_NO); the function that finds an error has printed it.
 */
#ifndef _HCCTL_H
#define _HCCTL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <linux/hypercube.h>

#include "hc_topo.h"

/* Exit statuses. */
enum {
	HC_OK = 0,
	HC_NO = 1,	/* the system, or the planner, said no */
	HC_USAGE = 2,	/* the command line is wrong */
};

struct hc_cmd;
struct json_object;
struct nl;
struct out_table;

#define OUT_DEPTH 8

/**
 * struct hc_where - what complaints are about; it is printed before them
 * @error: words before that if it is an error, or NULL
 * @text: what, as a file's name; "": only @error is said
 * @line: of the file, or 0
 * @outer: what that is a part of, or NULL
 */
struct hc_where {
	const char *error;
	const char *text;
	unsigned int line;
	const struct hc_where *outer;
};

/**
 * struct hcctl - context of a run
 * @json: print JSON
 * @pretty: indent it
 * @color: print text in colors
 * @force: go on after a failure in a batch
 * @batch: a batch is running
 * @chunks: JSON values printed so far, for the commas of a batch
 * @object: name of the object whose command runs, for hints
 * @cmd: that command
 * @where: what complaints are about, or NULL
 * @nl: netlink state, opened at first use
 * @to: where JSON is printed; NULL: standard output
 * @complain: takes complaints; @kind is "error" or "warning"
 * @stack: JSON containers being filled, outermost first
 * @depth: how many
 * @table: text that is being collected, or NULL
 */
struct hcctl {
	bool json;
	bool pretty;
	bool color;
	bool force;
	bool batch;
	unsigned int chunks;
	const char *object;
	const struct hc_cmd *cmd;
	const struct hc_where *where;
	struct nl *nl;
	FILE *to;
	void (*complain)(struct hcctl *h, const char *kind, const char *text);
	struct json_object *stack[OUT_DEPTH];
	unsigned int depth;
	struct out_table *table;
};

/**
 * struct hc_cmd - a command of an object
 * @name: the word; NULL ends a table
 * @run: does it
 * @args: what may follow, for the help
 * @own: what tells it from others of the same function, or NULL
 */
struct hc_cmd {
	const char *name;
	int (*run)(struct hcctl *h, int argc, char **argv);
	const char *args;
	const void *own;
};

/**
 * struct hc_object - an object
 * @name: the word
 * @what: one line for the help
 * @cmds: its commands; one without name is run when no command word is wanted
 */
struct hc_object {
	const char *name;
	const char *what;
	const struct hc_cmd *cmds;
};

extern const struct hc_cmd fabric_cmds[], node_cmds[], link_cmds[], fault_cmds[],
	detect_cmds[], trunk_cmds[], route_cmds[], balance_cmds[], plan_cmds[], mfi_cmds[],
	run_cmds[], op_cmds[], monitor_cmds[], stats_cmds[], plot_cmds[], trace_cmds[], top_cmds[],
	decode_cmds[], checked_cmds[], cluster_cmds[];

/* --- hcctl.c --- */
int hc_dispatch(struct hcctl *h, int argc, char **argv);

/* --- batch.c --- */
int hc_batch(struct hcctl *h, const char *file);

/* --- out.c: text and JSON come from the same calls --- */

/* Open an object or array: a member @key of the enclosing object, an element
 * of the enclosing array (@key NULL), or the whole output.  Closing the
 * outermost one prints it.
 */
void out_object(struct hcctl *h, const char *key);
void out_array(struct hcctl *h, const char *key);
void out_close(struct hcctl *h);
/* JSON: a member @key of the open object, or an element of the open array
 * (@key NULL).  Text: @fmt with the value, nothing if @fmt is NULL; the format
 * takes uint64_t, int64_t, double and char * respectively.
 */
void out_uint(struct hcctl *h, const char *key, const char *fmt, uint64_t v);
void out_int(struct hcctl *h, const char *key, const char *fmt, int64_t v);
void out_real(struct hcctl *h, const char *key, const char *fmt, double v);
void out_str(struct hcctl *h, const char *key, const char *fmt, const char *v);
/* JSON: true or false.  Text: @text if true and not NULL. */
void out_bool(struct hcctl *h, const char *key, const char *text, bool v);
/* JSON only: what there is already, which goes with the rest. */
void out_value(struct hcctl *h, const char *key, struct json_object *v);
/* Text only. */
void out_text(struct hcctl *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

enum out_color {
	OUT_PLAIN,
	OUT_NAME,	/* of fabrics and interfaces */
	OUT_GOOD,
	OUT_BAD,
};

/* Text: what follows is in that color, until it is OUT_PLAIN again. */
void out_color(struct hcctl *h, enum out_color c);
/* Text: what was printed is to be seen at once. */
void out_now(struct hcctl *h);
/* Nobody reads what is printed: a command that would go on for ever may end. */
bool out_failed(void);
/* @text without bytes that are no UTF-8 or control a terminal, for free(). */
char *out_escaped(const char *text);
/* Throw away what was not printed yet. */
void out_reset(struct hcctl *h);
/* Begin and end of a batch's JSON array. */
void out_batch(struct hcctl *h, bool end);
/* Flush; HC_NO if something could not be written. */
int out_end(struct hcctl *h);

/* --- table.c: text in columns --- */

/**
 * struct out_column - a column of a table
 * @name: in the header; NULL ends the columns
 * @right: cells end at the right, as numbers do
 */
struct out_column {
	const char *name;
	bool right;
};

/* Column number @at, with a name of its own or that of the number. */
#define OUT_LEFT_AS(at, title) \
	[at] = { title }
#define OUT_RIGHT_AS(at, title) \
	[at] = { title, .right = true }
#define OUT_LEFT(at)	OUT_LEFT_AS(at, #at)
#define OUT_RIGHT(at)	OUT_RIGHT_AS(at, #at)

/* Until out_table_end() text goes to cells, as long as @columns are there; out_cell() says to which
 * column, and begins a row with the first one.  A table without rows prints nothing.
 */
void out_table(struct hcctl *h, const struct out_column *columns);
void out_cell(struct hcctl *h, unsigned int i);
/* That, and a number there. */
void out_number(struct hcctl *h, unsigned int i, const char *key, uint64_t v);
void out_table_end(struct hcctl *h);

/* One line to standard error, {"error": ".."} or {"warning": ".."}: for hcctl.complain. */
void out_complain(struct hcctl *h, const char *kind, const char *text);

/* --- say.c --- */
/* An error. */
void hc_error(struct hcctl *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* A warning. */
void hc_warn(struct hcctl *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Until hc_leave() complaints are about @w. */
void hc_enter(struct hcctl *h, struct hc_where *w);
void hc_leave(struct hcctl *h, const struct hc_where *w);
/* Out of memory: says so and returns -ENOMEM. */
int hc_nomem(struct hcctl *h);

/* --- units.c: text of values, in @buf --- */
#define OUT_BUF 64
const char *out_time(char *buf, uint64_t ns);	/* measured: rounded */
const char *out_exact_time(char *buf, uint64_t ns);	/* as it was given */
const char *out_rate(char *buf, uint64_t bytes_per_second);
const char *out_percent(char *buf, uint32_t ppm);
const char *out_bits(char *buf, uint32_t u, unsigned int dim);
/* "XX01", the highest dimension first; X is a free dimension, of those in @dims. */
const char *out_subcube(char *buf, uint32_t base, uint32_t dims, unsigned int dim);

/* --- args.c --- */

/**
 * struct arg - a keyword of a command
 * @name: the keyword; NULL ends a table
 * @parse: reads its value into @dst; NULL: a flag without value, @dst a bool
 * @dst: where it goes
 * @required: must be given
 * @many: may be repeated
 * @given: it was
 */
struct arg {
	const char *name;
	int (*parse)(struct hcctl *h, const char *name, const char *word, void *dst);
	void *dst;
	bool required;
	bool many;
	bool given;
};

int hc_args(struct hcctl *h, struct arg *args, int argc, char **argv);
/* Take the next word, which is a @what; NULL (complained) if there is none. */
const char *hc_take(struct hcctl *h, const char *what, int *argc, char ***argv);
/* The uniform complaints; all return HC_USAGE. */
int hc_unknown(struct hcctl *h, const char *word);
int hc_missing(struct hcctl *h, const char *what);
int hc_duplicate(struct hcctl *h, const char *what);
int hc_invalid(struct hcctl *h, const char *what, const char *word, const char *wanted);

/* In a list that was read: all nodes, all links of a node. */
#define NODE_ALL UINT32_MAX
#define LINK_ALL UINT32_MAX

struct link_ref {
	uint32_t node;	/* in a list that was read: or NODE_ALL */
	uint32_t dim;	/* in a list that was read: or LINK_ALL */
};

struct link_list {
	struct link_ref *v;
	size_t n;
};

struct node_list {
	uint32_t *v;
	size_t n;
};

/**
 * struct arg_choice - one word of several
 * @words: these; NULL ends them
 * @v: which
 */
struct arg_choice {
	const char * const *words;
	unsigned int v;
};

/* Decimal, 0x.. or 0b..; 0 or -EINVAL, -ERANGE. */
int hc_number(const char *word, uint64_t max, uint64_t *v);
/* For struct arg; behind each, what @dst points to. */
int arg_u32(struct hcctl *h, const char *name, const char *word, void *dst);	/* uint32_t */
int arg_u64(struct hcctl *h, const char *name, const char *word, void *dst);	/* uint64_t */
int arg_count(struct hcctl *h, const char *name, const char *word, void *dst);	/* uint32_t */
int arg_str(struct hcctl *h, const char *name, const char *word, void *dst);	/* const char * */
int arg_fabric(struct hcctl *h, const char *name, const char *word, void *dst);	/* const char * */
int arg_dim(struct hcctl *h, const char *name, const char *word, void *dst);	/* uint32_t */
int arg_node(struct hcctl *h, const char *name, const char *word, void *dst);	/* uint32_t */
int arg_nodes(struct hcctl *h, const char *name, const char *word, void *dst);	/* node_list */
int arg_links(struct hcctl *h, const char *name, const char *word, void *dst);	/* link_list */
int arg_choice(struct hcctl *h, const char *name, const char *word, void *dst);	/* arg_choice */
int arg_percent(struct hcctl *h, const char *name, const char *word, void *dst); /* uint32_t */
int arg_time(struct hcctl *h, const char *name, const char *word, void *dst);	/* uint64_t */
int arg_rate(struct hcctl *h, const char *name, const char *word, void *dst);	/* uint64_t */

/**
 * struct hc_extent - of which all nodes and links are meant
 * @dim: its dimension
 * @fixed: bits that all nodes here share; those elsewhere are not meant
 * @base: what they are
 * @both_ends: of all links, each end is meant
 */
struct hc_extent {
	uint32_t dim;
	uint32_t fixed;
	uint32_t base;
	bool both_ends;
};

/* A list that was read: all that are meant, one by one. */
int hc_nodes_each(struct hcctl *h, struct node_list *l, const struct hc_extent *c);
int hc_links_each(struct hcctl *h, struct link_list *l, const struct hc_extent *c);

/* Positional words: a fabric, a node, a link. */
const char *hc_take_fabric(struct hcctl *h, int *argc, char ***argv);
int hc_take_end(struct hcctl *h, int argc, char **argv);

#endif /* _HCCTL_H */
