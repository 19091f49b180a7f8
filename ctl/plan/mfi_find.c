// SPDX-License-Identifier: GPL-2.0
/*
 * Finding the maximal fault index: sets as lower bounds and proofs as upper bounds, until the two
 * meet.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "mfi.h"

#define ROUNDS 20000

/* Record @set if it is the largest so far. */
static void keep(const struct hc_mfi_net *net, struct hc_mfi_found *r, const bool *set)
{
	uint32_t size = hc_mfi_count(net, set);

	if (size <= r->size)
		return;
	memcpy(r->set, set, net->n * sizeof(*set));
	r->size = size;
}

/* Record the bound @upper if it is the least so far. */
static void bound(struct hc_mfi_found *r, uint32_t upper, const char *why)
{
	if (upper >= r->upper)
		return;
	r->upper = upper;
	r->why = why;
}

/* Search for sets of descending size, beginning with the upper bound. The first size for which
 * there is a set is the largest.
 */
static int search(const struct hc_mfi_net *net, const struct hc_mfi_weights *w, bool *set,
		  struct hc_mfi_found *r, bool (*go_on)(void *arg), void *arg)
{
	int rc;

	while (r->size < r->upper) {
		rc = hc_mfi_search(net, w, r->upper, set, go_on, arg, &r->nodes);
		if (rc < 0 || rc == HC_MFI_STOPPED)
			return rc < 0 ? rc : 0;
		if (rc == HC_MFI_YES)
			keep(net, r, set);
		else
			bound(r, r->upper - 1, "search");
	}
	return 0;
}

static int find(const struct hc_mfi_net *net, enum hc_mfi_method method, bool *set,
		struct hc_mfi_found *r, bool (*go_on)(void *arg), void *arg)
{
	struct hc_mfi_weights w = {};
	uint32_t upper;
	const char *why;
	int rc;

	if (method == HC_MFI_AUTO) {
		hc_mfi_closed(net, set, &upper, &why);
		keep(net, r, set);
		bound(r, upper, why);
	}
	if (!hc_mfi_colour(net, NULL, 0, set))
		return -ENOMEM;
	keep(net, r, set);
	rc = r->size < r->upper ? hc_mfi_weights(net, &w, go_on, arg) : 0;
	if (!rc && w.scale)
		bound(r, hc_mfi_bound(net, &w), "linear program");
	if (!rc && method != HC_MFI_COLOUR && r->size < r->upper) {
		memcpy(set, r->set, net->n * sizeof(*set));
		if (!hc_mfi_local(net, set, ROUNDS, r->upper))
			rc = -ENOMEM;
		keep(net, r, set);
		rc = rc ?: search(net, &w, set, r, go_on, arg);
	}
	hc_mfi_weights_free(&w);
	return rc;
}

int hc_mfi_find(const struct hc_mfi_net *net, enum hc_mfi_method method,
		struct hc_mfi_found *r, bool (*go_on)(void *arg), void *arg)
{
	bool *set = calloc(net->n, sizeof(*set));
	int rc = -ENOMEM;

	*r = (struct hc_mfi_found){ .upper = net->n, .why = "all processors" };
	r->set = calloc(net->n, sizeof(*r->set));
	if (set && r->set)
		rc = find(net, method, set, r, go_on, arg);
	free(set);
	return rc;
}
