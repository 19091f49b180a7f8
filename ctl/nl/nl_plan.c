// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to the kernel: install and remove plans.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nl_impl.h"
#include "plan.h"

static int put_members(struct nl_msg *msg, uint32_t n, const uint32_t *members)
{
	uint8_t bytes[hc_set_words(HC_LIB_DIM_MAX) * 4];
	uint32_t u;

	memset(bytes, 0, sizeof(bytes));
	for (u = 0; u < n; u++)
		if (hc_set_has(members, u))
			bytes[u / 8] |= 1 << (u % 8);
	return nla_put(msg, HYPERCUBE_A_PLAN_MEMBERS, (n + 7) / 8, bytes);
}

static int put_order(struct nl_msg *msg, const uint8_t *order, unsigned int stages)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; i < stages; i++)
		rc |= nla_put_u32(msg, HYPERCUBE_A_PLAN_ORDER, order[i]);
	return rc;
}

static int put_rings(struct nl_msg *msg, const struct hc_ring_tree *t)
{
	struct hypercube_ring *rings = calloc(t->nrings, sizeof(*rings));
	uint32_t i;
	int rc;

	if (!rings)
		return -1;
	for (i = 0; i < t->nrings; i++)
		rings[i] = (struct hypercube_ring){
			.size = t->ring[i].size, .level = t->ring[i].level,
			.parent = t->ring[i].parent,
		};
	rc = nla_put(msg, HYPERCUBE_A_PLAN_RINGS, t->nrings * sizeof(*rings), rings);
	rc |= nla_put(msg, HYPERCUBE_A_PLAN_RING_NODES, t->nnodes * sizeof(*t->node), t->node);
	free(rings);
	return rc;
}

static struct nl_msg *plan_request(struct hcctl *h, int cmd, const char *fabric, uint32_t id)
{
	return nl_part_request(h, cmd, HYPERCUBE_A_PLAN_FABRIC, fabric, HYPERCUBE_A_PLAN_ID, id);
}

static int put_shape(struct nl_msg *msg, const struct nl_shape *s, uint32_t nodes)
{
	unsigned int i;
	int rc;

	rc = s->root_attr ? nla_put_u32(msg, s->root_attr, s->root) : 0;
	if (s->rings)
		rc |= put_rings(msg, s->rings);
	if (s->repair)
		rc |= nla_put_flag(msg, HYPERCUBE_A_PLAN_REPAIR);
	rc |= put_order(msg, s->order, s->stages);
	if (s->sequence)
		rc |= nla_put(msg, s->sequence_attr ?: HYPERCUBE_A_PLAN_SEQUENCE, s->steps,
			      s->sequence);
	if (s->members)
		rc |= put_members(msg, nodes, s->members);
	for (i = 0; i < s->ndetours; i++)
		rc |= nla_put_u32(msg, HYPERCUBE_A_PLAN_DETOUR,
				  s->detours[i].from << 16 | s->detours[i].to);
	return rc;
}

static int put_guard(struct nl_msg *msg, const struct nl_shape *s)
{
	int rc = 0;

	if (s->guard)
		rc |= nla_put_u32(msg, HYPERCUBE_A_PLAN_GUARD, s->guard);
	if (s->guard && s->recipe && *s->recipe)
		rc |= nla_put_string(msg, HYPERCUBE_A_PLAN_GUARD_RECIPE, s->recipe);
	if (s->guard && s->guard_uid)
		rc |= nla_put_u32(msg, HYPERCUBE_A_PLAN_GUARD_UID, *s->guard_uid);
	if (s->prev)
		rc |= nla_put_u32(msg, HYPERCUBE_A_PLAN_PREV, s->prev);
	return rc;
}

/* Return: true if the error is temporary: the faults have changed since the plan was made, or other
 * machines are busy with another request.
 */
static bool for_now(int err)
{
	return err == -ESTALE || err == -EBUSY;
}

int nl_plan_add(struct hcctl *h, const char *fabric, uint32_t id, uint32_t type,
		const struct nl_shape *s, uint32_t nodes, const uint32_t *fault,
		bool may_fail)
{
	struct nl_msg *msg = plan_request(h, HYPERCUBE_CMD_PLAN_NEW, fabric, id);
	int rc;

	if (!msg)
		return -EIO;
	rc = nla_put_u32(msg, HYPERCUBE_A_PLAN_TYPE, type);
	rc |= put_shape(msg, s, nodes);
	if (s->local)
		rc |= nla_put_flag(msg, HYPERCUBE_A_PLAN_LOCAL);
	if (s->epoch)
		rc |= nla_put_u32(msg, HYPERCUBE_A_PLAN_EPOCH, s->epoch);
	rc |= put_guard(msg, s);
	rc |= nla_put(msg, HYPERCUBE_A_PLAN_FAULT, nodes * sizeof(*fault), fault);
	if (!rc)
		return nl_talk_but(h, msg, NULL, NULL, may_fail ? for_now : NULL);
	nlmsg_free(msg);
	hc_error(h, "the plan is too large for one message");
	return -E2BIG;
}

static int plan_del(struct hcctl *h, const char *fabric, uint32_t id, bool local, bool may_fail)
{
	struct nl_msg *msg = plan_request(h, HYPERCUBE_CMD_PLAN_DEL, fabric, id);

	if (msg && local)
		nla_put_flag(msg, HYPERCUBE_A_PLAN_LOCAL);
	return msg ? nl_talk_but(h, msg, NULL, NULL, may_fail ? for_now : NULL) : -EIO;
}

int nl_plan_del(struct hcctl *h, const char *fabric, uint32_t id, bool local)
{
	int rc = -EBUSY, try;

	for (try = 0; rc == -EBUSY && try < NL_TRIES; try++) {
		if (try)
			nl_pause(try);
		rc = plan_del(h, fabric, id, local, try < NL_TRIES - 1);
	}
	return rc;
}

int nl_plan_guard_uid(struct hcctl *h, const char *fabric, uint32_t id, uint32_t uid)
{
	struct nl_msg *msg = plan_request(h, HYPERCUBE_CMD_PLAN_SET, fabric, id);

	if (msg)
		nla_put_u32(msg, HYPERCUBE_A_PLAN_GUARD_UID, uid);
	return msg ? nl_talk_but(h, msg, NULL, NULL, NULL) : -EIO;
}
