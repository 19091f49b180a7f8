// SPDX-License-Identifier: GPL-2.0
/*
 * The repair coordinator's resume decision: see ring_decision.h, and ring_resume.c for chunks.
 *
 * Did the members work in the same rings? Each reports two attempts: the last one in which data was
 * sent, as far as it knows (ran), and the last one in which it got an assignment (placed). If all
 * members name a common attempt, as ran or as placed, they resume from the rings of that attempt.
 * All of them were in these rings, because each had an assignment there. And none has moved on in
 * other rings since: suppose a member has sent or received data in the rings of a later attempt c.
 * Then both attempts that it reports are c or later, so it does not name the common one. If it had
 * an assignment in c but neither sent nor received data there, then it has at most gone back to a
 * chunk that is not complete at all members, and that changes nothing (ring_resume.c). Conversely,
 * suppose that data was sent in the rings of c. Then all members of these rings had their
 * assignments in c, so those of them that are connected now all name c, or all name a later
 * attempt. A member that names neither was not in these rings. If it was in a separate component of
 * the plan, it has moved on there; then no attempt is common to all answers, and all operations
 * end.
 *
 * Which chunks do they work on? Members of the same rings work on two chunks at most, one after the
 * other, and a member that works on the second can carry out the first again. Any other combination
 * is caused by a failure of which not all members were notified, and then all operations end. A
 * Byzantine member can do no more harm than that.
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

/* Remove from @v->line the attempts that this answer does not name. */
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

/* Add a member's current chunk and the chunk before it (NULL: the member cannot go back) to the
 * decision. Return: false if they do not fit the answers so far.
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
	/* All members that answered before work on the next chunk. */
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
	/* Results of operations below .fresh refer to members of the old rings. The number of such
	 * operations is limited, so that it does not grow with each repair.
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
