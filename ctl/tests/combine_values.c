// SPDX-License-Identifier: GPL-2.0
/* See combine_test.h. */
#include <string.h>
#include <linux/types.h>
#include <linux/hypercube.h>

#include "combine_test.h"

const char *const oper_name[] = {
	[HYPERCUBE_SUM] = "sum", [HYPERCUBE_PROD] = "prod",
	[HYPERCUBE_MIN] = "min", [HYPERCUBE_MAX] = "max",
	[HYPERCUBE_AND] = "and", [HYPERCUBE_OR] = "or",
	[HYPERCUBE_XOR] = "xor", [HYPERCUBE_MINLOC] = "minloc",
	[HYPERCUBE_MAXLOC] = "maxloc", [HYPERCUBE_MERGE] = "merge",
};

const char *const type_name[] = {
	[HYPERCUBE_U8] = "u8", [HYPERCUBE_U16] = "u16", [HYPERCUBE_U32] = "u32",
	[HYPERCUBE_U64] = "u64", [HYPERCUBE_I8] = "i8", [HYPERCUBE_I16] = "i16",
	[HYPERCUBE_I32] = "i32", [HYPERCUBE_I64] = "i64", [HYPERCUBE_F32] = "f32",
	[HYPERCUBE_F64] = "f64", [HYPERCUBE_RECORD] = "record", [HYPERCUBE_F16] = "f16",
	[HYPERCUBE_BF16] = "bf16",
};

static u64 seed = 1;

u64 rnd(void)
{
	u64 z = seed += 0x9e3779b97f4a7c15ull;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
	z = (z ^ z >> 27) * 0x94d049bb133111ebull;
	return z ^ z >> 31;
}

u64 special[2][128];
int specials[2];

/* Add @v and its negative to the list. */
static void add_special(int wide, u64 v)
{
	special[wide][specials[wide]++] = v;
	special[wide][specials[wide]++] = v | 1ull << (wide ? 63 : 31);
}

void make_specials(int wide)
{
	int frac = wide ? 52 : 23;
	u64 one = wide ? 0x3ff : 0x7f, top = 2 * one + 1;
	u64 h = 1ull << frac, q = h >> 1;
	u64 exps[] = { 1, 2, one - frac - 2, one - frac - 1, one - frac,
			    one - 1, one, one + 1, one + frac, one + frac + 1,
			    one / 2, one / 2 + 1, top - one / 2, top - 2, top - 1 };

	add_special(wide, 0);
	add_special(wide, 1);
	add_special(wide, 2);
	add_special(wide, 3);
	add_special(wide, q - 1);
	add_special(wide, q);
	add_special(wide, q + 1);
	add_special(wide, h - 1);
	for (size_t i = 0; i < ARRAY_SIZE(exps); i++) {
		add_special(wide, exps[i] << frac);
		add_special(wide, exps[i] << frac | 1);
		add_special(wide, exps[i] << frac | (h - 1));
	}
	add_special(wide, top << frac);
	add_special(wide, top << frac | 1);	/* signalling */
	add_special(wide, top << frac | (q - 1));
	add_special(wide, top << frac | q);	/* quiet */
	add_special(wide, top << frac | q | 5);
	add_special(wide, top << frac | (h - 1));
}

/* Return: a float for which operations with the float @near often have special results: its
 * exponent is near that of @near, or their product is near the limits of the range; sometimes a
 * special or a random float.
 */
u64 companion(int wide, u64 near)
{
	int frac = wide ? 52 : 23, bits = wide ? 11 : 8;
	s64 mask = (1 << bits) - 1, bias = mask >> 1;
	s64 e = near >> frac & mask, r = (s64)(rnd() % (2 * frac + 8)) - frac - 4;
	u64 v = rnd();

	switch (rnd() % 8) {
	case 0:
		return v;
	case 1:
		return special[wide][v % specials[wide]];
	case 2:		/* the product is near the smallest normal or subnormal */
		e = bias - e + r;
		break;
	case 3:		/* the product is near the largest float */
		e = 3 * bias - e + r / 8;
		break;
	case 4:		/* few significant bits, for ties in rounding */
		v &= ~0ull << (rnd() % frac);
		e += r;
		break;
	default:
		e += r;
	}
	if (e < 0)
		e = 0;
	if (e > mask - 1)
		e = mask - 1;
	v &= (1ull << frac) - 1;
	return v | (u64)e << frac | (rnd() & 1) << (frac + bits);
}

/* Write the float @v to element @i of the array @p. @wide: it has 64 bits, else 32. */
void put_float(int wide, void *p, size_t i, u64 v)
{
	u32 w = v;

	if (wide)
		memcpy((char *)p + 8 * i, &v, 8);
	else
		memcpy((char *)p + 4 * i, &w, 4);
}

/* Fill @p with random bytes, or with small numbers, among which ties and equal prefixes occur. */
void fill(unsigned int oper, unsigned int type, void *p, size_t bytes)
{
	bool small = rnd() & 1;
	unsigned char *c = p;
	size_t i;

	for (i = 0; i < bytes; i++)
		c[i] = small ? (rnd() & 3) - 1 : rnd();
	if (oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC) {
		for (i = 0; i < bytes; i += 16)
			if (type == HYPERCUBE_F32 || type == HYPERCUBE_F64)
				put_float(type == HYPERCUBE_F64, c + i, 0,
					  special[type == HYPERCUBE_F64][rnd() % 110]);
	} else if (small && type == HYPERCUBE_F32) {
		for (i = 0; i < bytes / 4; i++)
			put_float(0, p, i, special[0][rnd() % specials[0]]);
	} else if (small && type == HYPERCUBE_F64) {
		for (i = 0; i < bytes / 8; i++)
			put_float(1, p, i, special[1][rnd() % specials[1]]);
	}
}
