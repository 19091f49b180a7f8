// SPDX-License-Identifier: GPL-2.0
/*
 * Guarded plans with collectives that have a block for each member (scatter, gather, allgather,
 * reduce_scatter, alltoall): operations go on in the next epoch, which may have another type. All
 * collectives of recursive doubling go on over a tree, those of rings over rings or over a tree,
 * and those of a tree over rings. The test itself acts as the guard.
 *
 * Scheduling: alone
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define TESTS_TOGETHER
#include "cube.h"
#include "ktap.h"
#include "rings.h"

#define PLAN	1
#define NODES	8
#define ALL	((1u << NODES) - 1)
#define OPS	10
#define MANY	4
#define GUARD_MS 20000

#define KINDS	5

/**
 * struct type - the plan type of the first epoch, and that of the next one
 * @kinds: collectives that both plan types can run
 * @n: number of @kinds
 * @links: number of links of the first plan that fail, one in each test
 * @every: multiplies the number of steps between two points in time at which a fault is tried
 * @link: finds link @i of the first plan
 * @first: installs the first plan, of the whole cube
 * @next: installs the next plan around the faults and without the nodes of a set
 */
struct type {
	unsigned int kinds[KINDS];
	unsigned int n;
	unsigned int links;
	unsigned int every;
	void (*link)(const struct cube *c, unsigned int i, unsigned int *node, unsigned int *dim);
	int (*first)(struct cube *c);
	int (*next)(struct cube *c, uint32_t sink, uint64_t without);
};

static int tree_install(struct cube *c)
{
	return cube_plan(c, PLAN);
}

static int tree_next(struct cube *c, uint32_t sink, uint64_t without)
{
	return cube_plan_without(c, PLAN, sink, without);
}

/* Find the link of the root along the plan's dimension number @i. */
static void tree_link(const struct cube *c, unsigned int i, unsigned int *node, unsigned int *dim)
{
	*dim = c->plan.tree.order[i];
	*node = c->plan.tree.sink ^ 1u << *dim;
}

static int doubling_install(struct cube *c)
{
	return cube_doubling(c, PLAN, NODES - 1, 0);
}

static int ring_install(struct cube *c)
{
	struct rings r;

	rings_gray(&r, 3);
	return cube_rings(c, PLAN, &r);
}

static int ring_next(struct cube *c, uint32_t sink, uint64_t without)
{
	(void)sink;
	return cube_rings_around(c, PLAN, without);
}

/* Find the link from node number @i of the ring to the next one. */
static void ring_link(const struct cube *c, unsigned int i, unsigned int *node, unsigned int *dim)
{
	unsigned int next = (i + 1) % NODES;

	(void)c;
	*node = i ^ i >> 1;
	*dim = __builtin_ctz(*node ^ next ^ next >> 1);
}

#define TREE_KINDS							\
	.kinds = {							\
		HYPERCUBE_ALLGATHER, HYPERCUBE_SCATTER, HYPERCUBE_REDUCE_SCATTER, \
		HYPERCUBE_GATHER, HYPERCUBE_ALLTOALL,			\
	}, .n = KINDS, .links = 3, .every = 2, .link = tree_link
#define DOUBLING_KINDS							\
	.kinds = {							\
		HYPERCUBE_ALLGATHER, HYPERCUBE_ALLREDUCE, HYPERCUBE_REDUCE_SCATTER, \
		HYPERCUBE_BARRIER, HYPERCUBE_ALLTOALL,			\
	}, .n = KINDS, .links = 3, .every = 2, .link = tree_link
#define RING_KINDS							\
	.kinds = { HYPERCUBE_ALLGATHER, HYPERCUBE_ALLTOALL }, .n = 2, .every = 7

static const struct type types[] = {
	{ TREE_KINDS, .first = tree_install, .next = tree_next },
	{ DOUBLING_KINDS, .first = doubling_install, .next = tree_next },
	{ RING_KINDS, .links = NODES, .link = ring_link, .first = ring_install, .next = ring_next },
	{ RING_KINDS, .links = NODES, .link = ring_link, .first = ring_install, .next = tree_next },
	{ RING_KINDS, .links = 3, .link = tree_link, .first = tree_install, .next = ring_next },
};

