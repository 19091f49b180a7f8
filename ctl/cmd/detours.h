/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The ways of detours: detours.c.
 */
#ifndef DETOURS_H
#define DETOURS_H

#include <stdint.h>

#include "hc_tree.h"

struct hcctl;

/* The dimensions of the links of a detour, of a plan for these FAULT words, in *dims, to be freed.
 * How many there are; 0: no way is left, or no memory.
 */
unsigned int detour_way(unsigned int dim, const uint32_t *fault, const struct hc_detour *d,
			uint8_t **dims);
/* An entry of the array "detours". */
void detour_out(struct hcctl *h, const char *lead, const struct hc_detour *d, const uint8_t *dims,
		unsigned int hops);

#endif
