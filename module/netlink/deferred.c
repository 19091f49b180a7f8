// SPDX-License-Identifier: GPL-2.0
/*
 * Deferred requests.
 *
 * While a request runs, generic netlink holds a lock. A module that registers a family waits for
 * this lock, and all further requests of generic netlink wait for that module. So no request sleeps
 * until the fabric has completed an action. The request starts the action, leaves a struct
 * hc_deferred and returns. One work item of the fabric checks all deferred requests from time to
 * time, under the fabric's lock, and answers those that are complete: with a reply, if there is
 * one, and with the acknowledgment that netlink would have sent.
 *
 * Lifetime: a deferred request holds a copy of the request, charged to the requester, and a
 * reference to the requester's socket, which holds the network namespace. The fabric's list holds
 * the deferred request, which is answered when the fabric is removed, if not before. If the socket
 * is closed meanwhile, no answer is needed: actions that can be cancelled are cancelled, so a
 * namespace is not held for long.
 */
#include <linux/jiffies.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "hc_topo.h"
#include "netlink/priv.h"
#include "route/detect.h"

#define DEFERRED_MAX	64		/* deferred requests of a fabric */
#define LOOK_MAX	(HZ / 10)	/* jiffies within which a closed socket is noticed */

/**
 * struct hc_deferred_list - the deferred requests of a fabric; under hc_fabric.lock
 * @fabric: the fabric
 * @list: struct hc_deferred.list
 * @n: number of deferred requests
 * @work: checks the deferred requests
 */
struct hc_deferred_list {
	struct hc_fabric *fabric;
	struct list_head list;
	unsigned int n;
	struct delayed_work work;
};

/* ------------------------------------------------------------ the requester */

#define REQUEST_MAX	SZ_4K	/* bytes; far longer than any valid request */

/* Save a request and its requester. The request must be copied: it may be in a buffer of any size,
 * which is not charged to any memory cgroup.
 */
int hc_asked_keep(struct hc_asked *asked, const struct sk_buff *skb, const struct genl_info *info,
		  bool brief)
{
	u32 len = brief ? NLMSG_HDRLEN + GENL_HDRLEN : info->nlhdr->nlmsg_len;

	if (len > REQUEST_MAX) {
		NL_SET_ERR_MSG(info->extack, "The request is too long");
		return -EMSGSIZE;
	}
	asked->skb = alloc_skb(len, GFP_KERNEL_ACCOUNT);
	if (!asked->skb)
		return -ENOMEM;
	skb_put_data(asked->skb, info->nlhdr, len);
	nlmsg_hdr(asked->skb)->nlmsg_len = len;
	NETLINK_CB(asked->skb) = NETLINK_CB(skb);
	/* netlink_ack() sends from the kernel's socket in the namespace. */
	asked->skb->sk = skb->sk;
	asked->sk = NETLINK_CB(skb).sk;
	sock_hold(asked->sk);
	return 0;
}

void hc_asked_answer(const struct hc_asked *asked, int err, const struct netlink_ext_ack *extack)
{
	struct nlmsghdr *nlh = nlmsg_hdr(asked->skb);

	/* If the requester has closed its socket, its port may belong to another socket by now. */
	if (hc_asked_gone(asked))
		return;
	if (err || nlh->nlmsg_flags & NLM_F_ACK)
		netlink_ack(asked->skb, nlh, err, extack);
}

void hc_asked_free(struct hc_asked *asked)
{
	asked->skb->sk = NULL;
	kfree_skb(asked->skb);
	sock_put(asked->sk);
}

/* ------------------------------------------------------------ waiting */

void hc_deferred_free(struct hc_deferred *deferred)
{
	if (deferred->ops->release)
		deferred->ops->release(deferred);
	hc_asked_free(&deferred->asked);
	kfree(deferred);
}

/* Send the answer first, then free the object, because the text of its extack may be in the object.
 */
static void deferred_end(struct hc_deferred *deferred, int err)
{
	hc_asked_answer(&deferred->asked, err, &deferred->extack);
	hc_deferred_free(deferred);
}

