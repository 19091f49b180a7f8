// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl: configures hypercubes and computes topologies. This file has the options, the table of
 * objects, and the selection of the command.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cluster/cluster.h"
#include "cmd/planner.h"
#include "hc_version.h"
#include "hcctl.h"
#include "help.h"
#include "nl/nl.h"

/* The objects except the plan types. hc_object_at() inserts the first FIRST_TYPES plan types after
 * FIRST_OBJECTS entries of this table, and the other plan types after all entries.
 */
static const struct hc_object objects[] = {
	{ "fabric",  "hypercubes: add, remove, list", fabric_cmds },
	{ "node",    "nodes of a fabric: fail, move, give away", node_cmds },
	{ "link",    "links of a fabric: up, down, impairments", link_cmds },
	{ "fault",   "faults of a fabric: make at random, clear, list", fault_cmds },
	{ "detect",  "let the nodes find silent links", detect_cmds },
	{ "route",   "which way frames go", route_cmds },
	{ "balance", "spread tasks evenly around faults", balance_cmds },
	{ "plan",    "installed plans: list, remove", plan_cmds },
	{ "mfi",     "how many faults can hide, and groups that may fail together", mfi_cmds },
	{ "run",     "run a collective and check its result", run_cmds },
	{ "op",      "pending operations: who is missing", op_cmds },
	{ "monitor", "print events as they come", monitor_cmds },
	{ "stats",   "counters of a fabric", stats_cmds },
	{ "plot",    "draw a fabric or a plan", plot_cmds },
	{ "trace",   "record a time line of a fabric", trace_cmds },
	{ "top",     "watch links, nodes and operations of a fabric", top_cmds },
	{ "decode",  "print the frames that tcpdump has captured", decode_cmds },
	{ "checked", "pairs of trees whose results are compared", checked_cmds },
	{ "trunk",   "connections to other machines", trunk_cmds },
	{ "cluster", "a fabric that spans machines, from one file", cluster_cmds },
	{ "guard",   "replace plans that faults break, while operations wait", guard_cmds },
	{ "mpirun",  "run an MPI program whose collectives go through a fabric", mpirun_cmds },
};

#define OBJECTS (sizeof(objects) / sizeof(*objects))
/* Number of objects before the first plan types. */
#define FIRST_OBJECTS 6
/* Number of plan types that hc_object_at() inserts after the first FIRST_OBJECTS objects. Any
 * other plan type comes after all objects, so that abbreviations keep their meaning.
 */
#define FIRST_TYPES 4

const struct hc_object *hc_object_at(size_t i)
{
	const struct planner *p;

	if (i < FIRST_OBJECTS)
		return &objects[i];
	if (i >= FIRST_OBJECTS + FIRST_TYPES && i < OBJECTS + FIRST_TYPES)
		return &objects[i - FIRST_TYPES];
	p = planner_at(i - (i < OBJECTS + FIRST_TYPES ? FIRST_OBJECTS : OBJECTS));
	return p ? &p->object : NULL;
}

/* Return: true if @word is @name or an abbreviation of it. */
static bool begins(const char *name, const char *word)
{
	return *word && !strncmp(name, word, strlen(word));
}

/* Return: the object with the name @word; if there is none, the first object of which @word is an
 * abbreviation; or NULL.
 */
static const struct hc_object *object_of(const char *word)
{
	const struct hc_object *o, *found = NULL;
	size_t i;

	for (i = 0; (o = hc_object_at(i)); i++) {
		if (!strcmp(o->name, word))
			return o;
		if (!found && begins(o->name, word))
			found = o;
	}
	return found;
}

static const struct hc_cmd *command_of(const struct hc_object *o, const char *word)
{
	const struct hc_cmd *c, *found = NULL;

	for (c = o->cmds; c->run; c++) {
		if (!strcmp(c->name, word))
			return c;
		if (!found && begins(c->name, word))
			found = c;
	}
	if (!found && (begins("list", word) || begins("lst", word)))
		return command_of(o, "show");
	return found;
}

static bool asks_for_help(const char *word)
{
	return !strcmp(word, "--help") || !strcmp(word, "-help") || !strcmp(word, "-h");
}

/* Return: true if the arguments of a command contain a request for help. Arguments after "--" are
 * not searched, because they belong to another program.
 */
