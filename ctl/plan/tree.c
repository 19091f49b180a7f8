// SPDX-License-Identifier: GPL-2.0
/*
 * hc_plan_tree(): finding the nodes that may be the sink, and calling the method that finds the
 * tree.
 */
#include <errno.h>
#include <stdlib.h>

#include "tree_impl.h"

#define NO_COMPONENT UINT32_MAX

/**
 * struct job - a request that is being worked on
 * @f: the faults
 * @seen: the faults as the tree sees them: links to nodes that cannot be members are faulty as
 *	well
 * @req: the request
 * @dims: mask of the free dimensions of the subcube
 * @base: a node of the subcube
 * @comp: number of each node's component; NO_COMPONENT for failed and isolated nodes, and for
 *	nodes other than the requested members
 * @weight: for each component, number of members of a tree in it, plus 1; 0 if no sink is
 *	allowed in it
 * @ncomp: number of components
 * @clean: the sink must be a clean one
 */
struct job {
	const struct hc_faults *f;
	const struct hc_faults *seen;
	const struct hc_tree_req *req;
	uint32_t dims;
	uint32_t base;
	uint32_t *comp;
	uint32_t *weight;
	uint32_t ncomp;
	bool clean;
};

/* Return: true if node @u is in the subcube. */
static bool inside(const struct job *j, uint32_t u)
{
	return !((u ^ j->base) & ~j->dims);
}

/* Return: true if node @u is live and not isolated. */
static bool live(const struct job *j, uint32_t u)
{
	return !hc_set_has(j->f->dead, u) &&
	       j->f->fault[u] != hc_ones(j->f->dim);
}

/* Find the smallest subcube that holds the requested members. */
static int find_span(struct job *j, const char **why)
{
	const uint32_t *members = j->req->members;
	uint32_t u, first = HC_ANY_SINK;

	for (u = 0; u < hc_nodes(j->f->dim); u++) {
		if (!hc_set_has(members, u))
			continue;
		first = first == HC_ANY_SINK ? u : first;
		j->dims |= u ^ first;
	}
	j->base = first;
	if (first != HC_ANY_SINK)
		return 0;
	*why = "no member";
	return -EHOSTDOWN;
}

static int check_request(struct job *j, const char **why)
{
	const struct hc_tree_req *req = j->req;
	uint32_t ones = hc_ones(j->f->dim);

	if (req->members) {
		int err = find_span(j, why);

		if (err)
			return err;
	} else {
		j->dims = req->dims ? req->dims : ones;
		j->base = j->dims == ones ? 0 : req->base;
	}
	if (j->dims & ~ones) {
		*why = "the subcube has a dimension that the cube does not have";
		return -ERANGE;
	}
	if (j->base & ~ones) {
		*why = "the subcube's node is no node of the cube";
		return -ERANGE;
	}
	if (req->sink == HC_ANY_SINK)
		return 0;
	if (req->sink & ~ones) {
		*why = "the sink is no node of the cube";
		return -ERANGE;
	}
	if (req->members ? !hc_set_has(req->members, req->sink) : !inside(j, req->sink)) {
		*why = req->members ? "the sink is no member" : "the sink is not in the subcube";
		return -ERANGE;
	}
	if (!live(j, req->sink)) {
		*why = "the sink has failed or is isolated";
		return -ENOLINK;
	}
	return 0;
}

/* Number the components of the live nodes that are not isolated. */
static int find_components(struct job *j)
{
	uint32_t nodes = hc_nodes(j->f->dim), head, tail, u;
	uint32_t *queue = malloc(nodes * sizeof(*queue));
	unsigned int d;

	j->comp = malloc(nodes * sizeof(*j->comp));
	j->weight = calloc(nodes, sizeof(*j->weight));
	if (!queue || !j->comp || !j->weight) {
		free(queue);
		return -ENOMEM;
	}
	for (u = 0; u < nodes; u++)
		j->comp[u] = NO_COMPONENT;
	for (u = 0; u < nodes; u++) {
		if (j->comp[u] != NO_COMPONENT || !live(j, u))
			continue;
		j->comp[u] = j->ncomp;
		queue[0] = u;
		for (head = 0, tail = 1; head < tail; head++) {
			for (d = 0; d < j->f->dim; d++) {
				uint32_t v = hc_neigh(queue[head], d);

				if ((j->f->fault[queue[head]] & hc_bit(d)) ||
				    j->comp[v] != NO_COMPONENT)
					continue;
				j->comp[v] = j->ncomp;
				queue[tail++] = v;
			}
		}
		j->ncomp++;
	}
	free(queue);
	return 0;
}

