// SPDX-License-Identifier: GPL-2.0
/*
 * Writes messages: one function for each kind of object, for replies, dumps and events.
 */
#include <linux/string.h>

#include "coll/detour.h"
#include "coll/plan.h"
#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "netlink/priv.h"
#include "route/copy.h"
#include "sock/socks.h"
#include "task/queue.h"
#include "trunk/trunk.h"
#include "wire.h"

void *hc_msg_begin(const struct hc_msg *msg)
{
	void *hdr = genlmsg_put(msg->skb, msg->portid, msg->seq, &hc_genl_family, msg->flags,
				msg->cmd);

	if (hdr && msg->cb)
		genl_dump_check_consistent(msg->cb, hdr);
	return hdr;
}

int hc_msg_end(const struct hc_msg *msg, void *hdr, bool overflow)
{
	if (overflow) {
		genlmsg_cancel(msg->skb, hdr);
		return -EMSGSIZE;
	}
	genlmsg_end(msg->skb, hdr);
	return 0;
}

/* Write the fabric and the number of a node. */
static bool put_where(struct sk_buff *skb, int fabric, int id, const struct hc_node *node)
{
	return nla_put_string(skb, fabric, node->fabric->name) || nla_put_u32(skb, id, node->id);
}

/* ------------------------------------------------------------ fabric */

static bool put_fabric_counts(struct sk_buff *skb, const struct hc_fabric *fabric)
{
	u32 ours = hc_node_size(fabric->topo.ports);
	/* A lower bound for a net_device: its own structure and those of its two queues. Its
	 * entries in sysfs, and the state that IP keeps for it, are not included.
	 */
	u32 device = sizeof(struct net_device) + sizeof(struct netdev_queue) +
		     sizeof(struct netdev_rx_queue);

	return nla_put_u32(skb, HYPERCUBE_A_FABRIC_SEGMENT, fabric->segment) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_FAMILY, hc_sock_family()) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_LINKS_DOWN, hc_link_count_unusable(fabric)) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_NODES_FAILED, fabric->nfailed) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_NODE_SIZE, ours) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_DEV_SIZE, device) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_STALL_TIMEOUT, fabric->stall_timeout) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_INDEX, fabric->index) ||
	       (!hc_is_whole(fabric) &&
		(nla_put_u32(skb, HYPERCUBE_A_FABRIC_SUBCUBE_MASK, fabric->fixed) ||
		 nla_put_u32(skb, HYPERCUBE_A_FABRIC_SUBCUBE_VALUE, fabric->base) ||
		 nla_put_u32(skb, HYPERCUBE_A_FABRIC_LIFE, fabric->life) ||
		 nla_put_u64_64bit(skb, HYPERCUBE_A_FABRIC_TRUNKS_ENDED, fabric->trunks->broken,
				   HYPERCUBE_A_FABRIC_PAD)));
}

static bool put_fabric_topo(struct sk_buff *skb, const struct hc_fabric *fabric)
{
	return (fabric->topo.dim &&
		nla_put_u32(skb, HYPERCUBE_A_FABRIC_DIM, fabric->topo.dim)) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_NODES, fabric->topo.nodes) ||
	       nla_put_u32(skb, HYPERCUBE_A_FABRIC_PORTS, fabric->topo.ports) ||
	       (fabric->shape[0] &&
		nla_put_string(skb, HYPERCUBE_A_FABRIC_SHAPE, fabric->shape));
}

int hc_fill_fabric(const struct hc_msg *msg, struct hc_fabric *fabric)
{
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   nla_put_string(skb, HYPERCUBE_A_FABRIC_NAME, fabric->name) ||
		   nla_put_u32(skb, HYPERCUBE_A_FABRIC_ID, fabric->id) ||
		   put_fabric_topo(skb, fabric) ||
		   (!fabric->dead && put_fabric_counts(skb, fabric));
	return hc_msg_end(msg, hdr, overflow);
}

