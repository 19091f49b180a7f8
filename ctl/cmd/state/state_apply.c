// SPDX-License-Identifier: GPL-2.0
/*
 * Making the steps from one state of a fabric to another.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan_nl.h"
#include "state.h"

/* Arguments of the functions that make a step. */
struct applying {
	struct hcctl *h;
	struct state_diff *d;		/* state before the steps, wanted state, and steps */
	struct netns_names made;	/* namespaces that the steps have made */
};

/* --- endpoints --- */

static int cannot_open(struct hcctl *h, const char *netns, int err)
{
	hc_error(h, "cannot open network namespace \"%s\": %s", netns, strerror(-err));
	return err;
}

/* Move the endpoint of node @u to the namespace of the wanted state. If that namespace does not
 * exist, make it; it is then removed together with the fabric.
 */
static int move(struct applying *a, uint32_t u)
{
	const char *name = a->d->want->name, *netns = a->d->want->node[u].netns;
	size_t before = a->made.n;
	char path[256];
	int fd, rc = 0;

	fd = netns ? nl_netns_open(netns, path, sizeof(path)) : cmd_netns_home(a->h);
	if (netns && fd == -ENOENT) {
		rc = cmd_netns_make(a->h, name, netns, u, &a->made);
		fd = rc ? -1 : nl_netns_open(netns, path, sizeof(path));
	}
	if (!rc && fd < 0)
		return netns ? cannot_open(a->h, netns, fd) : -EIO;
	rc = rc ?: nl_node_netns(a->h, name, u, fd, 0);
	if (fd >= 0)
		close(fd);
	if (rc && a->made.n > before)
		cmd_netns_remove(a->made.v[a->made.n - 1]);
	return rc;
}

/* Make a step that configures an endpoint. If the endpoint had to be moved to another namespace, an
 * earlier step has done that.
 */
static int configure(struct applying *a, const struct state_step *s)
{
	const struct state_node *have = &a->d->have->node[s->i], *want = &a->d->want->node[s->i];
	int home = -1, fd = -1, rc = 0;
	const char *ifname = have->ifname;
	char path[256], name[32];

	if (!*ifname) {
		snprintf(name, sizeof(name), "%sn%u", a->d->want->name, s->i);
		ifname = name;
	}
	if (want->netns) {
		home = cmd_netns_home(a->h);
		if (home < 0)
			return -EIO;
		fd = nl_netns_open(want->netns, path, sizeof(path));
		rc = fd < 0 ? cannot_open(a->h, want->netns, fd) :
			      cmd_netns_go(a->h, fd, want->netns);
	}
	if (!rc && s->kind == STATE_UP)
		rc = nl_dev_up(a->h, ifname, want->up);
	else if (!rc && s->kind == STATE_MTU)
		rc = nl_dev_mtu(a->h, ifname, want->mtu);
	else if (!rc && s->kind == STATE_QUEUE)
		rc = nl_dev_queue(a->h, ifname, want->queue);
	else if (!rc)
		rc = nl_dev_address(a->h, ifname, s->kind == STATE_ADDR ? &want->addr[s->j] :
				    &have->addr[s->j], s->kind == STATE_ADDR);
	if (want->netns && fd >= 0)
		rc = cmd_netns_go(a->h, home, "this process came from") ?: rc;
	if (fd >= 0)
		close(fd);
	if (home >= 0)
		close(home);
	return rc;
}

/* --- links --- */

static int set_link(struct applying *a, const struct state_step *s)
{
	const struct state *have = a->d->have, *want = a->d->want;
	const struct state_end *e = state_end(want, s->i, s->j);
	struct nl_link_set set = {}, far;

	switch (s->kind) {
	case STATE_LINK:
	case STATE_STEADY:
		set.set = NL_LINK_BIT(DOWN);
		set.link.down = s->kind == STATE_LINK && e->down;
		break;
	case STATE_FLAP:
		set.set = NL_LINK_BIT(FLAP_DOWN) | NL_LINK_BIT(FLAP_PERIOD);
		set.link.flap_down = e->flap_down;
		set.link.flap_period = e->flap_period;
		break;
	case STATE_IMPAIR_BOTH:
		far = state_end_changes(state_end(have, hc_peer(&want->topo, s->i, s->j), s->j),
					state_end(want, hc_peer(&want->topo, s->i, s->j), s->j));
		set = state_end_changes(state_end(have, s->i, s->j), e);
		set.set |= far.set;
		break;
	default:
		set = state_end_changes(state_end(have, s->i, s->j), e);
		set.one_way = true;
	}
	return nl_link_set(a->h, want->name, (struct link_ref){ s->i, s->j }, &set);
}

/* --- plans --- */

/* Arguments of install_once(). */
struct installing {
	struct applying *a;
	const struct nl_plan *plan;
};

/* Install a plan for the current faults, on this machine only, because the state is that of this
 * machine.
 */
