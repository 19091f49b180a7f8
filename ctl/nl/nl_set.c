// SPDX-License-Identifier: GPL-2.0
/*
 * Requests to the kernel: dumps into arrays, single objects, changes.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "nl_impl.h"
#include "plan.h"

#define RETRIES 20

/* --- lists --- */

/**
 * struct list - an array that a dump fills
 * @v: elements
 * @n: number of elements
 * @room: number of elements that @v has memory for
 * @size: bytes of an element
 * @fill: reads an element from a message
 */
struct list {
	void *v;
	size_t n;
	size_t room;
	size_t size;
	int (*fill)(struct nlmsghdr *nlh, void *v);
};

static int list_add(struct nlmsghdr *nlh, void *arg)
{
	struct list *l = arg;
	void *v = hc_grow(l->v, l->n, &l->room, l->size, 16);

	if (!v)
		return -ENOMEM;
	l->v = v;
	return l->fill(nlh, (char *)l->v + l->n * l->size) ?: (l->n++, 0);
}

static void list_clear(struct list *l)
{
	size_t i;

	if (l->fill == nl_fill_plan)
		for (i = 0; i < l->n; i++)
			nl_plan_clear((struct nl_plan *)l->v + i);
	l->n = 0;
}

/**
 * struct about - the objects that a dump asks for
 * @attr: attribute type of the fabric's name
 * @name: only objects of this fabric; NULL: of all fabrics
 * @plan: only operations of this plan; 0: not limited
 * @node: with @plan, only the operation of this member; NL_NONE: those of all members
 */
struct about {
	int attr;
	const char *name;
	uint32_t plan;
	uint32_t node;
};

static void put_about(struct nl_msg *msg, const struct about *a)
{
	if (a->name)
		nla_put_string(msg, a->attr, a->name);
	if (a->plan)
		nla_put_u32(msg, HYPERCUBE_A_OP_PLAN, a->plan);
	if (a->plan && a->node != NL_NONE)
		nla_put_u32(msg, HYPERCUBE_A_OP_NODE, a->node);
}

/* Get a consistent dump: repeat the dump while changes interrupt it. */
static int dump(struct hcctl *h, int cmd, const struct about *a, struct list *l)
{
	struct nl_msg *msg;
	int rc = -EAGAIN, try;

	for (try = 0; try < RETRIES && rc == -EAGAIN; try++) {
		list_clear(l);
		if (try)
			usleep(1000 << (try / 2));
		msg = nl_request(h, cmd, NLM_F_DUMP);
		if (!msg)
			return -EIO;
		put_about(msg, a);
		rc = nl_talk(h, msg, list_add, l);
	}
	if (rc == -EAGAIN)
		hc_error(h, "the kernel's state changes too fast to be read");
	if (rc) {
		list_clear(l);
		free(l->v);
		l->v = NULL;
	}
	return rc;
}

#define DUMP_ABOUT(h, cmd, about, fn, vp, np)					\
	({									\
		struct list l_ = { .size = sizeof(**(vp)), .fill = (fn) };	\
		int rc_ = dump(h, cmd, about, &l_);				\
		*(vp) = l_.v;							\
		*(np) = l_.n;							\
		rc_;								\
	})

#define DUMP(h, cmd, attr, name, fn, vp, np)					\
	DUMP_ABOUT(h, cmd, (&(const struct about){ (attr), (name) }), fn, vp, np)

int nl_fabrics(struct hcctl *h, struct nl_fabric **v, size_t *n)
{
	return DUMP(h, HYPERCUBE_CMD_FABRIC_GET, 0, NULL, nl_fill_fabric, v, n);
}

int nl_nodes(struct hcctl *h, const char *fabric, struct nl_node **v, size_t *n)
{
	return DUMP(h, HYPERCUBE_CMD_NODE_GET, HYPERCUBE_A_NODE_FABRIC, fabric, nl_fill_node, v, n);
}

int nl_links(struct hcctl *h, const char *fabric, struct nl_link **v, size_t *n)
{
	return DUMP(h, HYPERCUBE_CMD_LINK_GET, HYPERCUBE_A_LINK_FABRIC, fabric, nl_fill_link, v, n);
}

int nl_trunks(struct hcctl *h, const char *fabric, struct nl_trunk **v, size_t *n)
{
	return DUMP(h, HYPERCUBE_CMD_TRUNK_GET, HYPERCUBE_A_TRUNK_FABRIC, fabric, nl_fill_trunk, v,
		    n);
}

