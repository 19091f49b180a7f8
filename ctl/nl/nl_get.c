// SPDX-License-Identifier: GPL-2.0
/*
 * Reading the replies of the kernel into plain structs.
 */
#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "nl_impl.h"

/* Read an unsigned number of 1, 4 or 8 bytes. The attribute determines the size, because a kernel
 * of another version may send another size than this program has in its structs.
 */
static uint64_t num(const struct nlattr *a)
{
	uint64_t v64;
	uint32_t v32;

	switch (nla_len(a)) {
	case 1:
		return *(uint8_t *)nla_data(a);
	case 4:
		memcpy(&v32, nla_data(a), sizeof(v32));
		return v32;
	case 8:
		memcpy(&v64, nla_data(a), sizeof(v64));
		return v64;
	}
	return 0;
}

static const char * const drop_names[NL_DROPS] = {
	[HYPERCUBE_A_DROP_LINK_DOWN] = "link-down",
	[HYPERCUBE_A_DROP_NODE_FAILED] = "node-failed",
	[HYPERCUBE_A_DROP_LOSS] = "loss",
	[HYPERCUBE_A_DROP_MALFORMED] = "malformed",
	[HYPERCUBE_A_DROP_FOREIGN] = "foreign",
	[HYPERCUBE_A_DROP_NO_ROUTE] = "no-route",
	[HYPERCUBE_A_DROP_NO_PLAN] = "no-plan",
	[HYPERCUBE_A_DROP_OLD_EPOCH] = "old-epoch",
	[HYPERCUBE_A_DROP_ENDED] = "ended",
	[HYPERCUBE_A_DROP_UNEXPECTED] = "unexpected",
	[HYPERCUBE_A_DROP_NO_SOCKET] = "no-socket",
	[HYPERCUBE_A_DROP_QUEUE_FULL] = "queue-full",
	[HYPERCUBE_A_DROP_NO_MEMORY] = "no-memory",
	[HYPERCUBE_A_DROP_SPOOFED] = "spoofed",
	[HYPERCUBE_A_DROP_TEARDOWN] = "teardown",
	[HYPERCUBE_A_DROP_NO_NODE] = "no-node",
	[HYPERCUBE_A_DROP_TOO_BIG] = "too-big",
	[HYPERCUBE_A_DROP_ENDPOINT_DOWN] = "endpoint-down",
	[HYPERCUBE_A_DROP_CHECKSUM] = "checksum",
	[HYPERCUBE_A_DROP_DUPLICATE] = "duplicate",
	[HYPERCUBE_A_DROP_COPY_MISMATCH] = "copy_mismatch",
	[HYPERCUBE_A_DROP_TOO_FEW_COPIES] = "too_few_copies",
	[HYPERCUBE_A_DROP_GAP] = "gap",
};

const char *nl_drop_name(unsigned int reason)
{
	return reason < NL_DROPS ? drop_names[reason] : NULL;
}

enum kind { NOTHING, NUMBER, FLAG, TEXT, NUMBERS };

/**
 * struct field - where an attribute is stored in a structure
 * @kind: kind of the attribute
 * @size: bytes of the member: of a number or text, or of all numbers of a nest
 * @at: offset of the member
 */
struct field {
	uint8_t kind;
	uint16_t size;
	uint16_t at;
};

#define FIELD(kind, type, member) \
	{ kind, sizeof(((struct type){}).member), offsetof(struct type, member) }

static void number_put(void *p, size_t size, uint64_t v)
{
	if (size == sizeof(uint64_t))
		*(uint64_t *)p = v;
	else if (size == sizeof(uint32_t))
		*(uint32_t *)p = (uint32_t)v;
}

/* Read the numbers of a nest, such as drops or tasks, into @v: each number at the index of its
 * attribute type.
 */
static void numbers_put(uint64_t *v, size_t n, const struct nlattr *nest)
{
	struct nlattr *a;
	int rem;

	nla_for_each_nested(a, nest, rem)
		if ((size_t)nla_type(a) < n)
			v[nla_type(a)] = num(a);
}