static void deferred_work(struct work_struct *work)
{
	struct hc_deferred_list *pending = container_of(to_delayed_work(work),
							struct hc_deferred_list, work);
	struct hc_fabric *fabric = pending->fabric;
	unsigned long next = jiffies + LOOK_MAX;
	struct hc_deferred *deferred, *more;
	int err;

	mutex_lock(&fabric->lock);
	if (fabric->dead)
		goto unlock;
	list_for_each_entry_safe(deferred, more, &fabric->deferred->list, list) {
		bool gone = hc_asked_gone(&deferred->asked);

		err = -EAGAIN;
		if (gone || time_after_eq(jiffies, deferred->next))
			err = deferred->ops->look(deferred, gone);
		if (err == -EAGAIN) {
			if (time_before(deferred->next, next))
				next = deferred->next;
			continue;
		}
		list_del(&deferred->list);
		fabric->deferred->n--;
		deferred_end(deferred, err);
	}
	if (!list_empty(&fabric->deferred->list))
		queue_delayed_work(system_long_wq, &fabric->deferred->work,
				   time_after(next, jiffies) ? next - jiffies : 0);
unlock:
	mutex_unlock(&fabric->lock);
}

void *hc_deferred_new(struct sk_buff *skb, struct genl_info *info, size_t size,
		      const struct hc_deferred_ops *ops)
{
	struct hc_fabric *fabric = hc_info_fabric(info);
	struct hc_deferred *deferred;
	int err;

	lockdep_assert_held(&fabric->lock);
	if (fabric->deferred->n >= DEFERRED_MAX) {
		NL_SET_ERR_MSG(info->extack, "Too many requests wait for this fabric");
		return ERR_PTR(-EBUSY);
	}
	deferred = kzalloc(size, GFP_KERNEL_ACCOUNT);
	if (!deferred)
		return ERR_PTR(-ENOMEM);
	err = hc_asked_keep(&deferred->asked, skb, info, ops->brief);
	if (err) {
		kfree(deferred);
		return ERR_PTR(err);
	}
	deferred->fabric = fabric;
	deferred->ops = ops;
	deferred->info = *info;
	deferred->info.nlhdr = nlmsg_hdr(deferred->asked.skb);
	deferred->info.genlhdr = nlmsg_data(deferred->info.nlhdr);
	deferred->info.attrs = NULL;
	deferred->info.extack = &deferred->extack;
	deferred->next = jiffies;
	return deferred;
}

int hc_deferred_wait(struct hc_deferred *deferred, struct genl_info *info)
{
	struct hc_fabric *fabric = deferred->fabric;
	int err = deferred->ops->look(deferred, false);

	lockdep_assert_held(&fabric->lock);
	if (err != -EAGAIN) {
		deferred_end(deferred, err);
	} else {
		list_add_tail(&deferred->list, &fabric->deferred->list);
		fabric->deferred->n++;
		mod_delayed_work(system_long_wq, &fabric->deferred->work, 1);
	}
	/* -EINTR makes netlink send no answer now; deferred_end() sends it. */
	return -EINTR;
}

static void deferred_init(struct hc_fabric *fabric, void *state)
{
	struct hc_deferred_list *pending = state;

	pending->fabric = fabric;
	INIT_LIST_HEAD(&pending->list);
	INIT_DELAYED_WORK(&pending->work, deferred_work);
	fabric->deferred = pending;
}

static void deferred_stop(struct hc_fabric *fabric)
{
	struct hc_deferred *deferred, *more;

	cancel_delayed_work_sync(&fabric->deferred->work);
	list_for_each_entry_safe(deferred, more, &fabric->deferred->list, list) {
		list_del(&deferred->list);
		NL_SET_ERR_MSG(&deferred->extack, "The fabric was removed meanwhile");
		deferred_end(deferred, -ENODEV);
	}
}

struct hc_notifier hc_deferred_notifier = {
	.fabric_size	= sizeof(struct hc_deferred_list),
	.fabric_init	= deferred_init,
	.fabric_stop	= deferred_stop,
};

/* ------------------------------------------------------------ changes of links */

#define TELL_MAX	(5 * HZ)	/* longest wait; a slow link may take 4 s to answer */
#define CHANGES_NODE	BIT(HC_PORTS_MAX)

