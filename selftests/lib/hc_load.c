// SPDX-License-Identifier: GPL-2.0
/*
 * Load for the scripts.
 *
 *	hc_load run FABRIC PLAN SECONDS	runs reductions by all members, one after another, for
 *					SECONDS s; operations may fail, but sums must not be wrong
 *	hc_load hold FABRIC PLAN NODE..	makes one contribution at each of these nodes, prints
 *					"ready", and holds the sockets until killed
 *	hc_load deaf FABRIC NODE DIM	makes link DIM lose all frames that NODE sends over it
 *	hc_load bind FABRIC NODE [stay]	binds a socket; prints "bound" or the error; with "stay",
 *					holds the socket until killed
 *	hc_load sibling FABRIC NODE PLAN	binds a socket; after a line of standard input,
 *					binds a sibling of it to PLAN; prints "bound" or the error
 *					each time
 *	hc_load storm FABRIC NODES SECONDS	threads bind sockets, send, and close them, for
 *					SECONDS s or until SIGTERM; then prints how many sockets
 *					were bound
 *	hc_load crowd FABRIC NODES PLANS OPS	nodes 1 .. NODES - 1 contribute to OPS operations
 *					of each of the plans 1 .. PLANS; prints "ready", and holds
 *					the sockets until killed
 *	hc_load ends FABRIC NODES OPS scatter|barrier	nodes 1 .. NODES - 1 contribute to OPS
 *					operations of plan 1, and node 0 does so a second later;
 *					prints "all well" if all operations succeed, or the error
 *	hc_load once FABRIC PLAN [UID]	runs one reduction by all members; prints the number of
 *					members and of steps, or the error; with UID, operates the
 *					sockets, once bound, as user UID
 *	hc_load raw INTERFACE		sends standard input over INTERFACE as one frame
 *	hc_load tasks FABRIC NODE COUNT [repeat|copied]	puts COUNT tasks, which remain in the
 *					queue; with "repeat" the tasks are idempotent, with
 *					"copied" a second node holds a replica of each, too
 */
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "cube.h"
#include "task_calls.h"

static uint64_t one = 1;

static struct hypercube_op op_of(unsigned int plan)
{
	return (struct hypercube_op){
		.plan = plan, .collective = HYPERCUBE_REDUCE, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = HYPERCUBE_F_NOTIFY, .bytes = sizeof(one),
	};
}

/* Bind a socket at each node of the fabric; @fd[u] is set to that of node u, or to the error.
 * Return: number of nodes of the fabric.
 */
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

/* How a reduction ended: the number of members that took part, the first error, whether a sum was
 * wrong, and the number of steps.
 */
struct outcome {
	unsigned int took_part;
	int err;
	bool wrong;
	unsigned int steps;
};

/* Run one reduction over @plan by all @nodes nodes; a node that cannot take part, as it is no
 * member or has failed, does not count.
 */
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
		/* Wait a little before the next try: the plan may be installed again. */
		if (o.err)
			poll(NULL, 0, 10);
	}
	printf("%u reductions, %u errors, the last: %s\n", good, bad, strerror(-o.err));
	return 0;
}

static int once(const char *name, unsigned int plan, unsigned int uid)
{
	int fd[CUBE_MAX];
	unsigned int nodes = bind_nodes(name, fd);
	struct outcome o = { 0 };

	if (setresuid(uid, uid, uid))
		return 1;
	o = reduce(fd, nodes, plan);
	if (o.err || o.wrong)
		printf("%s\n", o.wrong ? "a wrong sum" : strerror(-o.err));
	else
		printf("%u members, %u steps\n", o.took_part, o.steps);
	return o.err || o.wrong || !o.took_part;
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

static int crowd(const char *name, unsigned int nodes, unsigned int plans, unsigned int ops)
{
	struct rlimit files = { .rlim_cur = nodes + 64, .rlim_max = nodes + 64 };
	int room = 64 << 20;
	unsigned int u, i;

	setrlimit(RLIMIT_NOFILE, &files);
	for (u = 1; u < nodes; u++) {
		int fd = shc_bound(name, u, SOCK_SEQPACKET);

		setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room));
		for (i = 0; i < plans * ops; i++) {
			struct hypercube_op op = op_of(1 + i % plans);
			ssize_t err = fd < 0 ? fd : shc_send(fd, &op, &one, sizeof(one), 0);

			if (err != sizeof(one)) {
				printf("node %u, plan %u: %s\n", u, op.plan, strerror(-(int)err));
				return 1;
			}
		}
	}
	printf("ready\n");
	fflush(stdout);
	for (;;)
		pause();
}

