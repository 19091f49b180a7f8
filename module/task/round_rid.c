// SPDX-License-Identifier: GPL-2.0
/*
 * Receiver-initiated diffusion (RID): a node that lacks tasks asks its neighbours for their loads,
 * computes the mean of these loads and its own load, and requests from each neighbour a share of
 * the tasks by which its own load is below the mean.
 *
 * Only the node and its neighbours take part in such a round. Each node numbers its own rounds, and
 * its neighbours store the last number: they answer only the latest round of a node. To answer with
 * its load, and to migrate tasks that are in its queue, a node waits for no third node, so no cycle
 * of nodes that wait for each other can arise. Two nodes may send each other requests, and may be
 * in a round of another method at the same time. The requested tasks migrate as described in
 * migrate_tx.c, as far as they are still in the queue. After that, their number (GAVE) is sent to
 * the requester.
 *
 * The round fails if a link fails over which an answer is outstanding, or if no answer is received
 * before the deadline. Even then, tasks that were requested may arrive.
 *
 * Byzantine neighbours: a neighbour can make a node migrate its tasks, and can report tasks that it
 * does not have. The memory for each neighbour is fixed.
 */
#include <linux/build_bug.h>

#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_quota.h"
#include "hc_topo.h"
#include "task/migrate.h"
#include "task/round_impl.h"
#include "trace.h"

/* A number of tasks that no node reaches. Greater values in frames are replaced by it, so that sums
 * fit in 64 bits.
 */
#define LOAD_MAX	(1ULL << 28)

enum ask_step {
	ASK_NOTHING,
	ASK_LOAD,	/* wait for the neighbour's load */
	ASK_KNOWN,	/* the neighbour's load was received */
	ASK_GAVE,	/* wait for the neighbour's tasks, and then for its GAVE */
	ASK_DONE,	/* GAVE was received, or no tasks were requested */
};

/**
 * struct hc_rid_ask - the node's request to a neighbour
 * @step: enum ask_step
 * @fresh: true if the request must be sent
 * @load: number of tasks that the neighbour has
 * @want: number of tasks that are requested
 * @gave: number of tasks that have migrated from the neighbour, as in its GAVE
 */
struct hc_rid_ask {
	u8 step;
	bool fresh;
	u64 load;
	u64 want;
	u64 gave;
};

enum serve_step {
	SERVE_NOTHING,
	SERVE_NEW,	/* the request is new; tasks of an earlier request may be migrating */
	SERVE_LOAD,	/* the load was sent */
	SERVE_GIVES,	/* the requested tasks are migrating */
	SERVE_GAVE,	/* the requested tasks that were still in the queue have migrated */
};

/**
 * struct hc_rid_serve - a neighbour's request to the node
 * @nr: number of the neighbour's round
 * @step: enum serve_step
 * @fresh: true if an answer must be sent
 * @load: number of tasks in this node's queue when it answered
 * @want: number of tasks that the neighbour requests; 0 until it has sent the number
 * @sent0: number of tasks that had migrated to the neighbour for its earlier requests
 * @gave: number of tasks that have migrated to the neighbour in this round
 */
struct hc_rid_serve {
	u64 nr;
	u8 step;
	bool fresh;
	u32 load;
	u32 want;
	u32 sent0;
	u32 gave;
};

struct hc_rid_link {
	struct hc_rid_ask ask;
	struct hc_rid_serve serve;
};

/**
 * struct hc_rid - RID rounds of a node and its neighbours; only the node's poll accesses it
 * @nr: number of the last round that the node has begun
 * @asks: true if this round is under way
 * @trigger: enum hypercube_trigger of that round
 * @clock: times of that round
 * @link: requests in both directions, for each link
 */
struct hc_rid {
	u64 nr;
	bool asks;
	u8 trigger;
	struct hc_round_clock clock;
	struct hc_rid_link link[];
};

size_t hc_rid_size(const struct hc_fabric *fabric)
{
	return struct_size_t(struct hc_rid, link, fabric->topo.ports);
}

bool hc_rid_asks(const struct hc_node *node, const struct hc_round *r, u64 *next)
{
	if (r->rid->asks)
		*next = min(*next, hc_round_deadline(node, &r->rid->clock));
	return r->rid->asks;
}

/* ------------------------------------------------------------ rounds that this node has begun */

static bool start(struct hc_node *node, struct hc_round *r, const struct hc_round_ops *ops,
		  enum hypercube_trigger trigger)
{
	u32 usable = hc_round_usable_links(node);
	struct hc_rid *p = r->rid;
	unsigned int d;

	p->nr++;
	p->asks = true;
	p->trigger = trigger;
	hc_round_clock_start(&p->clock);
	for (d = 0; d < node->fabric->topo.ports; d++) {
		bool part = usable & hc_bit(d);

		p->link[d].ask = (struct hc_rid_ask){
			.step = part ? ASK_LOAD : ASK_NOTHING, .fresh = part,
		};
	}
	trace_hc_round(node, HC_ROUND_BEGUN, p->nr << 16 | node->id, ops->id, 0);
	return true;
}

