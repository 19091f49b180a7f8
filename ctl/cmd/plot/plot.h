/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl plot: the model of a picture, and the functions that draw it.
 */
#ifndef _HCCTL_PLOT_H
#define _HCCTL_PLOT_H

#include <stdio.h>

#include "balance.h"
#include "cmd/cmd.h"
#include "ring.h"
#include "span.h"

struct json_object;

/* Up to this dimension, a picture has nodes and links; above it, a matrix. */
#define PLOT_CUBE_DIM 6
/* Phases beyond this number share colours. */
#define PLOT_COLOURS 24
#define PLOT_HEATS 6
#define PLOT_NEVER UINT16_MAX

enum plot_kind {
	PLOT_PLAIN,	/* nodes, links, faults */
	PLOT_TREE,	/* also which node sends to which at which stage */
	PLOT_BCAST,	/* also which node sends the message to which in which step */
	PLOT_BALANCE,	/* also the subcube, and the parent of each node in the trees on it */
	PLOT_RING,	/* also which node sends to which in which ring */
	PLOT_DOUBLING,	/* also which nodes exchange data at which stage */
	PLOT_SPAN,	/* also which node sends to its parent in which step */
};

/**
 * struct plot_edge - a transfer of data from one node to another
 * @from: the node that sends
 * @to: the node that receives
 * @dim: dimension of the link between them (not of a detour)
 * @when: phase of the transfer
 * @how: enum hc_tree_how
 * @hops: for a detour: number of its links
 * @dims: for a detour: dimensions of its links
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
 * @end: time when it was received, or was found to be lost
 * @there: @begin is known
 * @lost: the frame did not arrive
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
 * @dim: dimension; 0: the network is not a cube, and @net is used instead of @faults and traffic
 * @name: the fabric, or empty
 * @plan: id of the installed plan, 0 if there is none
 * @broken: a fault has broken that plan
 * @faults: the faults
 * @root: the sink or the source
 * @core: set of the nodes of the subcube of a balancing topology, or NULL
 * @members: set of the members; NULL: all live nodes
 * @phases: number of stages, of steps, or of rings
 * @first: number of the first phase: 0 for stages, 1 for steps
 * @order: dimension of each phase; not used for rings and spanning trees
 * @when: for each node, the phase in which it sends (trees) or gets the message (broadcast), or the
 *	number of its home ring; or PLOT_NEVER
 * @edges: the transfers
 * @nedges: number of transfers
 * @steps: parallel steps of the plan
 * @sent: bytes that node u has sent over link (u, d), at u * dim + d; NULL: not known
 * @busiest: the greatest sum of the bytes that the two ends of a link have sent
 * @hops: hops that were recorded, or NULL
 * @nhops: number of hops
 * @net: the network of a ring tree, or a network that is not a cube
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

/* Return: true if the node is drawn as a root: it is the sink or source, or belongs to the subcube
 * of a balancing topology.
 */
static inline bool plot_is_root(const struct plot *p, uint32_t u)
{
	return p->core ? hc_set_has(p->core, u) : p->kind && u == p->root;
}

/* Return: "tree", "broadcast", .. */
const char *plot_kind_name(const struct plot *p);
/* Return: the word for a phase: "stage", "step" or "ring". */
const char *plot_phase_word(const struct plot *p);
/* Write the number of a phase and its dimension into @buf. */
#define PLOT_PHASE 48
const char *plot_phase(char *buf, const struct plot *p, unsigned int i);
/* plot_nodes() returns the number of nodes, including failed ones. plot_links() returns the number
 * of links, including faulty ones.
 */
uint32_t plot_nodes(const struct plot *p);
uint64_t plot_links(const struct plot *p);
/* Return: true if link (u, d) is faulty for another reason than that a node at its end has failed.
 */
bool plot_link_bad(const struct plot *p, uint32_t u, unsigned int d);
/* Return: true if the node is alive, but no member. */
bool plot_left_out(const struct plot *p, uint32_t u);
/* Which kinds of nodes and links the picture has, for its key. */
struct plot_found {
	bool failed, left, bad, help, tour;
};

