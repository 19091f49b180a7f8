// SPDX-License-Identifier: GPL-2.0
/*
 * The schedule of exchange.h. If a node receives the message at offset x over dimension d, the
 * neighbour that sends it has the same message at offset x ^ 1 << d. So this offset must be 0 (the
 * neighbour's own message), or have had an earlier step.
 *
 * Offsets that are rotations of each other form an orbit. Most orbits have n offsets. Such an orbit
 * makes one step, in which each dimension carries one offset: the first offset x arrives over some
 * dimension d, its rotation by one bit over d + 1, and so on. d is a bit of x such that x ^ 1 << d
 * is 0 or is also in an orbit of n offsets. That orbit has an earlier step, because its offsets
 * have one bit less, and the orbits are taken in the order of their number of bits. Such a bit d
 * always exists (the tests try all offsets).
 *
 * The offsets in orbits of fewer than n are periodic. They come last, n of them in a step, over any
 * dimensions: if one bit of a periodic offset is changed, it is not periodic any more, so all
 * offsets that they need had earlier steps.
 */
#include "exchange.h"

static uint32_t rotate(uint32_t x, unsigned int by, unsigned int dim)
{
	return (x << by | x >> (dim - by)) & hc_ones(dim);
}

/* Return: true if @x is periodic: its orbit has fewer than @dim offsets. */
static bool is_periodic(uint32_t x, unsigned int dim)
{
	unsigned int by;

	for (by = 1; by < dim; by++)
		if (rotate(x, by, dim) == x)
			return true;
	return false;
}

/* Return: true if @x is the least offset of its orbit. */
static bool is_least(uint32_t x, unsigned int dim)
{
	unsigned int by;

	for (by = 1; by < dim; by++)
		if (rotate(x, by, dim) < x)
			return false;
	return true;
}

/* Return: the dimension over which the message at offset @x arrives, from a neighbour for which it
 * is at offset 0 (its own message) or at an offset that is not periodic.
 */
static unsigned int last_dim(uint32_t x, unsigned int dim)
{
	unsigned int d;

	for (d = 0; d < dim; d++)
		if (x & hc_bit(d) && (x == hc_bit(d) || !is_periodic(x ^ hc_bit(d), dim)))
			break;
	return d;
}

void hc_exchange(unsigned int dim, struct hc_exchange_send *send)
{
	unsigned int weight, by, d;
	uint32_t x, n = 0;

	for (weight = 1; weight <= dim; weight++)
		for (x = 1; x < hc_nodes(dim); x++) {
			if (hc_weight32(x) != weight || is_periodic(x, dim) || !is_least(x, dim))
				continue;
			d = last_dim(x, dim);
			for (by = 0; by < dim; by++)
				send[n++] = (struct hc_exchange_send){
					(uint16_t)rotate(x, by, dim), (uint8_t)((d + by) % dim),
				};
		}
	for (x = 1; x < hc_nodes(dim); x++)
		if (is_periodic(x, dim)) {
			send[n] = (struct hc_exchange_send){ (uint16_t)x, (uint8_t)(n % dim) };
			n++;
		}
}

bool hc_exchange_check(unsigned int dim, const struct hc_exchange_send *send, uint16_t *step)
{
	uint32_t i, busy = 0, from;

	for (i = 0; i < hc_nodes(dim); i++)
		step[i] = 0;
	for (i = 0; i < hc_exchange_sends(dim); i++) {
		if (i % dim == 0)
			busy = 0;
		if (send[i].dim >= dim || !send[i].offset || send[i].offset >= hc_nodes(dim) ||
		    busy & hc_bit(send[i].dim) || step[send[i].offset])
			return false;
		busy |= hc_bit(send[i].dim);
		from = send[i].offset ^ hc_bit(send[i].dim);
		if (from && (!step[from] || step[from] > i / dim))
			return false;
		step[send[i].offset] = (uint16_t)(i / dim + 1);
	}
	return true;
}
