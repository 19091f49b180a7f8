/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error-detecting relaxation (Schollmeyer & McMillin, section 6): Laplace's equation on a mesh that
 * is embedded in a cube, with one cell and one process at each node. At the end a process sends a
 * claim: its value, and quotes of the values of its neighbours from which it was computed.
 * Processes check the claims of their neighbours.
 */
#ifndef RELAX_H
#define RELAX_H

#include <stdbool.h>
#include <stdint.h>

#include "members.h"

#define CELLS_MAX	MEMBERS_MAX
/* The temperatures at the border lie between these two, and so do all exact values. */
#define COLDEST		0.0
#define HOTTEST		100.0

enum way { NORTH, EAST, SOUTH, WEST, WAYS };

/**
 * struct mesh - a mesh in a cube; cell i is in row i / cols
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
/* Return: the node of a cell. Neighbouring cells are at neighbouring nodes. */
uint32_t mesh_node(const struct mesh *m, unsigned int cell);
/* Return: the neighbour of @cell in direction @way, or -1 if there is none. */
int mesh_neighbour(const struct mesh *m, unsigned int cell, enum way way);
/* Return: the temperature beyond the border, in a direction @way in which @cell has no neighbour.
 */
double mesh_border(const struct mesh *m, unsigned int cell, enum way way);
/* Compute the exact solution by elimination, and write it to @value. Return: the greatest change of
 * a value if the rule is violated by 1 at all cells. This is the factor between the tolerance of
 * the rule and the error that the tolerance allows.
 */
double mesh_solve(const struct mesh *m, double *value);

static inline enum way opposite(enum way way)
{
	return (way + 2) % WAYS;
}

/* Behaviours of a process. */
enum lie {
	HONEST,
	/* send the same wrong value to all neighbours from the first step on, and quote the
	 * neighbours' values correctly
	 */
	LIE_VALUE,
	/* as LIE_VALUE, but quote for one neighbour, if possible for an accomplice, a value with
	 * which the claim fits the rule
	 */
	LIE_BLAME,
	/* send one neighbour another value than the others, each with a claim that fits the rule */
	LIE_FACES,
	/* work correctly, but send a wrong value at the end */
	LIE_LATE,
	/* work correctly, but do not report detected errors: an accomplice */
	LIE_COVER,
	LIES,
};

extern const char *const lie_names[LIES];

/**
 * struct byz - a Byzantine process
 * @lie: its behaviour
 * @value: the wrong value that it sends
 */
struct byz {
	enum lie lie;
	double value;
};

/**
 * struct claim - what a process claims at the end
 * @value: its value
 * @used: the quotes: the values of its neighbours from which it has computed its own value
 */
struct claim {
	double value;
	double used[WAYS];
};

/* Errors that a process may detect. */
enum flag {
	FLAG_RULE,	/* the claim of the cell, or this process's own values violate the rule */
	FLAG_NOTIFIED,	/* the neighbour claims another value than it has sent before */
	FLAG_QUOTED,	/* the neighbour quotes another value than this process has sent */
	FLAG_VERSIONS,	/* two neighbours have forwarded different claims of the cell */
	FLAG_RANGE,	/* the cell has sent a value that is outside of the possible range */
	FLAG_SILENT,	/* of the copies of a message of the cell, no more than half agree */
	FLAGS,
};

extern const char *const flag_names[FLAGS];

/**
 * struct report - what a process has detected
 * @value: its value, or the value that it claims
 * @off: greatest difference between a value that it has sent and the exact value; filled in by the
 *	parent
 * @flags: for each cell, set of enum flag
 * @flagged: the process has detected an error
 * @outvoted: number of messages with mismatching copies
 * @through: for each node, the number of paths of mismatching copies that include it
 * @paths: number of paths of mismatching copies
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
 * @byz: for each cell, the behaviour of its process
 * @copies: number of copies in which values are sent at the end
 * @work_copies: number of copies in which values are sent before the end
 * @own_rows: each process checks the rule only for itself, which is one reading of the paper's text
 * @epsilon: greatest deviation that may remain undetected
 * @delta: tolerance of the rule that follows from @epsilon
 * @report: one for each cell, shared with the processes
 */
struct relax {
	struct mesh mesh;
	struct byz byz[CELLS_MAX];
	unsigned int copies, work_copies;
	bool own_rows;
	double epsilon, delta;
	struct report *report;
};

/* Functions for members_run(): relax_open() opens the handle of a process, relax_job() is its work.
 */
int relax_open(struct hcl **h, const char *fabric, uint32_t node);
int relax_job(struct member *me, void *run);

/* What the process of @cell sends to its neighbour in direction @to; if it is Byzantine, the data
 * are changed. lie_value() returns the value to send instead of @value, during the relaxation or at
 * the end (@end); lie_claim() changes the claim.
 */
double lie_value(const struct relax *run, unsigned int cell, enum way to, double value, bool end);
/* Return: the direction in which a process with LIE_FACES sends its other value. */
enum way lie_first(const struct relax *run, unsigned int cell);
void lie_claim(const struct relax *run, unsigned int cell, enum way to, struct claim *claim);

/* Draw the values and the deviations of all cells to file @name. Return: 0, or -1 on errors. */
int picture_write(const char *name, const char *title, const struct relax *run);

#endif /* RELAX_H */
