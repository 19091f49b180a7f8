/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that several commands share.
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
/* Call @one for each number from 0 to @n - 1, until a call fails. If @n is greater than 1, each
 * error message is preceded by the text that @say writes for the number, and by the number itself.
 */
int cmd_each(struct hcctl *h, size_t n, int (*one)(struct hcctl *h, size_t i, void *arg),
	     void (*say)(char *text, size_t size, size_t i, const void *arg), void *arg);
/* Print the network of a fabric. JSON: "dim": 3; text: " dim 3". For a network that is not a
 * hypercube, its "shape".
 */
void cmd_out_network(struct hcctl *h, const struct nl_fabric *f);
/* Replace "all" and NODE--NODE in the list by links with dimensions. "all" stands for each link
 * once, or with @both_ends for both ends of each link.
 */
int cmd_links_each(struct hcctl *h, const char *fabric, struct link_list *l, bool both_ends);
/* Parse an optional word NODE; *@node is set to NL_NONE if there is no word. */
int cmd_take_node(struct hcctl *h, int *argc, char ***argv, uint32_t *node);
/* Print the @n elements of @v, which have @size bytes each, by calls of @one: in JSON an array, in
 * text a table with a row for each element. If @rc is an error, print nothing. In any case, free
 * @v. Return: @rc.
 */
int cmd_out_rows(struct hcctl *h, int rc, const struct out_column *columns, void *v, size_t n,
		 size_t size, void (*one)(struct hcctl *h, const void *v));
/* Print a link. JSON: {"node", "dim"}; text: "NODE:DIM" after @lead. */
void cmd_out_link(struct hcctl *h, const char *key, const char *lead, struct link_ref l);
/* For struct arg: parse a user's name or number into a uint32_t, the uid. */
int cmd_arg_user(struct hcctl *h, const char *name, const char *word, void *dst);
/* Print the cause of a failure: "cause_node" and "cause_dim", as far as they are not NL_NONE; text:
 * " by NODE:DIM".
 */
void cmd_out_cause(struct hcctl *h, uint32_t node, uint32_t dim);
/* Print the cause as cmd_out_cause() does, and the error @status, in JSON as "error". Text: @lead,
 * the cause, and the text of the error.
 */
void cmd_out_failed(struct hcctl *h, const char *lead, uint32_t node, uint32_t dim, int status);
/* Print the members of a set as an array of numbers; text: after @lead, with commas between them.
 */
void cmd_out_set(struct hcctl *h, const char *key, const char *lead,
		 const uint32_t *set, uint32_t nodes);
void cmd_out_order(struct hcctl *h, const char *key, const char *lead,
		   const uint8_t *order, unsigned int stages);
/* Print the drop counters that are not 0. JSON: "drops": {"loss": 3}; text: "   loss 3". */
void cmd_out_drops(struct hcctl *h, const uint64_t *drops);
/* Print the name of a fabric or an interface. */
void cmd_out_name(struct hcctl *h, const char *key, const char *name);
/* Print the state of a link end. JSON: "state": ["down"]; text: "up", or reasons such as
 * "down,detected".
 */
void cmd_out_state(struct hcctl *h, uint32_t state);
/* JSON only: print "fail_links" (the faulty links between live nodes) and "fail_nodes", so that a
 * plan is printed together with the faults for which it was made.
 */
void cmd_out_faults(struct hcctl *h, const struct hc_faults *f);
/* Parse a subcube such as "XX01", the highest dimension first. *@dims is set to the mask of the
 * free dimensions, and *@base to the lowest node.
 */
int cmd_subcube(struct hcctl *h, const char *word, unsigned int dim, uint32_t *dims,
		uint32_t *base);
/* Parse the subcube of this machine's partition, in the form of cmd_subcube(), into a subcube mask
 * and a subcube value. "" stands for all nodes.
 */
int cmd_part(struct hcctl *h, const char *word, unsigned int dim, uint32_t *fixed, uint32_t *base);
/* Write the subcube of a partition into @buf, in the form of cmd_subcube(). */
const char *cmd_part_text(char *buf, unsigned int dim, uint32_t fixed, uint32_t base);
static inline bool cmd_is_here(uint32_t u, uint32_t fixed, uint32_t base)
{
	return (u & fixed) == base;
}

uint32_t cmd_set_count(const uint32_t *set, uint32_t nodes);

/* Print two numbers as an object with the keys @key and @key2; text: @lead, @v, @mark and @v2 one
 * after another.
 */
