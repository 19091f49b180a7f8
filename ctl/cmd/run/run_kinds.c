// SPDX-License-Identifier: GPL-2.0
/*
 * The collectives of hcctl run, with an entry for each.
 */
#include "run.h"

static int reduce_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_reduce(hcl, &r->p, p->in, p->bytes, p->out, p->room, p->res);
}

static int allreduce_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_allreduce(hcl, &r->p, p->in, p->bytes, p->out, p->room, p->res);
}

/* The call of the root returns only after all members have the message (HYPERCUBE_F_NOTIFY). */
static int bcast_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_bcast(hcl, r->p.plan, r->root, p->out ? p->out : p->in,
			 p->out ? p->room : p->bytes, p->out ? 0 : HYPERCUBE_F_NOTIFY, p->res);
}

static int reduce_checked(struct hcl *hcl, const struct run *r, const struct run_part *p,
			  struct hcl_check *check)
{
	return hcl_checked_reduce(hcl, &r->p, &r->check->best, p->in, p->bytes, p->out, check);
}

static int allreduce_checked(struct hcl *hcl, const struct run *r, const struct run_part *p,
			     struct hcl_check *check)
{
	return hcl_checked_allreduce(hcl, &r->p, &r->check->best, p->in, p->bytes, p->out, check);
}

static int bcast_checked(struct hcl *hcl, const struct run *r, const struct run_part *p,
			 struct hcl_check *check)
{
	return hcl_checked_bcast(hcl, &r->check->best, r->root, p->out ? p->out : p->in,
				 p->out ? p->room : p->bytes, check);
}

static int barrier_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_barrier(hcl, r->p.plan, p->res);
}

static int gather_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_gather(hcl, r->p.plan, p->in, p->bytes, p->out, p->room, p->res);
}

static int scatter_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_scatter(hcl, r->p.plan, p->in, p->bytes, p->out, p->room, p->res);
}

static int allgather_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_allgather(hcl, r->p.plan, p->in, p->bytes, p->out, p->room, 0, p->res);
}

static int alltoall_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_alltoall(hcl, r->p.plan, p->in, p->bytes, p->out, p->room, p->res);
}

static int scattered_part(struct hcl *hcl, const struct run *r, const struct run_part *p)
{
	return hcl_reduce_scatter_block(hcl, &r->p, p->in, p->bytes, p->out, p->room, p->res);
}

static const struct run_kind reduce = {
	.collective = HYPERCUBE_REDUCE, .take_part = reduce_part, .checked = reduce_checked,
	.expected = run_expect_merged,
};

static const struct run_kind allreduce = {
	.collective = HYPERCUBE_ALLREDUCE, .take_part = allreduce_part,
	.checked = allreduce_checked,
	.expected = run_expect_merged,
};

static const struct run_kind bcast = {
	.collective = HYPERCUBE_BCAST, .take_part = bcast_part, .checked = bcast_checked,
	.expected = run_expect_message,
};

static const struct run_kind gather = {
	.collective = HYPERCUBE_GATHER, .take_part = gather_part, .expected = run_expect_blocks,
};

static const struct run_kind scatter = {
	.collective = HYPERCUBE_SCATTER, .take_part = scatter_part, .expected = run_expect_blocks,
};

static const struct run_kind allgather = {
	.collective = HYPERCUBE_ALLGATHER, .take_part = allgather_part,
	.expected = run_expect_blocks,
};

static const struct run_kind alltoall = {
	.collective = HYPERCUBE_ALLTOALL, .take_part = alltoall_part,
	.expected = run_expect_exchanged,
};

static const struct run_kind reduce_scatter = {
	.collective = HYPERCUBE_REDUCE_SCATTER, .take_part = scattered_part,
	.expected = run_expect_merged,
};

static const struct run_kind barrier = {
	.collective = HYPERCUBE_BARRIER, .take_part = barrier_part,
};

const struct hc_cmd run_cmds[] = {
	{
		"reduce", run_collective,
		"NAME [op OP] [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [plan ID] [checked] [verify] [iterations N] [timeout MS] [details]",
		&reduce,
	},
	{
		"allreduce", run_collective,
		"NAME [op OP] [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [method auto|tree|doubling|span] [plan ID] [checked] [verify] [iterations N] [timeout MS] [details]",
		&allreduce,
	},
	{
		"bcast", run_collective,
		"NAME [source NODE] [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [plan ID] [checked] [verify] [iterations N] [timeout MS] [details]",
		&bcast,
	},
	{
		"gather", run_collective,
		"NAME [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [plan ID] [verify] [iterations N] [timeout MS] [details]",
		&gather,
	},
	{
		"scatter", run_collective,
		"NAME [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [plan ID] [verify] [iterations N] [timeout MS] [details]",
		&scatter,
	},
	{
		"allgather", run_collective,
		"NAME [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [method auto|tree|doubling|ring|span] [plan ID] [verify] [iterations N] [timeout MS] [details]",
		&allgather,
	},
	{
		"barrier", run_collective,
		"NAME [method auto|tree|doubling|span] [plan ID] [verify] [iterations N] [timeout MS] [details]",
		&barrier,
	},
	{
		"alltoall", run_collective,
		"NAME [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [method auto|doubling|ring] [plan ID] [verify] [iterations N] [timeout MS] [details]",
		&alltoall,
	},
	{
		"reduce_scatter", run_collective,
		"NAME [op OP] [type T] [count C | sweep [from BYTES] [to BYTES]] [data FILE | random SEED] [method auto|tree|doubling|span] [plan ID] [verify] [iterations N] [timeout MS] [details]",
		&reduce_scatter,
	},
	{}
};
