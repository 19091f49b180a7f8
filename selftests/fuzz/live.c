// SPDX-License-Identifier: GPL-2.0
/*
 * The fabric into which frames are injected.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "hc_coll_desc.h"
#include "live.h"
#include "rings.h"

/* --- plans --- */

/* A plan, and a collective that runs on it. */
static const struct row {
	unsigned int plan;
	unsigned char collective;
	unsigned char oper;
	unsigned char type;
} rows[] = {
	{ LIVE_TREE, HYPERCUBE_REDUCE, HYPERCUBE_SUM, HYPERCUBE_U64 },
	{ LIVE_TREE, HYPERCUBE_ALLREDUCE, HYPERCUBE_SUM, HYPERCUBE_U64 },
	{ LIVE_TREE, HYPERCUBE_REDUCE, HYPERCUBE_MERGE, HYPERCUBE_U32 },
	{ LIVE_TREE, HYPERCUBE_GATHER, 0, 0 },
	{ LIVE_TREE, HYPERCUBE_SCATTER, 0, 0 },
	{ LIVE_OTHER, HYPERCUBE_ALLREDUCE, HYPERCUBE_MERGE, HYPERCUBE_U32 },
	{ LIVE_OTHER, HYPERCUBE_BARRIER, 0, 0 },
	{ LIVE_OTHER, HYPERCUBE_REDUCE, HYPERCUBE_PROD, HYPERCUBE_F32 },
	{ LIVE_BCAST, HYPERCUBE_BCAST, 0, 0 },
	{ LIVE_DOUBLING, HYPERCUBE_ALLREDUCE, HYPERCUBE_MAX, HYPERCUBE_I32 },
	{ LIVE_DOUBLING, HYPERCUBE_BARRIER, 0, 0 },
	{ LIVE_DOUBLING, HYPERCUBE_ALLTOALL, 0, 0 },
	{ LIVE_DOUBLING, HYPERCUBE_REDUCE_SCATTER, HYPERCUBE_SUM, HYPERCUBE_U64 },
	{ LIVE_TREE, HYPERCUBE_REDUCE_SCATTER, HYPERCUBE_SUM, HYPERCUBE_U64 },
	{ LIVE_RINGS, HYPERCUBE_ALLGATHER, 0, 0 },
	{ LIVE_RINGS, HYPERCUBE_ALLGATHER, 0, 0 },
};

static unsigned int root[PLANS_MAX];

bool live_open(struct cube *c, struct moment *m, unsigned int dim)
{
	if (cube_new(c, dim, 1024))
		return false;
	memset(m, 0, sizeof(*m));
	m->dim = dim;
	memcpy(m->name, c->name, sizeof(m->name));
	return true;
}

static void look_fabric(void *arg, const struct nl_attrs *a)
{
	struct moment *m = arg;

	m->fabric = nl_get_u32(a, HYPERCUBE_A_FABRIC_ID, 0);
}

static void look_plan(void *arg, const struct nl_attrs *a)
{
	uint32_t id = nl_get_u32(a, HYPERCUBE_A_PLAN_ID, 0);
	struct moment *m = arg;

	if (id < PLANS_MAX)
		m->epoch[id] = nl_get_u32(a, HYPERCUBE_A_PLAN_EPOCH, 0);
}

static void look_op(void *arg, const struct nl_attrs *a)
{
	uint32_t id = nl_get_u32(a, HYPERCUBE_A_OP_PLAN, 0);
	uint64_t done = nl_get_u64(a, HYPERCUBE_A_OP_DONE, 0);
	uint32_t node = nl_get_u32(a, HYPERCUBE_A_OP_NODE, 0);
	struct moment *m = arg;

	if (id < PLANS_MAX && done > m->op[id])
		m->op[id] = done;
	if (id < PLANS_MAX && node < NODES_MAX)
		m->gen[id][node] = nl_get_u32(a, HYPERCUBE_A_OP_GEN, 0);
}

/* Send the request @cmd, and call @cb with each message of the reply. */
static void ask(const struct cube *c, int cmd, int flags, nl_cb cb, struct moment *m)
{
	nl_begin(ctl(), cmd, flags);
	nl_str(ctl(), 1, c->name);
	nl_talk(ctl(), cb, m);
}

void live_look(struct cube *c, struct moment *m)
{
	memset(m->op, 0, sizeof(m->op));
	memset(m->gen, 0, sizeof(m->gen));
	ask(c, HYPERCUBE_CMD_OP_GET, NLM_F_DUMP, look_op, m);
}

void live_plans(struct cube *c, struct moment *m)
{
	memset(m->epoch, 0, sizeof(m->epoch));
	ask(c, HYPERCUBE_CMD_FABRIC_GET, NLM_F_ACK, look_fabric, m);
	ask(c, HYPERCUBE_CMD_PLAN_GET, NLM_F_DUMP, look_plan, m);
	live_look(c, m);
}

static int rings_install(struct cube *c, unsigned int start)
{
	struct rings r;

	rings_random(&r, c, start, 4);
	r.repair = true;
	return cube_rings(c, LIVE_RINGS, &r);
}

void live_leave(struct cube *c)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		cube_close(c, u);
}

