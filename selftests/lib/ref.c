// SPDX-License-Identifier: GPL-2.0
/* Reductions computed plainly. */
#include <stdlib.h>
#include <string.h>

#include "ref.h"

static const unsigned char sizes[__HYPERCUBE_TYPE_END] = {
	[HYPERCUBE_U8] = 1, [HYPERCUBE_U16] = 2, [HYPERCUBE_U32] = 4, [HYPERCUBE_U64] = 8,
	[HYPERCUBE_I8] = 1, [HYPERCUBE_I16] = 2, [HYPERCUBE_I32] = 4, [HYPERCUBE_I64] = 8,
	[HYPERCUBE_F32] = 4, [HYPERCUBE_F64] = 8,
};

static bool is_float(unsigned int type)
{
	return type == HYPERCUBE_F32 || type == HYPERCUBE_F64;
}

static bool is_loc(unsigned int oper)
{
	return oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC;
}

unsigned int ref_size(unsigned int oper, unsigned int type, unsigned int width)
{
	bool bits = oper == HYPERCUBE_AND || oper == HYPERCUBE_OR || oper == HYPERCUBE_XOR;
	bool pick = oper == HYPERCUBE_MIN || oper == HYPERCUBE_MAX || oper == HYPERCUBE_MERGE;

	if (!oper || oper >= __HYPERCUBE_OPER_END || !type || type >= __HYPERCUBE_TYPE_END)
		return 0;
	if (type == HYPERCUBE_RECORD)
		return pick && width <= HYPERCUBE_RECORD_MAX ? width : 0;
	if (width || (bits && is_float(type)))
		return 0;
	return is_loc(oper) ? sizeof(struct hypercube_loc) : sizes[type];
}

/* ------------------------------------------------------------ arithmetic */

#define ARITH(T, A)								\
static void one_##T(unsigned int oper, void *acc, const void *src)		\
{										\
	T a, b;									\
										\
	memcpy(&a, acc, sizeof(a));						\
	memcpy(&b, src, sizeof(b));						\
	if (oper == HYPERCUBE_SUM)						\
		a = (T)((A)a + (A)b);						\
	else if (oper == HYPERCUBE_PROD)					\
		a = (T)((A)a * (A)b);						\
	memcpy(acc, &a, sizeof(a));						\
}

ARITH(uint8_t, uint64_t)
ARITH(uint16_t, uint64_t)
ARITH(uint32_t, uint64_t)
ARITH(uint64_t, uint64_t)
ARITH(float, float)
ARITH(double, double)

static void one_sum(unsigned int oper, unsigned int type, void *acc, const void *src)
{
	if (type == HYPERCUBE_F32)
		one_float(oper, acc, src);
	else if (type == HYPERCUBE_F64)
		one_double(oper, acc, src);
	else if (sizes[type] == 1)
		one_uint8_t(oper, acc, src);
	else if (sizes[type] == 2)
		one_uint16_t(oper, acc, src);
	else if (sizes[type] == 4)
		one_uint32_t(oper, acc, src);
	else
		one_uint64_t(oper, acc, src);
}

static void one_bits(unsigned int oper, char *acc, const char *src, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (oper == HYPERCUBE_AND)
			acc[i] &= src[i];
		else if (oper == HYPERCUBE_OR)
			acc[i] |= src[i];
		else
			acc[i] ^= src[i];
	}
}

/* ------------------------------------------------------------ order */

/* The value as an integer in the order of its type. */
static int64_t key_signed(unsigned int type, const void *p)
{
	int8_t i8;
	int16_t i16;
	int32_t i32;
	int64_t i64;

	switch (sizes[type]) {
	case 1:
		memcpy(&i8, p, 1);
		return i8;
	case 2:
		memcpy(&i16, p, 2);
		return i16;
	case 4:
		memcpy(&i32, p, 4);
		return i32;
	default:
		memcpy(&i64, p, 8);
		return i64;
	}
}

static uint64_t key(unsigned int type, const void *p)
{
	uint64_t u = 0;

	memcpy(&u, p, sizes[type]);
	if (is_float(type)) {
		uint64_t sign = 1ull << (8 * sizes[type] - 1);

		return u & sign ? sign - (u & (sign - 1)) - 1 : u | sign;
	}
	if (type >= HYPERCUBE_I8 && type <= HYPERCUBE_I64)
		return (uint64_t)key_signed(type, p) ^ 1ull << 63;
	return u;
}

int ref_compare(unsigned int type, unsigned int width, const void *a, const void *b)
{
	uint64_t ka, kb;

	if (type == HYPERCUBE_RECORD)
		return memcmp(a, b, width);
	ka = key(type, a);
	kb = key(type, b);
	return ka < kb ? -1 : ka > kb;
}

static bool is_nan(unsigned int type, const void *p)
{
	float f;
	double d;

	if (type == HYPERCUBE_F32) {
		memcpy(&f, p, sizeof(f));
		return f != f;
	}
	if (type == HYPERCUBE_F64) {
		memcpy(&d, p, sizeof(d));
		return d != d;
	}
	return false;
}