static int install_once(struct hcctl *h, void *arg, bool last)
{
	const struct installing *in = arg;
	const char *fabric = in->a->d->want->name;
	struct hc_ring_tree rings;
	struct nl_shape shape = planner_shape(in->plan, &rings);
	struct hc_faults *f;
	int rc = live_faults(h, fabric, &f);

	if (rc)
		return rc;
	shape.local = true;
	rc = nl_plan_add(h, fabric, in->plan->id, in->plan->type, &shape, f->topo.nodes,
			 f->fault, !last);
	hc_faults_free(f);
	return rc;
}

static int install(struct applying *a, const struct nl_plan *v)
{
	struct installing in = { a, v };
	char text[32];
	struct hc_where at = { .text = text };
	int rc;

	snprintf(text, sizeof(text), "plan %u", v->id);
	hc_enter(a->h, &at);
	rc = live_retry(a->h, install_once, &in);
	hc_leave(a->h, &at);
	return rc;
}

/* --- steps --- */

static int make(struct applying *a, const struct state_step *s)
{
	const struct state *want = a->d->want;
	struct hcctl *h = a->h;

	switch (s->kind) {
	case STATE_FABRIC:
		return nl_fabric_add(h, &(struct nl_fabric_new){
			.name = want->name, .dim = want->dim, .id = want->id,
			.topo = want->peer ? &want->topo : NULL,
			.shape = *want->shape ? want->shape : NULL,
			.segment = want->segment, .fixed = want->fixed, .base = want->base });
	case STATE_STALL_TIMEOUT:
		return nl_fabric_stall_timeout(h, want->name, want->stall_timeout);
	case STATE_PLAN_DEL:
		return nl_plan_del(h, want->name, a->d->have->plan[s->i].id, true);
	case STATE_PLAN:
		return install(a, &want->plan[s->i]);
	case STATE_NETNS:
		return move(a, s->i);
	case STATE_MTU:
	case STATE_QUEUE:
	case STATE_ADDR_DEL:
	case STATE_ADDR:
	case STATE_UP:
		return configure(a, s);
	case STATE_OWNER:
		return nl_node_owner(h, want->name, s->i, want->node[s->i].owner);
	case STATE_BYZANTINE:
		return nl_node_byzantine(h, want->name, s->i, &want->node[s->i].byzantine,
					 cmd_is_byzantine(&want->node[s->i].byzantine));
	case STATE_FAILED:
		return nl_node_fail(h, want->name, s->i, want->node[s->i].failed);
	default:
		return set_link(a, s);
	}
}

/* If the steps have made the fabric, remove it and the namespaces that they have made. */
static void undo(struct applying *a)
{
	size_t i;

	if (*a->d->have->name)
		return;
	if (a->d->nsteps && a->d->step[0].done)
		nl_fabric_del(a->h, a->d->want->name);
	for (i = 0; i < a->made.n; i++)
		cmd_netns_remove(a->made.v[i]);
	for (i = 0; i < a->d->nsteps; i++)
		a->d->step[i].done = false;
}

/* Write the text that precedes an error message: how many of @all steps were done, or if the fabric
 * is new, that it was removed.
 */
static void say_done(char *text, size_t size, bool is_new, size_t done, size_t all)
{
	if (is_new)
		snprintf(text, size, "nothing is left of the new fabric: ");
	else
		snprintf(text, size, "%zu of %zu steps are done, the others are not: ", done, all);
}

int state_apply(struct hcctl *h, struct state_diff *d)
{
	bool is_new = !*d->have->name;
	struct applying a = { .h = h, .d = d };
	char text[96];
	struct hc_where at = { .error = text, .text = "" };
	int rc = 0;
	size_t i;

	cmd_signals_hold();
	hc_enter(h, &at);
	for (i = 0; !rc && i < d->nsteps; i++) {
		say_done(text, sizeof(text), is_new, i, d->nsteps);
		rc = make(&a, &d->step[i]);
		d->step[i].done = !rc;
		if (!rc && cmd_signals_came() && (is_new || i + 1 < d->nsteps)) {
			say_done(text, sizeof(text), is_new, i + 1, d->nsteps);
			hc_error(h, "a signal came");
			rc = -EINTR;
		}
	}
	hc_leave(h, &at);
	if (rc)
		undo(&a);
	cmd_netns_drop(&a.made, false);
	/* If a signal is recorded, cmd_signals_release() ends the process, so print everything
	 * before calling it.
	 */
	state_diff_print(h, d, false);
	cmd_signals_release();
	return rc;
}

int state_reach(struct hcctl *h, struct state_diff *d, bool dry)
{
	int rc = state_diff(h, d);

	if (!rc && dry)
		state_diff_print(h, d, true);
	else if (!rc)
		rc = state_apply(h, d);
	free(d->step);
	return rc;
}
