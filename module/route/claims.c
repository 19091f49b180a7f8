// SPDX-License-Identifier: GPL-2.0
/*
 * Detects that another machine has nodes with the same numbers as nodes of this machine.
 *
 * A node may receive a version of its own FAULT word that it has never sent. It then corrects the
 * version by sending a newer one (lsdb.c). In a sound fabric this happens once or twice: the
 * version is left over from a time when the node could not send. But if another machine has a node
 * with the same number, that node corrects the newer version in turn, and so on for ever. Therefore
 * a node makes two corrections at once, and delays each further one, longer each time. After
 * CLAIMS_MAX such versions, if the last two were brought by the same trunk, this machine reports
 * that the trunk leads to another machine that has these nodes. If the trunk has only just begun,
 * this machine ends it instead (trunk/trunk.c).
 *
 * The trunk that has brought a version is the one over which the version first reached any node of
 * this machine: if another trunk brings it later, that may be a mere echo. Trunks belong to the
 * machine, not to a node, so the nodes of the machine share this record (hc_claims.brought). A peer
 * that makes versions up can thus lose only its own trunk and the trunks that lead to it: for these
 * its claim to have the node has the same effect as a true one.
 */
#include <linux/jiffies.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "route/claims.h"
#include "route/lsdb.h"

/* AT_ONCE versions are corrected at once. After CLAIMS_MAX versions, each within CLAIMS_TIME of the
 * previous one, another machine is considered to have a node with that number.
 */
#define AT_ONCE		2
#define CLAIMS_MAX	5
#define CLAIMS_TIME	msecs_to_jiffies(15000)

/* Record that trunk @by has brought @version, unless a version that is at least as new is recorded.
 */
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

/* Return: the number of the trunk that has brought @version, which was received over link @dim. If
 * the node has sent this version itself, but has received it with another FAULT word, the version
 * is no echo of the node's own: the trunk of link @dim has brought it.
 */
static u32 who_brought(const struct hc_node *node, unsigned int dim, u32 version)
{
	u64 brought = atomic64_read(&node->lsdb->claims.brought);

	return brought >> 32 == version && (u32)brought ? (u32)brought :
							  READ_ONCE(node->ports[dim].via);
}

/* Record that trunk @by leads to another machine that has a node with the same number as one of
 * this machine.
 */
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

	/* This node has corrected the last claim, and @version is newer than the correction, or has
	 * another FAULT word: so it is no echo of what this node has sent.
	 */
	if ((s32)(c->newest - node->lsdb->version) <= 0) {
		if (time_after(jiffies, c->at + CLAIMS_TIME))
			c->n = 0;
		c->at = jiffies;
		c->n++;
		/* One claim may be left over at the peer from an earlier time; two successive
		 * claims over one trunk cannot.
		 */
		if (c->n >= CLAIMS_MAX && by && by == c->by)
			accuse(node->fabric, by);
		c->by = by;
	}
	/* If the claim has the node's own version with another FAULT word, a newer version must be
	 * sent, too: @newest is set above the own version, so that hc_lsdb_links() sends one.
	 */
	c->newest = version + (version == node->lsdb->version);
	return c->n <= AT_ONCE;
}