/* ------------------------------------------------------------ node */

/* Write those counts of drops that are not 0. @drops: the counts, indexed by reason. */
static bool put_drops(struct sk_buff *skb, int attr, const atomic64_t *drops)
{
	struct nlattr *nest = nla_nest_start(skb, attr);
	unsigned int i;

	if (!nest)
		return true;
	for (i = 1; i <= HYPERCUBE_A_DROP_MAX; i++) {
		u64 n = atomic64_read(&drops[i]);

		if (n && i != HYPERCUBE_A_DROP_PAD &&
		    nla_put_u64_64bit(skb, i, n, HYPERCUBE_A_DROP_PAD))
			return true;
	}
	nla_nest_end(skb, nest);
	return false;
}

/* Write the node's interface. The user may rename it meanwhile, or move it to another network
 * namespace: the answer is a snapshot. An endpoint in a foreign namespace may have lost its
 * interface (netns_move.c).
 */
static bool put_node_device(struct sk_buff *skb, const struct hc_node *node)
{
	struct net *home = read_pnet(&node->fabric->net);
	const struct net_device *dev = node->dev;
	char name[IFNAMSIZ];
	bool overflow;
	struct net *net;

	if (dev->reg_state != NETREG_REGISTERED)
		return false;
	strscpy(name, dev->name, sizeof(name));
	overflow = nla_put_u32(skb, HYPERCUBE_A_NODE_IFINDEX, READ_ONCE(dev->ifindex)) ||
		   nla_put_string(skb, HYPERCUBE_A_NODE_IFNAME, name);
	rcu_read_lock();
	net = dev_net(dev);
	if (!net_eq(net, home))
		overflow = overflow || nla_put_s32(skb, HYPERCUBE_A_NODE_NETNSID,
						   peernet2id_alloc(home, net, GFP_ATOMIC));
	rcu_read_unlock();
	return overflow;
}

static bool put_node_faults(struct sk_buff *skb, const struct hc_node *node)
{
	unsigned int d;

	if (nla_put_u8(skb, HYPERCUBE_A_NODE_FAILED, node->failed) ||
	    nla_put_u32(skb, HYPERCUBE_A_NODE_FAULT, READ_ONCE(node->fault)))
		return true;
	for (d = 0; d < node->fabric->topo.ports; d++)
		if (nla_put_u32(skb, HYPERCUBE_A_NODE_NB_FAULT, READ_ONCE(node->nb_fault[d])))
			return true;
	return false;
}

static bool put_node_u64(struct sk_buff *skb, int attr, u64 v)
{
	return nla_put_u64_64bit(skb, attr, v, HYPERCUBE_A_NODE_PAD);
}

static bool put_node_counters(struct sk_buff *skb, const struct hc_node *node)
{
	const struct hc_socks *socks = node->socks;
	u64 frames, bytes;
	unsigned int start;

	do {
		start = u64_stats_fetch_begin(&node->syncp);
		frames = node->host_frames;
		bytes = node->merged_bytes;
	} while (u64_stats_fetch_retry(&node->syncp, start));
	return put_node_u64(skb, HYPERCUBE_A_NODE_HOST_FRAMES, frames) ||
	       put_node_u64(skb, HYPERCUBE_A_NODE_MERGED_BYTES, bytes) ||
	       put_node_u64(skb, HYPERCUBE_A_NODE_AGREED, atomic64_read(&socks->agreed)) ||
	       put_node_u64(skb, HYPERCUBE_A_NODE_DISAGREED, atomic64_read(&socks->disagreed)) ||
	       put_node_u64(skb, HYPERCUBE_A_NODE_INCOMPLETE, atomic64_read(&socks->incomplete));
}

