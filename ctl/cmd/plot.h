/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl plot: what is drawn, and the functions that draw it.
 */
#ifndef _HCCTL_PLOT_H
#define _HCCTL_PLOT_H

#include <stdio.h>

#include "balance.h"
#include "cmd.h"
#include "ring.h"
#include "span.h"

struct json_object;

/* Up to this dimension nodes and links are drawn; above it a matrix. */
#define PLOT_CUBE_DIM 6
/* Phases beyond this number share colours. */
#define PLOT_COLOURS 24
#define PLOT_HEATS 6
#define PLOT_NEVER UINT16_MAX

enum plot_kind {
	PLOT_PLAIN,	/* nodes, links, faults */
	PLOT_TREE,	/* and which node sends to which at which stage */
	PLOT_BCAST,	/* and which node informs which in which step */
	PLOT_BALANCE,	/* and which node hangs on which, on a subcube */
	PLOT_RING,	/* and which node sends to which in which ring */
	PLOT_DOUBLING,	/* and which nodes exchange at which stage */
	PLOT_SPAN,	/* and which node sends to its parent in which step */
};

/**
 * struct plot_edge - a transfer of data from one node to another
 * @from: the node that sends
 * @to: the node that receives
 * @dim: dimension of the link between them (not of a detour)
 * @when: phase of the transfer
 * @how: enum hc_tree_how
 * @hops: of a detour: number of its links
 * @dims: of a detour: dimensions of its links
 */
struct plot_edge {
	uint32_t from;
	uint32_t to;
	unsigned int dim;
	unsigned int when;
	uint8_t how;
	unsigned int hops;
	uint8_t *dims;
};

/**
 * struct plot_hop - a frame on a link
 * @from: the node that sent it
 * @to: the neighbour
 * @begin: time when it was sent, in microseconds
 * @end: time when it was received, or given up
 * @there: @begin is known
 * @lost: it has not arrived
 * @type: type of the frame
 */
struct plot_hop {
	uint32_t from;
	uint32_t to;
	double begin;
	double end;
	bool there;
	bool lost;
	char type[16];
};

/**
 * struct plot - a picture
 * @kind: what it shows
 * @dim: dimension; 0: it is no cube, and there is neither @faults nor traffic, but @net
 * @name: the fabric, or empty
 * @plan: id of the installed plan, 0 if there is none
 * @broken: a fault has broken that plan
 * @faults: the faults
 * @root: the sink or the source
 * @core: set of the nodes of the subcube on which trees hang, or NULL
 * @members: set of the members; NULL: all live nodes
 * @phases: number of stages, of steps, or of rings
 * @first: number of the first phase: 0 for stages, 1 for steps
 * @order: dimension of each phase; not used for rings and spanning trees
 * @when: phase in which each node sends (trees) or is informed (broadcast), its home
 *	(ring), or PLOT_NEVER
 * @edges: @nedges transfers
 * @nedges: number of transfers
 * @steps: parallel steps of the plan
 * @sent: bytes sent by the end of link (u, d), at u * dim + d; NULL: not known
 * @busiest: the greatest sum of the bytes that both ends of a link sent
 * @hops: @nhops hops that were recorded, or NULL
 * @nhops: number of hops
 * @net: the network of a ring tree, or of a network that is no cube
 * @rings: the ring tree
 */
struct plot {
	enum plot_kind kind;
	unsigned int dim;
	char name[64];
	uint32_t plan;
	bool broken;
	struct hc_faults *faults;
	uint32_t root;
	uint32_t *core;
	uint32_t *members;
	unsigned int phases;
	unsigned int first;
	uint8_t *order;
	uint16_t *when;
	struct plot_edge *edges;
	size_t nedges;
	unsigned int steps;
	uint64_t *sent;
	uint64_t busiest;
	struct plot_hop *hops;
	size_t nhops;
	struct hc_graph *net;
	struct hc_ring_plan rings;
};

/* --- plot_model.c --- */
/* Set the picture of a tree; @fault: the FAULT words for which it was made. */
int plot_set_tree(struct hcctl *h, struct plot *p, const struct hc_tree *t,
		  const uint32_t *fault);
int plot_set_bcast(struct hcctl *h, struct plot *p, const struct hc_bcast_plan *b);
int plot_set_balance(struct hcctl *h, struct plot *p, const struct hc_balance *b);
/* Set the picture of a spanning tree; @up: see hc_span_check(). */
int plot_set_span(struct hcctl *h, struct plot *p, const struct hc_span *s, const uint16_t *up);
int plot_set_doubling(struct hcctl *h, struct plot *p, const struct hc_doubling *d);
/* Set the picture of p->rings in p->net. */
int plot_set_ring(struct hcctl *h, struct plot *p);
void plot_clear(struct plot *p);

static inline bool plot_failed(const struct plot *p, uint32_t u)
{
	return hc_set_has(p->faults->dead, u);
}

/* Is the node the sink, the source, or a node of the subcube? */
static inline bool plot_is_root(const struct plot *p, uint32_t u)
{
	return p->core ? hc_set_has(p->core, u) : p->kind && u == p->root;
}