#define TYPES (sizeof(types) / sizeof(*types))
/* Index of the first type with rings. Types with rings have separate tests here, which try fewer
 * cases, since other programs test rings.
 */
#define RINGS 2
/* Lengths of blocks in elements: none; few, so that the blocks of all members fit one frame; and so
 * many that a block is longer than a segment.
 */
static const unsigned int lengths[] = { 1, 40, 0, 300, 7 };

#define LONGEST	300

/**
 * struct work - a cube of eight nodes, and the operations of its members
 * @c: the cube
 * @p: the process at each node
 * @node: the node of each entry of @p
 * @sink: the root of the first plan
 * @ops: number of operations of each member
 * @restarts: greatest number of times that an operation was begun again
 */
struct work {
	struct cube c;
	struct party p[NODES];
	unsigned int node[NODES];
	unsigned int sink;
	unsigned int ops;
	unsigned int restarts;
};

/* Return: element @i of the block that node @from has for node @to in operation @k. */
static uint64_t element(unsigned int k, unsigned int from, unsigned int to, unsigned int i)
{
	return k * UINT64_C(1000003) + from * 10007 + to * 101 + i;
}

/* Return: the contribution of node @from to operation @k: a block of @n elements for each node. */
static uint64_t *given(unsigned int k, unsigned int from, unsigned int n)
{
	uint64_t *a = calloc(NODES * LONGEST, sizeof(*a));
	unsigned int to, i;

	for (to = 0; a && to < NODES; to++)
		for (i = 0; i < n; i++)
			a[to * n + i] = element(k, from, to, i);
	return a;
}

/* Return: number of blocks that a node contributes. @root: the node is the root. */
static unsigned int blocks_of(unsigned int collective, bool root)
{
	switch (collective) {
	case HYPERCUBE_BARRIER:
		return 0;
	case HYPERCUBE_SCATTER:
		return root ? NODES : 0;
	case HYPERCUBE_REDUCE_SCATTER:
	case HYPERCUBE_ALLTOALL:
		return NODES;
	default:
		return 1;
	}
}

static void job_begin(struct work *w, unsigned int u, unsigned int k, unsigned int collective,
		      unsigned int n)
{
	struct job *j = &w->p[u].job[k];

	j->op = (struct hypercube_op){ .plan = PLAN, .collective = collective };
	j->op.bytes = blocks_of(collective, u == w->sink) * n * sizeof(uint64_t);
	if (collective == HYPERCUBE_REDUCE_SCATTER || collective == HYPERCUBE_ALLREDUCE) {
		j->op.oper = HYPERCUBE_SUM;
		j->op.type = HYPERCUBE_U64;
	}
	if (collective == HYPERCUBE_GATHER)
		j->op.flags = HYPERCUBE_F_NOTIFY;
	j->in = given(k, u, n);
	j->room = NODES * LONGEST * sizeof(uint64_t);
	j->out = calloc(1, j->room);
	j->waits = true;
}

/* Make a cube with the first plan, and set up @ops operations of each member. @kind: index of their
 * collective in @t->kinds, or @t->n for all collectives in turn. @how: shifts the sequences of
 * collectives and of lengths.
 */
static int begin(struct work *w, const struct type *t, unsigned int ops, unsigned int kind,
		 unsigned int how)
{
	unsigned int u, k;
	int err;

	memset(w, 0, sizeof(*w));
	w->ops = ops;
	ctl_guard(GUARD_MS);
	err = cube_new(&w->c, 3, 512) ?: t->first(&w->c) ?: cube_bind_all(&w->c);
	if (err)
		return err;
	w->sink = w->c.plan.tree.sink;
	parties(&w->c, w->p, w->node, ops);
	for (u = 0; u < NODES; u++)
		for (k = 0; k < ops; k++)
			job_begin(w, u, k, t->kinds[kind < t->n ? kind : (k + how) % t->n],
				  lengths[(k + how / 3) % 5]);
	return 0;
}