static bool put_node_byzantine(struct sk_buff *skb, const struct hc_node *node)
{
	struct hc_byzantine_conf set;
	u64 corrupted = hc_byzantine_get(node, &set);
	unsigned int i;

	for (i = 0; i < set.n; i++)
		if (nla_put_u32(skb, HYPERCUBE_A_NODE_BYZANTINE_AT, set.at[i]))
			return true;
	return nla_put_u32(skb, HYPERCUBE_A_NODE_BYZANTINE, set.ppm) ||
	       nla_put_u32(skb, HYPERCUBE_A_NODE_BYZANTINE_SEED, set.seed) ||
	       put_node_u64(skb, HYPERCUBE_A_NODE_BYZANTINE_FRAMES, corrupted);
}

static bool put_node_tasks(struct sk_buff *skb, const struct hc_node *node)
{
	const int pad = HYPERCUBE_A_TASKS_PAD;
	struct hc_tasks_stats stats;
	struct nlattr *nest;

	if (!hc_tasks_stats(node, &stats))
		return false;
	nest = nla_nest_start(skb, HYPERCUBE_A_NODE_TASKS);
	if (!nest || nla_put_u32(skb, HYPERCUBE_A_TASKS_QUEUED, stats.queued) ||
	    nla_put_u32(skb, HYPERCUBE_A_TASKS_HELD, stats.held) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_BYTES, stats.bytes, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_PUT, stats.put, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_TAKEN, stats.taken, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_DONE, stats.done, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_REDELIVERED, stats.redelivered, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_LOST, stats.lost, pad) ||
	    nla_put_u32(skb, HYPERCUBE_A_TASKS_MOVING, stats.moving) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_SENT, stats.sent, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_RECEIVED, stats.received, pad) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_UNRESOLVED, stats.unresolved, pad) ||
	    nla_put_u32(skb, HYPERCUBE_A_TASKS_REPLICATED, stats.replicated) ||
	    nla_put_u32(skb, HYPERCUBE_A_TASKS_REPLICAS_HELD, stats.replicas_held) ||
	    nla_put_u64_64bit(skb, HYPERCUBE_A_TASKS_RECOVERED, stats.recovered, pad))
		return true;
	nla_nest_end(skb, nest);
	return false;
}

/* Write the node's peers, unless the fabric is a hypercube, where the reader can compute them. */
static bool put_node_peers(struct sk_buff *skb, const struct hc_node *node)
{
	const struct hc_topo *topo = &node->fabric->topo;

	return topo->peers && nla_put(skb, HYPERCUBE_A_NODE_PEERS, topo->ports * sizeof(u16),
				     &topo->peers[node->id * topo->ports]);
}

/* Write a user if it has a uid in the reader's user namespace. Otherwise write nothing, since any
 * uid would name another user.
 */
static bool put_uid(const struct hc_msg *msg, int type, kuid_t kuid)
{
	uid_t uid = from_kuid(msg->user_ns, kuid);

	return uid != (uid_t)-1 && nla_put_u32(msg->skb, type, uid);
}

int hc_fill_node(const struct hc_msg *msg, struct hc_node *node)
{
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   put_where(skb, HYPERCUBE_A_NODE_FABRIC, HYPERCUBE_A_NODE_ID, node) ||
		   put_node_device(skb, node) ||
		   put_node_peers(skb, node) ||
		   put_node_faults(skb, node) ||
		   put_uid(msg, HYPERCUBE_A_NODE_OWNER, node->owner) ||
		   nla_put_u8(skb, HYPERCUBE_A_NODE_BOUND, hc_sock_bound(node)) ||
		   put_drops(skb, HYPERCUBE_A_NODE_DROPS, node->drops) ||
		   put_node_byzantine(skb, node) ||
		   put_node_counters(skb, node) ||
		   put_node_tasks(skb, node);
	return hc_msg_end(msg, hdr, overflow);
}

