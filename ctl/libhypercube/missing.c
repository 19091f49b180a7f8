// SPDX-License-Identifier: GPL-2.0
/*
 * Missing members: what an operation that makes no progress waits for. A process knows only whether
 * its own node has contributed. From the kernel, by netlink, it gets the number of each member's
 * next contribution, and what each member waits for.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "nl/nl.h"

/* Maximum number of members in a chain of waits. */
#define FOLLOWED 64

/**
 * struct look - the search for what an operation waits for
 * @ctl: context for netlink
 * @said: the latest error message of @ctl
 * @fabric: name of the fabric
 * @op: the operation
 * @node: the node of the handle
 * @nr: number of the operation
 * @root: if @alone, the node that contributes; otherwise the root, for which members wait after
 *	they have sent everything; NL_NONE: unknown
 * @alone: only @root contributes
 */
struct look {
	struct hcctl ctl;
	char said[HCL_SAID];
	char fabric[HYPERCUBE_NAME_MAX + 1];
	const struct hcl_op *op;
	uint32_t node;
	uint64_t nr;
	uint32_t root;
	bool alone;
};

/* Store an error message in look.said. */
static void keep(struct hcctl *ctl, const char *kind, const char *text)
{
	struct look *l = (struct look *)ctl;

	(void)kind;
	snprintf(l->said, sizeof(l->said), "%s", text);
}

static void look_begin(struct look *l, const struct hcl *h, const struct hcl_op *op)
{
	_Static_assert(!offsetof(struct look, ctl), "keep() finds it there");
	*l = (struct look){
		.ctl.complain = keep, .op = op, .node = h->addr.shc_node, .root = NL_NONE,
	};
	memcpy(l->fabric, h->addr.shc_fabric, sizeof(h->addr.shc_fabric));
}

/* Get the plan's root: the sink of a tree, or the source of a broadcast. */
static int root_find(struct look *l)
{
	struct nl_plan plan;
	int err = nl_plan(&l->ctl, l->fabric, l->op->p.plan, &plan);

	if (err)
		return err;
	if (plan.type == HYPERCUBE_PLAN_TREE || plan.type == HYPERCUBE_PLAN_SPAN)
		l->root = plan.sink;
	else if (plan.type == HYPERCUBE_PLAN_BCAST)
		l->root = plan.source;
	nl_plan_clear(&plan);
	return 0;
}

/* Return: the kernel's number of operation @op. The kernel numbers the contributions to a plan, or
 * the messages that arrive on it, in the order in which the program posts the operations. @next is
 * the number of this node's next operation.
 */
static uint64_t number_of(const struct hcl *h, const struct hcl_op *op, uint64_t next)
{
	const bool listens = hcli_listens(op);
	const struct hcl_op *before;

	if (op->begun)
		return next - (op->port->begun - op->place);
	for (before = h->head; before != op; before = before->next)
		next += before->p.plan == op->p.plan && hcli_listens(before) == listens &&
			!before->begun && !before->done;
	return next;
}

/* Set the number of the operation, and which nodes contribute to it. @me is what the kernel reports
 * of this node. Return: 0 or -errno.
 */
static int look_at(struct look *l, const struct hcl *h, const struct nl_op *me)
{
	l->nr = number_of(h, l->op, me->next);
	l->alone = hcli_unasked(l->op->p.collective);
	if (l->alone && hcli_listens(l->op))
		return root_find(l);
	if (l->alone)
		l->root = l->node;
	return 0;
}

/* Return: true if the member of @row has to contribute to the operation and has not. */
static bool is_missing(const struct look *l, const struct nl_op *row)
{
	return row->next <= l->nr && (!l->alone || row->node == l->root);
}

/* ---------------------------------------------------------------- missing members */

/* Return: the entry of @node in @v, the kernel's report of all members, or NULL. */
static const struct nl_op *row_of(const struct nl_op *v, size_t n, uint32_t node)
{
	size_t i = 0;

	while (i < n && v[i].node != node)
		i++;
	return i < n ? &v[i] : NULL;
}

static long list_missing(struct look *l, const struct hcl *h, uint32_t *nodes, size_t max)
{
	const struct nl_op *me;
	struct nl_op *v;
	size_t n, i, found = 0;
	long err = nl_plan_ops(&l->ctl, l->fabric, l->op->p.plan, NL_NONE, &v, &n);

	if (err)
		return err == -ENOENT ? -ENODEV : err;
	me = row_of(v, n, l->node);
	err = me ? look_at(l, h, me) : n ? -ENOTCONN : -ENOENT;
	for (i = 0; i < n && !err; i++) {
		if (!is_missing(l, &v[i]))
			continue;
		if (found < max)
			nodes[found] = v[i].node;
		found++;
	}
	free(v);
	return err ? err : (long)found;
}

