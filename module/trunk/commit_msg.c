// SPDX-License-Identifier: GPL-2.0
/*
 * Messages of requests to all machines: refusals, and the notes (struct hc_trunk_note) that carry
 * questions and answers over trunks.
 *
 * Machines may have different numbers for the same error, so an error is sent as its index in a
 * table. In a received sentence all characters that are not printable are replaced.
 */
#include <linux/ctype.h>
#include <linux/slab.h>

#include "trunk/plan_wire.h"
#include "fabric/fabric.h"
#include "hc_topo.h"
#include "trunk/commit_impl.h"
#include "trunk/trunk.h"

/* ------------------------------------------------------------ refusals */

/* The last entry stands for all errors that are not in the table. */
static const int errors[] = {
	0, -EINVAL, -ENOMEM, -EBUSY, -ESTALE, -ERANGE, -EDQUOT, -EHOSTUNREACH, -ETIMEDOUT,
	-EOPNOTSUPP, -EPERM, -ECANCELED, -EREMOTEIO,
};

/* Return: the index of @error in the table, or the last index if it is not in the table. */
static u8 error_index(int error)
{
	unsigned int i = 0;

	while (i < ARRAY_SIZE(errors) - 1 && errors[i] != error)
		i++;
	return i;
}

int hc_commit_error(u8 index)
{
	return errors[min_t(u8, index, ARRAY_SIZE(errors) - 1)];
}

void hc_commit_refuse(struct hc_commit_refusal *v, int error, u32 fixed, u32 base,
		      const char *why)
{
	char *c;

	if (v->error)
		return;
	v->error = error;
	v->fixed = fixed;
	v->base = base;
	strscpy(v->why, why ?: "no reason is told", sizeof(v->why));
	for (c = v->why; *c; c++)
		if (!isascii(*c) || !isprint(*c))
			*c = '?';
}

void hc_commit_refuse_here(const struct hc_fabric *fabric, struct hc_commit_refusal *v, int error,
			   const char *why)
{
	if (!why && error == -ENOMEM)
		why = "there is no memory for it";
	hc_commit_refuse(v, error, fabric->fixed, fabric->base, why);
}

void hc_commit_refuse_remote(const struct hc_trunk *trunk, struct hc_commit_refusal *v, int error,
			     const char *why)
{
	hc_commit_refuse(v, error, trunk->fixed, trunk->base, why);
}

/* ------------------------------------------------------------ notes */

u32 hc_commit_answer_len(const struct hc_fabric *fabric, u8 step)
{
	return sizeof(struct hc_wire_answer) +
	       (step == HC_COMMIT_PREPARE ? hc_topo_words(&fabric->topo) * sizeof(__be32) : 0);
}

bool hc_commit_is_valid(const struct hc_fabric *fabric, u8 what, u32 len)
{
	if (what == HC_RECORD_ASK)
		return len >= sizeof(struct hc_wire_ask) && len <= HC_TRUNK_NOTE_MAX &&
		       len <= sizeof(struct hc_wire_ask) + hc_plan_wire_max(fabric);
	return len == hc_commit_answer_len(fabric, HC_COMMIT_PREPARE) ||
	       len == hc_commit_answer_len(fabric, HC_COMMIT_SWITCH);
}

void hc_commit_answer(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step,
		      const struct hc_commit_refusal *v, const u32 *nodes, u32 last)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_trunk_note *note = hc_trunk_note_new(fabric, HC_RECORD_ANSWER,
						       hc_commit_answer_len(fabric, step));
	struct hc_wire_answer *w;

	BUILD_BUG_ON(sizeof(*w) + HC_NODES_MAX / 8 > HC_TRUNK_NOTE_SMALL);
	w = (struct hc_wire_answer *)note->data;
	w->nr = cpu_to_be32(id->nr);
	w->origin = cpu_to_be16(id->origin);
	w->step = step;
	w->error = error_index(v->error);
	w->epoch = cpu_to_be32(last);
	w->fixed = cpu_to_be16(v->fixed);
	w->base = cpu_to_be16(v->base);
	memcpy(w->why, v->why, sizeof(w->why));
	if (nodes && step == HC_COMMIT_PREPARE)
		cpu_to_be32_array((__be32 *)(w + 1), nodes, hc_topo_words(&fabric->topo));
	hc_trunk_note_say(trunk, note);
	hc_trunk_note_put(note);
}

void hc_commit_answer_again(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step)
{
	static const struct hc_commit_refusal none;

	hc_commit_answer(trunk, id, step, &none, NULL, 0);
}

void hc_commit_answer_no(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step, int error,
			 const char *why)
{
	struct hc_commit_refusal v = {};

	hc_commit_refuse_here(trunk->fabric, &v, error, why);
	hc_commit_answer(trunk, id, step, &v, NULL, 0);
}

struct hc_trunk_note *hc_commit_ask_new(const struct hc_fabric *fabric, u8 step, u32 left, u32 hops,
					u32 more)
{
	const struct hc_commit *c = fabric->commit;
	struct hc_trunk_note *note;

	note = hc_trunk_note_new(fabric, HC_RECORD_ASK, sizeof(struct hc_wire_ask) + more);
	if (note)
		*(struct hc_wire_ask *)note->data = (struct hc_wire_ask){
			.nr = cpu_to_be32(c->id.nr), .origin = cpu_to_be16(c->id.origin),
			.step = step, .what = c->what, .plan = cpu_to_be32(c->plan_id),
			.epoch = cpu_to_be32(c->epoch), .left = cpu_to_be32(left),
			.hops = cpu_to_be16(hops),
			.lost = cpu_to_be16(step == HC_COMMIT_BREAK ? c->refusal.base : 0),
		};
	return note;
}
