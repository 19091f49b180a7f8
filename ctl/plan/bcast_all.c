// SPDX-License-Identifier: GPL-2.0
/*
 * Sequences for all sources.
 *
 * The cube is cut into disjoint fault-free subcubes, the pieces. A piece of dimension k with a
 * failed node inside is replaced by k pieces of dimensions k - 1 to 0, which leave out the node; a
 * piece with a faulty link inside is replaced by its two halves along the link's dimension. The
 * first steps of a piece's sequence fill a prime subcube around the piece. After these steps the
 * same nodes have the message, whichever node of the piece was the source; so the sequence serves
 * all nodes of the piece.
 */
#include <errno.h>
#include <stdlib.h>

#include "bcast_impl.h"

/* The most pieces that wait to be cut. A cut adds at most n pieces, and each has a lower dimension
 * than the piece that was cut; so at most n pieces of each dimension wait.
 */
#define STACK_MAX	(HC_LIB_DIM_MAX * HC_LIB_DIM_MAX + 1)

/* A subcube: mask of its free dimensions, and its lowest node. */
struct piece {
	uint32_t dims;
	uint32_t base;
};

/* The state of the search: the pieces that wait to be cut, and the scene (bcast_impl.h) of the last
 * piece.
 */
struct all {
	const struct hc_faults *f;
	const struct hc_bcast_req *req;
	struct piece stack[STACK_MAX];
	unsigned int waiting;
	struct hc_bscene scene;
	bool have_scene;
};

/* Put a piece onto the stack. */
static void push(struct all *a, uint32_t dims, uint32_t base)
{
	a->stack[a->waiting].dims = dims;
	a->stack[a->waiting++].base = base & ~dims;
}

/* Cut @p around the failed node @node: each new piece differs from the node along one dimension,
 * agrees with it along the dimensions before that one, and is free along those after it.
 */
static void cut_around(struct all *a, struct piece p, uint32_t node)
{
	uint32_t bit;

	while (p.dims) {
		bit = p.dims & -p.dims;
		p.dims ^= bit;
		push(a, p.dims, node ^ bit);
	}
}

/* Cut a piece that has a fault inside. Return: false if it has none. */
static bool cut(struct all *a, struct piece p)
{
	uint32_t sub = 0, u, links = 0, bit;

	do {
		u = p.base | sub;
		if (hc_set_has(a->f->dead, u)) {
			cut_around(a, p, u);
			return true;
		}
		links |= a->f->fault[u] & p.dims;
		sub = (sub - p.dims) & p.dims;
	} while (sub);
	if (!links)
		return false;
	bit = links & -links;
	push(a, p.dims ^ bit, p.base);
	push(a, p.dims ^ bit, p.base | bit);
	return true;
}

/* Set up the scene for source @base. The scene of the previous piece is used again if @base is one
 * of its members, as is usual.
 */
static int look_from(struct all *a, uint32_t base)
{
	if (a->have_scene && hc_bset_has(a->scene.members, base)) {
		a->scene.source = base;
		return 0;
	}
	if (a->have_scene)
		hc_bscene_free(&a->scene);
	a->have_scene = true;
	return hc_bscene_init(&a->scene, a->f, base);
}

/* Make the plan for piece @p, which has no fault inside. */
static int plan_piece(struct all *a, struct piece p, struct hc_bcast_piece *out)
{
	struct hc_bcube all = {
		.node = p.base, .dims = hc_ones(a->f->dim), .seed = p.dims,
		.greedy = a->req->greedy,
	};
	struct hc_bseq q;
	int err;

	err = look_from(a, p.base);
	if (err)
		return err;
	err = hc_bseq_init(&q, &a->scene);
	q.literal = a->req->method == HC_BCAST_BROADCAST1;
	if (!err && a->scene.nmembers > 1)
		err = hc_bcast_broadcast1(&q, &all);
	if (!err && a->req->method == HC_BCAST_GENERAL)
		hc_bseq_finish(&q);
	if (!err)
		err = hc_bcast_describe(&a->scene, q.seq, q.steps, &out->plan);
	hc_bseq_free(&q);
	out->dims = p.dims;
	out->base = p.base;
	return err;
}

/* Cut the cube into pieces, and call @each for each piece without a fault. *count: number of these
 * pieces.
 */
static int work(struct all *a, int (*each)(void *ctx, const struct hc_bcast_piece *piece),
		void *ctx, uint32_t *count)
{
	struct hc_bcast_piece out;
	struct piece p;
	int err = 0;

	push(a, hc_ones(a->f->dim), 0);
	while (!err && a->waiting) {
		p = a->stack[--a->waiting];
		if (cut(a, p))
			continue;
		err = plan_piece(a, p, &out);
		if (err)
			return err;
		err = each(ctx, &out);
		hc_bcast_plan_free(&out.plan);
		++*count;
	}
	return err;
}

int hc_plan_bcast_all(const struct hc_faults *f, const struct hc_bcast_req *req,
		      int (*each)(void *ctx, const struct hc_bcast_piece *piece),
		      void *ctx, const char **why)
{
	uint32_t count = 0;
	struct all *a;
	int err;

	if (req->method == HC_BCAST_MINIMAL) {
		*why = "the minimal method takes one source";
		return -EOPNOTSUPP;
	}
	*why = "out of memory";
	a = calloc(1, sizeof(*a));
	if (!a)
		return -ENOMEM;
	a->f = f;
	a->req = req;
	err = work(a, each, ctx, &count);
	if (a->have_scene)
		hc_bscene_free(&a->scene);
	free(a);
	if (!err && !count) {
		*why = "no live node";
		return -EHOSTDOWN;
	}
	return err;
}
