/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error-detecting relaxation (Schollmeyer & McMillin, section 6): Laplace's equation on a mesh that
 * is embedded in a cube, with one process at each node, which checks the claims of its neighbours.
 */
#ifndef RELAX_H
#define RELAX_H

#include <stdbool.h>
#include <stdint.h>

#include "members.h"

#define CELLS_MAX	MEMBERS_MAX
/* The temperatures at the border lie between these two, and so do all right values. */
#define COLDEST		0.0
#define HOTTEST		100.0

enum way { NORTH, EAST, SOUTH, WEST, WAYS };

/**
 * struct mesh - where the cells are; cell i is in row i / cols
 * @rows: number of rows, at least 2
 * @cols: number of columns, at least 2
 * @row_bits: number of dimensions of the cube that hold the number of a row
 * @col_bits: number of dimensions of the cube that hold the number of a column
 */
struct mesh {
	unsigned int rows, cols;
	unsigned int row_bits, col_bits;
};

/* Parse "RxC". Return: false if it is invalid or too large. */
bool mesh_parse(struct mesh *m, const char *word);
unsigned int mesh_cells(const struct mesh *m);
/* Return: the node of a cell; cells that are neighbours are at nodes that are neighbours. */
uint32_t mesh_node(const struct mesh *m, unsigned int cell);
/* Return: the neighbouring cell in this direction, or -1. */
int mesh_neighbour(const struct mesh *m, unsigned int cell, enum way way);
/* Return: the temperature beyond the border, in a direction without a neighbour. */
double mesh_border(const struct mesh *m, unsigned int cell, enum way way);
/* Compute the exact solution, by elimination. Return: by how much a value changes at most if the
 * rule is violated by 1 at all cells. This is the factor between the tolerance of the rule and the
 * error that it allows.
 */
double mesh_solve(const struct mesh *m, double *value);

static inline enum way opposite(enum way way)
{
	return (way + 2) % WAYS;
}

/* How a process behaves. */
enum lie {
	HONEST,
	/* send all neighbours the same wrong value from the first step on, and quote their values
	 * correctly
	 */
	LIE_VALUE,
	/* as LIE_VALUE, but quote for one neighbour, if possible an accomplice, a value that makes
	 * the claim fit the rule
	 */
	LIE_BLAME,
	/* send one neighbour another value than the others, with a claim that fits the rule for
	 * each
	 */
	LIE_FACES,
	/* work correctly, but send a wrong value at the end */
	LIE_LATE,
	/* work correctly, but do not report what is noticed: an accomplice */
	LIE_COVER,
	LIES,
};

extern const char *const lie_names[LIES];

/**
 * struct liar - a Byzantine process
 * @lie: how it behaves
 * @value: the wrong value that it sends
 */
struct liar {
	enum lie lie;
	double value;
};

/**
 * struct claim - what a process claims at the end
 * @value: its value
 * @used: the values of its neighbours from which it has computed its own
 */
struct claim {
	double value;
	double used[WAYS];
};

/* What a process may notice. */
enum flag {
	FLAG_RULE,	/* the claim of the cell, or this process's own values, violate the rule */
	FLAG_NOTIFIED,	/* the neighbour claims another value than it has sent */
	FLAG_QUOTED,	/* the neighbour quotes this process with another value than it has sent */
	FLAG_VERSIONS,	/* two neighbours have forwarded different claims of the cell */
	FLAG_RANGE,	/* the cell has sent a value that is impossible */
	FLAG_SILENT,	/* no more than half of the copies of the cell's message agree */
	FLAGS,
};

extern const char *const flag_names[FLAGS];

/**
 * struct report - what a process has noticed
 * @value: its value, or what it claims
 * @off: greatest difference between a value that it has sent and the exact one; the parent fills it
 *	in
 * @flags: for each cell, set of enum flag
 * @flagged: it has noticed an error
 * @outvoted: number of messages with mismatching copies
 * @through: for each node, the number of paths of mismatching copies that include it
 * @paths: number of these paths
 * @done: the process has finished
 */
struct report {
	double value;
	double off;
	uint8_t flags[CELLS_MAX];
	bool flagged;
	unsigned int outvoted;
	unsigned int through[CELLS_MAX];
	unsigned int paths;
	bool done;
};

/**
 * struct relax - a run
 * @mesh: the mesh
 * @liar: for each cell, how its process behaves
 * @copies: number of copies in which values are sent at the end
 * @work_copies: number of copies in which values are sent before
 * @own_rows: processes check the rule for themselves only, as the paper's text can be read
 * @epsilon: deviation beyond which an error must be noticed
 * @delta: tolerance of the rule that this needs
 * @report: one for each cell, shared with the processes
 */
struct relax {
	struct mesh mesh;
	struct liar liar[CELLS_MAX];
	unsigned int copies, work_copies;
	bool own_rows;
	double epsilon, delta;
	struct report *report;
};

/* Functions for members_run(): how a process opens its handle, and its work. */
int relax_open(struct hcl **h, const char *fabric, uint32_t node);
int relax_job(struct member *me, void *run);

/* What a process sends its neighbour: if it is honest, the right data; if it is Byzantine, other
 * data. lie_value() returns the value, before the end or at the end (@end); lie_claim() changes the
 * claim.
 */
double lie_value(const struct relax *run, unsigned int cell, enum way to, double value, bool end);
/* Return: the direction in which a process with LIE_FACES sends the wrong value. */
enum way lie_first(const struct relax *run, unsigned int cell);
void lie_claim(const struct relax *run, unsigned int cell, enum way to, struct claim *claim);

/* Draw the values of all cells and their deviations to file @name. Return: 0 or -1. */
int picture_write(const char *name, const char *title, const struct relax *run);

#endif /* RELAX_H */
