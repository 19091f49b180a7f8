// SPDX-License-Identifier: GPL-2.0
/*
 * Operators over arrays of elements in host byte order.
 *
 * The loops below are inlined with constant @oper and @type, so each pair of operator and type gets
 * a loop of its own, from which the compiler removes the code of all other pairs. Elements are
 * loaded as u64, zero- or sign-extended as their type requires. A store drops the upper bits of
 * integers, which makes sums and products wrap.
 */
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/types.h>
#include <linux/hypercube.h>

#include "reduce/combine.h"
#include "reduce/softfp.h"

static const u8 type_size[__HYPERCUBE_TYPE_END] = {
	[HYPERCUBE_U8] = 1,	[HYPERCUBE_I8] = 1,
	[HYPERCUBE_U16] = 2,	[HYPERCUBE_I16] = 2,
	[HYPERCUBE_U32] = 4,	[HYPERCUBE_I32] = 4,
	[HYPERCUBE_U64] = 8,	[HYPERCUBE_I64] = 8,
	[HYPERCUBE_F32] = 4,	[HYPERCUBE_F64] = 8,
	[HYPERCUBE_F16] = 2,	[HYPERCUBE_BF16] = 2,
};

struct any_loc { struct hypercube_loc v; } __packed;

static __always_inline u64 load(unsigned int type, const void *p)
{
	switch (type) {
	case HYPERCUBE_U8:
		return *(const u8 *)p;
	case HYPERCUBE_I8:
		return (s64)*(const s8 *)p;
	case HYPERCUBE_U16:
	case HYPERCUBE_F16:
	case HYPERCUBE_BF16:
		return ((const struct any16 *)p)->v;
	case HYPERCUBE_I16:
		return (s64)(s16)((const struct any16 *)p)->v;
	case HYPERCUBE_U32:
	case HYPERCUBE_F32:
		return ((const struct any32 *)p)->v;
	case HYPERCUBE_I32:
		return (s64)(s32)((const struct any32 *)p)->v;
	default:
		return ((const struct any64 *)p)->v;
	}
}

static __always_inline void store(unsigned int type, void *p, u64 v)
{
	switch (type) {
	case HYPERCUBE_U8:
	case HYPERCUBE_I8:
		*(u8 *)p = v;
		break;
	case HYPERCUBE_U16:
	case HYPERCUBE_I16:
	case HYPERCUBE_F16:
	case HYPERCUBE_BF16:
		((struct any16 *)p)->v = v;
		break;
	case HYPERCUBE_U32:
	case HYPERCUBE_I32:
	case HYPERCUBE_F32:
		((struct any32 *)p)->v = v;
		break;
	default:
		((struct any64 *)p)->v = v;
	}
}

static __always_inline bool is_signed(unsigned int type)
{
	return type >= HYPERCUBE_I8 && type <= HYPERCUBE_I64;
}

static __always_inline bool is_half(unsigned int type)
{
	return type == HYPERCUBE_F16 || type == HYPERCUBE_BF16;
}

static __always_inline bool is_float(unsigned int type)
{
	return type == HYPERCUBE_F32 || type == HYPERCUBE_F64 || is_half(type);
}

/* ----------------------------------------------------------------- order */

static __always_inline bool is_nan(unsigned int type, u64 v)
{
	switch (type) {
	case HYPERCUBE_F16:
		return (v & 0x7fff) > 0x7c00;
	case HYPERCUBE_BF16:
		return (v & 0x7fff) > 0x7f80;
	case HYPERCUBE_F32:
		return (v & 0x7fffffff) > 0x7f800000;
	case HYPERCUBE_F64:
		return (v & ~(1ULL << 63)) > 0x7ffULL << 52;
	default:
		return false;
	}
}

static __always_inline u64 quiet(unsigned int type, u64 nan)
{
	switch (type) {
	case HYPERCUBE_F16:
		return nan | 1 << 9;
	case HYPERCUBE_BF16:
		return nan | 1 << 6;
	case HYPERCUBE_F32:
		return nan | 1 << 22;
	default:
		return nan | 1ULL << 51;
	}
}

/* Return: an integer for each float, such that integers and floats have the same order. The bits of
 * a float are a sign and a magnitude: if they were compared as integers, negative floats would be
 * in reverse order.
 */
static __always_inline s64 float_key(unsigned int type, u64 v)
{
	s64 s = is_half(type) ? (s16)v : type == HYPERCUBE_F32 ? (s32)v : (s64)v;

	return s < 0 ? s ^ S64_MAX : s;
}

