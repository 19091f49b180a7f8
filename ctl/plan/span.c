// SPDX-License-Identifier: GPL-2.0
/*
 * Spanning trees: checking the request, bounds, and the properties of the plan.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "span_impl.h"

/* Add to @in the nodes that can be reached from @u, except those of @without; none of them may be
 * in @in before. *far: set to the number of links from @u to the farthest of them. @queue: memory
 * for all nodes. Return: number of nodes added.
 */
static uint32_t reach(const struct hc_faults *f, const uint32_t *without, uint32_t u, uint32_t *in,
		      uint32_t *queue, uint32_t *far)
{
	uint32_t head = 0, tail = 0, end;
	unsigned int d;

	hc_set_add(in, u);
	queue[tail++] = u;
	for (*far = 0; ; ++*far) {
		for (end = tail; head < end; head++) {
			for (d = 0; d < f->topo.ports; d++) {
				uint32_t v = hc_peer(&f->topo, queue[head], d);

				if (!hc_link_good(&f->topo, f->fault, queue[head], d) ||
				    hc_set_has(in, v) || (without && hc_set_has(without, v)))
					continue;
				hc_set_add(in, v);
				queue[tail++] = v;
			}
		}
		if (tail == end)
			return tail;
	}
}

/* Return: true if node @u is live and not to be left out. */
static bool may_be(const struct hc_faults *f, const struct hc_span_req *req, uint32_t u)
{
	return !hc_set_has(f->dead, u) && !(req->without && hc_set_has(req->without, u));
}

/* Find the root: the requested one, or one in the middle of the network. @in: set to the nodes that
 * can be reached from it.
 */
static int choose_root(const struct hc_faults *f, const struct hc_span_req *req,
		       struct span_net *net, uint32_t *in, uint32_t *queue, const char **why)
{
	size_t bytes = hc_topo_words(&f->topo) * sizeof(*in);
	uint32_t u, n, far, least = UINT32_MAX;

	net->root = req->root;
	if (req->root != HC_ANY_SINK && req->root >= f->topo.nodes) {
		*why = "there is no such node";
		return -ERANGE;
	}
	if (req->root != HC_ANY_SINK && !may_be(f, req, req->root)) {
		*why = "it has failed, or is to be left out";
		return -ENOLINK;
	}
	for (u = 0; req->root == HC_ANY_SINK && u < f->topo.nodes; u++) {
		if (!may_be(f, req, u))
			continue;
		memset(in, 0, bytes);
		n = reach(f, req->without, u, in, queue, &far);
		if (n < net->nmembers || (n == net->nmembers && far >= least))
			continue;
		net->root = u;
		net->nmembers = n;
		least = far;
	}
	if (net->root == HC_ANY_SINK) {
		*why = "no node is alive";
		return -EHOSTDOWN;
	}
	memset(in, 0, bytes);
	net->nmembers = reach(f, req->without, net->root, in, queue, &far);
	return 0;
}

/* Return: number of links from the root to the farthest member. */
static uint32_t depth_of(const struct hc_span *s)
{
	uint32_t u, v, n, depth = 0;

	for (u = 0; u < s->topo.nodes; u++) {
		if (!hc_span_has(s, u))
			continue;
		for (n = 0, v = u; v != s->root; v = hc_span_parent(s, v))
			n++;
		if (n > depth)
			depth = n;
	}
	return depth;
}

/* Return: number of healthy links from @u to members. */
static unsigned int degree(const struct span_net *n, uint32_t u)
{
	unsigned int d, count = 0;

	for (d = 0; d < n->topo->ports; d++)
		count += span_link(n, u, d);
	return count;
}

/* Return: a lower bound of the steps until a message of the root has reached all members: each node
 * that has the message sends it to each neighbour at most once, and never back to the neighbour
 * from which it was received. @news: memory for all members: number of nodes that get the message
 * in each step.
 */
static uint32_t bound_by_number(const struct span_net *n, uint32_t *news)
{
	uint32_t have = 1, steps = 0, i, u, most = 1, root = degree(n, n->root);

	for (u = 0; u < n->topo->nodes; u++)
		if (hc_set_has(n->in, u) && degree(n, u) > most)
			most = degree(n, u);
	while (have < n->nmembers) {
		steps++;
		news[steps] = steps <= root;
		for (i = 1; i < most && i < steps; i++)
			news[steps] += news[steps - i];
		have += news[steps];
		/* The counts assume that there are always more nodes to send to, so the sum may
		 * exceed the number of members.
		 */
		if (!news[steps] || have >= n->nmembers)
			break;
	}
	return steps;
}

/* Turn the given parents, which are node numbers, into ports. */
static int take_parents(const struct hc_faults *f, const struct hc_span_req *req, uint8_t *parent,
			const char **why)
{
	uint32_t u, v;

	for (u = 0; u < f->topo.nodes; u++) {
		v = req->parent[u];
		if (v == HC_ANY_SINK)
			continue;
		if (v >= f->topo.nodes) {
			*why = "a parent is no node";
			return -ERANGE;
		}
		parent[u] = hc_port_to(&f->topo, u, v);
		if (parent[u] == HC_NO_PORT) {
			*why = "a node has no link to the parent that is given";
			return -EINVAL;
		}
	}
	return 0;
}

