// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the nodes that may have falsified data in trees that reduced the same contributions.
 *
 * Only nodes that relay in some tree whose result differs can be in a smallest set, but any node
 * may be checked: a set explains the results if and only if all trees in which no node of the set
 * relays have the same result, at all of their receivers.
 */
#include "checked.h"

/* Return: true if the set of nodes @a and @b explains the results. @a == @b: a set of one node. */
static bool explains(const struct hc_checked_seen *seen, unsigned int n, uint32_t a, uint32_t b)
{
	uint32_t right = HC_CHECKED_MIXED;
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (hc_set_has(seen[i].relays, a) || hc_set_has(seen[i].relays, b))
			continue;
		if (seen[i].result == HC_CHECKED_MIXED ||
		    (right != HC_CHECKED_MIXED && seen[i].result != right))
			return false;
		right = seen[i].result;
	}
	return true;
}

static bool all_agree(const struct hc_checked_seen *seen, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (seen[i].result == HC_CHECKED_MIXED || seen[i].result != seen[0].result)
			return false;
	return true;
}

/* Does node @u relay in any of the @n trees? A node that relays nowhere cannot have falsified a
 * result.
 */
static bool relays(const struct hc_checked_seen *seen, unsigned int n, uint32_t u)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (hc_set_has(seen[i].relays, u))
			return true;
	return false;
}

/* Return: true if @u is one of the @n nodes @one. */
static bool listed(const uint32_t *one, uint32_t n, uint32_t u)
{
	uint32_t i;

	for (i = 0; i < n; i++)
		if (one[i] == u)
			return true;
	return false;
}

/* List the sets of two nodes that explain the results and hold none of the @none nodes of @one.
 * Return: number of these sets, of which at most @max are written to @two.
 */
static uint32_t pairs(unsigned int dim, const struct hc_checked_seen *seen, unsigned int n,
		      const uint32_t *one, uint32_t none, struct hc_suspect_pair *two, uint32_t max)
{
	uint32_t a, b, found = 0;

	for (a = 0; a < hc_nodes(dim); a++) {
		if (listed(one, none, a) || !relays(seen, n, a))
			continue;
		for (b = a + 1; b < hc_nodes(dim); b++) {
			if (!explains(seen, n, a, b) || listed(one, none, b) || !relays(seen, n, b))
				continue;
			if (found < max)
				two[found] = (struct hc_suspect_pair){ a, b };
			found++;
		}
	}
	return found;
}

void hc_checked_suspects(unsigned int dim, const struct hc_checked_seen *seen, unsigned int n,
			 struct hc_suspects *s, uint32_t *one, struct hc_suspect_pair *two,
			 uint32_t max)
{
	uint32_t u;

	*s = (struct hc_suspects){ .set = one };
	if (all_agree(seen, n)) {
		s->n = 1;
		return;
	}
	for (u = 0; u < hc_nodes(dim); u++)
		if (explains(seen, n, u, u) && relays(seen, n, u))
			one[s->n++] = u;
	s->pairs = pairs(dim, seen, n, one, s->n, two, max);
	if (s->n) {
		s->byzantine = 1;
	} else {
		s->byzantine = s->pairs ? 2 : 3;
		s->n = s->pairs;
	}
}
