// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: a page with a script that draws the model. The page is composed of the files in
 * ctl/web/, which are linked into the program unchanged.
 */
#include <json-c/json.h>
#include <string.h>

#include "plot.h"

/* The symbols that the linker defines for the contents of a file. */
#define WEB_FILE(name) extern const char _binary_##name##_start[], _binary_##name##_end[]
WEB_FILE(plot_html);
WEB_FILE(plot_css);
WEB_FILE(space_js);
WEB_FILE(picture_js);
WEB_FILE(player_js);
WEB_FILE(page_js);

#define WEB_PRINT(f, name) \
	fwrite(_binary_##name##_start, 1, _binary_##name##_end - _binary_##name##_start, f)

static void style_print(FILE *f, const struct plot *p)
{
	WEB_PRINT(f, plot_css);
	plot_colours_print(f, p);
}

/* Print the model as JSON inside a script element. Characters that could end the script or begin a
 * comment are escaped; in JSON they occur only in strings.
 */
static void model_print(FILE *f, const struct plot *p)
{
	const int flags = JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE;
	struct json_object *model = plot_json(p);
	const char *s = model ? json_object_to_json_string_ext(model, flags) : NULL;

	for (; s && *s; s++) {
		if (strchr("<>&", *s))
			fprintf(f, "\\u%04x", *s);
		else
			fputc(*s, f);
	}
	json_object_put(model);
}

static void script_print(FILE *f, const struct plot *p)
{
	(void)p;
	WEB_PRINT(f, space_js);
	WEB_PRINT(f, picture_js);
	WEB_PRINT(f, player_js);
	WEB_PRINT(f, page_js);
}

static void broken_print(FILE *f, const struct plot *p)
{
	if (p->broken)
		fputs(" <b class=\"broken\">broken by a fault</b>", f);
}

/* The placeholders in plot.html, and the functions that print their replacements. */
static const struct part {
	const char *mark;
	void (*print)(FILE *f, const struct plot *p);
} parts[] = {
	{ "@TITLE@", plot_heading_print },
	{ "@ABOUT@", plot_subheading_print },
	{ "@BROKEN@", broken_print },
	{ "@STYLE@", style_print },
	{ "@MODEL@", model_print },
	{ "@SCRIPT@", script_print },
};

static const struct part *part_at(const char *s, size_t left)
{
	size_t i;

	for (i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		if (left >= strlen(parts[i].mark) &&
		    !strncmp(s, parts[i].mark, strlen(parts[i].mark)))
			return &parts[i];
	return NULL;
}

void plot_html_print(FILE *f, const struct plot *p)
{
	const char *s = _binary_plot_html_start, *end = _binary_plot_html_end;
	const struct part *part;

	while (s < end) {
		part = *s == '@' ? part_at(s, end - s) : NULL;
		if (part) {
			part->print(f, p);
			s += strlen(part->mark);
		} else {
			fputc(*s++, f);
		}
	}
}
