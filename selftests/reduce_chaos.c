// SPDX-License-Identifier: GPL-2.0
/*
 * Chaos: a stream of operations while links flap, nodes fail and recover, sockets are closed, and
 * plans are replaced, removed and installed again. No contribution ends twice, and at the end of
 * the test all have ended. Each sum that arrives without an error includes every member of one plan
 * exactly once. When there are no more faults, operations succeed.
 *
 * Scheduling: shared
 */
#include <stdlib.h>
#include <string.h>

#include "cube.h"
#include "ktap.h"

#define PLAN 1
#define LINKS_MAX 64
#define PLANS_MAX 4096
/* Number of different contributions of a member; further contributions repeat them. */
#define IN_MAX 256

/* An element of a contribution and of a sum: a mask of members, and their number. */
struct sum {
	uint64_t mask;
	uint64_t count;
};

/* A cube, and the operations of its members. @njobs: operations of each member. @in: contributions.
 * @out: results. @link_down, @node_failed: the current faults. @masks: member masks of all @nmasks
 * plans so far. @events: number of events so far.
 */
struct chaos {
	struct cube cube;
	struct party p[CUBE_MAX];
	unsigned int njobs;
	struct sum in[CUBE_MAX][IN_MAX];
	struct sum *out;
	bool link_down[LINKS_MAX];
	bool node_failed[CUBE_MAX];
	uint64_t masks[PLANS_MAX];
	unsigned int nmasks;
	unsigned int events;
};

static struct job *job_of(struct chaos *x, unsigned int u, unsigned int k)
{
	return &x->p[u].job[k];
}

static int chaos_start(struct chaos *x, unsigned int dim, unsigned int njobs, size_t bytes)
{
	struct cube *c = &x->cube;
	unsigned int u, k;
	int err = cube_new(c, dim, 0);

	x->njobs = njobs;
	x->out = calloc((size_t)c->nodes * njobs, sizeof(*x->out));
	for (u = 0; u < c->nodes && !err; u++) {
		err = cube_bind(c, u);
		for (k = 0; k < IN_MAX; k++)
			x->in[u][k] = (struct sum){ 1ull << u, 1 };
		x->p[u] = (struct party){
			.fd = c->fd[u], .njobs = njobs, .job = calloc(njobs, sizeof(struct job)),
		};
		for (k = 0; k < njobs; k++) {
			*job_of(x, u, k) = (struct job){
				.op = {
					.plan = PLAN, .collective = HYPERCUBE_REDUCE,
					.oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
					.flags = HYPERCUBE_F_NOTIFY, .bytes = bytes,
				},
				.in = x->in[u], .period = sizeof(x->in[u]), .waits = true,
				.out = &x->out[u * njobs + k], .room = sizeof(struct sum),
			};
		}
	}
	return err;
}

static void chaos_free(struct chaos *x)
{
	parties_free(x->p, x->cube.nodes);
	free(x->out);
}

/* --- events --- */

static void faults_collect(struct chaos *x)
{
	struct cube *c = &x->cube;
	unsigned int i, node, dim;

	hc_faults_free(c->faults);
	c->faults = hc_faults_new(c->dim);
	for (i = 0; i < c->dim * c->nodes / 2; i++)
		if (x->link_down[i]) {
			cube_link(c, i, &node, &dim);
			hc_faults_link(c->faults, node, dim);
		}
	for (i = 0; i < c->nodes; i++)
		if (x->node_failed[i])
			hc_faults_node(c->faults, i);
}

/* Install a plan around the current faults, and record its members. Return: 0 or an error. */
static int replan(struct chaos *x)
{
	int err;

	faults_collect(x);
	err = cube_plan(&x->cube, PLAN);
	if (!err && x->nmasks < PLANS_MAX)
		x->masks[x->nmasks++] = cube_mask(&x->cube);
	/* If no two connected nodes are left, no plan exists, which is no error. */
	return err == -EHOSTDOWN || err == -ENOLINK ? 0 : err;
}

static int link_flap(struct chaos *x)
{
	unsigned int i = below(x->cube.dim * x->cube.nodes / 2), node, dim;

	cube_link(&x->cube, i, &node, &dim);
	x->link_down[i] = !x->link_down[i];
	return ctl_link_down(x->cube.name, node, dim, x->link_down[i]);
}

static int node_flap(struct chaos *x)
{
	unsigned int u = below(x->cube.nodes);

	x->node_failed[u] = !x->node_failed[u];
	return ctl_node_failed(x->cube.name, u, x->node_failed[u]);
}

/* Close the socket of a random node, and bind a new one. The ends that the closed socket would have
 * received are lost, so the jobs that it has begun count as ended.
 */
static int socket_renew(struct chaos *x)
{
	unsigned int u = below(x->cube.nodes), k;
	struct party *p = &x->p[u];
	int err;

	cube_close(&x->cube, u);
	for (k = p->settled; k < p->njobs && k <= p->next; k++) {
		struct job *j = &p->job[k];

		if (k == p->next && !j->begun)
			break;
		if (k == p->next)
			p->next++;
		j->over = true;
		if (!j->refused && !j->ends)
			j->refused = -ECANCELED;
	}
	err = cube_bind(&x->cube, u);
	p->fd = x->cube.fd[u];
	p->dead = 0;
	return err;
}

/* Cause a random event, often a new plan. Return: 0 or an error. */
static int event(struct chaos *x)
{
	x->events++;
	switch (below(12)) {
	case 0:
	case 1:
		return link_flap(x);
	case 2:
		return node_flap(x);
	case 3:
	case 4:
		return socket_renew(x);
	case 5:
		ctl_plan_del(x->cube.name, PLAN);
		return 0;
	default:
		return replan(x);
	}
}

