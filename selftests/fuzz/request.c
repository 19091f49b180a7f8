// SPDX-License-Identifier: GPL-2.0
/*
 * Random netlink requests, with valid and invalid attributes.
 */
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "calls.h"

#define REQUEST_MAX	8192

/* Kinds of attributes, by the values that are valid for them. */
enum kind { NONE, NAME, NODE, DIM, BOOL, SMALL, U32, U64, PPM, FLAG, PID, FD, BIN, NS };

/* The kind of each attribute, by its number in Documentation/netlink/specs/hypercube.yaml. */
static const unsigned char fabric_attrs[] = {
	NONE, NAME, U32, SMALL, U32, U32, U32, U32, U32, U32,
};

static const unsigned char node_attrs[] = {
	NONE, NAME, NODE, U32, NAME, BOOL, U32, U32, U32, PID, FD, U32, BOOL, BIN, U64, U64,
};

static const unsigned char link_attrs[] = {
	NONE, NAME, NODE, DIM, U32, BOOL, PPM, U64, U64, U64, U64, U64, U64, BIN, FLAG, BIN,
	PPM, PPM, NS, NS, U64, U32, U32, U32, U64, U64, U64, U32, U32,
};

static const unsigned char plan_attrs[] = {
	NONE, NAME, SMALL, U32, SMALL, NODE, DIM, BIN, U32, BIN, BOOL, U32, U32, BIN, NODE, BIN,
	NODE,
};

static const unsigned char plan_set_attrs[HYPERCUBE_A_PLAN_GUARD_UID + 1] = {
	[HYPERCUBE_A_PLAN_FABRIC] = NAME, [HYPERCUBE_A_PLAN_ID] = SMALL,
	[HYPERCUBE_A_PLAN_GUARD_UID] = U32,
};

static const unsigned char detect_attrs[] = { NONE, NAME, SMALL, U32, U32 };

static const unsigned char route_attrs[] = { NONE, NAME, NODE, NODE, DIM };

static const unsigned char op_attrs[] = { NONE, NAME, SMALL, U32, NODE, U64, U32, U32, U64 };

/* A command, and the kinds of the attributes that it has. */
static const struct command {
	unsigned char cmd;
	const unsigned char *attrs;
	unsigned int n;
} commands[] = {
	{ HYPERCUBE_CMD_FABRIC_GET, fabric_attrs, ARRAY_SIZE(fabric_attrs) },
	{ HYPERCUBE_CMD_FABRIC_NEW, fabric_attrs, ARRAY_SIZE(fabric_attrs) },
	{ HYPERCUBE_CMD_FABRIC_DEL, fabric_attrs, ARRAY_SIZE(fabric_attrs) },
	{ HYPERCUBE_CMD_NODE_GET, node_attrs, ARRAY_SIZE(node_attrs) },
	{ HYPERCUBE_CMD_NODE_SET, node_attrs, ARRAY_SIZE(node_attrs) },
	{ HYPERCUBE_CMD_LINK_GET, link_attrs, ARRAY_SIZE(link_attrs) },
	{ HYPERCUBE_CMD_LINK_SET, link_attrs, ARRAY_SIZE(link_attrs) },
	{ HYPERCUBE_CMD_FAULT_CLEAR, fabric_attrs, ARRAY_SIZE(fabric_attrs) },
	{ HYPERCUBE_CMD_DETECT, detect_attrs, ARRAY_SIZE(detect_attrs) },
	{ HYPERCUBE_CMD_PLAN_GET, plan_attrs, ARRAY_SIZE(plan_attrs) },
	{ HYPERCUBE_CMD_PLAN_NEW, plan_attrs, ARRAY_SIZE(plan_attrs) },
	{ HYPERCUBE_CMD_PLAN_DEL, plan_attrs, ARRAY_SIZE(plan_attrs) },
	{ HYPERCUBE_CMD_PLAN_SET, plan_set_attrs, ARRAY_SIZE(plan_set_attrs) },
	{ HYPERCUBE_CMD_OP_GET, op_attrs, ARRAY_SIZE(op_attrs) },
	{ HYPERCUBE_CMD_ROUTE_GET, route_attrs, ARRAY_SIZE(route_attrs) },
};

/**
 * struct request - a message that is being built
 * @buf: the message
 * @len: its length
 */
struct request {
	_Alignas(NLMSG_ALIGNTO) char buf[REQUEST_MAX];
	size_t len;
};