static int end(struct work *w)
{
	unsigned int u, k;

	for (u = 0; u < NODES; u++)
		for (k = 0; k < w->ops; k++) {
			free((void *)w->p[u].job[k].in);
			free(w->p[u].job[k].out);
		}
	parties_free(w->p, NODES);
	ctl_guard(0);
	return cube_del(&w->c);
}

/* Let each process make one send call and one receive call, @n times. */
static void steps(struct work *w, unsigned int n)
{
	while (n--)
		drive_some(w->p, NODES, 1);
}

/* Return: the member with index @r in @set, in the order of the nodes. */
static unsigned int nth(unsigned int set, unsigned int r)
{
	unsigned int v;

	for (v = 0; v < NODES; v++)
		if (set >> v & 1 && !r--)
			return v;
	return NODES;
}

/* Return: element @i of the right result of operation @k at node @u, which has the contributions of
 * the members in @set. @n: elements of a block.
 */
static uint64_t right(const struct work *w, unsigned int u, unsigned int k, unsigned int i,
		      unsigned int n, unsigned int set)
{
	uint64_t sum = 0;
	unsigned int v;

	switch (w->p[u].job[k].op.collective) {
	case HYPERCUBE_ALLGATHER:
	case HYPERCUBE_GATHER:
		return element(k, nth(set, i / n), 0, i % n);
	case HYPERCUBE_SCATTER:
		return element(k, w->sink, u, i);
	case HYPERCUBE_ALLTOALL:
		return element(k, nth(set, i / n), u, i % n);
	default:
		if (w->p[u].job[k].op.collective == HYPERCUBE_ALLREDUCE)
			u = 0;
		for (v = 0; v < NODES; v++)
			sum += set >> v & 1 ? element(k, v, u, i) : 0;
		return sum;
	}
}

/* Return: true if the result of operation @k at node @u is complete and right, and has the
 * contributions of the members in @set.
 */
static bool is_right(const struct work *w, unsigned int u, unsigned int k, unsigned int set)
{
	const struct job *j = &w->p[u].job[k];
	bool joins = j->op.collective == HYPERCUBE_ALLGATHER ||
		     j->op.collective == HYPERCUBE_GATHER ||
		     j->op.collective == HYPERCUBE_ALLTOALL;
	unsigned int own = w->p[w->sink].job[k].op.bytes / sizeof(uint64_t), i;
	unsigned int n = own / (blocks_of(j->op.collective, true) ?: 1);
	unsigned int all = joins ? __builtin_popcount(set) * n : n;

	if (j->op.collective == HYPERCUBE_GATHER && u != w->c.plan.tree.sink)
		return !j->got;
	if (j->got != all * sizeof(uint64_t) || j->res.bytes != j->got)
		return false;
	for (i = 0; i < all; i++)
		if (((uint64_t *)j->out)[i] != right(w, u, k, i, n, set))
			return false;
	return true;
}

static unsigned int job_wrong(struct work *w, unsigned int u, unsigned int k)
{
	const struct job *j = &w->p[u].job[k];

	if (j->res.restarts > w->restarts)
		w->restarts = j->res.restarts;
	if (j->ends == 1 && !j->res.status && !j->refused && is_right(w, u, k, ALL))
		return 0;
	printf("# collective %u, operation %u at %u: %u ends, status %d, refused %d, %zu of %llu bytes\n",
	       j->op.collective, k, u, j->ends, j->res.status, j->refused, j->got,
	       (unsigned long long)j->res.bytes);
	return 1;
}

static unsigned int cut(const struct type *t, unsigned int link, unsigned int before,
			unsigned int after, unsigned int *restarts)
{
	unsigned int node, dim, u, k, wrong = 0;
	struct work w;
	int err = begin(&w, t, OPS, t->n, before);

	if (err) {
		printf("# begin: %d\n", err);
		return 1;
	}
	steps(&w, before);
	/* Let some members begin one more operation: on a fast machine, all operations that were
	 * begun may have ended.
	 */
	drive_some(w.p, 1 + before % (NODES - 1), 1);
	t->link(&w.c, link, &node, &dim);
	err = cube_fail_link(&w.c, node, dim);
	steps(&w, after);
	err = err ?: t->next(&w.c, w.sink, 0);
	if (drive(w.p, NODES, 20)) {
		ctl_op_print(w.c.name);
		wrong++;
	}
	for (u = 0; u < NODES; u++)
		for (k = 0; k < OPS; k++)
			wrong += job_wrong(&w, u, k);
	if (err || wrong)
		printf("# link %u:%u failed after %u steps: %d\n", node, dim, before, err);
	*restarts += w.restarts;
	return wrong + !!err + !!end(&w);
}