/**
 * struct layout - how a message is read into a structure
 * @size: bytes of the structure
 * @n: number of @fields
 * @fields: the fields, indexed by attribute type
 * @more: reads the attributes that @fields cannot describe; returns 0 or -ENOMEM; may be NULL
 */
struct layout {
	size_t size;
	size_t n;
	const struct field *fields;
	int (*more)(void *v, const struct nlattr *a);
};

#define LAYOUT(type, fields, more) \
	{ sizeof(struct type), sizeof(fields) / sizeof(*(fields)), fields, more }

/* Store an attribute in its member of @v. Attributes that @l does not have are ignored. */
static void take(void *v, const struct layout *l, const struct nlattr *a)
{
	const struct field *f = (size_t)nla_type(a) < l->n ? &l->fields[nla_type(a)] : NULL;
	void *to = f ? (char *)v + f->at : NULL;

	switch (f ? f->kind : NOTHING) {
	case NUMBER:
		number_put(to, f->size, num(a));
		break;
	case FLAG:
		*(bool *)to = num(a);
		break;
	case TEXT:
		nla_strlcpy(to, a, f->size);
		break;
	case NUMBERS:
		numbers_put(to, f->size / sizeof(uint64_t), a);
		break;
	}
}

/* Read a message into @v. Members of @v whose attributes are absent keep their values. */
static int fill(struct nlmsghdr *nlh, void *v, const struct layout *l)
{
	struct nlattr *a;
	int rem, err;

	nla_for_each_attr(a, genlmsg_attrdata(nlmsg_data(nlh), 0),
			  genlmsg_attrlen(nlmsg_data(nlh), 0), rem) {
		take(v, l, a);
		err = l->more ? l->more(v, a) : 0;
		if (err)
			return err;
	}
	return 0;
}

static int fill_new(struct nlmsghdr *nlh, void *v, const struct layout *l)
{
	memset(v, 0, l->size);
	return fill(nlh, v, l);
}

/* --- tables of fields --- */

static const struct field fabric_fields[] = {
	[HYPERCUBE_A_FABRIC_NAME] = FIELD(TEXT, nl_fabric, name),
	[HYPERCUBE_A_FABRIC_ID] = FIELD(NUMBER, nl_fabric, id),
	[HYPERCUBE_A_FABRIC_INDEX] = FIELD(NUMBER, nl_fabric, index),
	[HYPERCUBE_A_FABRIC_DIM] = FIELD(NUMBER, nl_fabric, dim),
	[HYPERCUBE_A_FABRIC_NODES] = FIELD(NUMBER, nl_fabric, nodes),
	[HYPERCUBE_A_FABRIC_PORTS] = FIELD(NUMBER, nl_fabric, ports),
	[HYPERCUBE_A_FABRIC_SHAPE] = FIELD(TEXT, nl_fabric, shape),
	[HYPERCUBE_A_FABRIC_SEGMENT] = FIELD(NUMBER, nl_fabric, segment),
	[HYPERCUBE_A_FABRIC_FAMILY] = FIELD(NUMBER, nl_fabric, family),
	[HYPERCUBE_A_FABRIC_LINKS_DOWN] = FIELD(NUMBER, nl_fabric, links_down),
	[HYPERCUBE_A_FABRIC_NODES_FAILED] = FIELD(NUMBER, nl_fabric, nodes_failed),
	[HYPERCUBE_A_FABRIC_NODE_SIZE] = FIELD(NUMBER, nl_fabric, node_size),
	[HYPERCUBE_A_FABRIC_DEV_SIZE] = FIELD(NUMBER, nl_fabric, dev_size),
	[HYPERCUBE_A_FABRIC_STALL_TIMEOUT] = FIELD(NUMBER, nl_fabric, stall_timeout),
	[HYPERCUBE_A_FABRIC_SUBCUBE_MASK] = FIELD(NUMBER, nl_fabric, fixed),
	[HYPERCUBE_A_FABRIC_SUBCUBE_VALUE] = FIELD(NUMBER, nl_fabric, base),
	[HYPERCUBE_A_FABRIC_TRUNKS_ENDED] = FIELD(NUMBER, nl_fabric, trunks_ended),
	[HYPERCUBE_A_FABRIC_LIFE] = FIELD(NUMBER, nl_fabric, life),
};

