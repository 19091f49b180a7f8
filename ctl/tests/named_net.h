/* SPDX-License-Identifier: GPL-2.0 */
/* Named networks for tests of planners. */
#ifndef NAMED_NET_H
#define NAMED_NET_H

#include <stdlib.h>

#include "net.h"
#include "plan.h"

/* Make the network of @kind with one or two axes, of lengths @a and @b; @b is 0: one axis. Return:
 * its fault state, without faults, which the caller frees with hc_faults_free(); NULL if there is
 * no such network.
 */
static inline struct hc_faults *named_net(enum hc_net_kind kind, uint32_t a, uint32_t b)
{
	const struct hc_net_spec spec = { .kind = kind, .axes = b ? 2 : 1, .length = { a, b } };
	struct hc_edge *links;
	struct hc_net net;
	uint32_t nodes;
	const char *why;
	size_t n;
	int rc;

	if (hc_net_links(&spec, 4096, &nodes, &links, &n, &why))
		return NULL;
	rc = hc_net_make(&spec, nodes, links, n, &net, &why);
	free(links);
	return rc ? NULL : hc_faults_of(&net.topo);
}

#endif /* NAMED_NET_H */
