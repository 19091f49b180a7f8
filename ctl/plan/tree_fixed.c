// SPDX-License-Identifier: GPL-2.0
/*
 * Making a whole plan (members, detours, costs) from a sink and an order.
 */
#include <errno.h>
#include <stdlib.h>

#include "memory.h"
#include "tree_impl.h"

void hc_tree_plan_free(struct hc_tree_plan *plan)
{
	hc_free_all(plan->members, plan->excluded, plan->detours);
	memset(plan, 0, sizeof(*plan));
}

/* Find the members and the excluded nodes. @only: as for hc_tree_complete(). */
static int find_members(const struct hc_faults *f, const uint32_t *only, struct hc_tree_plan *plan)
{
	const struct hc_tree *t = &plan->tree;
	uint32_t words = hc_set_words(t->dim), u;

	plan->members = malloc(words * sizeof(uint32_t));
	plan->excluded = calloc(words, sizeof(uint32_t));
	if (!plan->members || !plan->excluded ||
	    !hc_faults_component(f, t->sink, plan->members))
		return -ENOMEM;
	plan->tree.members = plan->members;

	for (u = 0; u < hc_nodes(t->dim); u++) {
		bool inside = hc_tree_contains(t, u);

		if (!inside || (only && !hc_set_has(only, u))) {
			hc_set_del(plan->members, u);
		} else if (hc_set_has(plan->members, u)) {
			plan->nmembers++;
		} else if (!hc_set_has(f->dead, u)) {
			hc_set_add(plan->excluded, u);
			plan->nexcluded++;
		}
	}
	return 0;
}

/* Breadth-first search over the healthy links. Nodes are marked with the number of the search, so
 * nothing has to be cleared between searches.
 */
struct bfs {
	uint32_t *seen;
	uint32_t *queue;
	uint32_t *hops;
	uint32_t stamp;
};

/* Find the nearest member that is passive at the stage at which @from is active, the lowest of
 * several. The sink is passive at each stage and connected with @from, so there always is one.
 */
static uint32_t nearest_passive(const struct hc_faults *f, const struct hc_tree *t,
				struct bfs *b, uint32_t from, uint32_t *hops)
{
	unsigned int stage = hc_tree_active(t, from), d;
	uint32_t head = 0, tail = 0, found = t->sink;

	*hops = UINT32_MAX;
	b->stamp++;
	b->seen[from] = b->stamp;
	b->hops[from] = 0;
	b->queue[tail++] = from;
	while (head < tail && b->hops[b->queue[head]] <= *hops) {
		uint32_t u = b->queue[head++];

		if (hc_set_has(t->members, u) && hc_tree_active(t, u) > stage &&
		    (b->hops[u] < *hops || u < found)) {
			found = u;
			*hops = b->hops[u];
		}
		for (d = 0; d < t->dim; d++) {
			uint32_t v = hc_neigh(u, d);

			if ((f->fault[u] & hc_bit(d)) || b->seen[v] == b->stamp)
				continue;
			b->seen[v] = b->stamp;
			b->hops[v] = b->hops[u] + 1;
			b->queue[tail++] = v;
		}
	}
	return found;
}

/* Has the blocked member @u an effective helper? */
static bool has_helper(const struct hc_faults *f, const struct hc_tree *t, uint32_t u)
{
	uint32_t own = hc_tree_fault(t, u, f->fault[u]);
	unsigned int i = hc_tree_active(t, u), j;

	for (j = i + 1; j < t->stages; j++) {
		uint32_t v = hc_neigh(u, t->order[j]);

		if (!(own & hc_bit(t->order[j])) &&
		    !(hc_tree_fault(t, v, f->fault[v]) & hc_bit(t->order[i])))
			return true;
	}
	return false;
}

/* Is @u a member whose tree link is unusable? */
static bool is_blocked(const struct hc_faults *f, const struct hc_tree *t, uint32_t u)
{
	unsigned int i;

	if (!hc_set_has(t->members, u))
		return false;
	i = hc_tree_active(t, u);
	return i < t->stages &&
	       (hc_tree_fault(t, u, f->fault[u]) & hc_bit(t->order[i]));
}

static int add_detour(struct hc_tree_plan *plan, uint32_t from, uint32_t to)
{
	unsigned int n = plan->tree.ndetours;

	if (!(n & (n - 1))) {
		size_t room = n ? 2 * (size_t)n : 1;
		struct hc_detour *more;

		more = realloc(plan->detours, room * sizeof(*more));
		if (!more)
			return -ENOMEM;
		plan->detours = more;
		plan->tree.detours = more;
	}
	plan->detours[n].from = from;
	plan->detours[n].to = to;
	plan->tree.ndetours++;
	return 0;
}

