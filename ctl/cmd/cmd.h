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
#include "plan_nl.h"
#include "net_args.h"
#include "nl/nl.h"
#include "plan.h"

/* --- common.c --- */
/* The current state of a live fabric. Release with cmd_state_free(), even if cmd_state() fails. */
struct cmd_state {
	struct nl_fabric info;
	struct nl_node *nodes;
	size_t n_nodes;
	struct nl_link *links;
	size_t n_links;
};

int cmd_state(struct hcctl *h, const char *fabric, struct cmd_state *s);
void cmd_state_free(struct cmd_state *s);
/* Call @one for the numbers 0 to @n - 1, until a call fails. If @n is more than one, error messages
 * begin with the text that @say writes.
 */
int cmd_each(struct hcctl *h, size_t n, int (*one)(struct hcctl *h, size_t i, void *arg),
	     void (*say)(char *text, size_t size, size_t i, const void *arg), void *arg);
/* Print "dim": 3, text " dim 3"; for a network that is not a hypercube, print "shape". */
void cmd_out_network(struct hcctl *h, const struct nl_fabric *f);
/* Replace "all" in the list by each link, or with @both_ends by both ends of each link. *@fixed,
 * unless it is NULL, is set to the subcube mask of this machine's partition.
 */
int cmd_links_each(struct hcctl *h, const char *fabric, struct link_list *l, bool both_ends,
		   uint32_t *fixed);
/* Parse an optional NODE; *@node is set to NL_NONE if there is none. */
int cmd_take_node(struct hcctl *h, int *argc, char ***argv, uint32_t *node);
/* Print @n elements of @size bytes as an array; text: as a table with a row for each element. If
 * @rc is an error, print nothing. In any case, free @v. Return: @rc.
 */
int cmd_out_rows(struct hcctl *h, int rc, const struct out_column *columns, void *v, size_t n,
		 size_t size, void (*one)(struct hcctl *h, const void *v));
/* Print {"node", "dim"}, text "N:D" after @lead. */
void cmd_out_link(struct hcctl *h, const char *key, const char *lead, struct link_ref l);
/* For struct arg: read a user's name or number into a uint32_t, the uid. */
int cmd_arg_user(struct hcctl *h, const char *name, const char *word, void *dst);
/* Print "cause_node" and "cause_dim", as far as they are known; text: " by N:D". */
void cmd_out_cause(struct hcctl *h, uint32_t node, uint32_t dim);
/* Print the cause as cmd_out_cause() does, and "error"; text: after @lead, and with the error's
 * text.
 */
void cmd_out_failed(struct hcctl *h, const char *lead, uint32_t node, uint32_t dim, int status);
/* Print an array of numbers; text: after @lead, with commas. */
void cmd_out_set(struct hcctl *h, const char *key, const char *lead,
		 const uint32_t *set, uint32_t nodes);
void cmd_out_order(struct hcctl *h, const char *key, const char *lead,
		   const uint8_t *order, unsigned int stages);
/* Print "drops": {"loss": 3}; text: "   loss 3". */
void cmd_out_drops(struct hcctl *h, const uint64_t *drops);
/* Print the name of a fabric or an interface. */
void cmd_out_name(struct hcctl *h, const char *key, const char *name);
/* Print "state": ["down"]; text: "up" or "down,detected". */
void cmd_out_state(struct hcctl *h, uint32_t state);
/* JSON only: print "fail_links" (the faulty links between live nodes) and "fail_nodes", so that a
 * reader of a plan knows the faults for which it was made.
 */
void cmd_out_faults(struct hcctl *h, const struct hc_faults *f);
/* Read "XX01", the highest dimension first: a mask of the free dimensions, and a node. */
int cmd_subcube(struct hcctl *h, const char *word, unsigned int dim, uint32_t *dims,
		uint32_t *base);
