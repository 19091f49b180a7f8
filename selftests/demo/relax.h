/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Error-detecting relaxation (Schollmeyer & McMillin, section 6): Laplace's equation on a mesh that
 * lies in a cube, one process a node, each of which checks what its neighbours claim.
 */
#ifndef RELAX_H
#define RELAX_H

#include <stdbool.h>
#include <stdint.h>

#include "members.h"

#define CELLS_MAX	MEMBERS_MAX
/* The temperatures at the border lie between these, so all right values do. */
#define COLDEST		0.0
#define HOTTEST		100.0

enum way { NORTH, EAST, SOUTH, WEST, WAYS };

/**
 * struct mesh - where the cells are; cell i is in row i / cols
 * @rows: of the mesh, at least 2
 * @cols: of the mesh, at least 2
 * @row_bits: dimensions of the cube for the number of a row
 * @col_bits: dimensions of the cube for the number of a column
 */
struct mesh {
	unsigned int rows, cols;
	unsigned int row_bits, col_bits;
};

/* Parse "RxC". Return: false if it is wrong or too large. */
bool mesh_parse(struct mesh *m, const char *word);
unsigned int mesh_cells(const struct mesh *m);
/* Return: the node of a cell; cells that are neighbours have nodes that are. */
uint32_t mesh_node(const struct mesh *m, unsigned int cell);
/* Return: the neighbour in this direction, or -1. */
int mesh_neighbour(const struct mesh *m, unsigned int cell, enum way way);
/* Return: the temperature beyond the border, where there is no neighbour. */
double mesh_border(const struct mesh *m, unsigned int cell, enum way way);
/* Compute the exact solution, by elimination. Return: how far a violation of the rule by 1
 * everywhere moves it at most: the factor between the tolerance of the rule and the error that this
 * allows.
 */
double mesh_solve(const struct mesh *m, double *value);

static inline enum way opposite(enum way way)
{
	return (way + 2) % WAYS;
}

/* Ways in which a process may be Byzantine. */
enum lie {
	HONEST,
	/* send all the same wrong value from the first step on, and quote neighbours truly */
	LIE_VALUE,
	/* the same, but quote a neighbour, if possible an accomplice, for a value that fits */
	LIE_BLAME,
	/* send one neighbour another value than the rest, with fitting claims for each */
	LIE_FACES,
	/* work correctly, and send a wrong value at the end */
	LIE_LATE,
	/* work correctly, and report nothing */
	LIE_COVER,
	LIES,
};

extern const char *const lie_names[LIES];

/**
 * struct liar - a Byzantine process
 * @lie: its way
 * @value: the wrong value
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
	FLAG_RULE,	/* the neighbour's claim, or our own values, break the rule */
	FLAG_NOTIFIED,	/* it claims another value than it has sent */
	FLAG_QUOTED,	/* it claims another value of ours than we have sent */
	FLAG_VERSIONS,	/* two neighbours have forwarded different claims of it */
	FLAG_RANGE,	/* it has sent a value that is not possible */
	FLAG_SILENT,	/* no more than half of the copies of its message agree */
	FLAGS,
};

extern const char *const flag_names[FLAGS];

/**
 * struct report - what a process has found
 * @value: its value, or what it claims
 * @off: greatest difference between what it sent and the exact value; filled in by the parent
 * @flags: for each cell, set of enum flag
 * @flagged: it has noticed something
 * @outvoted: number of messages with mismatching copies
 * @through: for each node, on how many paths of mismatching copies it lies
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
 * @liar: for each cell, whether and how it is Byzantine
 * @copies: copies in which values are sent at the end
 * @work_copies: copies in which values are sent before
 * @own_rows: processes check the rule for themselves only, as the paper's text can be read
 * @epsilon: deviations beyond it must be noticed
 * @delta: how exactly the rule must hold for that
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

/* What a process sends its neighbour instead of what it knows to be right: its value before the
 * end, its value at the end, and its claim.
 */
double lie_value(const struct relax *run, unsigned int cell, enum way to, double value, bool end);
/* Return: the direction in which a process with LIE_FACES sends the wrong value. */
enum way lie_first(const struct relax *run, unsigned int cell);
void lie_claim(const struct relax *run, unsigned int cell, enum way to, struct claim *claim);

/* Draw the field and the deviations. Return: 0 or -1. */
int picture_write(const char *name, const char *title, const struct relax *run);

#endif /* RELAX_H */