static const struct field node_fields[] = {
	[HYPERCUBE_A_NODE_FABRIC] = FIELD(TEXT, nl_node, fabric),
	[HYPERCUBE_A_NODE_ID] = FIELD(NUMBER, nl_node, id),
	[HYPERCUBE_A_NODE_IFINDEX] = FIELD(NUMBER, nl_node, ifindex),
	[HYPERCUBE_A_NODE_IFNAME] = FIELD(TEXT, nl_node, ifname),
	[HYPERCUBE_A_NODE_FAILED] = FIELD(FLAG, nl_node, failed),
	[HYPERCUBE_A_NODE_FAULT] = FIELD(NUMBER, nl_node, fault),
	[HYPERCUBE_A_NODE_OWNER] = FIELD(NUMBER, nl_node, owner),
	[HYPERCUBE_A_NODE_NETNSID] = FIELD(NUMBER, nl_node, netnsid),
	[HYPERCUBE_A_NODE_BOUND] = FIELD(FLAG, nl_node, bound),
	[HYPERCUBE_A_NODE_DROPS] = FIELD(NUMBERS, nl_node, drops),
	[HYPERCUBE_A_NODE_TASKS] = FIELD(NUMBERS, nl_node, tasks),
	[HYPERCUBE_A_NODE_HOST_FRAMES] = FIELD(NUMBER, nl_node, host_frames),
	[HYPERCUBE_A_NODE_MERGED_BYTES] = FIELD(NUMBER, nl_node, merged_bytes),
	[HYPERCUBE_A_NODE_BYZANTINE] = FIELD(NUMBER, nl_node, byzantine.ppm),
	[HYPERCUBE_A_NODE_BYZANTINE_SEED] = FIELD(NUMBER, nl_node, byzantine.seed),
	[HYPERCUBE_A_NODE_BYZANTINE_FRAMES] = FIELD(NUMBER, nl_node, corrupted),
	[HYPERCUBE_A_NODE_AGREED] = FIELD(NUMBER, nl_node, agreed),
	[HYPERCUBE_A_NODE_DISAGREED] = FIELD(NUMBER, nl_node, disagreed),
	[HYPERCUBE_A_NODE_INCOMPLETE] = FIELD(NUMBER, nl_node, incomplete),
};

static const struct field trunk_fields[] = {
	[HYPERCUBE_A_TRUNK_FABRIC] = FIELD(TEXT, nl_trunk, fabric),
	[HYPERCUBE_A_TRUNK_ID] = FIELD(NUMBER, nl_trunk, id),
	[HYPERCUBE_A_TRUNK_DIM] = FIELD(NUMBER, nl_trunk, dim),
	[HYPERCUBE_A_TRUNK_SUBCUBE_MASK] = FIELD(NUMBER, nl_trunk, fixed),
	[HYPERCUBE_A_TRUNK_SUBCUBE_VALUE] = FIELD(NUMBER, nl_trunk, base),
	[HYPERCUBE_A_TRUNK_KEEPALIVE] = FIELD(NUMBER, nl_trunk, keep),
	[HYPERCUBE_A_TRUNK_LINKS] = FIELD(NUMBER, nl_trunk, links),
	[HYPERCUBE_A_TRUNK_DIGEST] = FIELD(NUMBER, nl_trunk, digest),
	[HYPERCUBE_A_TRUNK_LIFE] = FIELD(NUMBER, nl_trunk, life),
	[HYPERCUBE_A_TRUNK_SILENCE] = FIELD(NUMBER, nl_trunk, silence),
	[HYPERCUBE_A_TRUNK_FAMILY] = FIELD(NUMBER, nl_trunk, family),
	[HYPERCUBE_A_TRUNK_TX_FRAMES] = FIELD(NUMBER, nl_trunk, tx_frames),
	[HYPERCUBE_A_TRUNK_TX_BYTES] = FIELD(NUMBER, nl_trunk, tx_bytes),
	[HYPERCUBE_A_TRUNK_RX_FRAMES] = FIELD(NUMBER, nl_trunk, rx_frames),
	[HYPERCUBE_A_TRUNK_RX_BYTES] = FIELD(NUMBER, nl_trunk, rx_bytes),
	[HYPERCUBE_A_TRUNK_DROPPED] = FIELD(NUMBER, nl_trunk, dropped),
	[HYPERCUBE_A_TRUNK_ERROR] = FIELD(NUMBER, nl_trunk, error),
	[HYPERCUBE_A_TRUNK_REASON] = FIELD(TEXT, nl_trunk, why),
};