bool live_reset(struct cube *c, struct moment *m, bool faults)
{
	unsigned int n = faults ? fz_below(4) : 0;
	bool ok;

	live_leave(c);
	ok = !cube_heal(c);
	while (n--)
		ok = ok && !cube_fail_link(c, fz_below(c->nodes), fz_below(c->dim));
	root[LIVE_BCAST] = fz_below(c->nodes);
	root[LIVE_OTHER] = fz_below(c->nodes);
	ok = ok && !cube_bcast_plan(c, LIVE_BCAST, root[LIVE_BCAST], HC_BCAST_GENERAL);
	ok = ok && !cube_plan_to(c, LIVE_OTHER, root[LIVE_OTHER]);
	ok = ok && !rings_install(c, fz_below(c->nodes));
	/* Recursive doubling needs a cube without faults, so there is no such plan with @faults. */
	if (!faults)
		ok = ok && !cube_doubling(c, LIVE_DOUBLING, c->nodes - 1, 0);
	ok = ok && !cube_plan(c, LIVE_TREE);
	root[LIVE_TREE] = c->plan.tree.sink;
	live_plans(c, m);
	return ok;
}

void live_bind(struct cube *c)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++) {
		cube_close(c, u);
		cube_bind(c, u);
	}
}

/* --- operations --- */

static void take_all(struct cube *c)
{
	static char buf[1 << 14];
	struct hypercube_result res;
	unsigned int u, n;
	bool eor;

	for (u = 0; u < c->nodes; u++)
		for (n = 0; n < 8 && c->fd[u] >= 0; n++)
			if (shc_recv(c->fd[u], buf, sizeof(buf), &res, &eor, MSG_DONTWAIT) < 0)
				break;
}

/* Send @bytes at node @u as its contribution to the collective of row @r. */
static void contribute(struct cube *c, const struct row *r, unsigned int u, unsigned int bytes)
{
	static uint64_t data[1024];
	struct hypercube_op op = {
		.plan = r->plan, .collective = r->collective, .oper = r->oper, .type = r->type,
		.flags = fz_chance(50) ? HYPERCUBE_F_NOTIFY : 0, .bytes = bytes,
	};

	if (r->collective == HYPERCUBE_BARRIER)
		op.bytes = 0;
	if (hc_coll_desc(r->collective)->parts) {
		op.bytes = bytes * c->nodes;
		op.flags = 0;
	}
	if (r->collective == HYPERCUBE_SCATTER)
		op.bytes = u == root[r->plan] ? bytes * c->nodes : 0;
	if (r->collective == HYPERCUBE_BCAST && u != root[r->plan])
		return;
	shc_send(c->fd[u], &op, data, op.bytes, MSG_DONTWAIT);
}

void live_step(struct cube *c, const struct moment *m)
{
	static const unsigned int sizes[] = { 8, 8, 64, 512, 1024 };
	const struct row *r = &rows[fz_below(ARRAY_SIZE(rows))];
	unsigned int bytes = sizes[fz_below(ARRAY_SIZE(sizes))], u;
	unsigned int late = fz_chance(50) ? fz_below(c->nodes) : c->nodes;

	if (!m->epoch[r->plan])
		return;
	for (u = 0; u < c->nodes; u++) {
		if (u == late)
			continue;
		if (fz_chance(1)) {
			cube_close(c, u);
			cube_bind(c, u);
		}
		if (c->fd[u] >= 0)
			contribute(c, r, u, bytes);
	}
	take_all(c);
}

bool live_idle(struct cube *c)
{
	unsigned int plan, u;

	for (plan = 1; plan <= LIVE_RINGS; plan++)
		for (u = 0; u < c->nodes; u++) {
			struct wait_view v;

			if (ctl_op_get(c->name, plan, u, &v))
				continue;
			if (v.wait > HYPERCUBE_WAIT_NOTHING)
				return false;
		}
	return true;
}

/* --- does the fabric work? --- */

bool live_dgrams(struct cube *c)
{
	unsigned int u, v, lost = 0;
	int fd[CUBE_MAX];

	for (u = 0; u < c->nodes; u++)
		fd[u] = shc_bound(c->name, u, SOCK_DGRAM);
	for (u = 0; u < c->nodes; u++)
		for (v = 0; v < c->nodes; v++) {
			struct sockaddr_hypercube a = shc_addr(c->name, v);
			uint64_t end = fz_ms() + 3000, id = fz_rnd(), got = 0;

			sendto(fd[u], &id, sizeof(id), 0, (struct sockaddr *)&a, sizeof(a));
			while (got != id && fz_ms() < end)
				recv(fd[v], &got, sizeof(got), MSG_DONTWAIT);
			if (got != id)
				fz_note("no message comes from %u to %u", u, v);
			lost += got != id;
		}
	for (u = 0; u < c->nodes; u++)
		close(fd[u]);
	return !lost;
}

/* Print the error @err of @what, if there is one. Return: true if there is none. */
static bool one(const char *what, int err)
{
	if (err)
		fz_note("%s: %s", what, strerror(-err));
	return !err;
}

bool live_works(struct cube *c, struct moment *m)
{
	bool ok = live_reset(c, m, false);
	struct rings_steps steps;

	if (!ok)
		fz_note("a plan was refused");
	live_bind(c);
	ok &= live_idle(c);
	if (!ok)
		fz_note("an operation is still pending");
	ok &= one("reduction", cube_reduce(c, LIVE_TREE, NULL));
	ok &= one("allreduce", cube_allreduce(c, LIVE_TREE, NULL));
	ok &= one("doubling", cube_allreduce(c, LIVE_DOUBLING, NULL));
	ok &= one("rings", gather_run(c, LIVE_RINGS, 1, 64, false, &steps) ? 0 : -EIO);
	return ok & live_dgrams(c);
}