int hcl_pending_members(struct hcl *h, uint64_t id, uint32_t *nodes, size_t max)
{
	const struct hcl_op *op = hcli_op_find(h, id);
	struct look l;
	long r;

	if (!id || id >= h->next_id)
		return hcli_refuse(h, NULL, -EINVAL, "no operation has number %" PRIu64, id);
	/* Receive pending data first, so that a result that has already arrived does not count as
	 * outstanding.
	 */
	if (op && !h->dead) {
		hcli_port_drain(h, op->port);
		op = hcli_op_find(h, id);
	}
	if (!op || op->done) {
		const struct hcl_lacks *lacks = hcli_lacks_find(h, id);

		if (lacks && !lacks->set)
			return hcli_failed(h, NULL, id, -ENOMEM);
		return lacks ? hcli_lacks_list(lacks, false, nodes, max) : 0;
	}
	look_begin(&l, h, op);
	r = list_missing(&l, h, nodes, max);
	nl_leave(&l.ctl);
	if (r >= 0)
		return r;
	hcli_failed(h, &op->p, id, r);
	if (*l.said)
		hcli_say(h, "%s", l.said);
	return r;
}

/* ---------------------------------------------------------------- the cause of a wait */

/* Get from the kernel what member @node waits for. Return: false if the kernel does not know. */
static bool row_get(struct look *l, uint32_t node, struct nl_op *row)
{
	struct nl_op *v;
	size_t n;

	if (nl_plan_ops(&l->ctl, l->fabric, l->op->p.plan, node, &v, &n))
		return false;
	if (n)
		*row = *v;
	free(v);
	return n;
}

static bool waits_for_peer(const struct nl_op *row)
{
	return row->wait == HYPERCUBE_WAIT_PEER || row->wait == HYPERCUBE_WAIT_CREDIT;
}

/* Report @node as the cause of the wait. @what: what it does not do. */
static void blame_node(struct hcl *h, uint32_t node, const char *what)
{
	h->why.res.cause_node = node;
	hcli_say(h, "nothing moved within %u ms: node %" PRIu32 " %s", h->timeout, node, what);
}

/* Report the links between two nodes as the cause: node @to waits for data that node @from has
 * sent.
 */
static void blame_way(struct hcl *h, uint32_t to, uint32_t from)
{
	const uint32_t apart = to ^ from;

	if (apart & (apart - 1)) {
		h->why.res.cause_node = from;
		hcli_say(h, "nothing moved within %u ms: node %" PRIu32 " gets nothing from node %"
			 PRIu32, h->timeout, to, from);
		return;
	}
	h->why.res.cause_node = to;
	h->why.res.cause_dim = __builtin_ctz(apart);
	hcli_say(h, "nothing moved within %u ms: link %" PRIu32 ":%" PRIu32 " is silent",
		 h->timeout, to, h->why.res.cause_dim);
}

/* Report the member of @row if it is the cause: it does not receive, or it has not contributed.
 * Return: true if it was reported.
 */
static bool at_fault(struct hcl *h, const struct look *l, const struct nl_op *row)
{
	if (row->wait == HYPERCUBE_WAIT_READER)
		blame_node(h, row->node, "does not receive");
	else if (is_missing(l, row) || (row->wait == HYPERCUBE_WAIT_OWN && row->nr <= l->nr))
		blame_node(h, row->node, l->alone ? "has not sent" : "has not contributed");
	else
		return false;
	return true;
}

/* Return: the root, for which members wait after they have forwarded everything; NL_NONE if it is
 * unknown, or is the member of @row itself.
 */
static uint32_t behind_all(struct look *l, const struct nl_op *row)
{
	if (l->root == NL_NONE && root_find(l))
		return NL_NONE;
	return l->root == row->node ? NL_NONE : l->root;
}

/* Follow the chain of waits, from each member to the one that it waits for. Report the cause, which
 * is at the end of the chain.
 */
static void follow(struct hcl *h, struct look *l, struct nl_op row)
{
	unsigned int i;

	for (i = 0; i < FOLLOWED; i++) {
		const struct nl_op from = row;
		/* A member that works on a later operation has forwarded all of this one. */
		const bool peer = waits_for_peer(&from) && from.nr <= l->nr;
		const uint32_t next = peer ? from.peer : behind_all(l, &from);

		if (next == NL_NONE || !row_get(l, next, &row) || at_fault(h, l, &row))
			return;
		/* The peer does not wait for a member, or it waits for @from. So the links between
		 * these two members are the cause.
		 */
		if (peer && (!waits_for_peer(&row) || row.nr > from.nr || row.peer == from.node)) {
			blame_way(h, from.node, next);
			return;
		}
	}
}

void hcli_seek(struct hcl *h, const struct hcl_op *op)
{
	struct nl_op me;
	struct look l;

	hcli_say(h, "nothing moved within %u ms", h->timeout);
	look_begin(&l, h, op);
	if (row_get(&l, l.node, &me) && !look_at(&l, h, &me)) {
		const uint64_t nr = l.nr;

		/* An older operation that makes no progress delays this one, so follow the older
		 * one first.
		 */
		if (me.done < nr)
			l.nr = me.done;
		follow(h, &l, me);
		l.nr = nr;
		if (me.done < nr && h->why.res.cause_node == UINT32_MAX)
			follow(h, &l, me);
	}
	nl_leave(&l.ctl);
}
