/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The paths of detours, see detours.c.
 */
#ifndef DETOURS_H
#define DETOURS_H

#include <stdint.h>

#include "hc_tree.h"

struct hcctl;

/* Compute the path of the detour @d around the faults in the FAULT words @fault. *@dims is set to
 * the dimensions of its links, to be freed. Return: the number of links; 0 if there is no path, or
 * no memory.
 */
unsigned int detour_way(unsigned int dim, const uint32_t *fault, const struct hc_detour *d,
			uint8_t **dims);
/* Print a detour and its path, as an element of the array "detours". */
void detour_out(struct hcctl *h, const char *lead, const struct hc_detour *d, const uint8_t *dims,
		unsigned int hops);

#endif
