// SPDX-License-Identifier: GPL-2.0
/*
 * Sets of nodes, the scene of a broadcast, and sequences under construction.
 */
#include <errno.h>
#include <stdlib.h>

#include "bcast_impl.h"

uint32_t hc_bset_count(const uint64_t *set, size_t words)
{
	uint32_t n = 0;
	size_t w;

	for (w = 0; w < words; w++)
		n += (uint32_t)__builtin_popcountll(set[w]);
	return n;
}

uint32_t hc_bset_gain(const struct hc_bscene *s, const uint64_t *x, unsigned int d)
{
	uint32_t n = 0;
	size_t w;

	for (w = 0; w < s->words; w++)
		n += (uint32_t)__builtin_popcountll(hc_bset_shifted(x, w, d) &
						    s->over[d][w] & ~x[w]);
	return n;
}

uint32_t hc_bset_step(const struct hc_bscene *s, const uint64_t *x, unsigned int d,
		      uint64_t *to)
{
	size_t w, v, far = d < HC_WORD_DIMS ? 0 : (size_t)1 << (d - HC_WORD_DIMS);
	uint64_t a, b;
	uint32_t n = 0;

	for (w = 0; w < s->words; w++) {
		v = w | far;
		if (far && v == w)
			continue;
		a = hc_bset_shifted(x, w, d) & s->over[d][w] & ~x[w];
		b = hc_bset_shifted(x, v, d) & s->over[d][v] & ~x[v];
		n += (uint32_t)__builtin_popcountll(a);
		if (far)
			n += (uint32_t)__builtin_popcountll(b);
		to[w] = x[w] | a;
		if (far)
			to[v] = x[v] | b;
	}
	return n;
}

/* Find the members: the live nodes connected with the source. */
static int find_members(struct hc_bscene *s)
{
	uint32_t *set = calloc(hc_set_words(s->n), sizeof(*set)), u;

	if (!set)
		return -ENOMEM;
	s->nmembers = hc_faults_component(s->f, s->source, set);
	for (u = 0; u < hc_nodes(s->n); u++)
		if (hc_set_has(set, u))
			hc_bset_add(s->members, u);
	free(set);
	return s->nmembers ? 0 : -ENOMEM;
}

/* Return: true if both ends of link (@u, @d) are members. */
static bool member_link(const struct hc_bscene *s, uint32_t u, unsigned int d)
{
	return hc_bset_has(s->members, u) && hc_bset_has(s->members, hc_neigh(u, d));
}

/* Write all faults to @list, or only count them if @list is NULL. */
static void list_faults(struct hc_bscene *s, struct hc_bfault *list)
{
	uint32_t u, n = 0;
	unsigned int d;

	s->nlinks = 0;
	for (u = 0; u < hc_nodes(s->n); u++) {
		if (!hc_bset_has(s->members, u)) {
			if (list)
				list[n] = (struct hc_bfault){ u, 0 };
			n++;
			continue;
		}
		for (d = 0; d < s->n; d++) {
			if ((u & hc_bit(d)) || !(s->f->fault[u] & hc_bit(d)) ||
			    !member_link(s, u, d))
				continue;
			if (list)
				list[n] = (struct hc_bfault){ u, hc_bit(d) };
			n++;
			s->nlinks++;
		}
	}
	s->nfaults = n;
}

/* Fill in @s->over. */
static int make_over(struct hc_bscene *s)
{
	unsigned int d;
	uint32_t u;

	for (d = 0; d < s->n; d++) {
		s->over[d] = calloc(s->words, sizeof(*s->over[d]));
		if (!s->over[d])
			return -ENOMEM;
		for (u = 0; u < hc_nodes(s->n); u++)
			if (!(s->f->fault[u] & hc_bit(d)) && member_link(s, u, d))
				hc_bset_add(s->over[d], u);
	}
	return 0;
}

int hc_bscene_init(struct hc_bscene *s, const struct hc_faults *f, uint32_t source)
{
	int err;

	memset(s, 0, sizeof(*s));
	s->f = f;
	s->n = f->dim;
	s->words = (hc_nodes(s->n) + 63) / 64;
	s->source = source;
	s->members = calloc(s->words, sizeof(*s->members));
	if (!s->members)
		return -ENOMEM;
	err = find_members(s) ?: make_over(s);
	if (err)
		return err;
	list_faults(s, NULL);
	s->fault = calloc(s->nfaults + 1, sizeof(*s->fault));
	if (!s->fault)
		return -ENOMEM;
	list_faults(s, s->fault);
	return 0;
}

void hc_bscene_free(struct hc_bscene *s)
{
	unsigned int d;

	for (d = 0; d < s->n; d++)
		free(s->over[d]);
	free(s->members);
	free(s->fault);
}

int hc_bseq_init(struct hc_bseq *q, const struct hc_bscene *s)
{
	memset(q, 0, sizeof(*q));
	q->s = s;
	q->x = calloc(s->words, sizeof(*q->x));
	q->seq = malloc(HC_BSEQ_MAX(s->n));
	if (!q->x || !q->seq)
		return -ENOMEM;
	hc_bseq_reset(q);
	return 0;
}

void hc_bseq_free(struct hc_bseq *q)
{
	free(q->x);
	free(q->seq);
}

void hc_bseq_reset(struct hc_bseq *q)
{
	memset(q->x, 0, q->s->words * sizeof(*q->x));
	hc_bset_add(q->x, q->s->source);
	q->informed = 1;
	q->steps = 0;
}

void hc_bseq_copy(struct hc_bseq *to, const struct hc_bseq *from)
{
	memcpy(to->x, from->x, from->s->words * sizeof(*to->x));
	memcpy(to->seq, from->seq, from->steps);
	to->informed = from->informed;
	to->steps = from->steps;
	to->literal = from->literal;
}

void hc_bseq_step(struct hc_bseq *q, unsigned int d)
{
	uint32_t gain = hc_bset_step(q->s, q->x, d, q->x);

	q->informed += gain;
	if (gain || q->literal)
		q->seq[q->steps++] = (uint8_t)d;
}

void hc_bseq_finish(struct hc_bseq *q)
{
	unsigned int d, best;
	uint32_t gain, most;

	while (!hc_bseq_done(q)) {
		most = 0;
		best = 0;
		for (d = 0; d < q->s->n; d++) {
			gain = hc_bset_gain(q->s, q->x, d);
			if (gain > most) {
				most = gain;
				best = d;
			}
		}
		hc_bseq_step(q, best);
	}
}

/* Return: the greatest length of a sequence that is pruned; with longer ones pruning takes more
 * time than it is worth.
 */
static unsigned int prune_limit(const struct hc_bseq *q)
{
	return 8 * q->s->n;
}

int hc_bseq_prune(struct hc_bseq *q)
{
	unsigned int skip, i, steps = q->steps;
	uint8_t *seq;

	if (steps > prune_limit(q) || !hc_bseq_done(q))
		return 0;
	seq = malloc(steps + 1);
	if (!seq)
		return -ENOMEM;
	memcpy(seq, q->seq, steps);
	for (skip = steps; skip--;) {
		hc_bseq_reset(q);
		for (i = 0; i < steps; i++)
			if (i != skip)
				hc_bseq_step(q, seq[i]);
		if (!hc_bseq_done(q))
			continue;
		steps = q->steps;
		memcpy(seq, q->seq, steps);
		if (skip > steps)
			skip = steps;
	}
	hc_bseq_reset(q);
	for (i = 0; i < steps; i++)
		hc_bseq_step(q, seq[i]);
	free(seq);
	return 0;
}