/* Parse the subcube of this machine's partition in the same form; "" means all nodes. */
int cmd_part(struct hcctl *h, const char *word, unsigned int dim, uint32_t *fixed, uint32_t *base);
/* Write the subcube of a partition in the same form into @buf. */
const char *cmd_part_text(char *buf, unsigned int dim, uint32_t fixed, uint32_t base);
static inline bool cmd_is_here(uint32_t u, uint32_t fixed, uint32_t base)
{
	return (u & fixed) == base;
}

uint32_t cmd_set_count(const uint32_t *set, uint32_t nodes);

/* Print an object of two numbers, with the keys @key and @key2; text: @lead, @v, @mark, @v2. */
void cmd_out_pair(struct hcctl *h, const char *lead, const char *key, uint64_t v,
		  const char *mark, const char *key2, uint64_t v2);
/* Print the nodes of a path in a network as an array: from node @at along @dims. @first is the text
 * format of the first node.
 */
void cmd_out_path(struct hcctl *h, const struct hc_topo *topo, const char *key, const char *first,
		  uint32_t at, const uint8_t *dims, unsigned int hops);

/* --- op.c --- */
/* Print a member and what it waits for; JSON: also its plan and operation if @whose. */
void cmd_out_wait(struct hcctl *h, const struct nl_op *v, bool whose);

/* --- node_byzantine.c --- */
/* cmd_is_byzantine() returns true if the settings make a node Byzantine, and cmd_byzantine_same()
 * if both settings are the same.
 */
bool cmd_is_byzantine(const struct nl_byzantine *l);
bool cmd_byzantine_same(const struct nl_byzantine *a, const struct nl_byzantine *b);
/* Write the keywords of "node set" that make these settings into @buf. */
#define CMD_BYZANTINE_BUF (HYPERCUBE_BYZANTINE_AT_MAX * 11 + 64)
const char *cmd_byzantine_text(char *buf, const struct nl_byzantine *l);
/* Print an array of the frames that the node corrupts. */
void cmd_out_byzantine_at(struct hcctl *h, const struct nl_byzantine *l);
/* Print the settings of a Byzantine node, as members of its object; text: nothing if the node is
 * not Byzantine.
 */
void cmd_out_byzantine(struct hcctl *h, const struct nl_node *v);

/* --- link_print.c --- */
/* Print the impairments of a link and its parameters in the time model: members of its object. */
void cmd_out_impairments(struct hcctl *h, const struct nl_link *v);
/* Print the counters of impairments; text: those that are not 0. */
void cmd_out_impaired(struct hcctl *h, const struct nl_link *v);

/* --- fabric_netns.c --- */

/* Names of network namespaces. */
struct netns_names {
	char **v;
	size_t n;
	bool orphans;	/* there is no fabric of that name */
};

/* For struct arg; the destination of the first is a const char *, that of the second a struct
 * nl_addr_in.
 */
int cmd_arg_prefix(struct hcctl *h, const char *name, const char *word, void *dst);
int cmd_arg_address(struct hcctl *h, const char *name, const char *word, void *dst);
/* Check that the IP network of @base has an address for each node. Family 0: there are no addresses
 * to check. Return: 0, or an exit status after printing an error.
 */
int cmd_check_address(struct hcctl *h, const struct nl_addr_in *base, uint32_t nodes);
/* A fabric whose endpoints are in network namespaces of their own. @prefix: beginning of the names
 * of the namespaces; @base: network of the endpoints' addresses.
 */
struct netns_fabric {
	struct nl_fabric_new fabric;
	const char *prefix;
	const struct nl_addr_in *base;
};

/* Make a fabric, and a namespace for each endpoint, and bring the endpoints up there. If that
 * fails, or a signal interrupts it, remove the fabric and the namespaces.
 */