/* Wait for the end of the next operation at the socket @fd. Return: its status, or the error of the
 * receive call.
 */
static int end_of(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	struct hypercube_result res = { 0 };
	bool eor;
	char byte;
	ssize_t n;

	poll(&p, 1, 20000);
	n = shc_recv(fd, &byte, sizeof(byte), &res, &eor, MSG_DONTWAIT);
	return n < 0 ? (int)n : res.status;
}

/* Run @ops operations of the collective @what, to which each node contributes 0 bytes; node 0
 * begins a second after the others. Return: 0 if all of them succeed.
 */
static int ends(const char *name, unsigned int nodes, unsigned int ops, const char *what)
{
	struct hypercube_op op = {
		.plan = 1,
		.collective = strcmp(what, "scatter") ? HYPERCUBE_BARRIER : HYPERCUBE_SCATTER,
	};
	int fd[CUBE_MAX];
	unsigned int u, i;
	ssize_t err = 0;

	for (u = 1; u <= nodes && !err; u++) {
		if (u == nodes)
			poll(NULL, 0, 1000);
		fd[u % nodes] = shc_bound(name, u % nodes, SOCK_SEQPACKET);
		for (i = 0; i < ops && !err; i++)
			err = shc_send(fd[u % nodes], &op, NULL, 0, 0);
		/* Contributions are refused with ECANCELED until this socket has read the end of an
		 * earlier operation that failed: read it.
		 */
		for (i = 0; i < ops && err == -ECANCELED; i++)
			err = end_of(fd[u % nodes]) ?: -ECANCELED;
	}
	for (u = 0; u < nodes && !err; u++)
		for (i = 0; i < ops && !err; i++)
			err = end_of(fd[u]);
	printf("%s\n", err ? strerror(-(int)err) : "all well");
	return !!err;
}

struct storm {
	const char *name;
	unsigned int nodes;
	uint64_t end;
	unsigned int seed;
	bool patient;
	unsigned int bound;
};

static volatile sig_atomic_t storm_over;

static void storm_end(int sig)
{
	(void)sig;
	storm_over = 1;
}

/* A thread that binds and closes sockets. It binds more sockets at nodes with low numbers: while a
 * fabric is made or removed, these can be found for the longest time, since nodes are made in the
 * order of their numbers.
 */
static void *storm_thread(void *arg)
{
	struct hypercube_op op = op_of(1);
	struct storm *s = arg;
	int fd[2];

	while (!storm_over && now_ms() < s->end) {
		unsigned int u = (unsigned int)rand_r(&s->seed) % s->nodes;

		fd[0] = shc_bound(s->name, u, SOCK_SEQPACKET);
		fd[1] = shc_bound(s->name, u / 2, SOCK_DGRAM);
		s->bound += (fd[0] >= 0) + (fd[1] >= 0);
		/* After a failed attempt all threads but the first one pause (.patient). Without
		 * pauses they would slow down the command that makes the nodes meanwhile.
		 */
		if (fd[0] < 0 && fd[1] < 0 && s->patient)
			usleep(100);
		if (fd[0] >= 0 || fd[1] >= 0)
			poll(NULL, 0, (int)(s->bound % 32));
		if (fd[0] >= 0) {
			shc_send(fd[0], &op, &one, sizeof(one), MSG_DONTWAIT);
			close(fd[0]);
		}
		if (fd[1] >= 0)
			close(fd[1]);
	}
	return NULL;
}

static int storm(const char *name, unsigned int nodes, int seconds)
{
	enum { THREADS = 4 };
	struct storm s[THREADS];
	pthread_t thread[THREADS];
	unsigned int i, bound = 0;

	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = storm_end }, NULL);
	for (i = 0; i < THREADS; i++) {
		s[i] = (struct storm){ .name = name, .nodes = nodes, .seed = i, .patient = i > 0,
				       .end = now_ms() + 1000 * (uint64_t)seconds };
		if (pthread_create(&thread[i], NULL, storm_thread, &s[i]))
			return 1;
	}
	for (i = 0; i < THREADS; i++) {
		pthread_join(thread[i], NULL);
		bound += s[i].bound;
	}
	printf("%u\n", bound);
	return 0;
}

static int raw(const char *interface)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET };
	int fd = socket(AF_PACKET, SOCK_RAW, 0);
	char frame[2048];
	ssize_t n = fd < 0 ? -1 : read(STDIN_FILENO, frame, sizeof(frame));

	to.sll_ifindex = (int)if_nametoindex(interface);
	if (n > 0 && sendto(fd, frame, (size_t)n, 0, (struct sockaddr *)&to, sizeof(to)) == n)
		return 0;
	printf("%s\n", strerror(errno));
	return 1;
}

