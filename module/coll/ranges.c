// SPDX-License-Identifier: GPL-2.0
/*
 * The numbers that have failed, as a member notes them: the range with the highest ones
 * (hc_member.abort, .abort_to), and the one before it (.passed).  Why two, and what tells old from
 * new: coll/abort.c.
 */
#include <linux/minmax.h>

#include "coll/coll.h"
#include "coll/ranges.h"

bool hc_ended(const struct hc_member *m, u64 nr)
{
	return m->abort_to && nr >= m->abort.from && nr < m->abort_to;
}

void hc_numbers_skip(struct hc_member *m)
{
	if (hc_ended(m, m->next))
		WRITE_ONCE(m->next, m->abort_to);
	if (hc_ended(m, m->head))
		m->head = m->abort_to;
	if (hc_ended(m, m->done))
		WRITE_ONCE(m->done, m->abort_to);
}

/* How many of [*from, to) a word names: the last ones. */
static u32 range_cut(u64 *from, u64 to)
{
	*from = max(*from, to - min(to, HC_ABORT_SPAN_MAX));
	return to - *from;
}

u32 hc_failed_below(const struct hc_member *m, u64 nr, u64 *from)
{
	u64 to = m->abort_to;

	*from = m->abort.from;
	if (!to || nr <= *from) {
		*from = m->passed.from;
		to = m->passed.to;
	}
	/* @abort is not that of a range once the plan is broken. */
	return nr <= *from || m->broken ? 0 : range_cut(from, to);
}

void hc_range_set(struct hc_member *m, const struct hc_abort *abort, u64 to)
{
	bool behind = m->abort_to && abort->from > m->abort_to;
	bool apart = !m->abort_to || behind || to < m->abort.from;
	u64 from = apart ? abort->from : min(m->abort.from, abort->from);

	if (behind) {
		m->passed = m->abort;
		m->passed_seen_by = m->seen_by;
	}
	m->seen_by = hc_sock_last_id();
	m->abort_to = apart ? to : max(m->abort_to, to);
	m->abort = *abort;
	m->abort.from = from;
	m->abort.to = m->abort_to;
	/* The root has said nothing of the rest of the range. */
	if (to < m->abort_to)
		m->abort.flags &= ~HC_ABORT_F_FINAL;
	/* It may have grown down to the one before. */
	if (m->passed.from != m->passed.to && from <= m->passed.to && to > m->passed.to) {
		m->abort.from = min(from, m->passed.from);
		m->passed.from = m->passed.to;
	}
}

void hc_range_before(struct hc_member *m, const struct hc_abort *upper, u64 seen_by)
{
	bool touches = m->abort.from <= m->passed.to && m->abort_to >= m->passed.from;

	if (m->abort_to >= m->passed.to || m->passed.from == m->passed.to) {
		u64 from = touches ? min(m->abort.from, m->passed.from) : m->abort.from;

		m->passed = m->abort;
		m->passed.from = from;
		m->passed_seen_by = m->seen_by;
	} else if (touches) {
		m->passed.from = min(m->abort.from, m->passed.from);
	}
	m->abort = *upper;
	m->abort_to = upper->to;
	m->seen_by = seen_by;
}

bool hc_range_noted(const struct hc_member *m, u64 from, u64 to)
{
	return (m->abort_to && from >= m->abort.from && to <= m->abort_to) ||
	       (from >= m->passed.from && to <= m->passed.to);
}

u64 hc_range_first_new(const struct hc_member *m, const struct hc_abort *abort)
{
	u64 from = abort->from;

	if (m->abort_to && from >= m->abort.from && from <= m->abort_to)
		return m->abort_to;
	if (from >= m->passed.from && from <= m->passed.to && m->passed.from != m->passed.to)
		return m->passed.to;
	return from;
}
