/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by several commands.
 */
#ifndef _HCCTL_CMD_H
#define _HCCTL_CMD_H

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>

#include "bcast.h"
#include "doubling.h"
#include "live.h"
#include "nl.h"
#include "plan.h"

/* --- common.c --- */
/* All of a live fabric, as it is now.  Release with cmd_state_free(), whatever cmd_state() says. */
struct cmd_state {
	struct nl_fabric info;
	struct nl_node *nodes;
	size_t n_nodes;
	struct nl_link *links;
	size_t n_links;
};

int cmd_state(struct hcctl *h, const char *fabric, struct cmd_state *s);
void cmd_state_free(struct cmd_state *s);
/* Number 0 to @n - 1, until one fails.  Unless it is the only one, complaints begin with what
 * @say says of it.
 */
int cmd_each(struct hcctl *h, size_t n, int (*one)(struct hcctl *h, size_t i, void *arg),
	     void (*say)(char *text, size_t size, size_t i, const void *arg), void *arg);
/* NODE, or nothing: *node stays NL_NONE. */
int cmd_take_node(struct hcctl *h, int *argc, char ***argv, uint32_t *node);
/* What has been read, unless @rc says why not: an array; text: a table, each of @n things of @size
 * bytes a row.  Frees them, and returns @rc.
 */
int cmd_out_rows(struct hcctl *h, int rc, const struct out_column *columns, void *v, size_t n,
		 size_t size, void (*one)(struct hcctl *h, const void *v));
/* {"node", "dim"}, text "N:D" behind @lead */
void cmd_out_link(struct hcctl *h, const char *key, const char *lead, struct link_ref l);
/* "cause_node" and "cause_dim", as far as they are known; text: " by N:D" */
void cmd_out_cause(struct hcctl *h, uint32_t node, uint32_t dim);
/* The same, and "error"; text: @lead in front, and why behind it. */
void cmd_out_failed(struct hcctl *h, const char *lead, uint32_t node, uint32_t dim, int status);
/* An array of numbers; text: after @lead, with commas. */
void cmd_out_set(struct hcctl *h, const char *key, const char *lead,
		 const uint32_t *set, uint32_t nodes);
void cmd_out_order(struct hcctl *h, const char *key, const char *lead,
		   const uint8_t *order, unsigned int stages);
/* "drops": {"loss": 3}; text: "   loss 3" */
void cmd_out_drops(struct hcctl *h, const uint64_t *drops);
/* The name of a fabric or an interface. */
void cmd_out_name(struct hcctl *h, const char *key, const char *name);
/* "state": ["down"]; text: "up" or "down,detected" */
void cmd_out_state(struct hcctl *h, uint32_t state);
/* JSON only: "fail_links", those between live nodes, and "fail_nodes", so that a reader of a
 * plan knows what it was made for.
 */
void cmd_out_faults(struct hcctl *h, const struct hc_faults *f);
/* "XX01", the highest dimension first: a mask of the free dimensions, and a node. */
int cmd_subcube(struct hcctl *h, const char *word, unsigned int dim, uint32_t *dims,
		uint32_t *base);
/* The same of the nodes that are here; "": all are. */
int cmd_part(struct hcctl *h, const char *word, unsigned int dim, uint32_t *fixed, uint32_t *base);
/* The other way round, in @buf. */
const char *cmd_part_text(char *buf, unsigned int dim, uint32_t fixed, uint32_t base);
static inline bool cmd_is_here(uint32_t u, uint32_t fixed, uint32_t base)
{
	return (u & fixed) == base;
}

uint32_t cmd_set_count(const uint32_t *set, uint32_t nodes);

/* An object of two numbers; text: @lead, the one, @mark, the other. */
void cmd_out_pair(struct hcctl *h, const char *lead, const char *key, uint64_t v,
		  const char *mark, const char *key2, uint64_t v2);
/* The nodes of a path from @at along @dims, an array; @first: for the text of the first one. */
void cmd_out_path(struct hcctl *h, const char *key, const char *first, uint32_t at,
		  const uint8_t *dims, unsigned int hops);

/* --- op.c --- */
/* A member that waits, and for what; in JSON of which plan and operation if @whose. */
void cmd_out_wait(struct hcctl *h, const struct nl_op *v, bool whose);

/* --- node_lies.c --- */
/* Does it lie at all?  Do both lie alike? */
bool cmd_lies(const struct nl_lies *l);
bool cmd_lies_same(const struct nl_lies *a, const struct nl_lies *b);
/* The words of "node set" for it, in @buf. */
#define CMD_LIES_BUF (HYPERCUBE_LIES_MAX * 11 + 64)
const char *cmd_lies_text(char *buf, const struct nl_lies *l);
/* An array of the frames. */
void cmd_out_lie_at(struct hcctl *h, const struct nl_lies *l);
/* Members of a node's object: when it lies; text: if it does. */
void cmd_out_lies(struct hcctl *h, const struct nl_node *v);

