// SPDX-License-Identifier: GPL-2.0
/*
 * Repair of plans of rings (REPAIR).
 *
 * A fault stops the operations of all members. Then the repair coordinator, which is the reachable
 * member with the lowest node number, sends each of them a new assignment in the rings. All
 * messages of a repair are sent by unicast, around the faults (route/route.c).
 *
 * A member whose plan is broken sends REQUEST to the node that it considers to be the coordinator,
 * at once and then each second. The coordinator begins an attempt. An attempt is identified by a
 * number, its ballot, which is greater than all ballots that the coordinator has received or used.
 * An attempt has three phases, and none of them begins before all members have answered in the
 * phase before it:
 *
 *   ASK	each member stops, and reports which of its links are faulty, which operation number
 *		is free, and on which chunk of the pending operations it works;
 *   ASSIGN	from these answers the coordinator repairs the rings (lib/hc_ring_repair.c), and
 *		sends each member its ring edges, the number from which all members number
 *		operations, and the chunk from which operations are resumed, or that they end
 *		(ring_resume.c, ring_decision.c). No member sends data yet;
 *   COMMIT	members send data again.
 *
 * So no member sends data before all have their assignments, and a member that receives data may
 * send data, too. No operation number is used twice, because the new numbers are above those of all
 * operations that a member has begun. So all members recognize frames from before the repair by
 * their numbers (hc_member.base).
 *
 * A member follows only the attempt with the greatest ballot. It answers NO to messages of other
 * attempts, and to an assignment that its own links do not allow. After a NO, when the links of
 * other nodes change, or when the plan breaks again at a member, the coordinator begins the next
 * attempt. If the coordinator fails, or is not the lowest reachable member any more, members send
 * REQUEST to the new lowest member. In an attempt, ASK is sent to all members of the plan that are
 * reachable at that time: members that are not reachable leave the rings, and members that are
 * reachable again are in them again. If the plan has components that are not connected with each
 * other, each has a coordinator, which looks for the others: when they can be reached again, the
 * components become one.
 *
 * A node that receives REPAIR and does not have the plan (its machine was rebooted and does not
 * have the plan any more, or has never had it) answers NONE. It is left out like a node that cannot
 * be reached, until it sends a message of the plan itself.
 *
 * No member is excluded because of a timeout. The coordinator waits for the answer of a member
 * without limit, even if other members send REQUEST while they wait (HC_REPAIR_F_WAITS), until the
 * FAULT words show that no healthy path leads to this member. The coordinator relies on the FAULT
 * words only if both ends of each link report the same state of the link, and the FAULT word in
 * each member's answer is equal to the one that the coordinator has. Otherwise a link-state update
 * is in flight, or waits for memory at a node that forwards it, and a member that would be left out
 * may be reachable (ring_repair_coord.c).
 *
 * When no more faults occur, all nodes get the same FAULT words (route/lsdb.c), hence consider the
 * same node to be the coordinator; and messages that were lost are sent again each second. So an
 * attempt succeeds. selftests/model/ring_repair.pml is a model of this protocol.
 *
 * Processes can send and receive during a repair. Their contributions wait in the member
 * (hc_member_holds()), except for the rest of a contribution of which a part was taken; recvmsg()
 * returns results that were queued before. If a socket is closed in the middle of a contribution,
 * the other members are notified when the plan has been repaired (hc_host_resume()). If the plan or
 * its fabric is removed during a repair, waiting contributions end as at any other time
 * (hc_member_destroy()).
 *
 * This file has the functions of each member; ring_repair_coord.c has those of the coordinator, and
 * ring_repair_check.c checks received messages.
 *
 * Memory. The memory that members need was charged when the plan was installed. The coordinator's
 * memory is charged to the fabric; if there is none, the coordinator tries again a second later.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/ring/ring.h"
#include "coll/ring/ring_repair.h"
#include "coll/ring/ring_repair_impl.h"
#include "coll/ring/ring_resume.h"
#include "coll/member_sched.h"
#include "fabric/link.h"
#include "notifier.h"
#include "route/lsdb.h"
#include "route/route.h"
#include "trace.h"

/* A member that has waited for this many seconds without receiving a frame of the coordinator sends
 * REQUEST.
 */