/* Clear all faults, and install a plan of all nodes. */
static int heal(struct chaos *x)
{
	int err;

	memset(x->link_down, 0, sizeof(x->link_down));
	memset(x->node_failed, 0, sizeof(x->node_failed));
	err = ctl_fault_clear(x->cube.name);
	return err ? err : replan(x);
}

/* --- checks --- */

/* Return: number of right sums that have arrived; -1 if one is wrong or a contribution has ended
 * twice.
 */
static int sums_right(struct chaos *x)
{
	unsigned int u, k, i;
	int good = 0;

	for (u = 0; u < x->cube.nodes; u++)
		for (k = 0; k < x->njobs; k++) {
			const struct job *j = job_of(x, u, k);
			const struct sum *s = j->out;

			if (j->ends > 1)
				return -1;
			if (!j->ends || j->res.status || !j->got)
				continue;
			for (i = 0; i < x->nmasks && x->masks[i] != s->mask; i++)
				;
			if (i == x->nmasks || j->got != j->op.bytes ||
			    s->count != (unsigned int)__builtin_popcountll(s->mask)) {
				printf("# node %u job %u: wrong sum %llx of %llu members\n", u, k,
				       (unsigned long long)s->mask, (unsigned long long)s->count);
				return -1;
			}
			good++;
		}
	return good;
}

/* Return: true if each party has at least @n jobs that it has not begun. */
static bool jobs_left(const struct chaos *x, unsigned int n)
{
	unsigned int u;

	for (u = 0; u < x->cube.nodes; u++)
		if (x->p[u].next + n > x->njobs)
			return false;
	return true;
}

/* If too few sums have arrived, print how far each party is and how its last contributions have
 * ended. @sums: number of sums that have arrived; @ms_left: time left.
 */
static void sums_tell(struct chaos *x, int sums, long long ms_left)
{
	unsigned int u, k;

	printf("# %d more sums, %lld ms before the time is up\n", sums, ms_left);
	for (u = 0; u < x->cube.nodes; u++) {
		const struct party *p = &x->p[u];

		printf("# node %u: %u of %u settled, %u given; the last:", u, p->settled, p->njobs,
		       p->next);
		for (k = p->next > 12 ? p->next - 12 : 0; k < p->next; k++)
			printf(" %d", job_of(x, u, k)->refused ?:
			       job_of(x, u, k)->ends ? job_of(x, u, k)->res.status : 1);
		printf("\n");
	}
}

/* Check that @wanted more sums arrive. The cube has no faults, the plan has all nodes, and all
 * nodes contribute.
 */
static bool sums_flow(struct chaos *x, int wanted)
{
	uint64_t end = deadline(15);
	int before = sums_right(x);

	while (now_ms() < end) {
		if (!drive_once(x->p, x->cube.nodes))
			usleep(1000);
		if (sums_right(x) >= before + wanted)
			return true;
	}
	sums_tell(x, sums_right(x) - before, end - now_ms());
	return false;
}

static void chaos_run(struct __test_metadata *_metadata, unsigned int dim, unsigned int njobs,
		      unsigned int loss, size_t bytes)
{
	static struct chaos x;
	unsigned int i, u, node, d;
	int good, wanted;

	ASSERT_EQ(0, chaos_start(&x, dim, njobs, bytes));
	ASSERT_EQ(0, replan(&x));
	for (i = 0; loss && i < dim << dim >> 1; i++) {
		cube_link(&x.cube, i, &node, &d);
		ASSERT_EQ(0, ctl_link_loss(x.cube.name, node, d, loss, false));
	}
	while (jobs_left(&x, njobs / 4)) {
		for (i = below(8); i; i--)
			drive_some(x.p, x.cube.nodes, 1 + below(3));
		ASSERT_EQ(0, event(&x));
	}
	ASSERT_EQ(0, heal(&x));
	/* A quarter of the contributions are left. Not all of them become sums: a node whose socket
	 * was often bound again has contributed less often, so some contributions of other nodes
	 * have no counterpart.
	 */
	wanted = njobs / 16 < 20 ? njobs / 16 : 20;
	EXPECT_TRUE(sums_flow(&x, wanted));
	/* Removing the plan ends all pending operations. */
	ASSERT_EQ(0, ctl_plan_del(x.cube.name, PLAN));
	EXPECT_EQ(0, drive(x.p, x.cube.nodes, 10));
	good = sums_right(&x);
	EXPECT_LE(wanted, good);
	printf("# %d sums of %u contributions each, %u events, %u plans\n", good, njobs,
	       x.events, x.nmasks);
	for (u = 0; u < x.cube.nodes; u++)
		EXPECT_EQ(njobs, x.p[u].settled);
	chaos_free(&x);
	EXPECT_EQ(0, cube_del(&x.cube));
}

TEST(sums_of_8_nodes_are_right_under_random_events)
{
	chaos_run(_metadata, 3, scaled(6000), 0, sizeof(struct sum));
}

TEST(sums_of_16_nodes_are_right_under_random_events)
{
	chaos_run(_metadata, 4, scaled(4000), 0, sizeof(struct sum));
}

TEST(sums_of_2_nodes_are_right_under_random_events)
{
	chaos_run(_metadata, 1, scaled(6000), 0, sizeof(struct sum));
}

TEST(sums_of_8_nodes_are_right_under_random_events_and_loss)
{
	chaos_run(_metadata, 3, scaled(3000), 3000, sizeof(struct sum));
}

TEST(long_sums_of_8_nodes_are_right_under_random_events)
{
	unsigned int n = scaled(600);

	/* With fewer operations than this, a single event could make the kernel refuse too many of
	 * them.
	 */
	chaos_run(_metadata, 3, n < 150 ? 150 : n, 0, 200000);
}

TEST_HARNESS_MAIN