int nl_ops(struct hcctl *h, const char *fabric, struct nl_op **v, size_t *n)
{
	return DUMP(h, HYPERCUBE_CMD_OP_GET, HYPERCUBE_A_OP_FABRIC, fabric, nl_fill_op, v, n);
}

int nl_plan_ops(struct hcctl *h, const char *fabric, uint32_t plan, uint32_t node,
		struct nl_op **v, size_t *n)
{
	const struct about about = { HYPERCUBE_A_OP_FABRIC, fabric, plan, node };

	return DUMP_ABOUT(h, HYPERCUBE_CMD_OP_GET, &about, nl_fill_op, v, n);
}

int nl_plans(struct hcctl *h, const char *fabric, struct nl_plan **v, size_t *n)
{
	return DUMP(h, HYPERCUBE_CMD_PLAN_GET, HYPERCUBE_A_PLAN_FABRIC, fabric, nl_fill_plan, v, n);
}

/* --- single objects --- */

/* A single object, @l.v, into which the reply is read. @seen: the reply had a message. */
struct one {
	struct list l;
	bool seen;
};

static int keep(struct nlmsghdr *nlh, void *arg)
{
	struct one *one = arg;

	one->seen = true;
	return one->l.fill(nlh, one->l.v);
}

/* Get one object; @fill reads it into @v. Consumes @msg. If @msg is NULL, return -EIO: the error
 * was printed when the message could not be made.
 */
static int get(struct hcctl *h, struct nl_msg *msg, int (*fill)(struct nlmsghdr *, void *),
	       void *v)
{
	struct one one = { .l = { .v = v, .fill = fill } };
	int rc = msg ? nl_talk(h, msg, keep, &one) : -EIO;

	if (!rc && !one.seen) {
		hc_error(h, "the kernel did not answer");
		rc = -EIO;
	}
	return rc;
}

/* Begin a request about a fabric. */
static struct nl_msg *fabric_request(struct hcctl *h, int cmd, const char *name)
{
	struct nl_msg *msg = nl_request(h, cmd, 0);

	if (msg)
		nla_put_string(msg, HYPERCUBE_A_FABRIC_NAME, name);
	return msg;
}

int nl_fabric(struct hcctl *h, const char *name, struct nl_fabric *f)
{
	return get(h, fabric_request(h, HYPERCUBE_CMD_FABRIC_GET, name), nl_fill_fabric, f);
}

struct nl_msg *nl_part_request(struct hcctl *h, int cmd, int name, const char *fabric, int attr,
			       uint32_t id)
{
	struct nl_msg *msg = nl_request(h, cmd, 0);

	if (!msg)
		return NULL;
	nla_put_string(msg, name, fabric);
	nla_put_u32(msg, attr, id);
	return msg;
}

int nl_plan(struct hcctl *h, const char *fabric, uint32_t id, struct nl_plan *v)
{
	*v = (struct nl_plan){};
	return get(h, nl_part_request(h, HYPERCUBE_CMD_PLAN_GET, HYPERCUBE_A_PLAN_FABRIC, fabric,
				   HYPERCUBE_A_PLAN_ID, id), nl_fill_plan, v);
}

static struct nl_msg *node_request(struct hcctl *h, int cmd, const char *fabric, uint32_t node)
{
	return nl_part_request(h, cmd, HYPERCUBE_A_NODE_FABRIC, fabric, HYPERCUBE_A_NODE_ID, node);
}

int nl_node(struct hcctl *h, const char *fabric, uint32_t node, struct nl_node *v)
{
	return get(h, node_request(h, HYPERCUBE_CMD_NODE_GET, fabric, node), nl_fill_node, v);
}

static struct nl_msg *link_request(struct hcctl *h, int cmd, const char *fabric,
				   uint32_t node, uint32_t dim)
{
	struct nl_msg *msg = nl_part_request(h, cmd, HYPERCUBE_A_LINK_FABRIC, fabric,
					  HYPERCUBE_A_LINK_NODE, node);

	if (msg)
		nla_put_u32(msg, HYPERCUBE_A_LINK_DIM, dim);
	return msg;
}

int nl_link(struct hcctl *h, const char *fabric, uint32_t node, uint32_t dim,
	    struct nl_link *v)
{
	return get(h, link_request(h, HYPERCUBE_CMD_LINK_GET, fabric, node, dim), nl_fill_link, v);
}

/* --- changes --- */

/* Wait for a time that is partly random, so that machines whose requests have collided do not
 * collide again. The time doubles with each try.
 */