int hc_fill_remote(const struct hc_msg *msg, const struct hc_fabric *fabric, u32 u,
		   const u32 *words)
{
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   nla_put_string(skb, HYPERCUBE_A_NODE_FABRIC, fabric->name) ||
		   nla_put_u32(skb, HYPERCUBE_A_NODE_ID, u) ||
		   nla_put_flag(skb, HYPERCUBE_A_NODE_REMOTE) ||
		   nla_put_u32(skb, HYPERCUBE_A_NODE_FAULT, words[u]);
	return hc_msg_end(msg, hdr, overflow);
}

/* ------------------------------------------------------------ link */

static u32 link_state(const struct hc_port *port)
{
	unsigned long flags = READ_ONCE(port->flags);

	return (flags & BIT(HC_PORT_DOWN) ? HYPERCUBE_LINK_F_DOWN : 0) |
	       (flags & BIT(HC_PORT_DETECTED) ? HYPERCUBE_LINK_F_DETECTED : 0) |
	       (flags & BIT(HC_PORT_FAILED) ? HYPERCUBE_LINK_F_FAILED : 0) |
	       (flags & BIT(HC_PORT_NO_CARRIER) ? HYPERCUBE_LINK_F_NO_CARRIER : 0) |
	       (flags & HC_PORT_GAVE_UP ? HYPERCUBE_LINK_F_SPENT : 0);
}

static bool put_link_counter(struct sk_buff *skb, const struct hc_node *node, int attr,
			     const u64 *counter)
{
	unsigned int start;
	u64 n;

	do {
		start = u64_stats_fetch_begin(&node->syncp);
		n = READ_ONCE(*counter);
	} while (u64_stats_fetch_retry(&node->syncp, start));
	return nla_put_u64_64bit(skb, attr, n, HYPERCUBE_A_LINK_PAD);
}

static bool put_link_params(struct sk_buff *skb, const struct hc_port *port)
{
	const int pad = HYPERCUBE_A_LINK_PAD;
	u32 state = link_state(port);

	return nla_put_u32(skb, HYPERCUBE_A_LINK_STATE, state) ||
	       nla_put_u8(skb, HYPERCUBE_A_LINK_DOWN, !!(state & HYPERCUBE_LINK_F_DOWN)) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_MODEL_LATENCY, port->latency, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_MODEL_BANDWIDTH, port->bandwidth, pad) ||
	       nla_put_u32(skb, HYPERCUBE_A_LINK_FLAP_DOWN, READ_ONCE(port->flap_down)) ||
	       nla_put_u32(skb, HYPERCUBE_A_LINK_FLAP_PERIOD, READ_ONCE(port->flap_period));
}

/* Write the impairments that are set, and counters of their effects. */
static bool put_link_impairments(struct sk_buff *skb, const struct hc_port *port)
{
	const int pad = HYPERCUBE_A_LINK_PAD;
	struct hc_impair_stats stats;
	struct hc_impairments set;

	hc_impair_get(port, &set, &stats);
	return nla_put_u32(skb, HYPERCUBE_A_LINK_LOSS, set.loss) ||
	       nla_put_u32(skb, HYPERCUBE_A_LINK_CORRUPT, set.corrupt) ||
	       nla_put_u32(skb, HYPERCUBE_A_LINK_DUPLICATE, set.duplicate) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_DELAY, set.delay, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_JITTER, set.jitter, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_RATE, set.rate, pad) ||
	       nla_put_u32(skb, HYPERCUBE_A_LINK_SEED, set.seed) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_REPLAYS, stats.replays, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_CORRUPTED, stats.corrupted, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_DUPLICATED, stats.duplicated, pad) ||
	       nla_put_u64_64bit(skb, HYPERCUBE_A_LINK_DELAYED, stats.delayed, pad) ||
	       nla_put_u32(skb, HYPERCUBE_A_LINK_QUEUED, stats.queued) ||
	       nla_put_u32(skb, HYPERCUBE_A_LINK_QUEUED_BYTES, stats.queued_bytes);
}

