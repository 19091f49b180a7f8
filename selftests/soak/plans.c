// SPDX-License-Identifier: GPL-2.0
/*
 * Installs plans with hcctl, and checks that their members are those that follow from the injected
 * faults.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "soak.h"

const uint32_t plan_ids[PLANS] = { 1, 4, 2, 3 };

/* Return: the set of nodes that healthy links connect with @from. */
uint64_t reachable(const struct soak *s, uint32_t from)
{
	uint64_t found = 0, todo;
	uint32_t u, d, v;

	if (s->node_failed >> from & 1)
		return 0;
	todo = 1ull << from;
	found = todo;
	while (todo) {
		u = (uint32_t)__builtin_ctzll(todo);
		todo &= todo - 1;
		for (d = 0; d < s->w->dim; d++) {
			v = u ^ 1u << d;
			if (s->link_down[u] >> d & 1 || s->node_failed >> v & 1 || found >> v & 1)
				continue;
			found |= 1ull << v;
			todo |= 1ull << v;
		}
	}
	return found;
}

/* Return: a random node that links connect with more than half of all nodes; if there is no such
 * node, any node.
 */
static uint32_t pick_root(struct soak *s)
{
	uint32_t u = below(&s->dice, s->w->nodes), i;

	for (i = 0; i < s->w->nodes; i++, u = (u + 1) % s->w->nodes)
		if (2 * __builtin_popcountll(reachable(s, u)) > (int)s->w->nodes)
			return u;
	return u;
}

static uint64_t mask_of(const uint32_t *list, int n)
{
	uint64_t mask = 0;

	while (n-- > 0)
		mask |= 1ull << list[n];
	return mask;
}

/* Report an error if @status says that hcctl has not installed a plan. Return: true if it has. */
static bool planned(struct soak *s, const char *what, int status)
{
	if (!status)
		return true;
	complain(s->w, "hcctl %s: status %d: %s", what, status, hcctl_said());
	atomic_fetch_add(&s->w->bad, 1);
	return false;
}

static bool tree_install(struct soak *s, struct plan *p)
{
	uint32_t list[NODES_MAX], n;
	static char out[1 << 16];

	if (!planned(s, "tree find",
		     hcctl(out, sizeof(out), "-j tree find fabric %s apply plan %u sink %u",
			   s->w->fabric, p->id, p->root)))
		return false;
	n = (uint32_t)json_numbers(out, "members", list, NODES_MAX);
	p->detours = !strstr(out, "\"detours\":[]");
	p->members = reachable(s, p->root);
	if (mask_of(list, (int)n) == p->members)
		return true;
	complain(s->w, "plan %u has members %llx, not %llx", p->id,
		 (unsigned long long)mask_of(list, (int)n), (unsigned long long)p->members);
	atomic_fetch_add(&s->w->bad, 1);
	return false;
}

static bool bcast_install(struct soak *s, struct plan *p)
{
	p->members = reachable(s, p->root);
	return planned(s, "bcast plan",
		       hcctl(NULL, 0, "bcast plan fabric %s apply plan %u source %u", s->w->fabric,
			     p->id, p->root));
}

static bool doubling_install(struct soak *s, struct plan *p)
{
	uint32_t order[16], i, n;
	static char out[1 << 14];

	if (!planned(s, "doubling plan",
		     hcctl(out, sizeof(out), "-j doubling plan fabric %s apply plan %u",
			   s->w->fabric, p->id)))
		return false;
	json_numbers(out, "base", &p->root, 1);
	n = (uint32_t)json_numbers(out, "order", order, 16);
	p->members = 1ull << p->root;
	for (i = 0; i < n && i < 16; i++)
		p->members |= p->members << (1u << order[i]);
	return true;
}

static bool plan_install(struct soak *s, struct plan *p)
{
	return p->bcast	     ? bcast_install(s, p)
	       : p->doubling ? doubling_install(s, p)
			     : tree_install(s, p);
}

/* Install all plans with new random roots. */
bool plans_install(struct soak *s)
{
	struct plan *plan = s->w->era.plan;
	int i;

	for (i = 0; i < PLANS; i++) {
		plan[i] = (struct plan){
			.id = plan_ids[i],
			.root = pick_root(s),
			.bcast = i == BCAST,
			.doubling = i == DOUBLING,
		};
		plan[i].active = plan_install(s, &plan[i]);
	}
	s->fresh = true;
	return plan[TREE_A].active;
}

/*
 * Replace a plan by one with the same members, or only remove it, in the middle of an era. The
 * operation numbers of a new plan begin at 0. So members must stop contributing first: otherwise a
 * member that does not know of the new plan would contribute to it in another order than the other
 * members.
 */
void plan_replace(struct soak *s, int slot)
{
	struct plan p = s->w->era.plan[slot];

	if (!p.doubling && reachable(s, p.root) == p.members && chance(&s->dice, 75) &&
	    members_stop(s, slot) && plan_install(s, &p))
		return;
	hcctl(NULL, 0, "tree del %s plan %u", s->w->fabric, p.id);
}

static bool plan_shown(const char *at, uint32_t *missing)
{
	uint32_t list[NODES_MAX];
	int n = json_numbers(at, "missing", list, NODES_MAX);

	*missing = n > 0 ? (uint32_t)n : 0;
	return n >= 0;
}

/*
 * After a failure some members have stopped contributing, while others may have contributed to
 * later operations. These operations wait for the members that have stopped. Query the kernel for
 * the members for which each operation waits. Return: true if all pending operations wait for
 * members that have stopped.
 */
bool waiting_explained(struct soak *s)
{
	static char out[1 << 17];
	const char *at = out;
	uint32_t missing;
	bool any = false;

	if (hcctl(out, sizeof(out), "-j op show %s", s->w->fabric))
		return false;
	while ((at = strstr(at, "\"plan\":"))) {
		if (!plan_shown(at, &missing) || !missing)
			return false;
		any = true;
		at++;
	}
	return any;
}

void waiting_show(struct soak *s)
{
	static char out[1 << 16];

	if (!hcctl(out, 6000, "op show %s", s->w->fabric))
		printf("%s\n", out);
	if (!hcctl(out, 12000, "-j op show %s", s->w->fabric))
		printf("%s\n", out);
	fflush(stdout);
}