int cmd_netns_fabric(struct hcctl *h, const struct netns_fabric *f);
/* Find the namespaces that cmd_netns_fabric() or cmd_netns_make() has made for a fabric. */
int cmd_netns_of(struct hcctl *h, const char *fabric, struct netns_names *names);
/* Free the names, and remove the namespaces if @remove. */
void cmd_netns_drop(struct netns_names *names, bool remove);
/* Make a namespace for an endpoint, mark it as belonging to fabric @fabric, and add its name to
 * @made.
 */
int cmd_netns_make(struct hcctl *h, const char *fabric, const char *name, uint32_t node,
		   struct netns_names *made);
void cmd_netns_remove(const char *name);
/* cmd_netns_go() enters a namespace, or prints an error. cmd_netns_home() returns a descriptor of
 * the current one.
 */
int cmd_netns_go(struct hcctl *h, int fd, const char *where);
int cmd_netns_home(struct hcctl *h);

/* --- child.c --- */
/* Start a program with the signal mask @mask. Return: its process id, or a negative errno. */
pid_t cmd_child_start(char **argv, const sigset_t *mask);
/* Wait until a program ends. SIGCHLD and @signals must be blocked. Signals that another process
 * sends to this one are forwarded to the program; the terminal sends its signals to the program as
 * well. Return: the wait status of the program.
 */
int cmd_child_wait(pid_t pid, const sigset_t *signals);

/* --- signals.c --- */
/* Fill in the signals that would end this process, except those that are ignored, as with nohup(1).
 */
void cmd_signals_ending(sigset_t *set);
/* Between cmd_signals_hold() and cmd_signals_release(), a signal that would end the process is only
 * recorded. cmd_signals_came() returns the latest one, or 0, and cmd_signals_release() raises it
 * again.
 */
void cmd_signals_hold(void);
int cmd_signals_came(void);
void cmd_signals_release(void);

/* --- fabric_state.c --- */
int cmd_fabric_save(struct hcctl *h, int argc, char **argv);
int cmd_fabric_restore(struct hcctl *h, int argc, char **argv);
int cmd_fault_load(struct hcctl *h, int argc, char **argv);

/* --- faults_file.c --- */
/* Add the faults in a file, text or JSON, to the lists. */
int cmd_faults_file(struct hcctl *h, const char *file, struct link_list *links,
		    struct node_list *nodes);

/* --- faults_args.c --- */
/**
 * struct fault_args - where a planner's network and faults come from
 * @fabric: a live fabric; NULL: the other keywords describe network and faults
 * @dim: a hypercube of this dimension, or 0
 * @net: another network
 * @file: file with faults, or NULL
 * @links: faulty links
 * @nodes: failed nodes
 * @offline: without a fabric: the network and its faults, made from the other keywords
 */
struct fault_args {
	const char *fabric;
	uint32_t dim;
	struct net_arg net;
	const char *file;
	struct link_list links;
	struct node_list nodes;
	struct hc_faults *offline;
};

/* Check that the keywords may be used together, or print an error. */
int cmd_fault_args_check(struct hcctl *h, const struct fault_args *a);
/* Without a fabric, make the network and its faults from the keywords. */
int cmd_fault_args_make(struct hcctl *h, struct fault_args *a);
/* Return the faults in *@f. Release with hc_faults_free(). */
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
/* Print one piece of several. */
void cmd_bcast_print_piece(struct hcctl *h, const struct hc_bcast_piece *piece);
/* Write ": 3, 5, .." into @buf: the first nodes of a set. */
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
/* Print a warning with the nodes that are cut off, if there are any. */
void cmd_tree_warn(struct hcctl *h, const struct hc_tree_plan *plan);

/* Print the tasks of a node, members of an object; @tasks as in struct nl_node. */
void cmd_out_tasks(struct hcctl *h, const uint64_t *tasks);

/* --- balance_rounds.c --- */
/* Print a round of load balancing, members of an object. */
void cmd_out_round(struct hcctl *h, const struct nl_round *r);

#endif /* _HCCTL_CMD_H */