/* --- building --- */

static void begin(struct request *r, uint16_t type, int cmd, int flags)
{
	struct nlmsghdr *h = (struct nlmsghdr *)r->buf;
	struct genlmsghdr *g = NLMSG_DATA(h);

	memset(r->buf, 0, NLMSG_HDRLEN + GENL_HDRLEN);
	r->len = NLMSG_HDRLEN + GENL_HDRLEN;
	h->nlmsg_type = type;
	h->nlmsg_flags = NLM_F_REQUEST | flags;
	g->cmd = cmd;
	g->version = 1;
}

static void put(struct request *r, int type, const void *data, size_t len)
{
	struct nlattr *a = (struct nlattr *)(r->buf + r->len);

	if (r->len + NLA_HDRLEN + NLA_ALIGN(len) > sizeof(r->buf))
		return;
	a->nla_type = type;
	a->nla_len = NLA_HDRLEN + len;
	memset((char *)a + NLA_HDRLEN, 0, NLA_ALIGN(len));
	memcpy((char *)a + NLA_HDRLEN, data, len);
	r->len += NLA_ALIGN(a->nla_len);
}

static void put_u32(struct request *r, int type, uint32_t v)
{
	put(r, type, &v, sizeof(v));
}

static void put_name(struct request *r, int type)
{
	const char *name = any_fabric();

	put(r, type, name, strlen(name) + 1);
}

static void put_number(struct request *r, int type, unsigned int bytes, uint64_t v)
{
	put(r, type, &v, bytes);
}

static void put_kind(struct request *r, int type, enum kind kind)
{
	unsigned char bin[256];
	unsigned int i;

	for (i = 0; i < sizeof(bin); i++)
		bin[i] = fz_chance(50) ? 0 : fz_chance(50) ? 0xff : (unsigned char)fz_rnd();
	switch (kind) {
	case NAME:
		put_name(r, type);
		break;
	case BOOL:
		put_number(r, type, 1, fz_below(2));
		break;
	case FLAG:
		put(r, type, NULL, 0);
		break;
	case BIN:
		put(r, type, bin, fz_chance(50) ? 1u << fz_below(8) : fz_below(sizeof(bin)));
		break;
	case U64:
		put_number(r, type, 8, fz_number(8));
		break;
	case NS:
		put_number(r, type, 8, fz_below(20000000));
		break;
	case PID:
		put_u32(r, type, (uint32_t)any_sleeper());
		break;
	case FD:
		put_u32(r, type, fz_below(40));
		break;
	case NODE:
		put_u32(r, type, any_node());
		break;
	case U32:
		put_u32(r, type, (uint32_t)fz_number(4));
		break;
	default:
		put_u32(r, type, fz_below(kind == PPM ? 1000000 : 5));
	}
}

/* --- sending --- */

int request_open(uint16_t *family)
{
	struct timeval limit = { .tv_sec = 2 };
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_GENERIC);
	const struct nlattr *a;
	struct request r;
	ssize_t n;

	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
	begin(&r, GENL_ID_CTRL, CTRL_CMD_GETFAMILY, 0);
	put(&r, CTRL_ATTR_FAMILY_NAME, HYPERCUBE_FAMILY_NAME, sizeof(HYPERCUBE_FAMILY_NAME));
	((struct nlmsghdr *)r.buf)->nlmsg_len = r.len;
	send(fd, r.buf, r.len, 0);
	n = recv(fd, r.buf, sizeof(r.buf), 0);
	*family = 0;
	a = (const struct nlattr *)(r.buf + NLMSG_HDRLEN + GENL_HDRLEN);
	for (; (const char *)a + NLA_HDRLEN < r.buf + n && a->nla_len >= NLA_HDRLEN;
	     a = (const struct nlattr *)((const char *)a + NLA_ALIGN(a->nla_len)))
		if (a->nla_type == CTRL_ATTR_FAMILY_ID)
			memcpy(family, (const char *)a + NLA_HDRLEN, sizeof(*family));
	return fd;
}

/* Send request @r over socket @fd, and receive the answer. */
static void talk(int fd, struct request *r)
{
	struct nlmsghdr *h = (struct nlmsghdr *)r->buf;
	bool dump = h->nlmsg_flags & NLM_F_DUMP;
	unsigned int n = 0;

	if (!h->nlmsg_len)
		h->nlmsg_len = r->len;
	send(fd, r->buf, r->len, 0);
	/* If it is a dump, the rest of the answer may stay in the socket until the next request. */
	do {
		if (recv(fd, r->buf, sizeof(r->buf), dump ? MSG_DONTWAIT : 0) < 0)
			break;
	} while (dump && n++ < 20 && fz_chance(95));
}

