/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Groups of processes (Schollmeyer & McMillin): a relaxation in environments of any shape. An OS
 * process runs all processes of a node. Each process checks the claims of other processes: at the
 * end a process claims its value, and quotes in the claim the values that it has used.
 */
#ifndef GROUPS_H
#define GROUPS_H

#include <stdbool.h>
#include <stdint.h>

#include "members.h"

#define PROCESSES_MAX	512
#define NODES_MAX	64
#define ASKS_MAX	15
#define TG_MAX		4
/* All exact values lie between these two. */
#define COLDEST		0.0
#define HOTTEST		100.0
/* Index that means "no asked process". */
#define NO_ASK		(-1)

/**
 * struct process - a process of the relaxation
 * @name: its number
 * @node: index of its node
 * @nasks: number of processes that it asks for values, besides itself
 * @asks: the processes that it asks
 * @nwitness: for the quote of asks[i], the number of its witnesses
 * @witness: for the quote of asks[i], the processes that hold the claims of both the quoting and
 *	the quoted process
 * @tg: number of processes of its environment that may be faulty
 * @surroundings: temperature of its surroundings, towards which its value is drawn
 */
struct process {
	uint32_t name;
	unsigned int node, nasks, tg;
	uint16_t asks[ASKS_MAX];
	unsigned int nwitness[ASKS_MAX];
	uint16_t witness[ASKS_MAX][TG_MAX];
	double surroundings;
};

/* Behaviours of the processes of a Byzantine node. */
enum lie {
	/* Quote a process of the Byzantine node, whose witnesses are on that node, too, with
	 * another value than it has sent; if there is no such process, quote some other process
	 * wrongly.
	 */
	LIE_COLLUDE,
	/* Send the same wrong value to all processes, and quote others correctly. */
	LIE_VALUE,
	/* Send one node another value than the other nodes, with claims that fit the value that
	 * each has got.
	 */
	LIE_FACES,
	LIES,
};

extern const char *const lie_names[LIES];

enum flag {
	FLAG_RULE,	/* a claim does not fulfil the rule */
	FLAG_NOTIFIED,	/* a claim has another value than its process has sent before */
	FLAG_QUOTED,	/* a claim quotes another value of a process here than it has sent */
	FLAG_WITNESS,	/* a claim quotes a process with another value than that process claims */
	FLAG_VERSIONS,	/* another node has received a different claim of the same process */
	FLAG_RANGE,	/* a value is outside of the possible range */
	FLAGS,
};

extern const char *const flag_names[FLAGS];

/**
 * struct report - what a node has detected and sent
 * @flags: set of enum flag
 * @seconds: duration of all sweeps
 * @done: the node has finished
 * @value: for each of its processes, the last value that it has sent to each node that asks it
 */
struct report {
	unsigned int flags;
	double seconds;
	bool done;
	double value[PROCESSES_MAX][NODES_MAX];
};

/**
 * struct groups - a run
 * @process: the processes
 * @nprocesses: number of processes
 * @node: numbers of the nodes
 * @nnodes: number of nodes
 * @uses: for each process and node: some process of the node asks this process
 * @gets: for each process and node: the node gets the claim of this process, since some process of
 *	the node asks it, is asked by it, or is a witness of it
 * @sweeps: number of sweeps
 * @delta: tolerance of the rule
 * @epsilon: greatest error of a value that @delta allows
 * @byzantine: index of the Byzantine node; @nnodes if there is none
 * @lie: behaviour of the Byzantine node
 * @face: for each process of the Byzantine node, the index of the asked process that its claim
 *	quotes wrongly; NO_ASK: none
 * @faced: with LIE_FACES, the node that gets another value than the others
 * @report: the report of each node, in shared memory
 */
struct groups {
	struct process process[PROCESSES_MAX];
	unsigned int nprocesses;
	uint32_t node[NODES_MAX];
	unsigned int nnodes;
	bool uses[PROCESSES_MAX][NODES_MAX], gets[PROCESSES_MAX][NODES_MAX];
	unsigned int sweeps;
	double delta, epsilon;
	unsigned int byzantine;
	enum lie lie;
	int face[PROCESSES_MAX];
	unsigned int faced;
	struct report *report;
};

/* --- groups_net.c --- */
/* Read the processes from standard input, in lines "PROCESS NODE TG ASKED[,ASKED..]"; exit if they
 * are invalid.
 */
void groups_read(struct groups *g);
/* Choose the wrong claims of a Byzantine node with behaviour @lie. Return: true if a wrong quote
 * must remain undetected, since all processes that could detect it are on the Byzantine node
 * itself.
 */
bool groups_lie(struct groups *g, unsigned int byzantine, enum lie lie);
/* Compute the exact solution by elimination, and write it to @value. */
void groups_solve(const struct groups *g, double *value);

/* Return: the weight with which its surroundings draw the value of process @p; each process that it
 * asks has the weight 1.
 */
static inline double groups_pull(const struct process *p)
{
	return p->nasks ? p->nasks / 4.0 : 1;
}

/* --- groups_node.c: for members_run() --- */
int groups_open(struct hcl **h, const char *fabric, uint32_t node);
int groups_job(struct member *me, void *run);

#endif /* GROUPS_H */