void cmd_out_pair(struct hcctl *h, const char *lead, const char *key, uint64_t v,
		  const char *mark, const char *key2, uint64_t v2);
/* Print the nodes of a path as an array. The path begins at node @at, and @dims are the dimensions
 * (or ports) of its @hops links. @first is the text format of the first node.
 */
void cmd_out_path(struct hcctl *h, const struct hc_topo *topo, const char *key, const char *first,
		  uint32_t at, const uint8_t *dims, unsigned int hops);

/* --- op.c --- */
/* Print a member and what it waits for. With @whose, JSON also has its plan and operation. */
void cmd_out_wait(struct hcctl *h, const struct nl_op *v, bool whose);

/* --- node_byzantine.c --- */
/* cmd_is_byzantine() returns true if the settings make a node Byzantine. cmd_byzantine_same()
 * returns true if the two settings are the same.
 */
bool cmd_is_byzantine(const struct nl_byzantine *l);
/* Return: the settings of a node. */
struct nl_byzantine cmd_byzantine_of(const struct nl_node *v);
bool cmd_byzantine_same(const struct nl_byzantine *a, const struct nl_byzantine *b);
/* Write the keywords of "node set" that make the settings @l into @buf. */
#define CMD_BYZANTINE_BUF (HYPERCUBE_BYZANTINE_AT_MAX * 11 + 64)
const char *cmd_byzantine_text(char *buf, const struct nl_byzantine *l);
/* Print an array of the numbers of the frames that a Byzantine node corrupts. */
void cmd_out_byzantine_at(struct hcctl *h, const struct nl_byzantine *l);
/* Print the settings of a Byzantine node, as members of an open object. Text: nothing if the node
 * is not Byzantine.
 */
void cmd_out_byzantine(struct hcctl *h, const struct nl_node *v);

/* --- link_print.c --- */
/* Print the impairments of a link and its parameters in the time model, as members of an open
 * object.
 */
void cmd_out_impairments(struct hcctl *h, const struct nl_link *v);
/* Print the counters of a link's impairments; text: only those that are not 0. */
void cmd_out_impaired(struct hcctl *h, const struct nl_link *v);

/* --- fabric_netns.c --- */

/* The names of the network namespaces of a fabric's endpoints. */
struct netns_names {
	char **v;
	size_t n;
	bool orphans;	/* the fabric of the namespaces does not exist */
};

/* For struct arg: cmd_arg_prefix() parses into a const char *, cmd_arg_address() into a struct
 * nl_addr_in.
 */
int cmd_arg_prefix(struct hcctl *h, const char *name, const char *word, void *dst);
int cmd_arg_address(struct hcctl *h, const char *name, const char *word, void *dst);
/* Check that the IP network of the address @base has an address above @base for each node. If the
 * family is 0, there is nothing to check. Return: 0, or an exit status after printing an error.
 */
int cmd_check_address(struct hcctl *h, const struct nl_addr_in *base, uint32_t nodes);
/* A fabric whose endpoints are in network namespaces of their own. */
struct netns_fabric {
	struct nl_fabric_new fabric;
	const char *prefix;		/* the beginning of the namespaces' names */
	const struct nl_addr_in *base;	/* the address before that of the first endpoint; family 0:
					 * no addresses
					 */
};

/* Make a fabric and a namespace for each endpoint, and bring the endpoints up in their namespaces.
 * After a failure, or if a signal arrives, remove the fabric and the namespaces.
 */
int cmd_netns_fabric(struct hcctl *h, const struct netns_fabric *f);
/* Find the namespaces that cmd_netns_fabric() or cmd_netns_make() has made for a fabric. Release
 * @names with cmd_netns_drop().
 */
int cmd_netns_of(struct hcctl *h, const char *fabric, struct netns_names *names);
/* Free the names. With @remove, also remove the namespaces. */
void cmd_netns_drop(struct netns_names *names, bool remove);
/* Make a namespace with the name @name for the endpoint of node @node, mark it as belonging to
 * @fabric, and add its name to @made.
 */
int cmd_netns_make(struct hcctl *h, const char *fabric, const char *name, uint32_t node,
		   struct netns_names *made);
void cmd_netns_remove(const char *name);
/* cmd_netns_go() enters the namespace with descriptor @fd; if that fails, it prints an error in
 * which @where names the namespace. cmd_netns_home() returns a descriptor of the current namespace.
 */
int cmd_netns_go(struct hcctl *h, int fd, const char *where);
int cmd_netns_home(struct hcctl *h);