static const struct field link_fields[] = {
	[HYPERCUBE_A_LINK_FABRIC] = FIELD(TEXT, nl_link, fabric),
	[HYPERCUBE_A_LINK_NODE] = FIELD(NUMBER, nl_link, node),
	[HYPERCUBE_A_LINK_DIM] = FIELD(NUMBER, nl_link, dim),
	[HYPERCUBE_A_LINK_PEER] = FIELD(NUMBER, nl_link, peer),
	[HYPERCUBE_A_LINK_STATE] = FIELD(NUMBER, nl_link, state),
	[HYPERCUBE_A_LINK_LOSS] = FIELD(NUMBER, nl_link, imp.loss),
	[HYPERCUBE_A_LINK_CORRUPT] = FIELD(NUMBER, nl_link, imp.corrupt),
	[HYPERCUBE_A_LINK_DUPLICATE] = FIELD(NUMBER, nl_link, imp.duplicate),
	[HYPERCUBE_A_LINK_DELAY] = FIELD(NUMBER, nl_link, imp.delay),
	[HYPERCUBE_A_LINK_JITTER] = FIELD(NUMBER, nl_link, imp.jitter),
	[HYPERCUBE_A_LINK_RATE] = FIELD(NUMBER, nl_link, imp.rate),
	[HYPERCUBE_A_LINK_SEED] = FIELD(NUMBER, nl_link, imp.seed),
	[HYPERCUBE_A_LINK_FLAP_DOWN] = FIELD(NUMBER, nl_link, flap_down),
	[HYPERCUBE_A_LINK_FLAP_PERIOD] = FIELD(NUMBER, nl_link, flap_period),
	[HYPERCUBE_A_LINK_REPLAYS] = FIELD(NUMBER, nl_link, replays),
	[HYPERCUBE_A_LINK_CORRUPTED] = FIELD(NUMBER, nl_link, corrupted),
	[HYPERCUBE_A_LINK_DUPLICATED] = FIELD(NUMBER, nl_link, duplicated),
	[HYPERCUBE_A_LINK_DELAYED] = FIELD(NUMBER, nl_link, delayed),
	[HYPERCUBE_A_LINK_QUEUED] = FIELD(NUMBER, nl_link, queued),
	[HYPERCUBE_A_LINK_QUEUED_BYTES] = FIELD(NUMBER, nl_link, queued_bytes),
	[HYPERCUBE_A_LINK_MODEL_LATENCY] = FIELD(NUMBER, nl_link, latency),
	[HYPERCUBE_A_LINK_MODEL_BANDWIDTH] = FIELD(NUMBER, nl_link, bandwidth),
	[HYPERCUBE_A_LINK_TX_FRAMES] = FIELD(NUMBER, nl_link, tx_frames),
	[HYPERCUBE_A_LINK_TX_BYTES] = FIELD(NUMBER, nl_link, tx_bytes),
	[HYPERCUBE_A_LINK_RX_FRAMES] = FIELD(NUMBER, nl_link, rx_frames),
	[HYPERCUBE_A_LINK_RX_BYTES] = FIELD(NUMBER, nl_link, rx_bytes),
	[HYPERCUBE_A_LINK_DROPS] = FIELD(NUMBERS, nl_link, drops),
};

