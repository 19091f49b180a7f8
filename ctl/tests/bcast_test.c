// SPDX-License-Identifier: GPL-2.0
/*
 * Tests of the broadcast planners and of the library that the kernel shares, as
 * KTAP.  Usage: bcast_test [NAME..]: all cases, or the ones named.
 */
#include <stdlib.h>
#include <string.h>

#include "bcast_test.h"

void bworld_init(struct bworld *w, unsigned int n)
{
	boracle_init(&w->o, (int)n);
	w->f = hc_faults_new(n);
	if (!w->f)
		abort();
}

void bworld_free(struct bworld *w)
{
	hc_faults_free(w->f);
}

void bworld_node(struct bworld *w, unsigned int u)
{
	if (hc_faults_node(w->f, u))
		abort();
	boracle_kill(&w->o, (int)u);
}

void bworld_link(struct bworld *w, unsigned int u, unsigned int d)
{
	if (hc_faults_link(w->f, u, d))
		abort();
	boracle_cut(&w->o, (int)u, (int)d);
}

void bworld_fault(struct bworld *w, unsigned int i)
{
	unsigned int nodes = 1u << w->o.n, half = nodes / 2, d, low;

	if (i < nodes - 1) {
		bworld_node(w, i + 1);
		return;
	}
	i -= nodes - 1;
	d = i / half;
	low = i % half;
	bworld_link(w, (low >> d << (d + 1)) | (low & ((1u << d) - 1)), d);
}

void bworld_random(struct bworld *w, unsigned int nodes, unsigned int links, bool near)
{
	unsigned int n = (unsigned int)w->o.n, u, d, centre = rnd(1u << n);

	while (nodes) {
		u = rnd(1u << n);
		if (near)
			u = centre ^ (1u << rnd(n)) ^ (1u << rnd(n)) ^
			    (rnd(4) ? 0 : 1u << rnd(n));
		if (near && !rnd(50))
			centre = rnd(1u << n);
		if (!u || w->o.dead[u])
			continue;
		bworld_node(w, u);
		nodes--;
	}
	while (links) {
		u = rnd(1u << n);
		d = rnd(n);
		if (w->o.cut[u][d])
			continue;
		bworld_link(w, u, d);
		links--;
	}
}

int bworld_plan(const struct bworld *w, enum hc_bcast_method method, bool greedy,
		struct hc_bcast_plan *p)
{
	struct hc_bcast_req req = { .method = method, .greedy = greedy };
	const char *why = NULL;
	int err = hc_plan_bcast(w->f, &req, p, &why);

	return with_cause(err, why);
}

int bworld_fixed(const struct bworld *w, uint32_t source, const char *sequence,
		 struct hc_bcast_plan *p)
{
	uint8_t dims[64];
	const char *why;

	return hc_plan_bcast_fixed(w->f, source, dims, dims_of(sequence, dims), p, &why);
}

bool has_sequence(const struct hc_bcast_plan *p, const char *sequence)
{
	return dims_are(sequence, p->sequence, p->bcast.steps);
}

/* Return: true if every member but the source is sent the message once, by a member that has it, in
 * the step that the roles of both state.
 */
static bool roles_hold(const struct bworld *w, const struct hc_bcast_plan *p)
{
	int sent[BORACLE_NODES] = { 0 };
	struct hc_bcast_role role, child;
	unsigned int i;
	uint32_t u, v;

	for (u = 0; u < 1u << w->o.n; u++) {
		if (p->first[u] == HC_BCAST_NEVER) {
			CHECK(hc_bcast_role(&p->bcast, p->first, u, &role) == -EINVAL);
			continue;
		}
		CHECK(!hc_bcast_role(&p->bcast, p->first, u, &role));
		CHECK(role.first == p->first[u]);
		for (i = 0; i < role.nto; i++) {
			v = u ^ (1u << role.to[i].dim);
			CHECK(boracle_link(&w->o, (int)u, role.to[i].dim));
			CHECK(role.to[i].step >= role.first);
			CHECK(!i || role.to[i].step > role.to[i - 1].step);
			CHECK(p->sequence[role.to[i].step] == role.to[i].dim);
			CHECK(!hc_bcast_role(&p->bcast, p->first, v, &child));
			CHECK(child.from == role.to[i].dim);
			CHECK(child.first == role.to[i].step + 1);
			sent[v]++;
		}
	}
	for (u = 0; u < 1u << w->o.n; u++)
		CHECK(sent[u] == (p->first[u] != HC_BCAST_NEVER && u != p->bcast.source));
	return true;
}