/* Find the detours, and count blocked senders and steps at the same time. */
static int find_detours(const struct hc_faults *f, struct hc_tree_plan *plan,
			struct bfs *b)
{
	uint32_t slow[HC_LIB_DIM_MAX] = { 0 }, u, hops;
	struct hc_tree *t = &plan->tree;
	unsigned int i;

	for (u = 0; u < hc_nodes(t->dim); u++) {
		if (!is_blocked(f, t, u))
			continue;
		plan->cost++;
		hops = 2;
		if (!has_helper(f, t, u) &&
		    add_detour(plan, u, nearest_passive(f, t, b, u, &hops)))
			return -ENOMEM;
		i = hc_tree_active(t, u);
		if (hops > slow[i])
			slow[i] = hops;
	}
	for (i = 0; i < t->stages; i++) {
		plan->faulty_stages += slow[i] > 0;
		plan->steps += slow[i] ? slow[i] : 1;
	}
	return 0;
}

/* Fill in the properties of the plan that follow from the sink and the order. @only: as for
 * hc_tree_complete().
 */
static int complete(const struct hc_faults *f, const uint32_t *only, struct hc_tree_plan *plan)
{
	struct hc_tree *t = &plan->tree;
	struct bfs b = { 0 };
	uint32_t nodes = hc_nodes(t->dim), bad = f->fault[t->sink];
	unsigned int d;
	int err;

	err = find_members(f, only, plan);
	if (err)
		return err;

	b.seen = calloc(nodes, sizeof(*b.seen));
	b.queue = malloc(nodes * sizeof(*b.queue));
	b.hops = malloc(nodes * sizeof(*b.hops));
	err = -ENOMEM;
	if (b.seen && b.queue && b.hops)
		err = find_detours(f, plan, &b);
	hc_free_all(b.seen, b.queue, b.hops);
	if (err)
		return err;

	for (d = 0; d < t->dim; d++)
		if (!hc_tree_contains(t, hc_neigh(t->sink, d)))
			bad &= ~hc_bit(d);
	plan->clean_sink = !bad;
	plan->cost += hc_weight32(bad);
	return 0;
}

int hc_tree_complete(const struct hc_faults *f, uint32_t sink, const uint8_t *order,
		     unsigned int stages, const uint32_t *only, struct hc_tree_plan *plan,
		     const char **why)
{
	uint32_t used = 0;
	unsigned int i;
	int err;

	memset(plan, 0, sizeof(*plan));
	if (sink >= hc_nodes(f->dim)) {
		*why = "the sink is no node of the cube";
		return -ERANGE;
	}
	for (i = 0; i < stages; i++) {
		if (i >= f->dim || order[i] >= f->dim || (used & hc_bit(order[i]))) {
			*why = "the order is not a list of distinct dimensions of the cube";
			return -ERANGE;
		}
		used |= hc_bit(order[i]);
	}
	if (f->fault[sink] == hc_ones(f->dim)) {
		*why = "the sink has failed or is isolated";
		return -ENOLINK;
	}

	plan->tree.dim = f->dim;
	plan->tree.stages = stages;
	plan->tree.sink = sink;
	if (stages)
		memcpy(plan->tree.order, order, stages);
	err = complete(f, only, plan);
	if (err) {
		hc_tree_plan_free(plan);
		*why = "out of memory";
	}
	return err;
}

int hc_plan_tree_fixed(const struct hc_faults *f, uint32_t sink,
		       const uint8_t *order, unsigned int stages,
		       struct hc_tree_plan *plan, const char **why)
{
	return hc_tree_complete(f, sink, order, stages, NULL, plan, why);
}

uint32_t hc_plan_tree_faulty(const struct hc_faults *f, const struct hc_tree_plan *plan,
			     struct hc_faulty_link *out, uint32_t max)
{
	const struct hc_tree *t = &plan->tree;
	uint32_t n = 0, u;

	for (u = 0; u < hc_nodes(t->dim); u++) {
		if (!is_blocked(f, t, u))
			continue;
		if (n < max) {
			out[n].node = u;
			out[n].dim = t->order[hc_tree_active(t, u)];
		}
		n++;
	}
	return n;
}