void request_any(int fd, uint16_t family)
{
	const struct command *c = &commands[fz_below(ARRAY_SIZE(commands))];
	unsigned int n = fz_below(7);
	struct request r;

	begin(&r, family, fz_chance(98) ? c->cmd : fz_below(40),
	      fz_chance(80) ? NLM_F_ACK : fz_chance(50) ? NLM_F_DUMP : (int)fz_number(2));
	if (fz_chance(95))
		put_name(&r, 1);
	while (n--) {
		int type = 1 + (int)fz_below(c->n);

		bool right = fz_chance(95) && type < (int)c->n;

		put_kind(&r, type, right ? c->attrs[type] : fz_below(NS));
	}
	/* Flip some bits, which gives wrong lengths or random values of attributes. */
	while (fz_chance(10))
		r.buf[NLMSG_HDRLEN + fz_below(r.len - NLMSG_HDRLEN)] ^= 1 << fz_below(8);
	talk(fd, &r);
}

/* --- valid requests --- */

static void good_fabric(struct request *r, uint16_t family)
{
	begin(r, family, fz_chance(60) ? HYPERCUBE_CMD_FABRIC_NEW : HYPERCUBE_CMD_FABRIC_DEL,
	      NLM_F_ACK);
	put_name(r, HYPERCUBE_A_FABRIC_NAME);
	put_u32(r, HYPERCUBE_A_FABRIC_DIM, 1 + fz_below(4));
	if (fz_chance(30))
		put_u32(r, HYPERCUBE_A_FABRIC_ID, 1 + fz_below(4));
	if (fz_chance(50))
		put_u32(r, HYPERCUBE_A_FABRIC_SEGMENT, 256u << fz_below(8));
}

static void good_node(struct request *r, uint16_t family)
{
	begin(r, family, HYPERCUBE_CMD_NODE_SET, NLM_F_ACK);
	put_name(r, HYPERCUBE_A_NODE_FABRIC);
	put_u32(r, HYPERCUBE_A_NODE_ID, any_node());
	if (fz_chance(50))
		put_u32(r, HYPERCUBE_A_NODE_NETNS_PID, (uint32_t)any_sleeper());
	else if (fz_chance(50))
		put_number(r, HYPERCUBE_A_NODE_FAILED, 1, fz_below(2));
	else
		put_u32(r, HYPERCUBE_A_NODE_OWNER, 0);
}

static void good_link(struct request *r, uint16_t family)
{
	begin(r, family, HYPERCUBE_CMD_LINK_SET, NLM_F_ACK);
	put_name(r, HYPERCUBE_A_LINK_FABRIC);
	put_u32(r, HYPERCUBE_A_LINK_NODE, any_node());
	put_u32(r, HYPERCUBE_A_LINK_DIM, fz_below(3));
	switch (fz_below(5)) {
	case 0:
		put_number(r, HYPERCUBE_A_LINK_DOWN, 1, fz_below(2));
		break;
	case 1:
		put_u32(r, HYPERCUBE_A_LINK_LOSS, fz_below(200000));
		break;
	case 2:
		put_number(r, HYPERCUBE_A_LINK_DELAY, 8, fz_below(5000000));
		break;
	case 3:
		put_number(r, HYPERCUBE_A_LINK_RATE, 8,
			   fz_chance(50) ? 0 : 32000 + fz_below(1u << 24));
		break;
	default:
		put_u32(r, HYPERCUBE_A_LINK_FLAP_DOWN, fz_chance(50) ? 0 : 10 + fz_below(50));
		put_u32(r, HYPERCUBE_A_LINK_FLAP_PERIOD, 70 + fz_below(50));
	}
}

