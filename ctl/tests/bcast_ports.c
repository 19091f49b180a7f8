// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences of ports in networks that are no hypercubes: small networks against all sequences, and
 * large ones whose shortest sequence is known.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bcast_test.h"
#include "named_net.h"
#include "net.h"

/* The most nodes of the networks in which all sequences are tried. */
#define SMALL	9

/* Return: the fewest steps of any sequence, by breadth-first search over the sets of informed
 * nodes. No code of the planner is used.
 */
static unsigned int fewest(const struct hc_faults *f, uint32_t source, uint32_t all)
{
	static uint8_t seen[1 << SMALL];
	uint32_t queue[1 << SMALL], head = 0, tail = 0, u, d, next, end;
	const uint32_t ports = f->topo.ports;
	unsigned int steps = 0;
	uint16_t v;

	memset(seen, 0, sizeof(seen));
	queue[tail++] = 1u << source;
	seen[1u << source] = 1;
	for (end = tail; !seen[all]; end = tail, steps++)
		for (; head < end; head++)
			for (d = 0; d < ports; d++) {
				next = queue[head];
				for (u = 0; u < f->topo.nodes; u++) {
					v = f->topo.peers[u * ports + d];
					if (queue[head] >> u & 1 && !(f->fault[u] >> d & 1))
						next |= 1u << v;
				}
				if (!seen[next])
					queue[tail++] = next;
				seen[next] = 1;
			}
	return steps;
}

/* Make a network of @nodes nodes: a random tree and up to @more further links. Up to @faults of its
 * links are faulty.
 */
static struct hc_faults *random_net(unsigned int nodes, unsigned int more, unsigned int faults)
{
	struct hc_edge links[2 * SMALL];
	struct hc_faults *f;
	struct hc_net net;
	const char *why;
	size_t n = 0, k;
	uint32_t u, v;

	for (u = 1; u < nodes; u++)
		links[n++] = (struct hc_edge){ rnd(u), u };
	while (more--) {
		u = rnd(nodes);
		v = rnd(nodes);
		for (k = 0; k < n && !(links[k].u + links[k].v == u + v &&
				       (links[k].u == u || links[k].u == v)); k++)
			;
		if (u != v && k == n)
			links[n++] = (struct hc_edge){ u, v };
	}
	if (hc_net_make(NULL, nodes, links, n, &net, &why))
		return NULL;
	f = hc_faults_of(&net.topo);
	while (f && faults--)
		hc_faults_link(f, rnd(nodes), rnd(f->topo.ports));
	return f;
}

TEST(bcast_ports_plan_of_small_network_has_fewest_steps)
{
	unsigned int i, apart = 0;

	for (i = 0; i < 400; i++) {
		struct hc_faults *f = random_net(2 + rnd(SMALL - 1), rnd(SMALL), rnd(3));
		struct hc_bcast_req req = { .method = i % 2 ? HC_BCAST_MINIMAL : HC_BCAST_GENERAL };
		uint16_t first[SMALL + 1];
		struct hc_bcast_plan p;
		const char *why;
		int err;

		ASSERT_TRUE(f);
		req.source = rnd(f->topo.nodes);
		err = hc_plan_bcast(f, &req, &p, &why);
		if (f->fault[req.source] == hc_ports(&f->topo, req.source)) {
			ASSERT_TRUE(err == -ENOLINK);
			hc_faults_free(f);
			apart++;
			continue;
		}
		ASSERT_TRUE(!err && !hc_bcast_check(&p.bcast, f->fault, first, NULL));
		ASSERT_TRUE(p.covered == p.reachable);
		ASSERT_TRUE(p.bcast.steps == fewest(f, req.source, p.members[0]));
		ASSERT_TRUE(p.lower_bound <= p.bcast.steps);
		ASSERT_TRUE(p.reachable + p.nunreachable == f->topo.nodes);
		/* Without the last step some member lacks the message. */
		p.bcast.steps--;
		ASSERT_TRUE(p.reachable == 1 || hc_bcast_check(&p.bcast, f->fault, first, NULL));
		hc_bcast_plan_free(&p);
		hc_faults_free(f);
	}
	ASSERT_TRUE(apart < 100);
}

/* Return: true if the planner finds a sequence of exactly @steps steps for this network. */
static bool sequence_of(enum hc_net_kind kind, uint32_t a, uint32_t b, unsigned int steps)
{
	const struct hc_bcast_req req = { .method = HC_BCAST_GENERAL };
	struct hc_faults *f = named_net(kind, a, b);
	struct hc_bcast_plan p;
	const char *why;

	CHECK(f && !hc_plan_bcast(f, &req, &p, &why));
	CHECK(p.covered == f->topo.nodes);
	if (p.bcast.steps != steps)
		printf("# %u steps, not %u\n", p.bcast.steps, steps);
	CHECK(p.bcast.steps == steps);
	hc_bcast_plan_free(&p);
	hc_faults_free(f);
	return true;
}

TEST(bcast_ports_plan_of_known_network_has_known_steps)
{
	/* A cube that is given as a table takes one step for each dimension. From the end of a line
	 * the message crosses one link after the other; around a ring it goes in both directions.
	 */
	ASSERT_TRUE(sequence_of(HC_NET_KARY, 2, 6, 6));
	ASSERT_TRUE(sequence_of(HC_NET_KARY, 2, 9, 9));
	ASSERT_TRUE(sequence_of(HC_NET_MESH, 1, 64, 63));
	ASSERT_TRUE(sequence_of(HC_NET_FULL, 16, 0, 4));
	ASSERT_TRUE(sequence_of(HC_NET_RING, 24, 0, 12));
}

TEST(bcast_ports_broadcast1_is_refused_in_other_networks)
{
	const struct hc_bcast_req req = { .method = HC_BCAST_BROADCAST1 };
	struct hc_faults *f = random_net(5, 3, 0);
	struct hc_bcast_plan p;
	const char *why;

	ASSERT_TRUE(f && hc_plan_bcast(f, &req, &p, &why) == -EOPNOTSUPP);
	hc_faults_free(f);
}