static bool replaces(unsigned int oper, unsigned int type, unsigned int width, const void *a,
		     const void *b)
{
	int c = ref_compare(type, width, b, a);

	if (is_nan(type, b))
		return false;
	if (is_nan(type, a))
		return true;
	return oper == HYPERCUBE_MIN || oper == HYPERCUBE_MINLOC ? c < 0 : c > 0;
}

static void one_loc(unsigned int oper, unsigned int type, void *acc, const void *src)
{
	struct hypercube_loc a, b;

	memcpy(&a, acc, sizeof(a));
	memcpy(&b, src, sizeof(b));
	if (replaces(oper, type, 0, a.value, b.value) ||
	    (!ref_compare(type, 0, a.value, b.value) && b.index < a.index))
		memcpy(acc, &b, sizeof(b));
}

void ref_combine(unsigned int oper, unsigned int type, unsigned int width, void *acc,
		 const void *src, size_t bytes)
{
	unsigned int elem = ref_size(oper, type, width);
	char *a = acc;
	const char *b = src;
	size_t i;

	for (i = 0; i < bytes; i += elem) {
		if (oper == HYPERCUBE_SUM || oper == HYPERCUBE_PROD) {
			one_sum(oper, type, a + i, b + i);
		} else if (is_loc(oper)) {
			one_loc(oper, type, a + i, b + i);
		} else if (oper == HYPERCUBE_MIN || oper == HYPERCUBE_MAX) {
			if (replaces(oper, type, width, a + i, b + i))
				memcpy(a + i, b + i, elem);
		} else {
			one_bits(oper, a + i, b + i, elem);
		}
	}
}

static unsigned int sort_type, sort_width;

static int sort_compare(const void *a, const void *b)
{
	return ref_compare(sort_type, sort_width, a, b);
}

void ref_sort(unsigned int type, unsigned int width, void *base, size_t n, size_t elem)
{
	sort_type = type;
	sort_width = width;
	qsort(base, n, elem, sort_compare);
}

/* ------------------------------------------------------------ data */

/* Magnitudes near one, with both signs and zeros, and numbers that are too small
 * to be normal among those that are added.
 */
static void fill_float(unsigned int oper, unsigned int type, char *p, bool nan)
{
	uint64_t mantissa = rnd();
	bool tiny = oper == HYPERCUBE_SUM && !below(16);
	uint64_t sign = below(2), zero = !below(20);
	uint64_t e32 = tiny ? 0 : 127 - 6 + below(12), e64 = tiny ? 0 : 1023 - 6 + below(12);
	uint32_t f = (uint32_t)(sign << 31 | e32 << 23 | (mantissa & 0x7fffff));
	uint64_t d = sign << 63 | e64 << 52 | (mantissa & 0xfffffffffffffull);

	if (zero) {
		f &= 1u << 31;
		d &= 1ull << 63;
	}
	if (nan && !below(4)) {
		f = 0x7fc00000u;
		d = 0x7ff8000000000000ull;
	}
	if (type == HYPERCUBE_F32)
		memcpy(p, &f, sizeof(f));
	else
		memcpy(p, &d, sizeof(d));
}

static void fill_one(unsigned int oper, unsigned int type, unsigned int elem, char *p, bool nan)
{
	uint64_t few = below(7);
	unsigned int i;

	if (is_float(type)) {
		fill_float(oper, type, p, nan);
		return;
	}
	for (i = 0; i < elem; i++)
		p[i] = (char)rnd();
	/* Equal values, so that ties are met. */
	if (!below(3)) {
		memset(p, 0, elem);
		memcpy(p, &few, elem < sizeof(few) ? elem : sizeof(few));
	}
}

void ref_fill(unsigned int oper, unsigned int type, unsigned int width, void *buf,
	      size_t bytes, bool nan)
{
	unsigned int elem = ref_size(oper, type, width);
	size_t i;

	for (i = 0; i < bytes; i += elem) {
		struct hypercube_loc loc = { .index = below(40) };
		char *p = (char *)buf + i;

		if (is_loc(oper)) {
			fill_one(oper, type, sizes[type], (char *)loc.value, false);
			memcpy(p, &loc, sizeof(loc));
		} else {
			fill_one(oper, type, elem, p, nan);
		}
	}
}

/* ------------------------------------------------------------ replay */

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

/* Gives the elements, of @elems of a segment, in a blocked sender's part for node @to. */
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

static void member_merge(const struct cube *c, struct role **roles, unsigned int u,
			 const struct hypercube_op *op, void **data)
{
	unsigned int elem = ref_size(op->oper, op->type, op->width), i;
	size_t seg = c->segment / elem * elem, off;

	for (off = 0; off < op->bytes; off += seg)
		for (i = 0; i < roles[u]->role.nsrc; i++) {
			unsigned int v = roles[u]->src[i].node;
			size_t len = op->bytes - off < seg ? op->bytes - off : seg;
			size_t first, end;

			part_range(roles[v], u, len / elem, &first, &end);
			ref_combine(op->oper, op->type, op->width,
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
	/* Everybody receives from lower ranks only. */
	for (k = 0; result && k <= 2 * c->plan.tree.stages; k++)
		for (u = 0; u < c->nodes; u++)
			if (roles[u] && rank(roles[u]) == k)
				member_merge(c, roles, u, op, data);
	for (u = 0; u < c->nodes; u++)
		free(roles[u]);
	return result;
}
