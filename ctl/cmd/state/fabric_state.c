// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl fabric save and restore, and hcctl fault load: the state of a fabric in a file.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "state.h"

/* --- save --- */

/* Maximum number of warnings. A fabric with thousands of nodes may cause a warning for each node,
 * and the first ones are enough.
 */
#define UNKEPT_SAID 16

static void warn_unkept(struct hcctl *h, const struct state *s, const char *what)
{
	size_t i;

	for (i = 0; i < s->nunkept && i < UNKEPT_SAID; i++)
		hc_warn(h, "%s: %s", s->unkept[i], what);
	if (i < s->nunkept)
		hc_warn(h, "and %zu more: %s", s->nunkept - i, what);
}

/* Print a warning for each property of the fabric that the file cannot hold. */
static void warn_left_out(struct hcctl *h, const struct state *s)
{
	uint32_t u, lost = 0;
	size_t i;

	for (i = 0; i < s->nplans; i++)
		if (!state_keeps(&s->plan[i]))
			hc_warn(h, "plan %u is left out: %s", s->plan[i].id,
				s->plan[i].broken ? "it is broken" : "its type is unknown");
	for (u = 0; u < s->topo.nodes; u++)
		lost += s->node[u].lost;
	warn_unkept(h, s, "that is not saved");
	if (lost)
		hc_warn(h, "endpoints in network namespaces without a name are saved as if they had not moved: %u",
			lost);
}

int cmd_fabric_save(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct state s;
	int rc;

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = state_live(h, fabric, true, &s);
	if (!rc) {
		warn_left_out(h, &s);
		state_print(h, &s);
	}
	state_free(&s);
	return rc;
}

/* --- restore --- */

/* Set *@there to whether there is a fabric with the name @fabric. It is no error if there is none.
 */
static int exists(struct hcctl *h, const char *fabric, bool *there)
{
	struct nl_fabric *v;
	size_t n, i;
	int rc = nl_fabrics(h, &v, &n);

	*there = false;
	for (i = 0; !rc && i < n; i++)
		*there |= !strcmp(v[i].name, fabric);
	if (!rc)
		free(v);
	return rc;
}

static int cannot_change(struct hcctl *h, const struct state *want, const char *what,
			 uint32_t wanted, uint32_t has)
{
	hc_error(h, "%s %u is wanted, but fabric %s has %u and keeps it; try another name, or: hcctl fabric del %s",
		 what, wanted, want->name, has, want->name);
	return HC_NO;
}

static bool same_network(const struct hc_topo *a, const struct hc_topo *b)
{
	return a->nodes == b->nodes && a->ports == b->ports && !a->peers == !b->peers &&
	       (!a->peers || !memcmp(a->peers, b->peers, a->nodes * a->ports * sizeof(*a->peers)));
}

/* Check the parameters that cannot be changed: the existing fabric must have the wanted values. */
static int check_made_with(struct hcctl *h, const struct state *have, const struct state *want)
{
	uint32_t has = have->id ?: hc_name_id(have->name), id = want->id ?: has;

	if (have->dim && want->dim && have->dim != want->dim)
		return cannot_change(h, want, "dim", want->dim, have->dim);
	if (!same_network(&have->topo, &want->topo)) {
		hc_error(h, "fabric %s is another network and stays that; try another name, or: hcctl fabric del %s",
			 want->name, want->name);
		return HC_NO;
	}
	if (have->fixed != want->fixed || have->base != want->base) {
		hc_error(h, "fabric %s has other nodes on this machine and keeps them; try another name, or: hcctl fabric del %s",
			 want->name, want->name);
		return HC_NO;
	}
	if (id != has)
		return cannot_change(h, want, "id", id, has);
	if (want->segment && have->segment != want->segment)
		return cannot_change(h, want, "segment", want->segment, have->segment);
	return 0;
}

/* Get the current state of the fabric @want->name. If there is no such fabric, get the state that a
 * new one has.
 */
static int have_of(struct hcctl *h, const struct state *want, struct state *have)
{
	bool there;
	int rc = exists(h, want->name, &there);

	*have = (struct state){
		.dim = want->dim, .topo = want->topo, .fixed = want->fixed, .base = want->base,
	};
	if (rc)
		return rc;
	if (!there)
		return state_init(h, have);
	return state_live(h, want->name, true, have) ?: check_made_with(h, have, want);
}

