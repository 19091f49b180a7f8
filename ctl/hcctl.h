/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl: what its files share.
 *
 * A command gets the context and its arguments, parses them with args.c, sends requests to the
 * kernel through nl.c and the other nl files (the only files that use libnl), and prints with out.c
 * (the only file that prints). It returns 0, HC_NO, HC_USAGE or a negative errno (which counts as
 * HC_NO). The function that detects an error prints the message.
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
	HC_NO = 1,	/* the kernel, or the planner, refused */
	HC_USAGE = 2,	/* the command line is wrong */
};

struct hc_cmd;
struct json_object;
struct nl;
struct out_table;

#define OUT_DEPTH 8

/**
 * struct hc_where - the subject of error messages, which is printed before the message
 * @error: text in front of an error, or NULL
 * @text: the subject, such as a file's name; "": only @error is printed
 * @line: line of the file that the message is about, or 0
 * @outer: the enclosing subject, or NULL
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
 * @pretty: indent the JSON
 * @color: print text in color
 * @force: continue a batch after a command has failed
 * @batch: a batch is running
 * @chunks: JSON values printed so far, for the commas of a batch
 * @object: name of the object whose command runs, for hints
 * @cmd: the command that runs, an entry of the object's table
 * @where: subject of error messages, or NULL
 * @nl: netlink state, opened at first use
 * @to: stream for JSON; NULL: standard output
 * @complain: prints or stores a message; @kind is "error" or "warning"
 * @stack: JSON containers being filled, outermost first
 * @depth: number of containers in @stack
 * @table: table that is being filled, or NULL
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
 * @name: the keyword; NULL ends a table
 * @run: function that runs the command
 * @args: usage text of its arguments
 * @own: data for @run, for commands that share a function, or NULL
 */
struct hc_cmd {
	const char *name;
	int (*run)(struct hcctl *h, int argc, char **argv);
	const char *args;
	const void *own;
};

/**
 * struct hc_object - an object
 * @name: the keyword
 * @what: description of the object in one line, for the help
 * @cmds: its commands; the command of an object that has only one has no name
 */
struct hc_object {
	const char *name;
	const char *what;
	const struct hc_cmd *cmds;
};

extern const struct hc_cmd fabric_cmds[], node_cmds[], link_cmds[], fault_cmds[],
	detect_cmds[], trunk_cmds[], route_cmds[], balance_cmds[], plan_cmds[], mfi_cmds[],
	run_cmds[], op_cmds[], monitor_cmds[], stats_cmds[], plot_cmds[], trace_cmds[], top_cmds[],
	decode_cmds[], checked_cmds[], cluster_cmds[], guard_cmds[], mpirun_cmds[];

/* --- hcctl.c --- */
int hc_dispatch(struct hcctl *h, int argc, char **argv);

/* --- batch.c --- */
int hc_batch(struct hcctl *h, const char *file);

/* --- out.c: text and JSON come from the same calls --- */

/* Open an object or array: as a member @key of the enclosing object, as an element of the enclosing
 * array (@key NULL), or as the whole output. The call that closes the outermost one prints the
 * output.
 */
void out_object(struct hcctl *h, const char *key);
void out_array(struct hcctl *h, const char *key);
void out_close(struct hcctl *h);
/* Print a value. JSON: a member @key of the open object, or an element of the open array (@key
 * NULL). Text: the value in the format @fmt, or nothing if @fmt is NULL. The format takes a
 * uint64_t, int64_t, double or char *, respectively.
 */
