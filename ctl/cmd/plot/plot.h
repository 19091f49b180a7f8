/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl plot: the model of a picture, and the functions that build and draw it.
 */
#ifndef _HCCTL_PLOT_H
#define _HCCTL_PLOT_H

#include <stdio.h>

#include "balance.h"
#include "cmd/cmd.h"
#include "ring.h"
#include "span.h"

struct json_object;

/* Up to this dimension, a picture of a cube shows nodes and links. For larger cubes it is a matrix.
 */
#define PLOT_CUBE_DIM 6
/* Number of colours of phases. If there are more phases, some have the same colour. */
#define PLOT_COLOURS 24
#define PLOT_HEATS 6
#define PLOT_NEVER UINT16_MAX

enum plot_kind {
	PLOT_PLAIN,	/* only nodes, links and faults */
	PLOT_TREE,	/* a tree: which node sends to which at which stage */
	PLOT_BCAST,	/* a broadcast: which node sends the message to which in which step */
	PLOT_BALANCE,	/* a balancing topology: its subcube, and the parent of each node outside of
			 * it
			 */
	PLOT_RING,	/* a tree of rings: which node sends to which in which ring */
	PLOT_DOUBLING,	/* recursive doubling: which nodes exchange data at which stage */
	PLOT_SPAN,	/* a spanning tree: which node sends to its parent in which step */
};

/**
 * struct plot_edge - a transfer of data from one node to another
 * @from: the node that sends
 * @to: the node that receives
 * @dim: dimension of the link between them; not valid for a detour
 * @when: phase of the transfer
 * @how: enum hc_tree_how: direct, to a helper, or by a detour
 * @hops: number of links of a detour, otherwise 0
 * @dims: dimensions of these links
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
 * struct plot_hop - a frame on a link, from a recording
 * @from: the node that sent the frame
 * @to: the neighbour at the other end of the link
 * @begin: time when the frame was sent, in microseconds
 * @end: time when the frame was received, or was found to be lost, in microseconds
 * @there: the recording has the beginning of the hop
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
 * @kind: what the picture shows
 * @dim: dimension of the cube; 0: the network is not a cube, and is in @net
 * @name: name of the fabric, or ""
 * @plan: id of the installed plan, or 0 if the picture shows none
 * @broken: a fault has broken that plan
 * @faults: the faults of the cube
 * @root: root of the plan; NL_NONE: it has none
 * @core: of a balancing topology: set of the nodes of its subcube; otherwise NULL
 * @members: set of the members; NULL: all live nodes
 * @phases: number of phases, which are stages, steps or rings
 * @first: number that the first phase has in the picture: 0 for stages and rings, 1 for steps
 * @order: dimension of each phase; not used for rings and spanning trees
 * @when: for each node, the phase in which it sends, or in a broadcast gets the message, or the
 *	number of its home ring; or PLOT_NEVER
 * @edges: the transfers
 * @nedges: number of transfers
 * @steps: number of parallel steps of the plan
 * @sent: number of bytes that node u has sent over link (u, d), at u * dim + d; NULL: not known
 * @busiest: of all links, the greatest sum of the bytes that its two ends have sent
 * @hops: the hops of a recording, or NULL
 * @nhops: number of hops
 * @net: the network of a tree of rings, or a network that is not a cube
 * @rings: the tree of rings
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
/* Set the picture of a tree. @fault: the FAULT words for which the tree was made. */
int plot_set_tree(struct hcctl *h, struct plot *p, const struct hc_tree *t,
		  const uint32_t *fault);
int plot_set_bcast(struct hcctl *h, struct plot *p, const struct hc_bcast_plan *b);
int plot_set_balance(struct hcctl *h, struct plot *p, const struct hc_balance *b);
/* Set the picture of a spanning tree. @up: the steps that hc_span_check() computes. */
int plot_set_span(struct hcctl *h, struct plot *p, const struct hc_span *s, const uint16_t *up);
int plot_set_doubling(struct hcctl *h, struct plot *p, const struct hc_doubling *d);
/* Set the picture of the tree of rings p->rings in the network p->net. */
int plot_set_ring(struct hcctl *h, struct plot *p);
void plot_clear(struct plot *p);

static inline bool plot_failed(const struct plot *p, uint32_t u)
{
	return hc_set_has(p->faults->dead, u);
}

/* Return: true if the node is drawn as a root: it is the root of the plan, or is in the subcube of
 * a balancing topology.
 */
static inline bool plot_is_root(const struct plot *p, uint32_t u)
{
	return p->core ? hc_set_has(p->core, u) : p->kind && u == p->root;
}

/* Return: the name of the kind of picture: "tree", "broadcast", .. */
const char *plot_kind_name(const struct plot *p);
/* Return: the word for a phase of this kind of picture: "stage", "step" or "ring". */
const char *plot_phase_word(const struct plot *p);
/* Write the number of phase @i and its dimension, level or size into @buf. */
#define PLOT_PHASE 48
const char *plot_phase(char *buf, const struct plot *p, unsigned int i);
/* plot_nodes() returns the number of nodes, including failed ones. plot_links() returns the number
 * of links, including faulty ones.
 */