/* Build a request with a plan for a cube of random dimension without faults. */
static void good_plan(struct request *r, uint16_t family)
{
	static const unsigned char zero[4 * 16];
	unsigned char all[2] = { 0xff, 0xff }, steps[4] = { 0, 1, 2, 3 };
	unsigned char parents[16];
	unsigned int dim = 1 + fz_below(4), d;
	const unsigned int types[] = {
		HYPERCUBE_PLAN_TREE, HYPERCUBE_PLAN_BCAST, HYPERCUBE_PLAN_DOUBLING,
		HYPERCUBE_PLAN_SPAN,
	}, type = types[fz_below(4)];

	if (dim < 3)
		all[0] = (1u << (1u << dim)) - 1;
	begin(r, family, HYPERCUBE_CMD_PLAN_NEW, NLM_F_ACK);
	put_name(r, HYPERCUBE_A_PLAN_FABRIC);
	put_u32(r, HYPERCUBE_A_PLAN_ID, 1 + fz_below(4));
	put_u32(r, HYPERCUBE_A_PLAN_TYPE, type);
	put(r, HYPERCUBE_A_PLAN_FAULT, zero, 4u << dim);
	if (type == HYPERCUBE_PLAN_BCAST) {
		put_u32(r, HYPERCUBE_A_PLAN_SOURCE, fz_below(1u << dim));
		put(r, HYPERCUBE_A_PLAN_SEQUENCE, steps, dim);
	}
	/* The parent of a node is its neighbour along the lowest set bit of its number, towards
	 * node 0.
	 */
	for (d = 0; d < 16; d++)
		parents[d] = d ? __builtin_ctz(d) : 0xff;
	if (type == HYPERCUBE_PLAN_SPAN) {
		put_u32(r, HYPERCUBE_A_PLAN_SINK, 0);
		put(r, HYPERCUBE_A_PLAN_PARENTS, parents, 1u << dim);
		return;
	}
	for (d = 0; type != HYPERCUBE_PLAN_BCAST && d < dim; d++)
		put_u32(r, HYPERCUBE_A_PLAN_ORDER, d);
	if (type == HYPERCUBE_PLAN_TREE)
		put_u32(r, HYPERCUBE_A_PLAN_SINK, fz_below(1u << dim));
	if (type == HYPERCUBE_PLAN_DOUBLING)
		put_u32(r, HYPERCUBE_A_PLAN_BASE, 0);
	else
		put(r, HYPERCUBE_A_PLAN_MEMBERS, all, dim < 3 ? 1 : 1u << dim >> 3);
}

static void good_detect(struct request *r, uint16_t family)
{
	begin(r, family, HYPERCUBE_CMD_DETECT, NLM_F_ACK);
	put_name(r, HYPERCUBE_A_DETECT_FABRIC);
	if (fz_chance(50))
		put_u32(r, HYPERCUBE_A_DETECT_TIMEOUT, fz_chance(95) ? fz_below(50) : 10000);
}

static void good_other(struct request *r, uint16_t family)
{
	static const unsigned char cmds[] = {
		HYPERCUBE_CMD_FABRIC_GET, HYPERCUBE_CMD_NODE_GET, HYPERCUBE_CMD_LINK_GET,
		HYPERCUBE_CMD_PLAN_GET, HYPERCUBE_CMD_OP_GET,
	};

	if (fz_chance(40)) {
		begin(r, family, HYPERCUBE_CMD_ROUTE_GET, NLM_F_ACK);
		put_name(r, HYPERCUBE_A_ROUTE_FABRIC);
		put_u32(r, HYPERCUBE_A_ROUTE_SRC, any_node());
		put_u32(r, HYPERCUBE_A_ROUTE_DST, any_node());
	} else if (fz_chance(30)) {
		begin(r, family, HYPERCUBE_CMD_FAULT_CLEAR, NLM_F_ACK);
		put_name(r, HYPERCUBE_A_FABRIC_NAME);
	} else if (fz_chance(30)) {
		begin(r, family, HYPERCUBE_CMD_PLAN_DEL, NLM_F_ACK);
		put_name(r, HYPERCUBE_A_PLAN_FABRIC);
		put_u32(r, HYPERCUBE_A_PLAN_ID, 1 + fz_below(4));
	} else {
		begin(r, family, cmds[fz_below(ARRAY_SIZE(cmds))], NLM_F_DUMP);
		put_name(r, 1);
	}
}

void request_good(int fd, uint16_t family)
{
	static void (*const good[])(struct request *r, uint16_t family) = {
		good_fabric, good_fabric, good_node, good_link, good_plan, good_plan, good_detect,
		good_other, good_other,
	};
	struct request r;

	good[fz_below(ARRAY_SIZE(good))](&r, family);
	talk(fd, &r);
}
