// SPDX-License-Identifier: GPL-2.0
/*
 * Detects that another machine has nodes with the same numbers as nodes of this machine.
 *
 * A claim is a version of a node's own FAULT word that the node receives but has never sent. The
 * node corrects it by sending a newer version (lsdb.c). In a sound fabric this happens once or
 * twice: the version is left over from a time when the node could not send. But if another machine
 * has a node with the same number, that node corrects the newer version in turn, and so on for
 * ever. Therefore a node corrects the first two claims at once, and delays each further correction,
 * longer each time. If the same trunk has brought the last two of CLAIMS_MAX claims, this machine
 * reports that the trunk leads to another machine that has these nodes. If that trunk was
 * established only a short time ago, this machine ends it instead (trunk/trunk.c).
 *
 * The trunk that has brought a version is the trunk over which the version first reached any node
 * of this machine. If another trunk brings the same version after that, it may only echo it. Trunks
 * belong to the machine, not to a node, so the nodes of the machine share this record
 * (hc_claims.brought). So if a peer invents versions, only trunks to this peer are ended. That is
 * what it would achieve as well by having a node with that number.
 */
#include <linux/jiffies.h>

#include "fabric/fabric.h"
#include "fabric/node.h"
#include "route/claims.h"
#include "route/lsdb.h"

/* AT_ONCE claims are corrected at once. After CLAIMS_MAX claims, each within CLAIMS_TIME of the
 * previous claim, another machine is considered to have a node with that number.
 */
#define AT_ONCE		2
#define CLAIMS_MAX	5
#define CLAIMS_TIME	msecs_to_jiffies(15000)

/* Record that trunk @by has brought @version, unless the recorded version is as new or newer. */
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
 * no trunk is recorded, the node itself has sent this version number, but now receives it with
 * another FAULT word. This is no echo of the node's own version, so the trunk that carries link
 * @dim has brought it.
 */
static u32 who_brought(const struct hc_node *node, unsigned int dim, u32 version)
{
	u64 brought = atomic64_read(&node->lsdb->claims.brought);

	return brought >> 32 == version && (u32)brought ? (u32)brought :
							  READ_ONCE(node->ports[dim].via);
}

/* Record that trunk @by leads to another machine that has a node with the same number as a node of
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

	/* The condition is true if this node has corrected the last claim. As @version is newer
	 * than the correction, or has another FAULT word, it is no echo of what this node has sent,
	 * but a new claim.
	 */
	if ((s32)(c->newest - node->lsdb->version) <= 0) {
		if (time_after(jiffies, c->at + CLAIMS_TIME))
			c->n = 0;
		c->at = jiffies;
		c->n++;
		/* A single claim may be an old version that was left over at the peer. Two
		 * successive claims over the same trunk cannot both be left over.
		 */
		if (c->n >= CLAIMS_MAX && by && by == c->by)
			accuse(node->fabric, by);
		c->by = by;
	}
	/* If the claim has the number of the node's own version, but another FAULT word, the node
	 * must send a newer version as well: set .newest to a number above its own version, so that
	 * hc_lsdb_links() does so.
	 */
	c->newest = version + (version == node->lsdb->version);
	return c->n <= AT_ONCE;
}
