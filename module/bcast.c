// SPDX-License-Identifier: GPL-2.0
/*
 * Broadcast plans: their members, and who knows when that all have the message.
 *
 * The sends of a sequence of dimensions that bring news make a tree (hc_bcast.h):
 * each member gets the message once, from the node above it.  The edges carry
 * segments down (down.c), and in the other direction the acknowledgements: a
 * member has received operation k together with all below it when its process's
 * queue has all of it and all sources say the same of theirs; then it tells the
 * node above (DONE), at once if the source of the broadcast wants to know, else
 * now and then, for the window of operations must move on.
 */
#include <linux/netlink.h>
#include <linux/slab.h>

#include "coll.h"
#include "netlink.h"

/* ------------------------------------------------------------ members */

static void role_convert(const struct hc_bcast *b, u32 u, const struct hc_bcast_role *from,
			 struct hc_tree_role *role, struct hc_tree_peer *src)
{
	unsigned int i;

	memset(role, 0, sizeof(*role));
	if (u != b->source) {
		role->ndst = 1;
		role->dst[0] = (struct hc_tree_peer){
			.node = hc_neigh(u, from->from),
			.dim = from->from,
			.how = HC_TREE_DIRECT,
			.parts = 1,
		};
	}
	role->nsrc = from->nto;
	for (i = 0; i < from->nto; i++)
		src[i] = (struct hc_tree_peer){
			.node = hc_neigh(u, from->to[i].dim),
			.dim = from->to[i].dim,
			.how = HC_TREE_DIRECT,
		};
}

static int bcast_member_create(struct hc_plan *plan, u32 u, const u16 *first)
{
	struct hc_tree_peer src[HYPERCUBE_DIM_MAX];
	struct hc_bcast_role from;
	struct hc_tree_role role;
	struct hc_member *m;
	unsigned int i;
	int err;

	err = hc_bcast_role(&plan->bcast, first, u, &from);
	if (err)
		return err;
	role_convert(&plan->bcast, u, &from, &role, src);
	err = hc_member_create(plan, u, &role, src);
	if (err)
		return err;
	m = plan->member[u];
	m->turn = from.first;
	for (i = 0; i < role.nsrc; i++)
		m->turns[i] = from.to[i].step + 1;
	return 0;
}

int hc_bcast_members_create(struct hc_plan *plan, const u32 *fault,
			    struct netlink_ext_ack *extack)
{
	struct hc_bcast_flaw flaw = {
		.why = "the plan is not valid",
		.node = HC_BCAST_NO_NODE,
	};
	u32 nodes = hc_nodes(plan->fabric->dim);
	u16 *first = kvmalloc_array(nodes, sizeof(*first), GFP_KERNEL);
	int err;
	u32 u;

	if (!first)
		return -ENOMEM;
	err = hc_bcast_check(&plan->bcast, fault, first, &flaw);
	if (err)
		hc_plan_flaw(extack, flaw.why, flaw.node);
	for (u = 0; !err && u < nodes; u++)
		if (hc_set_has(plan->members, u))
			err = bcast_member_create(plan, u, first);
	kvfree(first);
	return err;
}

/* ------------------------------------------------------------ who has received */

static void done_up(struct hc_member *m, u64 time, u32 clock)
{
	struct hc_done d = {
		.nr = m->done,
		.time = time,
		.clock = clock,
		.steps = m->turn,
	};

	if (hc_done_xmit(m, &m->role.dst[0], &d))
		m->told = m->done;
}

void hc_bcast_done_tell(struct hc_member *m)
{
	done_up(m, 0, 0);
}

/* All below have the operation.  Return: somebody wants to know that. */
static bool op_received(struct hc_member *m, struct hc_op *op, u64 *time, u32 *clock)
{
	bool notify = op->notify;

	*time = max(*time, op->time);
	*clock = op->clock;
	if (hc_member_is_root(m)) {
		struct hc_op_event ev = {
			.node = m->node->id,
			.nr = op->nr,
			.steps = m->turn,
			.time = op->time,
		};

		hc_notify_op(m->plan, &ev);
		hc_op_complete(m, op, m->turn, op->clock, op->time);
	} else {
		hc_op_drop(m, op, 0);
	}
	return notify;
}

void hc_bcast_review(struct hc_member *m)
{
	bool notify = false;
	u64 k = m->head;
	u32 clock = 0;
	u64 time = 0;
	unsigned int i;
	u64 nr;

	for (i = 0; i < m->role.nsrc; i++)
		k = min(k, m->peer_done[i]);
	if (k <= m->done)
		return;
	for (nr = m->done; nr < k; nr++) {
		struct hc_op *op = hc_member_op(m, nr);

		if (op && op->nr == nr)
			notify |= op_received(m, op, &time, &clock);
	}
	WRITE_ONCE(m->done, k);
	hc_numbers_skip(m);
	/* After a failure the source waits for this to go on with the next number. */
	if (m->role.ndst && (notify || m->done - m->told >= HC_DONE_BATCH || hc_ended(m, k)))
		done_up(m, time, clock);
}

void hc_bcast_done_rx(struct hc_member *m, const struct hc_hdr *hdr)
{
	u64 k = be64_to_cpu(hdr->op);
	int i = hc_src_index(m, be16_to_cpu(hdr->src));
	struct hc_op *op;

	if (i < 0 || k <= m->peer_done[i] || k > m->head)
		return;
	m->peer_done[i] = k;
	m->turn = max_t(u32, m->turn, be64_to_cpu(hdr->offset));
	op = hc_member_op(m, k - 1);
	if (op && op->nr == k - 1) {
		op->time = max(op->time, be64_to_cpu(hdr->time));
		op->clock = max(op->clock, be32_to_cpu(hdr->step));
	}
	hc_bcast_review(m);
	hc_advance(m);
}

/* ------------------------------------------------------------ failure, close */

void hc_bcast_end_tell(struct hc_member *m, u64 nr)
{
	if (m->role.ndst)
		hc_status_end(m, NULL, hc_sock_record(), nr);
}

/* The source's complete messages go on without it.  Another member's process
 * ends what it has not received all of.
 */
void hc_bcast_close(struct hc_member *m)
{
	struct hc_op *op = hc_member_op(m, m->head);
	struct hc_end end = {
		.from = m->cur_open ? m->cur : m->head,
		.status = ECONNRESET,
		.node = m->node->id,
		.dim = HC_CAUSE_NONE,
	};
	bool quiet = m->role.ndst ? !op || op->nr != m->head : !m->cur_open;

	m->engaged = false;
	m->reset = false;
	m->left = true;
	if (!quiet && !m->broken)
		hc_coll_end_go_on(m, &end);
}