static void add_up(const struct hc_node *node, const struct hc_rid *p, struct hc_round_record *rec)
{
	unsigned int d;

	rec->members = 1;
	for (d = 0; d < node->fabric->topo.ports; d++) {
		rec->members += p->link[d].ask.step != ASK_NOTHING;
		rec->moved += p->link[d].ask.gave;
	}
}

/* Return: true if a round must be recorded and notified. As long as neither a node nor its
 * neighbours have tasks, the node begins one round after another: such rounds are only counted.
 */
static bool worth_telling(const struct hc_round_record *rec)
{
	return rec->status || rec->moved || rec->trigger == HYPERCUBE_TRIGGER_COMMAND;
}

static void end(struct hc_node *node, struct hc_round *r, int status, u32 cause_node,
		u32 cause_dim)
{
	struct hc_rid *p = r->rid;
	struct hc_round_record rec = {
		.nr = p->nr, .node = node->id, .method = HYPERCUBE_BALANCE_RID,
		.trigger = p->trigger, .status = status, .cause_node = cause_node,
		.cause_dim = cause_dim, .began = p->clock.began,
	};

	p->asks = false;
	add_up(node, p, &rec);
	rec.took = ktime_get_ns() - p->clock.began;
	hc_round_pause(r, rec.took, rec.moved);
	trace_hc_round(node, status ? HC_ROUND_FAILED : HC_ROUND_DONE, p->nr << 16 | node->id,
		       rec.method, status);
	hc_round_record(node, r, &rec, worth_telling(&rec));
}

void hc_rid_fail(struct hc_node *node, struct hc_round *r, int status, u32 cause_node,
		 u32 cause_dim)
{
	if (r->rid->asks)
		end(node, r, status, cause_node, cause_dim);
}

static bool any_at(const struct hc_node *node, const struct hc_rid *p, enum ask_step step)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (p->link[d].ask.step == step)
			return true;
	return false;
}

/* Compute the number of tasks to request from each neighbour. All loads have been received. */
static void want(struct hc_node *node, struct hc_rid *p)
{
	u64 load[HC_LIB_DIM_MAX] = {}, wish[HC_LIB_DIM_MAX] = {};
	u32 links = 0;
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++) {
		if (p->link[d].ask.step != ASK_KNOWN)
			continue;
		links |= hc_bit(d);
		load[d] = p->link[d].ask.load;
	}
	hc_rid_wishes(hc_round_load(node), links, load, wish);
	for (d = 0; d < node->fabric->topo.ports; d++) {
		struct hc_rid_ask *a = &p->link[d].ask;

		if (a->step != ASK_KNOWN)
			continue;
		a->want = wish[d];
		a->step = a->want ? ASK_GAVE : ASK_DONE;
		a->fresh = a->want;
	}
}

static void ask(struct hc_node *node, struct hc_round *r)
{
	struct hc_rid *p = r->rid;

	if (any_at(node, p, ASK_LOAD))
		return;
	if (any_at(node, p, ASK_KNOWN))
		want(node, p);
	if (!any_at(node, p, ASK_GAVE))
		end(node, r, 0, HC_CAUSE_NONE, HC_CAUSE_NONE);
}

/* The round also depends on a neighbour that has sent its load, since tasks may be requested from
 * it when all loads have been received.
 */
bool hc_rid_needs(const struct hc_round *r, unsigned int dim)
{
	u8 step = r->rid->link[dim].ask.step;

	return r->rid->asks && step != ASK_NOTHING && step != ASK_DONE;
}

bool hc_rid_again(struct hc_round *r, unsigned int dim)
{
	struct hc_rid_ask *a = &r->rid->link[dim].ask;

	a->fresh |= a->step == ASK_LOAD || a->step == ASK_GAVE;
	return r->rid->asks && a->fresh;
}

/* ------------------------------------------------------------ rounds that neighbours have begun */

/* Advance the round of the neighbour along @dim as far as possible. */
static void serve(struct hc_node *node, struct hc_rid_serve *s, unsigned int dim)
{
	u32 sent;

	switch (s->step) {
	case SERVE_NEW:
		if (!hc_move_given(node, dim, HC_MOVE_ASKED, &sent))
			return;
		s->load = hc_round_load(node);
		s->step = SERVE_LOAD;
		s->fresh = true;
		fallthrough;
	case SERVE_LOAD:
		if (!s->want)
			return;
		hc_move_give(node, dim, HC_MOVE_ASKED, s->want, &s->sent0);
		s->step = SERVE_GIVES;
		fallthrough;
	case SERVE_GIVES:
		if (!hc_move_given(node, dim, HC_MOVE_ASKED, &sent))
			return;
		s->gave = sent - s->sent0;
		s->step = SERVE_GAVE;
		s->fresh = true;
	}
}

