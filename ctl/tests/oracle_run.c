// SPDX-License-Identifier: GPL-2.0
/*
 * The paper's algorithm FTTC (fault-tolerant tree communication) as a script, a list of operations
 * for each node: as the paper prints it, and corrected. Also the execution of scripts, in which the
 * data of a node is the set of the contributions that it has.
 */
#include <stdlib.h>
#include <string.h>

#include "oracle.h"

void oracle_op(struct oracle_script *s, unsigned int u, enum oracle_what what,
	       unsigned int peer, unsigned int stage, unsigned int part,
	       unsigned int parts)
{
	struct oracle_op *op = &s->op[u][s->nops[u]++];

	if (s->nops[u] > ORACLE_OPS)
		abort();
	op->what = what;
	op->peer = peer;
	op->stage = stage;
	op->part = part;
	op->parts = parts;
}

/* The arguments of oracle_fttc(). */
struct fttc {
	const struct oracle *o;
	const struct oracle_tree *t;
	enum oracle_mode mode;
	const bool *members;
	struct oracle_script *s;
};

/* List the active neighbours to which the blocked node @v sends parts at stage @i. Return: their
 * number, the paper's m.
 */
static unsigned int helpers(const struct fttc *f, unsigned int v, unsigned int i,
			    unsigned int *list)
{
	const unsigned int *d = f->t->order;
	unsigned int j, m = 0;

	for (j = i + 1; j < f->t->k; j++) {
		unsigned int w = v ^ (1u << d[j]);

		if (f->o->bad[v][d[j]])
			continue;
		if (f->mode >= ORACLE_FIXED && f->o->bad[w][d[i]])
			continue;
		list[m++] = w;
	}
	return m;
}

/* Return: the node to which the blocked node @v sends its data if it has no helpers. */
static unsigned int detour(const struct fttc *f, unsigned int v, unsigned int i)
{
	unsigned int u, to = v ^ (1u << f->t->order[i]);
	int best = -1, hops[ORACLE_NODES];

	if (f->mode != ORACLE_NEAREST)
		return to;
	oracle_distances(f->o, v, hops);
	for (u = 0; u < 1u << f->o->n; u++) {
		if (!f->members[u] || oracle_state(f->t, u, i) != ORACLE_PASSIVE)
			continue;
		if (hops[u] >= 0 && (best < 0 || hops[u] < best)) {
			best = hops[u];
			to = u;
		}
	}
	return to;
}

/* Add the operations of node @v at stage @i, at which it is active. */
static void be_active(const struct fttc *f, unsigned int v, unsigned int i)
{
	const unsigned int *d = f->t->order;
	unsigned int list[ORACLE_DIMS], m, j;

	if (f->o->bad[v][d[i]]) {
		m = helpers(f, v, i, list);
		for (j = 0; j < m; j++)
			oracle_op(f->s, v, ORACLE_HELP, list[j], i, j, m);
		if (!m)
			oracle_op(f->s, v, ORACLE_DETOUR, detour(f, v, i), i, 0, 1);
		return;
	}
	for (j = i + 1; j < f->t->k; j++) {
		unsigned int w = v ^ (1u << d[j]);
		unsigned int test = f->mode == ORACLE_LITERAL ? d[i] : d[j];

		if (f->o->bad[w][d[i]] && !f->o->bad[v][test])
			oracle_op(f->s, v, ORACLE_WAIT, w, i, 0, 0);
	}
	oracle_op(f->s, v, ORACLE_DIRECT, v ^ (1u << d[i]), i, 0, 1);
}

/* Add the operations of node @v at stage @i, at which it is passive. */
static void be_passive(const struct fttc *f, unsigned int v, unsigned int i)
{
	unsigned int list[ORACLE_DIMS], u, d = f->t->order[i];

	if (!f->o->bad[v][d])
		oracle_op(f->s, v, ORACLE_WAIT, v ^ (1u << d), i, 0, 0);
	if (f->mode < ORACLE_FIXED)
		return;
	for (u = 0; u < 1u << f->o->n; u++)
		if (f->members[u] && oracle_state(f->t, u, i) == ORACLE_ACTIVE &&
		    f->o->bad[u][d] && !helpers(f, u, i, list) &&
		    detour(f, u, i) == v)
			oracle_op(f->s, v, ORACLE_WAIT, u, i, 0, 0);
}

