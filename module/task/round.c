// SPDX-License-Identifier: GPL-2.0
/*
 * Load balancing rounds: how they begin, spread, advance and end at a node. The methods, which
 * determine the tasks that migrate, are in round_*.c.
 *
 * A round is identified by a number and the node that has begun it. If a node receives a frame of a
 * round that is later than all rounds of which it has received frames, it joins that round, and
 * sends a frame of it to each neighbour. So the round spreads over all usable links, and the links
 * over which the nodes have received its first frame form a tree. In the round each node follows
 * the method. When a node has completed its own work, and all its children in the tree have
 * reported, the node reports to its parent. Once all nodes have reported to the node that began the
 * round, that node sends OVER down the tree. A node begins no other round before it has received
 * OVER or FAILED.
 *
 * In the rounds of RID (round_rid.c), only a node and its neighbours take part, so this method uses
 * only the triggers and the records of this file.
 *
 * Several nodes may begin rounds at once. The round with the greatest id (hc_round.id) is the
 * latest: a node that receives a later round leaves its present round, even if it has begun the
 * present round itself. The round that a node leaves is superseded. If a command has requested the
 * superseded round, the node that began it begins it again.
 *
 * A node that detects a fault ends the round with that cause and notifies its neighbours, which do
 * the same. For tasks that are migrating at that time, the migration goes on as in migrate_tx.c;
 * all other tasks stay at their nodes. So no round loses or duplicates a task, even if it fails: a
 * round only determines the number of tasks that each node migrates to each neighbour.
 *
 * Byzantine neighbours: a neighbour can begin rounds, end them, make a node migrate its tasks, and
 * refuse to take tasks. Its frames take no memory beyond its struct hc_round_link, which is
 * allocated in advance.
 */
#include <linux/hrtimer.h>
#include <linux/random.h>

#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "task/migrate.h"
#include "task/round.h"
#include "task/round_impl.h"
#include "task/task.h"
#include "trace.h"

/* Least and greatest time that a node without tasks waits after a round until it begins another
 * one. The time is doubled after each round in which no task has migrated.
 */
#define IDLE_MIN	(10ULL * NSEC_PER_MSEC)
#define IDLE_MAX	((u64)NSEC_PER_SEC)
/* Delay until a frame that could not be sent is made again. */
#define OWED		(2ULL * NSEC_PER_MSEC)
/* A round fails after this many stall timeouts without progress. The number is high, because a node
 * may wait for a chain of nodes, each of which waits for migrations over a slow link.
 */
#define STILL_MAX	30

struct hc_round *hc_round_of(const struct hc_node *node)
{
	/* Pairs with smp_store_release() in round_set.c. */
	return smp_load_acquire(&node->round);
}

void *hc_round_priv(const struct hc_node *node, struct hc_round *r)
{
	return &r->link[node->fabric->topo.ports];
}

bool hc_round_goes(const struct hc_round *r, unsigned int dim)
{
	return r->part & hc_bit(dim) && !(hc_round_theirs(r, dim) & HC_ROUND_F_OUT);
}

u32 hc_round_load(const struct hc_node *node)
{
	struct hc_tasks_stats stats;

	return hc_tasks_stats(node, &stats) ? stats.queued : 0;
}

/* ------------------------------------------------------------ tasks */

bool hc_round_give(struct hc_node *node, struct hc_round *r, unsigned int dim, u64 count)
{
	struct hc_round_link *l = &r->link[dim];
	u64 said;
	u32 sent;

	if (hc_round_word(l->said, l->nsaid, HC_ROUND_GAVE, 0, &said))
		return true;
	if (!(r->giving & hc_bit(dim)))
		hc_move_give(node, dim, HC_MOVE_ROUND, min_t(u64, count, U32_MAX), &l->sent0);
	r->giving |= hc_bit(dim);
	if (!hc_move_given(node, dim, HC_MOVE_ROUND, &sent))
		return false;
	r->giving &= ~hc_bit(dim);
	r->gave += sent - l->sent0;
	r->clock.progress = ktime_get_ns();
	hc_round_say(r, dim, HC_ROUND_GAVE, 0, sent - l->sent0);
	return true;
}