void nl_pause(int try)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	usleep((1000 << try) + t.tv_nsec % (2000 << try));
}

/* Send a request that changes something. Consumes @msg. If @msg is NULL, return an error, which was
 * printed when the message could not be made.
 */
static int change(struct hcctl *h, struct nl_msg *msg)
{
	return msg ? nl_talk(h, msg, NULL, NULL) : -EIO;
}

/* Add the attribute @attr with the value @v to @msg, and send it as change() does. */
static int change_to(struct hcctl *h, struct nl_msg *msg, int attr, uint32_t v)
{
	if (msg)
		nla_put_u32(msg, attr, v);
	return change(h, msg);
}

/* Add the table of peers to a request, with a row for each node. */
static int put_peers(struct nl_msg *msg, const struct hc_topo *t)
{
	size_t row = t->ports * sizeof(*t->peers);
	int rc = 0;
	uint32_t u;

	for (u = 0; u < t->nodes; u++)
		rc |= nla_put(msg, HYPERCUBE_A_FABRIC_PEERS, row, &t->peers[u * t->ports]);
	return rc;
}

int nl_fabric_add(struct hcctl *h, const struct nl_fabric_new *f)
{
	struct nl_msg *msg = fabric_request(h, HYPERCUBE_CMD_FABRIC_NEW, f->name);

	if (!msg)
		return -EIO;
	if (f->topo && put_peers(msg, f->topo)) {
		nlmsg_free(msg);
		hc_error(h, "the network is too large for one message");
		return -E2BIG;
	}
	if (!f->topo)
		nla_put_u32(msg, HYPERCUBE_A_FABRIC_DIM, f->dim);
	if (f->shape)
		nla_put_string(msg, HYPERCUBE_A_FABRIC_SHAPE, f->shape);
	if (f->id)
		nla_put_u32(msg, HYPERCUBE_A_FABRIC_ID, f->id);
	if (f->segment)
		nla_put_u32(msg, HYPERCUBE_A_FABRIC_SEGMENT, f->segment);
	if (f->fixed) {
		nla_put_u32(msg, HYPERCUBE_A_FABRIC_SUBCUBE_MASK, f->fixed);
		nla_put_u32(msg, HYPERCUBE_A_FABRIC_SUBCUBE_VALUE, f->base);
	}
	return nl_talk(h, msg, NULL, NULL);
}

int nl_fabric_del(struct hcctl *h, const char *name)
{
	return change(h, fabric_request(h, HYPERCUBE_CMD_FABRIC_DEL, name));
}

int nl_fabric_stall_timeout(struct hcctl *h, const char *name, uint32_t ms)
{
	return change_to(h, fabric_request(h, HYPERCUBE_CMD_FABRIC_SET, name),
			 HYPERCUBE_A_FABRIC_STALL_TIMEOUT, ms);
}

int nl_node_fail(struct hcctl *h, const char *fabric, uint32_t node, bool fail)
{
	struct nl_msg *msg = node_request(h, HYPERCUBE_CMD_NODE_SET, fabric, node);

	if (msg)
		nla_put_u8(msg, HYPERCUBE_A_NODE_FAILED, fail);
	return change(h, msg);
}

int nl_node_owner(struct hcctl *h, const char *fabric, uint32_t node, uint32_t uid)
{
	return change_to(h, node_request(h, HYPERCUBE_CMD_NODE_SET, fabric, node),
			 HYPERCUBE_A_NODE_OWNER, uid);
}

int nl_task_move(struct hcctl *h, const char *fabric, uint32_t node, uint32_t dim, uint64_t count)
{
	struct nl_msg *msg = nl_request(h, HYPERCUBE_CMD_TASK_MOVE, 0);

	if (msg) {
		nla_put_string(msg, HYPERCUBE_A_TASK_FABRIC, fabric);
		nla_put_u32(msg, HYPERCUBE_A_TASK_NODE, node);
		nla_put_u32(msg, HYPERCUBE_A_TASK_DIM, dim);
		nla_put_u64(msg, HYPERCUBE_A_TASK_COUNT, count);
	}
	return change(h, msg);
}

int nl_balance(struct hcctl *h, const char *fabric, struct nl_balance *v)
{
	return get(h, fabric_request(h, HYPERCUBE_CMD_BALANCE_GET, fabric), nl_fill_balance, v);
}

