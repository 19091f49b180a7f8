// SPDX-License-Identifier: GPL-2.0
/*
 * Simulation of nodes that execute tasks and ask for balancing when they run out of them.
 *
 * Each node in the heap is due at some time: when its task ends, or when it has waited long enough
 * to ask for balancing again. Time that balancing costs a node while it executes a task lengthens
 * that task (local charge), or delays the beginning of the next one (phase charge).
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "balance_impl.h"
#include "balance_sim.h"
#include "hc_quota.h"
#include "memory.h"
#include "splitmix.h"

#define NO_NODE UINT32_MAX

/* The ends of a node's queue of tasks. */
enum { FIRST, LAST };

/**
 * struct worker - a simulated node
 * @mean: mean time of its own tasks (the paper's E[tau])
 * @end: first and last task of its queue, or NO_NODE
 * @waiting: number of tasks in its queue
 * @drawn: number of tasks whose time was drawn from this node's random numbers
 * @running: the node is executing a task
 * @listed: the node is in the heap
 * @owed: time that balancing adds to the task that the node executes
 * @hold: the node begins no task before this time
 * @asked: when the last balancing that the node asked for ended
 * @pause: time, beyond the interval, that the node waits after @asked before it asks again
 */
struct worker {
	double mean;
	uint32_t end[2];
	uint32_t waiting;
	uint32_t drawn;
	bool running;
	bool listed;
	double owed;
	double hold;
	double asked;
	double pause;
};

/* A task, and its neighbours in the queue of its node. */
struct task {
	double time;
	/* For each end of the queue: the next task towards that end. */
	uint32_t to[2];
};

/* An entry of the heap: node @u is due at time @at. */
struct event {
	double at;
	uint32_t u;
};

/**
 * struct hc_sim_room - the state of a simulation
 * @s: the parameters
 * @nodes: number of nodes, 2^dim
 * @w: the nodes
 * @tasks: all tasks, linked into the queues of the nodes
 * @heap: nodes that are due at some time; a node is in it at most once
 * @n: number of nodes in the heap
 * @load: for a round: number of tasks that wait at each node
 * @cost: for a round: time that it costs each node
 * @part: for a round: whether each node takes part
 * @random: state of the random number generator
 * @key: number from which the random numbers of each node are made
 * @waiting: number of tasks that wait at all nodes together
 * @now: the simulated time
 * @end: when the last task so far ended
 * @balanced: when the last round of all nodes ended
 * @pause: time, beyond the interval, that has to pass after @balanced before the next round
 * @hops: number of hops of tasks so far
 * @rounds: number of rounds so far
 * @method: the method of this run
 * @f: the faults
 * @t: the topology
 * @b: memory for planning
 * @p: the plan of the last round
 * @err: -ENOMEM if memory ran out, else 0
 */
struct hc_sim_room {
	struct hc_sim s;
	uint32_t nodes;
	struct worker *w;
	struct task *tasks;
	struct event *heap;
	uint32_t n;
	uint64_t *load;
	double *cost;
	uint8_t *part;
	uint64_t random;
	uint64_t key;
	uint64_t waiting;
	double now;
	double end;
	double balanced;
	double pause;
	uint64_t hops;
	uint64_t rounds;
	enum hc_balance_method method;
	struct hc_faults *f;
	struct hc_balance_topo t;
	struct hc_balancer *b;
	struct hc_balance_plan p;
	int err;
};

/* --- random numbers --- */

static uint64_t mix(uint64_t x)
{
	return hc_splitmix(&x);
}

/* Return: a number between 0 and 1, and equal to neither, made of @x. */
static double unit(uint64_t x)
{
	return ((x >> 12) + .5) / 4503599627370496;
}

static uint64_t draw(struct hc_sim_room *r)
{
	return mix(r->random++);
}

/* Return: the time of the next task of node @u. All methods of a run get the same times. */
static double task_time(struct hc_sim_room *r, uint32_t u)
{
	uint64_t x = mix(mix(r->key + u) + r->w[u].drawn++);

	return 2 * r->w[u].mean * unit(x);
}

