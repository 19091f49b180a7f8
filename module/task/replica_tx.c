// SPDX-License-Identifier: GPL-2.0
/*
 * The replica sender: it sends replicas of this node's tasks to neighbours, which store them
 * (replica_store.c) in case this node fails.
 *
 * A task whose producer has requested a replica is in hc_tasks.lacking until its replica is sent.
 * For each usable link, one at a time, the first task of that list is sent in COPY frames, with a
 * number of this link's own, until the neighbour answers that it holds the replica. Workers get the
 * task only from the queue of this node. When the task is done or has left the node, a DROP is sent
 * to the neighbour. A DROP contains the numbers of many replicas. It is repeated until it is
 * answered, and is sent by unicast if the link has failed.
 *
 * If the link fails, the replica at its other end is still of use: the neighbour recovers it if
 * this node fails. But if the neighbour fails, too, this node cannot detect that. So the task is
 * replicated at another neighbour, and the first replica is dropped when the second neighbour holds
 * its replica. If the link is up again before that, the first replica stays. A neighbour that fails
 * has lost the replicas that it held.
 *
 * For a task that has migrated, no replica is sent: its previous node stores the task as a replica
 * (HC_TASK_KEEPS) for the node that has the task now. It does so from the moment at which this node
 * decides to take the task, so the task has a replica all the time.
 *
 * Byzantine neighbours: a neighbour that answers that it holds replicas, but does not store them,
 * harms only the tasks of the nodes that have sent them. The records of replicas that must be
 * dropped take memory at this node. So if a neighbour has not answered DROPs for REPLICA_DROPS_MAX
 * replicas, no more replicas are sent to it, and this node takes no task from it of which it stores
 * a replica.
 */
#include <linux/random.h>

#include "fabric/fabric.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "task/task.h"
#include "trace.h"

/* No replicas are sent to a neighbour that must drop this many replicas and has not answered. */
#define REPLICA_DROPS_MAX		1024
/* Pause before the next replica is sent to a neighbour that had no room or did not answer. */
#define REPLICA_REST		(200ULL * NSEC_PER_MSEC)

/**
 * struct hc_replica - a replica that a neighbour holds, or may hold
 * @list: entry in hc_way_replicas.live, .handed or .drops; in no list while the replica is being
 *	sent
 * @task: the task, or NULL if the neighbour must drop the replica
 * @number: number of the replica
 * @dim: dimension of the link to the neighbour
 * @handed: true if the task has migrated from this neighbour; then @number is the number of the
 *	migration
 */
struct hc_replica {
	struct list_head list;
	struct hc_task *task;
	u64 number;
	u8 dim;
	bool handed;
};

/* ------------------------------------------------------------ records */

void hc_replicas_init(struct hc_tasks *tasks)
{
	unsigned int d;

	INIT_LIST_HEAD(&tasks->lacking);
	for (d = 0; d < tasks->fabric->topo.ports; d++) {
		struct hc_way_replicas *sp = &tasks->way[d].replicas;

		INIT_LIST_HEAD(&sp->live);
		INIT_LIST_HEAD(&sp->handed);
		INIT_LIST_HEAD(&sp->drops);
		sp->number = get_random_u64();
		sp->word = get_random_u64();
	}
}

static struct hc_replica *replica_new(struct hc_tasks *tasks, unsigned int dim,
				      struct hc_task *task,
				      u64 number, bool handed)
{
	struct hc_replica *s = hc_poll_alloc(tasks->fabric, sizeof(*s));

	lockdep_assert_held(&tasks->lock);
	if (!s)
		return NULL;
	INIT_LIST_HEAD(&s->list);
	s->task = task;
	s->number = number;
	s->dim = dim;
	s->handed = handed;
	tasks->stats.bytes += sizeof(*s);
	return s;
}

static void replica_free(struct hc_tasks *tasks, struct hc_replica *s)
{
	list_del(&s->list);
	tasks->stats.bytes -= sizeof(*s);
	hc_poll_free(tasks->fabric, s, sizeof(*s));
}

/* Put a replica into the list of replicas that the neighbour must drop. */
static void replica_drop(struct hc_tasks *tasks, struct hc_replica *s)
{
	struct hc_way_replicas *sp = &tasks->way[s->dim].replicas;

	s->task = NULL;
	list_move_tail(&s->list, &sp->drops);
	sp->ndrops++;
}