/* For each of the types with index @i to @end - 1, let each link fail, at many points in time.
 * Return: number of errors.
 */
static unsigned int links_wrong(unsigned int i, unsigned int end)
{
	unsigned int link, before, wrong = 0, restarts = 0;

	for (; i < end; i++)
		for (link = 0; link < types[i].links; link++)
			for (before = link; before < 40; before += 2 * types[i].every * stride())
				wrong += cut(&types[i], link, before, before % 4, &restarts);
	return wrong + !restarts;
}

TEST(block_collectives_survive_link_fault_at_any_time)
{
	EXPECT_EQ(0, links_wrong(0, RINGS));
}

TEST(block_collectives_on_rings_survive_link_fault_at_any_time)
{
	EXPECT_EQ(0, links_wrong(RINGS, TYPES));
}

/* Check how operation @k has ended, after the nodes in the set @out have failed. All remaining
 * members must have the same result: that of all eight members, or that of the remaining ones. If
 * the root of a scatter has failed, some members may get an error instead. @said: incremented if
 * some of the members, but not all, report that the operation was begun again: the others had the
 * result before the fault. Return: 1 if an end is wrong, else 0.
 */
static unsigned int op_wrong(struct work *w, unsigned int k, unsigned int out, unsigned int *said)
{
	unsigned int stay = ALL & ~out, eight = 0, fewer = 0, again = 0, gone = 0, u;
	unsigned int n = __builtin_popcount(stay);
	bool deals = w->p[0].job[k].op.collective == HYPERCUBE_SCATTER && out >> w->sink & 1;

	for (u = 0; u < NODES; u++) {
		const struct job *j = &w->p[u].job[k];

		if (out >> u & 1)
			continue;
		again += !!j->res.restarts;
		gone += deals && j->ends + !!j->refused == 1 && (j->res.status || j->refused);
		if (j->ends != 1 || j->res.status)
			continue;
		eight += is_right(w, u, k, ALL);
		fewer += is_right(w, u, k, stay);
	}
	*said += again && again < n;
	if (eight + gone == n || fewer == n)
		return 0;
	for (u = 0; u < NODES; u++)
		printf("# collective %u, operation %u at %u: %u ends, status %d, refused %d, %zu%s\n",
		       w->p[u].job[k].op.collective, k, u, w->p[u].job[k].ends,
		       w->p[u].job[k].res.status, w->p[u].job[k].refused, w->p[u].job[k].got,
		       out >> u & 1 ? ", gone" : "");
	return 1;
}

/* Install the next epoch after node @dead has failed. The process of this node begins no more
 * operations.
 */
static int epoch_without(struct work *w, const struct type *t, unsigned int dead)
{
	w->p[dead].next = w->ops;
	w->p[dead].settled = w->ops;
	w->p[dead].dead = -EHOSTDOWN;
	return t->next(&w->c, dead == w->sink ? HC_ANY_SINK : w->sink, 0);
}

