/* SPDX-License-Identifier: GPL-2.0 */
/* What the demonstrations' pictures share. */
#ifndef SVG_H
#define SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Colours from 0 to 1, equally far apart. */
struct ramp {
	unsigned int steps;
	unsigned char rgb[8][3];
};

/* From a light grey to a dark blue. */
extern const struct ramp svg_blues;

/* The colour of @at, 0 to 1, and whether it is a dark one. */
bool svg_colour(const struct ramp *r, double at, char text[8]);
/* Colours that change from left to right, as url(#@id). */
void svg_gradient(FILE *f, const struct ramp *r, const char *id);
void svg_escape(FILE *f, const char *text);

#endif /* SVG_H */
