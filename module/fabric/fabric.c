// SPDX-License-Identifier: GPL-2.0
/*
 * Fabrics of a network namespace: creation, lookup and removal.
 *
 * A fabric is on its namespace's list from the start of its creation to the end of its removal, so
 * that its name, and with it the names of its endpoints, is reserved. Lookups find it only after
 * its creation and before its removal (ready, not dead).
 *
 * Creation and removal take rtnl for BATCH endpoints at a time, so that other users of rtnl get
 * their turn while thousands of endpoints are registered or unregistered.
 */
#include <linux/ctype.h>
#include <linux/idr.h>
#include <linux/module.h>
#include <linux/rtnetlink.h>
#include <linux/wait_bit.h>
#include <net/netns/generic.h>
#include <net/rtnetlink.h>
#include <net/sock.h>

#include "compat.h"
#include "fabric/fabric.h"
#include "fabric/flap.h"
#include "fabric/limits.h"
#include "fabric/link.h"
#include "fabric/monitor.h"
#include "fabric/netns_move.h"
#include "fabric/node.h"
#include "hc_reason.h"
#include "hc_topo.h"
#include "notifier.h"

/* Default payload of a full data frame: eight pages form one fragment. */
#define SEGMENT_DEFAULT	32768
#define BATCH		64

/**
 * struct hc_net - the fabrics of a network namespace
 * @lock: protects all members of this struct
 * @fabrics: the fabrics, by ascending index
 * @generation: counts the changes of @fabrics
 */
struct hc_net {
	struct mutex lock;
	struct list_head fabrics;
	u32 generation;
};

static bool keep_tables;
module_param(keep_tables, bool, 0644);
MODULE_PARM_DESC(keep_tables, "a table that is a hypercube's makes no hypercube: for tests (default off)");

static unsigned int hc_net_id __read_mostly;
static DEFINE_IDA(fabric_indices);

static struct hc_net *hc_net(struct net *net)
{
	return net_generic(net, hc_net_id);
}

/* ------------------------------------------------------------ references */

/* Uncharge the resources that limits.c counts. If a socket is still open, its reference keeps only
 * struct hc_fabric in memory from now on.
 */
static void fabric_uncharge(struct hc_fabric *fabric)
{
	if (!fabric->charged)
		return;
	fabric->charged = false;
	if (fabric->index)
		ida_free(&fabric_indices, fabric->index);
	hc_uncharge(fabric->account, HC_LIMIT_NODES, hc_nodes_here(fabric));
	hc_uncharge(fabric->account, HC_LIMIT_FABRICS, 1);
}

/* Free the fabric, whose last reference was dropped. */
static void fabric_release(struct kref *ref)
{
	struct hc_fabric *fabric = container_of(ref, struct hc_fabric, ref);

	fabric_uncharge(fabric);
	hc_account_put(fabric->account);
	hc_memory_owner_put(fabric);
	mutex_destroy(&fabric->lock);
	kvfree(fabric->topo.peers);
	kfree(fabric);
}

void hc_fabric_put(struct hc_fabric *fabric)
{
	kref_put(&fabric->ref, fabric_release);
}

static struct hc_fabric *find_name(struct hc_net *hn, const char *name)
{
	struct hc_fabric *fabric;

	lockdep_assert_held(&hn->lock);
	list_for_each_entry(fabric, &hn->fabrics, list)
		if (!strcmp(fabric->name, name))
			return fabric;
	return NULL;
}

struct hc_fabric *hc_fabric_get(struct net *net, const char *name)
{
	struct hc_net *hn = hc_net(net);
	struct hc_fabric *fabric;

	mutex_lock(&hn->lock);
	fabric = find_name(hn, name);
	if (fabric && hc_fabric_alive(fabric))
		kref_get(&fabric->ref);
	else
		fabric = NULL;
	mutex_unlock(&hn->lock);
	return fabric;
}

