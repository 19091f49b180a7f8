// SPDX-License-Identifier: GPL-2.0
/* The blocking calls: one for each collective but broadcasts, see bcast.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

int hcl_reduce(struct hcl *h, const struct hcl_params *p, const void *in,
	       size_t bytes, void *out, size_t out_max,
	       struct hypercube_result *res)
{
	return hcli_call(h, p, in, bytes, out, out_max, res);
}

/* As @p says, but that collective, and without flags. */
static int call_as(struct hcl *h, enum hypercube_collective collective, const struct hcl_params *p,
		   const void *in, size_t bytes, void *out, size_t out_max,
		   struct hypercube_result *res)
{
	struct hcl_params as = *p;

	as.collective = collective;
	as.flags = 0;
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

static size_t longest(const size_t *bytes, uint32_t members)
{
	size_t most = 0;
	uint32_t i;

	for (i = 0; i < members; i++)
		if (bytes[i] > most)
			most = bytes[i];
	return most;
}

/* The blocks, each padded with zeros; NULL: no memory. */
static char *blocks_pad(const char *in, const size_t *bytes, uint32_t members, size_t block)
{
	char *v = calloc(members, block ? block : 1);
	uint32_t i;

	for (i = 0; v && i < members; i++) {
		memcpy(v + i * block, in, bytes[i]);
		in += bytes[i];
	}
	return v;
}

int hcl_reduce_scatter(struct hcl *h, const struct hcl_params *p, const void *in,
		       const size_t *bytes, uint32_t members, uint32_t rank, void *out,
		       size_t out_max, struct hypercube_result *res)
{
	size_t block = longest(bytes, members);
	struct hypercube_result end;
	char *all, *mine;
	int err;

	if (rank >= members)
		return hcli_refuse(h, p, -EINVAL, "there is no place %u among %u members", rank,
				   members);
	if (out_max < bytes[rank])
		return hcli_refuse(h, p, -EMSGSIZE, "the result has %zu bytes, more than the room for %zu",
				   bytes[rank], out_max);
	all = blocks_pad(in, bytes, members, block);
	/* With fewer members each would have more. */
	mine = malloc(members * block + 1);
	err = all && mine ? hcl_reduce_scatter_block(h, p, all, members * block, mine,
						     members * block, &end) :
			    hcli_failed(h, p, 0, -ENOMEM);
	if (res && all && mine)
		*res = end;
	if (!err && end.bytes != block)
		err = hcli_refuse(h, p, -EPROTO, "the plan does not have %u members", members);
	if (!err)
		memcpy(out, mine, bytes[rank]);
	free(all);
	free(mine);
	return err;
}