/* Return: true if the verifier accepts the plan, which misses no member, or refuses the plan and
 * names the lowest member that is missed.
 */
static bool check_agrees(const struct bworld *w, const struct hc_bcast_plan *p)
{
	uint16_t first[BORACLE_NODES];
	struct hc_bcast_reason reason = { 0 };
	int err = hc_bcast_check(&p->bcast, w->f->fault, first, &reason);
	uint32_t u;

	CHECK(!err == (p->covered == p->reachable));
	CHECK(!err == !reason.why);
	for (u = 0; err && u < reason.node; u++)
		CHECK(!hc_set_has(p->missed, u));
	CHECK(!err || hc_set_has(p->missed, reason.node));
	CHECK(!memcmp(first, p->first, sizeof(*first) << w->o.n));
	return true;
}

bool bcast_holds(const struct bworld *w, const struct hc_bcast_plan *p)
{
	int when[BORACLE_NODES], u, source = (int)p->bcast.source, pseudo = 0, cut_off = 0;
	bool reach[BORACLE_NODES];

	CHECK((int)p->reachable == boracle_reach(&w->o, source, reach));
	CHECK((int)p->covered == boracle_run(&w->o, source, p->sequence,
					     (int)p->bcast.steps, when));
	for (u = 0; u < 1 << w->o.n; u++) {
		bool late = reach[u] && (when[u] > w->o.n || when[u] == BORACLE_NEVER);

		CHECK(p->first[u] == (uint16_t)when[u]);
		CHECK(hc_set_has(p->members, u) == reach[u]);
		CHECK(hc_set_has(p->missed, u) == (reach[u] && when[u] == BORACLE_NEVER));
		CHECK(hc_set_has(p->pseudo, u) == late);
		CHECK(hc_set_has(p->unreachable, u) == (!w->o.dead[u] && !reach[u]));
		pseudo += late;
		cut_off += !w->o.dead[u] && !reach[u];
	}
	CHECK((int)p->npseudo == pseudo && (int)p->nunreachable == cut_off);
	CHECK(p->ninternal + p->nexternal + p->nextra == p->bcast.steps);
	CHECK(p->covered < p->reachable || p->lower_bound <= p->bcast.steps);
	return roles_hold(w, p) && check_agrees(w, p);
}

bool bcast_complete(const struct bworld *w, const struct hc_bcast_plan *p, unsigned int steps)
{
	CHECK(bcast_holds(w, p));
	CHECK(p->covered == p->reachable);
	CHECK(p->bcast.steps <= steps);
	return true;
}

bool bcast_subsets(unsigned int n, unsigned int most,
		   bool (*each)(const unsigned int *set, unsigned int size, void *ctx), void *ctx)
{
	unsigned int set[16], size, i;

	for (size = 0; size <= most; size++) {
		for (i = 0; i < size; i++)
			set[i] = i;
		for (;;) {
			if (!each(set, size, ctx))
				return false;
			for (i = size; i && set[i - 1] == n - size + i - 1;)
				i--;
			if (!i)
				break;
			set[i - 1]++;
			for (; i < size; i++)
				set[i] = set[i - 1] + 1;
		}
	}
	return true;
}

TEST_HARNESS_MAIN