void hc_replica_want(struct hc_tasks *tasks, struct hc_task *task)
{
	lockdep_assert_held(&tasks->lock);
	WRITE_ONCE(tasks->copying, true);
	if (list_empty(&task->lack))
		list_add_tail(&task->lack, &tasks->lacking);
}

bool hc_replica_forget(struct hc_tasks *tasks, struct hc_task *task)
{
	bool notified = task->copy || task->coming;

	lockdep_assert_held(&tasks->lock);
	list_del_init(&task->lack);
	if (task->coming) {
		tasks->way[task->coming->dim].replicas.now = NULL;
		replica_drop(tasks, task->coming);
		task->coming = NULL;
	}
	if (task->copy) {
		tasks->stats.replicated--;
		replica_drop(tasks, task->copy);
		task->copy = NULL;
	}
	return notified;
}

/* Record the replica that the previous node of a migrated task has stored. The record takes memory
 * until the neighbour has answered a DROP with the replica's number, so there is a bound for the
 * number of replicas that a neighbour must still drop.
 */
bool hc_replica_given(struct hc_tasks *tasks, unsigned int dim, struct hc_task *task, u64 move)
{
	if (tasks->way[dim].replicas.ndrops >= REPLICA_DROPS_MAX)
		return false;
	task->copy = replica_new(tasks, dim, task, move, true);
	if (!task->copy)
		return false;
	list_add_tail(&task->copy->list, &tasks->way[dim].replicas.handed);
	tasks->stats.replicated++;
	WRITE_ONCE(tasks->copying, true);
	return true;
}

/* ------------------------------------------------------------ failures */

bool hc_replica_survives(const struct hc_tasks *tasks, const struct hc_task *task, bool maybe)
{
	if (task->copy && !hc_neigh_lost(tasks, task->copy->dim) &&
	    (maybe || !hc_neigh_unseen(tasks, task->copy->dim)))
		return true;
	return maybe && task->coming && !hc_neigh_lost(tasks, task->coming->dim);
}

/* Free the record of a replica that the neighbour does not hold any more. If the task still exists,
 * its replica will be sent to another neighbour.
 */
static void replica_orphan(struct hc_tasks *tasks, struct hc_replica *s)
{
	if (s->task) {
		s->task->copy = NULL;
		tasks->stats.replicated--;
		if (!s->task->coming)
			hc_replica_want(tasks, s->task);
	}
	replica_free(tasks, s);
}

static void replicas_orphan(struct hc_tasks *tasks, struct list_head *list)
{
	struct hc_replica *s, *next;

	list_for_each_entry_safe(s, next, list, list)
		replica_orphan(tasks, s);
}

/* Call replica_orphan() for the replicas in @list with numbers up to @upto. The list is in
 * ascending order of these numbers.
 */
static void replicas_orphan_upto(struct hc_tasks *tasks, struct list_head *list, u64 upto)
{
	struct hc_replica *s, *next;

	list_for_each_entry_safe(s, next, list, list) {
		if (!hc_task_upto(s->number, upto))
			break;
		replica_orphan(tasks, s);
	}
}

/* Stop sending the present replica over this link; it will be sent over another link. Return: the
 * record of the replica.
 */
static struct hc_replica *copy_end(struct hc_tasks *tasks, struct hc_way_replicas *sp)
{
	struct hc_replica *s = sp->now;

	list_add(&s->task->lack, &tasks->lacking);
	s->task->coming = NULL;
	sp->now = NULL;
	return s;
}

void hc_replicas_orphan_given(struct hc_tasks *tasks, unsigned int dim, u64 upto)
{
	replicas_orphan_upto(tasks, &tasks->way[dim].replicas.handed, upto);
}

void hc_replicas_orphan_sent(struct hc_tasks *tasks, unsigned int dim, u64 upto)
{
	struct hc_way_replicas *sp = &tasks->way[dim].replicas;

	if (sp->now && hc_task_upto(sp->number, upto))
		replica_drop(tasks, copy_end(tasks, sp));
	replicas_orphan_upto(tasks, &sp->live, upto);
}