static unsigned int kill_node(const struct type *t, unsigned int kind, unsigned int mask,
			      unsigned int before, unsigned int *said)
{
	/* Links are slow, so that some members get the result earlier than others. */
	const struct impairments slow = { .delay = 200000 };
	struct work w;
	int err = begin(&w, t, 1, kind, 3 * before) ?: cube_impair(&w.c, &slow);
	unsigned int dead, wrong;

	if (err) {
		printf("# begin: %d\n", err);
		return 1;
	}
	/* Let all members contribute before the node fails. */
	for (dead = 0; dead < NODES; dead++)
		drive_some(&w.p[dead], 1, 1);
	steps(&w, before);
	dead = w.sink ^ mask;
	err = cube_fail_node(&w.c, dead);
	steps(&w, before % 3);
	err = err ?: epoch_without(&w, t, dead);
	drive_stop_failed(w.p, NODES);
	drive(w.p, NODES, 20);
	wrong = op_wrong(&w, 0, 1u << dead, said);
	if (err || wrong)
		printf("# collective %u, node %u failed after %u steps: %d\n", t->kinds[kind], dead,
		       before, err);
	return wrong + !!err + !!end(&w);
}

static unsigned int nodes_wrong(unsigned int i, unsigned int end)
{
	unsigned int kind, mask, before, wrong = 0, said = 0;

	for (; i < end; i++)
		for (kind = 0; kind < types[i].n; kind++) {
			const struct type *t = &types[i];

			for (mask = t->kinds[kind] == HYPERCUBE_GATHER; mask < NODES; mask++)
				for (before = mask % 2; before < 9;
				     before += 2 * t->every * stride())
					wrong += kill_node(t, kind, mask, 2 * before, &said);
		}
	printf("# some had the result before others %u times\n", said);
	return wrong + !said;
}

TEST(block_collectives_survive_node_fault_at_any_time)
{
	EXPECT_EQ(0, nodes_wrong(0, RINGS));
}

TEST(block_collectives_on_rings_survive_node_fault_at_any_time)
{
	EXPECT_EQ(0, nodes_wrong(RINGS, TYPES));
}

/* Operations to which processes have contributed before the next epoch must complete, also those to
 * which they contribute after the plan is broken.
 */
static unsigned int sent_for_eight(const struct type *t, unsigned int kind, unsigned int mask,
				   unsigned int before)
{
	struct work w;
	int err = begin(&w, t, MANY, kind, before);
	unsigned int dead, wrong = 0, said = 0, k;

	if (err) {
		printf("# begin: %d\n", err);
		return 1;
	}
	dead = w.sink ^ mask;
	/* Let the node that will fail contribute to as many operations as the others do in total.
	 */
	for (k = 0; k < MANY; k++)
		drive_some(&w.p[dead], 1, 1);
	steps(&w, before);
	err = cube_fail_node(&w.c, dead);
	steps(&w, MANY);
	err = err ?: epoch_without(&w, t, dead);
	if (drive(w.p, NODES, 20)) {
		ctl_op_print(w.c.name);
		wrong++;
	}
	for (k = 0; k < MANY; k++)
		wrong += op_wrong(&w, k, 1u << dead, &said);
	if (err || wrong)
		printf("# collective %u, node %u failed after %u steps: %d\n", t->kinds[kind], dead,
		       before, err);
	return wrong + !!err + !!end(&w);
}

static unsigned int sent_wrong(unsigned int i, unsigned int end)
{
	unsigned int kind, mask, before, wrong = 0;

	for (; i < end; i++)
		for (kind = 0; kind < types[i].n; kind++)
			for (mask = 1; mask < NODES; mask += 4 * stride())
				for (before = 0; before <= MANY; before++)
					wrong += sent_for_eight(&types[i], kind, mask, before);
	return wrong;
}

TEST(contributions_of_old_epoch_complete_after_node_fault)
{
	EXPECT_EQ(0, sent_wrong(0, RINGS));
}

TEST(contributions_of_old_epoch_complete_after_node_fault_on_rings)
{
	EXPECT_EQ(0, sent_wrong(RINGS, TYPES));
}

/* Let member @u send half of its first contribution, before the fault. */
static int half_sent(struct work *w, unsigned int u)
{
	struct job *j = &w->p[u].job[0];
	size_t half = j->op.bytes / 2 + 4;
	ssize_t n;

	j->op.cookie = w->p[u].base;
	n = shc_send(w->p[u].fd, &j->op, j->in, half, 0);
	j->begun = true;
	j->sent = half;
	return n == (ssize_t)half ? 0 : -EIO;
}