static bool ask_for_help(int argc, char **argv)
{
	for (; argc && strcmp(*argv, "--"); argc--, argv++)
		if (asks_for_help(*argv))
			return true;
	return false;
}

static int run_command(struct hcctl *h, const struct hc_object *o, const struct hc_cmd *c,
		       int argc, char **argv)
{
	h->cmd = c;
	return ask_for_help(argc, argv) ? hc_help_command(h, o, c) : c->run(h, argc, argv);
}

static int run_object(struct hcctl *h, const struct hc_object *o, int argc, char **argv)
{
	const struct hc_cmd *c;

	if (argc && (!strcmp(*argv, "help") || asks_for_help(*argv)))
		return hc_help_object(h, o);
	if (!o->cmds->name)
		return run_command(h, o, o->cmds, argc, argv);
	h->cmd = o->cmds;
	if (!argc)
		return hc_missing(h, "command");
	c = command_of(o, *argv);
	return c ? run_command(h, o, c, argc - 1, argv + 1) : hc_unknown(h, *argv);
}

/* Handle "help", which may be followed by an object and one of its commands. */
static int help(struct hcctl *h, int argc, char **argv)
{
	const struct hc_object *o;
	const struct hc_cmd *c;

	if (!argc)
		return hc_help(h);
	o = object_of(*argv);
	if (!o)
		return hc_unknown(h, *argv);
	h->object = o->name;
	if (argc == 1)
		return hc_help_object(h, o);
	c = o->cmds->name ? command_of(o, argv[1]) : NULL;
	if (!c || argc > 2)
		return hc_unknown(h, argv[c ? 2 : 1]);
	return hc_help_command(h, o, c);
}

static int dispatch(struct hcctl *h, int argc, char **argv)
{
	const struct hc_object *o;

	if (!strcmp(*argv, "help") || asks_for_help(*argv))
		return help(h, argc - 1, argv + 1);
	o = object_of(*argv);
	if (!o && begins("help", *argv))
		return help(h, argc - 1, argv + 1);
	if (!o)
		return hc_unknown(h, *argv);
	h->object = o->name;
	return run_object(h, o, argc - 1, argv + 1);
}

int hc_dispatch(struct hcctl *h, int argc, char **argv)
{
	int rc;

	h->object = NULL;
	rc = dispatch(h, argc, argv);
	h->object = NULL;
	return rc < 0 ? HC_NO : rc;
}

/* Enter the network namespace @name, which is a name of ip-netns(8). */
static int enter_netns(struct hcctl *h, const char *name)
{
	char path[256];
	int fd, rc;

	fd = nl_netns_open(name, path, sizeof(path));
	if (fd < 0) {
		hc_error(h, "no network namespace \"%s\": %s: %s", name, path, strerror(-fd));
		return HC_NO;
	}
	rc = setns(fd, CLONE_NEWNET);
	if (rc)
		hc_error(h, "cannot enter network namespace \"%s\": %s", name, strerror(errno));
	close(fd);
	return rc ? HC_NO : HC_OK;
}

static int version(struct hcctl *h)
{
	out_object(h, NULL);
	out_str(h, "version", "hcctl %s\n", HC_VERSION);
	out_close(h);
	return HC_OK;
}