int hc_fill_link(const struct hc_msg *msg, struct hc_node *node, unsigned int dim)
{
	const struct hc_port *port = &node->ports[dim];
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   put_where(skb, HYPERCUBE_A_LINK_FABRIC, HYPERCUBE_A_LINK_NODE, node) ||
		   nla_put_u32(skb, HYPERCUBE_A_LINK_DIM, dim) ||
		   nla_put_u32(skb, HYPERCUBE_A_LINK_PEER, port->to) ||
		   put_link_params(skb, port) ||
		   put_link_impairments(skb, port) ||
		   put_link_counter(skb, node, HYPERCUBE_A_LINK_TX_FRAMES, &port->tx_frames) ||
		   put_link_counter(skb, node, HYPERCUBE_A_LINK_TX_BYTES, &port->tx_bytes) ||
		   put_link_counter(skb, node, HYPERCUBE_A_LINK_RX_FRAMES, &port->rx_frames) ||
		   put_link_counter(skb, node, HYPERCUBE_A_LINK_RX_BYTES, &port->rx_bytes) ||
		   put_drops(skb, HYPERCUBE_A_LINK_DROPS, port->drops);
	return hc_msg_end(msg, hdr, overflow);
}

/* ------------------------------------------------------------ tasks */

int hc_fill_tasks_lost(const struct hc_msg *msg, const struct hc_node *node,
		       const struct hc_tasks_lost *lost)
{
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	unsigned int i;
	bool overflow = !hdr ||
		   put_where(skb, HYPERCUBE_A_TASK_FABRIC, HYPERCUBE_A_TASK_NODE, node) ||
		   nla_put_u32(skb, HYPERCUBE_A_TASK_LOSS, lost->loss) ||
		   nla_put_u64_64bit(skb, HYPERCUBE_A_TASK_COUNT, lost->count,
				     HYPERCUBE_A_TASK_PAD);
	for (i = 0; i < lost->n && !overflow; i++)
		overflow = nla_put(skb, HYPERCUBE_A_TASK_ID, sizeof(*lost->ids), &lost->ids[i]);
	return hc_msg_end(msg, hdr, overflow);
}

/* ------------------------------------------------------------ votes */

/* Write the paths of the copies that disagree or are missing. */
static bool put_vote_paths(struct sk_buff *skb, const struct hypercube_vote *v,
			   const struct hc_path_dims *path)
{
	struct hypercube_path p;
	unsigned int i;

	for (i = 0; i < v->copies; i++) {
		if (!((v->mismatch | v->missing) & BIT(i)))
			continue;
		hc_path_notify(&p, v, i, &path[i]);
		if (nla_put(skb, HYPERCUBE_A_VOTE_PATH, sizeof(p), &p))
			return true;
	}
	return false;
}

int hc_fill_vote(const struct hc_msg *msg, const struct hc_node *node, u32 src,
		 const struct hypercube_vote *v, const struct hc_path_dims *path)
{
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   put_where(skb, HYPERCUBE_A_VOTE_FABRIC, HYPERCUBE_A_VOTE_NODE, node) ||
		   nla_put_u32(skb, HYPERCUBE_A_VOTE_SRC, src) ||
		   nla_put_u64_64bit(skb, HYPERCUBE_A_VOTE_NR, v->nr,
				     HYPERCUBE_A_VOTE_PAD) ||
		   nla_put_u32(skb, HYPERCUBE_A_VOTE_OUTCOME, v->outcome) ||
		   nla_put_u32(skb, HYPERCUBE_A_VOTE_COPIES, v->copies) ||
		   nla_put_u32(skb, HYPERCUBE_A_VOTE_MISMATCH, v->mismatch) ||
		   nla_put_u32(skb, HYPERCUBE_A_VOTE_MISSING, v->missing) ||
		   put_vote_paths(skb, v, path);
	return hc_msg_end(msg, hdr, overflow);
}

/* ------------------------------------------------------------ plan */