#define SILENT_MAX	3

/* ------------------------------------------------------------ reachable members */

bool hc_repair_reached(const struct hc_member *m, u32 *lowest, u32 *alive, u32 *n)
{
	const struct hc_plan *plan = m->plan;
	u32 *set = kzalloc(hc_repair_set_size(plan), GFP_ATOMIC | __GFP_NOWARN);
	bool known = set && hc_lsdb_reach(m->node, set);
	u32 u;

	*lowest = m->node->id;
	for (u = 0; known && u < hc_topo_words(&plan->fabric->topo); u++) {
		set[u] &= plan->members[u] & ~hc_repair_of(m)->without[u];
		if (set[u])
			*lowest = min_t(u32, *lowest, u * 32 + hc_first64(set[u]));
		if (alive)
			alive[u] = set[u];
	}
	*n = known ? memweight(set, hc_repair_set_size(plan)) : 0;
	kfree(set);
	return known;
}

/* ------------------------------------------------------------ frames */

struct sk_buff *hc_repair_msg(const struct hc_member *m, u8 what, u64 ballot, u64 nr, u32 len)
{
	struct sk_buff *skb = hc_frame_alloc(m->node, HC_FRAME_REPAIR, len, GFP_ATOMIC);
	struct hc_wire_repair *w;

	if (!skb)
		return NULL;
	hc_hdr(skb)->step = cpu_to_be32(hc_repair_of(m)->clock);
	w = hc_wire_repair_of(skb);
	w->plan.plan = cpu_to_be32(m->plan->id);
	w->plan.epoch = cpu_to_be32(m->plan->tag);
	w->plan.op = cpu_to_be64(nr);
	w->ballot = cpu_to_be64(ballot);
	w->what = what;
	return skb;
}

struct sk_buff *hc_repair_none(struct hc_node *node, const struct sk_buff *skb)
{
	const struct hc_wire_repair *w = hc_wire_repair_of(skb);
	struct sk_buff *none;

	if (w->what >= HC_REPAIR_ANSWER)
		return NULL;
	none = hc_frame_alloc(node, HC_FRAME_REPAIR, 0, GFP_ATOMIC);
	if (none) {
		hc_wire_repair_of(none)->ballot = w->ballot;
		hc_wire_repair_of(none)->what = HC_REPAIR_NONE;
	}
	return none;
}

static void repair_count(struct hc_member *m);
static unsigned int repair_take(struct hc_member *m, u32 src, struct sk_buff *skb);

void hc_repair_send(struct hc_member *m, u32 dst, struct sk_buff *skb)
{
	if (!skb)
		return;
	m->node->spent++;
	trace_hc_repair(m->node, m->plan->id, dst, skb);
	if (dst != m->node->id) {
		hc_route_xmit(m->node, dst, skb);
		return;
	}
	repair_take(m, dst, skb);
	consume_skb(skb);
}

/* Return: an operation number that, like all higher numbers, no operation has used at this member.
 * It is also above the number of the failure that has broken the plan, so that control messages
 * about this failure can be recognized after the repair.
 */
static u64 next_free(const struct hc_member *m)
{
	u64 ended = max(m->gen.end.nr + 1, m->gen.early.nr + 1);

	return max3(m->next, ended, m->gen.last.nr + 1);
}

static void answer(struct hc_member *m, u32 dst, u8 what)
{
	u64 nr = next_free(m);
	bool asked = what == HC_REPAIR_ANSWER;
	struct sk_buff *skb = hc_repair_msg(m, what, hc_repair_of(m)->ballot, nr,
					    asked ? sizeof(struct hc_wire_repair_ops) : 0);

	if (skb && asked)
		hc_resume_answer(m, hc_wire_repair_of(skb));
	if (skb)
		hc_wire_repair_of(skb)->word = cpu_to_be32(m->node->fault);
	hc_repair_send(m, dst, skb);
}