/**
 * struct announcement - a request that has changed the state of links, and waits until all nodes
 *	concerned have acted on the change
 * @deferred: must be first
 * @node: the node whose links have changed, or NULL: links of all nodes
 * @dims: mask of dimensions; the neighbours of @node along these have to act on the change, too
 * @from: if @node is NULL: all nodes below this number have acted on the change
 * @end: when the wait times out, jiffies
 * @changes: if @node is NULL: for each node a mask of the dimensions whose links change, and
 *	CHANGES_NODE if the node itself changes
 */
struct announcement {
	struct hc_deferred deferred;
	struct hc_node *node;
	u32 dims;
	u32 from;
	unsigned long end;
	u32 changes[];
};

/* Record which nodes and links change when all faults are cleared, for changes_notify(). */
static void changes_note(struct announcement *t)
{
	const struct hc_fabric *fabric = t->deferred.fabric;
	unsigned int d;
	const struct hc_node *node;

	hc_each_node(fabric, node) {
		t->changes[node->id] = node->failed || hc_byzantine_corrupts(node) ? CHANGES_NODE :
				       0;
		for (d = 0; d < fabric->topo.ports; d++)
			if (!hc_link_is_clear(&node->ports[d]))
				t->changes[node->id] |= hc_bit(d);
		cond_resched();
	}
}

static void changes_notify(const struct announcement *t)
{
	const struct hc_fabric *fabric = t->deferred.fabric;
	struct hc_node *node;
	unsigned int d;

	hc_each_node(fabric, node) {
		if (t->changes[node->id] & CHANGES_NODE)
			hc_notify_node(node);
		for (d = 0; d < fabric->topo.ports; d++)
			if (t->changes[node->id] & hc_bit(d))
				hc_notify_link(node, d);
		cond_resched();
	}
}

static void announcement_notify(const struct announcement *t)
{
	switch (t->deferred.info.genlhdr->cmd) {
	case HYPERCUBE_CMD_LINK_SET:
		hc_notify_link(t->node, __ffs(t->dims));
		break;
	case HYPERCUBE_CMD_NODE_SET:
		hc_notify_node(t->node);
		break;
	default:
		changes_notify(t);
		hc_notify_fabric(t->deferred.fabric, HYPERCUBE_CMD_FABRIC_NTF);
	}
}

/* Return: true if all nodes have acted on the change. Nodes that are known to have acted on it are
 * skipped: checking thousands of nodes each time would keep others from the fabric's lock.
 */
static bool all_know(struct announcement *t)
{
	const struct hc_fabric *fabric = t->deferred.fabric;
	const struct hc_node *node;

	while ((node = hc_node_from(fabric, t->from))) {
		if (!hc_detect_is_acked(node))
			return false;
		t->from = node->id + 1;
		cond_resched();
	}
	return true;
}

static bool all_notified(struct announcement *t)
{
	const struct hc_fabric *fabric = t->deferred.fabric;
	const struct hc_node *node;
	unsigned int d;

	if (!t->node)
		return all_know(t);
	for (d = 0; d < fabric->topo.ports; d++) {
		node = fabric->nodes[hc_node_peer(t->node, d)];
		if (t->dims & hc_bit(d) && node && !hc_detect_is_acked(node))
			return false;
	}
	return hc_detect_is_acked(t->node);
}

static int announcement_look(struct hc_deferred *deferred, bool gone)
{
	struct announcement *t = container_of(deferred, struct announcement, deferred);

	deferred->next = jiffies + 1;
	if (!all_notified(t)) {
		if (!gone && time_before(jiffies, t->end))
			return -EAGAIN;
		NL_SET_ERR_MSG(&deferred->extack,
			       "The change is made, but not all neighbours know of it yet");
	}
	announcement_notify(t);
	return 0;
}

static const struct hc_deferred_ops announcement_ops = {
	.look	= announcement_look,
};

struct hc_deferred *hc_deferred_notified(struct sk_buff *skb, struct genl_info *info,
					 struct hc_node *node, u32 dims)
{
	u32 all = node ? 0 : hc_info_fabric(info)->topo.nodes;
	struct announcement *t = hc_deferred_new(skb, info, struct_size(t, changes, all),
						 &announcement_ops);

	if (IS_ERR(t))
		return ERR_CAST(t);
	t->node = node;
	t->dims = dims;
	t->end = jiffies + TELL_MAX;
	if (!node)
		changes_note(t);
	return &t->deferred;
}