size_t hc_plan_msg_size(const struct hc_plan *plan)
{
	struct hc_plan_params shape = {};

	rcu_read_lock();
	plan->ops->shape(plan, &shape);
	rcu_read_unlock();
	/* Assume the most rings and nodes that rings can have, since they may be repaired before
	 * the message is filled.
	 */
	if (plan->repairs) {
		shape.nrings = plan->nmembers;
		shape.nring_nodes = 2 * plan->nmembers;
	}
	return NLMSG_DEFAULT_SIZE / 2 +
	       (plan->recipe ? nla_total_size(strlen(plan->recipe) + 1) : 0) +
	       (plan->grant ? 2 : 1) *
	       nla_total_size(DIV_ROUND_UP(plan->fabric->topo.nodes, BITS_PER_BYTE)) +
	       shape.ndetours * nla_total_size(sizeof(u32)) + nla_total_size(shape.steps) +
	       (shape.ways ? shape.ndetours * nla_total_size(0) + shape.ways->bytes : 0) +
	       nla_total_size(shape.nrings * sizeof(*shape.rings)) +
	       nla_total_size(shape.nring_nodes * sizeof(*shape.ring_nodes));
}

static bool put_plan_set(struct sk_buff *skb, int type, const struct hc_plan *plan,
			 const u32 *words)
{
	unsigned int len = DIV_ROUND_UP(plan->fabric->topo.nodes, BITS_PER_BYTE);
	struct nlattr *attr = nla_reserve(skb, type, len);
	unsigned int i;
	u8 *set;

	if (!attr)
		return true;
	set = nla_data(attr);
	for (i = 0; i < len; i++)
		set[i] = words[i / 4] >> (i % 4 * BITS_PER_BYTE);
	return false;
}

/* Write the present members, and their positions in the plan. */
static bool put_plan_places(struct sk_buff *skb, const struct hc_plan *plan)
{
	struct hc_plan_params shape = {};
	bool overflow;

	rcu_read_lock();
	plan->ops->shape(plan, &shape);
	overflow = hc_put_plan_shape(skb, plan, &shape) ||
		   put_plan_set(skb, HYPERCUBE_A_PLAN_MEMBERS, plan,
				shape.members ?: plan->members);
	rcu_read_unlock();
	return overflow;
}

static bool put_plan_repairs(struct sk_buff *skb, const struct hc_plan *plan)
{
	return plan->repairs &&
	       (nla_put_flag(skb, HYPERCUBE_A_PLAN_REPAIR) ||
		nla_put_u32(skb, HYPERCUBE_A_PLAN_REPAIRS, atomic_read(&plan->repaired)));
}

static bool put_plan_guard(const struct hc_msg *msg, const struct hc_plan *plan)
{
	kuid_t uid = READ_ONCE(plan->guard_uid);
	struct sk_buff *skb = msg->skb;

	return plan->guard &&
	       (nla_put_u32(skb, HYPERCUBE_A_PLAN_GUARD, plan->guard) ||
		(plan->recipe &&
		 nla_put_string(skb, HYPERCUBE_A_PLAN_GUARD_RECIPE, plan->recipe)) ||
		(from_kuid(msg->user_ns, uid) != (uid_t)-1 &&
		 (put_uid(msg, HYPERCUBE_A_PLAN_GUARD_UID, uid) ||
		  put_plan_set(skb, HYPERCUBE_A_PLAN_GUARD_MEMBERS, plan, plan->grant))));
}

static bool put_cause(struct sk_buff *skb, int attr, u32 cause)
{
	return cause < HC_CAUSE_NONE && nla_put_u32(skb, attr, cause);
}