/* Return: true if @a is before @b in the total order of the type; for floats, this is the
 * totalOrder of IEEE 754.
 */
static __always_inline bool less(unsigned int type, u64 a, u64 b)
{
	if (is_float(type))
		return float_key(type, a) < float_key(type, b);
	if (is_signed(type))
		return (s64)a < (s64)b;
	return a < b;
}

/* Return: true if @oper, which is MIN or MAX, chooses @b of @a and @b; false if they are equal. The
 * caller has checked that neither is a NaN.
 */
static __always_inline bool better(unsigned int oper, unsigned int type,
				   u64 a, u64 b)
{
	if (oper == HYPERCUBE_MIN || oper == HYPERCUBE_MINLOC)
		return less(type, b, a);
	return less(type, a, b);
}

/*
 * MIN or MAX. The result of a NaN and a number is the number; that of two NaNs is the first one,
 * made quiet. -0 is less than +0.
 */
static __always_inline u64 extreme(unsigned int oper, unsigned int type,
				   u64 a, u64 b)
{
	if (unlikely(is_nan(type, b)))
		return is_nan(type, a) ? quiet(type, a) : a;
	if (unlikely(is_nan(type, a)))
		return b;
	return better(oper, type, a, b) ? b : a;
}

/* ------------------------------------------------------ element by element */

/* Compute @to, element by element, for PROD of integers, and for MIN and MAX of any type. */
static __always_inline void each(unsigned int oper, unsigned int type, void *to,
				 const void *first, const void *second, size_t bytes)
{
	size_t i;
	u64 a, b;

	for (i = 0; i < bytes; i += type_size[type]) {
		a = load(type, first + i);
		b = load(type, second + i);
		store(type, to + i, oper == HYPERCUBE_PROD ?
		      a * b : extreme(oper, type, a, b));
	}
}

static __always_inline void each_loc(unsigned int oper, unsigned int type, void *to,
				     const void *first, const void *second, size_t bytes)
{
	const struct any_loc *p = first, *q = second, *end = first + bytes;
	struct any_loc *r = to;
	bool take;
	u64 a, b;

	for (; p < end; p++, q++, r++) {
		a = load(type, p->v.value);
		b = load(type, q->v.value);
		/* Two NaNs are equal here, even if their bits differ. */
		if (unlikely(is_nan(type, a) || is_nan(type, b)))
			take = is_nan(type, a) &&
			       (!is_nan(type, b) || q->v.index < p->v.index);
		else
			take = better(oper, type, a, b) ||
			       (a == b && q->v.index < p->v.index);
		if (take)
			*r = *q;
		else if (to != first)
			*r = *p;
	}
}

static void records(unsigned int oper, unsigned int width, void *to, const void *first,
		    const void *second, size_t bytes)
{
	size_t i;
	int order;

	for (i = 0; i < bytes; i += width) {
		order = memcmp(second + i, first + i, width);
		if (oper == HYPERCUBE_MIN ? order < 0 : order > 0)
			memcpy(to + i, second + i, width);
		else if (to != first)
			memcpy(to + i, first + i, width);
	}
}

/* ------------------------------------------- several small elements in a u64 */

/* Return: a u64 in which the highest bit of each element is set. */
static __always_inline u64 tops(unsigned int type)
{
	switch (type_size[type]) {
	case 1:
		return 0x8080808080808080ULL;
	case 2:
		return 0x8000800080008000ULL;
	case 4:
		return 0x8000000080000000ULL;
	default:
		return 1ULL << 63;
	}
}

/* Return: a u64 in which all bits of an element are set if this element of @a is less than that of
 * @b.
 */
static __always_inline u64 lanes_less(unsigned int type, u64 a, u64 b)
{
	unsigned int shift = type_size[type] * 8 - 1;
	u64 top = tops(type);
	u64 lt;

	if (is_signed(type)) {
		a ^= top;
		b ^= top;
	}
	/* Subtract @b without its top bits from @a with all top bits set: these keep each borrow
	 * inside its element.
	 */
	lt = (a | top) - (b & ~top);
	lt = ((~a & b) | (~(a ^ b) & ~lt)) & top;
	return lt | (lt - (lt >> shift));
}

static __always_inline u64 word(unsigned int oper, unsigned int type,
				u64 a, u64 b)
{
	u64 top = tops(type);
	u64 lt;

	switch (oper) {
	case HYPERCUBE_AND:
		return a & b;
	case HYPERCUBE_OR:
		return a | b;
	case HYPERCUBE_XOR:
		return a ^ b;
	case HYPERCUBE_SUM:
		if (type_size[type] == 8)
			return a + b;
		/* Add the top bit of each element separately, so that no carry gets into the next
		 * element.
		 */
		return ((a & ~top) + (b & ~top)) ^ ((a ^ b) & top);
	case HYPERCUBE_MIN:
		lt = lanes_less(type, a, b);
		return b ^ ((a ^ b) & lt);
	default: /* HYPERCUBE_MAX */
		lt = lanes_less(type, a, b);
		return a ^ ((a ^ b) & lt);
	}
}