/* --- the heap --- */

/* Put node @u into the heap; it is due at time @at. */
static void look_at(struct hc_sim_room *r, uint32_t u, double at)
{
	uint32_t i = r->n++;

	for (; i && r->heap[(i - 1) / 2].at > at; i = (i - 1) / 2)
		r->heap[i] = r->heap[(i - 1) / 2];
	r->heap[i] = (struct event){ at, u };
	r->w[u].listed = true;
}

/* Remove the node that is due first from the heap. */
static struct event take(struct hc_sim_room *r)
{
	struct event first = r->heap[0], last = r->heap[--r->n];
	uint32_t i = 0, child;

	while ((child = 2 * i + 1) < r->n) {
		if (child + 1 < r->n && r->heap[child + 1].at < r->heap[child].at)
			child++;
		if (r->heap[child].at >= last.at)
			break;
		r->heap[i] = r->heap[child];
		i = child;
	}
	r->heap[i] = last;
	r->w[first.u].listed = false;
	return first;
}

/* --- queues --- */

/* Append task @i to the queue of node @u. */
static void append(struct hc_sim_room *r, uint32_t u, uint32_t i)
{
	struct worker *w = &r->w[u];

	r->tasks[i].to[LAST] = NO_NODE;
	r->tasks[i].to[FIRST] = w->end[LAST];
	if (w->end[LAST] == NO_NODE)
		w->end[FIRST] = i;
	else
		r->tasks[w->end[LAST]].to[LAST] = i;
	w->end[LAST] = i;
	w->waiting++;
}

/* Remove the task at end @end of the queue of node @u, which is not empty. Return: the task. */
static uint32_t remove_at(struct hc_sim_room *r, uint32_t u, int end)
{
	struct worker *w = &r->w[u];
	uint32_t i = w->end[end], next = r->tasks[i].to[!end];

	w->end[end] = next;
	if (next == NO_NODE)
		w->end[!end] = NO_NODE;
	else
		r->tasks[next].to[end] = NO_NODE;
	w->waiting--;
	return i;
}

/* Move @n tasks from the queue of node @from to that of node @to. */
static void migrate(struct hc_sim_room *r, uint32_t from, uint32_t to, uint64_t n)
{
	r->hops += n;
	while (n--)
		append(r, to, remove_at(r, from, r->s.pick == HC_SIM_OLDEST ? FIRST : LAST));
}

/* --- what balancing costs --- */

/* Charge @cost to node @u alone, at once. */
static void pay(struct hc_sim_room *r, uint32_t u, double cost)
{
	struct worker *w = &r->w[u];

	if (w->running)
		w->owed += cost;
	else
		w->hold = fmax(w->hold, r->now) + cost;
	if (!w->listed && w->waiting)
		look_at(r, u, w->hold);
}

/* Return: the time at which all nodes that take part in a round have ended the tasks that they
 * execute.
 */
static double gathered(const struct hc_sim_room *r)
{
	double at = r->now;
	uint32_t i;

	for (i = 0; i < r->n; i++) {
		const struct worker *w = &r->w[r->heap[i].u];

		if (w->running && r->part[r->heap[i].u])
			at = fmax(at, r->heap[i].at + w->owed);
	}
	return at;
}

/* Let node @u begin no task before the time @until. */
static void hold(struct hc_sim_room *r, uint32_t u, double until)
{
	struct worker *w = &r->w[u];

	w->hold = fmax(w->hold, until);
	if (!w->listed && w->waiting)
		look_at(r, u, w->hold);
}

/* Return: the new value of a pause. After rounds in which no task moved the pauses grow: else
 * rounds could follow each other so fast that no node has time to work.
 */
static double longer(double pause, bool moved)
{
	return moved ? 0 : fmax(.1, 2 * pause);
}

/* --- rounds in which all nodes take part --- */