/* ------------------------------------------------------------ members */

/* Reset the member's state of the repair, so that it waits neither for other members nor for the
 * coordinator, and let the next poll continue its work.
 */
static void member_calm(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);

	s->phase = REPAIR_NONE;
	s->called = false;
	s->silent = 0;
	/* If the plan has been unpublished, hc_member_again() has no effect, and the plan must not
	 * be counted.
	 */
	hc_member_again(m);
	if (!m->job.gone)
		repair_count(m);
}

/* Fail all pending operations of this member with the cause that has broken the plan. A process
 * that has contributed to none of them is notified of the failure at its next contribution. Return:
 * true if a process was notified.
 */
static bool member_end(struct hc_member *m)
{
	bool notified = !list_empty(&m->gen.fallen);
	unsigned int i;

	for (i = 0; i < HC_OP_WINDOW; i++)
		notified |= m->ops[i] && m->ops[i]->begun;
	m->gen.last.nr = min(m->done, m->next);
	hc_ends_all(m, NULL);
	hc_resume_end(m);
	member_calm(m);
	if (m->user.engaged && !notified)
		hc_end_miss(m, &m->gen.last, hc_user_nr(m, m->gen.last.nr));
	m->user.engaged = false;
	if (!skb_queue_empty(&m->user.waiting))
		hc_node_kick(m->node, HC_EV_HOST);
	return notified;
}

/* Stop the operations of this member, with the cause in the coordinator's ASK. */
static void member_stop(struct hc_member *m, const struct hc_wire_repair *w)
{
	const struct hc_end cause = {
		.status = be32_to_cpu(w->status),
		.node = be16_to_cpu(w->node),
		.dim = be16_to_cpu(w->dim),
		.clock = hc_repair_of(m)->clock,
	};

	if (!m->gen.broken)
		hc_broke(m, &cause);
}

void hc_repair_saw_ballot(struct hc_repair *s, u64 ballot)
{
	s->ballot = max(s->ballot, ballot);
}

static void ask_take(struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	struct hc_repair *s = hc_repair_of(m);
	u64 ballot = be64_to_cpu(w->ballot);

	/* Ignore a delayed ASK of an attempt in which this member has reached a later phase. */
	if (ballot == s->ballot && (s->phase == REPAIR_ASSIGNED || s->ran == ballot))
		return;
	if (ballot < s->ballot || (ballot == s->ballot && s->phase != REPAIR_ANSWERED)) {
		answer(m, src, HC_REPAIR_NO);
		return;
	}
	member_stop(m, w);
	hc_repair_saw_ballot(s, ballot);
	s->phase = REPAIR_ANSWERED;
	answer(m, src, HC_REPAIR_ANSWER);
}

/* Number operations from @base on, a number that, like all higher ones, has not been used. */
static void numbers_begin(struct hc_member *m, u64 base)
{
	bool idles = m->user.idles && !m->user.left;

	m->user.leaves |= m->user.left || idles;
	m->base = base;
	m->gen.count = 0;
	m->gen.unsaid = 0;
	hc_end_init(m);
	m->user.idles = idles;
	m->gen.early.nr = HC_NR_NONE;
	m->gen.early_ended = 0;
	m->head = base;
	m->acked = base;
	WRITE_ONCE(m->done, base);
}