/* Forget all replicas at a neighbour that has failed. Segments that were sent before may be
 * received by the neighbour after it is in service again. If they are a complete replica, a DROP
 * removes it. If they are a complete task, the LOST reports that this node holds no replica of it.
 */
void hc_replicas_orphan(struct hc_tasks *tasks, unsigned int dim)
{
	struct hc_way_replicas *sp = &tasks->way[dim].replicas;

	lockdep_assert_held(&tasks->lock);
	replicas_orphan(tasks, &sp->live);
	replicas_orphan(tasks, &sp->handed);
	replicas_orphan(tasks, &sp->drops);
	sp->ndrops = 0;
	sp->saying = false;
	if (sp->now)
		replica_drop(tasks, copy_end(tasks, sp));
	if (!sp->lost)
		sp->had = (struct hc_wire_task_lost){};
	sp->lost = tasks->copying;
	sp->had.gave = cpu_to_be64(tasks->way[dim].out.move);
	sp->had.known |= cpu_to_be32(HC_TASK_LOST_GAVE);
}

/* Return: the payload of the LOST that must be sent over link @way if this node fails now. */
static struct hc_wire_task_lost lost_had(const struct hc_way *way)
{
	return (struct hc_wire_task_lost){
		.sent = cpu_to_be64(way->replicas.number), .gave = cpu_to_be64(way->out.move),
		.taken = cpu_to_be64(way->in.closed), .kept = cpu_to_be64(way->copies.closed),
		.known = cpu_to_be32(HC_TASK_LOST_SENT | HC_TASK_LOST_GAVE |
				     (way->in.known ? HC_TASK_LOST_TAKEN : 0) |
				     (way->copies.known ? HC_TASK_LOST_KEPT : 0)),
	};
}

/* Forget all replicas, since this node has failed and has lost all its tasks. If it is in service
 * again at once, its neighbours may not detect that it has failed, and may receive frames that it
 * sent before. So LOST contains the numbers up to which all tasks and replicas are lost.
 */
void hc_replicas_lose(struct hc_tasks *tasks)
{
	unsigned int d;

	for (d = 0; d < tasks->fabric->topo.ports; d++) {
		struct hc_way *way = &tasks->way[d];

		hc_replicas_orphan(tasks, d);
		way->replicas.had = lost_had(way);
	}
}

/* ------------------------------------------------------------ sending */

static bool copy_may_begin(const struct hc_tasks *tasks, unsigned int dim)
{
	const struct hc_way_replicas *sp = &tasks->way[dim].replicas;

	return !sp->now && !sp->lost && sp->ndrops < REPLICA_DROPS_MAX &&
	       !list_empty(&tasks->lacking) &&
	       hc_link_usable(tasks->node, dim) && hc_tasks_served(tasks);
}

static void copy_begin(struct hc_tasks *tasks, unsigned int dim, u64 now)
{
	struct hc_way_replicas *sp = &tasks->way[dim].replicas;
	struct hc_task *task;

	if (!copy_may_begin(tasks, dim) || now < sp->rest)
		return;
	task = list_first_entry(&tasks->lacking, struct hc_task, lack);
	task->coming = replica_new(tasks, dim, task, sp->number + 1, false);
	if (!task->coming) {
		sp->rest = now + REPLICA_REST;
		return;
	}
	list_del_init(&task->lack);
	sp->now = task->coming;
	sp->number++;
	sp->pace = (struct hc_task_pace){ .due = now };
}

/* Return: the task of which a replica must be sent now, with a reference; NULL if there is none. */
static struct hc_task *copy_due(struct hc_tasks *tasks, unsigned int dim, u64 now)
{
	struct hc_way_replicas *sp = &tasks->way[dim].replicas;

	copy_begin(tasks, dim, now);
	if (!sp->now || now < sp->pace.due || hc_task_waits(tasks->node, dim, &sp->pace, now))
		return NULL;
	if (sp->pace.tries == HC_TASK_TRIES) {
		replica_drop(tasks, copy_end(tasks, sp));
		sp->rest = now + REPLICA_REST;
		return NULL;
	}
	hc_task_sent(&sp->pace, now);
	refcount_inc(&sp->now->task->ref);
	return sp->now->task;
}

