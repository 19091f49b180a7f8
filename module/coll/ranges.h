/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The numbers that have failed: for who notes them.
 */
#ifndef _HC_COLL_RANGES_H
#define _HC_COLL_RANGES_H

#include <linux/types.h>

struct hc_abort;
struct hc_member;

/* Ranges grow with each failure of members that do not hear of each other, and failures in a row
 * are one range.  Words name no more of it: nobody is so far behind.
 */
#define HC_ABORT_SPAN_MAX	(1ULL << 20)

/* Is all of it part of a failed range that is noted? */
bool hc_range_noted(const struct hc_member *m, u64 from, u64 to);
/* The first number that fails now: an ABORT names a range to which new ones were added. */
u64 hc_range_first_new(const struct hc_member *m, const struct hc_abort *abort);
/* Makes @abort, which ends at @to, @m->abort, or part of that.  Where it is before a gap,
 * hc_range_before() follows.
 */
void hc_range_set(struct hc_member *m, const struct hc_abort *abort, u64 to);
/* Makes @m->abort the range before @upper, and that @m->abort again; @seen_by was its. */
void hc_range_before(struct hc_member *m, const struct hc_abort *upper, u64 seen_by);
/* How many numbers, and from where on, has the last failed range of which some are below @nr? */
u32 hc_failed_below(const struct hc_member *m, u64 nr, u64 *from);

#endif /* _HC_COLL_RANGES_H */