static void ways_take(struct hc_member *m, u32 coord, const struct hc_wire_repair *w)
{
	const struct hc_wire_repair_way *way = hc_repair_ways_of(w);
	struct hc_ring_member *ring = hc_ring_member(m);
	const __be32 *set = (const void *)(way + w->ways);
	u32 *members;
	u32 i;

	memset(ring->way, 0, sizeof(ring->way));
	m->role.nsrc = w->ways;
	for (i = 0; i < w->ways; i++) {
		m->src[i] = (struct hc_tree_peer){
			.node = hc_node_peer(m->node, way[i].dim),
			.dim = way[i].dim,
			.how = HC_TREE_DIRECT,
		};
		ring->way[i] = (struct hc_ring_way){
			.next = be16_to_cpu(way[i].next),
			.seen = be32_to_cpu(way[i].seen),
			.came = be16_to_cpu(way[i].came),
			.leaves = be16_to_cpu(way[i].leaves),
			.out = way[i].out,
			.used = way[i].flags & HC_WAY_F_USED,
			.relay = way[i].flags & HC_WAY_F_RELAY,
		};
	}
	ring->nrings = be16_to_cpu(w->rings);
	ring->nmembers = be32_to_cpu(w->members);
	ring->tour = be16_to_cpu(w->tour);
	members = hc_resume_set_free(m);
	be32_to_cpu_array(members, set, hc_topo_words(&m->plan->fabric->topo));
	WRITE_ONCE(ring->members, members);
	m->tells = m->node->id == (hc_set_has(members, m->plan->root) ? m->plan->root : coord);
}

static bool links_allow(const struct hc_member *m, const struct hc_wire_repair *w)
{
	const struct hc_wire_repair_way *way = hc_repair_ways_of(w);
	unsigned int i;

	for (i = 0; i < w->ways; i++)
		if (!hc_link_usable(m->node, way[i].dim))
			return false;
	return true;
}

/* Resume the pending operations, or end them, as the coordinator has decided in ASSIGN. Return:
 * false if the member cannot do that.
 */
static bool ops_take(struct hc_member *m, const struct hc_wire_repair *w)
{
	u64 base = be64_to_cpu(w->plan.op);

	if (w->flags & HC_REPAIR_F_RESUME)
		return hc_resume_apply(m, w);
	/* Listeners get one event for all members of this machine. */
	if (!hc_repair_of(m)->resume.ended && member_end(m) &&
	    atomic64_xchg(&m->plan->reported, base) != base)
		hc_end_event(m, &m->gen.last, m->gen.last.nr);
	WRITE_ONCE(m->renamed, 0);
	WRITE_ONCE(m->next, base);
	return true;
}

static void assign_take(struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	struct hc_repair *s = hc_repair_of(m);
	u64 base = be64_to_cpu(w->plan.op);
	bool placed = !m->gen.broken && (s->phase == REPAIR_ASSIGNED || s->ran == s->ballot);

	if (be64_to_cpu(w->ballot) != s->ballot || (!placed && s->phase != REPAIR_ANSWERED)) {
		answer(m, src, HC_REPAIR_NO);
		return;
	}
	/* A repeated ASSIGN is only answered, since operations may have used its number by now. */
	if (!placed) {
		if (base < next_free(m) || !links_allow(m, w) || !ops_take(m, w)) {
			answer(m, src, HC_REPAIR_NO);
			return;
		}
		ways_take(m, src, w);
		numbers_begin(m, base);
		hc_resume_assigned(m, w);
		s->phase = REPAIR_ASSIGNED;
		m->gen.broken = false;
		hc_view_idle(m);
	}
	answer(m, src, HC_REPAIR_ASSIGNED);
}

/* Record that the plan has been repaired. In each attempt, the first member of this machine that
 * receives COMMIT or data does this for all members of the machine.
 */
static void plan_go(struct hc_plan *plan, u64 ballot)
{
	/* Compare for equality only: a ballot may be lower than the one before, since components of
	 * the plan that are not connected count separately.
	 */
	if (atomic64_xchg(&plan->went, ballot) == ballot)
		return;
	atomic_inc(&plan->repaired);
	WRITE_ONCE(plan->broken, false);
	/* Clear .broken before bit 1, which allows the next report of a break. */
	smp_mb__before_atomic();
	clear_bit(1, &plan->breaking);
	clear_bit(0, &plan->breaking);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
}

/* Begin to send data again, since all members have their assignments. */
static void member_go(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);

	s->phase = REPAIR_NONE;
	WRITE_ONCE(s->ran, s->ballot);
	plan_go(m->plan, s->ran);
	hc_resume_ran(m);
	hc_node_kick(m->node, HC_EV_HOST);
	hc_member_again(m);
}