static const struct field op_fields[] = {
	[HYPERCUBE_A_OP_FABRIC] = FIELD(TEXT, nl_op, fabric),
	[HYPERCUBE_A_OP_PLAN] = FIELD(NUMBER, nl_op, plan),
	[HYPERCUBE_A_OP_EPOCH] = FIELD(NUMBER, nl_op, epoch),
	[HYPERCUBE_A_OP_NODE] = FIELD(NUMBER, nl_op, node),
	[HYPERCUBE_A_OP_NR] = FIELD(NUMBER, nl_op, nr),
	[HYPERCUBE_A_OP_WAIT] = FIELD(NUMBER, nl_op, wait),
	[HYPERCUBE_A_OP_PEER] = FIELD(NUMBER, nl_op, peer),
	[HYPERCUBE_A_OP_SINCE] = FIELD(NUMBER, nl_op, since),
	[HYPERCUBE_A_OP_NEXT] = FIELD(NUMBER, nl_op, next),
	[HYPERCUBE_A_OP_DONE] = FIELD(NUMBER, nl_op, done),
	[HYPERCUBE_A_OP_STATUS] = FIELD(NUMBER, nl_op, status),
	[HYPERCUBE_A_OP_CAUSE_NODE] = FIELD(NUMBER, nl_op, cause_node),
	[HYPERCUBE_A_OP_CAUSE_DIM] = FIELD(NUMBER, nl_op, cause_dim),
	[HYPERCUBE_A_OP_STEPS] = FIELD(NUMBER, nl_op, steps),
	[HYPERCUBE_A_OP_TIME] = FIELD(NUMBER, nl_op, time),
	[HYPERCUBE_A_OP_GEN] = FIELD(NUMBER, nl_op, gen),
};

static const struct field vote_fields[] = {
	[HYPERCUBE_A_VOTE_FABRIC] = FIELD(TEXT, nl_vote, fabric),
	[HYPERCUBE_A_VOTE_NODE] = FIELD(NUMBER, nl_vote, node),
	[HYPERCUBE_A_VOTE_SRC] = FIELD(NUMBER, nl_vote, src),
	[HYPERCUBE_A_VOTE_NR] = FIELD(NUMBER, nl_vote, nr),
	[HYPERCUBE_A_VOTE_OUTCOME] = FIELD(NUMBER, nl_vote, outcome),
	[HYPERCUBE_A_VOTE_COPIES] = FIELD(NUMBER, nl_vote, copies),
};

static const struct field lost_fields[] = {
	[HYPERCUBE_A_TASK_FABRIC] = FIELD(TEXT, nl_tasks_lost, fabric),
	[HYPERCUBE_A_TASK_NODE] = FIELD(NUMBER, nl_tasks_lost, node),
	[HYPERCUBE_A_TASK_LOSS] = FIELD(NUMBER, nl_tasks_lost, loss),
	[HYPERCUBE_A_TASK_COUNT] = FIELD(NUMBER, nl_tasks_lost, count),
};

static const struct field plan_fields[] = {
	[HYPERCUBE_A_PLAN_FABRIC] = FIELD(TEXT, nl_plan, fabric),
	[HYPERCUBE_A_PLAN_ID] = FIELD(NUMBER, nl_plan, id),
	[HYPERCUBE_A_PLAN_EPOCH] = FIELD(NUMBER, nl_plan, epoch),
	[HYPERCUBE_A_PLAN_TYPE] = FIELD(NUMBER, nl_plan, type),
	[HYPERCUBE_A_PLAN_SINK] = FIELD(NUMBER, nl_plan, sink),
	[HYPERCUBE_A_PLAN_SOURCE] = FIELD(NUMBER, nl_plan, source),
	[HYPERCUBE_A_PLAN_BASE] = FIELD(NUMBER, nl_plan, base),
	[HYPERCUBE_A_PLAN_BROKEN] = FIELD(FLAG, nl_plan, broken),
	[HYPERCUBE_A_PLAN_CAUSE_NODE] = FIELD(NUMBER, nl_plan, cause_node),
	[HYPERCUBE_A_PLAN_CAUSE_DIM] = FIELD(NUMBER, nl_plan, cause_dim),
	[HYPERCUBE_A_PLAN_CAUSE_STATUS] = FIELD(NUMBER, nl_plan, cause_status),
	[HYPERCUBE_A_PLAN_REPAIRS] = FIELD(NUMBER, nl_plan, repairs),
	[HYPERCUBE_A_PLAN_GUARD] = FIELD(NUMBER, nl_plan, guard),
	[HYPERCUBE_A_PLAN_GUARD_RECIPE] = FIELD(TEXT, nl_plan, recipe),
	[HYPERCUBE_A_PLAN_GUARD_UID] = FIELD(NUMBER, nl_plan, guard_uid),
};

