// SPDX-License-Identifier: GPL-2.0
/*
 * Another machine may have nodes of these numbers, too.
 *
 * A node that hears of a version of its FAULT word that it has not told corrects it (lsdb.c).  It
 * meets one or two of them, from a time when it could not speak; but another node of its number
 * does the same.  So after two corrections at once a node takes its time, more each time, and after
 * some more versions, the last two of which one trunk has brought, this machine says that the trunk
 * leads to another one with these nodes, or leaves (trunk/trunk.c).
 *
 * Which trunk has brought a version?  The first over which it has come to any node that is here:
 * what comes over others may be no more than an echo of it.  For trunks are of the machine, not of
 * a node, the machine's nodes remember that together (hc_claims.brought).  So who makes versions up
 * has only his own trunk to lose, and those behind which he is: that he has what he says is as good
 * as true there.
 */
#include <linux/jiffies.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "route/claims.h"
#include "trunk/trunk.h"

/* So many versions are corrected at once, and so many are of another node of that number, if none
 * is further from the one before than this.
 */
#define AT_ONCE		2
#define CLAIMS_MAX	5
#define CLAIMS_TIME	msecs_to_jiffies(15000)

/* Unless as new a version was there before. */
static void brought_set(struct hc_claims *c, u32 version, u32 by)
{
	s64 old = atomic64_read(&c->brought);

	while ((s32)(version - (u32)(old >> 32)) > 0)
		if (atomic64_try_cmpxchg(&c->brought, &old, (u64)version << 32 | by))
			break;
}

void hc_claims_brought(struct hc_node *node, unsigned int dim, u32 u, u32 version)
{
	u32 by = hc_trunk_end_nr(node, dim);

	if (by)
		brought_set(&node->fabric->nodes[u]->lsdb.claims, version, by);
}

void hc_claims_told(struct hc_node *node, u32 version)
{
	struct hc_claims *c = &node->lsdb.claims;

	c->newest = version;
	brought_set(c, version, 0);
}

/* Which trunk has brought what came over link @dim?  One that says of a version that the node has
 * told what the node has not told with it cannot be an echo.
 */
static u32 who_brought(const struct hc_node *node, unsigned int dim, u32 version)
{
	u64 brought = atomic64_read(&node->lsdb.claims.brought);

	return brought >> 32 == version && (u32)brought ? (u32)brought : hc_trunk_end_nr(node, dim);
}

bool hc_claims_add(struct hc_node *node, unsigned int dim, u32 version)
{
	struct hc_claims *c = &node->lsdb.claims;
	u32 by = who_brought(node, dim, version);

	/* Beyond one that this node has told since the last time: nobody else could know that. */
	if ((s32)(c->newest - node->lsdb.version) <= 0) {
		if (time_after(jiffies, c->at + CLAIMS_TIME))
			c->n = 0;
		c->at = jiffies;
		c->n++;
		/* One may be what they remember there. */
		if (c->n >= CLAIMS_MAX && by && by == c->by)
			hc_trunks_accuse(node->fabric, by);
		c->by = by;
	}
	/* The node's own one is said with another word: not even that can be told again. */
	c->newest = version + (version == node->lsdb.version);
	return c->n <= AT_ONCE;
}
