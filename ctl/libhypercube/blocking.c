// SPDX-License-Identifier: GPL-2.0
/*
 * The blocking calls: one for each collective except broadcasts, which are in bcast.c; vector.c
 * has those with blocks of different lengths.
 */
#include "handle.h"

int hcl_reduce(struct hcl *h, const struct hcl_params *p, const void *in,
	       size_t bytes, void *out, size_t out_max,
	       struct hypercube_result *res)
{
	return hcli_call(h, p, in, bytes, out, out_max, res);
}

/* Run @collective with the parameters @p, without HYPERCUBE_F_NOTIFY. */
static int call_as(struct hcl *h, enum hypercube_collective collective, const struct hcl_params *p,
		   const void *in, size_t bytes, void *out, size_t out_max,
		   struct hypercube_result *res)
{
	struct hcl_params as = *p;

	as.collective = collective;
	as.flags &= ~HYPERCUBE_F_NOTIFY;
	return hcli_call(h, &as, in, bytes, out, out_max, res);
}

int hcl_allreduce(struct hcl *h, const struct hcl_params *p, const void *in,
		  size_t bytes, void *out, size_t out_max,
		  struct hypercube_result *res)
{
	return call_as(h, HYPERCUBE_ALLREDUCE, p, in, bytes, out, out_max, res);
}

int hcl_barrier(struct hcl *h, uint32_t plan, struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_BARRIER };

	return hcli_call(h, &p, NULL, 0, NULL, 0, res);
}

int hcl_gather(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
	       size_t out_max, struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_GATHER };

	return hcli_call(h, &p, in, bytes, out, out_max, res);
}

int hcl_scatter(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
		size_t out_max, struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_SCATTER };

	return hcli_call(h, &p, in, bytes, out, out_max, res);
}

int hcl_allgather(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
		  size_t out_max, unsigned int flags, struct hypercube_result *res)
{
	const struct hcl_params p = {
		.plan = plan, .collective = HYPERCUBE_ALLGATHER, .flags = flags,
	};

	return hcli_call(h, &p, in, bytes, out, out_max, res);
}

int hcl_alltoall(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
		 size_t out_max, struct hypercube_result *res)
{
	const struct hcl_params p = { .plan = plan, .collective = HYPERCUBE_ALLTOALL };

	return hcli_call(h, &p, in, bytes, out, out_max, res);
}

int hcl_reduce_scatter_block(struct hcl *h, const struct hcl_params *p, const void *in,
			     size_t bytes, void *out, size_t out_max,
			     struct hypercube_result *res)
{
	return call_as(h, HYPERCUBE_REDUCE_SCATTER, p, in, bytes, out, out_max, res);
}
