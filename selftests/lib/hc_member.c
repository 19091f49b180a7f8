// SPDX-License-Identifier: GPL-2.0
/*
 * Some of the members of a plan whose others are on other machines.
 *
 *	hc_member FABRIC PLAN MEMBERS ROUNDS COUNT NODE..
 *
 * The members are the nodes 0 to MEMBERS - 1, those of this machine are NODE.., a process each.
 * They add COUNT numbers by allreduce, ROUNDS times with a barrier between, and check each
 * sum. Says "right" if all were, or what is wrong, or which operation has failed and why.
 */
#include <errno.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "libhypercube.h"

static uint64_t number(uint32_t node, uint32_t round, uint32_t i)
{
	return (node + 1) * UINT64_C(1000003) + round * 17 + i * (node + 3);
}

static uint64_t sum(uint32_t members, uint32_t round, uint32_t i)
{
	uint64_t all = 0;
	uint32_t u;

	for (u = 0; u < members; u++)
		all += number(u, round, i);
	return all;
}

static int failed(struct hcl *h, uint32_t node, uint32_t round, int err)
{
	char text[256];

	printf("node %u round %u: %s: %s\n", node, round, strerror(-err),
	       hcl_explain(h, text, sizeof(text)));
	return 1;
}

static int one_round(struct hcl *h, const struct hcl_params *p, uint32_t node, uint32_t members,
		     uint32_t round, uint32_t count, uint64_t *v)
{
	struct hypercube_result res;
	uint32_t i;
	int rc;

	for (i = 0; i < count; i++)
		v[i] = number(node, round, i);
	rc = hcl_allreduce(h, p, v, count * sizeof(*v), v + count, count * sizeof(*v), &res);
	if (rc >= 0)
		rc = hcl_barrier(h, p->plan, &res);
	if (rc < 0)
		return failed(h, node, round, rc);
	for (i = 0; i < count; i++)
		if (v[count + i] != sum(members, round, i)) {
			printf("node %u round %u: sum %u is wrong\n", node, round, i);
			return 1;
		}
	return 0;
}

static int member(char **argv, uint32_t node)
{
	const struct hcl_params p = {
		.plan = atoi(argv[2]), .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
	};
	uint32_t members = atoi(argv[3]), rounds = atoi(argv[4]), count = atoi(argv[5]), r;
	uint64_t *v = calloc(2 * count, sizeof(*v));
	struct hcl *h;
	int rc = v ? hcl_open(&h, argv[1], node) : -ENOMEM;

	if (rc)
		return failed(NULL, node, 0, rc);
	for (r = 0; r < rounds && !rc; r++)
		rc = one_round(h, &p, node, members, r, count, v);
	hcl_close(h);
	free(v);
	return rc;
}

int main(int argc, char **argv)
{
	int i, status, bad = 0;

	if (argc < 7)
		return 2;
	setlinebuf(stdout);
	for (i = 6; i < argc; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			return member(argv, atoi(argv[i]));
		}
	while (wait(&status) > 0)
		bad |= status;
	if (!bad)
		puts("right");
	return !!bad;
}
