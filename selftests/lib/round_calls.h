/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Load balancing rounds: the requests that begin them, and the events that report them.
 */
#ifndef _HC_ROUND_CALLS_H
#define _HC_ROUND_CALLS_H

#include <stdint.h>

#include "hc_balance.h"
#include "hc_nl.h"
#include "task_fixture.h"

/* An event that reports the end of a load balancing round. A field whose attribute is absent is ~0
 * (@status: 1).
 */
struct round_view {
	uint64_t nr;
	unsigned int node;
	unsigned int method;
	unsigned int trigger;
	int status;
	unsigned int cause_node;
	unsigned int cause_dim;
	unsigned int members;
	uint64_t moved;
};

/* The load balancing of a fabric: its settings, its counters, and its last @n rounds. */
struct balance_view {
	unsigned int method;
	unsigned int threshold;
	unsigned int period;
	uint64_t done;
	uint64_t failed;
	uint64_t superseded;
	uint64_t moved;
	unsigned int epoch;
	unsigned int n;
	struct round_view round[HYPERCUBE_ROUNDS_KEPT];
};

#define ROUND_ANY	(~0u)

/* Begin a round, and wait for its end. @node and @method may be ROUND_ANY: the kernel chooses.
 * Return: 0 or -errno.
 */
int round_run(const char *name, unsigned int method, unsigned int node, struct round_view *v);
/* As round_run(), while all frames from node 1 to node 0 are lost. */
int round_run_deaf(const char *name, unsigned int method, unsigned int node, struct round_view *v);
/* As round_run_deaf(), in a new fixture of eight nodes with some tasks and a short stall timeout.
 */
int round_new_deaf(struct task_fixture *y, unsigned int method, unsigned int node,
		   struct round_view *v);
/* The two halves of round_run(), on the connection @nl: round_begin() sends the request,
 * round_end() waits for the reply.
 */
int round_begin(struct nl *nl, const char *name, unsigned int method, unsigned int node);
int round_end(struct nl *nl, struct round_view *v);
/* Begin a round at each of @n nodes, at node i through the connection @nl[i]. Return: number of
 * rounds that fail or have another number of members than @members.
 */
unsigned int rounds_at_once(struct nl *nl, unsigned int n, const char *name, unsigned int method,
			    unsigned int members);
/* Set the parameters of load balancing. A parameter that is ROUND_ANY does not change. */
int balance_set(const char *name, unsigned int method, unsigned int threshold,
		unsigned int period);
/* Install the topology @b, which was made for the faults @fault. Return: 0 or -errno. */
int balance_topology(const char *name, const struct hc_balance *b, const uint32_t *fault);
/* Install the topology @b, unless the present topology has another epoch than @prev. */
int balance_topology_after(const char *name, const struct hc_balance *b, const uint32_t *fault,
			   uint32_t prev);
int balance_view(const char *name, struct balance_view *v);
/* Wait @seconds. Return: number of rounds that succeed in this time. */
uint64_t rounds_in(const char *name, unsigned int seconds);

#endif /* _HC_ROUND_CALLS_H */
