// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl guard: which nodes the next epoch of a plan leaves out.
 */
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>
#include <linux/capability.h>
#include <sys/syscall.h>

#include "guard.h"

static bool has_node(const struct node_list *l, uint32_t node)
{
	size_t i = 0;

	while (i < l->n && l->v[i] != node)
		i++;
	return i < l->n;
}

static int add_node(struct hcctl *own, struct node_list *l, uint32_t node)
{
	uint32_t *v = reallocarray(l->v, l->n + 1, sizeof(*v));

	if (!v)
		return hc_nomem(own);
	l->v = v;
	l->v[l->n++] = node;
	return 0;
}

static bool was_member(const struct nl_plan *old, uint32_t node)
{
	return node < 32 * old->member_words && hc_set_has(old->members, node);
}

/* Whether a node on another machine has a process is not known here. Once the plan has broken
 * because it had none, the node is left out for this time, ns.
 */
#define ABSENT_NS	UINT64_C(10000000000)

void guard_absent_free(struct guard_absent *a)
{
	free(a->nodes.v);
	free(a->since);
}

/* Record that @node had no process when the plan broke. */
static int absent_add(struct hcctl *own, struct guard_absent *a, uint32_t node)
{
	uint64_t *since, now = guard_now_ns();
	size_t i = 0;

	while (i < a->nodes.n && a->nodes.v[i] != node)
		i++;
	if (i == a->nodes.n) {
		since = reallocarray(a->since, i + 1, sizeof(*since));
		if (!since)
			return hc_nomem(own);
		a->since = since;
		if (add_node(own, &a->nodes, node))
			return -ENOMEM;
	}
	a->since[i] = now;
	/* The plan breaks for one node at a time. So nodes for which it has just broken are left
	 * out until the last of them has been found.
	 */
	while (i--)
		if (now - a->since[i] < ABSENT_NS)
			a->since[i] = now;
	return 0;
}

/* May the node have a process? */
static bool may_serve(const struct guard_absent *a, const struct nl_node *v)
{
	size_t i;

	if (!v->remote)
		return v->bound;
	for (i = 0; i < a->nodes.n; i++)
		if (a->nodes.v[i] == v->id && guard_now_ns() - a->since[i] < ABSENT_NS)
			return false;
	return true;
}

/* Add to @l the nodes that have no process and are not members of the old plan. If they became
 * members, the others would wait for them.
 */
static int leave_out_empty(struct hcctl *own, const char *fabric, const struct nl_plan *old,
			   const struct guard_absent *absent, struct node_list *l)
{
	struct nl_node *v;
	bool any = false;
	size_t n, i;
	int rc = nl_nodes(own, fabric, &v, &n);

	if (rc)
		return rc;
	for (i = 0; i < n; i++)
		any |= may_serve(absent, &v[i]) && was_member(old, v[i].id);
	/* If no member of the old plan has a process, no process would wait, so no node is left
	 * out.
	 */
	for (i = 0; i < n && any && !rc; i++)
		if (!may_serve(absent, &v[i]) && !was_member(old, v[i].id) && !has_node(l, v[i].id))
			rc = add_node(own, l, v[i].id);
	free(v);
	return rc;
}

bool guard_is_admin(void)
{
	struct __user_cap_header_struct head = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct caps[_LINUX_CAPABILITY_U32S_3] = {};

	return !syscall(SYS_capget, &head, caps) &&
	       caps[CAP_TO_INDEX(CAP_NET_ADMIN)].effective & CAP_TO_MASK(CAP_NET_ADMIN);
}

bool guard_is_given(const struct nl_plan *old)
{
	return old->guard_uid == geteuid() && !guard_is_admin();
}

/* Add to @l the nodes that the plan's guard_uid may not make members. The kernel refuses a plan of
 * this user that has such members.
 */
static int leave_out_ungranted(struct hcctl *own, uint32_t nodes, const struct nl_plan *old,
			       struct node_list *l)
{
	uint32_t u;
	int rc = 0;

	if (!old->grant || !guard_is_given(old))
		return 0;
	for (u = 0; u < nodes && !rc; u++)
		if (u >= 32 * old->grant_words || !hc_set_has(old->grant, u))
			rc = has_node(l, u) ? 0 : add_node(own, l, u);
	return rc;
}

int guard_without(struct hcctl *own, const char *fabric, uint32_t nodes, const struct nl_plan *old,
		  struct guard_absent *absent, struct node_list *l)
{
	bool left = old->broken && old->cause_status == ECONNRESET;
	int rc = 0;

	if (left && old->cause_node < nodes && !has_node(l, old->cause_node))
		rc = add_node(own, l, old->cause_node) ?: absent_add(own, absent, old->cause_node);
	return rc ?: leave_out_empty(own, fabric, old, absent, l) ?:
		     leave_out_ungranted(own, nodes, old, l);
}
