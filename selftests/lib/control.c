// SPDX-License-Identifier: GPL-2.0
/*
 * The environment of a test, and the commands that configure fabrics.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cube.h"

bool debug_kernel(void)
{
	return !access("/sys/kernel/debug/kmemleak", F_OK) ||
	       !access("/sys/kernel/debug/kcsan", F_OK);
}

unsigned int scaled(unsigned int n)
{
	const char *s = getenv("HC_SCALE");
	unsigned int percent = s ? (unsigned int)atoi(s) : debug_kernel() ? 10 : 100;
	unsigned int m = (unsigned int)((unsigned long long)n * percent / 100);

	return m ? m : 1;
}

unsigned int stride(void)
{
	return debug_kernel() ? 5 : 1;
}

int wait_secs(int s)
{
	return debug_kernel() ? 6 * s : s;
}

uint64_t rnd(void)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return x;
}

unsigned int below(unsigned int n)
{
	return (unsigned int)(rnd() >> 32) % n;
}

uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000 + (uint64_t)t.tv_nsec / 1000000;
}

uint64_t deadline(int s)
{
	return now_ms() + 1000 * (uint64_t)wait_secs(s);
}

static pid_t netns_owner;

void own_netns_done(void)
{
	netns_owner = getpid();
}

int own_netns(void)
{
	if (netns_owner == getpid())
		return 0;
	if (unshare(CLONE_NEWNET))
		return -errno;
	own_netns_done();
	return 0;
}

unsigned int processes_failed(unsigned int n, int (*part)(void *arg, unsigned int i), void *arg)
{
	unsigned int i, failed = 0;
	pid_t pid[n];
	int status;

	fflush(stdout);
	for (i = 0; i < n; i++) {
		pid[i] = fork();
		if (pid[i])
			continue;
		status = part(arg, i) ? 1 : 0;
		fflush(stdout);
		_exit(status);
	}
	for (i = 0; i < n; i++)
		failed += waitpid(pid[i], &status, 0) != pid[i] || status;
	return failed;
}

struct nl *ctl(void)
{
	static struct nl nl;
	static pid_t owner, netns;
	int err;

	if (owner == getpid() && netns == netns_owner)
		return &nl;
	err = nl_open(&nl);
	if (err) {
		printf("# no generic netlink family %s: %s\n", HYPERCUBE_FAMILY_NAME,
		       strerror(-err));
		_exit(1);
	}
	owner = getpid();
	netns = netns_owner;
	return &nl;
}

static void fabric_begin(const char *name, int cmd)
{
	nl_begin(ctl(), cmd, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_FABRIC_NAME, name);
}

/* Add a table with the peer of each link to the request for a fabric, so that the module treats the
 * cube as a network of any shape. This needs the module parameter keep_tables, and HC_TABLE in the
 * environment.
 */
static void put_table(unsigned int dim)
{
	uint16_t row[HYPERCUBE_DIM_MAX];
	unsigned int u, d;

	for (u = 0; u < 1u << dim; u++) {
		for (d = 0; d < dim; d++)
			row[d] = (uint16_t)(u ^ 1u << d);
		nl_put(ctl(), HYPERCUBE_A_FABRIC_PEERS, row, dim * sizeof(*row));
	}
}

