/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl plot: what is drawn, and who draws it.
 */
#ifndef _HCCTL_PLOT_H
#define _HCCTL_PLOT_H

#include <stdio.h>

#include "balance.h"
#include "cmd.h"
#include "ring.h"

struct json_object;

/* Up to this dimension nodes and links are drawn; beyond, a matrix. */
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
};

/**
 * struct plot_edge - data goes from a node to another
 * @from: the node
 * @to: the other
 * @dim: dimension of the link between them (not of a detour)
 * @when: phase in which it does
 * @how: enum hc_tree_how
 * @hops: of a detour: how many links it takes
 * @dims: and their dimensions
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
 * struct plot_hop - a frame was on a link
 * @from: who sent it
 * @to: the neighbour
 * @begin: when it was sent, in microseconds
 * @end: when it was taken up, or given up
 * @there: its beginning is known
 * @lost: it has not arrived
 * @type: of frame
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
 * @dim: dimension; 0: it is no cube, and only @net and @rings say what it is
 * @name: the fabric, or empty
 * @plan: id of the installed plan, 0 if there is none
 * @broken: a fault has broken that plan
 * @faults: the faults
 * @root: the sink or the source
 * @core: the subcube on which trees hang, as a set, or NULL
 * @members: nodes that take part, as a set; NULL: all that live
 * @phases: number of stages, of steps, or of rings
 * @first: what the first of them is called: 0 of stages, 1 of steps
 * @order: dimension of each phase, but of rings
 * @when: phase in which each node sends (tree) or is informed (broadcast), its home
 *	(ring), or PLOT_NEVER
 * @edges: @nedges transfers
 * @nedges: how many
 * @steps: parallel steps of the plan
 * @sent: bytes sent by the end of link (u, d), at u * dim + d; NULL: not known
 * @busiest: the greatest sum of what both ends of a link sent
 * @hops: @nhops hops that were recorded, or NULL
 * @nhops: how many
 * @net: the network of a ring tree
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
/* Fill in what a tree says; @fault: the FAULT words that it was made for. */
int plot_set_tree(struct hcctl *h, struct plot *p, const struct hc_tree *t,
		  const uint32_t *fault);
int plot_set_bcast(struct hcctl *h, struct plot *p, const struct hc_bcast_plan *b);
int plot_set_balance(struct hcctl *h, struct plot *p, const struct hc_balance *b);
int plot_set_doubling(struct hcctl *h, struct plot *p, const struct hc_doubling *d);
/* What p->rings says, in a cube. */
int plot_set_ring(struct hcctl *h, struct plot *p);
void plot_clear(struct plot *p);

static inline bool plot_failed(const struct plot *p, uint32_t u)
{
	return hc_set_has(p->faults->dead, u);
}

/* The sink, the source, or a node of the subcube. */
static inline bool plot_is_root(const struct plot *p, uint32_t u)
{
	return p->core ? hc_set_has(p->core, u) : p->kind && u == p->root;
}

/* "tree", "broadcast", .. */
const char *plot_kind_name(const struct plot *p);
/* What a phase of it is: "stage", "step" or "ring". */
const char *plot_phase_word(const struct plot *p);
/* The number of a phase and what it is, in @buf. */
#define PLOT_PHASE 48
const char *plot_phase(char *buf, const struct plot *p, unsigned int i);
/* How many nodes and links there are, faulty or not. */
uint32_t plot_nodes(const struct plot *p);
uint64_t plot_links(const struct plot *p);
/* Is link (u, d) unusable, and not just because a node at its end has failed? */
bool plot_link_bad(const struct plot *p, uint32_t u, unsigned int d);
/* Does a live node not take part? */
bool plot_left_out(const struct plot *p, uint32_t u);
/* Of what kinds there is something, for keys. */
struct plot_found {
	bool failed, left, bad, help, tour;
};

struct plot_found plot_look(const struct plot *p);
uint64_t plot_link_bytes(const struct plot *p, uint32_t u, unsigned int d);
/* 0: no traffic, 1..PLOT_HEATS: the more the more */
unsigned int plot_heat(uint64_t bytes, uint64_t busiest);
/* Which colour a phase has. */
unsigned int plot_colour(const struct plot *p, unsigned int when);
unsigned int plot_colours(const struct plot *p);
/* Where a node lies: 0..@w and 0..@h; up to PLOT_CUBE_DIM. */
void plot_place(const struct plot *p, uint32_t u, double *x, double *y, double w, double h);

/* --- plot_read.c --- */
/* A plan that hcctl -j has printed; @file "-": standard input. */
int plot_read(struct hcctl *h, const char *file, struct plot *p);
/* A number from 0 to @max.  False: it is none. */
bool plot_json_number(struct json_object *v, uint32_t max, uint32_t *n);
/* The same of a member of an object, which must be there. */
bool plot_json_member(struct json_object *o, const char *key, uint32_t max, uint32_t *n);
/* An array that may be missing; NULL then. */
struct json_object *plot_json_array(struct json_object *o, const char *key);

/* --- plot_read_trace.c --- */
/* What hcctl trace has recorded, for a page. */
int plot_read_trace(struct hcctl *h, const char *file, struct plot *p);

/* --- plot_read_ring.c --- */
/* From the object into p->net and p->rings; p->faults has been read if it is a cube.  NULL, or
 * why that cannot be.
 */
const char *plot_read_ring(struct json_object *root, struct plot *p);

/* --- plot_net_print.c: networks that are no cubes --- */
/* Places on a circle, from 1, of which there are *@n: those of the first ring in its order, and
 * behind each convergent point what hangs on it; 0: none.  NULL: no memory.
 */
uint32_t *plot_net_places(const struct plot *p, uint32_t *n);
void plot_net_print(FILE *f, const struct plot *p);
void plot_net_dot_print(FILE *f, const struct plot *p);

/* --- plot_json.c --- */
/* All that there is to draw.  NULL: no memory. */
struct json_object *plot_json(const struct plot *p);

/* --- plot_html_print.c --- */
/* A page has at most so many nodes, which a browser can turn. */
#define PLOT_PAGE_NODES 1024
#define PLOT_PAGE_LINKS 16384
#define PLOT_PAGE_HOPS 20000

void plot_html_print(FILE *f, const struct plot *p);

/* --- plot_style_print.c --- */
/* What each class looks like, in light and in dark. */
void plot_colours_print(FILE *f, const struct plot *p);
/* The same as an element of an SVG, with what does not depend on the colours. */
void plot_style_print(FILE *f, const struct plot *p);

/* --- plot_svg_print.c, plot_cube_print.c, plot_matrix_print.c, plot_key_print.c --- */
#define SVG_WIDTH 1200
#define SVG_HEIGHT 840
/* The picture proper, and the column with the key. */
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
/* Text as XML wants it. */
void plot_text_print(FILE *f, const char *text);
/* "13.2 KiB" in @buf */
const char *plot_bytes(char *buf, uint64_t n);

/* --- plot_dot_print.c --- */
void plot_dot_print(FILE *f, const struct plot *p);

#endif /* _HCCTL_PLOT_H */