/* --- link_print.c --- */
/* Members of a link's object: how it is impaired, and its part in the model. */
void cmd_out_impairments(struct hcctl *h, const struct nl_link *v);
/* And its counters of that; text: those that are not 0. */
void cmd_out_impaired(struct hcctl *h, const struct nl_link *v);

/* --- fabric_netns.c --- */

struct netns_names {
	char **v;
	size_t n;
	bool orphans;	/* there is no fabric of that name */
};

/* For struct arg: a const char *, a struct nl_addr_in. */
int cmd_arg_prefix(struct hcctl *h, const char *name, const char *word, void *dst);
int cmd_arg_address(struct hcctl *h, const char *name, const char *word, void *dst);
/* Has the network (family 0: none is wanted) an address for each node? */
int cmd_check_address(struct hcctl *h, const struct nl_addr_in *base, uint32_t dim);
struct netns_fabric {
	struct nl_fabric_new fabric;
	const char *prefix;
	const struct nl_addr_in *base;
};

/* Make a fabric, and a namespace for each endpoint, and take it up there; if that
 * fails, or a signal ends it, none of them is left.
 */
int cmd_netns_fabric(struct hcctl *h, const struct netns_fabric *f);
/* Handle those that were made so for a fabric. */
int cmd_netns_of(struct hcctl *h, const char *fabric, struct netns_names *names);
/* Forget the names, and remove the namespaces if @remove. */
void cmd_netns_drop(struct netns_names *names, bool remove);
/* Make one for an endpoint; it belongs to a fabric of this name, and is added to @made. */
int cmd_netns_make(struct hcctl *h, const char *fabric, const char *name, uint32_t node,
		   struct netns_names *made);
void cmd_netns_remove(const char *name);
/* Go to a namespace, or complain; and the descriptor of the one that we are in. */
int cmd_netns_go(struct hcctl *h, int fd, const char *where);
int cmd_netns_home(struct hcctl *h);

/* --- signals.c --- */
/* Those that would end the process; what is ignored, as with nohup(1), is not among them. */
void cmd_signals_ending(sigset_t *set);
/* Between the first and the last one a signal that would end the process waits; which one it is. */
void cmd_signals_hold(void);
int cmd_signals_came(void);
void cmd_signals_release(void);

/* --- fabric_state.c --- */
int cmd_fabric_save(struct hcctl *h, int argc, char **argv);
int cmd_fabric_restore(struct hcctl *h, int argc, char **argv);
int cmd_fault_load(struct hcctl *h, int argc, char **argv);

/* --- faults_file.c --- */
/* Add the faults in a file, text or JSON, to lists. */
int cmd_faults_file(struct hcctl *h, const char *file, struct link_list *links,
		    struct node_list *nodes);

/* --- faults_args.c --- */
/* Where a planner's faults come from: a fabric, or the words of the command. */
struct fault_args {
	const char *fabric;
	uint32_t dim;
	const char *file;
	struct link_list links;
	struct node_list nodes;
};

/* Complain unless the words make sense together. */
int cmd_fault_args_check(struct hcctl *h, const struct fault_args *a);
/* Read the file, if any, and settle what "all" is. */
int cmd_fault_args_file(struct hcctl *h, struct fault_args *a);
/* Release with hc_faults_free(). */
int cmd_fault_args_read(struct hcctl *h, const struct fault_args *a, struct hc_faults **f);
void cmd_fault_args_free(struct fault_args *a);

/* --- bcast_print.c --- */
struct bcast_view {
	const char *method;
	const char *fabric;	/* NULL: offline */
	uint32_t installed;	/* id, or 0 */
	const struct hc_faults *faults;
};

void cmd_bcast_print(struct hcctl *h, const struct bcast_view *v,
		     const struct hc_bcast_plan *plan);
/* One piece of many. */
void cmd_bcast_print_piece(struct hcctl *h, const struct hc_bcast_piece *piece);
/* ": 3, 5, .." in @buf: the first nodes of a set. */
#define BCAST_LIST 160
const char *cmd_bcast_list(char *buf, const uint32_t *set, uint32_t nodes);

/* --- tree_print.c --- */
struct tree_view {
	const struct hc_faults *faults;
	const struct hc_tree_plan *plan;
	const char *method;
	const char *fabric;	/* NULL: offline */
	const char *subcube;	/* NULL: all */
	uint32_t installed;	/* id, or 0 */
};

void cmd_tree_print(struct hcctl *h, const struct tree_view *v);
/* Name the nodes that are cut off, if any. */
void cmd_tree_warn(struct hcctl *h, const struct hc_tree_plan *plan);

/* The tasks of a node, members of an object; @tasks as in struct nl_node. */
void cmd_out_tasks(struct hcctl *h, const uint64_t *tasks);

/* --- balance_rounds.c --- */
/* A round, members of an object. */
void cmd_out_round(struct hcctl *h, const struct nl_round *r);

#endif /* _HCCTL_CMD_H */
