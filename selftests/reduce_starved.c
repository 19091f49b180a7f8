// SPDX-License-Identifier: GPL-2.0
/*
 * Polls that do not run for seconds, because processes with real-time priority leave no time for
 * ksoftirqd. No member may take a node for failed because of this, and no operation may fail over
 * links that lose nothing.
 *
 * Scheduling: alone
 */
#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>

#include "cube.h"
#include "ktap.h"

#define DIM	3
#define RANKS	(1u << DIM)
#define BYTES	(1 << 18)
#define WORDS	(BYTES / sizeof(uint64_t))
#define BUSY_MS	6000

static uint64_t in[RANKS][WORDS], sum[WORDS];

/* Compute the contributions of all nodes, and their sum. */
static void values(void)
{
	unsigned int u, i;

	for (i = 0; i < WORDS; i++) {
		for (u = 0; u < RANKS; u++)
			in[u][i] = (uint64_t)i * (u + 1);
		sum[i] = (uint64_t)i * RANKS * (RANKS + 1) / 2;
	}
}

/* Set up a job of node @node on plan 1 + @sink, whose root is node @sink. */
static void job_make(struct job *j, unsigned int node, unsigned int sink, unsigned int collective)
{
	bool all = collective == HYPERCUBE_ALLREDUCE;

	j->op = (struct hypercube_op){
		.plan = 1 + sink, .collective = collective, .oper = HYPERCUBE_SUM,
		.type = HYPERCUBE_U64, .flags = all ? 0 : HYPERCUBE_F_NOTIFY, .bytes = BYTES,
	};
	j->in = in[node];
	j->waits = true;
	j->expect = all || sink == node ? sum : NULL;
}

static unsigned int jobs_wrong(const struct party *p, unsigned int node)
{
	unsigned int k, wrong = 0;

	for (k = 0; k < p->njobs; k++) {
		const struct job *j = &p->job[k];

		if (j->ends == 1 && !j->res.status && !j->wrong && !j->refused &&
		    j->got == (j->expect ? BYTES : 0))
			continue;
		if (!wrong++)
			printf("# node %u, operation %u: refused %d, %u ends, status %d, node %u\n",
			       node, k, j->refused, j->ends, j->res.status, j->res.cause_node);
	}
	return wrong;
}

static unsigned int processors(void)
{
	return (unsigned int)sysconf(_SC_NPROCESSORS_ONLN);
}

/* Pin a process to processor @cpu. */
static int stay_on(pid_t pid, unsigned int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return sched_setaffinity(pid, sizeof(set), &set) ? -errno : 0;
}

/* Give this process a real-time priority, above that of ksoftirqd, as "chrt -r 1" does. */
static int hurry(void)
{
	const struct sched_param param = { .sched_priority = 1 };

	return sched_setscheduler(0, SCHED_RR, &param) ? -errno : 0;
}

#define RT_RUNTIME "/proc/sys/kernel/sched_rt_runtime_us"

/* Read (@mode "r") or write ("w") for how many us of each second real-time processes may run; -1:
 * always.
 */
static int rt_runtime(int *us, const char *mode)
{
	FILE *f = fopen(RT_RUNTIME, mode);
	int n;

	if (!f)
		return -errno;
	n = *mode == 'r' ? fscanf(f, "%d", us) != 1 : fprintf(f, "%d\n", *us) < 0;
	return fclose(f) || n ? -EIO : 0;
}

static int cube_start(struct cube *c)
{
	unsigned int u;
	int err;

	values();
	err = cube_new(c, DIM, 0);
	for (u = 0; !err && u < RANKS; u++)
		err = cube_plan_to(c, 1 + u, u);
	return err ? err : cube_bind_all(c);
}

/* ------------------------------------------------------------ a process for each node */

static int rank_run(const struct cube *c, unsigned int node, unsigned int collective)
{
	struct party p = { .fd = c->fd[node], .njobs = RANKS * scaled(8) };
	unsigned int k;
	int err;

	p.job = calloc(p.njobs, sizeof(*p.job));
	if (!p.job || stay_on(0, node % processors()) || hurry())
		return 2;
	for (k = 0; k < p.njobs; k++)
		job_make(&p.job[k], node, k % RANKS, collective);
	err = drive(&p, 1, 30);
	if (err)
		printf("# node %u: %u of %u operations settled\n", node, p.settled, p.njobs);
	err |= (int)jobs_wrong(&p, node);
	fflush(stdout);
	return err ? 1 : 0;
}

/* Run a process for each node, with real-time priority. */
static void ranks(struct __test_metadata *_metadata, unsigned int collective)
{
	pid_t pid[RANKS];
	unsigned int u;
	struct cube c;
	int status;

	ASSERT_EQ(0, cube_start(&c));
	for (u = 0; u < RANKS; u++) {
		pid[u] = fork();
		if (!pid[u])
			_exit(rank_run(&c, u, collective));
	}
	for (u = 0; u < RANKS; u++) {
		ASSERT_EQ(pid[u], waitpid(pid[u], &status, 0));
		EXPECT_EQ(0, status);
	}
	EXPECT_EQ(0, cube_del(&c));
}