/* Compute all properties of the plan that follow from the parents. */
static int complete(const struct hc_faults *f, const struct hc_span_req *req,
		    struct hc_span_plan *plan, const char **why)
{
	uint16_t *work = calloc(f->topo.nodes, 2 * sizeof(*work));
	struct hc_reason reason;
	uint32_t u;
	int rc = work ? hc_span_check(&plan->span, f->fault, plan->up, work, &reason) : -ENOMEM;

	free(work);
	if (rc == -EINVAL)
		*why = reason.why;
	if (rc)
		return rc;
	plan->steps = plan->up[plan->span.root];
	plan->depth = depth_of(&plan->span);
	plan->nmembers = 0;
	plan->nexcluded = 0;
	for (u = 0; u < f->topo.nodes; u++) {
		if (hc_span_has(&plan->span, u)) {
			plan->nmembers++;
		} else if (may_be(f, req, u)) {
			hc_set_add(plan->excluded, u);
			plan->nexcluded++;
		}
	}
	return 0;
}

/* Return: number of links between members. */
static uint32_t links_of(const struct span_net *n)
{
	uint32_t u, ends = 0;

	for (u = 0; u < n->topo->nodes; u++)
		if (hc_set_has(n->in, u))
			ends += degree(n, u);
	return ends / 2;
}

/* Search for a tree with few steps, and compute the lower bound. @room: memory for all nodes. */
static int search(const struct hc_faults *f, const struct hc_span_req *req,
		  const struct span_net *net, struct hc_span_plan *plan, const char **why,
		  uint32_t *room)
{
	uint32_t bound = bound_by_number(net, room);
	int rc = span_near(net, plan->parent) ?: complete(f, req, plan, why);

	if (rc)
		return rc;
	/* No tree has less depth than this one. If the members have no other links, there is no
	 * other tree.
	 */
	plan->lower_bound = plan->depth > bound ? plan->depth : bound;
	if (links_of(net) == net->nmembers - 1)
		plan->lower_bound = plan->steps;
	if (req->method == HC_SPAN_DEPTH || plan->steps == plan->lower_bound)
		return 0;
	rc = span_greedy(net, plan->lower_bound, plan->parent, &plan->steps);
	if (!rc && plan->steps > plan->lower_bound)
		rc = span_exact(net, plan->parent, &plan->steps, &plan->lower_bound);
	return rc ?: complete(f, req, plan, why);
}

uint32_t hc_span_least(uint32_t members)
{
	return members > 1 ? 32 - (uint32_t)__builtin_clz(members - 1) : 0;
}

/* Find the root, then the tree, unless its parents are given; and fill in the plan. */
static int find(const struct hc_faults *f, const struct hc_span_req *req, struct hc_span_plan *plan,
		const char **why)
{
	uint32_t *in = calloc(hc_topo_words(&f->topo), sizeof(*in));
	uint32_t *room = calloc(f->topo.nodes + 1, sizeof(*room));
	struct span_net net = { .topo = &f->topo, .fault = f->fault, .in = in };
	int rc = in && room ? choose_root(f, req, &net, in, room, why) : -ENOMEM;

	plan->span.root = net.root;
	if (!rc && req->parent)
		rc = take_parents(f, req, plan->parent, why);
	else if (!rc)
		rc = search(f, req, &net, plan, why, room);
	if (!rc && req->parent)
		rc = complete(f, req, plan, why);
	if (!rc && req->parent)
		plan->lower_bound = hc_span_least(plan->nmembers);
	hc_free_all(in, room);
	return rc;
}

int hc_plan_span(const struct hc_faults *f, const struct hc_span_req *req,
		 struct hc_span_plan *plan, const char **why)
{
	int rc = -ENOMEM;

	memset(plan, 0, sizeof(*plan));
	plan->parent = malloc(f->topo.nodes);
	plan->up = calloc(f->topo.nodes, sizeof(*plan->up));
	plan->excluded = calloc(hc_topo_words(&f->topo), sizeof(*plan->excluded));
	*why = "not possible";
	if (plan->parent && plan->up && plan->excluded) {
		memset(plan->parent, HC_NO_PORT, f->topo.nodes);
		plan->span = (struct hc_span){
			.topo = f->topo, .n = f->topo.nodes, .parent = plan->parent,
		};
		rc = find(f, req, plan, why);
	}
	if (rc)
		hc_span_plan_free(plan);
	return rc;
}

void hc_span_plan_free(struct hc_span_plan *plan)
{
	hc_free_all(plan->parent, plan->up, plan->excluded);
	memset(plan, 0, sizeof(*plan));
}
