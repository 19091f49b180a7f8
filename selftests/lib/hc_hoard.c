// SPDX-License-Identifier: GPL-2.0
/*
 * hc_hoard merge | bcast | allgather: in a fabric of its own, the processes at some nodes
 * contribute data to operations of many plans, and the processes that are to get the results do not
 * receive. The program prints how many MiB of memory the kernel then uses beyond what is charged to
 * the sockets.
 */
#include <err.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>
#include <linux/sock_diag.h>

#include "cube.h"

#define SEGMENT	32768u

static struct cube cube;

static long free_kib(void)
{
	static const char key[] = "MemFree:";
	FILE *f = fopen("/proc/meminfo", "r");
	char line[128];
	long v = -1;

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, key, strlen(key)))
			v = strtol(line + strlen(key), NULL, 10);
	if (v < 0)
		errx(1, "how much memory is free is not known");
	fclose(f);
	return v;
}

static long charged_kib(void)
{
	uint64_t sum = 0;
	unsigned int u;

	for (u = 0; u < cube.nodes; u++) {
		uint32_t m[SK_MEMINFO_VARS];
		socklen_t len = sizeof(m);

		if (!getsockopt(cube.fd[u], SOL_SOCKET, SO_MEMINFO, m, &len))
			sum += m[SK_MEMINFO_WMEM_ALLOC] + m[SK_MEMINFO_RMEM_ALLOC];
	}
	return sum / 1024;
}

/* Contribute the op->bytes bytes at @in at node @u. While the send buffer has no space, try again,
 * up to 200 ms. Return: false if not all data were sent.
 */
static bool give(unsigned int u, const struct hypercube_op *op, const void *in)
{
	size_t done = 0;
	unsigned int i;

	for (i = 0; i < 200 && done < op->bytes; i++) {
		ssize_t n = shc_send(cube.fd[u], done ? NULL : op, (const char *)in + done,
				     op->bytes - done, MSG_DONTWAIT);

		if (n < 0 && n != -EAGAIN)
			return false;
		if (n > 0)
			done += n;
		else
			usleep(1000);
	}
	return done == op->bytes;
}

/* In each plan, the processes at the leaves of the tree contribute sorted runs, and the other
 * processes do not contribute.
 */
static void merge(void)
{
	static unsigned char in[4 * SEGMENT];
	unsigned int id, u, i;

	for (id = 1; id <= 6; id++)
		for (u = 1; u < cube.nodes; u++) {
			struct hypercube_op op = {
				.plan = id, .collective = HYPERCUBE_REDUCE,
				.oper = HYPERCUBE_MERGE, .type = HYPERCUBE_U64,
				.bytes = sizeof(in),
			};

			for (i = 0; u & 1u << cube.plan.tree.order[0] && i < 60; i++)
				if (!give(u, &op, in))
					break;
		}
}

static int merge_ready(void)
{
	unsigned int id;
	int rc = cube_new(&cube, 4, SEGMENT) ?: cube_plan_to(&cube, 1, 0);

	for (id = 2; !rc && id <= 6; id++)
		rc = cube_install(&cube, id);
	return rc ?: cube_bind_all(&cube);
}

/* In each plan, the process at the root broadcasts messages, and no process receives them. */
static void bcast(void)
{
	static unsigned char in[8 * SEGMENT];
	unsigned int id, i;

	for (id = 1; id <= 16; id++) {
		struct hypercube_op op = {
			.plan = id, .collective = HYPERCUBE_BCAST, .bytes = sizeof(in),
		};

		for (i = 0; i < 60 && give(0, &op, in); i++)
			;
	}
}

static int bcast_ready(void)
{
	unsigned int id;
	int rc = cube_new(&cube, 1, SEGMENT);

	for (id = 1; !rc && id <= 16; id++)
		rc = cube_bcast_plan(&cube, id, 0, 0);
	return rc ?: cube_bind_all(&cube);
}

/* In each plan, all processes contribute blocks, and their receive buffers have no space for the
 * results.
 */
static void allgather(void)
{
	static const unsigned char in[500];
	unsigned int id, u;
	int small = 4096;

	for (u = 0; u < cube.nodes; u++)
		setsockopt(cube.fd[u], SOL_SOCKET, SO_RCVBUF, &small, sizeof(small));
	for (u = 0; u < cube.nodes; u++)
		for (id = 1; id <= 60; id++) {
			struct hypercube_op op = {
				.plan = id, .collective = HYPERCUBE_ALLGATHER, .bytes = sizeof(in),
			};

			give(u, &op, in);
		}
}

static int allgather_ready(void)
{
	unsigned int id;
	int rc = cube_doubling_ready(&cube, 1, 6, SEGMENT);

	for (id = 2; !rc && id <= 60; id++)
		rc = cube_doubling_install(&cube, id);
	return rc;
}

static const struct {
	const char *name;
	int (*ready)(void);
	void (*give)(void);
} hoards[] = {
	{ "merge", merge_ready, merge },
	{ "bcast", bcast_ready, bcast },
	{ "allgather", allgather_ready, allgather },
};

int main(int argc, char **argv)
{
	unsigned int i;

	for (i = 0; argc == 2 && i < sizeof(hoards) / sizeof(*hoards); i++) {
		long before;
		int rc;

		if (strcmp(argv[1], hoards[i].name))
			continue;
		rc = hoards[i].ready();
		if (rc)
			errx(1, "no fabric and plans: %s", strerror(-rc));
		before = free_kib();
		hoards[i].give();
		sleep(1);
		printf("%ld\n", (before - free_kib() - charged_kib()) / 1024);
		return cube_del(&cube) ? 1 : 0;
	}
	errx(2, "usage: hc_hoard merge | bcast | allgather");
}
