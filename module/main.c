// SPDX-License-Identifier: GPL-2.0
/*
 * Order of init and exit.
 */
#include <linux/module.h>
#include <net/genetlink.h>
#include <net/rtnetlink.h>

#include "coll/rx.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/inject.h"
#include "fabric/poll_limit.h"
#include "hc_version.h"
#include "netlink/netlink.h"
#include "poll.h"
#include "route/route.h"
#include "sock/socks.h"
#include "task/queue.h"
#include "trunk/trunk.h"

/* Start the parts of the module from the lowest layer to the highest, because they are notified in
 * the order in which they start. Netlink starts last and stops first: without netlink no fabric is
 * created, and without a fabric no socket can be bound. So when hc_fabric_exit() runs, no process
 * uses a fabric.
 */
static int __init hc_init(void)
{
	int err;

	hc_poll_limit_init();
	hc_route_init();
	hc_tasks_init();
	hc_coll_init();
	hc_poll_init();
	err = hc_trunk_module_init();
	if (err)
		return err;
	err = hc_fabric_init();
	if (err)
		goto err_trunk;
	err = hc_sock_init();
	if (err)
		goto err_fabric;
	err = hc_netlink_init();
	if (err)
		goto err_sock;
	WARN_ON(!hc_frames_handled());
	hc_inject_init();
	return 0;

err_sock:
	hc_sock_exit();
err_fabric:
	hc_fabric_exit();
err_trunk:
	hc_trunk_module_exit();
	return err;
}

static void __exit hc_exit(void)
{
	hc_inject_exit();
	hc_netlink_exit();
	hc_sock_exit();
	hc_fabric_exit();
	hc_trunk_module_exit();
}

module_init(hc_init);
module_exit(hc_exit);

MODULE_DESCRIPTION("Hypercube multicomputer with fault-tolerant collectives");
MODULE_AUTHOR("The authors of hypercube");
MODULE_VERSION(HC_VERSION);
MODULE_LICENSE("GPL");
MODULE_ALIAS_GENL_FAMILY(HYPERCUBE_FAMILY_NAME);
MODULE_ALIAS_RTNL_LINK("hypercube");