/* Charge each member for the loads and tasks that it sends and receives in the round. */
static void charge_local(struct hc_sim_room *r)
{
	double info = r->s.info * r->p.info_steps;
	uint32_t i, u;
	size_t m;

	for (i = 0; i < r->t.members; i++)
		r->cost[r->t.order[i]] = info;
	for (m = 0; m < r->p.nmoves; m++) {
		r->cost[r->p.moves[m].from] += r->s.hop * r->p.moves[m].tasks;
		r->cost[r->p.moves[m].to] += r->s.hop * r->p.moves[m].tasks;
	}
	for (i = 0; i < r->t.members; i++) {
		u = r->t.order[i];
		pay(r, u, r->cost[u]);
	}
	r->balanced = r->now;
}

/* Let all members wait until the round has ended: its steps begin when all members have ended their
 * tasks, and each lasts as long as the busiest link needs.
 */
static void charge_phase(struct hc_sim_room *r)
{
	double at = r->s.info * r->p.info_steps;
	uint64_t busiest = 0;
	unsigned int step = 0;
	uint32_t i;
	size_t m;

	memset(r->part, 0, r->nodes);
	for (i = 0; i < r->t.members; i++)
		r->part[r->t.order[i]] = 1;
	at += gathered(r);
	for (m = 0; m < r->p.nmoves; m++) {
		if (r->p.moves[m].step != step) {
			at += r->s.hop * busiest;
			busiest = 0;
		}
		step = r->p.moves[m].step;
		if (r->p.moves[m].tasks > busiest)
			busiest = r->p.moves[m].tasks;
	}
	at += r->s.hop * busiest;
	for (i = 0; i < r->t.members; i++)
		hold(r, r->t.order[i], at);
	r->balanced = at;
}

/* Fill in @r->load. Return: true if some member has more than one waiting task. */
static bool anything_to_do(struct hc_sim_room *r)
{
	uint64_t most = 0;
	uint32_t u;

	for (u = 0; u < r->nodes; u++) {
		r->load[u] = r->w[u].waiting;
		if (r->t.up[u] != HC_BALANCE_OUT && r->load[u] > most)
			most = r->load[u];
	}
	return most > 1;
}

/* Perform a round in which all nodes take part. */
static void balance(struct hc_sim_room *r)
{
	struct hc_balance_req q = {
		.method = r->method, .load = r->load, .hop_cost = r->s.hop,
		.threshold = r->s.threshold,
	};
	size_t m;

	r->balanced = r->now;
	r->pause = longer(r->pause, false);
	if (!anything_to_do(r))
		return;
	r->err = hc_balancer_plan(r->b, &q, &r->p);
	if (r->err)
		return;
	r->rounds++;
	if (r->p.nmoves)
		r->pause = 0;
	for (m = 0; m < r->p.nmoves; m++)
		migrate(r, r->p.moves[m].from, r->p.moves[m].to, r->p.moves[m].tasks);
	if (r->s.charge == HC_SIM_PHASE)
		charge_phase(r);
	else
		charge_local(r);
}

/* --- RID: rounds of a node and its neighbours --- */

/* Perform a round in which node @u asks its neighbours for tasks. */
static void ask(struct hc_sim_room *r, uint32_t u)
{
	__u64 load[HC_LIB_DIM_MAX] = {}, n[HC_LIB_DIM_MAX] = {};
	uint64_t busiest = 0, all = 0;
	double info = 2 * r->s.info, until;
	unsigned int d;

	memset(r->part, 0, r->nodes);
	r->part[u] = 1;
	for (d = 0; d < r->s.dim; d++)
		if (r->b->link[u] & hc_bit(d)) {
			load[d] = r->w[hc_neigh(u, d)].waiting;
			r->part[hc_neigh(u, d)] = 1;
		}
	hc_rid_wishes(r->w[u].waiting, r->b->link[u], load, n);
	for (d = 0; d < r->s.dim; d++) {
		uint32_t v = hc_neigh(u, d);

		if (!(r->b->link[u] & hc_bit(d)))
			continue;
		migrate(r, v, u, n[d]);
		all += n[d];
		if (n[d] > busiest)
			busiest = n[d];
	}
	r->rounds++;
	until = r->s.charge == HC_SIM_PHASE ? gathered(r) + info + r->s.hop * busiest : 0;
	for (d = 0; d < r->s.dim; d++) {
		if (!(r->b->link[u] & hc_bit(d)))
			continue;
		if (until)
			hold(r, hc_neigh(u, d), until);
		else
			pay(r, hc_neigh(u, d), info + r->s.hop * n[d]);
	}
	if (until)
		hold(r, u, until);
	else
		pay(r, u, info + r->s.hop * all);
	r->w[u].asked = until ? until : r->now;
	r->w[u].pause = longer(r->w[u].pause, all);
}

