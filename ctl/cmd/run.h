/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl run, in four files: run.c reads the words, chooses the plan and prints,
 * run_work.c performs the operation, run_guard.c tidies up after Ctrl-C,
 * run_plain.c makes the data and computes the expected result.
 */
#ifndef _HCCTL_RUN_H
#define _HCCTL_RUN_H

#include <libhypercube.h>

#include "cmd.h"

/**
 * struct run - a collective to run
 * @fabric: name of the fabric
 * @info: the fabric
 * @p: what all members say
 * @elem: bytes of an element
 * @count: elements of each member
 * @bytes: their bytes
 * @seed: of the random data
 * @data: contributions, one after the other by ascending node; NULL: random
 * @iterations: how often
 * @timeout: ms in which something must move
 * @plan: the plan
 * @temporary: id of the plan that is installed for this run and is to be removed
 *	after it, or 0
 * @fault: FAULT words it works with
 * @node: the members, ascending
 * @n: how many
 */
struct run {
	const char *fabric;
	struct nl_fabric info;
	struct hcl_params p;
	uint32_t elem;
	uint32_t count;
	size_t bytes;
	uint64_t seed;
	uint8_t *data;
	uint32_t iterations;
	uint32_t timeout;
	struct nl_plan plan;
	volatile uint32_t temporary;
	uint32_t *fault;
	uint32_t *node;
	uint32_t n;
};

/**
 * struct run_result - what came out
 * @out: the sink's result, for free()
 * @bytes: its length
 * @res: what the kernel says of the last iteration
 * @best: shortest wall time, ns
 * @mean: mean wall time, ns
 */
struct run_result {
	uint8_t *out;
	size_t bytes;
	struct hypercube_result res;
	uint64_t best;
	uint64_t mean;
};

/* Run it; 0 or complained. */
int run_work(struct hcctl *h, const struct run *r, struct run_result *out);

/* Between the two, a signal that ends the process removes r->temporary. */
void run_guard(const struct run *r);
void run_unguard(void);

/* Length of the result. */
size_t run_out_bytes(const struct run *r);
/* The contribution of member number @rank; @buf of r->bytes. */
void run_contribution(const struct run *r, uint32_t rank, void *buf);
/* The same as the kernel's result?  1 or 0, -ENOMEM, -EINVAL (bad plan). */
int run_verify(const struct run *r, const struct run_result *out);
/* FNV-1a of 64 bits. */
uint64_t run_digest(const void *data, size_t bytes);

#endif /* _HCCTL_RUN_H */
