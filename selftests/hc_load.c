// SPDX-License-Identifier: GPL-2.0
/*
 * Load for the scripts.
 *
 *	hc_load run FABRIC PLAN SECONDS	reductions by all members, one after another; errors
 *					are taken as they come, wrong sums are not
 *	hc_load hold FABRIC PLAN NODE..	one contribution of each of these nodes, "ready", and
 *					then nothing until killed
 *	hc_load deaf FABRIC NODE DIM	all that NODE sends over link DIM is lost
 *	hc_load bind FABRIC NODE	binds a socket; says "bound" or why not
 *	hc_load once FABRIC PLAN	one reduction by all members: its steps, or why not
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cube.h"

static uint64_t one = 1;

static struct hypercube_op op_of(unsigned int plan)
{
	return (struct hypercube_op){
		.plan = plan, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = sizeof(one),
	};
}

/* Sockets at all nodes that can be bound; returns how many nodes there are. */
static unsigned int bind_nodes(const char *name, int *fd)
{
	unsigned int u;

	for (u = 0; u < CUBE_MAX; u++) {
		fd[u] = shc_bound(name, u, SOCK_SEQPACKET);
		if (fd[u] == -EADDRNOTAVAIL || fd[u] == -ENODEV)
			break;
	}
	return u;
}

struct outcome {
	unsigned int took_part;
	int err;
	bool wrong;
	unsigned int steps;
};

/* One reduction by everybody who is a member. */
static struct outcome reduce(const int *fd, unsigned int nodes, unsigned int plan)
{
	struct party p[CUBE_MAX];
	struct job job[CUBE_MAX];
	struct outcome o = { 0 };
	uint64_t out[CUBE_MAX];
	unsigned int u;

	memset(p, 0, sizeof(p));
	memset(job, 0, sizeof(job));
	for (u = 0; u < nodes; u++) {
		job[u] = (struct job){ .op = op_of(plan), .in = &one, .out = &out[u],
				       .room = sizeof(out[u]), .waits = true };
		p[u] = (struct party){ .fd = fd[u], .job = &job[u], .njobs = fd[u] >= 0 };
	}
	if (drive(p, nodes, 15))
		o.err = -ETIME;
	for (u = 0; u < nodes; u++) {
		int err = p[u].dead ? p[u].dead :
			  job[u].refused ? job[u].refused : job[u].res.status;

		if (err == -ENOTCONN || err == -EHOSTDOWN || fd[u] < 0)
			continue;
		o.took_part++;
		if (err && !o.err)
			o.err = err;
	}
	for (u = 0; u < nodes && !o.err; u++)
		if (job[u].got) {
			o.wrong = out[u] != o.took_part;
			o.steps = job[u].res.steps;
		}
	return o;
}

static int run(const char *name, unsigned int plan, int seconds)
{
	uint64_t end = now_ms() + 1000 * (uint64_t)seconds;
	unsigned int nodes, good = 0, bad = 0;
	int fd[CUBE_MAX];
	struct outcome o = { 0 };

	nodes = bind_nodes(name, fd);
	while (now_ms() < end && o.err != -ENODEV) {
		o = reduce(fd, nodes, plan);
		if (o.wrong || o.err == -ETIME) {
			printf("%s\n", o.wrong ? "a wrong sum" : "an operation did not end");
			return 1;
		}
		good += !o.err;
		bad += !!o.err;
		/* While there is no plan, wait for one. */
		if (o.err)
			poll(NULL, 0, 10);
	}
	printf("%u reductions, %u errors, the last: %s\n", good, bad, strerror(-o.err));
	return 0;
}

static int once(const char *name, unsigned int plan)
{
	int fd[CUBE_MAX];
	unsigned int nodes = bind_nodes(name, fd);
	struct outcome o = reduce(fd, nodes, plan);

	if (o.err || o.wrong)
		printf("%s\n", o.wrong ? "a wrong sum" : strerror(-o.err));
	else
		printf("%u members, %u steps\n", o.took_part, o.steps);
	return o.err || o.wrong;
}

static int hold(const char *name, unsigned int plan, int n, char **nodes)
{
	struct hypercube_op op = op_of(plan);
	int i;

	for (i = 0; i < n; i++) {
		int fd = shc_bound(name, (unsigned int)atoi(nodes[i]), SOCK_SEQPACKET);
		ssize_t err = fd < 0 ? fd : shc_send(fd, &op, &one, sizeof(one), 0);

		if (err != sizeof(one)) {
			printf("node %s: %s\n", nodes[i], strerror(-(int)err));
			return 1;
		}
	}
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	int fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 5 && !strcmp(argv[1], "run"))
		return run(argv[2], (unsigned int)atoi(argv[3]), atoi(argv[4]));
	if (argc >= 5 && !strcmp(argv[1], "hold"))
		return hold(argv[2], (unsigned int)atoi(argv[3]), argc - 4, argv + 4);
	if (argc == 4 && !strcmp(argv[1], "once"))
		return once(argv[2], (unsigned int)atoi(argv[3]));
	if (argc == 4 && !strcmp(argv[1], "bind")) {
		fd = shc_bound(argv[2], (unsigned int)atoi(argv[3]), SOCK_SEQPACKET);
		printf("%s\n", fd < 0 ? strerror(-fd) : "bound");
		return fd < 0;
	}
	if (argc == 5 && !strcmp(argv[1], "deaf"))
		return -ctl_link_loss(argv[2], (unsigned int)atoi(argv[3]),
				      (unsigned int)atoi(argv[4]), HYPERCUBE_PPM_MAX, true);
	fprintf(stderr, "usage: hc_load { run F PLAN S | hold F PLAN NODE.. | once F PLAN | deaf F NODE DIM | bind F NODE }\n");
	return 2;
}