/* --- messages --- */

int nl_fill_fabric(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_fabric, fabric_fields, NULL);

	return fill_new(nlh, v, &l);
}

static int node_more(void *arg, const struct nlattr *a)
{
	struct nl_node *v = arg;

	if (nla_type(a) == HYPERCUBE_A_NODE_NETNSID)
		v->elsewhere = true;
	if (nla_type(a) == HYPERCUBE_A_NODE_REMOTE)
		v->away = true;
	if (nla_type(a) == HYPERCUBE_A_NODE_NB_FAULT && v->nb < HYPERCUBE_PORTS_MAX)
		v->nb_fault[v->nb++] = num(a);
	if (nla_type(a) == HYPERCUBE_A_NODE_PEERS) {
		v->npeers = nla_len(a) / sizeof(*v->peer);
		if (v->npeers > HYPERCUBE_PORTS_MAX)
			return -EINVAL;
		memcpy(v->peer, nla_data(a), v->npeers * sizeof(*v->peer));
	}
	if (nla_type(a) == HYPERCUBE_A_NODE_BYZANTINE_AT &&
	    v->byzantine.n < HYPERCUBE_BYZANTINE_AT_MAX)
		v->byzantine.at[v->byzantine.n++] = num(a);
	return 0;
}

int nl_fill_node(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_node, node_fields, node_more);

	*(struct nl_node *)v = (struct nl_node){ .owner = NL_NONE };
	return fill(nlh, v, &l);
}

static int trunk_more(void *arg, const struct nlattr *a)
{
	struct nl_trunk *v = arg;

	if (nla_type(a) == HYPERCUBE_A_TRUNK_ESTABLISHED)
		v->established = true;
	if (nla_type(a) == HYPERCUBE_A_TRUNK_NO_PLANS)
		v->no_plans = true;
	if (nla_type(a) == HYPERCUBE_A_TRUNK_PEER && nla_len(a) <= NL_PEER_SIZE) {
		v->peer_len = nla_len(a);
		memcpy(v->peer, nla_data(a), v->peer_len);
	}
	return 0;
}

int nl_fill_trunk(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_trunk, trunk_fields, trunk_more);

	return fill_new(nlh, v, &l);
}

int nl_fill_link(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_link, link_fields, NULL);

	return fill_new(nlh, v, &l);
}

int nl_fill_op(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_op, op_fields, NULL);

	*(struct nl_op *)v = (struct nl_op){ .cause_node = NL_NONE, .cause_dim = NL_NONE };
	return fill(nlh, v, &l);
}

static int vote_more(void *arg, const struct nlattr *a)
{
	struct nl_vote *v = arg;
	struct hypercube_path *p;

	if (nla_type(a) != HYPERCUBE_A_VOTE_PATH || nla_len(a) != sizeof(*p) ||
	    v->npaths == HYPERCUBE_DIM_MAX)
		return 0;
	p = &v->path[v->npaths++];
	memcpy(p, nla_data(a), sizeof(*p));
	if (p->hops > HYPERCUBE_HOPS_MAX)
		p->hops = HYPERCUBE_HOPS_MAX;
	return 0;
}

int nl_fill_vote(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_vote, vote_fields, vote_more);

	return fill_new(nlh, v, &l);
}

static int lost_more(void *arg, const struct nlattr *a)
{
	struct nl_tasks_lost *v = arg;

	if (nla_type(a) == HYPERCUBE_A_TASK_ID && nla_len(a) == sizeof(*v->id) &&
	    v->n < NL_TASK_IDS)
		memcpy(&v->id[v->n++], nla_data(a), sizeof(*v->id));
	return 0;
}

int nl_fill_lost(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_tasks_lost, lost_fields, lost_more);

	return fill_new(nlh, v, &l);
}

/* --- plans --- */

/* Replace *@list by a copy of the first @size bytes of an attribute. */
static int list_set(void **list, const struct nlattr *a, size_t size)
{
	free(*list);
	*list = calloc(1, size ?: 1);
	if (!*list)
		return -ENOMEM;
	memcpy(*list, nla_data(a), size);
	return 0;
}

