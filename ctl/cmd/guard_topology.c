// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl guard: when the faults change, compute the balancing topology again, and install it.
 *
 * MCWA rounds run on the installed topology, and fail when a fault breaks it. After the repair of a
 * link or node, the installed topology is still valid, but may leave out nodes that could take
 * part. So the topology counts as right only if it equals the one that the planner computes for the
 * current faults, in either of the two shapes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/balance/balance_cmd.h"
#include "guard.h"

static bool is_installed(const struct nl_balance *b, const struct hc_balance_topo *t)
{
	return b->dims == t->b.dims && b->base == t->b.base && b->depth == t->b.depth &&
	       b->nodes == hc_nodes(t->b.dim) && !memcmp(b->up, t->up, b->nodes);
}

/* Compute the topology of shape @shape for the faults @f. Return: 0; 1 if it equals the installed
 * topology @b, and then @t is released; or an error.
 */
static int compute(struct hcctl *own, const struct nl_balance *b, const struct hc_faults *f,
		   enum hc_balance_shape shape, struct hc_balance_topo *t)
{
	int rc = balance_topology(own, f, shape, t);

	if (rc || !is_installed(b, t))
		return rc;
	hc_balance_topo_free(t);
	return 1;
}

static void print_topology(struct hcctl *h, const struct guard_topology *g,
			   const struct hc_balance_topo *t, uint32_t epoch)
{
	out_object(h, NULL);
	out_str(h, "event", NULL, "topology");
	out_str(h, "fabric", NULL, g->fabric);
	out_str(h, "topology", "topology of balancing: %s", balance_shapes[g->shape]);
	out_uint(h, "epoch", ", epoch %" PRIu64 " installed", epoch);
	out_uint(h, "members", ", %" PRIu64 " members", t->members);
	out_uint(h, "depth", ", depth %" PRIu64 "\n", t->b.depth);
	out_close(h);
}

/* If @b is not right for the faults @f, install the right topology; @t is set to it. Return: 0; 1
 * if @b is right; -ESTALE if another guard or the administrator has replaced @b, or the faults have
 * changed since @f; or another error.
 */
static int install_for(struct hcctl *own, struct guard_topology *g, const struct nl_balance *b,
		       const struct hc_faults *f, struct hc_balance_topo *t)
{
	enum hc_balance_shape other = g->shape == HC_BALANCE_MCWA ? HC_BALANCE_MINIMAL :
								    HC_BALANCE_MCWA;
	struct hc_balance_topo second;
	int rc = compute(own, b, f, g->shape, t);

	if (rc)
		return rc;
	rc = compute(own, b, f, other, &second);
	if (!rc)
		hc_balance_topo_free(&second);
	if (rc == 1)
		g->shape = other;
	else
		rc = nl_balance_topology(own, g->fabric, &t->b, f->fault, b->epoch);
	if (rc)
		hc_balance_topo_free(t);
	return rc;
}

int guard_topology(struct hcctl *h, struct hcctl *own, struct guard_topology *g)
{
	struct hc_balance_topo t;
	struct nl_balance b;
	struct hc_faults *f;
	int rc = nl_balance(own, g->fabric, &b);

	if (rc || !b.nodes)
		return rc;
	rc = live_faults(own, g->fabric, &f);
	if (rc)
		return rc;
	rc = install_for(own, g, &b, f, &t);
	hc_faults_free(f);
	if (rc < 0)
		return rc;
	free(g->said);
	g->said = NULL;
	if (rc)
		return 0;
	print_topology(h, g, &t, b.epoch + 1);
	hc_balance_topo_free(&t);
	return out_failed() ? -EIO : 0;
}
