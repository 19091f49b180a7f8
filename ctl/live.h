/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the planners and a live fabric: its faults, and installing plans. Errors are printed as
 * in nl.h.
 */
#ifndef _HCCTL_LIVE_H
#define _HCCTL_LIVE_H

#include "bcast.h"
#include "checked.h"
#include "doubling.h"
#include "nl.h"
#include "plan.h"
#include "ring.h"
#include "span.h"

/* Compute the network of a fabric, all nodes of which are in @v; release with live_topo_free(). */
int live_topo(struct hcctl *h, const struct nl_fabric *info, const struct nl_node *v, size_t n,
	      struct hc_topo *topo);
void live_topo_free(const struct hc_topo *topo);
/* Get the network together with the nodes, which the caller frees. */
int live_nodes(struct hcctl *h, const char *fabric, struct hc_topo *topo, struct nl_node **v,
	       size_t *n);
/* Print an error unless the fabric, or with NULL the network, is a hypercube, which @what ("a
 * tree") needs.
 */
int live_need_cube(struct hcctl *h, const char *fabric, unsigned int dim, const char *what);

/* Get the faults of a live fabric, made the same at both ends of each link. Release with
 * hc_faults_free().
 */
int live_faults(struct hcctl *h, const char *fabric, struct hc_faults **f);

/* Plan and install with @once, until it returns other than -ESTALE, which means that the faults
 * have changed in between; that is an error message only if @last.
 */
int live_retry(struct hcctl *h, int (*once)(struct hcctl *h, void *arg, bool last), void *arg);

/* Install the best pair as plans @id and @id + 1, and with @all that of each dimension after it
 * (live_pair_id()), around the faults for which they were made: see live_retry(). @like: where, and
 * the epoch of the first plan, 0: the next one; epochs of the others differ from it as their ids
 * do.
 */
int live_install_checked(struct hcctl *h, const char *fabric, const struct hc_faults *f,
			 const struct hc_checked *c, uint32_t id, const struct nl_shape *like,
			 bool all, bool last);

static inline uint32_t live_pair_id(uint32_t id, unsigned int k)
{
	return id + 2 + 2 * k;
}

/* Convert a tree for nl_plan_add(); valid as long as the plan is. */
struct nl_shape live_shape_tree(const struct hc_tree_plan *plan);
struct nl_shape live_shape_bcast(const struct hc_bcast_plan *plan);
struct nl_shape live_shape_doubling(const struct hc_doubling *d);
struct nl_shape live_shape_ring(const struct hc_ring_plan *plan);
struct nl_shape live_shape_span(const struct hc_span_plan *plan);

#endif /* _HCCTL_LIVE_H */
