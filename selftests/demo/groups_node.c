// SPDX-License-Identifier: GPL-2.0
/*
 * One node: all its processes relax, and then check the claims of others.
 *
 * In each sweep a node sends to each other node the values that processes there ask for. At the end
 * each process makes a claim: its value, with quotes of the values that it has from the processes
 * that it asks. The claim goes to all processes that ask it or are asked by it, and to the
 * witnesses of its quotes. These processes compare the claim with the rule, and with the values
 * that they have received and sent; the witnesses also compare it with the claim of the quoted
 * process. Then they compare with each other the versions of a claim that each of them has
 * received.
 *
 * If at most tg processes of each environment are Byzantine, no wrong value remains undetected: if
 * no error is reported, all values are right. Proof: no error is reported, so all honest processes
 * hold the same claim of each process. Among the quoted process and the tg - 1 witnesses of a
 * quote, at least one is honest, so each quote is the value that the quoted process sends to all.
 * Then the rule holds for all values, and only the exact solution satisfies the rule at all
 * processes.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "groups.h"

const char *const lie_names[LIES] = {
	[LIE_COLLUDE] = "collude", [LIE_VALUE] = "value", [LIE_FACES] = "faces",
};

const char *const flag_names[FLAGS] = {
	[FLAG_RULE] = "rule", [FLAG_NOTIFIED] = "told", [FLAG_QUOTED] = "quoted",
	[FLAG_WITNESS] = "witness", [FLAG_VERSIONS] = "versions", [FLAG_RANGE] = "range",
};

struct claim {
	double value;
	double used[ASKS_MAX];
};

#define ITEM_MAX	(1 + ASKS_MAX)
#define NOTE_MAX	((HYPERCUBE_SEGMENT_MAX - sizeof(uint64_t)) / sizeof(double))

/* A message: the number of its round, and values or claims in an order that both ends know. */
struct note {
	uint64_t round;
	double v[NOTE_MAX];
};

/**
 * struct host - a node
 * @g: the run
 * @report: its own report
 * @h: handle for messages
 * @self: index of the node
 * @known: the value of each process, as far as the node has received it
 * @sent: the last values that its processes have sent to each node
 * @claim: the claim of each process, as far as the node has received it
 * @in: messages of two rounds from each other node, as no node is more than one round ahead
 * @came: for each message in @in, its round plus one
 */
struct host {
	const struct groups *g;
	struct report *report;
	struct hcl *h;
	unsigned int self;
	double known[PROCESSES_MAX];
	double sent[PROCESSES_MAX][NODES_MAX];
	struct claim claim[PROCESSES_MAX];
	struct note in[NODES_MAX][2];
	uint64_t came[NODES_MAX][2];
};

static void flag(struct host *s, enum flag what)
{
	/* A Byzantine node reports nothing. */
	if (s->self != s->g->byzantine)
		s->report->flags |= 1u << what;
}

/* ------------------------------------------------------------ messages */

/* Return: true if nodes @a and @b exchange messages. */
static bool related(const struct groups *g, unsigned int a, unsigned int b)
{
	unsigned int j;

	for (j = 0; j < g->nprocesses && a != b; j++) {
		if (g->gets[j][a] && (g->gets[j][b] || g->process[j].node == b))
			return true;
		if (g->gets[j][b] && g->process[j].node == a)
			return true;
	}
	return false;
}

static int receive(struct host *s, uint64_t round, unsigned int from)
{
	static struct note n;

	while (s->came[from][round % 2] != round + 1) {
		uint32_t number;
		unsigned int at;
		long size = hcl_recv(s->h, &number, &n, sizeof(n));

		if (size < 0)
			return (int)size;
		for (at = 0; at < s->g->nnodes && s->g->node[at] != number; at++)
			;
		if (at == s->g->nnodes || size < (long)sizeof(n.round))
			continue;
		memcpy(&s->in[at][n.round % 2], &n, (size_t)size);
		s->came[at][n.round % 2] = n.round + 1;
	}
	return 0;
}

