// SPDX-License-Identifier: GPL-2.0
/*
 * Detects that another machine has nodes of the same numbers as this machine.
 *
 * A node may receive a version of its own FAULT word that it has never sent; it then corrects it by
 * sending a newer one (lsdb.c). In a sound fabric this happens once or twice: the version is left
 * over from a time when the node could not send. But another node of the same number corrects it in
 * turn, and so on for ever. Therefore a node makes two corrections at once and delays each further
 * one, longer each time. After CLAIMS_MAX such versions, of which one trunk has brought the last
 * two, this machine reports that the trunk leads to another machine that has these nodes, or, if
 * the trunk has begun only just before, ends it (trunk/trunk.c).
 *
 * Which trunk has brought a version? The one over which it first reached any node of this machine:
 * what comes over another trunk may be no more than an echo of it. Trunks belong to the machine,
 * not to a node, so the nodes of the machine remember this together (hc_claims.brought). So a peer
 * that makes versions up can lose only its own trunk and the trunks behind which it is: as seen
 * from there, the claim that it has the node is as good as true.
 */
#include <linux/jiffies.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "route/claims.h"
#include "route/lsdb.h"

/* AT_ONCE versions are corrected at once. After CLAIMS_MAX versions, each within CLAIMS_TIME of the
 * one before, another machine is taken to have a node of that number.
 */
#define AT_ONCE		2
#define CLAIMS_MAX	5
#define CLAIMS_TIME	msecs_to_jiffies(15000)

/* Record that trunk @by has brought @version, unless a version at least as new is recorded. */
static void brought_set(struct hc_claims *c, u32 version, u32 by)
{
	s64 old = atomic64_read(&c->brought);

	while ((s32)(version - (u32)(old >> 32)) > 0)
		if (atomic64_try_cmpxchg(&c->brought, &old, (u64)version << 32 | by))
			break;
}

void hc_claims_brought(struct hc_node *node, unsigned int dim, u32 u, u32 version)
{
	u32 by = READ_ONCE(node->ports[dim].via);

	if (by)
		brought_set(&node->fabric->nodes[u]->lsdb->claims, version, by);
}

void hc_claims_notified(struct hc_node *node, u32 version)
{
	struct hc_claims *c = &node->lsdb->claims;

	c->newest = version;
	brought_set(c, version, 0);
}

/* Return the number of the trunk that has brought @version, which came over link @dim. A version
 * that the node has sent itself, but here with another FAULT word, cannot be an echo of the node's:
 * the trunk of link @dim has brought it.
 */
static u32 who_brought(const struct hc_node *node, unsigned int dim, u32 version)
{
	u64 brought = atomic64_read(&node->lsdb->claims.brought);

	return brought >> 32 == version && (u32)brought ? (u32)brought :
							  READ_ONCE(node->ports[dim].via);
}

/* Record that trunk @by leads to another machine that has a node of the same number as one here. */
static void accuse(struct hc_fabric *fabric, u32 by)
{
	WRITE_ONCE(fabric->accused_at, jiffies);
	/* Pairs with accusation_take() of trunk/trunk.c. */
	smp_store_release(&fabric->accused, by);
}

bool hc_claims_add(struct hc_node *node, unsigned int dim, u32 version)
{
	struct hc_claims *c = &node->lsdb->claims;
	u32 by = who_brought(node, dim, version);

	/* @version is beyond all that this node has sent since the last claim, so it is no echo
	 * of the node's.
	 */
	if ((s32)(c->newest - node->lsdb->version) <= 0) {
		if (time_after(jiffies, c->at + CLAIMS_TIME))
			c->n = 0;
		c->at = jiffies;
		c->n++;
		/* One claim may be what the peer remembers of an earlier time; two in a row over
		 * one trunk are not.
		 */
		if (c->n >= CLAIMS_MAX && by && by == c->by)
			accuse(node->fabric, by);
		c->by = by;
	}
	/* If the claim is the node's own version with another FAULT word, that version cannot be
	 * sent again, either.
	 */
	c->newest = version + (version == node->lsdb->version);
	return c->n <= AT_ONCE;
}
