// SPDX-License-Identifier: GPL-2.0
/*
 * libhypercube-plan: a program without privileges guards its own plan for as long as the program
 * runs.
 *
 * Scheduling: shared
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "handles.h"
#include "ktap.h"
#include "libhypercube-plan.h"

#define ID	9
#define USER	1301
#define STRANGER 1302
#define WAIT_MS	20000

/* Install plan ID, a guarded tree with root 0, which uses all links of node 0. */
static int install(void)
{
	return tool("tree find fabric " FABRIC " sink 0 apply plan 9 guard 20s");
}

static bool begin(void)
{
	return set_up() && !install() && !tool("plan set " FABRIC " 9 guard-uid 1301");
}

/* Return: what the library reports of plan ID. */
static struct hcl_plan seen(void)
{
	struct hcl_plan plan = {};

	hcl_plan_get(FABRIC, ID, &plan);
	return plan;
}

/* Wait up to @ms until plan ID is broken. Return: true if it is. */
static bool breaks(int ms)
{
	for (; ms > 0 && !seen().broken; ms -= 10)
		usleep(10000);
	return seen().broken;
}

/* Wait 2.5 s, in which a guard would check the plan several times. Return: true if the plan is
 * still broken.
 */
static bool stays_broken(void)
{
	uint32_t epoch = seen().epoch;

	usleep(2500000);
	return seen().broken && seen().epoch == epoch;
}

/* Return: true if hcl_plan_explain() returns a text that contains @words. */
static bool says(const char *words)
{
	char text[256];

	hcl_plan_explain(text, sizeof(text));
	if (strstr(text, words))
		return true;
	printf("# \"%s\", not \"%s\"\n", text, words);
	return false;
}

/**
 * struct program - a program that guards plan ID
 * @pid: its process
 * @to: pipe to the program; the program ends its guard when it reads a byte
 * @from: pipe from the program, which writes the return values of its library calls to it
 */
struct program {
	pid_t pid;
	int to;
	int from;
};

/* The program: begin a guard, write the return value to @out, and end the guard when a byte arrives
 * from @in.
 */
static void run(int in, int out)
{
	struct hcl_guard *g = NULL;
	int rc = setgid(USER) || setuid(USER) ? -EPERM : hcl_guard(&g, FABRIC, ID);
	char go;

	if (write(out, &rc, sizeof(rc)) < 0 || read(in, &go, 1) < 0)
		_exit(1);
	rc = hcl_guard_end(g);
	_exit(write(out, &rc, sizeof(rc)) < 0);
}

/* Return: the next return value that the program has written, or -EPIPE if it has ended. */
static int answer(const struct program *p)
{
	int rc;

	return read(p->from, &rc, sizeof(rc)) == sizeof(rc) ? rc : -EPIPE;
}

/* Start a program. Return: the return value of its call of hcl_guard(). */
static int start(struct program *p)
{
	int to[2], from[2];

	if (pipe(to) || pipe(from))
		return -errno;
	fflush(NULL);
	p->pid = fork();
	if (!p->pid) {
		close(to[1]);
		close(from[0]);
		run(to[0], from[1]);
	}
	close(to[0]);
	close(from[1]);
	p->to = to[1];
	p->from = from[0];
	return answer(p);
}

/* Run a sum to which nodes 7 to 1 contribute before the hcctl command @fault breaks the plan, and
 * node 0 afterwards. Return: number of errors.
 */
static unsigned int wrong_sums_around(const char *fault)
{
	struct hcl_params p = {
		.plan = ID, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
		.collective = HYPERCUBE_ALLREDUCE,
	};
	uint64_t in[NODES], out[NODES] = { 0 }, op[NODES];
	unsigned int i, wrong = 0;

	for (i = NODES; i-- > 0;) {
		in[i] = 1u << i;
		if (!i && tool(fault))
			return 100;
		wrong += !!hcl_post(h[i], &p, &in[i], 8, &out[i], 8, &op[i]);
	}
	for (i = 0; i < NODES && !wrong; i++)
		wrong += hcl_wait(h[i], op[i], NULL) || out[i] != 0xff;
	return wrong;
}

TEST(program_without_privileges_guards_its_own_plan)
{
	struct program p;
	struct hcl_plan plan;
	uint32_t epoch;

	ASSERT_EQ(true, begin());
	epoch = seen().epoch;
	ASSERT_EQ(0, start(&p));
	EXPECT_EQ(0, wrong_sums_around("link set " FABRIC " 0:0 down"));
	EXPECT_EQ(0, hcl_plan_await(FABRIC, ID, epoch, WAIT_MS, &plan));
	EXPECT_EQ(epoch + 1, plan.epoch);
	EXPECT_EQ(0, wrong_sums_around("link set " FABRIC " 0:1 down"));
	EXPECT_EQ(0, hcl_plan_await(FABRIC, ID, epoch + 1, WAIT_MS, &plan));
	EXPECT_EQ(1, write(p.to, "", 1));
	EXPECT_EQ(0, answer(&p));
	waitpid(p.pid, NULL, 0);
	ASSERT_EQ(0, tool("link set " FABRIC " 0:2 down"));
	EXPECT_TRUE(breaks(WAIT_MS));
	EXPECT_TRUE(stays_broken());
}

/* In a child process, begin a guard while the standard descriptors in the mask @closed are closed,
 * wait until the guard has installed the plan again, and exit without ending the guard. Return: the
 * exit status.
 */