struct hc_fabric *hc_fabric_get_next(struct net *net, u32 index)
{
	struct hc_net *hn = hc_net(net);
	struct hc_fabric *fabric, *found = NULL;

	mutex_lock(&hn->lock);
	list_for_each_entry(fabric, &hn->fabrics, list)
		if (fabric->index >= index && hc_fabric_alive(fabric)) {
			found = fabric;
			kref_get(&found->ref);
			break;
		}
	mutex_unlock(&hn->lock);
	return found;
}

u32 hc_fabric_generation(struct net *net)
{
	return READ_ONCE(hc_net(net)->generation);
}

/* ------------------------------------------------------------ the list */

static int list_reserve(struct hc_net *hn, struct hc_fabric *fabric,
			struct netlink_ext_ack *extack)
{
	struct hc_fabric *old, *pos;
	int err = 0;

	mutex_lock(&hn->lock);
	old = find_name(hn, fabric->name);
	if (old && hc_fabric_alive(old)) {
		NL_SET_ERR_MSG(extack, "A fabric of this name exists");
		err = -EEXIST;
	} else if (old) {
		NL_SET_ERR_MSG(extack, "A fabric of this name is just being made or removed");
		err = -EBUSY;
	} else {
		list_for_each_entry(pos, &hn->fabrics, list)
			if (pos->index > fabric->index)
				break;
		list_add_tail(&fabric->list, &pos->list);
	}
	mutex_unlock(&hn->lock);
	return err;
}

static void list_publish(struct hc_net *hn, struct hc_fabric *fabric)
{
	mutex_lock(&hn->lock);
	/* Pairs with hc_fabric_alive(). */
	smp_store_release(&fabric->ready, true);
	WRITE_ONCE(hn->generation, hn->generation + 1);
	mutex_unlock(&hn->lock);
}

static void list_remove(struct hc_net *hn, struct hc_fabric *fabric)
{
	mutex_lock(&hn->lock);
	list_del(&fabric->list);
	WRITE_ONCE(hn->generation, hn->generation + 1);
	mutex_unlock(&hn->lock);
	hc_fabric_put(fabric);
}

/* ------------------------------------------------------------ creation */

/* Check the table of peers of a network that is not a hypercube. */
static int check_table(const struct hc_topo *t, struct netlink_ext_ack *extack)
{
	u32 *work = kvmalloc_array(t->nodes + hc_topo_words(t), sizeof(*work), GFP_KERNEL_ACCOUNT);
	struct hc_reason reason;
	int err;

	if (!work)
		return -ENOMEM;
	err = hc_topo_check(t, work, &reason);
	kvfree(work);
	if (err && reason.dim == HC_REASON_NONE)
		HC_SET_ERR_MSG_FMT(extack, "%s: %u", reason.why, reason.node);
	else if (err)
		HC_SET_ERR_MSG_FMT(extack, "%s: %u:%u", reason.why, reason.node, reason.dim);
	return err;
}

static int check_topo(const struct hc_topo *t, struct netlink_ext_ack *extack)
{
	if (!t->peers && (!t->dim || t->dim > HYPERCUBE_DIM_MAX)) {
		NL_SET_ERR_MSG(extack, "The dimension must be 1 to 12");
		return -EINVAL;
	}
	if (t->peers && (t->nodes < 2 || t->nodes > HC_NODES_MAX)) {
		NL_SET_ERR_MSG(extack, "A fabric has 2 to 4096 nodes");
		return -EINVAL;
	}
	return t->peers ? check_table(t, extack) : 0;
}

static int check_part(const struct hc_fabric_params *p, struct netlink_ext_ack *extack)
{
	if (p->fixed && p->topo.peers) {
		NL_SET_ERR_MSG(extack, "A fabric that spans machines needs a hypercube");
		return -EOPNOTSUPP;
	}
	if (p->fixed >= p->topo.nodes) {
		NL_SET_ERR_MSG(extack, "The part that is here names a dimension that the fabric does not have");
		return -EINVAL;
	}
	if (p->base & ~p->fixed) {
		NL_SET_ERR_MSG(extack, "The base of the part that is here has a bit that is not fixed");
		return -EINVAL;
	}
	return 0;
}