uint32_t plot_nodes(const struct plot *p);
uint64_t plot_links(const struct plot *p);
/* Return: true if link (@u, @d) is faulty although both of its nodes are alive. */
bool plot_link_bad(const struct plot *p, uint32_t u, unsigned int d);
/* Return: true if the node is alive, but is not a member. */
bool plot_left_out(const struct plot *p, uint32_t u);
/* The kinds of nodes and links that occur in the picture, so that the key explains them. */
struct plot_found {
	bool failed, left, bad, help, tour;
};

struct plot_found plot_look(const struct plot *p);
uint64_t plot_link_bytes(const struct plot *p, uint32_t u, unsigned int d);
/* Return: the class of a link's traffic: 0 for no traffic, otherwise 1 to PLOT_HEATS, ascending. */
unsigned int plot_heat(uint64_t bytes, uint64_t busiest);
/* Return: the number of the colour of phase @when. */
unsigned int plot_colour(const struct plot *p, unsigned int when);
unsigned int plot_colours(const struct plot *p);
/* Compute the position of a node within 0..@w and 0..@h. The cube must not exceed PLOT_CUBE_DIM. */
void plot_place(const struct plot *p, uint32_t u, double *x, double *y, double w, double h);

/* --- plot_read.c --- */
/* Read a plan in the form that hcctl -j prints. @file may be "-", standard input. */
int plot_read(struct hcctl *h, const char *file, struct plot *p);
/* Read a number from 0 to @max into *@n. Return: false if @v is not such a number. */
bool plot_json_number(struct json_object *v, uint32_t max, uint32_t *n);
/* As plot_json_number(), for the member @key of an object. Return: false also if there is no such
 * member.
 */
bool plot_json_member(struct json_object *o, const char *key, uint32_t max, uint32_t *n);
/* Return: the array that is the member @key of an object; NULL if there is none. */
struct json_object *plot_json_array(struct json_object *o, const char *key);

/* --- plot_read_trace.c --- */
/* Read a recording of hcctl trace into p->hops. Only pages can show it. */
int plot_read_trace(struct hcctl *h, const char *file, struct plot *p);

/* --- plot_read_ring.c --- */
/* Read rings from the object @root into p->net and p->rings. For a cube, the caller has read
 * p->faults. Return: NULL, or why the rings are invalid.
 */
const char *plot_read_ring(struct json_object *root, struct plot *p);

/* --- plot_read_span.c --- */
/* Read a spanning tree from the object @root, and set its picture. For a cube, the caller has read
 * p->faults. Return: NULL, or why the tree is invalid.
 */
const char *plot_read_span(struct hcctl *h, struct json_object *root, struct plot *p);

/* --- plot_net_place.c, plot_net_print.c: networks that are not cubes --- */

/**
 * struct plot_spot - position of a node
 * @there: the node is drawn
 * @bold: the node is in several rings, or is the root
 * @x: position from left to right, -1 to 1
 * @y: position from top to bottom, -1 to 1
 * @back: its level; in a page, the levels are placed one behind another
 */
struct plot_spot {
	bool there, bold;
	double x, y;
	uint32_t back;
};

/* Return: the position of each node, to be freed; NULL if there is no memory. */
struct plot_spot *plot_net_places(const struct plot *p);
void plot_net_print(FILE *f, const struct plot *p);
void plot_net_dot_print(FILE *f, const struct plot *p);

/* --- plot_json.c --- */
/* Return: the model of a picture as JSON, or NULL if there is no memory. */
struct json_object *plot_json(const struct plot *p);

/* --- plot_html_print.c --- */
/* Maximum numbers of nodes, links and hops that a page may have, so that a browser can turn the
 * picture smoothly.
 */
#define PLOT_PAGE_NODES 1024
#define PLOT_PAGE_LINKS 16384
#define PLOT_PAGE_HOPS 20000

void plot_html_print(FILE *f, const struct plot *p);

/* --- plot_style_print.c --- */
/* Print the style of each class, for the light and the dark colour scheme. */
void plot_colours_print(FILE *f, const struct plot *p);
/* Print a style element for an SVG: the styles of plot_colours_print(), and those that are the same
 * in both colour schemes.
 */
void plot_style_print(FILE *f, const struct plot *p);

/* --- plot_svg_print.c, plot_cube_print.c, plot_matrix_print.c, plot_key_print.c --- */
#define SVG_WIDTH 1200
#define SVG_HEIGHT 840
/* The area of the drawing, and the position of the key's left side. */
#define SVG_LEFT 50
#define SVG_TOP 115
#define SVG_AREA_W 840
#define SVG_AREA_H 690
#define SVG_KEY 940

void plot_svg_print(FILE *f, const struct plot *p);
void plot_cube_print(FILE *f, const struct plot *p);
void plot_matrix_print(FILE *f, const struct plot *p);
void plot_key_print(FILE *f, const struct plot *p);
/* Print a description of the picture, as text for XML or HTML. */
void plot_heading_print(FILE *f, const struct plot *p);
void plot_subheading_print(FILE *f, const struct plot *p);
/* Print text, with the characters escaped that XML does not allow. */
void plot_text_print(FILE *f, const char *text);
/* Write a number of bytes with its unit, such as "13.2 KiB", into @buf. */
const char *plot_bytes(char *buf, uint64_t n);

/* --- plot_dot_print.c --- */
void plot_dot_print(FILE *f, const struct plot *p);

#endif /* _HCCTL_PLOT_H */