static __always_inline void words(unsigned int oper, unsigned int type, void *to,
				  const void *first, const void *second, size_t bytes)
{
	u64 a = 0, b = 0;
	size_t i;

#pragma GCC unroll 4
	for (i = 0; i + 8 <= bytes; i += 8)
		store(HYPERCUBE_U64, to + i,
		      word(oper, type, load(HYPERCUBE_U64, first + i),
			   load(HYPERCUBE_U64, second + i)));
	if (i == bytes)
		return;
	/* The remaining bytes are whole elements. memcpy() keeps their order, so each element of
	 * the result is written where it belongs, on little-endian and on big-endian machines.
	 */
	memcpy(&a, first + i, bytes - i);
	memcpy(&b, second + i, bytes - i);
	a = word(oper, type, a, b);
	memcpy(to + i, &a, bytes - i);
}

/* -------------------------------------------------------------- dispatching */

/* A function that combines arrays of elements; @oper and @type are constants where it is inlined.
 */
typedef void (*each_fn)(unsigned int oper, unsigned int type, void *to, const void *first,
			const void *second, size_t bytes);

/* Signed integers are combined as unsigned ones: integers wrap around, so the results are equal. */
static __always_inline void integers(each_fn fn, unsigned int oper, unsigned int type, void *to,
				     const void *first, const void *second, size_t bytes)
{
	switch (type) {
	case HYPERCUBE_U8:
	case HYPERCUBE_I8:
		return fn(oper, HYPERCUBE_U8, to, first, second, bytes);
	case HYPERCUBE_U16:
	case HYPERCUBE_I16:
		return fn(oper, HYPERCUBE_U16, to, first, second, bytes);
	case HYPERCUBE_U32:
	case HYPERCUBE_I32:
		return fn(oper, HYPERCUBE_U32, to, first, second, bytes);
	case HYPERCUBE_U64:
	case HYPERCUBE_I64:
		return fn(oper, HYPERCUBE_U64, to, first, second, bytes);
	default:
		return hc_combine_fp(oper, type, to, first, second, bytes);
	}
}

/* Call @narrow for elements of one byte (a u64 holds eight of them), and @wide for other elements.
 */
static __always_inline void per_type(each_fn narrow, each_fn wide, unsigned int oper,
				     unsigned int type, void *to, const void *first,
				     const void *second, size_t bytes)
{
	switch (type) {
	case HYPERCUBE_U8:
		return narrow(oper, HYPERCUBE_U8, to, first, second, bytes);
	case HYPERCUBE_U16:
		return wide(oper, HYPERCUBE_U16, to, first, second, bytes);
	case HYPERCUBE_U32:
		return wide(oper, HYPERCUBE_U32, to, first, second, bytes);
	case HYPERCUBE_U64:
		return wide(oper, HYPERCUBE_U64, to, first, second, bytes);
	case HYPERCUBE_I8:
		return narrow(oper, HYPERCUBE_I8, to, first, second, bytes);
	case HYPERCUBE_I16:
		return wide(oper, HYPERCUBE_I16, to, first, second, bytes);
	case HYPERCUBE_I32:
		return wide(oper, HYPERCUBE_I32, to, first, second, bytes);
	case HYPERCUBE_I64:
		return wide(oper, HYPERCUBE_I64, to, first, second, bytes);
	case HYPERCUBE_F32:
		return wide(oper, HYPERCUBE_F32, to, first, second, bytes);
	case HYPERCUBE_F64:
		return wide(oper, HYPERCUBE_F64, to, first, second, bytes);
	case HYPERCUBE_F16:
		return wide(oper, HYPERCUBE_F16, to, first, second, bytes);
	case HYPERCUBE_BF16:
		return wide(oper, HYPERCUBE_BF16, to, first, second, bytes);
	}
}

