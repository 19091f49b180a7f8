/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rounds of balancing, by command and as they are told.
 */
#ifndef _HC_ROUND_CALLS_H
#define _HC_ROUND_CALLS_H

#include <stdint.h>

#include "hc_balance.h"
#include "hc_nl.h"
#include "yard.h"

/* A round that has ended; what is not said is ~0. */
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

struct balance_view {
	unsigned int method;
	unsigned int threshold;
	unsigned int period;
	uint64_t done;
	uint64_t failed;
	uint64_t beaten;
	uint64_t moved;
	unsigned int epoch;
	unsigned int n;
	struct round_view round[HYPERCUBE_ROUNDS_KEPT];
};

#define ROUND_ANY	(~0u)

/* @node, @method: or ROUND_ANY.  Wait for its end: 0 or -errno. */
int round_run(const char *name, unsigned int method, unsigned int node, struct round_view *v);
/* The same while all frames from 1 to 0 are lost. */
int round_run_deaf(const char *name, unsigned int method, unsigned int node, struct round_view *v);
/* The same in a new yard of eight nodes, which have some tasks and little patience. */
int round_new_deaf(struct yard *y, unsigned int method, unsigned int node, struct round_view *v);
/* The same in two steps, on a socket of its own. */
int round_begin(struct nl *nl, const char *name, unsigned int method, unsigned int node);
int round_end(struct nl *nl, struct round_view *v);
/* Each of @n nodes begins a round, by the socket of its number: how many do not end well, with as
 * many @members?
 */
unsigned int rounds_at_once(struct nl *nl, unsigned int n, const char *name, unsigned int method,
			    unsigned int members);
/* ROUND_ANY: as it is. */
int balance_set(const char *name, unsigned int method, unsigned int threshold,
		unsigned int period);
/* Install a topology made for @fault: 0 or -errno. */
int balance_topology(const char *name, const struct hc_balance *b, const uint32_t *fault);
int balance_view(const char *name, struct balance_view *v);
/* How many rounds are done within that time? */
uint64_t rounds_in(const char *name, unsigned int seconds);

#endif /* _HC_ROUND_CALLS_H */
