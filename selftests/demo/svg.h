/* SPDX-License-Identifier: GPL-2.0 */
/* Colours and text that the pictures of the demonstrations share. */
#ifndef SVG_H
#define SVG_H

#include <stdbool.h>
#include <stdio.h>

/* A sequence of colours for the numbers from 0 to 1, at equal distances. */
struct ramp {
	unsigned int steps;
	unsigned char rgb[8][3];
};

/* A ramp from a light grey to a dark blue. */
extern const struct ramp svg_blues;

/* Write the colour for @at, a number from 0 to 1, to @text. Return: true if the colour is dark. */
bool svg_colour(const struct ramp *r, double at, char text[8]);
/* Define a gradient of the colours of @r from left to right, for use as "url(#@id)". */
void svg_gradient(FILE *f, const struct ramp *r, const char *id);
/* Begin a white picture of @width x @height pixels, with the styles that svg_words() names, of a
 * title, of text about it and of axes. @more: further styles.
 */
void svg_begin(FILE *f, double width, double height, const char *more);
void svg_escape(FILE *f, const char *text);
/* Write text at (@x, @y). Letters of @class: t: small text; k and h: larger text; e: the text ends
 * at @x; m: the text is centred at @x.
 */
__attribute__((format(printf, 5, 6)))
void svg_words(FILE *f, const char *class, double x, double y, const char *fmt, ...);

#endif /* SVG_H */