/* Parse [NAME] [dry-run] [keep-plans]. */
static int restore_args(struct hcctl *h, int argc, char **argv, const char **name, bool *dry,
			bool *keep_plans)
{
	struct arg args[] = {
		{ "dry-run", NULL, dry },
		{ "keep-plans", NULL, keep_plans },
		{}
	};

	*name = NULL;
	if (argc && strcmp(*argv, "dry-run") && strcmp(*argv, "keep-plans")) {
		*name = hc_take_fabric(h, &argc, &argv);
		if (!*name)
			return HC_USAGE;
	}
	return hc_args(h, args, argc, argv);
}

int cmd_fabric_restore(struct hcctl *h, int argc, char **argv)
{
	const char *file = hc_take(h, "FILE", &argc, &argv), *name;
	struct state have = {}, want = {};
	struct state_diff d = { .have = &have, .want = &want };
	bool dry = false;
	int rc;

	if (!file || restore_args(h, argc, argv, &name, &dry, &d.keep_plans))
		return HC_USAGE;
	rc = state_read(h, file, &want);
	if (!rc && name)
		snprintf(want.name, sizeof(want.name), "%s", name);
	rc = rc ?: have_of(h, &want, &have);
	if (!rc)
		warn_unkept(h, &have, "files do not have that, and it stays as it is");
	rc = rc ?: state_reach(h, &d, dry);
	state_free(&have);
	state_free(&want);
	return rc;
}

/* --- faults alone --- */

static int no_such(struct hcctl *h, const char *file, const struct state *s, const char *what,
		   uint32_t u, int dim)
{
	if (dim < 0 && !s->dim)
		hc_error(h, "%s: the fabric has no %s %u", file, what, u);
	else if (!s->dim)
		hc_error(h, "%s: the fabric has no %s %u:%d", file, what, u, dim);
	else if (dim < 0)
		hc_error(h, "%s: %s %u is not in a cube of dimension %u", file, what, u, s->dim);
	else
		hc_error(h, "%s: %s %u:%d is not in a cube of dimension %u", file, what, u, dim,
			 s->dim);
	return HC_USAGE;
}

static void set_down(struct state *s, struct link_ref l)
{
	uint32_t ends[2] = { l.node, hc_peer(&s->topo, l.node, l.dim) }, i;

	for (i = 0; i < 2; i++)
		state_end(s, ends[i], l.dim)->down = true;
}

/* Change @s: its faults are to be the listed ones and no others. */
static int set_faults(struct hcctl *h, const char *file, struct state *s,
		      const struct link_list *links, const struct node_list *nodes)
{
	uint32_t u;
	size_t i;

	for (i = 0; i < state_ends(s); i++) {
		s->end[i].down = false;
		s->end[i].flap_period = 0;
		s->end[i].flap_down = 0;
	}
	for (u = 0; u < s->topo.nodes; u++)
		s->node[u].failed = false;
	for (i = 0; i < nodes->n; i++) {
		if (nodes->v[i] >= s->topo.nodes)
			return no_such(h, file, s, "node", nodes->v[i], -1);
		s->node[nodes->v[i]].failed = true;
	}
	for (i = 0; i < links->n; i++) {
		if (links->v[i].node >= s->topo.nodes || links->v[i].dim >= s->topo.ports ||
		    !hc_port_exists(&s->topo, links->v[i].node, links->v[i].dim))
			return no_such(h, file, s, "link", links->v[i].node, links->v[i].dim);
		set_down(s, links->v[i]);
	}
	return 0;
}

static int each_fault(struct hcctl *h, const struct state *s, struct link_list *links,
		      struct node_list *nodes)
{
	const struct hc_extent c = { s->topo, s->fixed, s->base };

	return hc_links_each(h, links, &c) ?: hc_nodes_each(h, nodes, &c);
}

int cmd_fault_load(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv), *file;
	struct state have = {}, want = {};
	struct state_diff d = { .have = &have, .want = &want, .faults = true };
	struct link_list links = {};
	struct node_list nodes = {};
	bool dry = false;
	struct arg args[] = { { "dry-run", NULL, &dry }, {} };
	int rc;

	file = fabric ? hc_take(h, "FILE", &argc, &argv) : NULL;
	if (!file || hc_args(h, args, argc, argv))
		return HC_USAGE;
	rc = cmd_faults_file(h, file, &links, &nodes);
	rc = rc ?: state_live(h, fabric, false, &have) ?: state_live(h, fabric, false, &want) ?:
	     each_fault(h, &want, &links, &nodes) ?:
	     set_faults(h, file, &want, &links, &nodes) ?:
	     state_reach(h, &d, dry);
	state_free(&have);
	state_free(&want);
	free(links.v);
	free(nodes.v);
	return rc;
}