int nl_balance_set(struct hcctl *h, const char *fabric, const struct nl_balance_set *s)
{
	struct nl_msg *msg = fabric_request(h, HYPERCUBE_CMD_BALANCE_SET, fabric);

	if (msg && s->method != NL_NONE)
		nla_put_u32(msg, HYPERCUBE_A_BALANCE_METHOD, s->method);
	if (msg && s->set_threshold)
		nla_put_u32(msg, HYPERCUBE_A_BALANCE_THRESHOLD, s->threshold);
	if (msg && s->period != NL_NONE)
		nla_put_u32(msg, HYPERCUBE_A_BALANCE_PERIOD, s->period);
	return change(h, msg);
}

int nl_balance_topology(struct hcctl *h, const char *fabric, const struct hc_balance *b,
			const uint32_t *fault, uint32_t prev)
{
	struct nl_msg *msg = fabric_request(h, HYPERCUBE_CMD_BALANCE_SET, fabric);
	uint32_t nodes = hc_nodes(b->dim);

	if (!msg)
		return -EIO;
	nla_put_u32(msg, HYPERCUBE_A_BALANCE_DIMS, b->dims);
	nla_put_u32(msg, HYPERCUBE_A_BALANCE_BASE, b->base);
	nla_put_u32(msg, HYPERCUBE_A_BALANCE_DEPTH, b->depth);
	if (prev != NL_NONE)
		nla_put_u32(msg, HYPERCUBE_A_BALANCE_PREV, prev);
	if (!nla_put(msg, HYPERCUBE_A_BALANCE_UP, nodes, b->up) &&
	    !nla_put(msg, HYPERCUBE_A_BALANCE_FAULT, nodes * sizeof(*fault), fault))
		return change(h, msg);
	nlmsg_free(msg);
	hc_error(h, "the topology is too large for one message");
	return -E2BIG;
}

int nl_balance_run(struct hcctl *h, const char *fabric, uint32_t method, uint32_t node,
		   struct nl_balance *v)
{
	struct nl_msg *msg = fabric_request(h, HYPERCUBE_CMD_BALANCE_RUN, fabric);

	if (msg && method != NL_NONE)
		nla_put_u32(msg, HYPERCUBE_A_BALANCE_METHOD, method);
	if (msg && node != NL_NONE)
		nla_put_u32(msg, HYPERCUBE_A_BALANCE_NODE, node);
	return get(h, msg, nl_fill_balance, v);
}

int nl_node_byzantine(struct hcctl *h, const char *fabric, uint32_t node,
		      const struct nl_byzantine *set, bool seed)
{
	struct nl_msg *msg = node_request(h, HYPERCUBE_CMD_NODE_SET, fabric, node);
	uint32_t i;

	for (i = 0; msg && i < set->n; i++)
		nla_put_u32(msg, HYPERCUBE_A_NODE_BYZANTINE_AT, set->at[i]);
	if (msg && !set->n)
		nla_put_u32(msg, HYPERCUBE_A_NODE_BYZANTINE, set->ppm);
	if (msg && seed)
		nla_put_u32(msg, HYPERCUBE_A_NODE_BYZANTINE_SEED, set->seed);
	return change(h, msg);
}

int nl_node_netns(struct hcctl *h, const char *fabric, uint32_t node, int fd, uint32_t pid)
{
	return change_to(h, node_request(h, HYPERCUBE_CMD_NODE_SET, fabric, node),
			 fd >= 0 ? HYPERCUBE_A_NODE_NETNS_FD : HYPERCUBE_A_NODE_NETNS_PID,
			 fd >= 0 ? (uint32_t)fd : pid);
}

int nl_link_set(struct hcctl *h, const char *fabric, struct link_ref link,
		const struct nl_link_set *s)
{
	struct nl_msg *msg = link_request(h, HYPERCUBE_CMD_LINK_SET, fabric, link.node, link.dim);

	if (!msg)
		return -EIO;
	if (s->one_way)
		nla_put_flag(msg, HYPERCUBE_A_LINK_ONE_WAY);
	nl_put_link(msg, &s->link, s->set);
	return nl_talk(h, msg, NULL, NULL);
}

static struct nl_msg *trunk_request(struct hcctl *h, int cmd, const char *fabric)
{
	struct nl_msg *msg = nl_request(h, cmd, 0);

	if (msg)
		nla_put_string(msg, HYPERCUBE_A_TRUNK_FABRIC, fabric);
	return msg;
}

