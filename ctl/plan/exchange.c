// SPDX-License-Identifier: GPL-2.0
/*
 * See exchange.h. Offsets that are rotations of each other form an orbit. An orbit of n offsets
 * makes one step: if its first offset arrives over dimension d, the next one arrives over d + 1,
 * and so on. The neighbour that sends the message of an offset has received it as the offset
 * without one of its bits. That offset must be in an orbit of n as well; such a bit always exists
 * (the tests try all offsets). Offsets of smaller orbits, which are periodic, come last, n of them
 * in a step, over any dimensions: with one bit more or less none of them is periodic, so all
 * offsets that they come from have arrived before.
 */
#include "exchange.h"

static uint32_t rotate(uint32_t x, unsigned int by, unsigned int dim)
{
	return (x << by | x >> (dim - by)) & hc_ones(dim);
}

/* Is @x periodic: in an orbit of fewer than @dim offsets? */
static bool is_periodic(uint32_t x, unsigned int dim)
{
	unsigned int by;

	for (by = 1; by < dim; by++)
		if (rotate(x, by, dim) == x)
			return true;
	return false;
}

static bool is_least(uint32_t x, unsigned int dim)
{
	unsigned int by;

	for (by = 1; by < dim; by++)
		if (rotate(x, by, dim) < x)
			return false;
	return true;
}

/* Return: the dimension over which offset @x comes, from an offset that is not periodic or from the
 * node itself.
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
