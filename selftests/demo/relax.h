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
/* The temperatures at the border lie between these, so all that is right does. */
#define COLDEST		0.0
#define HOTTEST		100.0

enum way { NORTH, EAST, SOUTH, WEST, WAYS };

/**
 * struct mesh - where the cells are; cell i is in row i / cols
 * @rows: of the mesh, at least 2
 * @cols: of the mesh, at least 2
 * @row_bits: dimensions of the cube for the number of a row
 * @col_bits: the same of a column
 */
struct mesh {
	unsigned int rows, cols;
	unsigned int row_bits, col_bits;
};

/* "RxC"; false: it is not one, or too big. */
bool mesh_parse(struct mesh *m, const char *word);
unsigned int mesh_cells(const struct mesh *m);
/* The node of a cell: neighbours have neighbours. */
uint32_t mesh_node(const struct mesh *m, unsigned int cell);
/* The neighbour in this direction, or -1. */
int mesh_neighbour(const struct mesh *m, unsigned int cell, enum way way);
/* The temperature beyond the border, where there is no neighbour. */
double mesh_border(const struct mesh *m, unsigned int cell, enum way way);
/* The exact solution, by elimination; returns by how much a violation of the rule by 1 everywhere
 * moves it at most, so the factor between what the rule is held to and what that is worth.
 */
double mesh_solve(const struct mesh *m, double *value);

static inline enum way opposite(enum way way)
{
	return (way + 2) % WAYS;
}

/* How a process lies. */
enum lie {
	HONEST,
	/* tells all the same wrong value from the first step on, quotes its neighbours rightly */
	LIE_VALUE,
	/* the same, but a neighbour, if possible an accomplice, is said to have told what fits */
	LIE_BLAME,
	/* tells one neighbour another value than the rest, with claims that suit each */
	LIE_FACES,
	/* works rightly, and tells a wrong value at the end */
	LIE_LATE,
	/* works rightly, and sees nothing */
	LIE_COVER,
	LIES,
};

extern const char *const lie_names[LIES];

/**
 * struct liar - a process that lies
 * @lie: how
 * @value: the wrong value
 */
struct liar {
	enum lie lie;
	double value;
};

/**
 * struct claim - what a process says of itself at the end
 * @value: its value
 * @used: those of its neighbours, from which it has it
 */
struct claim {
	double value;
	double used[WAYS];
};

/* What a process has noticed. */
enum flag {
	FLAG_RULE,	/* the neighbour's claim breaks the rule; or one's own values do */
	FLAG_TOLD,	/* it claims another value than it has told */
	FLAG_QUOTED,	/* it claims another value of ours than we have told */
	FLAG_VERSIONS,	/* two neighbours have passed on different claims of it */
	FLAG_RANGE,	/* it has told a value that cannot be */
	FLAG_SILENT,	/* no more than half of the copies of what it says agree */
	FLAGS,
};

extern const char *const flag_names[FLAGS];

/**
 * struct report - what a process has found
 * @value: its value, or what it says it is
 * @off: how far what it told is from what is right, at most; filled in by the judge
 * @flags: set of enum flag, for each cell
 * @flagged: it has noticed something
 * @outvoted: messages of whose copies some were false
 * @through: for each node, on how many paths of false copies it lies
 * @paths: number of these paths
 * @done: it has come to its end
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
 * @liar: what each cell is
 * @copies: in how many copies values are sent at the end
 * @work_copies: the same before
 * @own_rows: processes check the rule for themselves only, as the paper's text can be read
 * @epsilon: deviations beyond it are to be noticed
 * @delta: how exactly the rule has to hold for that
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

/* How a process opens its handle, and its work; its shares in members_run(). */
int relax_open(struct hcl **h, const char *fabric, uint32_t node);
int relax_job(struct member *me, void *run);

/* What a process tells its neighbour, of what it knows to be right: its value before the end, the
 * same at the end, and its claim.
 */
double lie_value(const struct relax *run, unsigned int cell, enum way to, double value, bool end);
/* To whom one that tells different values tells the wrong one. */
enum way lie_first(const struct relax *run, unsigned int cell);
void lie_claim(const struct relax *run, unsigned int cell, enum way to, struct claim *claim);

/* A picture of the field and of how far it is from what is right. */
int picture_write(const char *name, const char *title, const struct relax *run);

#endif /* RELAX_H */