/* May node @u be the sink? @clean: only if it is a clean one. */
static bool can_sink(const struct job *j, uint32_t u, bool clean)
{
	return inside(j, u) && j->comp[u] != NO_COMPONENT &&
	       !(clean && (j->seen->fault[u] & j->dims));
}

/* Take all nodes but the requested members out of the components, and check that the requested
 * members are in one component.
 */
static int keep_members(struct job *j, const char **why)
{
	const uint32_t *members = j->req->members;
	uint32_t u, id = NO_COMPONENT;

	for (u = 0; members && u < hc_nodes(j->f->dim); u++) {
		if (!hc_set_has(members, u)) {
			j->comp[u] = NO_COMPONENT;
			continue;
		}
		id = id == NO_COMPONENT ? j->comp[u] : id;
		if (j->comp[u] == NO_COMPONENT || j->comp[u] != id) {
			*why = "a member has failed or is cut off";
			return -ENOLINK;
		}
	}
	return 0;
}

/* Decide whether the sink must be clean, and compute @weight of each component in which a sink is
 * allowed.
 */
static int weigh_components(struct job *j, const char **why)
{
	uint32_t nodes = hc_nodes(j->f->dim), u;
	bool any = false, connected = false;

	for (u = 0; u < nodes; u++) {
		if (!inside(j, u))
			continue;
		any |= !hc_set_has(j->f->dead, u);
		connected |= live(j, u);
		j->clean |= can_sink(j, u, true);
	}
	if (!any) {
		*why = "no live node";
		return -EHOSTDOWN;
	}
	if (!connected) {
		*why = "every live node is isolated";
		return -ENOLINK;
	}
	for (u = 0; u < nodes; u++)
		if (can_sink(j, u, j->clean))
			j->weight[j->comp[u]] = 1;
	for (u = 0; u < nodes; u++)
		if (inside(j, u) && j->comp[u] != NO_COMPONENT && j->weight[j->comp[u]])
			j->weight[j->comp[u]]++;
	return 0;
}

/* Set up the scene for trees in component @id. */
static int make_scene(const struct job *j, uint32_t id, struct hc_tree_scene *s)
{
	uint32_t nodes = hc_nodes(j->f->dim), u, bad;
	size_t n = 0;

	memset(s, 0, sizeof(*s));
	s->f = j->seen;
	s->dims = j->dims;
	s->k = hc_weight32(j->dims);
	s->base = j->base;
	s->comp = j->comp;
	s->id = id;
	s->only = j->req->sink;
	s->clean = j->clean;

	for (u = 0; u < nodes; u++)
		if (hc_scene_member(s, u))
			n += hc_weight32(hc_scene_fault(s, u));
	s->end = malloc((n + 1) * sizeof(*s->end));
	if (!s->end)
		return -ENOMEM;
	for (u = 0; u < nodes; u++) {
		if (!hc_scene_member(s, u))
			continue;
		for (bad = hc_scene_fault(s, u); bad; bad &= bad - 1) {
			s->end[s->nend].node = u;
			s->end[s->nend++].dim = __builtin_ctz(bad);
		}
	}
	return 0;
}

/* Find the best order for the sink @sink. */
static int plan_with_sink(const struct job *j, uint32_t sink, uint8_t *order)
{
	struct hc_tree_scene s;
	hc_tree_cost cost;
	int err;

	err = make_scene(j, j->comp[sink], &s);
	if (!err && j->req->method == HC_TREE_EXHAUST)
		hc_tree_exhaust(&s, &sink, order, &cost);
	else if (!err)
		err = hc_tree_best_order(&s, sink, order, &cost);
	free(s.end);
	return err;
}

