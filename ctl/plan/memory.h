/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Memory that is taken and given back in several pieces.
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

/* What free() takes, any number of it. */
#define hc_free_all(...) \
	hc_free_pieces((void *const []){ __VA_ARGS__ }, \
		       sizeof((void *const []){ __VA_ARGS__ }) / sizeof(void *))

/* An array of @n things of @size bytes that has room for @room of them gets room for another
 * one; if it is the first, for @first.  Returns the array, which may have moved; NULL: there is
 * no memory, and it is as it was.
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
