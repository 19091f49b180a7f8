/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The connection between the planners and a live fabric: these functions get its faults and install
 * plans. They print errors as those of nl.h do.
 */
#ifndef _HCCTL_PLAN_NL_H
#define _HCCTL_PLAN_NL_H

#include "bcast.h"
#include "checked.h"
#include "doubling.h"
#include "nl/nl.h"
#include "plan.h"
#include "ring.h"
#include "span.h"

/* Compute the network of the fabric @info from @v, which must have all @n nodes of the fabric.
 * Release @topo with live_topo_free().
 */
int live_topo(struct hcctl *h, const struct nl_fabric *info, const struct nl_node *v, size_t n,
	      struct hc_topo *topo);
void live_topo_free(const struct hc_topo *topo);
/* Get the network of a fabric and its nodes. The caller frees @v. */
int live_nodes(struct hcctl *h, const char *fabric, struct hc_topo *topo, struct nl_node **v,
	       size_t *n);
/* Check that the network is a hypercube, which @dim shows (0: it is not). @what is text such as "a
 * tree", for the error message: it needs a hypercube. Return: 0, or -EOPNOTSUPP after printing an
 * error, which names @fabric unless @fabric is NULL.
 */
int live_need_cube(struct hcctl *h, const char *fabric, unsigned int dim, const char *what);

/* Get the faults of a live fabric into *@f. A link that is faulty at one end counts as faulty at
 * both. Release with hc_faults_free().
 */
int live_faults(struct hcctl *h, const char *fabric, struct hc_faults **f);

/* Call @once, which makes a plan and installs it, up to NL_TRIES times: again as long as it returns
 * -ESTALE (the faults have changed since the plan was made) or -EBUSY (another machine is busy).
 * @once prints an error message for these two errors only if @last.
 */
int live_retry(struct hcctl *h, int (*once)(struct hcctl *h, void *arg, bool last), void *arg);

/* Install the best pair of trees of @c as plans @id and @id + 1. With @all, also install the pair
 * of each dimension k, as plans live_pair_id(id, k) and the id after it. @f has the faults for
 * which the pairs were made. Of @like, only two members are used: local, and epoch, the epoch of
 * plan @id (0: the next one). The epochs of the other plans differ from that epoch as their ids
 * differ from @id. @last is as in live_retry().
 */
int live_install_checked(struct hcctl *h, const char *fabric, const struct hc_faults *f,
			 const struct hc_checked *c, uint32_t id, const struct nl_shape *like,
			 bool all, bool last);

static inline uint32_t live_pair_id(uint32_t id, unsigned int k)
{
	return id + 2 + 2 * k;
}

/* Convert a plan to the form that nl_plan_add() takes. The result points into @plan. */
struct nl_shape live_shape_tree(const struct hc_tree_plan *plan);
struct nl_shape live_shape_bcast(const struct hc_bcast_plan *plan);
struct nl_shape live_shape_doubling(const struct hc_doubling *d);
struct nl_shape live_shape_ring(const struct hc_ring_plan *plan);
struct nl_shape live_shape_span(const struct hc_span_plan *plan);

#endif /* _HCCTL_PLAN_NL_H */
