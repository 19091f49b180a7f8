// SPDX-License-Identifier: GPL-2.0
/*
 * The cube walking algorithm (CWA), and its variant for a balancing topology (MCWA). Such a
 * topology is a subcube whose nodes are roots of trees (hc_balance.h); in the special case CWA, the
 * subcube is the whole cube, and there are no trees.
 *
 * Loads and weights (numbers of nodes) are sent up the trees. The roots add them up over the
 * subcube, dimension after dimension. After dimension i, a root has the load and the weight of the
 * cube of dimension i + 1 that contains it; the neighbour's cube of dimension i is "beside" its
 * own. In the end each root has the loads and weights of all cubes that contain it, of the cubes
 * beside these, and the total. Quotas follow from the weights of the roots with lower numbers, so a
 * root can compute the quotas of all these cubes without further messages. Quotas are sent down the
 * trees. Then the surplus tasks of each tree migrate up to its root; from cubes with a surplus to
 * the cubes beside them, the largest cubes first (the walk); and from the roots down those trees
 * that lack tasks. The arithmetic is that of the planner (hc_quota.h, and ctl/plan/balance_mcwa.c).
 *
 * Before a walk along a dimension, the two roots at the ends of each link along it send each other
 * the numbers of tasks (theta) that will leave each cube that contains the sender. These tasks will
 * arrive in the corresponding cubes of the receiver. So both roots can compute the number of tasks
 * of each of these cubes after the walk, as planned. If workers have taken tasks of a node since
 * the loads were counted, the node migrates the tasks that it still has, and sends their number.
 * Each node waits for the tasks that it must receive before it migrates any tasks.
 */
#include <linux/math64.h>

#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_quota.h"
#include "task/round.h"
#include "task/round_impl.h"

/* The steps of a round at a node. */
enum step {
	LOADS_UP,	/* receive the loads of the children */
	EXCHANGE,	/* roots: exchange loads along dimension @level of the subcube, from 0 up */
	QUOTA_DOWN,	/* other nodes: receive the quota */
	SURPLUS_UP,	/* receive the children's surplus, migrate the tree's surplus upwards */
	WALK,		/* roots: walk along dimension @level - 1 of the subcube, down to 0 */
	LACK_WAIT,	/* other nodes: wait for the tasks that the node's tree lacks */
	LACK_DOWN,	/* migrate to each child the tasks that its tree lacks */
	OVER,
};

/* A cube that contains a root, or the cube beside it. @load: its tasks; @weight: nodes of its
 * trees; @delta: its surplus of tasks, negative if it lacks tasks; @theta: number of tasks that
 * leave it in the present walk.
 */
struct cube {
	u64 load;
	u64 weight;
	s64 delta;
	u64 theta;
};

/**
 * struct mcwa - state of a round at a node
 * @step: enum step
 * @up: dimension of the link to the parent, or HC_BALANCE_ROOT or HC_BALANCE_OUT
 * @level: dimension of the subcube that EXCHANGE or WALK has reached
 * @k: number of dimensions of the subcube
 * @nchild: number of children
 * @child: dimensions of the links to the children, by the children's order
 * @dim: dimensions of the subcube, in ascending order
 * @uses: mask of dimensions of the links over which the node sends or receives values or tasks
 * @mark: hash of the topology
 * @load: number of tasks of the node and its descendants in the tree
 * @weight: number of nodes that these are, including this one
 * @quota: number of tasks that these nodes must have after the round
 * @own: own[i] is the cube of dimension i that contains the node
 * @beside: beside[i] is the cube of dimension i beside own[i]
 */
struct mcwa {
	u8 step;
	u8 up;
	u8 level;
	u8 k;
	u8 nchild;
	u8 child[HYPERCUBE_DIM_MAX];
	u8 dim[HYPERCUBE_DIM_MAX];
	u32 uses;
	u64 mark;
	u64 load;
	u64 weight;
	u64 quota;
	struct cube own[HYPERCUBE_DIM_MAX + 1];
	struct cube beside[HYPERCUBE_DIM_MAX];
};

static bool is_root(const struct mcwa *p)
{
	return p->up == HC_BALANCE_ROOT;
}

/* ------------------------------------------------------------ the position in the topology */

/* Set the fields of @p for the position of the node in the topology @b: its parent, its children,
 * and the dimensions of the subcube. Set @r->out if the node is not in the topology.
 */
