// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl plot: the key beside the picture. It has entries only for what occurs in the picture.
 */
#include <inttypes.h>

#include "plot.h"

#define ROW 26
/* Number of phases that the key lists one by one. If there are more phases, only these and the last
 * one have entries.
 */
#define PHASES 14

/* The key that is being drawn. */
struct key {
	FILE *f;
	const struct plot *p;
	double y;	/* vertical position of the next entry */
};

static void title(struct key *k, const char *text)
{
	k->y += 10;
	fprintf(k->f, "<text class=\"ink w\" x=\"%d\" y=\"%.0f\" font-size=\"15\">%s</text>\n",
		SVG_KEY, k->y + 5, text);
	k->y += ROW;
}

static void label(struct key *k, const char *text)
{
	fprintf(k->f, "<text class=\"ink\" x=\"%d\" y=\"%.0f\" font-size=\"14\">%s</text>\n",
		SVG_KEY + 46, k->y + 5, text);
	k->y += ROW;
}

static void line(struct key *k, const char *class, double width)
{
	fprintf(k->f, "<line class=\"%s\" stroke-width=\"%g\" x1=\"%d\" y1=\"%.0f\" x2=\"%d\" y2=\"%.0f\"/>\n",
		class, width, SVG_KEY, k->y, SVG_KEY + 34, k->y);
}

static void disk(struct key *k, const char *class)
{
	fprintf(k->f, "<circle class=\"%s\" stroke-width=\"2.5\" cx=\"%d\" cy=\"%.0f\" r=\"9\"/>\n",
		class, SVG_KEY + 17, k->y);
}

static void box(struct key *k, const char *class)
{
	fprintf(k->f, "<rect class=\"%s\" x=\"%d\" y=\"%.0f\" width=\"16\" height=\"16\"/>\n",
		class, SVG_KEY + 9, k->y - 8);
}

static bool matrix(const struct plot *p)
{
	return p->dim > PLOT_CUBE_DIM;
}

/* Add an entry for a kind of nodes. Its symbol is a box if the picture is a matrix, otherwise a
 * disk.
 */
static void node(struct key *k, const char *box_class, const char *disk_class, const char *text)
{
	if (matrix(k->p))
		box(k, box_class);
	else
		disk(k, disk_class);
	label(k, text);
}

static void key_nodes(struct key *k, const struct plot_found *n)
{
	const struct plot *p = k->p;

	title(k, "Nodes");
	if (p->core || p->kind == PLOT_TREE || p->kind == PLOT_BCAST || p->kind == PLOT_SPAN)
		node(k, "root", "root", p->core ? "of the subcube" :
		     p->kind == PLOT_BCAST ? "the source" : "the sink");
	if (p->kind == PLOT_RING)
		node(k, "panel", "n c0", "has the colour of its first ring");
	if (!p->kind || p->kind == PLOT_DOUBLING || p->sent)
		node(k, "panel", "n", p->kind ? "takes part" : "in service");
	if (n->failed)
		node(k, "badf", "dead bad x", "failed");
	if (n->left)
		node(k, "left", "left l", "takes no part");
}

static void key_links(struct key *k, const struct plot_found *n)
{
	bool m = matrix(k->p);

	title(k, m ? "Links, by sending end" : "Links");
	if (n->bad) {
		if (m) {
			box(k, "badf");
		} else {
			line(k, "bad", 3);
			fprintf(k->f, "<path class=\"bad x\" stroke-width=\"3\" d=\"M%d %.0fl12 12m0 -12l-12 12\"/>\n",
				SVG_KEY + 11, k->y - 6);
		}
		label(k, "faulty");
	}
	if (n->failed) {
		if (m)
			box(k, "dead");
		else
			line(k, "off", 2);
		label(k, "at a failed node");
	}
	if (m)
		box(k, "panel");
	else
		line(k, "l", 2);
	label(k, k->p->sent ? "no traffic" : k->p->kind ? "not used" : "in service");
	if (n->help && !m) {
		line(k, k->p->sent ? "k help" : "l help", 4);
		label(k, "a part, to a helper");
	}
	if (n->tour && !m) {
		line(k, k->p->sent ? "k tour" : "l tour", 4);
		label(k, "a detour");
	}
}

/* Add an entry for phase @i. If the picture shows traffic, colours stand for traffic, so the entry
 * has no colour, and the transfers of the phase can be recognized only by its number.
 */
static void key_phase(struct key *k, unsigned int i)
{
	char text[PLOT_PHASE], class[16] = "k";

	if (!k->p->sent)
		snprintf(class, sizeof(class), matrix(k->p) ? "f%u" : "c%u", plot_colour(k->p, i));
	if (matrix(k->p))
		box(k, class);
	else
		line(k, class, 5);
	label(k, plot_phase(text, k->p, i));
}

static void key_phases(struct key *k)
{
	const struct plot *p = k->p;
	unsigned int i;

	if (!p->kind || !p->phases || (p->sent && matrix(p)))
		return;
	if (p->core)
		title(k, matrix(p) ? "Up, in step" : "Arrows up, by step");
	else if (p->kind == PLOT_RING)
		title(k, matrix(p) ? "Rings" : "Arrows, by ring");
	else if (matrix(p))
		title(k, p->kind == PLOT_DOUBLING ? "Exchanges at stage" :
		      p->kind == PLOT_SPAN ? "Sends in step" :
		      p->kind == PLOT_TREE ? "Sends at stage" : "Is informed in step");
	else
		title(k, p->first ? "Arrows, by step" : "Arrows, by stage");
	for (i = 0; i < p->phases && (i < PHASES || p->phases == PHASES + 1); i++)
		key_phase(k, i);
	if (i == p->phases)
		return;
	label(k, "..");
	key_phase(k, p->phases - 1);
}

static void key_heat(struct key *k)
{
	char bytes[OUT_BUF], text[OUT_BUF + 16], class[8];
	uint64_t least = k->p->busiest;
	unsigned int i;

	if (!k->p->busiest)
		return;
	title(k, matrix(k->p) ? "Traffic, twice what an end sent" : "Traffic, both directions");
	for (i = PLOT_HEATS; i; i--) {
		snprintf(class, sizeof(class), matrix(k->p) ? "g%u" : "h%u", i);
		if (matrix(k->p))
			box(k, class);
		else
			line(k, class, 2 + 1.6 * i);
		least /= 2;
		snprintf(text, sizeof(text), i > 1 ? "more than %s" : "up to %s",
			 plot_bytes(bytes, i > 1 ? least : least * 2));
		label(k, text);
	}
}

static void key_matrix(struct key *k)
{
	unsigned int low = (k->p->dim + 1) / 2;
	char text[64];

	if (!matrix(k->p))
		return;
	title(k, "Where a node is");
	snprintf(text, sizeof(text), "column: its low %u bits", low);
	label(k, text);
	snprintf(text, sizeof(text), "row: its high %u bits", k->p->dim - low);
	label(k, text);
}

void plot_key_print(FILE *f, const struct plot *p)
{
	struct key k = { .f = f, .p = p, .y = SVG_TOP };
	struct plot_found n = {};

	fputs("<g id=\"key\">\n", f);
	if (p->dim) {
		n = plot_look(p);
		key_nodes(&k, &n);
		key_links(&k, &n);
	}
	key_phases(&k);
	key_heat(&k);
	key_matrix(&k);
	fputs("</g>\n", f);
}
