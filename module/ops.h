/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What plans of one type do otherwise than others: the common code (plan.c, coll*.c) knows
 * members, numbers and frames, and asks these instead of the type.
 *
 * A plan type is a file that defines its struct hc_plan_ops, a line in ops.c and a row in
 * netlink_plan.c.
 */
#ifndef _HC_OPS_H
#define _HC_OPS_H

#include <linux/types.h>

struct hc_hdr;
struct hc_member;
struct hc_op;
struct hc_plan;
struct hc_plan_params;
struct netlink_ext_ack;

/* How a member learns which operations are done (DONE). */
enum hc_done_way {
	HC_DONE_DOWN,	/* its destinations tell, the root first */
	HC_DONE_UP,	/* its sources tell, the root is last */
	HC_DONE_ALONE,	/* nobody does: from its own work */
};

/**
 * struct hc_plan_ops - a plan type
 * @name: its name
 * @id: enum hypercube_plan_type
 * @copy: take over the shape from what netlink asks for; the plan has its members' set, which
 *	this may fill.  False: no memory.  Config
 * @members_create: verify the plan and make its members.  Config
 * @release: free what @copy allocated, as far as it did, or NULL.  Config
 * @done_way: who tells whom what is done
 * @results_follow: results come down behind what was handed over, see hc_results_advance()
 * @done_tell: tell what was kept to oneself, of a member that tells; NULL: nobody does
 * @done_rx: others have told; NULL: nobody does
 * @handed: the oldest operation was passed on as a whole, and .head has moved behind it; it
 *	may be forgotten
 * @idle: the operation at the head has not begun; NULL: there is nothing else to do
 */
struct hc_plan_ops {
	const char *name;
	u32 id;
	bool (*copy)(struct hc_plan *plan, const struct hc_plan_params *p);
	int (*members_create)(struct hc_plan *plan, const u32 *fault,
			      struct netlink_ext_ack *extack);
	void (*release)(struct hc_plan *plan);
	enum hc_done_way done_way;
	bool results_follow;
	void (*done_tell)(struct hc_member *m);
	void (*done_rx)(struct hc_member *m, const struct hc_hdr *hdr);
	void (*handed)(struct hc_member *m, struct hc_op *op);
	void (*idle)(struct hc_member *m);
};

extern const struct hc_plan_ops hc_plan_tree;
extern const struct hc_plan_ops hc_plan_bcast;
extern const struct hc_plan_ops hc_plan_doubling;

/* --- ops.c --- */
/* The plan type of that number, or NULL: there is none. */
const struct hc_plan_ops *hc_plan_type(u32 id);

#endif /* _HC_OPS_H */