/* ------------------------------------------------------------ frames */

static bool rid_send(struct hc_node *node, struct hc_round *r, unsigned int dim, u64 id,
		     const u64 *word, unsigned int n)
{
	const struct hc_wire_round w = {
		.round = cpu_to_be64(id), .method = HYPERCUBE_BALANCE_RID,
		.node = cpu_to_be16(HC_CAUSE_NONE), .dim = cpu_to_be16(HC_CAUSE_NONE),
	};

	return hc_round_xmit(node, r, dim, &w, word, n);
}

static void link_flush(struct hc_node *node, struct hc_round *r, unsigned int dim)
{
	struct hc_rid_serve *s = &r->rid->link[dim].serve;
	struct hc_rid_ask *a = &r->rid->link[dim].ask;
	const u64 asks = hc_round_word_make(HC_ROUND_WANT, 0, a->want);
	const u64 answers[] = {
		hc_round_word_make(HC_ROUND_LOAD, 0, s->load),
		hc_round_word_make(HC_ROUND_GAVE, 0, s->gave),
	};

	if (r->rid->asks && a->fresh)
		a->fresh = !rid_send(node, r, dim, r->rid->nr << 16 | node->id, &asks,
				     a->step == ASK_GAVE);
	if (s->fresh)
		s->fresh = !rid_send(node, r, dim, s->nr << 16 | hc_node_peer(node, dim), answers,
				     s->step == SERVE_GAVE ? 2 : 1);
}

void hc_rid_go(struct hc_node *node, struct hc_round *r)
{
	unsigned int d;

	if (r->rid->asks)
		ask(node, r);
	for (d = 0; d < node->fabric->topo.ports; d++) {
		serve(node, &r->rid->link[d].serve, d);
		if (hc_link_usable(node, d))
			link_flush(node, r, d);
	}
}

/* Process an answer in the round that this node has begun. */
static void answer_rx(struct hc_node *node, struct hc_round *r, unsigned int dim, u64 nr,
		      const u64 *word, unsigned int n)
{
	struct hc_rid *p = r->rid;
	struct hc_rid_ask *a = &p->link[dim].ask;
	u64 v;

	if (nr != p->nr || !p->asks)
		return;
	if (a->step == ASK_LOAD && hc_round_word(word, n, HC_ROUND_LOAD, 0, &v)) {
		a->load = min(v, LOAD_MAX);
		a->step = ASK_KNOWN;
		p->clock.progress = ktime_get_ns();
	} else if (a->step == ASK_GAVE && hc_round_word(word, n, HC_ROUND_GAVE, 0, &v)) {
		if (v > a->want) {
			end(node, r, -EPROTO, node->id, dim);
			return;
		}
		a->gave = v;
		a->step = ASK_DONE;
		p->clock.progress = ktime_get_ns();
	}
}

/* Process a request of the neighbour along @dim. */
static void asking_rx(struct hc_node *node, struct hc_rid *p, unsigned int dim, u64 nr,
		      const u64 *word, unsigned int n)
{
	struct hc_rid_serve *s = &p->link[dim].serve;
	u64 v;

	if (nr < s->nr)
		return;
	if (nr > s->nr) {
		hc_move_stay(node, hc_bit(dim), HC_MOVE_ASKED);
		*s = (struct hc_rid_serve){ .nr = nr, .step = SERVE_NEW };
		trace_hc_round(node, HC_ROUND_JOINED, nr << 16 | hc_node_peer(node, dim),
			       HYPERCUBE_BALANCE_RID, 0);
	}
	if (!s->want && hc_round_word(word, n, HC_ROUND_WANT, 0, &v))
		s->want = min(v, LOAD_MAX);
}

static bool words_are(const u64 *word, unsigned int n, u32 kinds)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!(BIT(word[i] >> 56) & kinds) || word[i] >> HC_ROUND_VALUE_BITS & U8_MAX)
			return false;
	return true;
}

static bool rx(struct hc_node *node, struct hc_round *r, unsigned int dim,
	       const struct hc_wire_round *w, const u64 *word, unsigned int n)
{
	u64 id = be64_to_cpu(w->round), nr = hc_round_nr(id);
	u32 asker = id & U16_MAX;

	if (w->flags)
		return false;
	if (asker == node->id && words_are(word, n, BIT(HC_ROUND_LOAD) | BIT(HC_ROUND_GAVE)))
		answer_rx(node, r, dim, nr, word, n);
	else if (asker == hc_node_peer(node, dim) && words_are(word, n, BIT(HC_ROUND_WANT)))
		asking_rx(node, r->rid, dim, nr, word, n);
	else
		return false;
	return true;
}

const struct hc_round_ops hc_round_rid = {
	.id		= HYPERCUBE_BALANCE_RID,
	.words		= BIT(HC_ROUND_LOAD) | BIT(HC_ROUND_WANT) | BIT(HC_ROUND_GAVE),
	.start		= start,
	.rx		= rx,
};