/* A function for the data of a kind of round: the data about process @j that node @from sends to
 * node @to. If @out, it writes them to @at; otherwise it reads them from there. Return: number of
 * values.
 */
typedef unsigned int (*item_fn)(struct host *s, unsigned int j, unsigned int from, unsigned int to,
				double *at, bool out);

static int exchange(struct host *s, uint64_t round, item_fn item)
{
	static struct note n;
	const struct groups *g = s->g;
	unsigned int b, j, at;
	int err = 0;

	for (b = 0; b < g->nnodes && !err; b++) {
		if (!related(g, s->self, b))
			continue;
		n.round = round;
		for (j = 0, at = 0; j < g->nprocesses && at + ITEM_MAX <= NOTE_MAX; j++)
			at += item(s, j, s->self, b, n.v + at, true);
		err = j < g->nprocesses ? -EMSGSIZE :
		      hcl_send(s->h, g->node[b], &n, sizeof(n.round) + at * sizeof(double));
	}
	for (b = 0; b < g->nnodes && !err; b++)
		if (related(g, s->self, b))
			err = receive(s, round, b);
	for (b = 0; b < g->nnodes && !err; b++)
		for (j = 0, at = 0; j < g->nprocesses && related(g, s->self, b); j++)
			at += item(s, j, b, s->self, s->in[b][round % 2].v + at, false);
	if (err)
		fprintf(stderr, "node %u: round %u: %s\n", g->node[s->self], (unsigned int)round,
			strerror(-err));
	return err;
}

/* --- the relaxation --- */

/* Return: the index of the asked process that the claim of process @j to node @to quotes wrongly;
 * NO_ASK if there is none.
 */
static int face(const struct groups *g, unsigned int j, unsigned int to)
{
	if (g->process[j].node != g->byzantine)
		return NO_ASK;
	return g->lie == LIE_FACES && to != g->faced ? NO_ASK : g->face[j];
}

static double next_value(const struct host *s, unsigned int j, unsigned int to)
{
	const struct process *p = &s->g->process[j];
	double sum = groups_pull(p) * p->surroundings;
	int replaced = face(s->g, j, to);
	unsigned int i;

	for (i = 0; i < p->nasks; i++)
		sum += (int)i == replaced ? HOTTEST : s->known[p->asks[i]];
	return sum / (p->nasks + groups_pull(p));
}

static unsigned int item_value(struct host *s, unsigned int j, unsigned int from, unsigned int to,
			       double *at, bool out)
{
	if (s->g->process[j].node != from || !s->g->uses[j][to])
		return 0;
	if (out)
		*at = s->sent[j][to];
	else if (*at >= COLDEST && *at <= HOTTEST)
		s->known[j] = *at;
	else
		flag(s, FLAG_RANGE);
	return 1;
}

static int sweep(struct host *s, uint64_t round)
{
	const struct groups *g = s->g;
	double next[PROCESSES_MAX];
	unsigned int j, b;

	for (j = 0; j < g->nprocesses; j++) {
		if (g->process[j].node != s->self)
			continue;
		next[j] = next_value(s, j, s->self);
		for (b = 0; b < g->nnodes; b++) {
			s->sent[j][b] = next_value(s, j, b);
			if (g->lie == LIE_VALUE && s->self == g->byzantine)
				s->sent[j][b] = HOTTEST;
		}
	}
	for (j = 0; j < g->nprocesses; j++)
		if (g->process[j].node == s->self)
			s->known[j] = next[j];
	return exchange(s, round, item_value);
}

/* --- the check --- */