TEST(reductions_succeed_while_realtime_processes_delay_polls)
{
	ranks(_metadata, HYPERCUBE_REDUCE);
}

TEST(allreduces_succeed_while_realtime_processes_delay_polls)
{
	ranks(_metadata, HYPERCUBE_ALLREDUCE);
}

/* --- a poll that does not run --- */

/* Mount a sysfs that shows the endpoints of this network namespace. */
static int sysfs_own(void)
{
	if (unshare(CLONE_NEWNS) || mount("", "/", NULL, MS_REC | MS_PRIVATE, NULL) ||
	    mount("sysfs", "/sys", "sysfs", 0, NULL))
		return -errno;
	return 0;
}

/* Let a separate kernel thread run the poll of endpoint @dev (threaded NAPI). */
static int poll_threaded(const char *dev)
{
	char path[64];
	FILE *f;
	int n;

	snprintf(path, sizeof(path), "/sys/class/net/%s/threaded", dev);
	f = fopen(path, "w");
	if (!f)
		return -errno;
	n = fputs("1", f);
	return fclose(f) || n < 0 ? -errno : 0;
}

/* Return: pid of the kernel thread that runs the poll of endpoint @dev, or 0. */
static pid_t poll_thread(const char *dev)
{
	char want[32], path[300], name[64];
	DIR *proc = opendir("/proc");
	struct dirent *d;
	pid_t pid = 0;
	FILE *f;

	snprintf(want, sizeof(want), "napi/%s-", dev);
	while (proc && !pid && (d = readdir(proc))) {
		snprintf(path, sizeof(path), "/proc/%s/comm", d->d_name);
		f = fopen(path, "r");
		if (!f)
			continue;
		if (fgets(name, sizeof(name), f) && !strncmp(name, want, strlen(want)))
			pid = atoi(d->d_name);
		fclose(f);
	}
	if (proc)
		closedir(proc);
	return pid;
}

/* Fork a process with real-time priority that occupies processor @cpu for BUSY_MS. Return: its
 * process id.
 */
static pid_t hog_start(unsigned int cpu)
{
	uint64_t end = now_ms() + BUSY_MS;
	pid_t pid = fork();

	if (pid)
		return pid;
	if (stay_on(0, cpu) || hurry())
		_exit(2);
	while (now_ms() < end)
		;
	_exit(0);
}

/* Run operations while the poll of node @late cannot run for seconds: it is pinned to the last
 * processor, which a process with real-time priority occupies. All other processes and polls run.
 */
static void poll_late(struct __test_metadata *_metadata, unsigned int late,
		      unsigned int collective)
{
	unsigned int node[CUBE_MAX], i, k, n, last = processors() - 1;
	int all = -1, before, status;
	struct party p[CUBE_MAX];
	struct cube c;
	char dev[32];
	pid_t hog;

	if (!last)
		SKIP(return, "this takes two processors");
	ASSERT_EQ(0, stay_on(0, 0));
	ASSERT_EQ(0, cube_start(&c));
	ASSERT_EQ(0, sysfs_own());
	snprintf(dev, sizeof(dev), "%sn%u", c.name, late);
	ASSERT_EQ(0, poll_threaded(dev));
	ASSERT_TRUE(poll_thread(dev));
	ASSERT_EQ(0, stay_on(poll_thread(dev), last));
	ASSERT_EQ(0, rt_runtime(&before, "r"));
	ASSERT_EQ(0, rt_runtime(&all, "w"));
	hog = hog_start(last);
	usleep(100000);
	n = parties(&c, p, node, RANKS);
	for (i = 0; i < n; i++)
		for (k = 0; k < RANKS; k++)
			job_make(&p[i].job[k], node[i], k, collective);
	EXPECT_EQ(0, drive(p, n, 30));
	for (i = 0; i < n; i++)
		EXPECT_EQ(0, jobs_wrong(&p[i], node[i]));
	EXPECT_EQ(hog, waitpid(hog, &status, 0));
	EXPECT_EQ(0, status);
	EXPECT_EQ(0, rt_runtime(&before, "w"));
	parties_free(p, n);
	EXPECT_EQ(0, cube_del(&c));
}

TEST(reductions_succeed_while_a_poll_does_not_run)
{
	poll_late(_metadata, 5, HYPERCUBE_REDUCE);
}

TEST(allreduces_succeed_while_a_poll_does_not_run)
{
	poll_late(_metadata, 2, HYPERCUBE_ALLREDUCE);
}

TEST_HARNESS_MAIN