static void cut_list(struct hc_tasks *tasks, const struct list_head *list, bool cut)
{
	struct hc_replica *s;

	list_for_each_entry(s, list, list) {
		if (!cut)
			list_del_init(&s->task->lack);
		else if (!s->task->coming)
			hc_replica_want(tasks, s->task);
	}
}

/* Act on a change of the link along @dim. If it has failed, request that the tasks whose replicas
 * are at its other end get replicas at other neighbours; if it is up again, withdraw these
 * requests.
 */
static void cut_look(struct hc_tasks *tasks, unsigned int dim)
{
	struct hc_way_replicas *sp = &tasks->way[dim].replicas;
	bool cut = !hc_link_usable(tasks->node, dim);

	if (cut && sp->now)
		replica_drop(tasks, copy_end(tasks, sp));
	if (cut == sp->cut)
		return;
	sp->cut = cut;
	sp->rest = 0;
	cut_list(tasks, &sp->live, cut);
	cut_list(tasks, &sp->handed, cut);
}

/* ------------------------------------------------------------ control messages */

/* Return: the lowest number of a replica that is held or being sent. The neighbour may drop all
 * replicas with lower numbers.
 */
static u64 drop_floor(struct hc_way_replicas *sp)
{
	const struct hc_replica *first;

	first = list_first_entry_or_null(&sp->live, struct hc_replica, list) ?: sp->now;
	return first ? first->number : sp->number + 1;
}

/* Return: the number of entries at the head of @sp->drops that fit into one DROP. All replicas in a
 * DROP are of the same kind.
 */
static unsigned int drop_count(const struct hc_way_replicas *sp)
{
	const struct hc_replica *s = list_first_entry(&sp->drops, struct hc_replica, list);
	bool handed = s->handed;
	unsigned int n = 0;

	list_for_each_entry(s, &sp->drops, list)
		if (s->handed != handed || ++n == HC_TASK_DROPS)
			break;
	return n;
}

static struct sk_buff *drop_make(const struct hc_tasks *tasks, struct hc_way_replicas *sp)
{
	struct sk_buff *skb = hc_task_word(tasks->node, HC_TASK_F_DROP, sp->word,
					   sp->said * sizeof(__be64));
	const struct hc_replica *s;
	unsigned int i = 0;
	__be64 *says;

	if (!skb)
		return NULL;
	says = (__be64 *)(skb->data + HC_TASK_HEAD);
	list_for_each_entry(s, &sp->drops, list) {
		if (s->handed)
			hc_wire_task_of(skb)->flags = HC_TASK_KEEPS;
		else
			hc_wire_task_of(skb)->nr = cpu_to_be64(drop_floor(sp));
		says[i++] = cpu_to_be64(s->number);
		if (i == sp->said)
			break;
	}
	return skb;
}

static struct sk_buff *lost_make(const struct hc_tasks *tasks, const struct hc_way_replicas *sp)
{
	struct sk_buff *skb = hc_task_word(tasks->node, HC_TASK_F_LOST, sp->word, sizeof(sp->had));

	if (skb)
		memcpy(skb->data + HC_TASK_HEAD, &sp->had, sizeof(sp->had));
	return skb;
}

/* Return: true if there is a control message for the neighbour along @dim that can be sent now. A
 * LOST must arrive after all frames that were sent before it, so it is sent only over the link. A
 * DROP is not sent if the neighbour has failed.
 */
static bool word_may_go(const struct hc_tasks *tasks, unsigned int dim)
{
	const struct hc_way_replicas *sp = &tasks->way[dim].replicas;

	if (sp->lost)
		return hc_link_usable(tasks->node, dim);
	return sp->ndrops && !test_bit(HC_PORT_FAILED, &tasks->node->ports[dim].flags);
}

/* Return: the control message that must be sent now, or NULL. @links: true if links may have
 * changed.
 */
static struct sk_buff *word_due(struct hc_tasks *tasks, unsigned int dim, bool links, u64 now)
{
	struct hc_way_replicas *sp = &tasks->way[dim].replicas;

	if (!word_may_go(tasks, dim) || (sp->saying && now < sp->again && !links))
		return NULL;
	if (!sp->saying) {
		sp->saying = true;
		sp->said = sp->lost ? 0 : drop_count(sp);
		sp->word++;
		sp->repeats = 0;
	}
	sp->again = now + hc_task_pause(sp->repeats);
	sp->repeats = min(sp->repeats + 1, 255);
	return sp->said ? drop_make(tasks, sp) : lost_make(tasks, sp);
}