static unsigned int item_claim(struct host *s, unsigned int j, unsigned int from, unsigned int to,
			       double *at, bool out)
{
	const struct process *p = &s->g->process[j];
	int replaced = face(s->g, j, to);
	unsigned int i;

	if (p->node != from || !s->g->gets[j][to])
		return 0;
	if (out) {
		*at++ = s->sent[j][to];
		for (i = 0; i < p->nasks; i++)
			*at++ = (int)i == replaced ? HOTTEST : s->known[p->asks[i]];
	} else {
		memcpy(&s->claim[j], at, (1 + p->nasks) * sizeof(*at));
	}
	return 1 + p->nasks;
}

/* An item of the last round: if the process @j is on a third node, and both nodes get its claim,
 * node @from sends the version of the claim that it has received. Node @to compares this version
 * with its own; they must be equal.
 */
static unsigned int item_version(struct host *s, unsigned int j, unsigned int from,
				 unsigned int to, double *at, bool out)
{
	unsigned int n = 1 + s->g->process[j].nasks;

	if (s->g->process[j].node == from || s->g->process[j].node == to || !s->g->gets[j][from] ||
	    !s->g->gets[j][to])
		return 0;
	if (out)
		memcpy(at, &s->claim[j], n * sizeof(*at));
	else if (memcmp(at, &s->claim[j], n * sizeof(*at)))
		flag(s, FLAG_VERSIONS);
	return n;
}

static bool is_witness(const struct host *s, const struct process *p, unsigned int quote)
{
	unsigned int i;

	for (i = 0; i < p->nwitness[quote]; i++)
		if (s->g->process[p->witness[quote][i]].node == s->self)
			return true;
	return false;
}

static void check_claim(struct host *s, unsigned int j)
{
	const struct process *p = &s->g->process[j];
	const struct claim *c = &s->claim[j];
	double sum = groups_pull(p) * p->surroundings;
	unsigned int i;

	for (i = 0; i < p->nasks; i++) {
		unsigned int k = p->asks[i];

		sum += c->used[i];
		if (!(c->used[i] >= COLDEST && c->used[i] <= HOTTEST))
			flag(s, FLAG_RANGE);
		if (s->g->process[k].node == s->self) {
			if (c->used[i] != s->sent[k][p->node])
				flag(s, FLAG_QUOTED);
		} else if (is_witness(s, p, i) && c->used[i] != s->claim[k].value) {
			flag(s, FLAG_WITNESS);
		}
	}
	if (!(fabs(sum - (p->nasks + groups_pull(p)) * c->value) <= s->g->delta))
		flag(s, FLAG_RULE);
	if (s->g->uses[j][s->self] && c->value != s->known[j])
		flag(s, FLAG_NOTIFIED);
}

static int check(struct host *s, uint64_t round)
{
	const struct groups *g = s->g;
	int err = exchange(s, round, item_claim);
	unsigned int j;

	for (j = 0; j < g->nprocesses && !err; j++)
		if (g->gets[j][s->self] && g->process[j].node != s->self)
			check_claim(s, j);
	return err ?: exchange(s, round + 1, item_version);
}

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

int groups_open(struct hcl **h, const char *fabric, uint32_t node)
{
	return hcl_open_dgram(h, fabric, node);
}

int groups_job(struct member *me, void *run)
{
	const struct groups *g = run;
	static struct host s;
	double begin = seconds();
	unsigned int j;
	uint64_t i;
	int err = 0;

	s.g = g;
	s.h = me->h;
	s.self = me->index;
	s.report = &g->report[s.self];
	for (j = 0; j < g->nprocesses; j++)
		s.known[j] = (COLDEST + HOTTEST) / 2;
	for (i = 0; i < g->sweeps && !err; i++)
		err = sweep(&s, i);
	s.report->seconds = seconds() - begin;
	err = err ?: check(&s, g->sweeps);
	for (j = 0; j < g->nprocesses; j++) {
		if (g->process[j].node != s.self)
			continue;
		memcpy(s.report->value[j], s.sent[j], sizeof(s.sent[j]));
	}
	s.report->done = !err;
	return err != 0;
}