/* --- child.c --- */
/* Start the program argv[0] with the signal mask @mask. Return: its process id, or a negative
 * errno.
 */
pid_t cmd_child_start(char **argv, const sigset_t *mask);
/* Wait until the program @pid ends. SIGCHLD and the signals in @signals must be blocked. A signal
 * that another process sends to this one is forwarded to the program; the terminal sends its
 * signals to both. Return: the wait status of the program.
 */
int cmd_child_wait(pid_t pid, const sigset_t *signals);

/* --- signals.c --- */
/* Set @set to the signals that would end this process. Signals that are ignored, as with nohup(1),
 * are left out.
 */
void cmd_signals_ending(sigset_t *set);
/* Between cmd_signals_hold() and cmd_signals_release(), a signal that would end the process is only
 * recorded. cmd_signals_came() returns the latest recorded signal, or 0. cmd_signals_release()
 * raises that signal again.
 */
void cmd_signals_hold(void);
int cmd_signals_came(void);
void cmd_signals_release(void);

/* --- fabric_state.c --- */
int cmd_fabric_save(struct hcctl *h, int argc, char **argv);
int cmd_fabric_restore(struct hcctl *h, int argc, char **argv);
int cmd_fault_load(struct hcctl *h, int argc, char **argv);

/* --- faults_file.c --- */
/* Add the faults in a file, which is text or JSON, to the lists. */
int cmd_faults_file(struct hcctl *h, const char *file, struct link_list *links,
		    struct node_list *nodes);

/* --- faults_args.c --- */
/**
 * struct fault_args - where a planner's network and faults come from
 * @fabric: a live fabric; NULL: the other members describe the network and its faults
 * @dim: dimension of a hypercube, or 0
 * @net: another network, if @dim is 0
 * @file: file with further faults, or NULL
 * @links: faulty links
 * @nodes: failed nodes
 * @offline: without a live fabric: the network and its faults, made from the other members
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

/* Check that the keywords that were given may be used together. Prints an error if not. */
int cmd_fault_args_check(struct hcctl *h, const struct fault_args *a);
/* If @a names no live fabric, make a->offline from the other members. */
int cmd_fault_args_make(struct hcctl *h, struct fault_args *a);
/* Set *@f to the faults of the live fabric, or to a copy of a->offline. Release with
 * hc_faults_free().
 */
int cmd_fault_args_read(struct hcctl *h, const struct fault_args *a, struct hc_faults **f);
void cmd_fault_args_free(struct fault_args *a);

/* --- bcast_print.c --- */
/* How to print a broadcast plan. */
struct bcast_view {
	const char *method;	/* name of the planner's method */
	const char *fabric;	/* name of the live fabric; NULL: there is none */
	uint32_t installed;	/* id of the installed plan, or 0 */
	const struct hc_faults *faults;
};

void cmd_bcast_print(struct hcctl *h, const struct bcast_view *v,
		     const struct hc_bcast_plan *plan);
/* Print a piece: a sequence that serves all sources in a subcube, see ctl/plan/bcast.h. */
void cmd_bcast_print_piece(struct hcctl *h, const struct hc_bcast_piece *piece);
/* Write the first nodes of a set into @buf, in the form ": 3, 5, ..". */
#define BCAST_LIST 160
const char *cmd_bcast_list(char *buf, const uint32_t *set, uint32_t nodes);

/* --- tree_print.c --- */
/* How to print a tree plan. */
struct tree_view {
	const struct hc_faults *faults;
	const struct hc_tree_plan *plan;
	const char *method;	/* name of the planner's method */
	const char *fabric;	/* name of the live fabric; NULL: there is none */
	const char *subcube;	/* the subcube that the tree spans, as text; NULL: the whole cube */
	uint32_t installed;	/* id of the installed plan, or 0 */
};

void cmd_tree_print(struct hcctl *h, const struct tree_view *v);
/* Print a warning that lists the nodes that are cut off, if there are such nodes. */
void cmd_tree_warn(struct hcctl *h, const struct hc_tree_plan *plan);

/* Print the task counters of a node, as members of an open object. @tasks: nl_node.tasks. */
void cmd_out_tasks(struct hcctl *h, const uint64_t *tasks);

/* --- balance_rounds.c --- */
/* Print a load balancing round, as members of an open object. */
void cmd_out_round(struct hcctl *h, const struct nl_round *r);

#endif /* _HCCTL_CMD_H */