/* ------------------------------------------------------------ ending a round */

/* Compute when this node may begin the next round. The pause after a round is at least as long as
 * the round, so that rounds take at most half of the time. It is doubled after each round in which
 * no task has migrated.
 */
void hc_round_pause(struct hc_round *r, u64 took, bool moved)
{
	u64 wait = moved ? IDLE_MIN : clamp(2 * r->interval, IDLE_MIN, IDLE_MAX);

	r->ended = ktime_get_ns();
	r->dice = get_random_u32();
	r->took = took;
	r->interval = max(wait, took);
}

static void record(struct hc_node *node, struct hc_round *r)
{
	const struct hc_round_record rec = {
		.nr = hc_round_nr(r->id), .node = node->id, .method = r->ops->id,
		.trigger = r->trigger, .status = r->status, .cause_node = r->cause_node,
		.cause_dim = r->cause_dim, .members = r->members, .moved = r->moved,
		.began = r->clock.began, .took = r->took,
	};

	hc_round_record(node, r, &rec, true);
}

static void leave(struct hc_node *node, struct hc_round *r)
{
	hc_move_stay(node, r->giving, HC_MOVE_ROUND);
	r->giving = 0;
	r->state = HC_ROUND_IDLE;
}

/* End the round at this node, and send @flag (OVER or FAILED) to its neighbours. */
static void end(struct hc_node *node, struct hc_round *r, u8 flag, enum hc_round_event what)
{
	unsigned int d;

	leave(node, r);
	r->flags |= flag;
	hc_round_pause(r, ktime_get_ns() - r->clock.began, r->moved);
	/* FAILED is sent to all neighbours. OVER is sent to the children in the tree, and to
	 * neighbours that have not sent a frame of this round, since they may wait for this node in
	 * an earlier round.
	 */
	for (d = 0; d < node->fabric->topo.ports; d++)
		r->link[d].fresh = hc_round_theirs(r, d) & HC_ROUND_F_PARENT ||
				   r->link[d].id < r->id || flag & HC_ROUND_F_FAILED;
	trace_hc_round(node, what, r->id, r->ops->id, r->status);
	if (r->parent == HC_ROUND_NO_PARENT)
		record(node, r);
}

void hc_round_fail(struct hc_node *node, struct hc_round *r, int status, u32 cause_node,
		   u32 cause_dim)
{
	if (r->state == HC_ROUND_IDLE)
		return;
	r->status = status;
	r->cause_node = cause_node;
	r->cause_dim = cause_dim;
	r->moved = 0;
	end(node, r, HC_ROUND_F_FAILED, HC_ROUND_FAILED);
}

/* Leave the present round, because a later one supersedes it. If this node has begun it, it is
 * counted as superseded, but not recorded in the history; if a command has requested it, this node
 * will begin it again.
 */
void hc_round_superseded(struct hc_node *node, struct hc_round *r)
{
	struct hc_rounds *rounds = node->fabric->rounds;

	if (r->state == HC_ROUND_IDLE)
		return;
	leave(node, r);
	if (r->parent != HC_ROUND_NO_PARENT)
		return;
	trace_hc_round(node, HC_ROUND_SUPERSEDED, r->id, r->ops->id, 0);
	r->begun = r->answered;
	spin_lock_bh(&rounds->lock);
	rounds->stats.superseded++;
	spin_unlock_bh(&rounds->lock);
}

/* ------------------------------------------------------------ beginning a round */

u32 hc_round_usable_links(const struct hc_node *node)
{
	unsigned int d;
	u32 dims = 0;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (hc_link_usable(node, d))
			dims |= hc_bit(d);
	return dims;
}

