/* SPDX-License-Identifier: GPL-2.0 */
/* Colours and text that the pictures of the demonstrations share. */
#ifndef SVG_H
#define SVG_H

#include <stdbool.h>
#include <stdio.h>

/* Colours for 0 to 1, in equal steps. */
struct ramp {
	unsigned int steps;
	unsigned char rgb[8][3];
};

/* A ramp from a light grey to a dark blue. */
extern const struct ramp svg_blues;

/* Write the colour for @at, from 0 to 1, to @text. Return: true if it is dark. */
bool svg_colour(const struct ramp *r, double at, char text[8]);
/* Define colours that change from left to right, as url(#@id). */
void svg_gradient(FILE *f, const struct ramp *r, const char *id);
void svg_escape(FILE *f, const char *text);
/* Write text. @class: letters: t is small text, k and h are larger; with e the text ends at @x,
 * with m it is centred there.
 */
__attribute__((format(printf, 5, 6)))
void svg_words(FILE *f, const char *class, double x, double y, const char *fmt, ...);

#endif /* SVG_H */
