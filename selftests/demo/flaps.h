/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allreduces while links flap and nodes fail: the recorded data, and the picture of them.
 */
#ifndef FLAPS_H
#define FLAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "members.h"

#define FLAPS_NODES_MAX		16
#define FLAPS_OPS_MAX		(1 << 18)
#define FLAPS_FAULTS_MAX	4096

/**
 * struct flaps_op - an operation, as recorded by one process
 * @end: time at which the process got the result, in us since the run began
 * @latency: duration of the call, in us
 * @set: nodes whose contributions are in the result, a bit for each
 * @restarts: number of times that the kernel began the operation again, in another epoch
 */
struct flaps_op {
	uint32_t end;
	uint32_t latency;
	uint16_t set;
	uint16_t restarts;
};

/**
 * struct flaps_process - the records of a process
 * @ops: number of results that it got
 * @wrong: number of wrong results
 * @host_down: the process got EHOSTDOWN, as its node has failed
 * @failed: the process got another error, or got EHOSTDOWN although its node was not to fail
 * @op: its operations
 */
struct flaps_process {
	uint32_t ops;
	uint32_t wrong;
	bool host_down;
	bool failed;
	struct flaps_op op[FLAPS_OPS_MAX];
};

enum flaps_fault_kind { LINK_DOWN, LINK_UP, NODE_FAILED };

/**
 * struct flaps_fault - a line of the file that lists the faults
 * @at: in us since the run began; negative: before it
 * @kind: the kind of event
 * @node: the node that failed, or that has the link
 * @dim: dimension of the link
 */
struct flaps_fault {
	int64_t at;
	enum flaps_fault_kind kind;
	unsigned int node;
	unsigned int dim;
};

/**
 * struct flaps - the run
 * @members: the processes
 * @what: description of their work, for the picture
 * @begin: when the run began, in us of CLOCK_REALTIME
 * @seconds: duration of the run
 * @victims: nodes that are to fail, a bit for each
 * @text: the text; each operation counts a window of it
 * @bytes: bytes of @text
 * @process: one for each of @members, shared with them
 * @ops: operations of the processes whose nodes have not failed
 * @again: for each of @ops: the operation was begun again
 * @nr_again: number of operations that were begun again
 * @errors: number of errors of processes, without those of processes whose nodes have failed
 * @wrong: number of wrong results
 * @faults: number of faults
 * @fault: the faults, in the order of time
 */
struct flaps {
	struct members members;
	const char *what;
	uint64_t begin;
	unsigned int seconds;
	uint32_t victims;
	const char *text;
	size_t bytes;
	struct flaps_process *process;
	uint32_t ops;
	bool again[FLAPS_OPS_MAX];
	uint32_t nr_again;
	unsigned int errors;
	unsigned int wrong;
	unsigned int faults;
	struct flaps_fault fault[FLAPS_FAULTS_MAX];
};

/* Read the faults, one per line: "TIME down|up|fail NODE[:DIM]", with the time in us. Exit on
 * errors.
 */
void flaps_faults_read(struct flaps *r, const char *name);
/* Draw the operations of the first process over time. Exit on errors. */
void flaps_picture(const struct flaps *r, const char *name);

#endif /* FLAPS_H */
