// SPDX-License-Identifier: GPL-2.0
/*
 * Repair of plans of rings (REPAIR).
 *
 * A fault stops the operations of all members. Then the repair coordinator, the reachable member
 * with the lowest number, sends each of them a new assignment in the rings. No node reads the state
 * of another: all of this is done by frames, which are routed around the faults (route.c).
 *
 * A member whose plan is broken sends REQUEST to the node that it considers to be the coordinator,
 * at once and then each second. The coordinator begins an attempt. The attempt's name, its ballot,
 * is greater than all ballots that the coordinator knows. An attempt has three phases, and none
 * begins before all members have answered in the previous one:
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
 * send data, too. No operation number is used twice: the new numbers are above all that any member
 * had begun. So all members recognize frames from before the repair as old (hc_member.base).
 *
 * A member follows the greatest ballot only. It answers NO to others, and to an assignment that its
 * own links do not allow. After a NO, when the links of other nodes change, or when a member breaks
 * again, the coordinator begins the next attempt. If the coordinator dies, or is not the lowest
 * member any more, members send REQUEST to the new lowest member. An attempt asks all members of
 * the plan that are reachable then: those that are gone leave the rings, those that are back are in
 * them again. Components of the plan that are not connected have a coordinator each, which looks
 * for the other components: when they can be reached again, the components become one.
 *
 * A node that receives REPAIR and does not have the plan (its machine has returned without it, or
 * the plan was never installed there) answers NONE. It is left out like a node that cannot be
 * reached, until it sends a message about the plan itself.
 *
 * No timeout excludes a member. The coordinator waits for a member's answer as long as it takes,
 * even if members ask meanwhile why nothing happens (HC_REPAIR_F_WAITS), until it knows that no
 * healthy link leads to the silent member. It relies on this knowledge only while the ends of each
 * link report the same state of it, and each member answers with the FAULT word that the
 * coordinator knows already. Otherwise a link-state update is in flight, or waits for memory at a
 * node that forwards it, and a member that would be left out may be reachable
 * (ring_repair_coord.c).
 *
 * Once faults stop, all nodes know the same links (route/lsdb.c), hence the same coordinator;
 * frames that were lost are sent again each second; so an attempt succeeds.
 * selftests/model/ring_repair.pml is a model of this.
 *
 * Processes need not wait during a repair. Their contributions wait in the host port
 * (hc_member_holds()), except for the rest of a contribution of which a part was sent; they receive
 * results that were passed to them before. When a socket is closed in the middle of a contribution,
 * the other members are notified when the plan has been repaired (hc_host_resume()). When the plan
 * or its fabric is removed, waiting contributions end as always (hc_member_destroy()).
 *
 * This file has what each member does; ring_repair_coord.c is the coordinator, ring_repair_check.c
 * checks received messages.
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

/* Seconds without a frame of the coordinator after which a waiting member sends REQUEST. */
#define SILENT_MAX	3

/* ------------------------------------------------------------ which members can be reached */

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

/* Return: an operation number such that no operation has used it or a higher one. It is also above
 * the number of the failure that broke the plan, so that control messages about that failure are
 * recognized as old when the plan has been repaired.
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

/* Reset the member's phase, so that it waits neither for other members nor for the coordinator, and
 * have the poll continue.
 */
static void member_calm(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);

	s->phase = REPAIR_NONE;
	s->called = false;
	s->silent = 0;
	/* If the plan is being removed, hc_member_again() has no effect, and the plan must not be
	 * counted.
	 */
	hc_member_again(m);
	if (!m->job.gone)
		repair_count(m);
}

/* Fail all pending operations of this member with the cause of the break. A process that has none
 * is notified of the failure at its next contribution. Return: true if a process was notified.
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

/* Stop this member, with the cause of the break from the coordinator's ASK. */
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

	/* The frame was delayed: this member is already in a later phase of the attempt. */
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

/* Number operations from @base on. No operation has used @base or a higher number. */
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

/* Resume the pending operations, or end them, as ASSIGN orders. Return: false if the member cannot
 * do that.
 */
static bool ops_take(struct hc_member *m, const struct hc_wire_repair *w)
{
	u64 base = be64_to_cpu(w->plan.op);

	if (w->flags & HC_REPAIR_F_RESUME)
		return hc_resume_apply(m, w);
	/* One event is reported for all members of this machine. */
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
	/* A repeated ASSIGN is only acknowledged: operations may already use its number. */
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

/* Record that the plan has been repaired. In each attempt the first member of this machine that
 * receives COMMIT or data does that.
 */
static void plan_go(struct hc_plan *plan, u64 ballot)
{
	/* Ballots may also fall: components of the plan that were not connected count separately.
	 */
	if (atomic64_xchg(&plan->went, ballot) == ballot)
		return;
	atomic_inc(&plan->repaired);
	WRITE_ONCE(plan->broken, false);
	/* Order this before the next report of a break. */
	smp_mb__before_atomic();
	clear_bit(1, &plan->breaking);
	clear_bit(0, &plan->breaking);
	trace_hc_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
	hc_notify_plan(plan, HYPERCUBE_CMD_PLAN_NTF);
}

/* Send data again: all members have their assignments. */
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

/* Is this member the coordinator of a repair that has reached only some of the members, so that it
 * has to look for the others?
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

/* Count this plan at the node while it must be notified of link-state updates. */
static void repair_count(struct hc_member *m)
{
	struct hc_repair *s = hc_repair_of(m);
	bool counts = hc_repair_tends(m);

	if (counts == !!s->counted)
		return;
	s->counted = counts ? m->node : NULL;
	atomic_add(counts ? 1 : -1, &m->node->work->repairing);
}

/* Record the logical clock of a frame: the number of links that the report of the fault has
 * crossed. @first: this member knew of no other fault.
 */
static void clock_take(struct hc_repair *s, u32 clock, bool first)
{
	first &= s->phase == REPAIR_NONE && !s->coord;
	s->clock = first ? clock : max(s->clock, clock);
}

/* The node @src does not have the plan: send it no more messages, and do not consider it to be the
 * coordinator.
 */
static void none_take(struct hc_member *m, u32 src, const struct hc_wire_repair *w)
{
	struct hc_repair *s = hc_repair_of(m);

	/* Ignore a reply to any attempt but the latest. */
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
	/* A message for which there was no memory is sent a second later. */
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

/* If the node itself has failed, its operations end and its processes are notified at once: no
 * repair will resume these operations at this node.
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

/* Must REQUEST be sent at once, because none was sent yet or link states have changed since the
 * last one?
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
	/* Set this even if there is no memory: the next REQUEST is sent a second later. */
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
