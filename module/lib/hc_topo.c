// SPDX-License-Identifier: GPL-2.0
/*
 * Networks that are given as tables: their verifier, and a function that finds whether a table is a
 * hypercube.
 */
#include "hc_reason.h"
#include "hc_topo.h"

/* Check that port @d of @u leads to a node whose port @d leads back to @u, and that no lower port
 * of @u leads to the same node.
 */
static int check_port(const struct hc_topo *t, __u32 u, unsigned int d, struct hc_reason *reason)
{
	__u32 v = hc_peer(t, u, d);
	unsigned int e;

	if (v >= t->nodes)
		return hc_refuse(reason, "a port leads to a node that there is not", u, d);
	if (hc_peer(t, v, d) != u)
		return hc_refuse(reason, "a link has not the same port at both ends", u, d);
	for (e = 0; v != u && e < d; e++)
		if (hc_peer(t, u, e) == v)
			return hc_refuse(reason, "two links lead to the same node", u, d);
	return 0;
}

int hc_topo_check(const struct hc_topo *t, __u32 *work, struct hc_reason *reason)
{
	__u32 *set = work + t->nodes, u;
	unsigned int d;
	int err = 0;

	for (u = 0; u < t->nodes; u++)
		for (d = 0; d < t->ports && !err; d++)
			err = check_port(t, u, d, reason);
	if (err)
		return err;
	memset(set, 0, hc_topo_words(t) * sizeof(*set));
	if (hc_set_reach(set, t, NULL, 0, work) == t->nodes)
		return 0;
	for (u = 0; hc_set_has(set, u); u++)
		;
	return hc_refuse(reason, "no links lead from node 0 to a node", u, HC_REASON_NONE);
}

bool hc_topo_is_cube(const struct hc_topo *t)
{
	unsigned int d;
	__u32 u;

	if (t->nodes != hc_nodes(t->ports))
		return false;
	for (u = 0; u < t->nodes; u++)
		for (d = 0; d < t->ports; d++)
			if (hc_peer(t, u, d) != hc_neigh(u, d))
				return false;
	return true;
}
