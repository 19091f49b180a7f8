// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl mpirun: start an MPI program with the component that runs its collectives over a fabric
 * (ctl/mpi). While the program runs, the component's plans are guarded. At the end, the fabric and
 * the plans are removed.
 *
 * If the component is not installed, or no fabric can be made, the program runs without a fabric.
 */
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd.h"
#include "mpi/plan_id.h"

#define COMPONENT	"mca_coll_hypercube.so"
/* TUNE: the program that measures limits, in the component's folder. LIMITS: the file for its
 * results, in LIMITS_FOLDER.
 */
#define TUNE		"hypercube-mpi-tune"
#define LIMITS_FOLDER	"/var/lib/hypercube"
#define LIMITS		LIMITS_FOLDER "/mpi-limits"
#define LIMITS_MAX	65536
#define RANKS_MAX	hc_nodes(HYPERCUBE_DIM_MAX)
/* Exit statuses, as shells have them. SIGNALLED plus the number of the signal: a signal has ended
 * the program. NOT_STARTED: the program could not be started.
 */
#define SIGNALLED	128
#define NOT_STARTED	127

/**
 * struct mpirun - a run of the command
 * @ranks: number of processes of the program
 * @fabric: name of the fabric; NULL: the program runs without one
 * @hosts: file with the hosts of the ranks, in the form of mpirun; NULL: this host
 * @program: the program and its arguments
 * @tune: run TUNE, and not @program
 * @made: the fabric was made for this run
 * @name: memory for the name of a fabric that is made
 * @guard: process id of the guard, or 0
 * @own: context for requests that may fail; its error messages go to @text
 * @text: the latest error message of @own
 */
struct mpirun {
	uint32_t ranks;
	const char *fabric;
	const char *hosts;
	char **program;
	bool tune;
	bool made;
	char name[HYPERCUBE_NAME_MAX];
	pid_t guard;
	struct hcctl own;
	char text[256];
};

static void keep_text(struct hcctl *own, const char *kind, const char *text)
{
	struct mpirun *r = (struct mpirun *)((char *)own - offsetof(struct mpirun, own));

	if (!strcmp(kind, "error"))
		snprintf(r->text, sizeof(r->text), "%s", text);
}

/* --- the component --- */

static bool has_component(const char *folder)
{
	char path[8192];

	snprintf(path, sizeof(path), "%s/" COMPONENT, folder);
	return !access(path, R_OK);
}

/* Find the folder of the component: the folder "mpi" beside this program (after a build), the
 * folder in the installation to which this program belongs, or a folder in which packages install
 * the component. Return: false if there is none.
 */
static bool find_component(char *folder, size_t size)
{
	static const char * const places[] = {
		"%s/mpi", "%s/../lib/hypercube/openmpi", "/usr/local/lib/hypercube/openmpi",
		"/usr/lib/hypercube/openmpi",
	};
	char own[2048] = "", *slash;
	unsigned int i;

	if (readlink("/proc/self/exe", own, sizeof(own) - 1) < 0)
		return false;
	slash = strrchr(own, '/');
	if (slash)
		*slash = 0;
	for (i = 0; i < sizeof(places) / sizeof(*places); i++) {
		snprintf(folder, size, places[i], own);
		if (has_component(folder))
			return true;
	}
	return false;
}

/* --- the fabric --- */

static uint32_t dim_of(uint32_t ranks)
{
	uint32_t dim = 1;

	while (hc_nodes(dim) < ranks)
		dim++;
	return dim;
}

/* Use the fabric that the user has named, if it exists. Otherwise make a fabric, of the smallest
 * dimension that has enough nodes. Only "hcctl cluster" makes fabrics with nodes on several hosts.
 */
static int make_fabric(struct mpirun *r)
{
	struct nl_fabric_new new = { .name = r->name, .dim = dim_of(r->ranks) };
	struct nl_fabric info;
	int rc;

	if (r->fabric && !nl_fabric(&r->own, r->fabric, &info))
		return 0;
	if (r->hosts) {
		snprintf(r->text, sizeof(r->text), "no fabric is there for the hosts of %s",
			 r->hosts);
		r->fabric = NULL;
		return -ENOENT;
	}
	snprintf(r->name, sizeof(r->name), "mpi%d", getpid());
	new.name = r->fabric ?: r->name;
	rc = nl_fabric_add(&r->own, &new);
	r->made = !rc;
	r->fabric = rc ? NULL : new.name;
	return rc;
}

/* Remove the plans of MPI processes that have ended without removing them. */
static void remove_plans(struct mpirun *r)
{
	struct nl_plan *v;
	size_t n, i;

	if (nl_plans(&r->own, r->fabric, &v, &n))
		return;
	for (i = 0; i < n; i++)
		if (v[i].id >= MPI_PLAN_BASE && v[i].id < MPI_PLAN_END)
			nl_plan_del(&r->own, r->fabric, v[i].id, false);
	nl_plans_free(v, n);
}