int ctl_fabric_new(const char *name, unsigned int dim, unsigned int segment)
{
	fabric_begin(name, HYPERCUBE_CMD_FABRIC_NEW);
	if (getenv("HC_TABLE"))
		put_table(dim);
	else
		nl_u32(ctl(), HYPERCUBE_A_FABRIC_DIM, dim);
	if (segment)
		nl_u32(ctl(), HYPERCUBE_A_FABRIC_SEGMENT, segment);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_stall_timeout(const char *name, unsigned int ms)
{
	fabric_begin(name, HYPERCUBE_CMD_FABRIC_SET);
	nl_u32(ctl(), HYPERCUBE_A_FABRIC_STALL_TIMEOUT, ms);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_fabric_del(const char *name)
{
	fabric_begin(name, HYPERCUBE_CMD_FABRIC_DEL);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_fault_clear(const char *name)
{
	fabric_begin(name, HYPERCUBE_CMD_FAULT_CLEAR);
	return nl_talk(ctl(), NULL, NULL);
}

static void link_begin(const char *name, unsigned int node, unsigned int dim)
{
	nl_begin(ctl(), HYPERCUBE_CMD_LINK_SET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_LINK_FABRIC, name);
	nl_u32(ctl(), HYPERCUBE_A_LINK_NODE, node);
	nl_u32(ctl(), HYPERCUBE_A_LINK_DIM, dim);
}

int ctl_link_down(const char *name, unsigned int node, unsigned int dim, bool down)
{
	link_begin(name, node, dim);
	nl_u8(ctl(), HYPERCUBE_A_LINK_DOWN, down);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_link_loss(const char *name, unsigned int node, unsigned int dim, unsigned int ppm,
		  bool one_way)
{
	link_begin(name, node, dim);
	nl_u32(ctl(), HYPERCUBE_A_LINK_LOSS, ppm);
	if (one_way)
		nl_put(ctl(), HYPERCUBE_A_LINK_ONE_WAY, NULL, 0);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_link_rate(const char *name, unsigned int node, unsigned int dim, uint64_t rate)
{
	link_begin(name, node, dim);
	nl_u64(ctl(), HYPERCUBE_A_LINK_RATE, rate);
	nl_put(ctl(), HYPERCUBE_A_LINK_ONE_WAY, NULL, 0);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_link_impair(const char *name, unsigned int node, unsigned int dim,
		    const struct impairments *i)
{
	link_begin(name, node, dim);
	nl_u32(ctl(), HYPERCUBE_A_LINK_LOSS, i->loss);
	nl_u32(ctl(), HYPERCUBE_A_LINK_CORRUPT, i->corrupt);
	nl_u32(ctl(), HYPERCUBE_A_LINK_DUPLICATE, i->duplicate);
	nl_u32(ctl(), HYPERCUBE_A_LINK_SEED, i->seed);
	nl_u64(ctl(), HYPERCUBE_A_LINK_DELAY, i->delay);
	nl_u64(ctl(), HYPERCUBE_A_LINK_JITTER, i->jitter);
	nl_u64(ctl(), HYPERCUBE_A_LINK_RATE, i->rate);
	return nl_talk(ctl(), NULL, NULL);
}

static void sums_add(void *arg, const struct nl_attrs *a)
{
	const struct nlattr *nest = nl_find(a, HYPERCUBE_A_LINK_DROPS, 0);
	struct link_sums *s = arg;
	struct nl_attrs drops = { 0 };

	if (nest) {
		drops.first = nl_data(nest);
		drops.len = nest->nla_len - NLA_HDRLEN;
	}
	s->tx_frames += nl_get_u64(a, HYPERCUBE_A_LINK_TX_FRAMES, 0);
	s->corrupted += nl_get_u64(a, HYPERCUBE_A_LINK_CORRUPTED, 0);
	s->duplicated += nl_get_u64(a, HYPERCUBE_A_LINK_DUPLICATED, 0);
	s->delayed += nl_get_u64(a, HYPERCUBE_A_LINK_DELAYED, 0);
	s->queued += nl_get_u32(a, HYPERCUBE_A_LINK_QUEUED, 0);
	s->queued_bytes += nl_get_u32(a, HYPERCUBE_A_LINK_QUEUED_BYTES, 0);
	s->checksum += nl_get_u64(&drops, HYPERCUBE_A_DROP_CHECKSUM, 0);
	s->duplicate += nl_get_u64(&drops, HYPERCUBE_A_DROP_DUPLICATE, 0);
	s->queue_full += nl_get_u64(&drops, HYPERCUBE_A_DROP_QUEUE_FULL, 0);
	s->replays += nl_get_u64(a, HYPERCUBE_A_LINK_REPLAYS, 0);
	s->gap += nl_get_u64(&drops, HYPERCUBE_A_DROP_GAP, 0);
	s->spent += !!(nl_get_u32(a, HYPERCUBE_A_LINK_STATE, 0) & HYPERCUBE_LINK_F_SPENT);
}

int ctl_link_sums(const char *name, struct link_sums *sums)
{
	memset(sums, 0, sizeof(*sums));
	nl_begin(ctl(), HYPERCUBE_CMD_LINK_GET, NLM_F_DUMP);
	nl_str(ctl(), HYPERCUBE_A_LINK_FABRIC, name);
	return nl_talk(ctl(), sums_add, sums);
}

static void state_take(void *arg, const struct nl_attrs *a)
{
	*(unsigned int *)arg = nl_get_u32(a, HYPERCUBE_A_LINK_STATE, 0);
}

unsigned int ctl_link_state(const char *name, unsigned int node, unsigned int dim)
{
	unsigned int state = ~0u;

	nl_begin(ctl(), HYPERCUBE_CMD_LINK_GET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_LINK_FABRIC, name);
	nl_u32(ctl(), HYPERCUBE_A_LINK_NODE, node);
	nl_u32(ctl(), HYPERCUBE_A_LINK_DIM, dim);
	nl_talk(ctl(), state_take, &state);
	return state;
}

static void node_begin(const char *name, unsigned int node)
{
	nl_begin(ctl(), HYPERCUBE_CMD_NODE_SET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_NODE_FABRIC, name);
	nl_u32(ctl(), HYPERCUBE_A_NODE_ID, node);
}

int ctl_node_failed(const char *name, unsigned int node, bool failed)
{
	node_begin(name, node);
	nl_u8(ctl(), HYPERCUBE_A_NODE_FAILED, failed);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_node_owner(const char *name, unsigned int node, unsigned int uid)
{
	node_begin(name, node);
	nl_u32(ctl(), HYPERCUBE_A_NODE_OWNER, uid);
	return nl_talk(ctl(), NULL, NULL);
}

int ctl_node_byzantine(const char *name, unsigned int node, unsigned int ppm,
		       const unsigned int *at, unsigned int n, int64_t seed)
{
	unsigned int i;

	node_begin(name, node);
	if (!at)
		nl_u32(ctl(), HYPERCUBE_A_NODE_BYZANTINE, ppm);
	for (i = 0; i < n; i++)
		nl_u32(ctl(), HYPERCUBE_A_NODE_BYZANTINE_AT, at[i]);
	if (seed >= 0)
		nl_u32(ctl(), HYPERCUBE_A_NODE_BYZANTINE_SEED, seed);
	return nl_talk(ctl(), NULL, NULL);
}

static void view_node(void *arg, const struct nl_attrs *a)
{
	struct node_view *v = arg;
	uint64_t n[HYPERCUBE_A_NODE_MAX + 1];

	nl_all_numbers(a, n, ARRAY_SIZE(n), ~0ull);
	*v = (struct node_view){
		.lie = n[HYPERCUBE_A_NODE_BYZANTINE],
		.lie_seed = n[HYPERCUBE_A_NODE_BYZANTINE_SEED],
		.lies = n[HYPERCUBE_A_NODE_BYZANTINE_FRAMES], .agreed = n[HYPERCUBE_A_NODE_AGREED],
		.disagreed = n[HYPERCUBE_A_NODE_DISAGREED],
		.incomplete = n[HYPERCUBE_A_NODE_INCOMPLETE],
	};
	while (nl_find(a, HYPERCUBE_A_NODE_BYZANTINE_AT, v->nat))
		v->nat++;
}

int ctl_node_ask(const char *name, unsigned int node, nl_cb cb, void *arg)
{
	nl_begin(ctl(), HYPERCUBE_CMD_NODE_GET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_NODE_FABRIC, name);
	nl_u32(ctl(), HYPERCUBE_A_NODE_ID, node);
	return nl_talk(ctl(), cb, arg);
}

int ctl_node_get(const char *name, unsigned int node, struct node_view *v)
{
	memset(v, 0, sizeof(*v));
	return ctl_node_ask(name, node, view_node, v);
}

/* Add the set @members to a request to make a plan, in the format of HYPERCUBE_A_PLAN_MEMBERS: node
 * u is bit u % 8 of byte u / 8.
 */
static void put_members(struct nl *nl, unsigned int dim, const uint32_t *members)
{
	size_t len = (hc_nodes(dim) + 7) / 8;
	unsigned char *set = calloc(1, len);
	unsigned int u;

	for (u = 0; set && u < hc_nodes(dim); u++)
		if (hc_set_has(members, u))
			set[u / 8] |= 1u << (u % 8);
	nl_put(nl, HYPERCUBE_A_PLAN_MEMBERS, set, len);
	free(set);
}

static unsigned int guard_ms;

void ctl_guard(unsigned int ms)
{
	guard_ms = ms;
}

static struct nl *plan_begin(const char *name, unsigned int id, unsigned int type)
{
	struct nl *nl = ctl();

	nl_begin(nl, HYPERCUBE_CMD_PLAN_NEW, NLM_F_ACK);
	nl_str(nl, HYPERCUBE_A_PLAN_FABRIC, name);
	nl_u32(nl, HYPERCUBE_A_PLAN_ID, id);
	nl_u32(nl, HYPERCUBE_A_PLAN_TYPE, type);
	if (guard_ms)
		nl_u32(nl, HYPERCUBE_A_PLAN_GUARD, guard_ms);
	return nl;
}

static void put_order(struct nl *nl, const uint8_t *order, unsigned int stages)
{
	unsigned int i;

	for (i = 0; i < stages; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_ORDER, order[i]);
}

static int plan_end(struct nl *nl, const uint32_t *fault, unsigned int dim)
{
	nl_put(nl, HYPERCUBE_A_PLAN_FAULT, fault, hc_nodes(dim) * sizeof(*fault));
	return nl_talk(nl, NULL, NULL);
}

int ctl_plan_new(const char *name, unsigned int id, const struct hc_tree *t,
		 const uint32_t *fault)
{
	struct nl *nl = plan_begin(name, id, HYPERCUBE_PLAN_TREE);
	unsigned int i;

	nl_u32(nl, HYPERCUBE_A_PLAN_SINK, t->sink);
	put_order(nl, t->order, t->stages);
	put_members(nl, t->dim, t->members);
	for (i = 0; i < t->ndetours; i++)
		nl_u32(nl, HYPERCUBE_A_PLAN_DETOUR,
		       t->detours[i].from << 16 | t->detours[i].to);
	return plan_end(nl, fault, t->dim);
}

int ctl_bcast_new(const char *name, unsigned int id, const struct hc_bcast *b,
		  const uint32_t *fault)
{
	struct nl *nl = plan_begin(name, id, HYPERCUBE_PLAN_BCAST);

	nl_u32(nl, HYPERCUBE_A_PLAN_SOURCE, b->source);
	nl_put(nl, HYPERCUBE_A_PLAN_SEQUENCE, b->sequence, b->steps);
	put_members(nl, b->topo.dim, b->members);
	return plan_end(nl, fault, b->topo.dim);
}

int ctl_doubling_new(const char *name, unsigned int id, const struct hc_doubling *d,
		     const uint32_t *fault)
{
	struct nl *nl = plan_begin(name, id, HYPERCUBE_PLAN_DOUBLING);

	nl_u32(nl, HYPERCUBE_A_PLAN_BASE, d->base);
	put_order(nl, d->order, d->stages);
	return plan_end(nl, fault, d->dim);
}

int ctl_span_new(const char *name, unsigned int id, const struct hc_span *s,
		 const uint32_t *fault)
{
	struct nl *nl = plan_begin(name, id, HYPERCUBE_PLAN_SPAN);

	nl_u32(nl, HYPERCUBE_A_PLAN_SINK, s->root);
	nl_put(nl, HYPERCUBE_A_PLAN_PARENTS, s->parent, s->n);
	return plan_end(nl, fault, s->topo.dim);
}

static struct nl *ring_begin(const char *name, unsigned int id, const struct hc_ring_tree *t)
{
	struct nl *nl = plan_begin(name, id, HYPERCUBE_PLAN_RING);

	nl_put(nl, HYPERCUBE_A_PLAN_RINGS, t->ring, t->nrings * sizeof(*t->ring));
	nl_put(nl, HYPERCUBE_A_PLAN_RING_NODES, t->node, t->nnodes * sizeof(*t->node));
	return nl;
}

int ctl_ring_new(const char *name, unsigned int id, const struct hc_ring_tree *t,
		 const uint32_t *fault, unsigned int dim)
{
	return plan_end(ring_begin(name, id, t), fault, dim);
}

int ctl_ring_repair(const char *name, unsigned int id, const struct hc_ring_tree *t,
		    const uint32_t *fault, unsigned int dim)
{
	struct nl *nl = ring_begin(name, id, t);

	nl_put(nl, HYPERCUBE_A_PLAN_REPAIR, NULL, 0);
	return plan_end(nl, fault, dim);
}

struct ring_search {
	unsigned int plan;
	struct ring_view *v;
};

static size_t array_take(const struct nl_attrs *a, int type, void *to, size_t room)
{
	const struct nlattr *found = nl_find(a, type, 0);
	size_t len = found ? found->nla_len - NLA_HDRLEN : 0;

	if (len > room)
		len = 0;
	memcpy(to, nl_data(found), len);
	return len;
}

static void ring_take(void *arg, const struct nl_attrs *a)
{
	struct ring_search *s = arg;
	struct ring_view *v = s->v;

	if (nl_get_u32(a, HYPERCUBE_A_PLAN_ID, 0) != s->plan)
		return;
	v->broken = *(const uint8_t *)nl_data(nl_find(a, HYPERCUBE_A_PLAN_BROKEN, 0));
	v->repairs = nl_get_u32(a, HYPERCUBE_A_PLAN_REPAIRS, ~0u);
	v->tree = (struct hc_ring_tree){ .ring = v->ring, .node = v->node };
	v->tree.nrings = (uint32_t)(array_take(a, HYPERCUBE_A_PLAN_RINGS, v->ring,
					       sizeof(v->ring)) / sizeof(*v->ring));
	v->tree.nnodes = (uint32_t)(array_take(a, HYPERCUBE_A_PLAN_RING_NODES, v->node,
					       sizeof(v->node)) / sizeof(*v->node));
	memset(v->members, 0, sizeof(v->members));
	array_take(a, HYPERCUBE_A_PLAN_MEMBERS, v->members, sizeof(v->members));
}

int ctl_ring_get(const char *name, unsigned int id, struct ring_view *v)
{
	struct ring_search s = { id, v };

	memset(v, 0, sizeof(*v));
	nl_begin(ctl(), HYPERCUBE_CMD_PLAN_GET, NLM_F_DUMP);
	nl_str(ctl(), HYPERCUBE_A_PLAN_FABRIC, name);
	return nl_talk(ctl(), ring_take, &s);
}

struct cause_search {
	unsigned int plan;
	struct plan_cause *cause;
};

static void cause_take(void *arg, const struct nl_attrs *a)
{
	struct cause_search *s = arg;

	if (nl_get_u32(a, HYPERCUBE_A_PLAN_ID, 0) != s->plan)
		return;
	s->cause->broken = *(const uint8_t *)nl_data(nl_find(a, HYPERCUBE_A_PLAN_BROKEN, 0));
	s->cause->status = (int)nl_get_u32(a, HYPERCUBE_A_PLAN_CAUSE_STATUS, 0);
	s->cause->node = nl_get_u32(a, HYPERCUBE_A_PLAN_CAUSE_NODE, ~0u);
}

int ctl_plan_cause(const char *name, unsigned int id, struct plan_cause *cause)
{
	struct cause_search s = { id, cause };

	memset(cause, 0, sizeof(*cause));
	nl_begin(ctl(), HYPERCUBE_CMD_PLAN_GET, NLM_F_DUMP);
	nl_str(ctl(), HYPERCUBE_A_PLAN_FABRIC, name);
	return nl_talk(ctl(), cause_take, &s);
}

int ctl_plan_del(const char *name, unsigned int id)
{
	nl_begin(ctl(), HYPERCUBE_CMD_PLAN_DEL, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_PLAN_FABRIC, name);
	nl_u32(ctl(), HYPERCUBE_A_PLAN_ID, id);
	return nl_talk(ctl(), NULL, NULL);
}

struct view_search {
	unsigned int plan;
	unsigned int node;
	struct wait_view *v;
};

static void view_take(void *arg, const struct nl_attrs *a)
{
	struct view_search *s = arg;

	if (nl_get_u32(a, HYPERCUBE_A_OP_PLAN, 0) != s->plan ||
	    nl_get_u32(a, HYPERCUBE_A_OP_NODE, ~0u) != s->node)
		return;
	s->v->wait = (int)nl_get_u32(a, HYPERCUBE_A_OP_WAIT, 0);
	s->v->peer = nl_get_u32(a, HYPERCUBE_A_OP_PEER, ~0u);
	s->v->nr = nl_get_u64(a, HYPERCUBE_A_OP_NR, 0);
	s->v->next = nl_get_u64(a, HYPERCUBE_A_OP_NEXT, 0);
	s->v->done = nl_get_u64(a, HYPERCUBE_A_OP_DONE, 0);
}

int ctl_op_get(const char *name, unsigned int plan, unsigned int node, struct wait_view *v)
{
	struct view_search s = { .plan = plan, .node = node, .v = v };

	v->wait = -1;
	nl_begin(ctl(), HYPERCUBE_CMD_OP_GET, NLM_F_DUMP);
	nl_str(ctl(), HYPERCUBE_A_OP_FABRIC, name);
	return nl_talk(ctl(), view_take, &s);
}

static void view_print(void *arg, const struct nl_attrs *a)
{
	static const char * const waits[] = {
		"nothing", "its own process", "data of", "room at", "its reader", "the sink",
	};
	unsigned int wait = nl_get_u32(a, HYPERCUBE_A_OP_WAIT, 0);
	unsigned int peer = nl_get_u32(a, HYPERCUBE_A_OP_PEER, ~0u);

	(void)arg;
	printf("# plan %u operation %llu: node %u waits for %s",
	       nl_get_u32(a, HYPERCUBE_A_OP_PLAN, 0),
	       (unsigned long long)nl_get_u64(a, HYPERCUBE_A_OP_NR, 0),
	       nl_get_u32(a, HYPERCUBE_A_OP_NODE, 0), wait < 6 ? waits[wait] : "?");
	if (peer != ~0u)
		printf(" node %u", peer);
	printf(", next %llu, done %llu\n",
	       (unsigned long long)nl_get_u64(a, HYPERCUBE_A_OP_NEXT, 0),
	       (unsigned long long)nl_get_u64(a, HYPERCUBE_A_OP_DONE, 0));
}

void ctl_op_print(const char *name)
{
	nl_begin(ctl(), HYPERCUBE_CMD_OP_GET, NLM_F_DUMP);
	nl_str(ctl(), HYPERCUBE_A_OP_FABRIC, name);
	nl_talk(ctl(), view_print, NULL);
}