/* Check the parameters. A name must begin with a letter, so that no tool takes it for a number or
 * an option.
 */
static int check_params(const struct hc_fabric_params *p, struct netlink_ext_ack *extack)
{
	const char *c;

	if (!isalpha(p->name[0]) || !isascii(p->name[0])) {
		NL_SET_ERR_MSG(extack, "A fabric's name must begin with a letter");
		return -EINVAL;
	}
	for (c = p->name; *c; c++)
		if (!isascii(*c) || (!isalnum(*c) && *c != '_' && *c != '-')) {
			NL_SET_ERR_MSG(extack, "A fabric's name consists of letters, digits, '_' and '-'");
			return -EINVAL;
		}
	if (c - p->name >= HYPERCUBE_NAME_MAX) {
		NL_SET_ERR_MSG(extack, "A fabric's name has at most 10 characters");
		return -EINVAL;
	}
	if (p->segment && (p->segment < HYPERCUBE_SEGMENT_MIN ||
			   p->segment > HYPERCUBE_SEGMENT_MAX)) {
		NL_SET_ERR_MSG(extack, "The segment size is out of range");
		return -EINVAL;
	}
	return check_topo(&p->topo, extack) ?: check_part(p, extack);
}

static int account_charge(struct hc_fabric *fabric, const struct net *net,
			  struct netlink_ext_ack *extack)
{
	int err;

	fabric->account = hc_account_get(net);
	if (!fabric->account)
		return -ENOMEM;
	fabric->poll_owner = hc_account_poll_owner(fabric->account);
	err = hc_charge(fabric->account, HC_LIMIT_FABRICS, 1, extack);
	if (err)
		goto err_account;
	err = hc_charge(fabric->account, HC_LIMIT_NODES, hc_nodes_here(fabric), extack);
	if (!err) {
		fabric->charged = true;
		return 0;
	}
	hc_uncharge(fabric->account, HC_LIMIT_FABRICS, 1);
err_account:
	hc_account_put(fabric->account);
	return err;
}

/* Copy the topology @t into the fabric. If its table of peers describes a hypercube, the fabric
 * becomes a hypercube without a table.
 */
static int topo_take(struct hc_fabric *fabric, const struct hc_topo *t)
{
	size_t size = t->nodes * t->ports * sizeof(*t->peers);
	u16 *peer;

	if (!t->peers || (hc_topo_is_cube(t) && !READ_ONCE(keep_tables))) {
		fabric->topo = hc_topo_cube(t->ports);
		return 0;
	}
	fabric->topo = *t;
	peer = kvmalloc(size, GFP_KERNEL_ACCOUNT);
	fabric->topo.peers = peer;
	if (!peer)
		return -ENOMEM;
	memcpy(peer, t->peers, size);
	return 0;
}

/* Return: the bytes of struct hc_fabric, aligned: the state that other parts of the module have for
 * a fabric follows the struct in memory.
 */
static size_t fabric_size(void)
{
	return ALIGN(sizeof(struct hc_fabric), __alignof__(u64));
}

static struct hc_fabric *fabric_alloc(struct net *net, const struct hc_fabric_params *p,
				      struct netlink_ext_ack *extack)
{
	struct hc_fabric *fabric = kzalloc(fabric_size() + hc_notifier_fabric_size(),
					   GFP_KERNEL_ACCOUNT);
	int index, err;