static const struct field round_fields[] = {
	[HYPERCUBE_A_ROUND_NR] = FIELD(NUMBER, nl_round, nr),
	[HYPERCUBE_A_ROUND_NODE] = FIELD(NUMBER, nl_round, node),
	[HYPERCUBE_A_ROUND_METHOD] = FIELD(NUMBER, nl_round, method),
	[HYPERCUBE_A_ROUND_TRIGGER] = FIELD(NUMBER, nl_round, trigger),
	[HYPERCUBE_A_ROUND_STATUS] = FIELD(NUMBER, nl_round, status),
	[HYPERCUBE_A_ROUND_CAUSE_NODE] = FIELD(NUMBER, nl_round, cause_node),
	[HYPERCUBE_A_ROUND_CAUSE_DIM] = FIELD(NUMBER, nl_round, cause_dim),
	[HYPERCUBE_A_ROUND_MEMBERS] = FIELD(NUMBER, nl_round, members),
	[HYPERCUBE_A_ROUND_MOVED] = FIELD(NUMBER, nl_round, moved),
	[HYPERCUBE_A_ROUND_BEGAN] = FIELD(NUMBER, nl_round, began),
	[HYPERCUBE_A_ROUND_TOOK] = FIELD(NUMBER, nl_round, took),
};

static const struct field balance_fields[] = {
	[HYPERCUBE_A_BALANCE_FABRIC] = FIELD(TEXT, nl_balance, fabric),
	[HYPERCUBE_A_BALANCE_METHOD] = FIELD(NUMBER, nl_balance, method),
	[HYPERCUBE_A_BALANCE_THRESHOLD] = FIELD(NUMBER, nl_balance, threshold),
	[HYPERCUBE_A_BALANCE_PERIOD] = FIELD(NUMBER, nl_balance, period),
	[HYPERCUBE_A_BALANCE_DONE] = FIELD(NUMBER, nl_balance, done),
	[HYPERCUBE_A_BALANCE_FAILED] = FIELD(NUMBER, nl_balance, failed),
	[HYPERCUBE_A_BALANCE_SUPERSEDED] = FIELD(NUMBER, nl_balance, superseded),
	[HYPERCUBE_A_BALANCE_MOVED] = FIELD(NUMBER, nl_balance, moved),
	[HYPERCUBE_A_BALANCE_EPOCH] = FIELD(NUMBER, nl_balance, epoch),
	[HYPERCUBE_A_BALANCE_DIMS] = FIELD(NUMBER, nl_balance, dims),
	[HYPERCUBE_A_BALANCE_BASE] = FIELD(NUMBER, nl_balance, base),
	[HYPERCUBE_A_BALANCE_DEPTH] = FIELD(NUMBER, nl_balance, depth),
};

static void round_take(struct nl_round *v, const struct nlattr *nest)
{
	static const struct layout l = LAYOUT(nl_round, round_fields, NULL);
	struct nlattr *a;
	int rem;

	*v = (struct nl_round){ .cause_node = NL_NONE, .cause_dim = NL_NONE };
	nla_for_each_nested(a, nest, rem)
		take(v, &l, a);
}

static int balance_more(void *arg, const struct nlattr *a)
{
	struct nl_balance *v = arg;

	if (nla_type(a) == HYPERCUBE_A_BALANCE_UP) {
		v->nodes = nla_len(a);
		nla_memcpy(v->up, a, sizeof(v->up));
	}
	if (nla_type(a) == HYPERCUBE_A_BALANCE_ROUND && v->n < HYPERCUBE_ROUNDS_KEPT)
		round_take(&v->round[v->n++], a);
	return 0;
}

int nl_fill_balance(struct nlmsghdr *nlh, void *v)
{
	static const struct layout l = LAYOUT(nl_balance, balance_fields, balance_more);

	return fill_new(nlh, v, &l);
}

static int add_way(struct nl_plan *v, const struct nlattr *a)
{
	struct nl_way *w = reallocarray(v->ways, v->nways + 1, sizeof(*w));

	if (!w)
		return -ENOMEM;
	v->ways = w;
	w += v->nways++;
	*w = (struct nl_way){ .hops = nla_len(a) };
	return list_set((void **)&w->dims, a, w->hops);
}

