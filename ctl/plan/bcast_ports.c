// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences of ports for networks that are no hypercubes, by beam search: of all sets of nodes that
 * sequences of the same number of steps inform, the search keeps the largest. Until all members
 * have the message there is always a port that informs another node, so the search ends.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bcast_impl.h"
#include "memory.h"

/* The most sets that are kept after each step, if there is time for as many. */
#define WIDTH_MAX	64
/* The most ends of links that the search reads. */
#define WORK_MAX	300000000ull

/**
 * struct front - a set of informed nodes after some step
 * @set: the set
 * @informed: number of informed nodes
 * @reach: number of links from informed nodes to members that are not informed
 * @from: index of the front of the previous step from which this one was made
 * @port: port of the step that made it
 */
struct front {
	uint32_t *set;
	uint32_t informed;
	uint32_t reach;
	uint16_t from;
	uint8_t port;
};

/**
 * struct search - the state of a beam search
 * @f: the faults
 * @words: number of 32-bit words of a set
 * @members: the nodes that are to be informed, as a set
 * @nmembers: number of members
 * @width: number of fronts that are kept after each step
 * @now: the fronts of this step, and memory for one more
 * @next: the fronts of the next step, and memory for one more
 * @nnow: number of fronts in @now
 * @nnext: number of fronts in @next
 * @trail: for each step and front, the front and the port that it was made from
 */
struct search {
	const struct hc_faults *f;
	size_t words;
	const uint32_t *members;
	uint32_t nmembers;
	unsigned int width;
	struct front *now;
	struct front *next;
	unsigned int nnow;
	unsigned int nnext;
	struct trail {
		uint16_t from;
		uint8_t port;
	} *trail;
};

static void fronts_free(struct front *v, unsigned int n)
{
	while (v && n--)
		free(v[n].set);
	free(v);
}

static struct front *fronts_new(const struct search *s)
{
	struct front *v = calloc(s->width + 1, sizeof(*v));
	unsigned int i;

	for (i = 0; v && i <= s->width; i++) {
		v[i].set = calloc(s->words, sizeof(*v[i].set));
		if (!v[i].set) {
			fronts_free(v, i);
			return NULL;
		}
	}
	return v;
}

static void search_free(struct search *s)
{
	fronts_free(s->now, s->width + 1);
	fronts_free(s->next, s->width + 1);
	free(s->trail);
}

static int search_init(struct search *s, const struct hc_faults *f, uint32_t source,
		       const struct hc_bcast_plan *p)
{
	uint64_t each = (uint64_t)f->topo.nodes * f->topo.ports * f->topo.ports;

	*s = (struct search){
		.f = f, .words = hc_topo_words(&f->topo), .members = p->members,
		.nmembers = p->reachable, .width = WIDTH_MAX, .nnow = 1,
	};
	/* In many networks a sequence has about as many steps as the diameter times the number of
	 * ports.
	 */
	while (s->width > 1 && s->width * each * (p->lower_bound + 1) > WORK_MAX)
		s->width /= 2;
	s->now = fronts_new(s);
	s->next = fronts_new(s);
	s->trail = calloc(f->topo.nodes, s->width * sizeof(*s->trail));
	if (!s->now || !s->next || !s->trail) {
		search_free(s);
		return -ENOMEM;
	}
	hc_set_add(s->now->set, source);
	s->now->informed = 1;
	return 0;
}

/* Compute @to, the front that a step along @port makes of @from. Return: number of nodes that the
 * step informs.
 */
static uint32_t front_step(const struct search *s, const struct front *from, unsigned int port,
			   struct front *to)
{
	const struct hc_topo *t = &s->f->topo;
	uint32_t u, v, gain = 0;

	memcpy(to->set, from->set, s->words * sizeof(*to->set));
	for (u = 0; u < t->nodes; u++) {
		v = hc_peer(t, u, port);
		if (!hc_set_has(from->set, u) || hc_set_has(from->set, v) ||
		    !hc_link_good(t, s->f->fault, u, port) || !hc_set_has(s->members, v))
			continue;
		hc_set_add(to->set, v);
		gain++;
	}
	to->informed = from->informed + gain;
	to->port = (uint8_t)port;
	return gain;
}

/* Compute @f->reach. */
static void front_weigh(const struct search *s, struct front *f)
{
	const struct hc_topo *t = &s->f->topo;
	unsigned int d;
	uint32_t u;

	f->reach = 0;
	for (u = 0; u < t->nodes; u++)
		for (d = 0; hc_set_has(f->set, u) && d < t->ports; d++)
			f->reach += hc_link_good(t, s->f->fault, u, d) &&
				    !hc_set_has(f->set, hc_peer(t, u, d));
}

static bool is_better(const struct front *a, const struct front *b)
{
	return a->informed != b->informed ? a->informed > b->informed : a->reach > b->reach;
}

/* Sort the last front of @s->next into the fronts before it, unless one of these has the same set
 * or all @width of them are better.
 */
static void front_insert(struct search *s)
{
	struct front *v = s->next, last = v[s->width];
	unsigned int i, at = s->nnext;

	for (i = 0; i < s->nnext; i++)
		if (v[i].informed == last.informed &&
		    !memcmp(v[i].set, last.set, s->words * sizeof(*last.set)))
			return;
	if (at == s->width && !is_better(&last, &v[--at]))
		return;
	/* The next front to be computed gets the memory of the front that drops out, or memory
	 * that is not used yet.
	 */
	v[s->width].set = v[at].set;
	for (; at && is_better(&last, &v[at - 1]); at--)
		v[at] = v[at - 1];
	v[at] = last;
	if (s->nnext < s->width)
		s->nnext++;
}

/* Compute the fronts of the next step from all fronts and ports of this one, and keep the best. */
static void search_step(struct search *s, unsigned int step)
{
	struct front *swap = s->now, *last;
	unsigned int i, d;

	s->nnext = 0;
	for (i = 0; i < s->nnow; i++)
		for (d = 0; d < s->f->topo.ports; d++) {
			last = &s->next[s->width];
			if (!front_step(s, &s->now[i], d, last))
				continue;
			last->from = (uint16_t)i;
			front_weigh(s, last);
			front_insert(s);
		}
	for (i = 0; i < s->nnext; i++)
		s->trail[(size_t)step * s->width + i] =
			(struct trail){ s->next[i].from, s->next[i].port };
	s->now = s->next;
	s->nnow = s->nnext;
	s->next = swap;
}

int hc_bcast_ports(const struct hc_faults *f, uint32_t source, const struct hc_bcast_plan *p,
		   uint8_t *sequence, unsigned int *steps)
{
	unsigned int n, i, at = 0;
	struct search s;
	int err = search_init(&s, f, source, p);

	if (err)
		return err;
	for (n = 0; s.now->informed < s.nmembers; n++)
		search_step(&s, n);
	for (i = n; i--;) {
		const struct trail *t = &s.trail[(size_t)i * s.width + at];

		sequence[i] = t->port;
		at = t->from;
	}
	*steps = n;
	search_free(&s);
	return 0;
}