int hc_fill_plan(const struct hc_msg *msg, const struct hc_plan *plan)
{
	/* Pairs with the release in coll/end_gen.c, so the cause is complete if the flag is set. */
	bool broken = smp_load_acquire(&plan->broken);
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr ||
		   nla_put_string(skb, HYPERCUBE_A_PLAN_FABRIC, plan->fabric->name) ||
		   nla_put_u32(skb, HYPERCUBE_A_PLAN_ID, plan->id) ||
		   nla_put_u32(skb, HYPERCUBE_A_PLAN_EPOCH, plan->epoch) ||
		   nla_put_u32(skb, HYPERCUBE_A_PLAN_TYPE, plan->ops->id) ||
		   put_plan_places(skb, plan) ||
		   put_plan_repairs(skb, plan) ||
		   put_plan_guard(msg, plan) ||
		   nla_put_u8(skb, HYPERCUBE_A_PLAN_BROKEN, broken) ||
		   (broken &&
		    (put_cause(skb, HYPERCUBE_A_PLAN_CAUSE_NODE, READ_ONCE(plan->cause_node)) ||
		     put_cause(skb, HYPERCUBE_A_PLAN_CAUSE_DIM, READ_ONCE(plan->cause_dim)) ||
		     nla_put_u32(skb, HYPERCUBE_A_PLAN_CAUSE_STATUS,
				 READ_ONCE(plan->cause_status))));
	return hc_msg_end(msg, hdr, overflow);
}

/* ------------------------------------------------------------ operation */

static bool put_op_u64(struct sk_buff *skb, int attr, u64 v)
{
	return nla_put_u64_64bit(skb, attr, v, HYPERCUBE_A_OP_PAD);
}

static bool put_op_id(struct sk_buff *skb, const struct hc_plan *plan, u32 node, u64 nr)
{
	return nla_put_string(skb, HYPERCUBE_A_OP_FABRIC, plan->fabric->name) ||
	       nla_put_u32(skb, HYPERCUBE_A_OP_PLAN, plan->id) ||
	       nla_put_u32(skb, HYPERCUBE_A_OP_EPOCH, plan->epoch) ||
	       nla_put_u32(skb, HYPERCUBE_A_OP_NODE, node) ||
	       put_op_u64(skb, HYPERCUBE_A_OP_NR, nr);
}

int hc_fill_op(const struct hc_msg *msg, const struct hc_plan *plan, u32 node,
	       const struct hc_op_view *view)
{
	bool peer = view->wait == HYPERCUBE_WAIT_PEER || view->wait == HYPERCUBE_WAIT_CREDIT;
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr || put_op_id(skb, plan, node, view->nr) ||
		   nla_put_u32(skb, HYPERCUBE_A_OP_WAIT, view->wait) ||
		   (peer && nla_put_u32(skb, HYPERCUBE_A_OP_PEER, view->awaited)) ||
		   put_op_u64(skb, HYPERCUBE_A_OP_SINCE, view->since) ||
		   put_op_u64(skb, HYPERCUBE_A_OP_NEXT, view->next) ||
		   put_op_u64(skb, HYPERCUBE_A_OP_DONE, view->done) ||
		   nla_put_u32(skb, HYPERCUBE_A_OP_GEN, view->gen);
	return hc_msg_end(msg, hdr, overflow);
}

int hc_fill_op_event(const struct hc_msg *msg, const struct hc_plan *plan,
		     const struct hc_op_event *ev)
{
	struct sk_buff *skb = msg->skb;
	void *hdr = hc_msg_begin(msg);
	bool overflow = !hdr || put_op_id(skb, plan, ev->node, ev->nr) ||
		   nla_put_s32(skb, HYPERCUBE_A_OP_STATUS, ev->status);
	if (ev->status)
		overflow = overflow ||
			   put_cause(skb, HYPERCUBE_A_OP_CAUSE_NODE, ev->cause_node) ||
			   put_cause(skb, HYPERCUBE_A_OP_CAUSE_DIM, ev->cause_dim);
	else
		overflow = overflow ||
			   nla_put_u32(skb, HYPERCUBE_A_OP_STEPS, ev->steps) ||
			   put_op_u64(skb, HYPERCUBE_A_OP_TIME, ev->time);
	return hc_msg_end(msg, hdr, overflow);
}