struct plot_found plot_look(const struct plot *p);
uint64_t plot_link_bytes(const struct plot *p, uint32_t u, unsigned int d);
/* Return: the class of traffic: 0 for none, 1 to PLOT_HEATS in ascending order. */
unsigned int plot_heat(uint64_t bytes, uint64_t busiest);
/* Return: the colour of a phase. */
unsigned int plot_colour(const struct plot *p, unsigned int when);
unsigned int plot_colours(const struct plot *p);
/* Compute the position of a node within 0..@w and 0..@h. Only up to PLOT_CUBE_DIM. */
void plot_place(const struct plot *p, uint32_t u, double *x, double *y, double w, double h);

/* --- plot_read.c --- */
/* Read a plan that hcctl -j has printed; @file "-": standard input. */
int plot_read(struct hcctl *h, const char *file, struct plot *p);
/* Read a number from 0 to @max. Return: false if @v is not such a number. */
bool plot_json_number(struct json_object *v, uint32_t max, uint32_t *n);
/* As plot_json_number(), for a member of an object. The member must exist. */
bool plot_json_member(struct json_object *o, const char *key, uint32_t max, uint32_t *n);
/* Return: an array; NULL if it is missing. */
struct json_object *plot_json_array(struct json_object *o, const char *key);

/* --- plot_read_trace.c --- */
/* Read a recording of hcctl trace, for a page. */
int plot_read_trace(struct hcctl *h, const char *file, struct plot *p);

/* --- plot_read_ring.c --- */
/* Read rings from the object into p->net and p->rings; in a cube, p->faults must have been read
 * before. Return: NULL, or why the rings are invalid.
 */
const char *plot_read_ring(struct json_object *root, struct plot *p);

/* --- plot_read_span.c --- */
/* Read a spanning tree and draw it; in a cube, p->faults must have been read before. Return: NULL,
 * or why the tree is invalid.
 */
const char *plot_read_span(struct hcctl *h, struct json_object *root, struct plot *p);

/* --- plot_net_place.c, plot_net_print.c: networks that are not cubes --- */

/**
 * struct plot_spot - position of a node
 * @there: the node is drawn
 * @bold: it belongs to several rings, or is the root
 * @x: position from left to right, -1 to 1
 * @y: position from top to bottom, -1 to 1
 * @back: its level; levels are placed from the front to the back
 */
struct plot_spot {
	bool there, bold;
	double x, y;
	uint32_t back;
};

/* Return: an entry for each node, to be freed; NULL if there is no memory. */
struct plot_spot *plot_net_places(const struct plot *p);
void plot_net_print(FILE *f, const struct plot *p);
void plot_net_dot_print(FILE *f, const struct plot *p);

/* --- plot_json.c --- */
/* Return: the whole model as JSON, or NULL if there is no memory. */
struct json_object *plot_json(const struct plot *p);

/* --- plot_html_print.c --- */
/* Maximum numbers of nodes, links and hops of a page, so that a browser can still turn the picture
 * smoothly.
 */
#define PLOT_PAGE_NODES 1024
#define PLOT_PAGE_LINKS 16384
#define PLOT_PAGE_HOPS 20000

void plot_html_print(FILE *f, const struct plot *p);

/* --- plot_style_print.c --- */
/* Print the style of each class, for light and dark. */
void plot_colours_print(FILE *f, const struct plot *p);
/* Print the styles as an element of an SVG, including those that do not depend on the scheme. */
void plot_style_print(FILE *f, const struct plot *p);

/* --- plot_svg_print.c, plot_cube_print.c, plot_matrix_print.c, plot_key_print.c --- */
#define SVG_WIDTH 1200
#define SVG_HEIGHT 840
/* The area of the drawing, and the left side of the key. */
#define SVG_LEFT 50
#define SVG_TOP 115
#define SVG_AREA_W 840
#define SVG_AREA_H 690
#define SVG_KEY 940

void plot_svg_print(FILE *f, const struct plot *p);
void plot_cube_print(FILE *f, const struct plot *p);
void plot_matrix_print(FILE *f, const struct plot *p);
void plot_key_print(FILE *f, const struct plot *p);
/* Print what the picture shows, as text for XML or HTML. */
void plot_heading_print(FILE *f, const struct plot *p);
void plot_subheading_print(FILE *f, const struct plot *p);
/* Print text, escaped for XML. */
void plot_text_print(FILE *f, const char *text);
/* Write a number of bytes, such as "13.2 KiB", into @buf. */
const char *plot_bytes(char *buf, uint64_t n);

/* --- plot_dot_print.c --- */
void plot_dot_print(FILE *f, const struct plot *p);

#endif /* _HCCTL_PLOT_H */
