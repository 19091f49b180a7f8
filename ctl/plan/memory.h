/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Helpers for memory that is allocated and released in several pieces.
 */
#ifndef _HC_MEMORY_H
#define _HC_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

static inline void hc_free_pieces(void *const *piece, size_t n)
{
	while (n--)
		free(piece[n]);
}

/* Release all arguments, as free() does; any number of them. */
#define hc_free_all(...) \
	hc_free_pieces((void *const []){ __VA_ARGS__ }, \
		       sizeof((void *const []){ __VA_ARGS__ }) / sizeof(void *))

/* Make space for one more element in the array @v, which has @n elements of @size bytes and space
 * for *@room. The first allocation has space for @first elements. Return: the array, which may have
 * moved; NULL without memory, and the array is not changed.
 */
static inline void *hc_grow(void *v, size_t n, size_t *room, size_t size, size_t first)
{
	size_t more = *room ? 2 * *room : first;

	if (n < *room)
		return v;
	v = reallocarray(v, more, size);
	if (v)
		*room = more;
	return v;
}

#endif /* _HC_MEMORY_H */
