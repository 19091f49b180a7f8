// SPDX-License-Identifier: GPL-2.0
/* Blocks of elements in a caller's buffer: how many, of which type, and where. */
#include "component.h"

static const struct ompi_datatype_t *side_type(const struct hcm_side *s, int block)
{
	return s->dts ? s->dts[block] : s->dt;
}

static size_t side_count(const struct hcm_side *s, int block)
{
	return s->counts ? (size_t)s->counts[block] : s->count;
}

static size_t element_bytes(const struct ompi_datatype_t *dt, const struct hcm_type *t)
{
	return t->oper ? t->bytes : hcm_size(dt);
}

size_t hcm_side_bytes(const struct hcm_side *s, int block, const struct hcm_type *t)
{
	size_t count = side_count(s, block);

	/* The type of an empty block may have any value. */
	return count ? count * element_bytes(side_type(s, block), t) : 0;
}

size_t hcm_side_before(const struct hcm_side *s, int block, const struct hcm_type *t)
{
	size_t sum = 0;
	int i;

	if (!s->counts)
		return block * hcm_side_bytes(s, 0, t);
	for (i = 0; i < block; i++)
		sum += hcm_side_bytes(s, i, t);
	return sum;
}

/* Return: the address of a block in the buffer. */
static char *side_place(const struct hcm_side *s, int block)
{
	ptrdiff_t at = 0;
	int i;

	if (s->dts)
		return (char *)s->buf + s->displs[block];
	if (s->displs)
		at = s->displs[block];
	else if (!s->counts)
		at = block * (ptrdiff_t)s->count;
	else
		for (i = 0; i < block; i++)
			at += s->counts[i];
	return (char *)s->buf + at * hcm_extent(s->dt);
}

/* Describe @nr blocks of one length as one block, @one. Return: false if @s has one block, or
 * blocks of different lengths.
 */
static bool is_one(const struct hcm_side *s, int nr, struct hcm_side *one)
{
	if (s->counts || nr == 1)
		return false;
	*one = *s;
	one->count *= nr;
	return true;
}

char *hcm_side_plain(const struct hcm_side *s, int first, int nr, const struct hcm_type *t)
{
	char *start = NULL, *next = NULL, *place;
	struct hcm_side one;
	int i;

	if (!first && is_one(s, nr, &one))
		return hcm_side_plain(&one, 0, 1, t);
	for (i = first; i < first + nr; i++) {
		if (!side_count(s, i))
			continue;
		place = side_place(s, i);
		if (!hcm_is_plain(side_type(s, i), side_count(s, i), t) ||
		    (start && place != next))
			return NULL;
		start = start ?: place;
		next = place + hcm_side_bytes(s, i, t);
	}
	return start;
}

void hcm_side_pack(const struct hcm_side *s, int first, int nr, const struct hcm_type *t,
		   char *bytes)
{
	struct hcm_side one;
	int i;

	if (!first && is_one(s, nr, &one)) {
		hcm_side_pack(&one, 0, 1, t, bytes);
		return;
	}
	for (i = first; i < first + nr; i++) {
		if (!side_count(s, i))
			continue;
		hcm_pack(side_type(s, i), side_count(s, i), side_place(s, i), t, bytes);
		bytes += hcm_side_bytes(s, i, t);
	}
}

void hcm_side_unpack(const struct hcm_side *s, int block, size_t len, const struct hcm_type *t,
		     const char *bytes)
{
	const struct ompi_datatype_t *dt = side_type(s, block);
	size_t most = side_count(s, block), count;

	if (!most || !len)
		return;
	count = len / element_bytes(dt, t);
	hcm_unpack(dt, count < most ? count : most, side_place(s, block), t, bytes);
}