	if (!fabric)
		return ERR_PTR(-ENOMEM);
	fabric->fixed = p->fixed;
	fabric->base = p->base;
	err = topo_take(fabric, &p->topo) ?: account_charge(fabric, net, extack);
	if (err) {
		kvfree(fabric->topo.peers);
		kfree(fabric);
		return ERR_PTR(err);
	}
	hc_memory_owner_set(fabric);
	kref_init(&fabric->ref);
	mutex_init(&fabric->lock);
	index = ida_alloc_min(&fabric_indices, 1, GFP_KERNEL);
	if (index < 0) {
		hc_fabric_put(fabric);
		return ERR_PTR(index);
	}
	write_pnet(&fabric->net, net);
	fabric->index = index;
	fabric->id = p->id ?: hc_name_id(p->name);
	fabric->segment = p->segment ?: SEGMENT_DEFAULT;
	fabric->stall_timeout = HYPERCUBE_STALL_TIMEOUT_DEFAULT;
	fabric->life = get_random_u32() ?: 1;
	strscpy(fabric->name, p->name, sizeof(fabric->name));
	strscpy(fabric->shape, p->shape ?: "", sizeof(fabric->shape));
	mutex_init(&fabric->sock_lock);
	hc_flap_init(fabric);
	hc_spents_init(fabric);
	hc_notify_fabric_init(fabric, (void *)fabric + fabric_size());
	return fabric;
}

static bool unwanted(const struct hc_fabric_params *p)
{
	return p->asker && sock_flag(p->asker, SOCK_DEAD);
}

static int nodes_alloc(struct hc_fabric *fabric, const struct hc_fabric_params *p)
{
	u32 n = fabric->topo.nodes;
	struct hc_node *node;
	unsigned int d;
	int err = 0;
	u32 u;

	fabric->nodes = kvcalloc(n, sizeof(*fabric->nodes), GFP_KERNEL_ACCOUNT);
	if (!fabric->nodes)
		return -ENOMEM;
	for (u = 0; u < n; u++) {
		if (!hc_is_here(fabric, u))
			continue;
		fabric->nodes[u] = hc_node_alloc(fabric, u);
		if (!fabric->nodes[u])
			return -ENOMEM;
		if (unwanted(p))
			return -ECANCELED;
		cond_resched();
	}
	hc_each_node(fabric, node)
		for (d = 0; d < fabric->topo.ports && !err; d++)
			err = hc_link_open(node, d);
	/* Links to remote nodes have no carrier yet: let the polls enter them into the FAULT words.
	 */
	if (!err && !hc_is_whole(fabric))
		hc_each_node(fabric, node)
			hc_node_kick(node, HC_EV_LINKS);
	return err;
}

static int nodes_register(struct hc_fabric *fabric, const struct hc_fabric_params *p,
			  struct netlink_ext_ack *extack)
{
	struct hc_node *node = hc_node_from(fabric, 0), *next;
	u32 n = 0;
	int err = 0;

	for (; node && !err; node = next, n++) {
		next = hc_node_from(fabric, node->id + 1);
		if (n % BATCH == 0)
			rtnl_lock();
		err = hc_node_register(node);
		if (err == -EEXIST)
			NL_SET_ERR_MSG(extack, "An interface has the name of one of the endpoints");
		if (err || n % BATCH == BATCH - 1 || !next) {
			rtnl_unlock();
			cond_resched();
			if (!err && unwanted(p))
				err = -ECANCELED;
		}
	}
	return err;
}

/* ------------------------------------------------------------ removal */

/* Phase 1 of the removal: make the fabric unreachable. A task that already has a reference reads
 * ->dead once it has the lock. If the fabric's creation has failed, it may have no nodes. Return:
 * false if another task has already made the fabric dead.
 */
static bool make_dead(struct hc_fabric *fabric)
{
	struct hc_node *node;
	bool mine;

	mutex_lock(&fabric->lock);
	mine = !fabric->dead;
	WRITE_ONCE(fabric->dead, true);
	if (mine && fabric->nodes)
		hc_each_node(fabric, node)
			hc_notify_node_gone(node);
	mutex_unlock(&fabric->lock);
	return mine;
}

