// SPDX-License-Identifier: GPL-2.0
/*
 * The shortest sequence: first a lower bound; then a beam search, which shortens the sequence that
 * is known; then exact searches for sequences of each length from the bound on, until one is found
 * or the length is that of the known sequence.
 */
#include <errno.h>
#include <stdlib.h>

#include "bcast_impl.h"
#include "memory.h"

#define WIDTH_MAX 64
#define WIDTH_MIN 4
/* The most words of sets that beam search may read. */
#define BEAM_WORK 400000000ull

/* Return: number of steps until all members have the message if each step sends it along all
 * dimensions at once. @x, @next: memory for sets.
 */
static unsigned int eccentricity(const struct hc_bscene *s, uint64_t *x, uint64_t *next)
{
	unsigned int hops, d;
	size_t w;

	memset(x, 0, s->words * sizeof(*x));
	hc_bset_add(x, s->source);
	for (hops = 0; memcmp(x, s->members, s->words * sizeof(*x)); hops++) {
		memcpy(next, x, s->words * sizeof(*x));
		for (d = 0; d < s->n; d++)
			for (w = 0; w < s->words; w++)
				next[w] |= hc_bset_shifted(x, w, d) & s->over[d][w];
		memcpy(x, next, s->words * sizeof(*x));
	}
	return hops;
}

int hc_bcast_bound(const struct hc_bscene *s, unsigned int *bound)
{
	uint64_t *x = calloc(2 * s->words, sizeof(*x));
	unsigned int doubling = 0;

	if (!x)
		return -ENOMEM;
	while (hc_nodes(doubling) < s->nmembers)
		doubling++;
	*bound = eccentricity(s, x, x + s->words);
	if (doubling > *bound)
		*bound = doubling;
	free(x);
	return 0;
}

/**
 * struct state - an entry of the beam: a set of informed nodes
 * @x: the informed nodes
 * @informed: their number
 * @promise: sum, over all dimensions, of the number of nodes that a step along the dimension
 *	would inform next
 * @parent: index of the entry of the previous level from which this one was made
 * @dim: dimension of the step that made it
 */
struct state {
	uint64_t *x;
	uint32_t informed;
	uint32_t promise;
	unsigned int parent;
	uint8_t dim;
};

/**
 * struct beam - the state of a beam search
 * @s: the scene
 * @width: number of states that are kept on each level
 * @level: this level and the next one, @width + 1 states each; the last state of each is
 *	scratch memory
 * @count: number of states on each of the two levels
 * @trail: parent and dimension of every state of every level
 * @sets: memory of the sets of all states
 */
struct beam {
	const struct hc_bscene *s;
	unsigned int width;
	struct state *level[2];
	unsigned int count[2];
	struct trail {
		unsigned int parent;
		uint8_t dim;
	} *trail;
	uint64_t *sets;
};

static int beam_init(struct beam *b, const struct hc_bscene *s, unsigned int steps)
{
	unsigned long long each = (unsigned long long)s->n * s->n * s->words * (steps + 1);
	unsigned int i, side;

	memset(b, 0, sizeof(*b));
	b->s = s;
	b->width = WIDTH_MAX;
	while (b->width > WIDTH_MIN && b->width * each > BEAM_WORK)
		b->width /= 2;
	b->sets = malloc(2 * (b->width + 1) * s->words * sizeof(*b->sets));
	b->trail = calloc((size_t)b->width * (steps + 1), sizeof(*b->trail));
	b->level[0] = calloc(2 * (b->width + 1), sizeof(*b->level[0]));
	if (!b->sets || !b->trail || !b->level[0])
		return -ENOMEM;
	b->level[1] = b->level[0] + b->width + 1;
	for (side = 0; side < 2; side++)
		for (i = 0; i <= b->width; i++)
			b->level[side][i].x = b->sets +
				(side * (b->width + 1) + i) * s->words;
	return 0;
}

static void beam_free(struct beam *b)
{
	hc_free_all(b->sets, b->trail, b->level[0]);
}

