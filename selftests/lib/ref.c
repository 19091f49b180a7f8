// SPDX-License-Identifier: GPL-2.0
/*
 * Data for reductions, and reference reductions, which merge in the order of the plan.
 */
#include <stdlib.h>
#include <string.h>

#include "ref.h"

static unsigned int sort_type, sort_width;

static int sort_compare(const void *a, const void *b)
{
	return plain_compare(sort_type, sort_width, a, b);
}

void ref_sort(unsigned int type, unsigned int width, void *base, size_t n, size_t elem)
{
	sort_type = type;
	sort_width = width;
	qsort(base, n, elem, sort_compare);
}

/* --- data --- */

/* Write to @p the double with the bits @bits, rounded to the 16-bit type @type. @tiny: first make
 * its exponent so small that the number is subnormal in the type.
 */
static void fill_half(unsigned int type, char *p, uint64_t bits, bool tiny)
{
	double d;

	if (tiny)
		bits = (bits & ~(0x7ffull << 52)) |
		       (type == HYPERCUBE_F16 ? 1023ull - 20 : 1023ull - 130) << 52;
	memcpy(&d, &bits, sizeof(d));
	plain_put_real(type, p, d);
}

/* Write to @p a number of type @type and of either sign: a magnitude near one, or a zero, or, for
 * SUM, sometimes a subnormal number. @nan: sometimes write a NaN.
 */
static void fill_float(unsigned int oper, unsigned int type, char *p, bool nan)
{
	uint64_t mantissa = rnd(), draw = rnd();
	bool tiny = oper == HYPERCUBE_SUM && !(draw & 0xf);
	uint64_t sign = draw >> 4 & 1, zero = (draw >> 8 & 0xff) < 256 / 20;
	uint64_t e = (draw >> 32) * 12 >> 32;
	uint64_t e32 = tiny ? 0 : 127 - 6 + e, e64 = tiny ? 0 : 1023 - 6 + e;
	uint32_t f = (uint32_t)(sign << 31 | e32 << 23 | (mantissa & 0x7fffff));
	uint64_t d = sign << 63 | e64 << 52 | (mantissa & 0xfffffffffffffull);

	if (zero) {
		f &= 1u << 31;
		d &= 1ull << 63;
	}
	if (nan && !(draw >> 16 & 3)) {
		f = 0x7fc00000u;
		d = 0x7ff8000000000000ull;
	}
	if (type == HYPERCUBE_F32)
		memcpy(p, &f, sizeof(f));
	else if (type != HYPERCUBE_F64)
		fill_half(type, p, d, tiny);
	else
		memcpy(p, &d, sizeof(d));
}

static void fill_one(unsigned int oper, unsigned int type, unsigned int elem, char *p, bool nan)
{
	uint64_t draw = rnd(), few = (draw >> 32) * 7 >> 32, bits;
	unsigned int i;

	if (plain_is_float(type)) {
		fill_float(oper, type, p, nan);
		return;
	}
	for (i = 0; i < elem; i += sizeof(bits)) {
		bits = rnd();
		memcpy(p + i, &bits, elem - i < sizeof(bits) ? elem - i : sizeof(bits));
	}
	/* Write equal values now and then, so that some comparisons find ties. */
	if ((draw & 0xffff) < 0x10000 / 3) {
		memset(p, 0, elem);
		memcpy(p, &few, elem < sizeof(few) ? elem : sizeof(few));
	}
}

void ref_fill(unsigned int oper, unsigned int type, unsigned int width, void *buf,
	      size_t bytes, bool nan)
{
	unsigned int elem = plain_size(oper, type, width);
	size_t i;

	for (i = 0; i < bytes; i += elem) {
		char *p = (char *)buf + i;

		if (oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC) {
			struct hypercube_loc loc = { .index = below(40) };

			fill_one(oper, type, plain_size(HYPERCUBE_SUM, type, 0),
				 (char *)loc.value, false);
			memcpy(p, &loc, sizeof(loc));
		} else {
			fill_one(oper, type, elem, p, nan);
		}
	}
}

/* --- merging in the order of the plan --- */

/* The role of a member of the plan, and memory for its upstream peers. */
struct role {
	struct hc_tree_role role;
	struct hc_tree_peer src[2 * HC_LIB_DIM_MAX + CUBE_MAX];
};

static struct role *role_get(const struct cube *c, unsigned int u)
{
	struct role *r = calloc(1, sizeof(*r));
	const uint32_t *fault = c->faults->fault;
	uint32_t nb[HC_LIB_DIM_MAX];
	unsigned int d;

	for (d = 0; d < c->dim; d++)
		nb[d] = fault[hc_neigh(u, d)];
	if (r && !hc_tree_role(&c->plan.tree, u, fault[u], nb, &r->role, r->src,
			       ARRAY_SIZE(r->src)))
		return r;
	free(r);
	return NULL;
}

/* A member with the role @from, whose link is faulty, divides the @elems elements of a segment
 * among its destinations. Find the range of elements that it sends to node @to: *@first to *@end -
 * 1.
 */
static void part_range(const struct role *from, unsigned int to, size_t elems, size_t *first,
		       size_t *end)
{
	unsigned int p, parts = from->role.ndst;

	for (p = 0; p < parts; p++)
		if (from->role.dst[p].node == to)
			break;
	*first = elems * p / parts;
	*end = elems * (p + 1) / parts;
}

/* Merge into the data of node @u the data that its upstream peers send it. */
static void member_merge(const struct cube *c, struct role **roles, unsigned int u,
			 const struct hypercube_op *op, void **data)
{
	unsigned int elem = plain_size(op->oper, op->type, op->width), i;
	size_t seg = c->segment / elem * elem, off;

	for (off = 0; off < op->bytes; off += seg)
		for (i = 0; i < roles[u]->role.nsrc; i++) {
			unsigned int v = roles[u]->src[i].node;
			size_t len = op->bytes - off < seg ? op->bytes - off : seg;
			size_t first, end;

			part_range(roles[v], u, len / elem, &first, &end);
			plain_combine(op->oper, op->type, op->width,
				      (char *)data[u] + off + first * elem,
				      (const char *)data[v] + off + first * elem,
				      (end - first) * elem);
		}
}

static unsigned int rank(const struct role *r)
{
	return 2 * r->role.active +
	       (r->role.ndst && r->role.dst[0].how == HC_TREE_DIRECT);
}

void *ref_replay(const struct cube *c, const struct hypercube_op *op, void **data)
{
	struct role *roles[CUBE_MAX] = { NULL };
	unsigned int u, k;
	void *result = data[c->plan.tree.sink];

	for (u = 0; u < c->nodes; u++)
		if (cube_member(c, u)) {
			roles[u] = role_get(c, u);
			if (!roles[u])
				result = NULL;
		}
	/* Let the nodes merge in the order of their ranks: each node receives only from nodes of
	 * lower rank, whose data are complete by then.
	 */
	for (k = 0; result && k <= 2 * c->plan.tree.stages; k++)
		for (u = 0; u < c->nodes; u++)
			if (roles[u] && rank(roles[u]) == k)
				member_merge(c, roles, u, op, data);
	for (u = 0; u < c->nodes; u++)
		free(roles[u]);
	return result;
}
