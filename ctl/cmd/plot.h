/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl plot: what is drawn, and who draws it.
 */
#ifndef _HCCTL_PLOT_H
#define _HCCTL_PLOT_H

#include <stdio.h>

#include "cmd.h"

/* Up to this dimension nodes and links are drawn; beyond, a matrix. */
#define PLOT_CUBE_DIM 6
/* Phases beyond this number share colours. */
#define PLOT_COLOURS 24
#define PLOT_HEATS 6
#define PLOT_NEVER UINT16_MAX

enum plot_kind {
	PLOT_PLAIN,	/* nodes, links, faults */
	PLOT_TREE,	/* and who sends to whom at which stage */
	PLOT_BCAST,	/* and who informs whom in which step */
};

/**
 * struct plot_edge - data goes from a node to another
 * @from: the node
 * @to: the other
 * @dim: dimension of the link between them (not of a detour)
 * @when: phase in which it does
 * @how: enum hc_tree_how
 */
struct plot_edge {
	uint32_t from;
	uint32_t to;
	unsigned int dim;
	unsigned int when;
	uint8_t how;
};

/**
 * struct plot - a picture
 * @kind: what it shows
 * @dim: dimension
 * @name: the fabric, or empty
 * @plan: id of the installed plan, 0 if there is none
 * @broken: a fault has broken that plan
 * @faults: the faults
 * @root: the sink or the source
 * @members: nodes that take part, as a set; NULL: all that live
 * @phases: number of stages, or of steps
 * @first: what the first of them is called: 0 of stages, 1 of steps
 * @order: dimension of each phase
 * @when: phase in which each node sends (tree) or is informed (broadcast), or
 *	PLOT_NEVER
 * @edges: @nedges transfers
 * @nedges: how many
 * @steps: parallel steps of the plan
 * @sent: bytes sent by the end of link (u, d), at u * dim + d; NULL: not known
 * @busiest: the greatest sum of what both ends of a link sent
 */
struct plot {
	enum plot_kind kind;
	unsigned int dim;
	char name[32];
	uint32_t plan;
	bool broken;
	struct hc_faults *faults;
	uint32_t root;
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
};

/* --- plot_model.c --- */
/* Fill in what a tree says; @fault: the FAULT words that it was made for. */
int plot_set_tree(struct hcctl *h, struct plot *p, const struct hc_tree *t,
		  const uint32_t *fault);
int plot_set_bcast(struct hcctl *h, struct plot *p, const struct hc_bcast_plan *b);
void plot_clear(struct plot *p);

static inline bool plot_failed(const struct plot *p, uint32_t u)
{
	return hc_set_has(p->faults->dead, u);
}

/* Is link (u, d) unusable, and not just because a node at its end has failed? */
bool plot_link_bad(const struct plot *p, uint32_t u, unsigned int d);
/* Does a live node not take part? */
bool plot_left_out(const struct plot *p, uint32_t u);
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
void plot_style_print(FILE *f, const struct plot *p);
void plot_key_print(FILE *f, const struct plot *p);
/* Text as XML wants it. */
void plot_text_print(FILE *f, const char *text);
/* "13.2 KiB" in @buf */
const char *plot_bytes(char *buf, uint64_t n);

/* --- plot_dot_print.c --- */
void plot_dot_print(FILE *f, const struct plot *p);

#endif /* _HCCTL_PLOT_H */