static void place(const struct hc_node *node, struct hc_round *r, struct mcwa *p,
		  const struct hc_balance *b)
{
	u32 child[HYPERCUBE_DIM_MAX];
	unsigned int i, d;

	p->up = b->up[node->id];
	r->out = p->up == HC_BALANCE_OUT;
	if (r->out)
		return;
	p->uses = is_root(p) ? b->dims : hc_bit(p->up);
	for (d = 0; is_root(p) && d < b->dim; d++)
		if (b->dims & hc_bit(d))
			p->dim[p->k++] = d;
	p->nchild = hc_balance_children(b->up, b->dim, node->id, child);
	for (i = 0; i < p->nchild; i++) {
		p->child[i] = __ffs(child[i] ^ node->id);
		p->uses |= child[i] ^ node->id;
	}
}

static int begin(struct hc_node *node, struct hc_round *r)
{
	struct mcwa *p = hc_round_priv(node, r);
	const struct hc_round_topo *topo;
	unsigned int d;
	int err = -ENOENT;

	rcu_read_lock();
	topo = rcu_dereference(node->fabric->rounds->topo);
	if (topo && !r->ops->topology(&topo->b)) {
		for (d = 0; d < node->fabric->topo.ports; d++)
			if (hc_round_goes(r, d))
				hc_round_say(r, d, HC_ROUND_EPOCH, 0, topo->mark);
		place(node, r, p, &topo->b);
		p->mark = topo->mark;
		err = 0;
	}
	rcu_read_unlock();
	return err;
}

/* ------------------------------------------------------------ loads */

/* Add up the loads and weights of the node and its children, and send the sums to the parent.
 * Return: false if those of a child have not been received.
 */
static bool loads_up(struct hc_node *node, struct hc_round *r, struct mcwa *p)
{
	u64 load, weight;
	unsigned int i;

	p->load = hc_round_load(node);
	p->weight = 1;
	for (i = 0; i < p->nchild; i++) {
		if (!hc_round_said(r, p->child[i], HC_ROUND_LOAD, 0, &load) ||
		    !hc_round_said(r, p->child[i], HC_ROUND_WEIGHT, 0, &weight))
			return false;
		p->load += load;
		p->weight += weight;
	}
	if (is_root(p)) {
		p->own[0].load = p->load;
		p->own[0].weight = p->weight;
		p->step = EXCHANGE;
		return true;
	}
	hc_round_say(r, p->up, HC_ROUND_LOAD, 0, p->load);
	hc_round_say(r, p->up, HC_ROUND_WEIGHT, 0, p->weight);
	p->step = QUOTA_DOWN;
	return true;
}

static bool is_upper(const struct hc_node *node, const struct mcwa *p, unsigned int level)
{
	return node->id & hc_bit(p->dim[level]);
}

/* Return: the surplus of a cube, negative if it lacks tasks. Each node's quota is @each tasks, and
 * the first @rest nodes have one task more. @before: total weight of the roots with lower numbers
 * than those of the cube.
 */
static s64 cube_delta(const struct cube *c, u64 each, u64 rest, u64 before)
{
	return c->load - (c->weight * each + hc_quota_share(rest, before, c->weight));
}

/* Divide @sum by @weight. Correct weights are not 0, and their sum fits in 32 bits, but a Byzantine
 * node may send a wrong weight; if @weight is 0, divide by 1.
 */
static u64 divide(u64 sum, u64 weight, u64 *rest)
{
	return div64_u64_rem(sum, max(weight, 1ULL), rest);
}

/* Compute the surplus of each cube from the loads and weights, all of which have been received. */
static void deltas(const struct hc_node *node, struct mcwa *p)
{
	const struct cube *all = &p->own[p->k];
	u64 each, rest, before = 0;
	unsigned int j;

	each = divide(all->load, all->weight, &rest);
	for (j = p->k; j--;) {
		struct cube *own = &p->own[j], *beside = &p->beside[j];
		bool upper = is_upper(node, p, j);

		beside->delta = cube_delta(beside, each, rest,
					   before + (upper ? 0 : own->weight));
		before += upper ? beside->weight : 0;
		own->delta = cube_delta(own, each, rest, before);
	}
	p->quota = p->own[0].weight * each + hc_quota_share(rest, before, p->own[0].weight);
}

