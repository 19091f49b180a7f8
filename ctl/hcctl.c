// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl: configures hypercubes and computes topologies.  Options, the table of
 * objects, help.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cmd/planner.h"
#include "hcctl.h"
#include "nl.h"

/* Behind these come the types of plans. */
static const struct hc_object objects[] = {
	{ "fabric",  "hypercubes: add, remove, list", fabric_cmds },
	{ "node",    "nodes of a fabric: fail, move, give away", node_cmds },
	{ "link",    "links of a fabric: up, down, impairments", link_cmds },
	{ "fault",   "faults of a fabric: make at random, clear, list", fault_cmds },
	{ "detect",  "let the nodes find silent links", detect_cmds },
	{ "route",   "which way frames go", route_cmds },
};

static const struct hc_object more_objects[] = {
	{ "plan",    "installed plans: list, remove", plan_cmds },
	{ "run",     "run a collective and check its result", run_cmds },
	{ "op",      "pending operations: who is missing", op_cmds },
	{ "monitor", "print events as they come", monitor_cmds },
	{ "stats",   "counters of a fabric", stats_cmds },
	{ "plot",    "draw a fabric or a plan", plot_cmds },
	{ "trace",   "record a time line of a fabric", trace_cmds },
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

/* Number @i, from 0; NULL: behind the last. */
static const struct hc_object *object_at(size_t i)
{
	size_t types = 0;

	while (planner_at(types))
		types++;
	if (i < COUNT(objects))
		return &objects[i];
	i -= COUNT(objects);
	if (i < types)
		return &planner_at(i)->object;
	i -= types;
	return i < COUNT(more_objects) ? &more_objects[i] : NULL;
}

static void usage_line(struct hcctl *h, const char *lead, const struct hc_object *o,
		       const struct hc_cmd *c)
{
	char line[512];

	snprintf(line, sizeof(line), "hcctl %s%s%s%s%s", o->name, c->name ? " " : "",
		 c->name ? c->name : "", c->args[0] ? " " : "", c->args);
	out_text(h, "%s", lead);
	out_str(h, NULL, "%s\n", line);
}

static int object_help(struct hcctl *h, const struct hc_object *o)
{
	const struct hc_cmd *c;

	out_object(h, NULL);
	out_array(h, "usage");
	for (c = o->cmds; c->run; c++)
		usage_line(h, c == o->cmds ? "Usage: " : "       ", o, c);
	out_close(h);
	out_text(h, "A link is NODE:DIM; numbers are decimal, 0x.. or 0b..; lists have commas.\n"
		 "See hcctl-%s(8).\n", o->name);
	out_close(h);
	return HC_OK;
}

static const char options[] =
	"Options: -j|--json  -p|--pretty  -n|--netns NAME  -b|--batch FILE\n"
	"         -f|--force (go on in a batch)  -V|--version  -h|--help\n";

static int help(struct hcctl *h)
{
	const struct hc_object *o;
	size_t i;

	out_text(h, "Usage: hcctl [OPTIONS] OBJECT { COMMAND | help }\n"
		 "       hcctl [OPTIONS] -b FILE\n\n");
	out_object(h, NULL);
	out_array(h, "objects");
	for (i = 0; (o = object_at(i)); i++) {
		out_text(h, "  %-8s %s\n", o->name, o->what);
		out_str(h, NULL, NULL, o->name);
	}
	out_close(h);
	out_text(h, "\n%s\nSee hcctl(8).\n", options);
	out_close(h);
	return HC_OK;
}

static int run_object(struct hcctl *h, const struct hc_object *o, int argc, char **argv)
{
	const struct hc_cmd *c;

	if (argc && !strcmp(*argv, "help"))
		return object_help(h, o);
	h->cmd = o->cmds;
	if (!o->cmds->name)
		return o->cmds->run(h, argc, argv);
	if (!argc)
		return hc_missing(h, "command");
	for (c = o->cmds; c->run; c++)
		if (!strcmp(c->name, *argv))
			break;
	if (!c->run)
		return hc_unknown(h, *argv);
	h->cmd = c;
	return c->run(h, argc - 1, argv + 1);
}

int hc_dispatch(struct hcctl *h, int argc, char **argv)
{
	const struct hc_object *o;
	size_t i = 0;
	int rc;

	h->object = NULL;
	if (!strcmp(*argv, "help"))
		return help(h);
	while ((o = object_at(i++)) && strcmp(o->name, *argv))
		;
	if (!o)
		return hc_unknown(h, *argv);
	h->object = o->name;
	rc = run_object(h, o, argc - 1, argv + 1);
	h->object = NULL;
	return rc < 0 ? HC_NO : rc;
}

/* Go where ip-netns(8) keeps the namespace of that name. */
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
	out_str(h, "version", "hcctl %s\n", HCCTL_VERSION);
	out_close(h);
	return HC_OK;
}

struct options {
	const char *netns;
	const char *batch;
	bool help;
	bool version;
};

/* One option; @value is the word behind it, or NULL.  1: the value was used. */
static int option(struct hcctl *h, struct options *o, char c, const char *value)
{
	const struct {
		char c;
		bool *set;
	} flags[] = {
		{ 'j', &h->json }, { 'p', &h->pretty }, { 'f', &h->force },
		{ 'V', &o->version }, { 'h', &o->help },
	};
	const char **dst = c == 'n' ? &o->netns : &o->batch;
	unsigned int i;

	for (i = 0; i < sizeof(flags) / sizeof(*flags); i++)
		if (c == flags[i].c) {
			*flags[i].set = true;
			return 0;
		}
	if (c != 'n' && c != 'b')
		return -2;
	if (!value) {
		hc_missing(h, c == 'n' ? "NAME after -n" : "FILE after -b");
		return -1;
	}
	if (*dst) {
		hc_duplicate(h, c == 'n' ? "-n" : "-b");
		return -1;
	}
	*dst = value;
	return 1;
}

static char long_option(const char *word)
{
	static const struct {
		const char *name;
		char c;
	} names[] = {
		{ "json", 'j' }, { "pretty", 'p' }, { "netns", 'n' }, { "batch", 'b' },
		{ "force", 'f' }, { "Version", 'V' }, { "version", 'V' }, { "help", 'h' },
	};
	unsigned int i;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strcmp(names[i].name, word))
			return names[i].c;
	return 0;
}

/* The words of options; returns how many were used, or -1. */
static int parse_options(struct hcctl *h, struct options *o, int argc, char **argv)
{
	const char *word;
	int i, used;
	char c;

	for (i = 0; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		word = argv[i] + 1;
		if (!strcmp(word, "-"))
			return i + 1;
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
		return help(h);
	if (o->netns && enter_netns(h, o->netns))
		return HC_NO;
	if (o->batch && argc)
		return hc_unknown(h, *argv);
	if (o->batch)
		return hc_batch(h, o->batch);
	if (!argc)
		return hc_missing(h, "object");
	return hc_dispatch(h, argc, argv);
}

int main(int argc, char **argv)
{
	struct options o = {};
	struct hcctl h = {};
	int used, rc;

	used = parse_options(&h, &o, argc - 1, argv + 1);
	if (used < 0)
		return HC_USAGE;
	rc = run(&h, &o, argc - 1 - used, argv + 1 + used);
	out_reset(&h);
	nl_leave(&h);
	return out_end(&h) ?: rc;
}