/* --- a whole run --- */

/* Node @u has too few tasks: it asks for balancing if the interval has passed. */
static void underloaded(struct hc_sim_room *r, uint32_t u)
{
	bool rid = r->method == HC_BALANCE_RID;
	double last = rid ? r->w[u].asked + r->w[u].pause : r->balanced + r->pause;

	if (r->now >= last + r->s.interval) {
		if (rid)
			ask(r, u);
		else
			balance(r);
	}
}

/* Let node @u begin its next task. If it has none, it asks for balancing again later. */
static void work(struct hc_sim_room *r, uint32_t u)
{
	struct worker *w = &r->w[u];
	double again;
	uint32_t i;

	if (w->listed)
		return;
	if (w->hold > r->now && w->waiting) {
		look_at(r, u, w->hold);
		return;
	}
	if (w->waiting) {
		i = remove_at(r, u, FIRST);
		r->waiting--;
		w->running = true;
		look_at(r, u, r->now + (r->s.tau == HC_SIM_TASK ? r->tasks[i].time :
					task_time(r, u)));
		return;
	}
	if (!r->waiting || r->method == HC_BALANCE_METHODS || !r->b->link[u])
		return;
	again = r->method == HC_BALANCE_RID ? w->asked + w->pause : r->balanced + r->pause;
	again += r->s.interval;
	look_at(r, u, fmax(fmax(again, w->hold), r->now + .001));
}

/* Process an event: the task of the node has ended, or the node has waited long enough. */
static void look(struct hc_sim_room *r, struct event e)
{
	struct worker *w = &r->w[e.u];
	bool free = w->running || !w->waiting;

	r->now = e.at;
	if (w->running && w->owed > 0) {
		look_at(r, e.u, e.at + w->owed);
		w->owed = 0;
		return;
	}
	if (w->running)
		r->end = fmax(r->end, e.at);
	w->running = false;
	if (free && w->waiting <= r->s.threshold && r->waiting && w->hold <= r->now &&
	    r->method != HC_BALANCE_METHODS && r->b->link[e.u])
		underloaded(r, e.u);
	work(r, e.u);
}

/* Distribute all tasks, those of failed nodes included, over the live nodes in turn. Each task's
 * time is drawn for the node that gets it.
 */
static void deal(struct hc_sim_room *r)
{
	uint32_t u, i = 0, all = r->nodes * r->s.tasks;

	for (u = 0; u < r->nodes; u++) {
		r->w[u].end[FIRST] = NO_NODE;
		r->w[u].end[LAST] = NO_NODE;
		r->w[u].waiting = 0;
		r->w[u].drawn = 0;
		r->w[u].running = false;
		r->w[u].listed = false;
		r->w[u].owed = 0;
		r->w[u].hold = 0;
		r->w[u].asked = -r->s.interval;
		r->w[u].pause = 0;
	}
	for (u = 0; i < all; u = (u + 1) % r->nodes) {
		if (hc_set_has(r->f->dead, u))
			continue;
		r->tasks[i].time = task_time(r, u);
		append(r, u, i++);
	}
	if (r->s.tau == HC_SIM_NODE)
		for (u = 0; u < r->nodes; u++)
			r->w[u].drawn = 0;
}

