// SPDX-License-Identifier: GPL-2.0
/*
 * Replies of the kernel into plain structs.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "nl_impl.h"

/* An unsigned number of any width: a shorter or longer attribute of another
 * kernel must not make us read beyond it.
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

#define for_each_attr(a, nlh, rem) \
	nla_for_each_attr(a, genlmsg_attrdata(nlmsg_data(nlh), 0), \
			  genlmsg_attrlen(nlmsg_data(nlh), 0), rem)

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
};

const char *nl_drop_name(unsigned int reason)
{
	return reason < NL_DROPS ? drop_names[reason] : NULL;
}

static void drops(const struct nlattr *nest, uint64_t *v)
{
	struct nlattr *a;
	int rem;

	nla_for_each_nested(a, nest, rem)
		if (nla_type(a) < NL_DROPS && nla_type(a) != HYPERCUBE_A_DROP_PAD)
			v[nla_type(a)] = num(a);
}

int nl_fill_fabric(struct nlmsghdr *nlh, void *arg)
{
	struct nl_fabric *v = arg;
	struct nlattr *a;
	int rem;

	memset(v, 0, sizeof(*v));
	for_each_attr(a, nlh, rem) {
		switch (nla_type(a)) {
		case HYPERCUBE_A_FABRIC_NAME:
			nla_strlcpy(v->name, a, sizeof(v->name));
			break;
		case HYPERCUBE_A_FABRIC_ID:
			v->id = num(a);
			break;
		case HYPERCUBE_A_FABRIC_DIM:
			v->dim = num(a);
			break;
		case HYPERCUBE_A_FABRIC_SEGMENT:
			v->segment = num(a);
			break;
		case HYPERCUBE_A_FABRIC_FAMILY:
			v->family = num(a);
			break;
		case HYPERCUBE_A_FABRIC_LINKS_DOWN:
			v->links_down = num(a);
			break;
		case HYPERCUBE_A_FABRIC_NODES_FAILED:
			v->nodes_failed = num(a);
			break;
		case HYPERCUBE_A_FABRIC_NODE_SIZE:
			v->node_size = num(a);
			break;
		case HYPERCUBE_A_FABRIC_DEV_SIZE:
			v->dev_size = num(a);
			break;
		case HYPERCUBE_A_FABRIC_PATIENCE:
			v->patience = num(a);
			break;
		}
	}
	return 0;
}

int nl_fill_node(struct nlmsghdr *nlh, void *arg)
{
	struct nl_node *v = arg;
	struct nlattr *a;
	int rem;

	memset(v, 0, sizeof(*v));
	v->owner = NL_NONE;
	for_each_attr(a, nlh, rem) {
		switch (nla_type(a)) {
		case HYPERCUBE_A_NODE_FABRIC:
			nla_strlcpy(v->fabric, a, sizeof(v->fabric));
			break;
		case HYPERCUBE_A_NODE_ID:
			v->id = num(a);
			break;
		case HYPERCUBE_A_NODE_IFINDEX:
			v->ifindex = num(a);
			break;
		case HYPERCUBE_A_NODE_IFNAME:
			nla_strlcpy(v->ifname, a, sizeof(v->ifname));
			break;
		case HYPERCUBE_A_NODE_FAILED:
			v->failed = num(a);
			break;
		case HYPERCUBE_A_NODE_FAULT:
			v->fault = num(a);
			break;
		case HYPERCUBE_A_NODE_NB_FAULT:
			if (v->nb < HYPERCUBE_DIM_MAX)
				v->nb_fault[v->nb++] = num(a);
			break;
		case HYPERCUBE_A_NODE_OWNER:
			v->owner = num(a);
			break;
		case HYPERCUBE_A_NODE_NETNSID:
			v->elsewhere = true;
			v->netnsid = (int32_t)num(a);
			break;
		case HYPERCUBE_A_NODE_BOUND:
			v->bound = num(a);
			break;
		case HYPERCUBE_A_NODE_DROPS:
			drops(a, v->drops);
			break;
		case HYPERCUBE_A_NODE_HOST_FRAMES:
			v->host_frames = num(a);
			break;
		case HYPERCUBE_A_NODE_MERGED_BYTES:
			v->merged_bytes = num(a);
			break;
		}
	}
	return 0;
}

static void fill_impairment(const struct nlattr *a, struct nl_link *v)
{
	switch (nla_type(a)) {
	case HYPERCUBE_A_LINK_CORRUPT:
		v->imp.corrupt = num(a);
		break;
	case HYPERCUBE_A_LINK_DUPLICATE:
		v->imp.duplicate = num(a);
		break;
	case HYPERCUBE_A_LINK_DELAY:
		v->imp.delay = num(a);
		break;
	case HYPERCUBE_A_LINK_JITTER:
		v->imp.jitter = num(a);
		break;
	case HYPERCUBE_A_LINK_RATE:
		v->imp.rate = num(a);
		break;
	case HYPERCUBE_A_LINK_SEED:
		v->imp.seed = num(a);
		break;
	case HYPERCUBE_A_LINK_FLAP_DOWN:
		v->flap_down = num(a);
		break;
	case HYPERCUBE_A_LINK_FLAP_PERIOD:
		v->flap_period = num(a);
		break;
	case HYPERCUBE_A_LINK_CORRUPTED:
		v->corrupted = num(a);
		break;
	case HYPERCUBE_A_LINK_DUPLICATED:
		v->duplicated = num(a);
		break;
	case HYPERCUBE_A_LINK_DELAYED:
		v->delayed = num(a);
		break;
	case HYPERCUBE_A_LINK_QUEUED:
		v->queued = num(a);
		break;
	case HYPERCUBE_A_LINK_QUEUED_BYTES:
		v->queued_bytes = num(a);
		break;
	}
}

int nl_fill_link(struct nlmsghdr *nlh, void *arg)
{
	struct nl_link *v = arg;
	struct nlattr *a;
	int rem;

	memset(v, 0, sizeof(*v));
	for_each_attr(a, nlh, rem) {
		switch (nla_type(a)) {
		case HYPERCUBE_A_LINK_FABRIC:
			nla_strlcpy(v->fabric, a, sizeof(v->fabric));
			break;
		case HYPERCUBE_A_LINK_NODE:
			v->node = num(a);
			break;
		case HYPERCUBE_A_LINK_DIM:
			v->dim = num(a);
			break;
		case HYPERCUBE_A_LINK_STATE:
			v->state = num(a);
			break;
		case HYPERCUBE_A_LINK_LOSS:
			v->imp.loss = num(a);
			break;
		case HYPERCUBE_A_LINK_LATENCY:
			v->latency = num(a);
			break;
		case HYPERCUBE_A_LINK_BANDWIDTH:
			v->bandwidth = num(a);
			break;
		case HYPERCUBE_A_LINK_TX_FRAMES:
			v->tx_frames = num(a);
			break;
		case HYPERCUBE_A_LINK_TX_BYTES:
			v->tx_bytes = num(a);
			break;
		case HYPERCUBE_A_LINK_RX_FRAMES:
			v->rx_frames = num(a);
			break;
		case HYPERCUBE_A_LINK_RX_BYTES:
			v->rx_bytes = num(a);
			break;
		case HYPERCUBE_A_LINK_DROPS:
			drops(a, v->drops);
			break;
		default:
			fill_impairment(a, v);
		}
	}
	return 0;
}

int nl_fill_op(struct nlmsghdr *nlh, void *arg)
{
	struct nl_op *v = arg;
	struct nlattr *a;
	int rem;

	memset(v, 0, sizeof(*v));
	v->cause_node = NL_NONE;
	v->cause_dim = NL_NONE;
	for_each_attr(a, nlh, rem) {
		switch (nla_type(a)) {
		case HYPERCUBE_A_OP_FABRIC:
			nla_strlcpy(v->fabric, a, sizeof(v->fabric));
			break;
		case HYPERCUBE_A_OP_PLAN:
			v->plan = num(a);
			break;
		case HYPERCUBE_A_OP_EPOCH:
			v->epoch = num(a);
			break;
		case HYPERCUBE_A_OP_NODE:
			v->node = num(a);
			break;
		case HYPERCUBE_A_OP_NR:
			v->nr = num(a);
			break;
		case HYPERCUBE_A_OP_WAIT:
			v->wait = num(a);
			break;
		case HYPERCUBE_A_OP_PEER:
			v->peer = num(a);
			break;
		case HYPERCUBE_A_OP_SINCE:
			v->since = num(a);
			break;
		case HYPERCUBE_A_OP_NEXT:
			v->next = num(a);
			break;
		case HYPERCUBE_A_OP_DONE:
			v->done = num(a);
			break;
		case HYPERCUBE_A_OP_STATUS:
			v->status = (int32_t)num(a);
			break;
		case HYPERCUBE_A_OP_CAUSE_NODE:
			v->cause_node = num(a);
			break;
		case HYPERCUBE_A_OP_CAUSE_DIM:
			v->cause_dim = num(a);
			break;
		case HYPERCUBE_A_OP_STEPS:
			v->steps = num(a);
			break;
		case HYPERCUBE_A_OP_TIME:
			v->time = num(a);
			break;
		}
	}
	return 0;
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

/* Bytes, node u in bit u % 8 of byte u / 8, to words. */
static int set_members(struct nl_plan *v, const struct nlattr *a)
{
	const uint8_t *bytes = nla_data(a);
	int len = nla_len(a), i;

	free(v->members);
	v->member_words = (len + 3) / 4;
	v->members = calloc(v->member_words ?: 1, sizeof(*v->members));
	if (!v->members)
		return -ENOMEM;
	for (i = 0; i < len; i++)
		v->members[i / 4] |= (uint32_t)bytes[i] << (i % 4 * 8);
	return 0;
}