enum color_mode { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct options {
	enum color_mode color;
	const char *netns;
	const char *batch;
	const char *all_hosts;
	bool help;
	bool version;
};

/* Handle the option with the letter @c; @value is the next word of the command line, or NULL.
 * Return: 1 if @value was used, 0 if not, or a negative number on error.
 */
static int option(struct hcctl *h, struct options *o, char c, const char *value)
{
	const struct {
		char c;
		bool *set;
	} flags[] = {
		{ 'j', &h->json }, { 'p', &h->pretty }, { 'f', &h->force },
		{ 'V', &o->version }, { 'h', &o->help },
	};
	const struct {
		char c;
		const char **dst;
		const char *missing, *twice;
	} words[] = {
		{ 'n', &o->netns, "NAME after -n", "-n" },
		{ 'b', &o->batch, "FILE after -b", "-b" },
		{ 'a', &o->all_hosts, "FILE after -a", "-a" },
	};
	unsigned int i;

	if (c == 'c') {
		o->color = COLOR_ALWAYS;
		return 0;
	}
	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (c == flags[i].c) {
			*flags[i].set = true;
			return 0;
		}
	for (i = 0; i < sizeof(words) / sizeof(*words) && c != words[i].c; i++)
		;
	if (i == sizeof(words) / sizeof(*words))
		return -2;
	if (!value) {
		hc_missing(h, words[i].missing);
		return -1;
	}
	if (*words[i].dst) {
		hc_duplicate(h, words[i].twice);
		return -1;
	}
	*words[i].dst = value;
	return 1;
}

static char long_option(const char *word)
{
	const struct hc_option *o;

	for (o = hc_options; o->name; o++)
		if (!strcmp(o->name, word))
			return o->c;
	return strcmp(word, "Version") ? 0 : 'V';
}

/* Handle the option -c[olor][=WHEN], in the form that ip(8) has. Return: false if @word, which
 * begins with a dash, is another option.
 */
static bool color_option(struct options *o, const char *word)
{
	static const char * const when[] = {
		[COLOR_AUTO] = "auto", [COLOR_ALWAYS] = "always", [COLOR_NEVER] = "never",
	};
	const char *value;
	unsigned int i;
	size_t len;

	word += 1 + (word[1] == '-');
	len = strcspn(word, "=");
	value = word[len] ? word + len + 1 : "always";
	for (i = 0; len && !strncmp(word, "color", len) && i < sizeof(when) / sizeof(*when); i++)
		if (!strcmp(when[i], value)) {
			o->color = i;
			return true;
		}
	return false;
}

/* Return: true if output has colors. By default it has colors on a terminal that supports them,
 * unless the user has set NO_COLOR; see no-color.org.
 */
static bool wants_color(const struct options *o)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	if (o->color != COLOR_AUTO)
		return o->color == COLOR_ALWAYS;
	return isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb");
}

/* Handle the options at the beginning of @argv. Return: the number of words used, or -1. */
static int parse_options(struct hcctl *h, struct options *o, int argc, char **argv)
{
	const char *word;
	int i, used;
	char c;

	for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		word = argv[i] + 1;
		if (!strcmp(word, "-"))
			return i + 1;
		if (color_option(o, argv[i]))
			continue;
		c = long_option(word + (*word == '-'));
		if (c || *word == '-') {
			used = option(h, o, c, argv[i + 1]);
		} else {
			used = 0;
			for (; !used && *word; word++)
				used = option(h, o, *word, word[1] ? word + 1 : argv[i + 1]);
			if (used == 1 && *word)
				used = 0;
		}
		if (used == -2)
			hc_unknown(h, argv[i]);
		if (used < 0)
			return -1;
		i += used;
	}
	return i;
}

static int run(struct hcctl *h, const struct options *o, int argc, char **argv)
{
	if (o->version)
		return version(h);
	if (o->help)
		return help(h, argc, argv) ? HC_USAGE : HC_OK;
	if (o->netns && enter_netns(h, o->netns))
		return HC_NO;
	if (o->batch && argc)
		return hc_unknown(h, *argv);
	if (o->batch && !o->all_hosts)
		return hc_batch(h, o->batch);
	if (!argc)
		return hc_missing(h, "object");
	if (o->all_hosts)
		return cluster_all_hosts(h, o->all_hosts, argc, argv);
	return hc_dispatch(h, argc, argv);
}

/* Open "/" in place of each standard stream that is closed, with O_PATH, so that writing fails.
 * Otherwise a file that is opened later would get the descriptor of a standard stream, and output
 * for the stream would go to the file.
 */
static void occupy_streams(void)
{
	int fd;

	do
		fd = open("/", O_PATH);
	while (fd >= 0 && fd <= STDERR_FILENO);
	if (fd >= 0)
		close(fd);
}

int main(int argc, char **argv)
{
	struct options o = {};
	struct hcctl h = { .complain = out_complain };
	int used, rc;

	occupy_streams();
	used = parse_options(&h, &o, argc - 1, argv + 1);
	if (used < 0)
		return HC_USAGE;
	h.color = wants_color(&o);
	rc = run(&h, &o, argc - 1 - used, argv + 1 + used);
	out_reset(&h);
	nl_leave(&h);
	return out_end(&h) ?: rc;
}