void hc_repair_saw_data(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);

	if (s && s->phase == REPAIR_ASSIGNED && !m->gen.broken)
		member_go(m);
}

static void commit_take(struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	struct hc_repair *s = hc_repair_of(m);
	u64 ballot = be64_to_cpu(w->ballot);

	if (ballot != s->ballot || m->gen.broken ||
	    (s->phase != REPAIR_ASSIGNED && s->ran != ballot)) {
		answer(m, src, HC_REPAIR_NO);
		return;
	}
	if (s->phase == REPAIR_ASSIGNED)
		member_go(m);
	answer(m, src, HC_REPAIR_COMMITTED);
}

/* Return: true if this member is the coordinator of a component that has only some of the plan's
 * members, so that it must look for the others.
 */
static bool leads_part(const struct hc_member *m)
{
	const struct hc_repair *s = hc_repair_of(m);

	return s->ran && hc_repair_coord_of(s->ran) == m->node->id &&
	       hc_ring_member(m)->nmembers < m->plan->nmembers;
}

bool hc_repair_tends(const struct hc_member *m)
{
	const struct hc_repair *s = hc_repair_of(m);

	return s && (m->gen.broken || s->phase == REPAIR_ASSIGNED || s->coord || leads_part(m));
}

/* Count this plan in hc_work.repairing of the node as long as its repair must be notified of
 * link-state updates.
 */
static void repair_count(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);
	bool counts = hc_repair_tends(m);

	if (counts == !!s->counted)
		return;
	s->counted = counts ? m->node : NULL;
	atomic_add(counts ? 1 : -1, &m->node->work->repairing);
}

/* Record the logical clock of a received message, which is the number of links that the report of
 * the fault has crossed. @first: true if the plan was not broken at this member before.
 */
static void clock_take(struct hc_repair *s, u32 clock, bool first)
{
	first &= s->phase == REPAIR_NONE && !s->coord;
	s->clock = first ? clock : max(s->clock, clock);
}

/* Process the reply of node @src that it does not have the plan: send it no more messages, and do
 * not consider it to be the coordinator.
 */
static void none_take(struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	struct hc_repair *s = hc_repair_of(m);

	/* Ignore a reply to a message of another attempt. */
	if (be64_to_cpu(w->ballot) != s->ballot)
		return;
	hc_set_add(s->without, src);
	s->called = false;
	hc_coord_without(m, src);
}

static void (* const takers[__HC_REPAIR_END])(struct hc_member *m, u32 src,
					      const struct hc_wire_repair *w) = {
	[HC_REPAIR_REQUEST]			= hc_coord_request,
	[HC_REPAIR_ASK]				= ask_take,
	[HC_REPAIR_ASSIGN]			= assign_take,
	[HC_REPAIR_COMMIT]			= commit_take,
	[HC_REPAIR_ANSWER ... HC_REPAIR_NO]	= hc_coord_answer,
	[HC_REPAIR_NONE]			= none_take,
};

static unsigned int repair_take(struct hc_member *m, u32 src, struct sk_buff *skb)
{
	const struct hc_wire_repair *w = hc_wire_repair_of(skb);
	unsigned int why = hc_repair_check(m, src, w, be32_to_cpu(hc_hdr(skb)->len));

	if (why)
		return why;
	clock_take(hc_repair_of(m), be32_to_cpu(hc_hdr(skb)->step), !m->gen.broken);
	if (hc_repair_coord_of(be64_to_cpu(w->ballot)) == src)
		hc_repair_of(m)->silent = 0;
	hc_set_del(hc_repair_of(m)->without, src);
	takers[w->what](m, src, w);
	return 0;
}

