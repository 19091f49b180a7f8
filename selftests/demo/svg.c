// SPDX-License-Identifier: GPL-2.0
/*
 * Colours and text of the pictures.
 */
#include <math.h>
#include <stdarg.h>

#include "svg.h"

const struct ramp svg_blues = {
	6, { { 242, 245, 248 }, { 205, 222, 236 }, { 148, 187, 220 }, { 84, 139, 196 },
	     { 40, 90, 160 }, { 14, 44, 98 } },
};

bool svg_colour(const struct ramp *r, double at, char text[8])
{
	double where = fmin(fmax(at, 0), 1) * (r->steps - 1);
	unsigned int lo = fmin(floor(where), r->steps - 2), c;
	int v[3];

	for (c = 0; c < 3; c++) {
		double step = r->rgb[lo + 1][c] - r->rgb[lo][c];

		v[c] = (int)lround(r->rgb[lo][c] + (where - lo) * step);
	}
	sprintf(text, "#%02x%02x%02x", v[0], v[1], v[2]);
	return 0.3 * v[0] + 0.59 * v[1] + 0.11 * v[2] < 140;
}

void svg_begin(FILE *f, double width, double height, const char *more)
{
	fprintf(f, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %.0f\" width=\"%.0f\" height=\"%.0f\">\n",
		width, height, width, height);
	fprintf(f, "<style>\n"
		"text{font-family:system-ui,-apple-system,\"Segoe UI\",\"DejaVu Sans\",sans-serif;fill:#18202b}\n"
		".m{text-anchor:middle}.e{text-anchor:end}.t{font-size:12px;fill:#5a6675}\n"
		".title{font-size:23px;font-weight:600}.about{font-size:15px;fill:#5a6675}\n"
		".k{font-size:14px;font-weight:600}.axis{stroke:#5a6675;fill:none}\n"
		"%s</style>\n", more);
	fprintf(f, "<rect width=\"%.0f\" height=\"%.0f\" fill=\"#ffffff\"/>\n", width, height);
}

void svg_escape(FILE *f, const char *text)
{
	for (; *text; text++) {
		if (*text == '<')
			fputs("&lt;", f);
		else if (*text == '&')
			fputs("&amp;", f);
		else
			fputc(*text, f);
	}
}

void svg_gradient(FILE *f, const struct ramp *r, const char *id)
{
	unsigned int i;
	char rgb[8];

	fprintf(f, "<defs><linearGradient id=\"%s\">", id);
	for (i = 0; i < r->steps; i++) {
		double at = (double)i / (r->steps - 1);

		svg_colour(r, at, rgb);
		fprintf(f, "<stop offset=\"%.3f\" stop-color=\"%s\"/>", at, rgb);
	}
	fputs("</linearGradient></defs>\n", f);
}

void svg_words(FILE *f, const char *class, double x, double y, const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	fprintf(f, "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\">", class, x, y);
	svg_escape(f, text);
	fputs("</text>\n", f);
}
