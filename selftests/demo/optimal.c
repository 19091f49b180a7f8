// SPDX-License-Identifier: GPL-2.0
/*
 * optimal FABRIC DIM FAILED BROKEN GO: balances loads as long as a file GO exists; not by rounds,
 * but by plans with the fewest hops.
 *	FAILED	failed nodes, with commas
 *	BROKEN	links that are down, as NODE:DIM with commas
 *
 * The program executes, step by step, the plan that "hcctl balance plan .. method optimal" computes
 * for the loads of all nodes, with the requests of "hcctl balance move". It makes a plan whenever
 * some node has at most one waiting task while another node has at least three.
 */
#include <err.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "balance.h"
#include "cube.h"
#include "task_calls.h"

#define THRESHOLD	1
#define PAUSE_MS	10

struct manager {
	struct hc_faults *faults;
	struct hc_balance_topo topo;
	const char *fabric;
	const char *go;
	struct hc_balancer *balancer;
	uint64_t *load;
	struct hc_balance_plan plan;
};

static void pause_ms(unsigned int ms)
{
	const struct timespec t = { .tv_nsec = ms * 1000000L };

	nanosleep(&t, NULL);
}

static bool goes_on(const struct manager *m)
{
	return !access(m->go, F_OK);
}

static void faults_read(struct manager *m, char *failed, char *broken)
{
	unsigned int node, dim;
	char *word;
	int rc = 0;

	for (word = strtok(failed, ","); word && !rc; word = strtok(NULL, ","))
		rc = hc_faults_node(m->faults, atoi(word));
	for (word = strtok(broken, ","); word && !rc; word = strtok(NULL, ",")) {
		if (sscanf(word, "%u:%u", &node, &dim) != 2)
			errx(2, "'%s' is no link", word);
		rc = hc_faults_link(m->faults, node, dim);
	}
	if (rc)
		errx(2, "these faults are not in the cube");
}

/* Query the loads of all nodes. Return: true if a plan is to be made: a node has at most one
 * waiting task while another has at least three.
 */
static bool loads(struct manager *m)
{
	uint64_t least = UINT64_MAX, most = 0;
	unsigned int u, nodes = hc_nodes(m->faults->dim);
	struct task_view v;

	for (u = 0; u < nodes; u++) {
		m->load[u] = 0;
		if (m->topo.up[u] == HC_BALANCE_OUT)
			continue;
		if (task_view(m->fabric, u, &v))
			return false;
		m->load[u] = v.queued;
		least = v.queued < least ? v.queued : least;
		most = v.queued > most ? v.queued : most;
	}
	return least <= THRESHOLD && most > THRESHOLD + 1;
}

/* Wait until the tasks of a step have arrived. Some may never arrive, as workers have taken them
 * before they could migrate.
 */
static void settled(const struct manager *m, const struct hc_balance_move *move, size_t n)
{
	struct task_view v;
	size_t i;

	for (i = 0; i < n && goes_on(m); i++)
		while (!task_view(m->fabric, move[i].from, &v) && v.moving && goes_on(m))
			pause_ms(1);
}

/* Execute the plan step by step. */
static void execute(const struct manager *m)
{
	const struct hc_balance_move *v = m->plan.moves;
	size_t i, from = 0;

	for (i = 0; i < m->plan.nmoves && goes_on(m); i++) {
		if (v[i].step != v[from].step) {
			settled(m, v + from, i - from);
			from = i;
		}
		/* The request may fail, as workers may have taken all tasks. */
		task_move(m->fabric, v[i].from, __builtin_ctz(v[i].from ^ v[i].to), v[i].tasks);
	}
	settled(m, v + from, i - from);
}

/* Make and execute plans as long as the file exists. */
static void manage(struct manager *m)
{
	const struct hc_balance_req q = { .method = HC_BALANCE_OPT, .load = m->load };

	while (!goes_on(m))
		pause_ms(PAUSE_MS);
	for (; goes_on(m); pause_ms(PAUSE_MS)) {
		if (!loads(m))
			continue;
		if (hc_balancer_plan(m->balancer, &q, &m->plan))
			errx(1, "no plan");
		execute(m);
	}
}

int main(int argc, char **argv)
{
	struct manager m = { 0 };

	if (argc != 6) {
		fputs("usage: optimal FABRIC DIM FAILED BROKEN GO\n", stderr);
		return 2;
	}
	m.fabric = argv[1];
	m.go = argv[5];
	m.faults = hc_faults_new(atoi(argv[2]));
	if (!m.faults)
		err(2, "dimension %s", argv[2]);
	faults_read(&m, argv[3], argv[4]);
	if (hc_balance_topology(m.faults, HC_BALANCE_MCWA, &m.topo))
		errx(1, "no topology");
	m.balancer = hc_balancer_new(m.faults, &m.topo);
	m.load = calloc(hc_nodes(m.faults->dim), sizeof(*m.load));
	if (!m.balancer || !m.load)
		err(1, "memory");
	manage(&m);
	return 0;
}