void hc_round_join(struct hc_node *node, struct hc_round *r, u64 id,
		   const struct hc_round_ops *ops, unsigned int parent)
{
	unsigned int d;
	int err = 0;

	r->id = id;
	r->ops = ops;
	r->state = HC_ROUND_RUNS;
	r->parent = parent;
	r->flags = 0;
	r->part = hc_round_usable_links(node);
	r->out = false;
	r->members = 1;
	r->moved = 0;
	r->gave = 0;
	r->status = 0;
	r->cause_node = HC_CAUSE_NONE;
	r->cause_dim = HC_CAUSE_NONE;
	hc_round_clock_start(&r->clock);
	memset(hc_round_priv(node, r), 0, ops->size);
	for (d = 0; d < node->fabric->topo.ports; d++) {
		r->link[d].nsaid = 0;
		r->link[d].fresh = hc_round_goes(r, d);
	}
	trace_hc_round(node, parent == HC_ROUND_NO_PARENT ? HC_ROUND_BEGUN : HC_ROUND_JOINED, id,
		       ops->id, 0);
	if (ops->begin)
		err = ops->begin(node, r);
	if (parent != HC_ROUND_NO_PARENT && !hc_round_goes(r, parent))
		err = -ENOLINK;
	if (err)
		hc_round_fail(node, r, err, node->id, HC_CAUSE_NONE);
}

bool hc_round_start(struct hc_node *node, struct hc_round *r, const struct hc_round_ops *ops,
		    enum hypercube_trigger trigger)
{
	if (hc_round_nr(r->id) == HC_ROUND_NR_MAX) {
		hc_round_refuse(node, r, -EOVERFLOW);
		return false;
	}
	r->trigger = trigger;
	hc_round_join(node, r, (hc_round_nr(r->id) + 1) << 16 | node->id, ops, HC_ROUND_NO_PARENT);
	return true;
}

static bool begin(struct hc_node *node, struct hc_round *r, u32 method,
		  enum hypercube_trigger trigger)
{
	const struct hc_round_ops *ops = hc_round_method(method);

	return ops && ops->start(node, r, ops, trigger);
}

/* Return: the trigger of the round that this node must begin now, or 0. If it is known when a round
 * will be due, lower *@next to this time.
 */
static enum hypercube_trigger due(struct hc_node *node, struct hc_round *r, u64 now, u64 *next)
{
	const struct hc_rounds *rounds = node->fabric->rounds;
	u64 idle = r->ended + r->interval + (r->interval * r->dice >> 9);
	u64 period = (u64)READ_ONCE(rounds->period) * NSEC_PER_MSEC;
	u32 threshold = READ_ONCE(rounds->threshold);
	bool lacks = READ_ONCE(rounds->method) && threshold != HYPERCUBE_THRESHOLD_NONE &&
		     hc_round_load(node) <= threshold;
	u64 timed = r->ended + max(period + (period * r->dice >> 12), r->took);

	WRITE_ONCE(r->idle, lacks);
	if (lacks && now >= idle)
		return HYPERCUBE_TRIGGER_THRESHOLD;
	if (lacks)
		*next = min(*next, idle);
	if (!READ_ONCE(rounds->method) || !period)
		return 0;
	if (now >= timed)
		return HYPERCUBE_TRIGGER_PERIOD;
	*next = min(*next, timed);
	return 0;
}

/* Begin a round if a command has requested one, or else if one is due. Return: true if a round has
 * begun.
 */
static bool begin_due(struct hc_node *node, struct hc_round *r, u64 *next)
{
	/* Pairs with smp_store_release() in hc_round_ask(). */
	u32 asks = smp_load_acquire(&r->asks);
	enum hypercube_trigger trigger;
	u64 now = ktime_get_ns();

	if (READ_ONCE(node->failed))
		return false;
	if (asks != r->begun && now < r->ready) {
		*next = r->ready;
		return false;
	}
	if (asks != r->begun) {
		r->begun = asks;
		return begin(node, r, READ_ONCE(r->ask_method), HYPERCUBE_TRIGGER_COMMAND);
	}
	trigger = due(node, r, now, next);
	return trigger && begin(node, r, READ_ONCE(node->fabric->rounds->method), trigger);
}

