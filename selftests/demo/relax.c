// SPDX-License-Identifier: GPL-2.0
/*
 * relax FABRIC RxC [-l ROW,COL:HOW[:VALUE]].. [-c COPIES] [-w COPIES] [-e EPSILON] [-o]
 *	[-p FILE.svg [-t TITLE]]
 *
 * Relaxes a mesh in the cube, with one process at each node, and prints the results as JSON: the
 * deviations of the results from the exact solution, which the processes do not know, and the
 * errors that each process has detected.
 *  -l: the process of this cell is Byzantine (relax_byzantine.c)
 *  -c: number of copies in which values are sent at the end (3); -w: before the end (1)
 *  -e: greatest deviation that may remain undetected (0.001)
 *  -o: each process checks the rule only for itself
 */
#include <err.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "relax.h"

static const char usage[] =
	"usage: relax FABRIC RxC [-l ROW,COL:{value|blame|faces|late|cover}[:VALUE]].. [-c COPIES]\n"
	"	[-w COPIES] [-e EPSILON] [-o] [-p FILE.svg [-t TITLE]]";

struct options {
	struct relax run;
	const char *fabric, *picture, *title;
};

static double number(const char *word, double least, double most, const char *what)
{
	char *end;
	double v = strtod(word, &end);

	if (end == word || *end || !(v >= least && v <= most))
		errx(2, "'%s' is no %s: from %g to %g", word, what, least, most);
	return v;
}

static unsigned int whole(const char *word, double least, double most, const char *what)
{
	double v = number(word, least, most, what);

	if (v != floor(v))
		errx(2, "'%s' is no %s: it is not whole", word, what);
	return (unsigned int)v;
}

static enum lie lie_parse(const char *word)
{
	unsigned int i;

	for (i = HONEST + 1; i < LIES; i++)
		if (!strcmp(word, lie_names[i]))
			return i;
	errx(2, "'%s' is no way to lie: value, blame, faces, late or cover", word);
}

static void byzantine_parse(struct relax *run, const char *word)
{
	char place[32], how[16] = "", value[32] = "", rest;
	unsigned int row, col;
	struct byz *l;

	if (sscanf(word, "%31[^:]:%15[^:]:%31[^:]", place, how, value) < 2 ||
	    sscanf(place, "%u,%u%c", &row, &col, &rest) != 2)
		errx(2, "'%s' is no ROW,COL:HOW[:VALUE]", word);
	if (row >= run->mesh.rows || col >= run->mesh.cols)
		errx(2, "'%s': the mesh has %u rows of %u cells", word, run->mesh.rows,
		     run->mesh.cols);
	l = &run->byz[row * run->mesh.cols + col];
	if (l->lie != HONEST)
		errx(2, "'%s': this process lies already", word);
	l->lie = lie_parse(how);
	if (l->lie == LIE_COVER && *value)
		errx(2, "'%s': who covers others tells no value", word);
	l->value = *value ? number(value, COLDEST, HOTTEST, "value") : HOTTEST;
}

static void options_read(struct options *o, int argc, char **argv)
{
	struct relax *run = &o->run;
	int c;

	if (argc < 3 || *argv[1] == '-')
		errx(2, "%s", usage);
	o->fabric = argv[1];
	if (!mesh_parse(&run->mesh, argv[2]))
		errx(2, "'%s' is no mesh: RxC, from 2x2 to as many as %u nodes can hold", argv[2],
		     CELLS_MAX);
	argv += 2;
	argc -= 2;
	while ((c = getopt(argc, argv, "l:c:w:e:op:t:")) != -1)
		switch (c) {
		case 'l':
			byzantine_parse(run, optarg);
			break;
		case 'c':
			run->copies = whole(optarg, 1, HYPERCUBE_DIM_MAX, "number of copies");
			break;
		case 'w':
			run->work_copies = whole(optarg, 1, HYPERCUBE_DIM_MAX, "number of copies");
			break;
		case 'e':
			run->epsilon = number(optarg, 0.000001, HOTTEST, "epsilon");
			break;
		case 'o':
			run->own_rows = true;
			break;
		case 'p':
			o->picture = optarg;
			break;
		case 't':
			o->title = optarg;
			break;
		default:
			errx(2, "%s", usage);
		}
	if (optind != argc)
		errx(2, "'%s' is too much\n%s", argv[optind], usage);
	if (run->work_copies > run->copies)
		errx(2, "%u copies before are more than %u at the end", run->work_copies,
		     run->copies);
}

/* --- results --- */

/* Compute the deviation of each cell from the exact values @right. Return: the greatest deviation.
 */