static int tasks(const char *name, unsigned int node, int count, unsigned int flags)
{
	int fd = shc_bound(name, node, SOCK_RDM), err = fd < 0 ? fd : 0;

	while (count-- > 0 && !err)
		err = task_put(fd, &count, sizeof(count), flags);
	if (err)
		fprintf(stderr, "hc_load: %s\n", strerror(-err));
	return !!err;
}

static int say_bound(int err)
{
	puts(err < 0 ? strerror(-err) : "bound");
	fflush(stdout);
	return err < 0;
}

static int sibling(const char *name, unsigned int node, unsigned int plan)
{
	struct hypercube_sibling s = {
		.fd = shc_bound(name, node, SOCK_SEQPACKET), .plan = plan,
	};
	struct sockaddr_hypercube shc;
	socklen_t len = sizeof(shc);
	int fd;

	if (say_bound(s.fd))
		return 1;
	getchar();
	if (getsockname(s.fd, (struct sockaddr *)&shc, &len))
		return 1;
	fd = socket(shc.shc_family, SOCK_SEQPACKET, 0);
	return say_bound(setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_SIBLING, &s, sizeof(s)) ?
			 -errno : 0);
}

int main(int argc, char **argv)
{
	int fd;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc == 5 && !strcmp(argv[1], "run"))
		return run(argv[2], (unsigned int)atoi(argv[3]), atoi(argv[4]));
	if (argc >= 5 && !strcmp(argv[1], "hold"))
		return hold(argv[2], (unsigned int)atoi(argv[3]), argc - 4, argv + 4);
	if (argc == 6 && !strcmp(argv[1], "crowd"))
		return crowd(argv[2], (unsigned int)atoi(argv[3]), (unsigned int)atoi(argv[4]),
			     (unsigned int)atoi(argv[5]));
	if (argc == 6 && !strcmp(argv[1], "ends"))
		return ends(argv[2], (unsigned int)atoi(argv[3]), (unsigned int)atoi(argv[4]),
			    argv[5]);
	if (argc == 5 && !strcmp(argv[1], "storm"))
		return storm(argv[2], (unsigned int)atoi(argv[3]), atoi(argv[4]));
	if ((argc == 4 || argc == 5) && !strcmp(argv[1], "once"))
		return once(argv[2], (unsigned int)atoi(argv[3]),
			    argc == 5 ? (unsigned int)atoi(argv[4]) : geteuid());
	if (argc == 3 && !strcmp(argv[1], "raw"))
		return raw(argv[2]);
	if ((argc == 4 || (argc == 5 && !strcmp(argv[4], "stay"))) && !strcmp(argv[1], "bind")) {
		fd = shc_bound(argv[2], (unsigned int)atoi(argv[3]), SOCK_SEQPACKET);
		printf("%s\n", fd < 0 ? strerror(-fd) : "bound");
		if (argc == 5 && fd >= 0)
			pause();
		return fd < 0;
	}
	if (argc == 5 && !strcmp(argv[1], "sibling"))
		return sibling(argv[2], (unsigned int)atoi(argv[3]), (unsigned int)atoi(argv[4]));
	if (argc == 5 && !strcmp(argv[1], "tasks"))
		return tasks(argv[2], (unsigned int)atoi(argv[3]), atoi(argv[4]), 0);
	if (argc == 6 && !strcmp(argv[1], "tasks") && !strcmp(argv[5], "repeat"))
		return tasks(argv[2], (unsigned int)atoi(argv[3]), atoi(argv[4]),
			     HYPERCUBE_TASK_IDEMPOTENT);
	if (argc == 6 && !strcmp(argv[1], "tasks") && !strcmp(argv[5], "copied"))
		return tasks(argv[2], (unsigned int)atoi(argv[3]), atoi(argv[4]),
			     HYPERCUBE_TASK_IDEMPOTENT | HYPERCUBE_TASK_REPLICATED);
	if (argc == 5 && !strcmp(argv[1], "deaf"))
		return -ctl_link_loss(argv[2], (unsigned int)atoi(argv[3]),
				      (unsigned int)atoi(argv[4]), HYPERCUBE_PPM_MAX, true);
	fprintf(stderr, "usage: hc_load { run F PLAN S | hold F PLAN NODE.. | storm F NODES S | crowd F NODES PLANS OPS | ends F NODES OPS scatter|barrier | once F PLAN [UID] | raw INTERFACE | deaf F NODE DIM | tasks F NODE COUNT [repeat|copied] | bind F NODE [stay] | sibling F NODE PLAN }\n");
	return 2;
}