/* Find the best sink in all components with the greatest weight. */
static int plan_any_sink(struct job *j, uint32_t *sink, uint8_t *order,
			 const char **why)
{
	hc_tree_cost least = HC_COST_MAX;
	uint32_t most = 0, id;
	int err;

	err = weigh_components(j, why);
	if (err)
		return err;
	for (id = 0; id < j->ncomp; id++)
		if (j->weight[id] > most)
			most = j->weight[id];
	for (id = 0; id < j->ncomp; id++) {
		uint8_t one_order[HC_LIB_DIM_MAX];
		struct hc_tree_scene s;
		hc_tree_cost cost = 0;
		uint32_t one = 0;

		if (j->weight[id] != most)
			continue;
		err = make_scene(j, id, &s);
		if (!err && j->req->method == HC_TREE_EXHAUST)
			hc_tree_exhaust(&s, &one, one_order, &cost);
		else if (!err)
			err = hc_tree_best_sink(&s, &one, &cost);
		free(s.end);
		if (err)
			return err;
		if (cost < least || (cost == least && one < *sink)) {
			least = cost;
			*sink = one;
			memcpy(order, one_order, sizeof(one_order));
		}
	}
	if (j->req->method == HC_TREE_EXHAUST)
		return 0;
	return plan_with_sink(j, *sink, order);
}

/* Find the sink, unless one is requested, and the order by the method find-tree. */
static int plan_find_tree(struct job *j, uint32_t *sink, uint8_t *order,
			  const char **why)
{
	uint32_t nodes = hc_nodes(j->f->dim);

	if (*sink == HC_ANY_SINK) {
		for (*sink = 0; *sink < nodes; (*sink)++)
			if (inside(j, *sink) && live(j, *sink) &&
			    !(j->f->fault[*sink] & j->dims))
				break;
		if (*sink == nodes) {
			*why = "no node without faulty links can be the sink";
			return -ENOENT;
		}
	}
	return hc_tree_find_order(j->f, *sink, j->dims, order);
}

/* Find the sink, unless one is requested, and the order by the method of the request. */
static int plan_job(struct job *j, uint32_t *sink, uint8_t *order, const char **why)
{
	int err;

	if (j->req->method == HC_TREE_FIND)
		return plan_find_tree(j, sink, order, why);
	if (j->req->method == HC_TREE_EXHAUST && hc_weight32(j->dims) > 6) {
		*why = "exhaustive search beyond dimension 6";
		return -E2BIG;
	}
	err = find_components(j) ?: keep_members(j, why);
	if (err)
		return err;
	if (*sink == HC_ANY_SINK)
		return plan_any_sink(j, sink, order, why);
	return plan_with_sink(j, *sink, order);
}

/* Make a copy of the faults in which the links to all nodes but @members are faulty. */
static struct hc_faults *make_seen(const struct hc_faults *f, const uint32_t *members)
{
	struct hc_faults *seen = hc_faults_new(f->dim);
	uint32_t u;

	if (!seen)
		return NULL;
	memcpy(seen->fault, f->fault, hc_nodes(f->dim) * sizeof(*f->fault));
	for (u = 0; u < hc_nodes(f->dim); u++)
		if (!hc_set_has(members, u))
			hc_faults_node(seen, u);
	return seen;
}

/* Find the sink and the order of a tree with requested members. */
static int plan_members(struct job *j, uint32_t *sink, uint8_t *order, const char **why)
{
	struct hc_faults *seen;
	int err;

	if (j->req->method == HC_TREE_FIND) {
		*why = "this method chooses the members itself";
		return -EOPNOTSUPP;
	}
	/* A subcube of one node: the tree has no stages. */
	if (!j->dims) {
		*sink = j->base;
		return 0;
	}
	seen = make_seen(j->f, j->req->members);
	if (!seen)
		return -ENOMEM;
	j->seen = seen;
	err = plan_job(j, sink, order, why);
	hc_faults_free(seen);
	return err;
}

int hc_plan_tree(const struct hc_faults *f, const struct hc_tree_req *req,
		 struct hc_tree_plan *plan, const char **why)
{
	struct job j = { .f = f, .seen = f, .req = req };
	uint8_t order[HC_LIB_DIM_MAX] = { 0 };
	uint32_t sink = req->sink;
	int err;

	memset(plan, 0, sizeof(*plan));
	*why = "out of memory";
	err = check_request(&j, why);
	if (!err && req->members)
		err = plan_members(&j, &sink, order, why);
	else if (!err)
		err = plan_job(&j, &sink, order, why);
	free(j.comp);
	free(j.weight);
	if (err)
		return err;
	return hc_tree_complete(f, sink, order, hc_weight32(j.dims), req->members, plan, why);
}