static void nodes_unregister(struct hc_fabric *fabric)
{
	struct hc_node *node = hc_node_from(fabric, 0), *next;
	LIST_HEAD(kill);
	u32 n = 0;

	for (; node; node = next, n++) {
		struct net_device *dev = node->dev;

		next = hc_node_from(fabric, node->id + 1);
		if (n % BATCH == 0)
			rtnl_lock();
		if (dev->reg_state == NETREG_REGISTERED)
			unregister_netdevice_queue(dev, &kill);
		if (n % BATCH == BATCH - 1 || !next) {
			unregister_netdevice_many(&kill);
			INIT_LIST_HEAD(&kill);
			rtnl_unlock();
			cond_resched();
		}
	}
}

/* Phase 2 of the removal: free the nodes. It also runs after a creation that has failed. The
 * following could still use a node, and are ended in this order:
 *  - schedules of links: hc_flap_exit();
 *  - state of other parts of the module, such as deferred requests, trunks and the timer of their
 *    requests: hc_notify_fabric_stop(), before the polls that they kick are disabled;
 *  - polls: all are disabled before the first node is freed, because a poll uses its neighbours'
 *    queues;
 *  - timers of impaired links and of nodes: stopped after the polls, which start them; then the
 *    transports are closed;
 *  - work items for spent links (hc_spents_exit()), for stalls and for nodes that have lacked
 *    memory (hc_notify_fabric_exit()): until then they may kick polls, which are disabled;
 *  - the network stack, which uses the net_devices: these are unregistered here, or by a namespace
 *    that ends (netns_move.c);
 *  - the hash of NAPI ids: the NAPIs are removed from it, and a grace period passes.
 * System calls on sockets have ended in phase 1, by hc_notify_node_gone() and a grace period, and
 * configuration requests find that the fabric is dead.
 */
static void nodes_destroy(struct hc_fabric *fabric)
{
	struct hc_node *node;
	u32 u;

	hc_flap_exit(fabric);
	hc_notify_fabric_stop(fabric);
	if (!fabric->nodes)
		goto out;
	hc_each_node(fabric, node)
		hc_node_disable(node);
	hc_each_node(fabric, node)
		hc_node_timers_stop(node);
	hc_spents_exit(fabric);
	hc_each_node(fabric, node)
		hc_node_close(node);
	hc_notify_fabric_exit(fabric);
	nodes_unregister(fabric);
	wait_var_event(&fabric->leaving, !atomic_read(&fabric->leaving));
	hc_monitor_destroy(fabric);
	hc_each_node(fabric, node)
		__netif_napi_del(&node->napi);
	synchronize_net();
	hc_each_node(fabric, node)
		hc_node_purge(node);
	for (u = 0; u < fabric->topo.nodes; u++)
		if (fabric->nodes[u])
			hc_node_free(fabric->nodes[u]);
	kvfree(fabric->nodes);
	fabric->nodes = NULL;
out:
	fabric_uncharge(fabric);
}

static void fabric_finish(struct hc_net *hn, struct hc_fabric *fabric)
{
	synchronize_net();
	hc_notify_fabric(fabric, HYPERCUBE_CMD_FABRIC_DEL_NTF);
	nodes_destroy(fabric);
	pr_debug("fabric %s (%u) destroyed\n", fabric->name, fabric->index);
	list_remove(hn, fabric);
}

/* ------------------------------------------------------------ configuration */

int hc_fabric_need_cube(const struct hc_fabric *fabric, struct netlink_ext_ack *extack)
{
	if (fabric->topo.dim)
		return 0;
	NL_SET_ERR_MSG(extack, "This needs a hypercube, and the fabric is another network");
	return -EOPNOTSUPP;
}