void oracle_fttc(const struct oracle *o, const struct oracle_tree *t,
		 enum oracle_mode mode, const bool *members,
		 struct oracle_script *s)
{
	struct fttc f = {
		.o = o, .t = t, .mode = mode, .members = members, .s = s,
	};
	unsigned int i, u;

	memset(s->nops, 0, sizeof(s->nops));
	for (u = 0; u < 1u << o->n; u++) {
		for (i = 0; i < t->k && members[u]; i++) {
			switch (oracle_state(t, u, i)) {
			case ORACLE_ACTIVE:
				be_active(&f, u, i);
				break;
			case ORACLE_PASSIVE:
				be_passive(&f, u, i);
				break;
			case ORACLE_IDLE:
				break;
			}
		}
	}
}

/* has[item][u]: the contribution of node u to this item is included. */
struct data {
	bool has[ORACLE_ITEMS][ORACLE_NODES];
};

/* A message: data, sender, receiver, stage of the sender, and clock of its arrival. */
struct message {
	struct data data;
	unsigned int from;
	unsigned int to;
	unsigned int stage;
	unsigned int clock;
	bool read;
	struct message *next;
};

/* A run of a script: for each node the data that it holds, its logical clock and its next
 * operation; and all messages sent so far.
 */
struct machine {
	const struct oracle *o;
	const struct oracle_script *s;
	struct oracle_result *r;
	struct data hold[ORACLE_NODES];
	unsigned int clock[ORACLE_NODES];
	unsigned int at[ORACLE_NODES];
	struct message *mail;
};

/* Record how the run has failed, unless it has failed before. */
static void fail(struct machine *x, enum oracle_outcome outcome,
		 unsigned int node, unsigned int peer)
{
	if (x->r->outcome != ORACLE_DONE)
		return;
	x->r->outcome = outcome;
	x->r->node = node;
	x->r->peer = peer;
}

/* Return: number of hops of a transfer. The run fails if one of its links is not there. */
static unsigned int hops_of(struct machine *x, unsigned int u,
			    const struct oracle_op *op)
{
	unsigned int d;
	int hops;

	if (op->what == ORACLE_DETOUR) {
		hops = oracle_distance(x->o, u, op->peer);
		if (hops > 0)
			return hops;
		fail(x, ORACLE_NO_LINK, u, op->peer);
		return 1;
	}
	for (d = 0; d < x->o->n; d++)
		if ((u ^ op->peer) == 1u << d && !x->o->bad[u][d])
			return 1;
	fail(x, ORACLE_NO_LINK, u, op->peer);
	return 1;
}

/* Send the part of node @u's data that @op states; after that the node does not hold it. */
static void send(struct machine *x, unsigned int u, const struct oracle_op *op)
{
	struct message *m = calloc(1, sizeof(*m));
	unsigned int hops = hops_of(x, u, op), lo, hi, i, cost;

	if (!m)
		abort();
	lo = op->part * ORACLE_ITEMS / op->parts;
	hi = (op->part + 1) * ORACLE_ITEMS / op->parts;
	for (i = lo; i < hi; i++) {
		memcpy(m->data.has[i], x->hold[u].has[i], sizeof(m->data.has[i]));
		memset(x->hold[u].has[i], 0, sizeof(m->data.has[i]));
	}
	m->from = u;
	m->to = op->peer;
	m->stage = op->stage;
	m->clock = x->clock[u] + hops;
	m->next = x->mail;
	x->mail = m;

	cost = op->what == ORACLE_HELP ? 2 : hops;
	if (cost > x->r->cost[op->stage])
		x->r->cost[op->stage] = cost;
}

