// SPDX-License-Identifier: GPL-2.0
/*
 * Many processes make random calls that the owner of a user namespace is allowed to make, and are
 * killed meanwhile. Afterwards nothing may be left of them, and the rest of the machine must not be
 * affected: no interface has moved into its namespace, and the lock rtnl, which all namespaces
 * share, was never held for long.
 */
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "calls.h"

#define WORKERS		3
#define THREADS		3	/* of a worker: one sends requests, the others use sockets */
#define CALLS_EACH	50	/* number of successive calls of a thread */
#define NOBODY		65534
#define NAMES_MAX	4096

struct shared *shared;
static struct cover covers[WORKERS][THREADS];
static struct fz_args args;

const char *any_fabric(void)
{
	static const char *const names[] = { "fa", "fb", "fc" };

	return names[fz_below(ARRAY_SIZE(names))];
}

unsigned int any_node(void)
{
	return fz_chance(97) ? fz_below(8) : (unsigned int)fz_number(4);
}

pid_t any_sleeper(void)
{
	pid_t pid = __atomic_load_n(&shared->sleeper[fz_below(SLEEPERS)], __ATOMIC_RELAXED);

	return fz_chance(90) && pid > 0 ? pid : 1;
}

/* --- workers --- */

/* A thread: its worker process, its number there, and the seed of its random numbers. */
struct thread {
	unsigned int worker;
	unsigned int number;
	uint64_t seed;
};

/* Make one call, and read its coverage at once. KCOV also records code outside the module, so the
 * coverage of a single call may fill KCOV's buffer.
 */
static void noted(const struct cover *c, void (*call)(void))
{
	cover_begin(c);
	call();
	cover_end(c);
}

static __thread int request_fd;
static __thread uint16_t family;

static void request_one(void)
{
	if (fz_chance(10))
		collide();
	else if (fz_chance(60))
		request_good(request_fd, family);
	else
		request_any(request_fd, family);
}

static void requests(const struct cover *c)
{
	unsigned int n;

	request_fd = request_open(&family);
	for (n = 0; n < CALLS_EACH; n++) {
		noted(c, request_one);
		if (fz_chance(1))
			break;
	}
	close(request_fd);
}

static void *thread_run(void *arg)
{
	const struct thread *t = arg;
	const struct cover *c = &covers[t->worker][t->number];
	unsigned int n;

	fz_seed(t->seed);
	cover_calls(c);
	for (;;) {
		for (n = 0; t->number && n < CALLS_EACH; n++)
			noted(c, socket_any);
		if (!t->number)
			requests(c);
		__atomic_add_fetch(&shared->calls, CALLS_EACH, __ATOMIC_RELAXED);
		if (fz_chance(3))
			kill(getpid(), SIGKILL);
	}
	return NULL;
}

static pid_t worker_start(unsigned int worker, uint64_t seed)
{
	struct thread t[THREADS];
	pid_t pid = fork();
	unsigned int i;

	if (pid)
		return pid;
	for (i = 0; i < THREADS; i++) {
		pthread_t id;

		t[i] = (struct thread){ worker, i, seed * THREADS + i };
		if (i && pthread_create(&id, NULL, thread_run, &t[i]))
			_exit(1);
	}
	thread_run(&t[0]);
	_exit(0);
}

static pid_t sleeper_start(void)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	unshare(CLONE_NEWNET);
	for (;;)
		pause();
}

/* The work of process 1 of the pid namespace. When it ends, the kernel kills all other processes.
 */
static void first_process(void)
{
	uint64_t end = fz_ms() + 1000ull * args.seconds, born = args.seed * 100000;
	pid_t worker[WORKERS] = { 0 };
	unsigned int i;

	while (fz_ms() < end) {
		for (i = 0; i < WORKERS; i++)
			if (!worker[i])
				worker[i] = worker_start(i, born++);
		i = fz_below(SLEEPERS);
		if (shared->sleeper[i])
			kill(shared->sleeper[i], SIGKILL);
		shared->sleeper[i] = sleeper_start();
		usleep(1000 * (50 + fz_below(300)));
		if (fz_chance(20) && worker[i % WORKERS])
			kill(worker[i % WORKERS], SIGKILL);
		for (;;) {
			pid_t pid = waitpid(-1, NULL, WNOHANG);

			if (pid <= 0)
				break;
			for (i = 0; i < WORKERS; i++)
				if (worker[i] == pid)
					worker[i] = 0;
		}
	}
	_exit(0);
}

/* --- the namespaces --- */

static void put(const char *file, const char *text)
{
	int fd = open(file, O_WRONLY | O_CLOEXEC);

	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		fz_note("%s: %s", file, strerror(errno));
	close(fd);
}