/* Simulate one run with @method. Return: the time at which all tasks have been executed. */
static double simulate(struct hc_sim_room *r, enum hc_balance_method method)
{
	uint32_t u;

	deal(r);
	r->method = method;
	r->waiting = (uint64_t)r->nodes * r->s.tasks;
	r->n = 0;
	r->hops = 0;
	r->rounds = 0;
	r->now = 0;
	r->end = 0;
	r->balanced = -r->s.interval;
	r->pause = 0;
	for (u = 0; u < r->nodes; u++)
		if (!hc_set_has(r->f->dead, u))
			work(r, u);
	while (r->n && !r->err)
		look(r, take(r));
	return r->end;
}

/* Return: the sum of the times of all tasks. */
static double all_work(const struct hc_sim_room *r)
{
	uint32_t i, all = r->nodes * r->s.tasks;
	double sum = 0;

	for (i = 0; i < all; i++)
		sum += r->tasks[i].time;
	return sum;
}

static void world_free(struct hc_sim_room *r)
{
	hc_balancer_free(r->b);
	hc_balance_topo_free(&r->t);
	hc_faults_free(r->f);
	r->b = NULL;
	r->f = NULL;
}

/* Draw the failed nodes, and choose the topology. */
static int world_faults(struct hc_sim_room *r, unsigned int faults)
{
	unsigned int n = 0;

	r->f = hc_faults_new(r->s.dim);
	if (!r->f)
		return -ENOMEM;
	while (n < faults) {
		uint32_t u = draw(r) >> (64 - r->s.dim);

		if (hc_set_has(r->f->dead, u))
			continue;
		hc_faults_node(r->f, u);
		n++;
	}
	return hc_balance_topology(r->f, r->s.shape, &r->t);
}

/* Draw what all methods of a run have in common: the faults, and the mean times of the nodes. */
static int world(struct hc_sim_room *r, unsigned int faults, unsigned int run)
{
	uint32_t u;
	int err;

	r->random = mix(mix(mix(r->s.seed) + faults) + run);
	while ((err = world_faults(r, faults)) == -EHOSTDOWN)
		world_free(r);
	if (err)
		return err;
	r->key = draw(r);
	for (u = 0; u < r->nodes; u++)
		r->w[u].mean = 2 * unit(draw(r));
	r->b = hc_balancer_new(r->f, &r->t);
	return r->b ? 0 : -ENOMEM;
}

int hc_sim_run(struct hc_sim_room *r, unsigned int faults, unsigned int run,
	       const enum hc_balance_method *methods, size_t n, struct hc_sim_result *out)
{
	double alone, live = r->nodes - faults, took, work;
	size_t i;

	r->err = world(r, faults, run);
	alone = r->err ? 0 : simulate(r, HC_BALANCE_METHODS);
	work = r->err ? 0 : all_work(r);
	for (i = 0; !r->err && i < n; i++) {
		took = simulate(r, methods[i]);
		out[i].speedup = alone / took;
		out[i].hops = r->hops / live;
		out[i].rounds = r->rounds;
		if (methods[i] == HC_BALANCE_RID)
			out[i].rounds /= live;
		out[i].bound = alone / (work / live);
	}
	world_free(r);
	return r->err;
}

struct hc_sim_room *hc_sim_new(const struct hc_sim *s)
{
	uint32_t nodes = hc_nodes(s->dim);
	struct hc_sim_room *r = calloc(1, sizeof(*r));

	if (!r)
		return NULL;
	r->s = *s;
	r->nodes = nodes;
	r->w = calloc(nodes, sizeof(*r->w));
	r->tasks = calloc((size_t)nodes * s->tasks, sizeof(*r->tasks));
	r->heap = calloc(nodes, sizeof(*r->heap));
	r->load = calloc(nodes, sizeof(*r->load));
	r->cost = calloc(nodes, sizeof(*r->cost));
	r->part = calloc(nodes, 1);
	if (r->w && r->tasks && r->heap && r->load && r->cost && r->part)
		return r;
	hc_sim_free(r);
	return NULL;
}

void hc_sim_free(struct hc_sim_room *r)
{
	if (!r)
		return;
	hc_balance_plan_free(&r->p);
	hc_free_all(r->w, r->tasks, r->heap, r->load, r->cost, r->part, r);
}
