// SPDX-License-Identifier: GPL-2.0
/*
 * Endpoints in namespaces other than their fabric's.
 *
 * Moving an endpoint to another namespace requires the right to do so in both namespaces. When the
 * other namespace ends, its foreign endpoints are moved back to their fabric's namespace, whose
 * owner created them, and never elsewhere. By default the stack would move them to the initial
 * namespace, whose owner may never have requested such interfaces.
 *
 * The fabric's namespace may be ending at the same time, but only after its fabrics have been
 * removed: as long as an endpoint of one of them is registered, this namespace is complete under
 * rtnl.
 */
#include <linux/rtnetlink.h>
#include <linux/wait_bit.h>

#include "fabric/fabric.h"
#include "fabric/netns_move.h"
#include "fabric/node.h"

static bool is_endpoint(const struct net_device *dev)
{
	return dev->rtnl_link_ops == &hc_link_ops;
}

/* Find the fabric of an endpoint. A net_device that is found under RCU cannot be completely
 * unregistered before the read section ends, so the struct of its fabric still exists; but the
 * fabric's reference count may be 0.
 */
struct hc_fabric *hc_netns_fabric_get(struct net *net, const char *name, u32 id)
{
	struct hc_fabric *fabric = NULL;
	struct net_device *dev;

	rcu_read_lock();
	for_each_netdev_rcu(net, dev) {
		const struct hc_node *node = netdev_priv(dev);

		if (!is_endpoint(dev) || node->id != id || strcmp(node->fabric->name, name))
			continue;
		if (hc_fabric_alive(node->fabric) && kref_get_unless_zero(&node->fabric->ref))
			fabric = node->fabric;
		break;
	}
	rcu_read_unlock();
	return fabric;
}

/* Move the endpoint back to its fabric's namespace, under its present name. If an interface there
 * has that name, use the endpoint's original name, or else hcN with a free number. Return: 0 or
 * -errno.
 */
static int go_home(struct hc_node *node)
{
	struct net *home = read_pnet(&node->fabric->net);
	char name[IFNAMSIZ];

	snprintf(name, sizeof(name), "%sn%u", node->fabric->name, node->id);
	if (!dev_change_net_namespace(node->dev, home, name))
		return 0;
	return dev_change_net_namespace(node->dev, home, "hc%d");
}

static struct hc_node *moved_find(struct net *net)
{
	struct net_device *dev;

	ASSERT_RTNL();
	for_each_netdev(net, dev) {
		struct hc_node *node = netdev_priv(dev);

		if (is_endpoint(dev) && !net_eq(read_pnet(&node->fabric->net), net))
			return node;
	}
	return NULL;
}

/* Let the net_device of node @id refer to the fabric's namespace. It was unregistered in another
 * namespace, to which it still refers and which is about to be freed.
 */
static void moved_forget(struct hc_fabric *fabric, u32 id)
{
	mutex_lock(&fabric->lock);
	if (!fabric->dead)
		dev_net_set(fabric->nodes[id]->dev, read_pnet(&fabric->net));
	mutex_unlock(&fabric->lock);
	/* A reader in may_bind() may still use the namespace that ends. */
	synchronize_rcu();
}

/* Move one foreign endpoint out of a namespace that ends. An endpoint that cannot be moved back,
 * because an interface of the fabric's namespace has one of its names, is unregistered, and its
 * node continues without it. So the owner of a namespace into which an endpoint was moved can make
 * this endpoint useless, but no other one. Return: false if the namespace had no foreign endpoint.
 */
static bool moved_leaves(struct net *net)
{
	struct hc_fabric *fabric = NULL;
	struct hc_node *node;
	u32 id;

	rtnl_lock();
	node = moved_find(net);
	if (node && go_home(node)) {
		fabric = node->fabric;
		kref_get(&fabric->ref);
		id = node->id;
		/* The net_device is in use until rtnl_unlock() returns; nodes_destroy() waits. */
		atomic_inc(&fabric->leaving);
		unregister_netdevice(node->dev);
	}
	rtnl_unlock();
	if (fabric) {
		if (atomic_dec_and_test(&fabric->leaving))
			wake_up_var(&fabric->leaving);
		moved_forget(fabric, id);
		hc_fabric_put(fabric);
	}
	return node;
}

void hc_netns_leave(struct net *net)
{
	while (moved_leaves(net))
		cond_resched();
}
