/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Rounds of balancing: round.c runs them, round_set.c keeps what is asked for and what has been.
 */
#ifndef _HC_TASK_ROUND_H
#define _HC_TASK_ROUND_H

#include <linux/spinlock.h>
#include <linux/types.h>
#include <linux/hypercube.h>

struct hc_fabric;
struct hc_node;
struct hc_balance;
struct hc_round;
struct hc_round_topo;
struct netlink_ext_ack;
struct sk_buff;

/* What happens to a round at a node; for tracepoints. */
enum hc_round_event {
	HC_ROUND_BEGUN,		/* it begins here */
	HC_ROUND_JOINED,	/* it has come from a neighbour */
	HC_ROUND_DONE,		/* it is over */
	HC_ROUND_FAILED,	/* it has failed */
	HC_ROUND_BEATEN,	/* it was begun here and gives way to another one */
};

/**
 * struct hc_round_record - how a round ended, as the node that began it knows
 * @nr: its number; those that several nodes begin at once have the same
 * @node: the node that has begun it
 * @method: enum hypercube_balance
 * @trigger: enum hypercube_trigger
 * @status: 0 or -errno
 * @cause_node: with a status: where the cause lies, or HC_CAUSE_NONE
 * @cause_dim: with a status: dimension, or HC_CAUSE_NONE
 * @members: nodes that took part
 * @moved: sum of tasks times links
 * @began: ns since the machine's start
 * @took: ns
 */
struct hc_round_record {
	u64 nr;
	u32 node;
	u32 method;
	u32 trigger;
	int status;
	u32 cause_node;
	u32 cause_dim;
	u32 members;
	u64 moved;
	u64 began;
	u64 took;
};

/* How many rounds there were. */
struct hc_rounds_stats {
	u64 done;
	u64 failed;
	u64 beaten;
	u64 moved;
};

/**
 * struct hc_rounds - rounds of a fabric
 * @method: enum hypercube_balance of rounds that nodes begin themselves, 0: none does;
 *	config writes
 * @threshold: a node with no more tasks begins one; the same
 * @period: ms from the end of a round to the next one, 0: none; the same
 * @topo: the topology, or NULL; written under hc_fabric.lock, read under RCU
 * @epoch: how many there were; under hc_fabric.lock
 * @lock: protects what follows
 * @stats: in numbers
 * @kept: how many records there were
 * @record: the last of them, number i at i % HYPERCUBE_ROUNDS_KEPT
 */
struct hc_rounds {
	u32 method;
	u32 threshold;
	u32 period;
	struct hc_round_topo __rcu *topo;
	u32 epoch;
	spinlock_t lock;
	struct hc_rounds_stats stats;
	u64 kept;
	struct hc_round_record record[HYPERCUBE_ROUNDS_KEPT];
};

void hc_rounds_init(struct hc_rounds *rounds);

/* --- config, under hc_fabric.lock --- */
/* Nodes can take part in rounds from now on: 0, -ENOMEM or -ENOBUFS.  -EOPNOTSUPP in a fabric of
 * which a part is elsewhere: rounds would wait for the nodes there.
 */
int hc_rounds_open(struct hc_fabric *fabric, struct netlink_ext_ack *extack);
/* @method, @threshold, @period or the fabric's patience have changed. */
void hc_rounds_set(struct hc_fabric *fabric);
/* Install a topology, made for the faults @fault, if the verifier accepts it, and @method (or 0)
 * can use it.
 */
int hc_rounds_topology(struct hc_fabric *fabric, u32 method, const struct hc_balance *b,
		       const u32 *fault, struct netlink_ext_ack *extack);
/* No poll runs any more. */
void hc_rounds_exit(struct hc_fabric *fabric);
/* The topology, or NULL; and its number. */
const struct hc_balance *hc_rounds_topology_get(const struct hc_fabric *fabric, u32 *epoch);
/* Does nobody wait for a round of another method there? */
bool hc_round_may_ask(const struct hc_node *node, u32 method);
/* Let @node begin a round as soon as it can.  Returns a number for hc_round_asked(), until
 * hc_round_told().
 */
u32 hc_round_ask(struct hc_node *node, u32 method);
/* How did it end?  -EAGAIN: it has not. */
int hc_round_asked(const struct hc_node *node, u32 nr, struct hc_round_record *record);
void hc_round_told(struct hc_node *node);
/* Is there a method of this number? */
bool hc_round_knows(u32 method);
/* Can it be used now, or does it need another topology?  0 or -errno. */
int hc_round_check(const struct hc_fabric *fabric, u32 method, struct netlink_ext_ack *extack);

/* --- the node --- */
/* Do what is due.  Poll. */
void hc_round_event(struct hc_node *node);
/* These links were unusable, perhaps for a moment.  Poll. */
void hc_round_cut(struct hc_node *node, u32 dims);
/* The other end of a link may have been unusable: say again what it is to know.  Poll. */
void hc_round_again(struct hc_node *node, unsigned int dim);
/* Handovers may be over.  Poll. */
void hc_round_moved(struct hc_node *node);
/* A ROUND frame; consumes.  Poll. */
void hc_round_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);
/* No poll runs any more: stop the timer. */
void hc_round_stop(struct hc_node *node);
void hc_round_free(struct hc_node *node);
/* So many tasks wait at the node now: is that too few?  Any context. */
bool hc_round_hungry(const struct hc_node *node, u32 queued);

#endif /* _HC_TASK_ROUND_H */
