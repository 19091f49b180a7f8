// SPDX-License-Identifier: GPL-2.0
/*
 * Proper colourings of edges: no two links of a node have the same colour.
 *
 * at[u * colours + c] is the node at the other end of u's link of colour c. A c/d path starts at a
 * node without a link of colour d and follows links of colours c, d, c, .. until there is no
 * further one. If the two colours are exchanged along this path, the colouring stays proper.
 */
#include "net.h"

/* The most nodes of a fan: all neighbours of its centre. */
#define FAN_MAX (HC_PORTS_MAX + 1)

/* A partial colouring: table @at (see the top of the file) with @colours columns. */
struct colouring {
	uint16_t *at;
	unsigned int colours;
};

/* Return: the entry of @c->at for the link of @u with this colour. */
static uint16_t *end_of(const struct colouring *c, uint32_t u, unsigned int colour)
{
	return &c->at[u * c->colours + colour];
}

static bool is_free(const struct colouring *c, uint32_t u, unsigned int colour)
{
	return *end_of(c, u, colour) == HC_NET_NONE;
}

/* Return: the lowest colour that no link of @u has; c->colours if there is none. */
static unsigned int first_free(const struct colouring *c, uint32_t u)
{
	unsigned int colour = 0;

	while (colour < c->colours && !is_free(c, u, colour))
		colour++;
	return colour;
}

/* Give the link between @u and @v the colour @colour. */
static void put(const struct colouring *c, uint32_t u, uint32_t v, unsigned int colour)
{
	*end_of(c, u, colour) = (uint16_t)v;
	*end_of(c, v, colour) = (uint16_t)u;
}

/* Remove the colour @colour from the link of @u that has it. */
static void take(const struct colouring *c, uint32_t u, unsigned int colour)
{
	uint32_t v = *end_of(c, u, colour);

	*end_of(c, u, colour) = HC_NET_NONE;
	*end_of(c, v, colour) = HC_NET_NONE;
}

/* Return: the other end of the path from @u whose links have the colours @colour and @other in
 * turn.
 */
static uint32_t path_end(const struct colouring *c, uint32_t u, unsigned int colour,
			 unsigned int other)
{
	unsigned int swap;

	while (!is_free(c, u, colour)) {
		u = *end_of(c, u, colour);
		swap = colour;
		colour = other;
		other = swap;
	}
	return u;
}

/* Exchange the two colours along the path of path_end(). */
static void path_flip(const struct colouring *c, uint32_t u, unsigned int colour,
		      unsigned int other)
{
	unsigned int go = colour;
	uint16_t next;

	do {
		next = *end_of(c, u, go);
		*end_of(c, u, go) = *end_of(c, u, colour + other - go);
		go = colour + other - go;
		*end_of(c, u, go) = next;
		u = next;
	} while (u != HC_NET_NONE);
}

/* Choose a colour for the link between @u and @v and make it free at both ends. If no colour is
 * free at both, take a colour @a that is free at @u and a colour @b that is free at @v, and
 * exchange the two along the path of these colours from @v, unless the path ends at @u. In a
 * bipartite network it never ends there: such a path would have an odd number of links, and end
 * with a link of colour @a, which no link of @u has. Return: false if it ends at @u for all @a and
 * @b.
 */
static bool link_colour(const struct colouring *c, uint32_t u, uint32_t v)
{
	unsigned int a, b;

	for (a = 0; a < c->colours; a++)
		if (is_free(c, u, a) && is_free(c, v, a)) {
			put(c, u, v, a);
			return true;
		}
	for (a = 0; a < c->colours; a++)
		for (b = 0; is_free(c, u, a) && b < c->colours; b++) {
			if (!is_free(c, v, b) || path_end(c, v, a, b) == u)
				continue;
			path_flip(c, v, a, b);
			put(c, u, v, a);
			return true;
		}
	return false;
}

bool hc_net_colour_kempe(uint16_t *at, unsigned int colours, const struct hc_edge *links, size_t n)
{
	const struct colouring c = { at, colours };
	size_t i;

	for (i = 0; i < n; i++)
		if (!link_colour(&c, links[i].u, links[i].v))
			return false;
	return true;
}

/* --- Misra and Gries --- */

/* Make a maximal fan of @u that begins at @v: the link from @u to each further node of the fan has
 * a colour that is free at the node before it. Return: number of nodes of the fan.
 */
static unsigned int fan_make(const struct colouring *c, uint32_t u, uint32_t v, uint16_t *fan)
{
	unsigned int n = 0, colour;
	uint32_t used = 0;

	fan[n++] = (uint16_t)v;
	for (colour = 0; colour < c->colours; colour++) {
		if (used & hc_bit(colour) || is_free(c, u, colour) ||
		    !is_free(c, fan[n - 1], colour))
			continue;
		used |= hc_bit(colour);
		fan[n++] = *end_of(c, u, colour);
		/* Begin with the first colour again, because the new end of the fan has other free
		 * colours.
		 */
		colour = (unsigned int)-1;
	}
	return n;
}

/* Return: the colour of the link between @u and @v, which has one. */
static unsigned int colour_of(const struct colouring *c, uint32_t u, uint32_t v)
{
	unsigned int colour = 0;

	while (*end_of(c, u, colour) != v)
		colour++;
	return colour;
}

/* Return: true if the first @n nodes of @fan are still a fan. */
static bool is_fan(const struct colouring *c, uint32_t u, const uint16_t *fan, unsigned int n)
{
	unsigned int i;

	for (i = 1; i < n; i++)
		if (!is_free(c, fan[i - 1], colour_of(c, u, fan[i])))
			return false;
	return true;
}

/* Give each link of the fan the colour of the next one, and @colour to the last one. */
static void fan_rotate(const struct colouring *c, uint32_t u, const uint16_t *fan, unsigned int n,
		       unsigned int colour)
{
	unsigned int i, next;

	for (i = 0; i + 1 < n; i++) {
		next = colour_of(c, u, fan[i + 1]);
		take(c, u, next);
		put(c, u, fan[i], next);
	}
	put(c, u, fan[n - 1], colour);
}

/* Choose a colour for the link between @u and @v, by Misra and Gries' method. */
static void link_colour_vizing(const struct colouring *c, uint32_t u, uint32_t v)
{
	uint16_t fan[FAN_MAX];
	unsigned int n = fan_make(c, u, v, fan), free_u, free_end, i;

	free_u = first_free(c, u);
	free_end = first_free(c, fan[n - 1]);
	if (free_u != free_end)
		path_flip(c, u, free_end, free_u);
	/* Now @free_end is free at u, and at the last node of some initial section of the fan that
	 * is still a fan: the theorem of Misra and Gries.
	 */
	for (i = 1; i < n; i++)
		if (is_free(c, fan[i - 1], free_end) && is_fan(c, u, fan, i))
			break;
	fan_rotate(c, u, fan, i, free_end);
}

void hc_net_colour_vizing(uint16_t *at, unsigned int colours, const struct hc_edge *links, size_t n)
{
	const struct colouring c = { at, colours };
	size_t i;

	for (i = 0; i < n; i++)
		link_colour_vizing(&c, links[i].u, links[i].v);
}