/* Act on the answer to the control message: if it is a DROP, free the records of the replicas whose
 * numbers it contained.
 */
static void word_done(struct hc_tasks *tasks, struct hc_way_replicas *sp)
{
	if (!sp->said)
		sp->lost = false;
	sp->saying = false;
	while (sp->said) {
		replica_free(tasks, list_first_entry(&sp->drops, struct hc_replica, list));
		sp->said--;
		sp->ndrops--;
	}
}

/* ------------------------------------------------------------ the poll */

u64 hc_replica_due(const struct hc_tasks *tasks, unsigned int dim)
{
	const struct hc_way_replicas *sp = &tasks->way[dim].replicas;
	u64 due = U64_MAX;

	lockdep_assert_held(&tasks->lock);
	if (sp->now)
		due = sp->pace.due;
	else if (copy_may_begin(tasks, dim))
		due = sp->rest;
	return word_may_go(tasks, dim) ? min(due, sp->saying ? sp->again : 0) : due;
}

void hc_replica_step(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, bool links,
		     u64 now)
{
	struct hc_wire_task as = { .what = HC_TASK_F_COPY };
	struct sk_buff *word;
	struct hc_task *task;

	/* If tasks never have replicas at this node, return without taking the lock: @copying is
	 * set before the first replica is requested or stored.
	 */
	if (!READ_ONCE(tasks->copying))
		return;
	spin_lock_bh(&tasks->lock);
	cut_look(tasks, dim);
	task = copy_due(tasks, dim, now);
	as.move = cpu_to_be64(tasks->way[dim].replicas.number);
	word = word_due(tasks, dim, links, now);
	spin_unlock_bh(&tasks->lock);
	hc_task_say(node, dim, word);
	if (!task)
		return;
	hc_task_send(node, dim, task, &as);
	hc_task_put(node->fabric, task);
}

/* Act on the answer that the neighbour holds the replica: if another neighbour holds a replica of
 * the task, that one must drop it.
 */
static void copy_kept(struct hc_tasks *tasks, struct hc_way_replicas *sp)
{
	struct hc_replica *s = sp->now;
	struct hc_task *task = s->task;

	sp->now = NULL;
	task->coming = NULL;
	if (task->copy)
		replica_drop(tasks, task->copy);
	else
		tasks->stats.replicated++;
	task->copy = s;
	list_add_tail(&s->list, &sp->live);
	trace_hc_task(tasks->node, HC_TASK_REPLICATED, &task->id);
}

/* Process an answer. It has no effect if the message or replica to which it belongs has been
 * cancelled. Return: false if @number is not among the last HC_TASK_AHEAD_MAX numbers that this
 * node has used, so that the answer cannot be one to a frame of this node.
 */
static bool answered(struct hc_tasks *tasks, struct hc_way_replicas *sp, u8 what, u64 number,
		     u64 now)
{
	if (what == HC_TASK_F_DROPPED) {
		if (number == sp->word && sp->saying)
			word_done(tasks, sp);
		return sp->word - number < HC_TASK_AHEAD_MAX;
	}
	if (sp->now && number == sp->number) {
		if (what == HC_TASK_F_KEPT) {
			copy_kept(tasks, sp);
		} else {
			replica_free(tasks, copy_end(tasks, sp));
			sp->rest = now + REPLICA_REST;
		}
	}
	return sp->number - number < HC_TASK_AHEAD_MAX;
}

bool hc_replica_rx(struct hc_node *node, struct hc_tasks *tasks, unsigned int dim, u8 what,
		   u64 number)
{
	struct hc_way_replicas *sp = &tasks->way[dim].replicas;
	u64 now = ktime_get_ns();
	bool known, room;

	spin_lock_bh(&tasks->lock);
	room = !hc_tasks_room(tasks);
	known = answered(tasks, sp, what, number, now);
	room = room && hc_tasks_room(tasks);
	spin_unlock_bh(&tasks->lock);
	if (room)
		hc_tasks_wake(tasks, HC_TASK_WRITERS);
	return known;
}
