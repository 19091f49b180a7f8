// SPDX-License-Identifier: GPL-2.0
/* Requests for load balancing rounds, and events of them; see round_calls.h. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cube.h"
#include "round_calls.h"

static void round_take(const struct nlattr *nest, struct round_view *v)
{
	const struct nl_attrs t = {
		.first = nl_data(nest), .len = nest->nla_len - NLA_HDRLEN,
	};

	v->nr = nl_get_u64(&t, HYPERCUBE_A_ROUND_NR, ~0ull);
	v->node = nl_get_u32(&t, HYPERCUBE_A_ROUND_NODE, ~0u);
	v->method = nl_get_u32(&t, HYPERCUBE_A_ROUND_METHOD, ~0u);
	v->trigger = nl_get_u32(&t, HYPERCUBE_A_ROUND_TRIGGER, ~0u);
	v->status = (int)nl_get_u32(&t, HYPERCUBE_A_ROUND_STATUS, 1);
	v->cause_node = nl_get_u32(&t, HYPERCUBE_A_ROUND_CAUSE_NODE, ~0u);
	v->cause_dim = nl_get_u32(&t, HYPERCUBE_A_ROUND_CAUSE_DIM, ~0u);
	v->members = nl_get_u32(&t, HYPERCUBE_A_ROUND_MEMBERS, ~0u);
	v->moved = nl_get_u64(&t, HYPERCUBE_A_ROUND_MOVED, ~0ull);
}

static void run_take(void *arg, const struct nl_attrs *a)
{
	const struct nlattr *nest = nl_find(a, HYPERCUBE_A_BALANCE_ROUND, 0);

	if (nest)
		round_take(nest, arg);
}

static void run_put(struct nl *nl, const char *name, unsigned int method, unsigned int node)
{
	nl_begin(nl, HYPERCUBE_CMD_BALANCE_RUN, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_BALANCE_FABRIC, name);
	if (method != ROUND_ANY)
		nl_u32(nl, HYPERCUBE_A_BALANCE_METHOD, method);
	if (node != ROUND_ANY)
		nl_u32(nl, HYPERCUBE_A_BALANCE_NODE, node);
}

int round_run(const char *name, unsigned int method, unsigned int node, struct round_view *v)
{
	memset(v, 0xff, sizeof(*v));
	run_put(ctl(), name, method, node);
	return nl_talk(ctl(), run_take, v);
}

int round_run_deaf(const char *name, unsigned int method, unsigned int node, struct round_view *v)
{
	int err = ctl_link_loss(name, 1, 0, HYPERCUBE_PPM_MAX, true);

	if (!err)
		err = round_run(name, method, node, v);
	return ctl_link_loss(name, 1, 0, 0, true) ?: err;
}

int round_new_deaf(struct task_fixture *y, unsigned int method, unsigned int node,
		   struct round_view *v)
{
	int err = fixture_new(y, 3, 0) ?: ctl_stall_timeout(y->c.name, 300);

	if (err)
		return err;
	fixture_fill(y, 30);
	return round_run_deaf(y->c.name, method, node, v);
}

int round_begin(struct nl *nl, const char *name, unsigned int method, unsigned int node)
{
	run_put(nl, name, method, node);
	return nl_submit(nl);
}

int round_end(struct nl *nl, struct round_view *v)
{
	memset(v, 0xff, sizeof(*v));
	return nl_receive(nl, run_take, v);
}

unsigned int rounds_at_once(struct nl *nl, unsigned int n, const char *name, unsigned int method,
			    unsigned int members)
{
	unsigned int u, wrong = 0;
	struct round_view v;

	for (u = 0; u < n; u++)
		wrong += !!round_begin(&nl[u], name, method, u);
	for (u = 0; u < n; u++) {
		int err = round_end(&nl[u], &v);

		if (!err && !v.status && v.node == u && v.members == members &&
		    (method == ROUND_ANY || v.method == method))
			continue;
		printf("# node %u: error %d, status %d, by node %u, method %u, %u members\n", u,
		       err, v.status, v.node, v.method, v.members);
		wrong++;
	}
	return wrong;
}

int balance_set(const char *name, unsigned int method, unsigned int threshold,
		unsigned int period)
{
	nl_begin(ctl(), HYPERCUBE_CMD_BALANCE_SET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_BALANCE_FABRIC, name);
	if (method != ROUND_ANY)
		nl_u32(ctl(), HYPERCUBE_A_BALANCE_METHOD, method);
	if (threshold != ROUND_ANY)
		nl_u32(ctl(), HYPERCUBE_A_BALANCE_THRESHOLD, threshold);
	if (period != ROUND_ANY)
		nl_u32(ctl(), HYPERCUBE_A_BALANCE_PERIOD, period);
	return nl_talk(ctl(), NULL, NULL);
}

static void topology_begin(const char *name, const struct hc_balance *b, const uint32_t *fault)
{
	nl_begin(ctl(), HYPERCUBE_CMD_BALANCE_SET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_BALANCE_FABRIC, name);
	nl_u32(ctl(), HYPERCUBE_A_BALANCE_DIMS, b->dims);
	nl_u32(ctl(), HYPERCUBE_A_BALANCE_BASE, b->base);
	nl_u32(ctl(), HYPERCUBE_A_BALANCE_DEPTH, b->depth);
	nl_put(ctl(), HYPERCUBE_A_BALANCE_UP, b->up, hc_nodes(b->dim));
	nl_put(ctl(), HYPERCUBE_A_BALANCE_FAULT, fault, hc_nodes(b->dim) * sizeof(*fault));
}

int balance_topology(const char *name, const struct hc_balance *b, const uint32_t *fault)
{
	topology_begin(name, b, fault);
	return nl_talk(ctl(), NULL, NULL);
}

int balance_topology_after(const char *name, const struct hc_balance *b, const uint32_t *fault,
			   uint32_t prev)
{
	topology_begin(name, b, fault);
	nl_u32(ctl(), HYPERCUBE_A_BALANCE_PREV, prev);
	return nl_talk(ctl(), NULL, NULL);
}

static void view_take(void *arg, const struct nl_attrs *a)
{
	struct balance_view *v = arg;
	const struct nlattr *nest;

	v->method = nl_get_u32(a, HYPERCUBE_A_BALANCE_METHOD, ~0u);
	v->threshold = nl_get_u32(a, HYPERCUBE_A_BALANCE_THRESHOLD, 0);
	v->period = nl_get_u32(a, HYPERCUBE_A_BALANCE_PERIOD, ~0u);
	v->done = nl_get_u64(a, HYPERCUBE_A_BALANCE_DONE, ~0ull);
	v->failed = nl_get_u64(a, HYPERCUBE_A_BALANCE_FAILED, ~0ull);
	v->superseded = nl_get_u64(a, HYPERCUBE_A_BALANCE_SUPERSEDED, ~0ull);
	v->moved = nl_get_u64(a, HYPERCUBE_A_BALANCE_MOVED, ~0ull);
	v->epoch = nl_get_u32(a, HYPERCUBE_A_BALANCE_EPOCH, ~0u);
	while (v->n < ARRAY_SIZE(v->round) &&
	       (nest = nl_find(a, HYPERCUBE_A_BALANCE_ROUND, v->n)))
		round_take(nest, &v->round[v->n++]);
}

int balance_view(const char *name, struct balance_view *v)
{
	memset(v, 0, sizeof(*v));
	nl_begin(ctl(), HYPERCUBE_CMD_BALANCE_GET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_BALANCE_FABRIC, name);
	return nl_talk(ctl(), view_take, v);
}

uint64_t rounds_in(const char *name, unsigned int seconds)
{
	struct balance_view b = { 0 }, then = { 0 };

	balance_view(name, &then);
	sleep(seconds);
	balance_view(name, &b);
	printf("# %llu rounds in %u s\n", (unsigned long long)(b.done - then.done), seconds);
	return b.done - then.done;
}