static int add_detour(struct nl_plan *v, uint32_t word)
{
	struct hc_detour *d = reallocarray(v->detours, v->ndetours + 1, sizeof(*d));

	if (!d)
		return -ENOMEM;
	v->detours = d;
	d[v->ndetours++] = (struct hc_detour){ word >> 16, word & 0xffff };
	return 0;
}

/* Convert a set of nodes from the kernel's form, in which node u is bit u % 8 of byte u / 8, to
 * 32-bit words. *@words is set to their number.
 */
static int take_set(uint32_t **set, uint32_t *words, const struct nlattr *a)
{
	const uint8_t *bytes = nla_data(a);
	int len = nla_len(a), i;

	free(*set);
	*words = (len + 3) / 4;
	*set = calloc(*words ?: 1, sizeof(**set));
	if (!*set)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		(*set)[i / 4] |= (uint32_t)bytes[i] << (i % 4 * 8);
	return 0;
}

static int set_rings(struct nl_plan *v, const struct nlattr *a)
{
	const struct hypercube_ring *rings = nla_data(a);
	uint32_t i;

	free(v->rings);
	v->nrings = nla_len(a) / sizeof(*rings);
	v->rings = calloc(v->nrings ?: 1, sizeof(*v->rings));
	if (!v->rings)
		return -ENOMEM;
	for (i = 0; i < v->nrings; i++)
		v->rings[i] = (struct hc_ring){
			.size = rings[i].size, .level = rings[i].level, .parent = rings[i].parent,
		};
	return 0;
}

static int plan_more(void *arg, const struct nlattr *a)
{
	struct nl_plan *v = arg;

	switch (nla_type(a)) {
	case HYPERCUBE_A_PLAN_SEQUENCE:
	case HYPERCUBE_A_PLAN_PARENTS:
		v->steps = nla_len(a);
		return list_set((void **)&v->sequence, a, v->steps);
	case HYPERCUBE_A_PLAN_ORDER:
		if (v->stages < HC_LIB_DIM_MAX)
			v->order[v->stages++] = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_MEMBERS:
		return take_set(&v->members, &v->member_words, a);
	case HYPERCUBE_A_PLAN_GUARD_MEMBERS:
		return take_set(&v->grant, &v->grant_words, a);
	case HYPERCUBE_A_PLAN_DETOUR:
		return add_detour(v, num(a));
	case HYPERCUBE_A_PLAN_WAY:
		return add_way(v, a);
	case HYPERCUBE_A_PLAN_RINGS:
		return set_rings(v, a);
	case HYPERCUBE_A_PLAN_RING_NODES:
		v->nring_nodes = nla_len(a) / sizeof(*v->ring_nodes);
		return list_set((void **)&v->ring_nodes, a,
				v->nring_nodes * sizeof(*v->ring_nodes));
	case HYPERCUBE_A_PLAN_FAULT:
		v->nfault = nla_len(a) / sizeof(*v->fault);
		return list_set((void **)&v->fault, a, v->nfault * sizeof(*v->fault));
	case HYPERCUBE_A_PLAN_REPAIR:
		v->repair = true;
	}
	return 0;
}

int nl_fill_plan(struct nlmsghdr *nlh, void *arg)
{
	static const struct layout l = LAYOUT(nl_plan, plan_fields, plan_more);
	struct nl_plan *v = arg;
	int err;

	*v = (struct nl_plan){
		.cause_node = NL_NONE, .cause_dim = NL_NONE, .guard_uid = NL_NONE,
	};
	err = fill(nlh, v, &l);
	if (err)
		nl_plan_clear(v);
	return err;
}

void nl_plan_clear(struct nl_plan *v)
{
	uint32_t i;

	for (i = 0; i < v->nways; i++)
		free(v->ways[i].dims);
	hc_free_all(v->members, v->detours, v->ways, v->sequence, v->fault, v->rings,
		    v->ring_nodes, v->grant);
	*v = (struct nl_plan){};
}

void nl_plans_free(struct nl_plan *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		nl_plan_clear(&v[i]);
	free(v);
}