void out_uint(struct hcctl *h, const char *key, const char *fmt, uint64_t v);
void out_int(struct hcctl *h, const char *key, const char *fmt, int64_t v);
void out_real(struct hcctl *h, const char *key, const char *fmt, double v);
void out_str(struct hcctl *h, const char *key, const char *fmt, const char *v);
/* Print a flag. JSON: true or false. Text: @text if it is true and not NULL. */
void out_bool(struct hcctl *h, const char *key, const char *text, bool v);
/* JSON only: add an existing value to the output, which takes it over. */
void out_value(struct hcctl *h, const char *key, struct json_object *v);
/* Print text only. */
void out_text(struct hcctl *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

enum out_color {
	OUT_PLAIN,
	OUT_NAME,	/* names of fabrics and interfaces */
	OUT_GOOD,
	OUT_BAD,
};

/* Text only: print in the color @c, until out_color() is called with OUT_PLAIN. */
void out_color(struct hcctl *h, enum out_color c);
/* Text only: flush the output. */
void out_now(struct hcctl *h);
/* Return: true if output has failed because the reader of the pipe has closed it. A command that
 * would run for ever may end in this case.
 */
bool out_failed(void);
/* Return: a copy of @text in which bytes that are not UTF-8, and characters that control a
 * terminal, are escaped; free it with free().
 */
char *out_escaped(const char *text);
/* Drop JSON that was collected but not printed yet. */
void out_reset(struct hcctl *h);
/* Print the beginning of a batch's JSON array, or with @end its end. */
void out_batch(struct hcctl *h, bool end);
/* Flush the output. Return: HC_NO if some output could not be written. */
int out_end(struct hcctl *h);

/* --- table.c: text in columns --- */

/**
 * struct out_column - a column of a table
 * @name: its header; NULL ends the columns
 * @right: cells are aligned to the right, as numbers are
 */
struct out_column {
	const char *name;
	bool right;
};

/* Initializers for an array of columns: column number @at has the title @title, or the text @at
 * itself.
 */
#define OUT_LEFT_AS(at, title) \
	[at] = { title }
#define OUT_RIGHT_AS(at, title) \
	[at] = { title, .right = true }
#define OUT_LEFT(at)	OUT_LEFT_AS(at, #at)
#define OUT_RIGHT(at)	OUT_RIGHT_AS(at, #at)

/* Begin a table. Text that is printed until out_table_end() goes to the cells of the table.
 * out_cell() selects the column of the next text, and selecting column 0 begins a row. @columns
 * must stay valid until out_table_end(). A table without rows prints nothing.
 */
void out_table(struct hcctl *h, const struct out_column *columns);
void out_cell(struct hcctl *h, unsigned int i);
/* Call out_cell(), and print the number @v in the cell. */
void out_number(struct hcctl *h, unsigned int i, const char *key, uint64_t v);
void out_table_end(struct hcctl *h);

/* Print one line of JSON to standard error: {"error": ".."} or {"warning": ".."}. A function for
 * hcctl.complain.
 */
void out_complain(struct hcctl *h, const char *kind, const char *text);

/* --- error.c --- */
/* Report an error. */
void hc_error(struct hcctl *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* Report a warning. */
void hc_warn(struct hcctl *h, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* All messages between hc_enter() and hc_leave() are about @w. */
void hc_enter(struct hcctl *h, struct hc_where *w);
void hc_leave(struct hcctl *h, const struct hc_where *w);
/* Report that there is no memory. Return: -ENOMEM. */
int hc_nomem(struct hcctl *h);

/* --- units.c: values as text, in @buf --- */
#define OUT_BUF 64
const char *out_time(char *buf, uint64_t ns);	/* a measured time: rounded */
const char *out_exact_time(char *buf, uint64_t ns);	/* a time that the user has given: exact */
const char *out_rate(char *buf, uint64_t bytes_per_second);
const char *out_percent(char *buf, uint32_t ppm);
const char *out_bits(char *buf, uint32_t u, unsigned int dim);
/* Return: a subcube as text in @buf, such as "XX01", the highest dimension first: X for a free
 * dimension, which is in @dims, otherwise the bit of @base.
 */
const char *out_subcube(char *buf, uint32_t base, uint32_t dims, unsigned int dim);

/* --- args.c --- */

/**
 * struct arg - a keyword of a command
 * @name: the keyword; NULL ends a table
 * @parse: reads its value into @dst; NULL: a flag without value, @dst a bool
 * @dst: where the value goes
 * @required: the keyword must be given
 * @many: the keyword may be repeated
 * @given: set when the keyword is parsed
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
/* Take the next word of the command line. @what describes the word, for the error message. Return:
 * the word, or NULL, after printing an error, if there are no more words.
 */
const char *hc_take(struct hcctl *h, const char *what, int *argc, char ***argv);
/* Print an error in the form that all commands use. Return: HC_USAGE. */
int hc_unknown(struct hcctl *h, const char *word);
int hc_missing(struct hcctl *h, const char *what);
int hc_duplicate(struct hcctl *h, const char *what);
int hc_invalid(struct hcctl *h, const char *what, const char *word, const char *wanted);

/* Values of struct link_ref and of lists of nodes until hc_nodes_each() or hc_links_each() expands
 * them. NODE_ALL: all nodes. LINK_ALL: all links of a node.
 */
#define NODE_ALL UINT32_MAX
#define LINK_ALL UINT32_MAX
/* Value of struct link_ref.dim until hc_links_each() replaces it by a dimension: the link that
 * leads to the neighbour @node. The value is greater than any dimension.
 */
#define LINK_TO(node) (UINT32_C(0x10000) + (node))

struct link_ref {
	uint32_t node;	/* node number, or NODE_ALL until the list is expanded */
	uint32_t dim;	/* dimension, or LINK_ALL or LINK_TO() until then */
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
 * struct arg_choice - one keyword of several
 * @words: the keywords; NULL ends them
 * @v: index in @words of the keyword that the user has chosen
 */
struct arg_choice {
	const char * const *words;
	unsigned int v;
};

/* Read a decimal, 0x.. or 0b.. number. Return: 0, -EINVAL or -ERANGE. */
int hc_number(const char *word, uint64_t max, uint64_t *v);
/* Parsers for struct arg, each with the type that @dst points to. */
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
 * struct hc_extent - the nodes and links that "all" stands for
 * @topo: the network
 * @fixed: subcube mask of this machine's partition; nodes outside the partition are left out
 * @base: subcube value of the partition
 * @both_ends: "all links" lists each link at both ends
 */
struct hc_extent {
	struct hc_topo topo;
	uint32_t fixed;
	uint32_t base;
	bool both_ends;
};

/* Expand a parsed list, so that it has an entry for each node or link. */
int hc_nodes_each(struct hcctl *h, struct node_list *l, const struct hc_extent *c);
int hc_links_each(struct hcctl *h, struct link_list *l, const struct hc_extent *c);

/* hc_take_fabric() takes a word that names a fabric. hc_take_end() prints an error if there are
 * more words.
 */
const char *hc_take_fabric(struct hcctl *h, int *argc, char ***argv);
int hc_take_end(struct hcctl *h, int argc, char **argv);

#endif /* _HCCTL_H */
