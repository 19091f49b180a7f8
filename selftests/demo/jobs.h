/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that are hashed by the nodes of a cube: the task of a job is the file itself, behind its
 * number.
 */
#ifndef JOBS_H
#define JOBS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/hypercube.h>
#include <openssl/sha.h>

#define JOB_BYTES_MAX (HYPERCUBE_TASK_MAX - sizeof(uint32_t))

/**
 * struct job_result - what a worker says of a job
 * @job: its number
 * @node: where it was done
 * @repeated: somebody may have had it before
 * @sum: what came out
 */
struct job_result {
	uint32_t job;
	uint32_t node;
	bool repeated;
	uint8_t sum[SHA256_DIGEST_LENGTH];
};

/**
 * struct worker - a worker's orders
 * @fabric: of the node
 * @node: where it takes tasks
 * @speed: bytes that the node hashes in a second, as it pretends
 * @start: it begins when nobody has this pipe open for writing any more
 * @results: a pipe for struct job_result
 */
struct worker {
	const char *fabric;
	uint32_t node;
	double speed;
	int start;
	int results;
};

/* In a process of its own, which is killed at the end; returns only if something is wrong. */
int worker_run(const struct worker *w);

#endif /* JOBS_H */