bool hc_round_idle(const struct hc_node *node, u32 queued)
{
	const struct hc_rounds *rounds = node->fabric->rounds;
	u32 threshold = READ_ONCE(rounds->threshold);
	struct hc_round *r;

	if (likely(!READ_ONCE(rounds->method)) || threshold == HYPERCUBE_THRESHOLD_NONE ||
	    queued > threshold)
		return false;
	r = hc_round_of(node);
	if (!r || READ_ONCE(r->idle))
		return false;
	/* Only the first caller kicks the node; its poll then decides whether a round begins. */
	WRITE_ONCE(r->idle, true);
	return true;
}

/* ------------------------------------------------------------ advancing a round */

/* Return: true if all neighbours over whose links the round runs have joined it, and all children
 * of this node in the tree have reported.
 */
static bool reported(const struct hc_node *node, const struct hc_round *r)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++) {
		const struct hc_round_link *l = &r->link[d];

		if (!hc_round_goes(r, d) || d == r->parent)
			continue;
		if (l->id != r->id ||
		    (l->theirs & HC_ROUND_F_PARENT && !(l->theirs & HC_ROUND_F_REPORT)))
			return false;
	}
	return true;
}

/* Add up the reports of the children in the tree. If they have reported more nodes than the fabric
 * has, fail the round and return false.
 */
static bool add_up(struct hc_node *node, struct hc_round *r)
{
	u32 members = !r->out;
	unsigned int d;

	r->moved = r->gave;
	for (d = 0; d < node->fabric->topo.ports; d++) {
		const struct hc_wire_round *w = &r->link[d].last;

		if (d == r->parent || !(hc_round_theirs(r, d) & HC_ROUND_F_PARENT))
			continue;
		members += be32_to_cpu(w->members);
		if (members > node->fabric->topo.nodes) {
			hc_round_fail(node, r, -EPROTO, node->id, d);
			return false;
		}
		r->moved += be64_to_cpu(w->moved);
	}
	r->members = members;
	return true;
}

static void report(struct hc_node *node, struct hc_round *r)
{
	if (r->state != HC_ROUND_WAITS || r->flags & HC_ROUND_F_REPORT || !reported(node, r) ||
	    !add_up(node, r))
		return;
	if (r->parent == HC_ROUND_NO_PARENT) {
		end(node, r, HC_ROUND_F_OVER, HC_ROUND_DONE);
		return;
	}
	r->flags |= HC_ROUND_F_REPORT;
	r->link[r->parent].fresh = true;
}

/* End the round if the parent has sent OVER, which means that all nodes have reported. */
static void over(struct hc_node *node, struct hc_round *r)
{
	if (r->state != HC_ROUND_WAITS || !(r->flags & HC_ROUND_F_REPORT) ||
	    !(hc_round_theirs(r, r->parent) & HC_ROUND_F_OVER))
		return;
	r->moved = be64_to_cpu(r->link[r->parent].last.moved);
	end(node, r, HC_ROUND_F_OVER, HC_ROUND_DONE);
}

static void timer_arm(const struct hc_node *node, struct hc_round *r, u64 next)
{
	if (r->state != HC_ROUND_IDLE)
		next = min(next, hc_round_deadline(node, &r->clock));
	hc_rid_asks(node, r, &next);
	if (r->owed)
		next = min(next, ktime_get_ns() + OWED);
	if (next != U64_MAX)
		hrtimer_start(&r->timer, ns_to_ktime(next), HRTIMER_MODE_ABS_SOFT);
}

void hc_round_go(struct hc_node *node, struct hc_round *r)
{
	bool may_begin;
	u64 next;

	/* If a round begins, go through the loop again to advance it. At a node without neighbours
	 * the round may complete at once; but then no other round is due for a while, so the loop
	 * ends.
	 */
	do {
		next = U64_MAX;
		r->owed = false;
		may_begin = hc_round_follow(node, r, &next);
		if (may_begin) {
			if (r->state == HC_ROUND_RUNS && r->ops->advance(node, r))
				r->state = HC_ROUND_WAITS;
			report(node, r);
			over(node, r);
		}
		hc_round_flush(node, r);
		hc_rid_go(node, r);
	} while (may_begin && r->state == HC_ROUND_IDLE && !hc_rid_asks(node, r, &next) &&
		 begin_due(node, r, &next));
	timer_arm(node, r, next);
}

