// SPDX-License-Identifier: GPL-2.0
/*
 * A worker: takes a file and hashes it, and takes as long for that as a node of the given speed
 * would. It sleeps for most of this time, as the machine has fewer processors than the fabric has
 * nodes; the hash itself is computed, and its time counts.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "jobs.h"
#include "libhypercube.h"

/* Sleep until @ns nanoseconds after @t. */
static void busy_until(struct timespec t, uint64_t ns)
{
	uint64_t at = (uint64_t)t.tv_nsec + ns;

	t.tv_sec += (time_t)(at / 1000000000);
	t.tv_nsec = (long)(at % 1000000000);
	while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR)
		;
}

/* Execute a task, and report it as done when its time is over. Its hash is sent to the parent only
 * then, and not at all if the task was lost because the node has failed meanwhile.
 */
static int work(struct hcl *h, const struct worker *w, const uint8_t *task, size_t len,
		const struct hypercube_task *id)
{
	struct job_result r = {
		.node = w->node, .repeated = id->flags & HYPERCUBE_TASK_REDELIVERED,
	};
	struct timespec begin;
	SHA256_CTX hash;
	int rc;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	if (len < sizeof(r.job))
		errx(1, "node %u got a task of %zu bytes", w->node, len);
	memcpy(&r.job, task, sizeof(r.job));
	len -= sizeof(r.job);
	SHA256_Init(&hash);
	SHA256_Update(&hash, task + sizeof(r.job), len);
	SHA256_Final(r.sum, &hash);
	busy_until(begin, (uint64_t)(1e9 * (double)len / w->speed));
	rc = hcl_task_done(h, id);
	if (rc)
		return rc == -ENOENT ? 0 : rc;
	return write(w->results, &r, sizeof(r)) == sizeof(r) ? 0 : -errno;
}

int worker_run(const struct worker *w)
{
	static uint8_t task[HYPERCUBE_TASK_MAX];
	struct hypercube_task id;
	char why[256], c;
	struct hcl *h;
	long len;
	int rc = hcl_task_open(&h, w->fabric, w->node);

	if (rc)
		errx(1, "node %u: %s", w->node, hcl_explain(NULL, why, sizeof(why)));
	if (read(w->start, &c, 1))
		err(1, "worker of node %u", w->node);
	while (!rc) {
		len = hcl_task_take(h, task, sizeof(task), &id);
		rc = len < 0 ? (int)len : work(h, w, task, (size_t)len, &id);
	}
	fprintf(stderr, "jobs: worker of node %u: %s\n", w->node, hcl_explain(h, why, sizeof(why)));
	hcl_close(h);
	return 1;
}