/* Wait until the plan is broken because the process at node @u has left, and install the next epoch
 * without this node. @dead: a node that has failed.
 */
static int epoch_without_process(struct work *w, const struct type *t, unsigned int u,
				 unsigned int dead)
{
	uint64_t until = deadline(10);
	struct plan_cause cause = {};

	while (!cause.broken && now_ms() < until)
		if (ctl_plan_cause(w->c.name, PLAN, &cause))
			return -EIO;
	if (!cause.broken || cause.status != ECONNRESET || cause.node != u)
		return -ETIMEDOUT;
	w->p[u].next = w->ops;
	w->p[u].settled = w->ops;
	return t->next(&w->c, u == w->sink ? HC_ANY_SINK : w->sink, 1u << u | 1u << dead);
}

/* One member, whose number differs from the root's in the bits @mask, has sent half of its
 * contribution when another node fails. @closes: its process then leaves, so the rest is never
 * sent; otherwise it sends the rest.
 */
static unsigned int half_given(const struct type *t, unsigned int kind, unsigned int mask,
			       bool closes, unsigned int *restarts)
{
	struct work w;
	int err = begin(&w, t, 1, kind, 9), fd;
	unsigned int half = w.sink ^ mask, dead = w.sink ^ 5, wrong = 0, said = 0, u;

	err = err ?: half_sent(&w, half);
	fd = w.p[half].fd;
	w.p[half].fd = -1;
	drive_some(w.p, NODES, 1);
	err = err ?: cube_fail_node(&w.c, dead) ?: epoch_without(&w, t, dead);
	/* The other members begin the operation again, but it cannot end yet. */
	drive_until_quiet(w.p, NODES, 50);
	for (u = 0; u < NODES; u++)
		wrong += w.p[u].job[0].ends;
	if (closes) {
		cube_close(&w.c, half);
		err = err ?: epoch_without_process(&w, t, half, dead);
	} else {
		w.p[half].fd = fd;
	}
	wrong += drive(w.p, NODES, 20) ? 1 : 0;
	wrong += op_wrong(&w, 0, 1u << dead | (closes ? 1u << half : 0), &said);
	for (u = 0; u < NODES; u++)
		*restarts += w.p[u].job[0].res.restarts;
	if (err || wrong)
		printf("# collective %u, half of %u %s: %d\n", t->kinds[kind], half,
		       closes ? "left" : "is late", err);
	return wrong + !!err + !!end(&w);
}

/* Return: true if a member can send half of its contribution first. It cannot if the contribution
 * has a block for each member, which one call must send, or if it contributes nothing.
 */
static bool gives_halves(unsigned int collective, bool root)
{
	return blocks_of(collective, root) == 1 || (collective == HYPERCUBE_SCATTER && root);
}

TEST(half_sent_contribution_is_completed_or_dropped_after_node_fault)
{
	unsigned int i, kind, mask, wrong = 0, restarts = 0;

	for (i = 0; i < TYPES; i++)
		for (kind = 0; kind < types[i].n; kind++)
			for (mask = 0; mask < 3; mask++) {
				unsigned int collective = types[i].kinds[kind];

				if (!gives_halves(collective, !mask))
					continue;
				wrong += half_given(&types[i], kind, mask, false, &restarts);
				/* If the root of a gather leaves, no member gets the result. */
				if (collective != HYPERCUBE_GATHER || mask)
					wrong += half_given(&types[i], kind, mask, true, &restarts);
			}
	EXPECT_EQ(0, wrong);
	EXPECT_TRUE(restarts);
}

TEST(self_repairing_rings_with_a_guard_are_refused)
{
	struct rings r;
	struct cube c;

	ASSERT_EQ(0, cube_new(&c, 3, 0));
	rings_gray(&r, 3);
	r.repair = true;
	ctl_guard(GUARD_MS);
	EXPECT_EQ(-EINVAL, cube_rings(&c, PLAN, &r));
	EXPECT_NE(NULL, strstr(ctl()->extack, "A plan that repairs itself needs no guard"));
	ctl_guard(0);
	EXPECT_EQ(0, cube_del(&c));
}

TEST_HARNESS_MAIN