static int without(unsigned int closed)
{
	uint32_t epoch = seen().epoch;
	struct hcl_guard *g;
	struct hcl_plan plan;
	int fd;

	for (fd = 0; fd < 3; fd++)
		if (closed >> fd & 1)
			close(fd);
	if (hcl_guard(&g, FABRIC, ID))
		return 1;
	if (hcl_guard_fd(g) < 3)
		return 2;
	if (tool("link set " FABRIC " 0:0 down") ||
	    hcl_plan_await(FABRIC, ID, epoch, WAIT_MS, &plan))
		return 3;
	return 0;
}

/* Wait until the process of the guard ends. Since its program has ended, it is a child of this
 * process.
 */
static bool orphan_ends(void)
{
	int ms;

	for (ms = 5000; ms > 0; ms -= 10) {
		if (waitpid(-1, NULL, WNOHANG) > 0)
			return true;
		usleep(10000);
	}
	return false;
}

TEST(guard_works_if_standard_descriptors_are_closed)
{
	unsigned int closed;
	int status;
	pid_t pid;

	ASSERT_EQ(true, begin());
	ASSERT_EQ(0, prctl(PR_SET_CHILD_SUBREAPER, 1));
	for (closed = 0; closed < 8; closed++) {
		ASSERT_EQ(0, tool("fault clear " FABRIC) || install());
		fflush(NULL);
		pid = fork();
		if (!pid)
			_exit(without(closed));
		waitpid(pid, &status, 0);
		if (status)
			printf("# without 0x%x: status 0x%x\n", closed, status);
		EXPECT_EQ(0, status);
		EXPECT_TRUE(orphan_ends());
	}
}

TEST(guard_ends_with_its_program)
{
	struct program p;
	char byte;

	ASSERT_EQ(true, begin());
	ASSERT_EQ(0, start(&p));
	kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	EXPECT_EQ(0, read(p.from, &byte, 1));
	usleep(300000);
	ASSERT_EQ(0, tool("link set " FABRIC " 0:0 down"));
	EXPECT_TRUE(breaks(WAIT_MS));
	EXPECT_TRUE(stays_broken());
}

TEST(invalid_guard_requests_are_refused_with_reason)
{
	struct hcl_guard *g;

	ASSERT_EQ(true, begin());
	EXPECT_EQ(-EINVAL, hcl_guard(&g, FABRIC, PLAN));
	EXPECT_TRUE(says("plan 1 is not guarded"));
	EXPECT_EQ(-ENOENT, hcl_guard(&g, FABRIC, 77));
	EXPECT_EQ(-ENODEV, hcl_guard(&g, "nosuch", ID));
	setenv("PATH", "/nowhere", 1);
	EXPECT_EQ(-ENOEXEC, hcl_guard(&g, FABRIC, ID));
	EXPECT_TRUE(says("hcctl guard cannot be started: No such file or directory"));
	EXPECT_EQ(0, hcl_guard_end(NULL));
}

/* Run this program again for one test, with more rights than its user has: with the real user id
 * USER and the effective user id 0. Return: the status of the process.
 */
static int exec_as_secure(void)
{
	static char *const argv[] = {
		"library_guard", "setuid_program_does_not_search_PATH_for_guard", NULL
	};
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		if (!setresuid(USER, 0, 0))
			execv("/proc/self/exe", argv);
		_exit(100);
	}
	waitpid(pid, &status, 0);
	return status;
}

TEST(setuid_program_does_not_search_PATH_for_guard)
{
	struct hcl_guard *g = NULL;

	if (!getauxval(AT_SECURE)) {
		EXPECT_EQ(0, exec_as_secure());
		return;
	}
	EXPECT_EQ(-EPERM, hcl_guard(&g, FABRIC, ID));
	EXPECT_TRUE(says("may not start hcctl guard"));
}

/* In a child process, begin a guard as a user to whom the plan was not granted, and check that the
 * guard reports that. Return: the exit status, 0 if it does.
 */
static int as_stranger(void)
{
	struct hcl_guard *g;
	struct pollfd pfd = { .events = POLLIN };

	if (setgid(STRANGER) || setuid(STRANGER) || hcl_guard(&g, FABRIC, ID))
		return 1;
	pfd.fd = hcl_guard_fd(g);
	if (poll(&pfd, 1, WAIT_MS) != 1)
		return 2;
	if (hcl_guard_end(g))
		return 3;
	return !says("plan 9 is not guarded: ") + !says("CAP_NET_ADMIN") * 2;
}

TEST(guard_of_user_without_grant_reports_missing_permission)
{
	int status;
	pid_t pid;

	ASSERT_EQ(true, begin());
	ASSERT_EQ(0, tool("link set " FABRIC " 0:0 down"));
	EXPECT_TRUE(breaks(WAIT_MS));
	fflush(NULL);
	pid = fork();
	if (!pid) {
		status = as_stranger();
		fflush(NULL);
		_exit(status);
	}
	waitpid(pid, &status, 0);
	EXPECT_EQ(0, status);
	EXPECT_TRUE(seen().broken);
}

TEST(ended_guard_reports_its_reason)
{
	struct hcl_guard *g;
	struct pollfd pfd = {};
	siginfo_t info;

	ASSERT_EQ(true, begin());
	ASSERT_EQ(0, hcl_guard(&g, FABRIC, ID));
	pfd.fd = hcl_guard_fd(g);
	EXPECT_EQ(0, poll(&pfd, 1, 500));
	ASSERT_EQ(0, tool("fabric del " FABRIC));
	EXPECT_EQ(1, poll(&pfd, 1, WAIT_MS));
	EXPECT_EQ(0, waitid(P_ALL, 0, &info, WEXITED | WNOWAIT));
	EXPECT_EQ(-ECHILD, hcl_guard_end(g));
	EXPECT_TRUE(says("the guard of plan 9 of fabric " FABRIC " has ended: "));
	EXPECT_TRUE(says("was removed") || says("No such fabric"));
}

TEST_HARNESS_MAIN
