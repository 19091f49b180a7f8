// SPDX-License-Identifier: GPL-2.0
/*
 * Checks of the messages of a ring repair (REPAIR), which may be invalid, since they may be from
 * another machine. See ring_repair.c.
 */
#include <linux/jiffies.h>
#include <linux/math64.h>

#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_repair.h"
#include "coll/ring/ring_repair_impl.h"

/* Bounds for ballots and operation numbers: the number of attempts, and of operations, that are
 * allowed for each second since the plan was made, plus one second. This is far more than there can
 * be, so messages to a member that was unreachable for a while are accepted; and a Byzantine member
 * needs 136 years to use up all 64-bit numbers. The bounds depend only on time: if they were
 * relative to this member's next number, each message that this member accepts could raise the
 * bound for the next message.
 */
#define ATTEMPTS_MAX	(1ULL << 16)
#define NUMBERS_MAX	(1ULL << 32)

static u64 most(const struct hc_member *m, u64 each)
{
	return each * (div_u64(get_jiffies_64() - hc_repair_of(m)->made_at, HZ) + 1);
}

static bool number_is_valid(const struct hc_member *m, u64 nr)
{
	return nr < most(m, NUMBERS_MAX);
}

static bool edges_are_valid(const struct hc_member *m, const struct hc_wire_repair *w)
{
	const struct hc_wire_repair_way *way = hc_repair_ways_of(w);
	u32 members = be32_to_cpu(w->members), tour = be16_to_cpu(w->tour), dims = 0;
	unsigned int i;

	for (i = 0; i < w->ways; i++) {
		if (way[i].dim >= m->node->fabric->topo.ports || dims & hc_bit(way[i].dim) ||
		    way[i].out >= w->ways || be32_to_cpu(way[i].seen) > members ||
		    be16_to_cpu(way[i].next) >= m->node->fabric->topo.nodes ||
		    be16_to_cpu(way[i].came) >= tour || be16_to_cpu(way[i].leaves) >= tour ||
		    way[i].flags & ~(HC_WAY_F_USED | HC_WAY_F_RELAY))
			return false;
		dims |= hc_bit(way[i].dim);
	}
	return w->ways || members == 1;
}

static bool wire_set_has(const __be32 *set, u32 u)
{
	return be32_to_cpu(set[u / 32]) >> (u % 32) & 1;
}

/* Return: true if the set of members in a message is valid: it has only members of the plan,
 * includes this member and the coordinator, and has as many members as the header of the message
 * states.
 */
static bool set_is_valid(const struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	const __be32 *set = (const void *)(hc_repair_ways_of(w) + w->ways);
	u32 i;

	for (i = 0; i < hc_topo_words(&m->node->fabric->topo); i++)
		if (be32_to_cpu(set[i]) & ~m->plan->members[i])
			return false;
	return memweight(set, hc_repair_set_size(m->plan)) == be32_to_cpu(w->members) &&
	       wire_set_has(set, m->node->id) && wire_set_has(set, src);
}

static bool assign_is_valid(const struct hc_member *m, u32 src, const struct hc_wire_repair *w,
			    u32 len)
{
	size_t ways = w->ways * sizeof(struct hc_wire_repair_way);

	return w->ways <= m->node->fabric->topo.ports &&
	       len == sizeof(struct hc_wire_repair_ops) + ways + hc_repair_set_size(m->plan) &&
	       be16_to_cpu(w->rings) <= m->node->fabric->topo.ports &&
	       number_is_valid(m, be64_to_cpu(w->plan.op)) &&
	       edges_are_valid(m, w) && set_is_valid(m, src, w);
}

static bool answer_is_valid(const struct hc_member *m, const struct hc_wire_repair *w)
{
	return !(be32_to_cpu(w->word) & ~hc_ports_mask(&m->node->fabric->topo)) &&
	       number_is_valid(m, be64_to_cpu(w->plan.op));
}

/* Return: true if the contents of a message are valid. */
static bool message_is_valid(const struct hc_member *m, u32 src, const struct hc_wire_repair *w,
			     u32 len)
{
	if (len != (w->what == HC_REPAIR_ANSWER ? sizeof(struct hc_wire_repair_ops) : 0) &&
	    w->what != HC_REPAIR_ASSIGN)
		return false;
	switch (w->what) {
	case HC_REPAIR_REQUEST:
	case HC_REPAIR_COMMIT:
		return true;
	case HC_REPAIR_ASK:
		return hc_cause_is_valid(m, be32_to_cpu(w->status), be16_to_cpu(w->node),
					 be16_to_cpu(w->dim));
	case HC_REPAIR_ASSIGN:
		return assign_is_valid(m, src, w, len);
	}
	return w->what && w->what < __HC_REPAIR_END && answer_is_valid(m, w);
}

/* Return: true if @src may send this message: it is a member, and the ballot is within the bounds.
 * A coordinator sends its messages only to itself and to members with greater node numbers.
 */
static bool may_say(const struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	u64 ballot = be64_to_cpu(w->ballot);
	bool coord = w->what == HC_REPAIR_ASK || w->what == HC_REPAIR_ASSIGN ||
		      w->what == HC_REPAIR_COMMIT;

	return hc_set_has(m->plan->members, src) && !READ_ONCE(m->node->failed) &&
	       hc_repair_attempt(ballot) < most(m, ATTEMPTS_MAX) &&
	       (!coord || (hc_repair_coord_of(ballot) == src && src <= m->node->id));
}

unsigned int hc_repair_check(const struct hc_member *m, u32 src, const struct hc_wire_repair *w,
			     u32 len)
{
	if (!message_is_valid(m, src, w, len))
		return HYPERCUBE_A_DROP_MALFORMED;
	return may_say(m, src, w) ? 0 : HYPERCUBE_A_DROP_UNEXPECTED;
}