static bool exchange(struct hc_node *node, struct hc_round *r, struct mcwa *p)
{
	for (; p->level < p->k; p->level++) {
		struct cube *own = &p->own[p->level], *beside = &p->beside[p->level];
		unsigned int d = p->dim[p->level];

		hc_round_say(r, d, HC_ROUND_LOAD, 0, own->load);
		hc_round_say(r, d, HC_ROUND_WEIGHT, 0, own->weight);
		if (!hc_round_said(r, d, HC_ROUND_LOAD, 0, &beside->load) ||
		    !hc_round_said(r, d, HC_ROUND_WEIGHT, 0, &beside->weight))
			return false;
		own[1].load = own->load + beside->load;
		own[1].weight = own->weight + beside->weight;
	}
	deltas(node, p);
	return true;
}

/* ------------------------------------------------------------ quotas */

/* Return: the surplus of the tree of child number @i, negative if it lacks tasks. *@quota is set to
 * the quota of this tree.
 */
static s64 child_delta(const struct hc_round *r, const struct mcwa *p, unsigned int i, u64 *quota)
{
	u64 each, rest, before = 0, load = 0, weight = 0;
	unsigned int k;

	each = divide(p->quota, p->weight, &rest);
	/* The first of the @rest tasks belongs to the quota of the node itself. */
	rest -= !!rest;
	for (k = 0; k <= i; k++) {
		before += weight;
		hc_round_said(r, p->child[k], HC_ROUND_WEIGHT, 0, &weight);
	}
	hc_round_said(r, p->child[i], HC_ROUND_LOAD, 0, &load);
	*quota = weight * each + hc_quota_share(rest, before, weight);
	return load - *quota;
}

static void quotas_down(struct hc_round *r, struct mcwa *p)
{
	unsigned int i;
	u64 quota;

	for (i = 0; i < p->nchild; i++) {
		child_delta(r, p, i, &quota);
		hc_round_say(r, p->child[i], HC_ROUND_QUOTA, 0, quota);
	}
	p->step = SURPLUS_UP;
}

/* ------------------------------------------------------------ tasks */

static bool surplus_up(struct hc_node *node, struct hc_round *r, struct mcwa *p)
{
	unsigned int i;
	u64 quota;

	for (i = 0; i < p->nchild; i++)
		if (child_delta(r, p, i, &quota) > 0 &&
		    !hc_round_said(r, p->child[i], HC_ROUND_GAVE, 0, &quota))
			return false;
	p->level = p->k;
	if (is_root(p))
		p->step = WALK;
	else if (p->load < p->quota)
		p->step = LACK_WAIT;
	else if (p->load == p->quota || hc_round_give(node, r, p->up, p->load - p->quota))
		p->step = LACK_DOWN;
	else
		return false;
	return true;
}

/* Compute the number of tasks that leave each cube that contains the node, and each cube beside
 * these, in the walk along dimension number @j of the subcube.
 */
static void walk_plan(const struct hc_node *node, struct mcwa *p, unsigned int j)
{
	unsigned int l = j;

	p->own[j].theta = max(p->own[j].delta, 0LL);
	while (l--) {
		struct cube *own = &p->own[l], *beside = &p->beside[l];
		bool upper = is_upper(node, p, l);
		u64 theta = own[1].theta, part;

		part = hc_cwa_upper(theta, upper ? own->delta : beside->delta);
		own->theta = upper ? part : theta - part;
		beside->theta = theta - own->theta;
	}
}

/* Set @theta[0] to @theta[@j] to the values that the neighbour along dimension number @j of the
 * subcube has sent: the number of tasks that leave each cube that contains the neighbour. Return:
 * false if one of them has not been received.
 */
static bool walk_received(struct hc_round *r, const struct mcwa *p, unsigned int j, u64 *theta)
{
	unsigned int l;

	for (l = 0; l <= j; l++)
		if (!hc_round_said(r, p->dim[j], HC_ROUND_THETA, l, &theta[l]))
			return false;
	return true;
}

static void walk_done(struct mcwa *p, unsigned int j, const u64 *theta)
{
	unsigned int l;

	for (l = 0; l <= j; l++)
		p->own[l].delta += theta[l] - p->own[l].theta;
	for (l = 0; l < j; l++)
		p->beside[l].delta += theta[l + 1] - theta[l] - p->beside[l].theta;
}

/* Carry out the walk along dimension number @j of the subcube as far as possible. Return: true if
 * it is complete.
 */
static bool walk_along(struct hc_node *node, struct hc_round *r, struct mcwa *p, unsigned int j)
{
	u64 theta[HYPERCUBE_DIM_MAX], gave;
	unsigned int l, d = p->dim[j];

	walk_plan(node, p, j);
	for (l = 0; l <= j; l++)
		hc_round_say(r, d, HC_ROUND_THETA, l, p->own[l].theta);
	if (!walk_received(r, p, j, theta))
		return false;
	if (p->own[0].theta && !hc_round_give(node, r, d, p->own[0].theta))
		return false;
	if (theta[0] && !hc_round_said(r, d, HC_ROUND_GAVE, 0, &gave))
		return false;
	walk_done(p, j, theta);
	return true;
}