static bool better(const struct state *a, const struct state *b)
{
	if (a->informed != b->informed)
		return a->informed > b->informed;
	return a->promise > b->promise;
}

/* Sort the scratch state of level @side into the level, unless the level has the same set already
 * or is full of better states.
 */
static void beam_insert(struct beam *b, unsigned int side)
{
	struct state *l = b->level[side], scratch = l[b->width];
	unsigned int i, at = b->count[side];

	for (i = 0; i < b->count[side]; i++)
		if (l[i].informed == scratch.informed && l[i].promise == scratch.promise &&
		    !memcmp(l[i].x, scratch.x, b->s->words * sizeof(*scratch.x)))
			return;
	if (at == b->width) {
		if (!better(&scratch, &l[at - 1]))
			return;
		/* The scratch state gets the memory of the state that drops out. */
		l[b->width].x = l[--at].x;
	} else {
		l[b->width].x = l[at].x;
		b->count[side]++;
	}
	for (; at && better(&scratch, &l[at - 1]); at--)
		l[at] = l[at - 1];
	l[at] = scratch;
}

/* Add to level @side the states that one more step makes of state @parent of the other level. */
static void beam_expand(struct beam *b, unsigned int side, unsigned int parent)
{
	const struct state *from = &b->level[!side][parent];
	struct state *to;
	unsigned int d, e;
	uint32_t gain;

	for (d = 0; d < b->s->n; d++) {
		to = &b->level[side][b->width];
		gain = hc_bset_step(b->s, from->x, d, to->x);
		if (!gain)
			continue;
		to->informed = from->informed + gain;
		to->parent = parent;
		to->dim = (uint8_t)d;
		to->promise = 0;
		if (b->count[side] == b->width &&
		    to->informed < b->level[side][b->width - 1].informed)
			continue;
		for (e = 0; e < b->s->n; e++)
			to->promise += hc_bset_gain(b->s, to->x, e);
		beam_insert(b, side);
	}
}

/* Read the sequence of @steps steps off the trail, last step first. */
static void beam_result(struct beam *b, unsigned int steps, struct hc_bseq *q)
{
	uint8_t *seq = q->seq;
	unsigned int i, at = 0;

	for (i = steps; i--;) {
		const struct trail *t = &b->trail[(size_t)i * b->width + at];

		seq[i] = t->dim;
		at = t->parent;
	}
	hc_bseq_reset(q);
	for (i = 0; i < steps; i++)
		hc_bseq_step(q, seq[i]);
}

/* Search, and replace @q if the search finds a sequence of fewer steps. */
static void beam_run(struct beam *b, struct hc_bseq *q)
{
	unsigned int step, side, i;
	struct state *start = &b->level[0][0];

	memset(start->x, 0, b->s->words * sizeof(*start->x));
	hc_bset_add(start->x, b->s->source);
	start->informed = 1;
	b->count[0] = 1;
	for (step = 0; step + 1 < q->steps; step++) {
		side = (step + 1) & 1;
		b->count[side] = 0;
		for (i = 0; i < b->count[!side]; i++)
			beam_expand(b, side, i);
		for (i = 0; i < b->count[side]; i++) {
			b->trail[(size_t)step * b->width + i].parent = b->level[side][i].parent;
			b->trail[(size_t)step * b->width + i].dim = b->level[side][i].dim;
		}
		if (b->level[side][0].informed == b->s->nmembers) {
			beam_result(b, step + 1, q);
			return;
		}
	}
}

int hc_bcast_minimal(struct hc_bseq *q, unsigned int *bound)
{
	struct beam b;
	int err;

	if (q->steps > *bound) {
		err = beam_init(&b, q->s, q->steps);
		if (!err)
			beam_run(&b, q);
		beam_free(&b);
		if (err)
			return err;
	}
	while (q->steps > *bound) {
		err = hc_bcast_exact(q, *bound);
		if (err == -EBUSY)
			return 0;
		if (err)
			return err < 0 ? err : 0;
		++*bound;
	}
	return 0;
}