unsigned int hc_repair_rx(struct hc_member *m, struct sk_buff *skb)
{
	u32 src = be16_to_cpu(hc_hdr(skb)->src);
	unsigned int why;

	if (!hc_repair_of(m) || src >= m->node->fabric->topo.nodes)
		return HYPERCUBE_A_DROP_UNEXPECTED;
	if (be32_to_cpu(hc_hdr(skb)->len) > sizeof(struct hc_wire_repair_ops) +
	    m->node->fabric->topo.ports * sizeof(struct hc_wire_repair_way) +
	    hc_repair_set_size(m->plan))
		return HYPERCUBE_A_DROP_MALFORMED;
	if (skb_linearize(skb))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	why = repair_take(m, src, skb);
	hc_coord_go_on(m);
	repair_count(m);
	/* If there was no memory for a message, it is sent a second later. */
	if (hc_repair_tends(m))
		hc_member_wait(m);
	return why;
}

/* ------------------------------------------------------------ called by the common code */

void hc_repair_init(const struct hc_plan *plan, struct hc_repair *s, u32 *sets)
{
	size_t words = hc_topo_words(&plan->fabric->topo);
	struct hc_ring_resume *k = &s->resume;
	unsigned int i;

	s->made_at = get_jiffies_64();
	for (i = 0; i < HC_RESUME_SETS; i++, sets += words)
		k->set[i] = sets;
	for (i = 0; i < 2; i++, sets += words)
		k->chunk[i].gave = sets;
	k->missing = sets;
	s->without = sets + words;
	k->base = plan->members;
	k->nbase = plan->nmembers;
}

/* Stop the operations under way. If the node itself has failed, they end and its processes are
 * notified at once, since no repair will resume them at this node.
 */
void hc_repair_stop(struct hc_member *m, bool news)
{
	struct hc_repair *s = hc_repair_of(m);

	if (READ_ONCE(m->node->failed)) {
		if (!s->resume.ended)
			member_end(m);
	} else if (news) {
		clock_take(s, m->gen.last.clock, true);
		hc_resume_stop(m);
		member_calm(m);
	}
}

bool hc_repair_holds(const struct hc_member *m)
{
	const struct hc_repair *s = hc_repair_of(m);

	return s && !READ_ONCE(m->node->failed) && (m->gen.broken || s->phase == REPAIR_ASSIGNED);
}

/* Return: true if REQUEST must be sent at once, because none has been sent yet, or because link
 * states have changed since then.
 */
static bool call_is_news(const struct hc_member *m)
{
	const struct hc_repair *s = hc_repair_of(m);

	return !s->called || s->known != m->node->lsdb->digest;
}

static void help(struct hc_member *m, u32 coord)
{
	const struct hc_repair *s = hc_repair_of(m);
	struct sk_buff *skb = hc_repair_msg(m, HC_REPAIR_REQUEST, s->ballot, 0, 0);

	if (skb && s->phase != REPAIR_NONE)
		hc_wire_repair_of(skb)->flags = HC_REPAIR_F_WAITS;
	hc_repair_send(m, coord, skb);
}

static void coord_call(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);
	bool works = !m->gen.broken && s->phase == REPAIR_NONE;
	u32 lowest, n;

	if (s->coord)
		return;
	/* Set these fields even if there is no memory: then REQUEST is sent a second later. */
	s->called = true;
	s->known = m->node->lsdb->digest;
	if (!hc_repair_reached(m, &lowest, NULL, &n))
		return;
	if (works && n <= hc_ring_member(m)->nmembers)
		return;
	if (works)
		s->clock = 0;
	if (s->phase != REPAIR_NONE && s->silent < SILENT_MAX &&
	    lowest == hc_repair_coord_of(s->ballot))
		return;
	if (lowest == m->node->id)
		hc_coord_begin(m);
	else
		help(m, lowest);
}

void hc_repair_tend(struct hc_member *m, bool late)
{
	struct hc_repair *s = hc_repair_of(m);

	if (!s)
		return;
	if (READ_ONCE(m->node->failed)) {
		hc_coord_free(m->plan, s);
		if (m->gen.broken)
			hc_repair_stop(m, false);
		return;
	}
	if (!hc_resume_holds(m))
		hc_host_resume(m);
	s->silent += late;
	if (!hc_coord_tend(m, late) && hc_repair_tends(m) && (late || call_is_news(m)))
		coord_call(m);
	hc_coord_go_on(m);
	repair_count(m);
}