static bool walk(struct hc_node *node, struct hc_round *r, struct mcwa *p)
{
	for (; p->level; p->level--)
		if (!walk_along(node, r, p, p->level - 1))
			return false;
	p->step = LACK_DOWN;
	return true;
}

static bool lack_down(struct hc_node *node, struct hc_round *r, struct mcwa *p)
{
	bool over = true;
	unsigned int i;
	u64 quota;
	s64 delta;

	for (i = 0; i < p->nchild; i++) {
		delta = child_delta(r, p, i, &quota);
		if (delta < 0 && !hc_round_give(node, r, p->child[i], -delta))
			over = false;
	}
	if (over)
		p->step = OVER;
	return over;
}

/* ------------------------------------------------------------ the sequence of steps */

/* Return: true if each neighbour that has sent the hash of its topology has the same topology as
 * this node. Otherwise fail the round and return false.
 */
static bool agreed(struct hc_node *node, struct hc_round *r, const struct mcwa *p)
{
	unsigned int d;
	u64 mark;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (hc_round_said(r, d, HC_ROUND_EPOCH, 0, &mark) && mark != p->mark) {
			hc_round_fail(node, r, -ESTALE, node->id, d);
			return false;
		}
	return true;
}

/* Carry out the next step. Return: false if it must wait for a neighbour. */
static bool step(struct hc_node *node, struct hc_round *r, struct mcwa *p)
{
	u64 gave;

	switch (p->step) {
	case LOADS_UP:
		return loads_up(node, r, p);
	case EXCHANGE:
		if (!exchange(node, r, p))
			return false;
		quotas_down(r, p);
		return true;
	case QUOTA_DOWN:
		if (!hc_round_said(r, p->up, HC_ROUND_QUOTA, 0, &p->quota))
			return false;
		quotas_down(r, p);
		return true;
	case SURPLUS_UP:
		return surplus_up(node, r, p);
	case WALK:
		return walk(node, r, p);
	case LACK_WAIT:
		if (!hc_round_said(r, p->up, HC_ROUND_GAVE, 0, &gave))
			return false;
		p->step = LACK_DOWN;
		return true;
	default:
		return lack_down(node, r, p);
	}
}

/* Return: true if the round uses all links in @p->uses. Otherwise fail the round and return false.
 * A neighbour may announce at any time that it does not use a link, so each call of advance()
 * checks this.
 */
static bool has_links(struct hc_node *node, struct hc_round *r, const struct mcwa *p)
{
	unsigned int d;

	for (d = 0; d < node->fabric->topo.ports; d++)
		if (p->uses & hc_bit(d) && !hc_round_goes(r, d)) {
			hc_round_fail(node, r, -ENOLINK, node->id, d);
			return false;
		}
	return true;
}

static bool advance(struct hc_node *node, struct hc_round *r)
{
	struct mcwa *p = hc_round_priv(node, r);

	if (p->up == HC_BALANCE_OUT)
		return true;
	if (!has_links(node, r, p) || !agreed(node, r, p))
		return false;
	while (p->step != OVER && step(node, r, p))
		;
	return p->step == OVER;
}

static const char *mcwa_reason(const struct hc_balance *b)
{
	return NULL;
}

static const char *cwa_reason(const struct hc_balance *b)
{
	return b->dims == hc_ones(b->dim) ? NULL :
	       "The method needs a topology without trees, as where nothing is faulty";
}

/* The two methods differ only in the topologies that they accept. */
#define OPS(method, reason)								\
	{										\
		.id = method, .topology = reason, .size = sizeof(struct mcwa),		\
		.words = BIT(HC_ROUND_EPOCH) | BIT(HC_ROUND_LOAD) | BIT(HC_ROUND_WEIGHT) |	\
			 BIT(HC_ROUND_QUOTA) | BIT(HC_ROUND_THETA) | BIT(HC_ROUND_GAVE),	\
		.start = hc_round_start, .rx = hc_round_receive, .begin = begin,	\
		.advance = advance,							\
	}

const struct hc_round_ops hc_round_mcwa = OPS(HYPERCUBE_BALANCE_MCWA, mcwa_reason);
const struct hc_round_ops hc_round_cwa = OPS(HYPERCUBE_BALANCE_CWA, cwa_reason);