int nl_trunk_add(struct hcctl *h, const char *fabric, const struct nl_trunk_new *t)
{
	struct nl_msg *msg = trunk_request(h, HYPERCUBE_CMD_TRUNK_NEW, fabric);

	if (!msg)
		return -EIO;
	nla_put_u32(msg, HYPERCUBE_A_TRUNK_DIM, t->dim);
	nla_put_u32(msg, HYPERCUBE_A_TRUNK_FD, t->fd);
	if (t->far) {
		nla_put_u32(msg, HYPERCUBE_A_TRUNK_SUBCUBE_MASK, t->fixed);
		nla_put_u32(msg, HYPERCUBE_A_TRUNK_SUBCUBE_VALUE, t->base);
	}
	if (t->keep)
		nla_put_u32(msg, HYPERCUBE_A_TRUNK_KEEPALIVE, t->keep);
	if (t->no_plans)
		nla_put_flag(msg, HYPERCUBE_A_TRUNK_NO_PLANS);
	if (t->digest)
		nla_put_u32(msg, HYPERCUBE_A_TRUNK_DIGEST, t->digest == NL_DIGEST_ON);
	if (t->replace)
		nla_put_flag(msg, HYPERCUBE_A_TRUNK_REPLACE);
	return change(h, msg);
}

int nl_trunk_del(struct hcctl *h, const char *fabric, uint32_t id)
{
	return change_to(h, trunk_request(h, HYPERCUBE_CMD_TRUNK_DEL, fabric),
			 HYPERCUBE_A_TRUNK_ID, id);
}

int nl_fault_clear(struct hcctl *h, const char *fabric)
{
	return change(h, fabric_request(h, HYPERCUBE_CMD_FAULT_CLEAR, fabric));
}

static int on_detect(struct nlmsghdr *nlh, void *arg)
{
	struct nl_detect *d = arg;
	struct link_ref *links;
	struct nlattr *a;
	uint32_t word;
	int rem;

	nla_for_each_attr(a, genlmsg_attrdata(nlmsg_data(nlh), 0),
			  genlmsg_attrlen(nlmsg_data(nlh), 0), rem) {
		if (nla_len(a) != sizeof(word))
			continue;
		word = nla_get_u32(a);
		if (nla_type(a) == HYPERCUBE_A_DETECT_FOUND)
			d->found = word;
		if (nla_type(a) != HYPERCUBE_A_DETECT_LINK)
			continue;
		links = reallocarray(d->links, d->nlinks + 1, sizeof(*links));
		if (!links)
			return -ENOMEM;
		d->links = links;
		links[d->nlinks++] = (struct link_ref){ word >> 8, word & 0xff };
	}
	return 0;
}

int nl_detect(struct hcctl *h, const char *fabric, uint32_t timeout, struct nl_detect *d)
{
	struct nl_msg *msg = nl_request(h, HYPERCUBE_CMD_DETECT, 0);

	memset(d, 0, sizeof(*d));
	if (!msg)
		return -EIO;
	nla_put_string(msg, HYPERCUBE_A_DETECT_FABRIC, fabric);
	if (timeout)
		nla_put_u32(msg, HYPERCUBE_A_DETECT_TIMEOUT, timeout);
	return nl_talk(h, msg, on_detect, d);
}

static int on_route(struct nlmsghdr *nlh, void *arg)
{
	struct nl_route *r = arg;
	uint32_t room = nlmsg_datalen(nlh) / NLA_HDRLEN;
	struct nlattr *a;
	int rem;

	r->dim = calloc(room, sizeof(*r->dim));
	if (!r->dim)
		return -ENOMEM;
	nla_for_each_attr(a, genlmsg_attrdata(nlmsg_data(nlh), 0),
			  genlmsg_attrlen(nlmsg_data(nlh), 0), rem)
		if (nla_type(a) == HYPERCUBE_A_ROUTE_DIM)
			r->dim[r->hops++] = nla_get_u32(a);
	return 0;
}

static bool is_no_path(int err)
{
	return err == -ENOLINK;
}

int nl_route(struct hcctl *h, const char *fabric, uint32_t src, uint32_t dst,
	     struct nl_route *r)
{
	struct nl_msg *msg = nl_request(h, HYPERCUBE_CMD_ROUTE_GET, 0);

	if (!msg)
		return -EIO;
	nla_put_string(msg, HYPERCUBE_A_ROUTE_FABRIC, fabric);
	nla_put_u32(msg, HYPERCUBE_A_ROUTE_SRC, src);
	nla_put_u32(msg, HYPERCUBE_A_ROUTE_DST, dst);
	return nl_talk_but(h, msg, on_route, r, is_no_path);
}