/* Advance rounds after a migration. If too few tasks are left at this node, this begins a round. */
void hc_round_moved(struct hc_node *node)
{
	struct hc_round *r = hc_round_of(node);

	if (r)
		hc_round_go(node, r);
}

/* ------------------------------------------------------------ faults and time */

void hc_round_clock_start(struct hc_round_clock *c)
{
	c->began = ktime_get_ns();
	c->progress = c->began;
}

/* Return: the time at which a round fails if it makes no progress. Without such a limit, a round
 * would wait for ever for a neighbour that never sends a value or flag.
 */
u64 hc_round_deadline(const struct hc_node *node, const struct hc_round_clock *c)
{
	u64 stall_timeout = (u64)READ_ONCE(node->fabric->stall_timeout) * NSEC_PER_MSEC;

	return stall_timeout ? c->progress + STILL_MAX * stall_timeout : U64_MAX;
}

void hc_round_cut(struct hc_node *node, u32 dims)
{
	struct hc_round *r = hc_round_of(node);

	if (!r || !dims)
		return;
	r->cut |= dims;
	hc_node_kick(node, HC_EV_ROUND);
}

void hc_round_again(struct hc_node *node, unsigned int dim)
{
	struct hc_round *r = hc_round_of(node);

	if (!r)
		return;
	r->link[dim].fresh |= r->state != HC_ROUND_IDLE;
	if (hc_rid_again(r, dim) || r->link[dim].fresh)
		hc_node_kick(node, HC_EV_ROUND);
}

/* Fail the rounds that use a link which was unusable, since frames that were in flight over it are
 * lost. The cause of the failure is the neighbour if it has failed, else the link.
 */
static void look_at_cut(struct hc_node *node, struct hc_round *r)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++) {
		bool died = test_bit(HC_PORT_FAILED, &node->ports[d].flags);
		u32 cause_node = died ? hc_node_peer(node, d) : node->id;
		u32 cause_dim = died ? HC_CAUSE_NONE : d;
		int status = died ? -EHOSTDOWN : -ENOLINK;

		if (!(r->cut & hc_bit(d)))
			continue;
		if (hc_round_goes(r, d))
			hc_round_fail(node, r, status, cause_node, cause_dim);
		if (hc_rid_needs(r, d))
			hc_rid_fail(node, r, status, cause_node, cause_dim);
	}
	r->cut = 0;
}

static void look_at_time(struct hc_node *node, struct hc_round *r)
{
	u64 now = ktime_get_ns(), due = U64_MAX;

	if (hc_rid_asks(node, r, &due) && now >= due)
		hc_rid_fail(node, r, -ETIMEDOUT, node->id, HC_CAUSE_NONE);
	if (r->state != HC_ROUND_IDLE && now >= hc_round_deadline(node, &r->clock))
		hc_round_fail(node, r, -ETIMEDOUT, node->id, HC_CAUSE_NONE);
}

void hc_round_event(struct hc_node *node)
{
	struct hc_round *r = hc_round_of(node);

	if (!r)
		return;
	if (READ_ONCE(node->failed)) {
		hc_round_fail(node, r, -EHOSTDOWN, node->id, HC_CAUSE_NONE);
		hc_rid_fail(node, r, -EHOSTDOWN, node->id, HC_CAUSE_NONE);
		hc_round_refuse(node, r, -EHOSTDOWN);
		r->cut = 0;
		return;
	}
	look_at_cut(node, r);
	look_at_time(node, r);
	hc_round_go(node, r);
}

void hc_round_stop(struct hc_node *node)
{
	struct hc_round *r = hc_round_of(node);

	if (r)
		hrtimer_cancel(&r->timer);
}