/* Move this process into new user, network and pid namespaces, which it owns. */
static void become_owner(void)
{
	char map[32];

	if (setresgid(NOBODY, NOBODY, NOBODY) || setresuid(NOBODY, NOBODY, NOBODY) ||
	    prctl(PR_SET_DUMPABLE, 1) ||
	    unshare(CLONE_NEWUSER | CLONE_NEWNET | CLONE_NEWPID)) {
		fz_note("no namespaces: %s", strerror(errno));
		_exit(4);
	}
	snprintf(map, sizeof(map), "0 %d 1", NOBODY);
	put("/proc/self/setgroups", "deny");
	put("/proc/self/uid_map", map);
	put("/proc/self/gid_map", map);
}

static pid_t owner_start(void)
{
	pid_t pid = fork();
	int status = 0;

	if (pid)
		return pid;
	become_owner();
	pid = fork();
	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		first_process();
	}
	waitpid(pid, &status, 0);
	_exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}

/* --- the rest of the machine --- */

/* Write the names of all network interfaces to @names. */
static void interfaces(char *names, size_t size)
{
	struct if_nameindex *list = if_nameindex();
	size_t len = 0;
	unsigned int i;

	names[0] = 0;
	for (i = 0; list && list[i].if_index; i++)
		len += (size_t)snprintf(names + len, size - len, "%s ", list[i].if_name);
	if_freenameindex(list);
}

/* Return: the time in ms for which this process has to wait for rtnl. Processes that get rtnl
 * before this one may hold it while they create or remove a fabric.
 */
static uint64_t rtnl_wait(void)
{
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	struct ifreq ifr = { .ifr_name = "lo" };
	uint64_t begin = fz_ms();

	if (!ioctl(fd, SIOCGIFTXQLEN, &ifr))
		ioctl(fd, SIOCSIFTXQLEN, &ifr);
	close(fd);
	return fz_ms() - begin;
}

static int module_users(void)
{
	FILE *f = fopen("/sys/module/hypercube/refcnt", "re");
	int n = -1;

	if (f && fscanf(f, "%d", &n) != 1)
		n = -1;
	if (f)
		fclose(f);
	return n;
}

/* Wait until the process @owner has ended. *@ended is set to true if it has ended within the time
 * limit. Return: the longest wait for rtnl in ms.
 */
static uint64_t watch(pid_t owner, bool *ended)
{
	uint64_t end = fz_ms() + 1000ull * (args.seconds + 120), longest = 0;

	*ended = false;
	while (fz_ms() < end && !*ended) {
		uint64_t t = rtnl_wait();

		longest = t > longest ? t : longest;
		*ended = waitpid(owner, NULL, WNOHANG) == owner;
		usleep(100000);
	}
	return longest;
}

/* Wait until the namespaces are gone, which end in the background. @before: their number at the
 * start.
 */
static bool all_gone(int before)
{
	uint64_t end = fz_ms() + 120000;

	while (module_users() != before && fz_ms() < end)
		usleep(100000);
	fz_note("users of the module: %d, before: %d", module_users(), before);
	return module_users() == before;
}

int main(int argc, char **argv)
{
	static char before[NAMES_MAX], after[NAMES_MAX];
	bool debug = !access("/sys/kernel/debug/kmemleak", F_OK);
	unsigned int limit = debug ? 60000 : 9000;
	uint64_t longest;
	unsigned int i;
	bool ended;
	int users;

	args = fz_parse(argc, argv);
	if (!access("/sys/module/hypercube/parameters/unprivileged", F_OK))
		put("/sys/module/hypercube/parameters/unprivileged", "1");
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
		      -1, 0);
	for (i = 0; i < WORKERS * THREADS; i++)
		cover_open(&covers[i / THREADS][i % THREADS]);
	interfaces(before, sizeof(before));
	users = module_users();
	longest = watch(owner_start(), &ended);
	fz_note("%llu calls, %u reached", (unsigned long long)shared->calls, cover_total());
	fz_note("somebody else waited for rtnl for %llu ms at most", (unsigned long long)longest);
	fz_result(shared->calls > 0, "calls were made");
	fz_result(ended, "everybody could be killed");
	fz_result(longest < limit, "rtnl was there for others");
	fz_result(all_gone(users), "nothing is left");
	interfaces(after, sizeof(after));
	if (strcmp(before, after))
		fz_note("interfaces before: %s after: %s", before, after);
	fz_result(!strcmp(before, after), "no interface has come to the initial namespace");
	if (args.cover)
		cover_write(args.cover);
	return fz_end();
}
