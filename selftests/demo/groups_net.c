// SPDX-License-Identifier: GPL-2.0
/*
 * The network of processes: which process asks which, which node receives which values and claims,
 * and what a Byzantine node sends.
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "groups.h"

static unsigned int node_index(struct groups *g, uint32_t number)
{
	unsigned int i;

	for (i = 0; i < g->nnodes && g->node[i] != number; i++)
		;
	if (i == NODES_MAX)
		errx(2, "more than %d nodes", NODES_MAX);
	if (i == g->nnodes)
		g->node[g->nnodes++] = number;
	return i;
}

static uint16_t process_named(const struct groups *g, uint32_t name)
{
	unsigned int i;

	for (i = 0; i < g->nprocesses; i++)
		if (g->process[i].name == name)
			return (uint16_t)i;
	errx(2, "no process %u", name);
}

/* Parse the list of the processes that @p asks. It has their names, which are replaced by indices
 * later.
 */
static void asks_read(struct process *p, char *word)
{
	char *item, *end;
	unsigned long v;

	while ((item = strsep(&word, ","))) {
		if (!*item)
			continue;
		v = strtoul(item, &end, 10);
		if (*end || v > UINT16_MAX || p->nasks == ASKS_MAX)
			errx(2, "process %u: '%s' is nobody to ask", p->name, item);
		p->asks[p->nasks++] = (uint16_t)v;
	}
}

static bool asks(const struct process *p, unsigned int of)
{
	unsigned int i;

	for (i = 0; i < p->nasks; i++)
		if (p->asks[i] == of)
			return true;
	return false;
}

/* Return: true if some environment has both processes. */
static bool share(const struct groups *g, unsigned int a, unsigned int b)
{
	unsigned int i;

	for (i = 0; i < g->nprocesses; i++)
		if ((i == a || asks(&g->process[i], a)) && (i == b || asks(&g->process[i], b)))
			return true;
	return false;
}

static bool add_witness(struct process *p, unsigned int quote, unsigned int w)
{
	unsigned int i, n = p->nwitness[quote];

	for (i = 0; i < n; i++)
		if (p->witness[quote][i] == w)
			return true;
	if (n + 1 < p->tg)
		p->witness[quote][p->nwitness[quote]++] = (uint16_t)w;
	return n + 1 < p->tg;
}

/*
 * Choose the witnesses of each quote of process @j. At most tg processes of the environment of @j
 * are faulty. If both @j and the quoted process are faulty, at most tg - 2 other processes are. So
 * among tg - 1 witnesses, at least one is honest. If the environment has fewer other processes,
 * processes that share environments with both are chosen as well.
 */
static void witnesses(struct groups *g, unsigned int j)
{
	struct process *p = &g->process[j];
	unsigned int i, k, w;

	for (i = 0; i < p->nasks; i++) {
		for (k = 1; k < p->nasks; k++)
			if (!add_witness(p, i, p->asks[(i + k) % p->nasks]))
				break;
		for (w = 0; w < g->nprocesses; w++)
			if (w != j && w != p->asks[i] && share(g, w, j) &&
			    share(g, w, p->asks[i]) && !add_witness(p, i, w))
				break;
	}
}

static void hearers(struct groups *g, unsigned int j)
{
	const struct process *p = &g->process[j];
	unsigned int i, k;

	for (i = 0; i < p->nasks; i++) {
		const struct process *asked = &g->process[p->asks[i]];

		g->uses[p->asks[i]][p->node] = true;
		g->gets[p->asks[i]][p->node] = true;
		g->gets[j][asked->node] = true;
		for (k = 0; k < p->nwitness[i]; k++) {
			unsigned int at = g->process[p->witness[i][k]].node;

			g->gets[j][at] = true;
			g->gets[p->asks[i]][at] = true;
		}
	}
}

void groups_read(struct groups *g)
{
	char line[512], words[256], rest;
	unsigned int node, i, k;

	while (fgets(line, sizeof(line), stdin)) {
		struct process *p = &g->process[g->nprocesses];

		if (g->nprocesses == PROCESSES_MAX)
			errx(2, "more than %d processes", PROCESSES_MAX);
		*words = 0;
		if (sscanf(line, "%u %u %u %255s %c", &p->name, &node, &p->tg, words, &rest) < 3 ||
		    !p->tg || p->tg > TG_MAX)
			errx(2, "'%s' is no PROCESS NODE TG ASKED,..", line);
		p->node = node_index(g, node);
		asks_read(p, words);
		p->surroundings = 20 + 60 * fmod(g->nprocesses * .6180339887, 1);
		g->nprocesses++;
	}
	if (g->nnodes < 2)
		errx(2, "processes on two nodes are wanted");
	for (i = 0; i < g->nprocesses; i++)
		for (k = 0; k < g->process[i].nasks; k++)
			g->process[i].asks[k] = process_named(g, g->process[i].asks[k]);
	for (i = 0; i < g->nprocesses; i++)
		witnesses(g, i);
	for (i = 0; i < g->nprocesses; i++)
		hearers(g, i);
}

