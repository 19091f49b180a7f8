// SPDX-License-Identifier: GPL-2.0
/*
 * The resume decision of the repair coordinator: see ring_decision.h, and ring_resume.c for chunks.
 *
 * Did the members work in the same rings? Each member reports two attempts of a repair: the last
 * one in which data was sent, as far as it knows (ran), and the last one in which it got an
 * assignment (placed). If an attempt is in the reports of all members, as ran or as placed, they
 * resume from the rings of this common attempt. All of them were in these rings, because each had
 * an assignment in them. And none has sent or received data in other rings since then: suppose that
 * a member has sent or received data in the rings of a later attempt c. Then both attempts in its
 * report are c or later ones, so the common attempt is not in its report. If it had an assignment
 * in c but has neither sent nor received data in these rings, it has at most gone back to a chunk
 * that is not complete at all members, which has no effect (ring_resume.c). Conversely, suppose
 * that data was sent in the rings of c. Then all members of these rings had their assignments in c;
 * so c is in the reports of all of them that are connected now, or a later attempt is in all these
 * reports. A member whose report has neither was not in these rings. If it was in a separate
 * component of the plan, it may have worked on operations there; then no attempt is in all reports,
 * and all operations end.
 *
 * On which chunks do they work? Members of the same rings work on two consecutive chunks at most,
 * and a member that works on the second one can carry out the first one again. Any other
 * combination is the effect of a failure of which not all members were notified; then all
 * operations end. A Byzantine member can do no more harm than to end them.
 */
#include <linux/minmax.h>

#include <asm/byteorder.h>

#include "coll/ring/ring_decision.h"

static struct hc_decision_at at_read(const struct hc_wire_repair_at *w)
{
	return (struct hc_decision_at){ be64_to_cpu(w->nr), be64_to_cpu(w->offset) };
}

static bool same(const struct hc_decision_at *a, const struct hc_decision_at *b)
{
	return a->nr == b->nr && a->offset == b->offset;
}

/* Remove from @v->line those attempts that are neither @ran nor @placed of this answer. */
static void lines_take(struct hc_decision *v, u64 ran, u64 placed)
{
	u8 i, n = 0;

	if (!v->any) {
		v->line[0] = ran;
		v->line[1] = placed;
		v->nline = 2;
	}
	for (i = 0; i < v->nline; i++)
		if (v->line[i] == ran || v->line[i] == placed)
			v->line[n++] = v->line[i];
	v->nline = n;
}

/* Add to the decision the current chunk of a member, @at, and the chunk before it, @prev (NULL if
 * the member cannot go back to it). Return: false if they do not fit the answers that were added
 * before.
 */
static bool at_take(struct hc_decision *v, const struct hc_decision_at *at,
		    const struct hc_decision_at *prev)
{
	if (same(at, &v->low)) {
		v->back = v->back && prev && same(prev, &v->prev);
		return true;
	}
	if (prev && same(prev, &v->low)) {
		if (v->two)
			return same(at, &v->high);
		v->two = true;
		v->high = *at;
		return true;
	}
	/* This member may work on the chunk before that of all members whose answers were added
	 * before.
	 */
	if (v->two || !v->back || !same(at, &v->prev))
		return false;
	v->two = true;
	v->high = v->low;
	v->low = *at;
	return true;
}

void hc_decision_add(struct hc_decision *v, u8 flags, const struct hc_wire_repair_ops *w)
{
	struct hc_decision_at at = at_read(&w->at), prev = at_read(&w->prev);
	bool back = flags & HC_REPAIR_F_PREV;
	u64 fresh = be64_to_cpu(w->fresh);

	lines_take(v, be64_to_cpu(w->ran), be64_to_cpu(w->placed));
	if (!v->any) {
		v->any = true;
		v->low = at;
		v->prev = prev;
		v->back = back;
	} else if (!at_take(v, &at, back ? &prev : NULL)) {
		v->misfit = true;
	}
	/* The results of operations below .fresh belong to the members of the old rings. Limit the
	 * number of these operations, so that it does not grow with each repair.
	 */
	v->misfit |= flags & HC_REPAIR_F_UNFIT || fresh - at.nr > HC_DECISION_SENT_MAX;
	v->fresh = max(v->fresh, fresh);
}

void hc_decision_fill(const struct hc_decision *v, struct hc_wire_repair_ops *w)
{
	*w = (struct hc_wire_repair_ops){};
	w->ran = cpu_to_be64(v->line[0]);
	w->fresh = cpu_to_be64(v->fresh);
	w->at.nr = cpu_to_be64(v->low.nr);
	w->at.offset = cpu_to_be64(v->low.offset);
}