static int set_fault(struct nl_plan *v, const struct nlattr *a)
{
	free(v->fault);
	v->nfault = nla_len(a) / sizeof(uint32_t);
	v->fault = calloc(v->nfault ?: 1, sizeof(uint32_t));
	if (!v->fault)
		return -ENOMEM;
	memcpy(v->fault, nla_data(a), v->nfault * sizeof(uint32_t));
	return 0;
}

static int set_sequence(struct nl_plan *v, const struct nlattr *a)
{
	free(v->sequence);
	v->steps = nla_len(a);
	v->sequence = calloc(v->steps ?: 1, 1);
	if (!v->sequence)
		return -ENOMEM;
	memcpy(v->sequence, nla_data(a), v->steps);
	return 0;
}

static int plan_attr(struct nl_plan *v, const struct nlattr *a)
{
	switch (nla_type(a)) {
	case HYPERCUBE_A_PLAN_FABRIC:
		nla_strlcpy(v->fabric, a, sizeof(v->fabric));
		return 0;
	case HYPERCUBE_A_PLAN_ID:
		v->id = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_EPOCH:
		v->epoch = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_TYPE:
		v->type = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_SINK:
		v->sink = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_SOURCE:
		v->source = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_BASE:
		v->base = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_SEQUENCE:
		return set_sequence(v, a);
	case HYPERCUBE_A_PLAN_ORDER:
		if (v->stages < HC_LIB_DIM_MAX)
			v->order[v->stages++] = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_MEMBERS:
		return set_members(v, a);
	case HYPERCUBE_A_PLAN_DETOUR:
		return add_detour(v, num(a));
	case HYPERCUBE_A_PLAN_FAULT:
		return set_fault(v, a);
	case HYPERCUBE_A_PLAN_BROKEN:
		v->broken = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_CAUSE_NODE:
		v->cause_node = num(a);
		return 0;
	case HYPERCUBE_A_PLAN_CAUSE_DIM:
		v->cause_dim = num(a);
		return 0;
	}
	return 0;
}

int nl_fill_plan(struct nlmsghdr *nlh, void *arg)
{
	struct nl_plan *v = arg;
	struct nlattr *a;
	int rem;

	memset(v, 0, sizeof(*v));
	v->cause_node = NL_NONE;
	v->cause_dim = NL_NONE;
	for_each_attr(a, nlh, rem)
		if (plan_attr(v, a)) {
			nl_plan_clear(v);
			return -ENOMEM;
		}
	return 0;
}

void nl_plan_clear(struct nl_plan *v)
{
	free(v->members);
	free(v->detours);
	free(v->sequence);
	free(v->fault);
	v->members = NULL;
	v->detours = NULL;
	v->sequence = NULL;
	v->fault = NULL;
}

void nl_plans_free(struct nl_plan *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		nl_plan_clear(&v[i]);
	free(v);
}