static __always_inline void combine(unsigned int oper, unsigned int type, unsigned int width,
				    void *to, const void *first, const void *second, size_t bytes)
{
	if (type == HYPERCUBE_RECORD)
		return records(oper, width, to, first, second, bytes);

	/* Each case is inlined with its own loops, in which the operator is constant. */
	switch (oper) {
	case HYPERCUBE_SUM:
		return integers(words, HYPERCUBE_SUM, type, to, first, second, bytes);
	case HYPERCUBE_PROD:
		return integers(each, HYPERCUBE_PROD, type, to, first, second, bytes);
	case HYPERCUBE_MIN:
		return per_type(words, each, HYPERCUBE_MIN, type, to, first, second, bytes);
	case HYPERCUBE_MAX:
		return per_type(words, each, HYPERCUBE_MAX, type, to, first, second, bytes);
	case HYPERCUBE_AND:
		return words(HYPERCUBE_AND, HYPERCUBE_U64, to, first, second, bytes);
	case HYPERCUBE_OR:
		return words(HYPERCUBE_OR, HYPERCUBE_U64, to, first, second, bytes);
	case HYPERCUBE_XOR:
		return words(HYPERCUBE_XOR, HYPERCUBE_U64, to, first, second, bytes);
	case HYPERCUBE_MINLOC:
		return per_type(each_loc, each_loc, HYPERCUBE_MINLOC, type, to, first, second,
				bytes);
	case HYPERCUBE_MAXLOC:
		return per_type(each_loc, each_loc, HYPERCUBE_MAXLOC, type, to, first, second,
				bytes);
	}
}

void hc_combine(unsigned int oper, unsigned int type, unsigned int width,
		void *to, const void *first, const void *second, size_t bytes)
{
	/* The compiler makes separate loops for the two calls: with @to equal to @first, a loop
	 * takes fewer instructions.
	 */
	if (to == first)
		combine(oper, type, width, to, to, second, bytes);
	else
		combine(oper, type, width, to, first, second, bytes);
}

int hc_combine_size(unsigned int oper, unsigned int type, unsigned int width)
{
	if (!oper || oper >= __HYPERCUBE_OPER_END ||
	    !type || type >= __HYPERCUBE_TYPE_END)
		return -EINVAL;

	if (type == HYPERCUBE_RECORD) {
		if (oper != HYPERCUBE_MERGE && oper != HYPERCUBE_MIN &&
		    oper != HYPERCUBE_MAX)
			return -EINVAL;
		return width && width <= HYPERCUBE_RECORD_MAX ? width : -EINVAL;
	}
	if (width)
		return -EINVAL;

	switch (oper) {
	case HYPERCUBE_AND:
	case HYPERCUBE_OR:
	case HYPERCUBE_XOR:
		return is_float(type) ? -EINVAL : type_size[type];
	case HYPERCUBE_MINLOC:
	case HYPERCUBE_MAXLOC:
		return sizeof(struct hypercube_loc);
	default:
		return type_size[type];
	}
}

/* ------------------------------------------------------------- comparisons */

static __always_inline int compare(unsigned int type, const void *a,
				   const void *b)
{
	u64 va = load(type, a), vb = load(type, b);

	return less(type, vb, va) - less(type, va, vb);
}

/* A comparison function for each type of numbers. */
#define CMP(name, type)								\
	static int cmp_##name(const void *a, const void *b, unsigned int width)	\
	{									\
		return compare(HYPERCUBE_##type, a, b);				\
	}

CMP(u8, U8)
CMP(u16, U16)
CMP(u32, U32)
CMP(u64, U64)
CMP(i8, I8)
CMP(i16, I16)
CMP(i32, I32)
CMP(i64, I64)
CMP(f32, F32)
CMP(f64, F64)
CMP(f16, F16)
CMP(bf16, BF16)

static int cmp_record(const void *a, const void *b, unsigned int width)
{
	return memcmp(a, b, width);
}

static const hc_cmp_fn cmp_fns[__HYPERCUBE_TYPE_END] = {
	[HYPERCUBE_U8] = cmp_u8,	[HYPERCUBE_I8] = cmp_i8,
	[HYPERCUBE_U16] = cmp_u16,	[HYPERCUBE_I16] = cmp_i16,
	[HYPERCUBE_U32] = cmp_u32,	[HYPERCUBE_I32] = cmp_i32,
	[HYPERCUBE_U64] = cmp_u64,	[HYPERCUBE_I64] = cmp_i64,
	[HYPERCUBE_F32] = cmp_f32,	[HYPERCUBE_F64] = cmp_f64,
	[HYPERCUBE_F16] = cmp_f16,	[HYPERCUBE_BF16] = cmp_bf16,
	[HYPERCUBE_RECORD] = cmp_record,
};

hc_cmp_fn hc_combine_cmp(unsigned int type)
{
	return type < __HYPERCUBE_TYPE_END ? cmp_fns[type] : NULL;
}