/* Merge the message that node @u waits for. Return: false if it has not arrived. */
static bool receive(struct machine *x, unsigned int u, const struct oracle_op *op)
{
	struct message *m = x->mail;
	unsigned int i, v;

	while (m && (m->read || m->to != u || m->from != op->peer ||
		     m->stage != op->stage))
		m = m->next;
	if (!m)
		return false;
	m->read = true;
	if (m->clock > x->clock[u])
		x->clock[u] = m->clock;
	for (i = 0; i < ORACLE_ITEMS; i++) {
		for (v = 0; v < 1u << x->o->n; v++) {
			if (m->data.has[i][v] && x->hold[u].has[i][v])
				fail(x, ORACLE_DUPLICATE, u, m->from);
			x->hold[u].has[i][v] |= m->data.has[i][v];
		}
	}
	return true;
}

/* Let node @u perform as many operations as it can. Return: true if it performed any. */
static bool advance(struct machine *x, unsigned int u)
{
	unsigned int start = x->at[u];

	while (x->at[u] < x->s->nops[u]) {
		const struct oracle_op *op = &x->s->op[u][x->at[u]];

		if (op->what != ORACLE_WAIT)
			send(x, u, op);
		else if (!receive(x, u, op))
			break;
		x->at[u]++;
	}
	return x->at[u] != start;
}

/* Return: true if node @u has operations left. */
static bool stuck(const struct machine *x, unsigned int u)
{
	return x->at[u] < x->s->nops[u];
}

/* Report a node that waits for a peer that has ended its script, if there is one, rather than a
 * node that waits for another waiting node.
 */
static void find_deadlock(struct machine *x)
{
	unsigned int u, peer;

	for (u = 0; u < 1u << x->o->n; u++) {
		peer = stuck(x, u) ? x->s->op[u][x->at[u]].peer : u;
		if (peer != u && !stuck(x, peer))
			fail(x, ORACLE_DEADLOCK, u, peer);
	}
	for (u = 0; u < 1u << x->o->n; u++)
		if (stuck(x, u))
			fail(x, ORACLE_DEADLOCK, u, x->s->op[u][x->at[u]].peer);
}

/* Check the end of a run: no node is stuck, all messages were read, and the sink has all data.
 */
static void check_end(struct machine *x, const struct oracle_tree *t,
		      const bool *members)
{
	unsigned int i, u;
	struct message *m;

	find_deadlock(x);
	for (m = x->mail; m; m = m->next)
		if (!m->read)
			fail(x, ORACLE_LOSS, m->to, m->from);
	for (i = 0; i < ORACLE_ITEMS; i++)
		for (u = 0; u < 1u << x->o->n; u++)
			if (x->hold[t->sink].has[i][u] != members[u])
				fail(x, ORACLE_LOSS, t->sink, u);
	for (i = 0; i < t->k; i++) {
		if (!x->r->cost[i])
			x->r->cost[i] = 1;
		x->r->steps += x->r->cost[i];
	}
	x->r->clock = x->clock[t->sink];
}

void oracle_run(const struct oracle *o, const struct oracle_tree *t,
		const bool *members, const struct oracle_script *s,
		struct oracle_result *r)
{
	struct machine *x = calloc(1, sizeof(*x));
	unsigned int i, u;
	bool again = true;

	if (!x)
		abort();
	memset(r, 0, sizeof(*r));
	x->o = o;
	x->s = s;
	x->r = r;
	for (u = 0; u < 1u << o->n; u++)
		for (i = 0; i < ORACLE_ITEMS; i++)
			x->hold[u].has[i][u] = members[u];
	while (again) {
		again = false;
		for (u = 0; u < 1u << o->n; u++)
			again |= advance(x, u);
	}
	check_end(x, t, members);
	while (x->mail) {
		struct message *next = x->mail->next;

		free(x->mail);
		x->mail = next;
	}
	free(x);
}
