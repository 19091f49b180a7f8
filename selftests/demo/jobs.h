/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Files that the nodes of a cube hash. The data of a task is the number of a file, followed by the
 * file itself.
 */
#ifndef JOBS_H
#define JOBS_H

#include <stdbool.h>
#include <stdint.h>
#include <linux/hypercube.h>
#include <openssl/sha.h>

#define JOB_BYTES_MAX (HYPERCUBE_TASK_MAX - sizeof(uint32_t))

/**
 * struct job_result - the result of a worker
 * @job: number of the file
 * @node: node at which the worker hashed it
 * @repeated: the task was marked as redelivered: another worker may have had it before
 * @sum: the hash
 */
struct job_result {
	uint32_t job;
	uint32_t node;
	bool repeated;
	uint8_t sum[SHA256_DIGEST_LENGTH];
};

/**
 * struct worker - the parameters of a worker
 * @fabric: name of the fabric
 * @node: node from whose queue it takes tasks
 * @speed: bytes that it pretends to hash in a second
 * @start: a pipe; the worker begins when no process has it open for writing any more
 * @results: a pipe to which it writes struct job_result
 */
struct worker {
	const char *fabric;
	uint32_t node;
	double speed;
	int start;
	int results;
};

/* Run a worker in this process, which is killed at the end. Return: 1, only on errors. */
int worker_run(const struct worker *w);

#endif /* JOBS_H */