/* Return: "tree", "broadcast", .. */
const char *plot_kind_name(const struct plot *p);
/* Return: what a phase is called: "stage", "step" or "ring". */
const char *plot_phase_word(const struct plot *p);
/* Write the number of a phase and its dimension into @buf. */
#define PLOT_PHASE 48
const char *plot_phase(char *buf, const struct plot *p, unsigned int i);
/* Return: the number of nodes, faulty or not; the number of links is alike. */
uint32_t plot_nodes(const struct plot *p);
uint64_t plot_links(const struct plot *p);
/* Is link (u, d) unusable for another reason than that a node at its end has failed? */
bool plot_link_bad(const struct plot *p, uint32_t u, unsigned int d);
/* Is a live node no member? */
bool plot_left_out(const struct plot *p, uint32_t u);
/* The kinds of things that the picture has, for its key. */
struct plot_found {
	bool failed, left, bad, help, tour;
};

struct plot_found plot_look(const struct plot *p);
uint64_t plot_link_bytes(const struct plot *p, uint32_t u, unsigned int d);
/* Return: a class of traffic: 0 for none, 1 to PLOT_HEATS for more and more. */
unsigned int plot_heat(uint64_t bytes, uint64_t busiest);
/* Return: the colour of a phase. */
unsigned int plot_colour(const struct plot *p, unsigned int when);
unsigned int plot_colours(const struct plot *p);
/* Compute the place of a node: 0..@w and 0..@h; up to PLOT_CUBE_DIM. */
void plot_place(const struct plot *p, uint32_t u, double *x, double *y, double w, double h);

/* --- plot_read.c --- */
/* Read a plan that hcctl -j has printed; @file "-": standard input. */
int plot_read(struct hcctl *h, const char *file, struct plot *p);
/* Read a number from 0 to @max. Return: false if it is none. */
bool plot_json_number(struct json_object *v, uint32_t max, uint32_t *n);
/* As plot_json_number(), of a member of an object, which must exist. */
bool plot_json_member(struct json_object *o, const char *key, uint32_t max, uint32_t *n);
/* Return: an array; NULL if it is missing. */
struct json_object *plot_json_array(struct json_object *o, const char *key);

/* --- plot_read_trace.c --- */
/* Read what hcctl trace has recorded, for a page. */
int plot_read_trace(struct hcctl *h, const char *file, struct plot *p);

/* --- plot_read_ring.c --- */
/* Read rings from the object into p->net and p->rings; in a cube p->faults has been read before.
 * Return: NULL, or why the rings are invalid.
 */
const char *plot_read_ring(struct json_object *root, struct plot *p);

/* --- plot_read_span.c --- */
/* Read a spanning tree and draw it; in a cube p->faults has been read before. Return: NULL, or why
 * it is invalid.
 */
const char *plot_read_span(struct hcctl *h, struct json_object *root, struct plot *p);

/* --- plot_net_place.c, plot_net_print.c: networks that are no cubes --- */

/**
 * struct plot_spot - where a node is drawn
 * @there: it is
 * @bold: it belongs to several rings, or is the root
 * @x: -1 to 1, to the right
 * @y: -1 to 1, down
 * @back: on which level it is, from the front to the back
 */
struct plot_spot {
	bool there, bold;
	double x, y;
	uint32_t back;
};

/* Return: an entry for each node, to be freed; NULL: there is no memory. */
struct plot_spot *plot_net_places(const struct plot *p);
void plot_net_print(FILE *f, const struct plot *p);
void plot_net_dot_print(FILE *f, const struct plot *p);

/* --- plot_json.c --- */
/* Return: all that there is to draw, as JSON. NULL: no memory. */
struct json_object *plot_json(const struct plot *p);

/* --- plot_html_print.c --- */
/* The most nodes, links and hops of a page, which a browser can still turn smoothly. */
#define PLOT_PAGE_NODES 1024
#define PLOT_PAGE_LINKS 16384
#define PLOT_PAGE_HOPS 20000

void plot_html_print(FILE *f, const struct plot *p);

/* --- plot_style_print.c --- */
/* Print the look of each class, in light and in dark. */
void plot_colours_print(FILE *f, const struct plot *p);
/* Print it as an element of an SVG, with what does not depend on the colours. */
void plot_style_print(FILE *f, const struct plot *p);

/* --- plot_svg_print.c, plot_cube_print.c, plot_matrix_print.c, plot_key_print.c --- */
#define SVG_WIDTH 1200
#define SVG_HEIGHT 840
/* The area of the picture proper, and the column with the key. */
#define SVG_LEFT 50
#define SVG_TOP 115
#define SVG_AREA_W 840
#define SVG_AREA_H 690
#define SVG_KEY 940

void plot_svg_print(FILE *f, const struct plot *p);
void plot_cube_print(FILE *f, const struct plot *p);
void plot_matrix_print(FILE *f, const struct plot *p);
void plot_key_print(FILE *f, const struct plot *p);
/* What the picture shows, as text for XML or HTML. */
void plot_heading_print(FILE *f, const struct plot *p);
void plot_subheading_print(FILE *f, const struct plot *p);
/* Print text with the escapes of XML. */
void plot_text_print(FILE *f, const char *text);
/* Write "13.2 KiB" into @buf. */
const char *plot_bytes(char *buf, uint64_t n);

/* --- plot_dot_print.c --- */
void plot_dot_print(FILE *f, const struct plot *p);

#endif /* _HCCTL_PLOT_H */
