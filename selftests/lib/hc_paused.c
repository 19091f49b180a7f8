// SPDX-License-Identifier: GPL-2.0
/*
 * Operations on a machine that is stopped for a while (selftests/vm_paused.sh) in two fabrics. In
 * one, no link loses frames. In the other, links may lose frames, and an operation fails after a
 * second without frames. No operation may fail in either.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cube.h"

#define JUMP_MS	10000	/* in ms; a greater jump of the clock shows that the machine was stopped */
#define WAIT_MS	90000	/* ms to wait for the jump */
#define MORE_MS	5000	/* ms for which operations continue after the jump */
#define NJOBS	16
#define BYTES	65536

static int cube_start(struct cube *c, bool lossy)
{
	const struct impairments rare = { .loss = 1, .seed = 1 };
	int err = cube_new(c, 3, 0);

	if (!err)
		err = ctl_stall_timeout(c->name, 1000);
	if (!err && lossy)
		err = cube_impair(c, &rare);
	if (!err)
		err = cube_plan(c, 1);
	return err ? err : cube_bind_all(c);
}

static unsigned int allreduces(struct cube *c)
{
	static uint64_t in[BYTES / sizeof(uint64_t)];
	unsigned int n, i, k, wrong = 0;
	struct party p[CUBE_MAX];

	n = parties(c, p, NULL, NJOBS);
	for (i = 0; i < n; i++)
		for (k = 0; k < NJOBS; k++) {
			struct job *j = &p[i].job[k];

			j->op = (struct hypercube_op){
				.plan = 1, .collective = HYPERCUBE_ALLREDUCE,
				.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64, .bytes = BYTES,
			};
			j->in = in;
			j->expect = in;
			j->waits = true;
		}
	if (drive(p, n, 60))
		printf("operations hang\n");
	for (i = 0; i < n; i++)
		for (k = 0; k < NJOBS; k++) {
			const struct job *j = &p[i].job[k];

			if (j->ends == 1 && !j->res.status && !j->wrong && j->got == BYTES)
				continue;
			printf("operation %u: %u ends, status %d, node %u\n", k, j->ends,
			       j->res.status, j->res.cause_node);
			wrong++;
		}
	parties_free(p, n);
	return wrong;
}

int main(void)
{
	uint64_t begin, last, end = 0;
	unsigned int ops = 0, wrong = 0;
	struct cube c[2];
	int err = cube_start(&c[0], false);

	err = err ? err : cube_start(&c[1], true);
	if (err) {
		printf("no fabric: %s\n", strerror(-err));
		return 1;
	}
	begin = now_ms();
	last = begin;
	printf("under way\n");
	fflush(stdout);
	while (!wrong && (!end || now_ms() < end)) {
		wrong = allreduces(&c[ops++ % 2]);
		if (!end && now_ms() > last + JUMP_MS)
			end = now_ms() + MORE_MS;
		last = now_ms();
		if (!end && last > begin + WAIT_MS) {
			printf("nobody has stopped the machine\n");
			return 1;
		}
	}
	printf("%u operations, %u of them wrong\n", NJOBS * ops, wrong);
	return wrong ? 1 : 0;
}