static double measure(const struct relax *run, const double *right)
{
	unsigned int i, n = mesh_cells(&run->mesh);
	double most = 0;

	for (i = 0; i < n; i++) {
		struct report *r = &run->report[i];

		r->off = fabs(r->value - right[i]);
		most = fmax(most, r->off);
	}
	return most;
}

/* Print, as JSON member @name, [ROW,COL] of all cells for which @is returns true. */
static void print_cells(const struct relax *run, const char *name,
			bool (*is)(const struct relax *run, unsigned int cell))
{
	unsigned int i, n = mesh_cells(&run->mesh);
	const char *comma = "";

	printf("\"%s\":[", name);
	for (i = 0; i < n; i++)
		if (is(run, i)) {
			printf("%s[%u,%u]", comma, i / run->mesh.cols, i % run->mesh.cols);
			comma = ",";
		}
	printf("],");
}

/* Return: true if the process of this cell is Byzantine. */
static bool lies(const struct relax *run, unsigned int cell)
{
	return run->byz[cell].lie != HONEST;
}

/* Return: true if the process of this cell has detected an error. */
static bool flagged(const struct relax *run, unsigned int cell)
{
	return run->report[cell].flagged;
}

/* Return: true if some process has detected an error of this cell. */
static bool accused(const struct relax *run, unsigned int cell)
{
	unsigned int i, n = mesh_cells(&run->mesh);

	for (i = 0; i < n; i++)
		if (run->report[i].flags[cell])
			return true;
	return false;
}

static void print_reasons(const struct relax *run)
{
	unsigned int i, j, n = mesh_cells(&run->mesh), set = 0, f;
	const char *comma = "";

	for (i = 0; i < n; i++)
		for (j = 0; j < n; j++)
			set |= run->report[i].flags[j];
	printf("\"reasons\":[");
	for (f = 0; f < FLAGS; f++)
		if (set & 1u << f) {
			printf("%s\"%s\"", comma, flag_names[f]);
			comma = ",";
		}
	printf("],");
}

/* Print the nodes that are on all paths whose copies did not match. */
static void print_paths(const struct relax *run)
{
	unsigned int i, u, n = mesh_cells(&run->mesh), paths = 0, outvoted = 0;
	const char *comma = "";

	for (i = 0; i < n; i++) {
		paths += run->report[i].paths;
		outvoted += run->report[i].outvoted;
	}
	printf("\"outvoted\":%u,\"on_all_paths\":[", outvoted);
	for (u = 0; u < CELLS_MAX && paths; u++) {
		unsigned int by = 0;

		for (i = 0; i < n; i++)
			by += run->report[i].through[u];
		if (by == paths) {
			printf("%s%u", comma, u);
			comma = ",";
		}
	}
	printf("],");
}

static void print_all(const struct relax *run, double deviation)
{
	unsigned int i, n = mesh_cells(&run->mesh);
	bool noticed = false;

	for (i = 0; i < n; i++)
		noticed |= run->report[i].flagged;
	printf("{\"deviation\":%.3g,\"epsilon\":%.3g,\"delta\":%.3g,", deviation, run->epsilon,
	       run->delta);
	print_cells(run, "liars", lies);
	print_cells(run, "flagged_by", flagged);
	print_cells(run, "accused", accused);
	print_reasons(run);
	print_paths(run);
	printf("\"vote\":\"%s\"}\n", noticed ? "noticed" :
	       deviation > run->epsilon ? "escaped" : "right");
}

/* ------------------------------------------------------------ the run */

static int run_all(struct options *o)
{
	struct members m = { .fabric = o->fabric, .open = relax_open };
	struct relax *run = &o->run;
	unsigned int i;

	m.count = mesh_cells(&run->mesh);
	for (i = 0; i < m.count; i++)
		m.node[i] = mesh_node(&run->mesh, i);
	/* Each process writes its report; the parent reads the reports when all processes have
	 * ended.
	 */
	run->report = mmap(NULL, CELLS_MAX * sizeof(*run->report), PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (run->report == MAP_FAILED)
		err(1, "memory");
	return members_run(&m, relax_job, run);
}

int main(int argc, char **argv)
{
	static struct options o = {
		.run = { .copies = 3, .work_copies = 1, .epsilon = 0.001 }, .title = "Relaxation",
	};
	double right[CELLS_MAX], deviation;

	options_read(&o, argc, argv);
	o.run.delta = o.run.epsilon / mesh_solve(&o.run.mesh, right);
	if (run_all(&o))
		errx(1, "a process has not come to its end");
	deviation = measure(&o.run, right);
	print_all(&o.run, deviation);
	return o.picture ? picture_write(o.picture, o.title, &o.run) : 0;
}