/* Run "hcctl guard" until the parent ends. This function runs in the child process. */
static void guard(const char *fabric, pid_t parent)
{
	struct hcctl own = { .complain = out_complain };
	char word[] = "guard", *words[3] = { word, (char *)fabric };
	sigset_t none;

	/* A signal from the terminal must not end the guard, because operations may still need it
	 * when the signal arrives. So the guard has a process group of its own.
	 */
	setpgid(0, 0);
	prctl(PR_SET_PDEATHSIG, SIGTERM);
	if (getppid() != parent)
		_exit(0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	if (!freopen("/dev/null", "w", stdout))
		_exit(1);
	_exit(hc_dispatch(&own, 2, words));
}

static void guard_start(struct hcctl *h, struct mpirun *r)
{
	pid_t parent = getpid();

	r->guard = fork();
	if (!r->guard)
		guard(r->fabric, parent);
	if (r->guard < 0)
		hc_warn(h, "nothing guards the plans: cannot fork: %s", strerror(errno));
}

static void tidy_up(struct hcctl *h, struct mpirun *r)
{
	if (r->guard > 0) {
		kill(r->guard, SIGTERM);
		waitpid(r->guard, NULL, 0);
	}
	if (r->made && nl_fabric_del(&r->own, r->fabric))
		hc_warn(h, "fabric %s stays behind: %s", r->fabric, r->text);
	else if (!r->made && r->fabric)
		remove_plans(r);
	nl_leave(&r->own);
}

/* --- the program --- */

/* Pass the limits that were measured on this machine to the component, in a variable of the
 * environment. Comments are left out, because the variable must be one line.
 */
static void set_limits(struct hcctl *h)
{
	char text[LIMITS_MAX] = "", line[512];
	FILE *file = fopen(LIMITS, "re");
	size_t len = 0, n;

	if (!file && errno != ENOENT)
		hc_warn(h, LIMITS ": %s", strerror(errno));
	if (!file)
		return;
	while (fgets(line, sizeof(line), file)) {
		n = strcspn(line, "\n");
		if (*line == '#' || !n)
			continue;
		if (len + n + 2 > sizeof(text)) {
			hc_warn(h, LIMITS " is longer than %d bytes, and not used", LIMITS_MAX);
			len = 0;
			break;
		}
		memcpy(text + len, line, n);
		len += n;
		text[len++] = ',';
	}
	text[len] = 0;
	fclose(file);
	if (len)
		setenv("OMPI_MCA_coll_hypercube_limits", text, false);
}

static void set_environment(struct hcctl *h, const struct mpirun *r, const char *folder)
{
	const char *before = getenv("OMPI_MCA_mca_base_component_path");
	char path[8192];

	snprintf(path, sizeof(path), "%s:%s", folder, before ?: "SYSTEM_DEFAULT:USER_DEFAULT");
	setenv("OMPI_MCA_mca_base_component_path", path, true);
	setenv("OMPI_MCA_coll_hypercube_fabric", r->fabric, true);
	if (!r->tune) {
		set_limits(h);
		return;
	}
	setenv("OMPI_MCA_coll_hypercube_limits", "", true);
	setenv("OMPI_MCA_coll_hypercube_required", "1", true);
}

/* Set defaults of Open MPI. A fabric may have more nodes than the machine has processors, so allow
 * more processes than processors. Allow root to run programs, because often only root may make
 * fabrics.
 */
static void set_defaults(void)
{
	setenv("OMPI_MCA_rmaps_base_oversubscribe", "1", false);
	if (geteuid())
		return;
	setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", false);
	setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", false);
}

static pid_t start(struct hcctl *h, const struct mpirun *r, const sigset_t *mask)
{
	/* mpirun passes only the variables whose names begin with OMPI_ to other hosts. */
	static const char * const passed[] = { "HYPERCUBE_MPI_STATS", "HYPERCUBE_MPI_LOG" };
	const size_t npassed = sizeof(passed) / sizeof(*passed);
	char ranks[16], **words;
	size_t n = 0, at = 1, i;
	pid_t pid;

	while (r->program[n])
		n++;
	words = calloc(n + 6 + 2 * npassed, sizeof(*words));
	if (!words)
		return hc_nomem(h);
	snprintf(ranks, sizeof(ranks), "%u", r->ranks);
	words[at++] = "-n";
	words[at++] = ranks;
	if (r->hosts) {
		words[at++] = "--hostfile";
		words[at++] = (char *)r->hosts;
	}
	for (i = 0; i < npassed && r->hosts; i++)
		if (getenv(passed[i])) {
			words[at++] = "-x";
			words[at++] = (char *)passed[i];
		}
	for (i = 0; i < n; i++)
		words[at++] = r->program[i];
	words[0] = "mpirun.openmpi";
	pid = cmd_child_start(words, mask);
	words[0] = "mpirun";
	if (pid == -ENOENT)
		pid = cmd_child_start(words, mask);
	free(words);
	if (pid < 0)
		hc_error(h, "cannot start mpirun, which is Open MPI's (openmpi-bin): %s",
			 strerror(-pid));
	return pid;
}

/* Start the program that measures limits. It writes its results to the file that the user has
 * named, or to LIMITS, which set_limits() reads in later runs.
 */
static pid_t start_tune(struct hcctl *h, struct mpirun *r, const char *folder,
			const sigset_t *mask)
{
	char path[8192], *words[] = { path, *r->program ? *r->program : (char *)LIMITS, NULL };

	snprintf(path, sizeof(path), "%s/" TUNE, folder);
	if (!*r->program && mkdir(LIMITS_FOLDER, 0755) && errno != EEXIST)
		hc_warn(h, LIMITS_FOLDER ": %s", strerror(errno));
	r->program = words;
	return start(h, r, mask);
}

static int run(struct hcctl *h, struct mpirun *r, const sigset_t *signals, const sigset_t *mask)
{
	char folder[4096];
	bool component = find_component(folder, sizeof(folder)), ready;
	pid_t pid;
	int status;

	if (!component)
		snprintf(r->text, sizeof(r->text), "no " COMPONENT " is installed");
	ready = component && !make_fabric(r);
	if (!ready && r->tune) {
		hc_error(h, "there is nothing to measure: %s", r->text);
		nl_leave(&r->own);
		return HC_NO;
	}
	if (!ready)
		hc_warn(h, "the program runs without a fabric: %s", r->text);
	set_defaults();
	if (ready) {
		guard_start(h, r);
		set_environment(h, r, folder);
	}
	pid = r->tune ? start_tune(h, r, folder, mask) : start(h, r, mask);
	status = pid < 0 ? 0 : cmd_child_wait(pid, signals);
	if (component)
		tidy_up(h, r);
	if (pid < 0)
		return NOT_STARTED;
	return WIFSIGNALED(status) ? SIGNALLED + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Run the program, and clean up after it. A signal is forwarded to the program and does not end
 * this command, so that it can clean up.
 */
static int run_whole(struct hcctl *h, struct mpirun *r)
{
	sigset_t signals, blocked, before;
	int rc;

	cmd_signals_ending(&signals);
	blocked = signals;
	sigaddset(&blocked, SIGCHLD);
	sigprocmask(SIG_BLOCK, &blocked, &before);
	signal(SIGCHLD, SIG_DFL);
	rc = run(h, r, &signals, &before);
	sigprocmask(SIG_SETMASK, &before, NULL);
	return rc;
}

/* --- arguments --- */

static int arg_ranks(struct hcctl *h, const char *word, uint32_t *ranks)
{
	if (arg_count(h, "-n", word, ranks))
		return HC_USAGE;
	if (*ranks > RANKS_MAX)
		return hc_invalid(h, "-n", word, "no fabric has so many nodes");
	return 0;
}

/* Parse an option with a value. @value: NULL if there is no further word. */
static int option(struct hcctl *h, struct mpirun *r, const char *name, const char *value)
{
	char missing[64];

	if (strcmp(name, "-n") && strcmp(name, "--fabric") && strcmp(name, "--hostfile"))
		return hc_unknown(h, name);
	if (!value) {
		snprintf(missing, sizeof(missing), "value after \"%s\"", name);
		return hc_missing(h, missing);
	}
	if (!strcmp(name, "-n"))
		return arg_ranks(h, value, &r->ranks);
	if (!strcmp(name, "--fabric"))
		return arg_fabric(h, name, value, &r->fabric);
	r->hosts = value;
	return 0;
}

/* Parse [-n N] [--fabric NAME] [--hostfile FILE] [--tune] [--]. */
static int parse(struct hcctl *h, struct mpirun *r, int argc, char **argv)
{
	bool last;
	int rc = 0, words;

	while (!rc && argc && **argv == '-') {
		words = !strcmp(*argv, "--tune") || !strcmp(*argv, "--") ? 1 : 2;
		last = !strcmp(*argv, "--");
		r->tune |= words == 1 && !last;
		if (words == 2)
			rc = option(h, r, *argv, argc > 1 ? argv[1] : NULL);
		if (rc)
			return rc;
		argc -= words;
		argv += words;
		if (last)
			break;
	}
	if (!rc && !argc && !r->tune)
		return hc_missing(h, "PROGRAM");
	if (!rc && argc > 1 && r->tune)
		return hc_unknown(h, argv[1]);
	if (!rc && !r->ranks && r->hosts)
		return hc_missing(h, "-n, the number of ranks on all hosts");
	r->ranks = r->ranks ?: sysconf(_SC_NPROCESSORS_ONLN);
	if (!rc && r->tune && r->ranks < 2)
		return hc_invalid(h, "-n", "1", "one rank has nobody to send to");
	r->program = argv;
	return rc;
}

static int mpirun(struct hcctl *h, int argc, char **argv)
{
	struct mpirun r = { .own.complain = keep_text };

	return parse(h, &r, argc, argv) ?: run_whole(h, &r);
}

const struct hc_cmd mpirun_cmds[] = {
	{ NULL, mpirun,
	  "[-n N] [--fabric NAME] [--hostfile FILE] { PROGRAM [ARG..] | --tune [FILE] }" },
	{}
};