int hc_fabric_create(struct net *net, const struct hc_fabric_params *p,
		     struct netlink_ext_ack *extack)
{
	struct hc_net *hn = hc_net(net);
	struct hc_fabric *fabric;
	int err;

	err = check_params(p, extack) ?:
	      hc_memory_check(p->topo.nodes >> hweight32(p->fixed), extack);
	if (err)
		return err;
	fabric = fabric_alloc(net, p, extack);
	if (IS_ERR(fabric))
		return PTR_ERR(fabric);
	err = list_reserve(hn, fabric, extack);
	if (err) {
		hc_fabric_put(fabric);
		return err;
	}
	err = nodes_alloc(fabric, p);
	if (err == -EMSGSIZE)
		NL_SET_ERR_MSG(extack, "The carrier takes no frames with segments of this size");
	if (!err)
		err = hc_monitor_create(fabric);
	if (err == -EEXIST)
		NL_SET_ERR_MSG(extack, "An interface has the name of the fabric's monitor");
	if (!err)
		err = nodes_register(fabric, p, extack);
	if (err) {
		make_dead(fabric);
		synchronize_net();
		nodes_destroy(fabric);
		list_remove(hn, fabric);
		return err;
	}
	pr_debug("fabric %s (%u) created\n", fabric->name, fabric->index);
	kref_get(&fabric->ref);
	list_publish(hn, fabric);
	/* Since list_publish() another task may have removed the fabric. */
	mutex_lock(&fabric->lock);
	if (!fabric->dead)
		hc_notify_fabric(fabric, HYPERCUBE_CMD_FABRIC_NTF);
	mutex_unlock(&fabric->lock);
	hc_fabric_put(fabric);
	return 0;
}

int hc_fabric_destroy(struct net *net, const char *name, struct netlink_ext_ack *extack)
{
	struct hc_fabric *fabric = hc_fabric_get(net, name);
	bool mine;

	mine = fabric && make_dead(fabric);
	if (mine)
		fabric_finish(hc_net(net), fabric);
	else
		NL_SET_ERR_MSG(extack, "No such fabric");
	if (fabric)
		hc_fabric_put(fabric);
	return mine ? 0 : -ENOENT;
}

static int __net_init hc_net_init(struct net *net)
{
	struct hc_net *hn = hc_net(net);

	mutex_init(&hn->lock);
	INIT_LIST_HEAD(&hn->fabrics);
	return 0;
}

/* Remove all fabrics of a namespace that ends, or of each namespace when the module is removed. No
 * other task creates or removes fabrics of this namespace any more: a request holds its namespace,
 * and before the module is removed hc_netlink_exit() has waited for all requests.
 */
static void __net_exit hc_net_exit(struct net *net)
{
	struct hc_net *hn = hc_net(net);
	struct hc_fabric *fabric;

	while ((fabric = list_first_entry_or_null(&hn->fabrics, struct hc_fabric, list))) {
		make_dead(fabric);
		fabric_finish(hn, fabric);
	}
	if (!check_net(net))
		hc_netns_leave(net);
	mutex_destroy(&hn->lock);
}

static struct pernet_operations hc_net_ops = {
	.init	= hc_net_init,
	.exit	= hc_net_exit,
	.id	= &hc_net_id,
	.size	= sizeof(struct hc_net),
};

/* The operations are registered as a pernet *device*: so when a namespace ends, hc_net_exit() moves
 * foreign endpoints back to their fabrics' namespaces before the stack would unregister them.
 */
int hc_fabric_init(void)
{
	int err;

	err = rtnl_link_register(&hc_link_ops);
	if (err)
		return err;
	err = register_pernet_device(&hc_net_ops);
	if (err)
		rtnl_link_unregister(&hc_link_ops);
	return err;
}

void hc_fabric_exit(void)
{
	unregister_pernet_device(&hc_net_ops);
	rtnl_link_unregister(&hc_link_ops);
	ida_destroy(&fabric_indices);
}
