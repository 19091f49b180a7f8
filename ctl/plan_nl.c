// SPDX-License-Identifier: GPL-2.0
/*
 * See plan_nl.h.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "plan_nl.h"

int live_topo(struct hcctl *h, const struct nl_fabric *info, const struct nl_node *v, size_t n,
	      struct hc_topo *topo)
{
	uint16_t *peer;
	size_t i;

	*topo = hc_topo_cube(info->dim);
	if (info->dim)
		return 0;
	*topo = (struct hc_topo){ .nodes = info->nodes, .ports = info->ports };
	peer = calloc(info->nodes, info->ports * sizeof(*peer));
	if (!peer)
		return hc_nomem(h);
	topo->peers = peer;
	for (i = 0; i < n; i++)
		if (v[i].id < info->nodes && v[i].npeers == info->ports)
			memcpy(peer + v[i].id * info->ports, v[i].peer,
			       info->ports * sizeof(*peer));
	return 0;
}

int live_nodes(struct hcctl *h, const char *fabric, struct hc_topo *topo, struct nl_node **v,
	       size_t *n)
{
	struct nl_fabric info;
	int rc = nl_fabric(h, fabric, &info) ?: nl_nodes(h, fabric, v, n);

	if (rc)
		return rc;
	rc = live_topo(h, &info, *v, *n, topo);
	if (rc)
		free(*v);
	return rc;
}

void live_topo_free(const struct hc_topo *topo)
{
	free((void *)topo->peers);
}

int live_need_cube(struct hcctl *h, const char *fabric, unsigned int dim, const char *what)
{
	if (dim)
		return 0;
	if (fabric)
		hc_error(h, "fabric %s: %s needs a hypercube, and this is another network", fabric,
			 what);
	else
		hc_error(h, "%s needs a hypercube, and this is another network", what);
	return -EOPNOTSUPP;
}

int live_faults(struct hcctl *h, const char *fabric, struct hc_faults **out)
{
	struct hc_faults *f;
	struct hc_topo topo;
	struct nl_node *v;
	unsigned int d;
	size_t n, i;
	int rc;

	rc = live_nodes(h, fabric, &topo, &v, &n);
	if (rc)
		return rc;
	f = hc_faults_of(&topo);
	if (!f) {
		free(v);
		return hc_nomem(h);
	}
	for (i = 0; i < n; i++) {
		/* A remote node counts as failed if all of its links are faulty, because it is
		 * unreachable.
		 */
		if (v[i].failed || (v[i].remote && v[i].fault == hc_ports_mask(&topo)))
			hc_faults_node(f, v[i].id);
		for (d = 0; d < topo.ports; d++)
			if (v[i].fault & hc_bit(d))
				hc_faults_link(f, v[i].id, d);
	}
	free(v);
	*out = f;
	return 0;
}

int live_retry(struct hcctl *h, int (*once)(struct hcctl *h, void *arg, bool last), void *arg)
{
	int rc = 0, try;

	/* The kernel may refuse the plan temporarily: after a change of a link, its nodes have the
	 * new FAULT words only a moment later, and another machine may be busy with another
	 * request.
	 */
	for (try = 0; try < NL_TRIES; try++) {
		rc = once(h, arg, try == NL_TRIES - 1);
		if (rc != -ESTALE && rc != -EBUSY)
			break;
		nl_pause(try);
	}
	return rc;
}

struct nl_shape live_shape_tree(const struct hc_tree_plan *plan)
{
	const struct hc_tree *t = &plan->tree;

	return (struct nl_shape){
		.root_attr = HYPERCUBE_A_PLAN_SINK, .root = t->sink,
		.order = t->order, .stages = t->stages, .members = t->members,
		.detours = t->detours, .ndetours = t->ndetours,
	};
}

struct nl_shape live_shape_bcast(const struct hc_bcast_plan *plan)
{
	const struct hc_bcast *b = &plan->bcast;

	return (struct nl_shape){
		.root_attr = HYPERCUBE_A_PLAN_SOURCE, .root = b->source,
		.sequence = b->sequence, .steps = b->steps, .members = b->members,
	};
}

struct nl_shape live_shape_doubling(const struct hc_doubling *d)
{
	return (struct nl_shape){
		.root_attr = HYPERCUBE_A_PLAN_BASE, .root = d->base,
		.order = d->order, .stages = d->stages,
	};
}

struct nl_shape live_shape_ring(const struct hc_ring_plan *plan)
{
	return (struct nl_shape){ .rings = &plan->tree };
}

struct nl_shape live_shape_span(const struct hc_span_plan *plan)
{
	const struct hc_span *s = &plan->span;

	return (struct nl_shape){
		.root_attr = HYPERCUBE_A_PLAN_SINK, .root = s->root,
		.sequence = s->parent, .sequence_attr = HYPERCUBE_A_PLAN_PARENTS, .steps = s->n,
	};
}

static int install_pair(struct hcctl *h, const char *fabric, const struct hc_faults *f,
			const struct hc_checked_pair *p, uint32_t id, const struct nl_shape *like,
			uint32_t by, bool last)
{
	unsigned int i;
	int rc = 0;

	for (i = 0; i < 2 && !rc; i++) {
		struct nl_shape s = live_shape_tree(&p->tree[i].plan);

		s.epoch = like->epoch ? like->epoch + by + i : 0;
		s.local = like->local;
		rc = nl_plan_add(h, fabric, id + i, HYPERCUBE_PLAN_TREE, &s,
				 f->topo.nodes, f->fault, !last);
	}
	return rc;
}

int live_install_checked(struct hcctl *h, const char *fabric, const struct hc_faults *f,
			 const struct hc_checked *c, uint32_t id, const struct nl_shape *like,
			 bool all, bool last)
{
	int rc = install_pair(h, fabric, f, &c->best, id, like, 0, last);
	uint32_t at;
	unsigned int k;

	for (k = 0; k < c->dim && !rc && all; k++) {
		at = live_pair_id(id, k);
		if (c->pair[k].found)
			rc = install_pair(h, fabric, f, &c->pair[k], at, like, at - id, last);
	}
	return rc;
}