/* --- Byzantine nodes --- */

/* Return: number of processes on other nodes that can detect a wrong quote in entry @quote of @p.
 */
static unsigned int honest(const struct groups *g, const struct process *p, unsigned int quote)
{
	unsigned int n = g->process[p->asks[quote]].node != p->node, i;

	for (i = 0; i < p->nwitness[quote]; i++)
		n += g->process[p->witness[quote][i]].node != p->node;
	return n;
}

/* Choose the quote of process @p such that the fewest processes can detect that it is wrong, and
 * none of them is at node @but. *@fewest is set to their number. Return: index of the quote.
 */
static int quote_of(const struct groups *g, const struct process *p, unsigned int but,
		    unsigned int *fewest)
{
	unsigned int i, k, n;
	int best = NO_ASK;

	for (i = 0; i < p->nasks; i++) {
		bool there = g->process[p->asks[i]].node == but;

		for (k = 0; k < p->nwitness[i]; k++)
			there |= g->process[p->witness[i][k]].node == but;
		n = honest(g, p, i);
		if (!there && (best == NO_ASK || n < *fewest)) {
			best = (int)i;
			*fewest = n;
		}
	}
	return best;
}

static bool collude(struct groups *g)
{
	unsigned int j, n, best = UINT32_MAX, who = 0;

	for (j = 0; j < g->nprocesses; j++) {
		if (g->process[j].node != g->byzantine)
			continue;
		g->face[j] = quote_of(g, &g->process[j], NODES_MAX, &n);
		if (g->face[j] != NO_ASK && n < best) {
			best = n;
			who = j;
		}
		if (n)
			g->face[j] = NO_ASK;
	}
	/* Each wrong quote will be detected, so choose the quote that the fewest processes can
	 * detect.
	 */
	if (best && best < UINT32_MAX)
		g->face[who] = quote_of(g, &g->process[who], NODES_MAX, &n);
	return !best;
}

/* For LIE_FACES, choose a process of the Byzantine node, and a node that asks it and gets another
 * value than the others: preferably a node that cannot detect that.
 */
static void faces(struct groups *g)
{
	unsigned int i, j, b, n, but;

	for (i = 0; i < 2 * g->nprocesses; i++)
		for (b = 0, j = i % g->nprocesses; b < g->nnodes; b++) {
			if (g->process[j].node != g->byzantine || b == g->byzantine ||
			    !g->uses[j][b])
				continue;
			but = i < g->nprocesses ? b : NODES_MAX;
			g->face[j] = quote_of(g, &g->process[j], but, &n);
			g->faced = b;
			if (g->face[j] != NO_ASK)
				return;
		}
}

bool groups_lie(struct groups *g, unsigned int byzantine, enum lie lie)
{
	unsigned int j;

	g->byzantine = byzantine;
	g->lie = lie;
	for (j = 0; j < g->nprocesses; j++)
		g->face[j] = NO_ASK;
	if (lie == LIE_COLLUDE)
		return collude(g);
	if (lie == LIE_FACES)
		faces(g);
	return false;
}

/* --- the exact solution --- */

void groups_solve(const struct groups *g, double *value)
{
	unsigned int n = g->nprocesses, i, j, k;
	double *a = calloc((size_t)n * (n + 1), sizeof(*a)), f;

	if (!a)
		err(1, "memory");
	for (i = 0; i < n; i++) {
		const struct process *p = &g->process[i];

		a[i * (n + 1) + i] = p->nasks + groups_pull(p);
		a[i * (n + 1) + n] = groups_pull(p) * p->surroundings;
		for (k = 0; k < p->nasks; k++)
			a[i * (n + 1) + p->asks[k]] -= 1;
	}
	/* Each diagonal element exceeds the sum of the others in its row, so no pivot is 0. */
	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++) {
			f = j == i ? 0 : a[j * (n + 1) + i] / a[i * (n + 1) + i];
			for (k = i; k <= n && f != 0; k++)
				a[j * (n + 1) + k] -= f * a[i * (n + 1) + k];
		}
	for (i = 0; i < n; i++)
		value[i] = a[i * (n + 1) + n] / a[i * (n + 1) + i];
	free(a);
}
