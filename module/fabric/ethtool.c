// SPDX-License-Identifier: GPL-2.0
/*
 * ethtool for endpoints: driver, state of the link and counters.
 */
#include <linux/ethtool.h>

#include "fabric/ethtool.h"
#include "fabric/fabric.h"
#include "fabric/impair.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "hc_version.h"

/* Names of the node's counters. Frames and bytes of its links are reported over netlink instead. */
static const char names[][ETH_GSTRING_LEN] = {
	"host_frames",
	"merged_bytes",
	"flood_duplicates",
	"link_replays",
	/* The following are in the order of HYPERCUBE_A_DROP_*. */
	"drop_link_down",
	"drop_node_failed",
	"drop_loss",
	"drop_malformed",
	"drop_foreign",
	"drop_no_route",
	"drop_no_plan",
	"drop_old_epoch",
	"drop_ended",
	"drop_unexpected",
	"drop_no_socket",
	"drop_queue_full",
	"drop_no_memory",
	"drop_spoofed",
	"drop_teardown",
	"drop_no_node",
	"drop_too_big",
	"drop_endpoint_down",
	"drop_checksum",
	"drop_duplicate",
	/* The value of HYPERCUBE_A_DROP_PAD, which is no drop reason and has no name here, lies
	 * between the values of the names above and below.
	 */
	"drop_copy_mismatch",
	"drop_too_few_copies",
	"drop_gap",
};

#define FIRST_DROP 4
static_assert(ARRAY_SIZE(names) == FIRST_DROP + HYPERCUBE_A_DROP_MAX - 1);

static void get_drvinfo(struct net_device *dev, struct ethtool_drvinfo *info)
{
	const struct hc_node *node = netdev_priv(dev);

	strscpy(info->driver, "hypercube", sizeof(info->driver));
	strscpy(info->version, HC_VERSION, sizeof(info->version));
	snprintf(info->bus_info, sizeof(info->bus_info), "%s/%u", node->fabric->name, node->id);
}

static int get_sset_count(struct net_device *dev, int set)
{
	return set == ETH_SS_STATS ? ARRAY_SIZE(names) : -EOPNOTSUPP;
}

static void get_strings(struct net_device *dev, u32 set, u8 *data)
{
	if (set == ETH_SS_STATS)
		memcpy(data, names, sizeof(names));
}

/* Return: the number of attempts to send a frame that have failed, on all links of the node. */
static u64 link_replays(const struct hc_node *node)
{
	struct hc_impair_stats stats;
	struct hc_impairments set;
	unsigned int d;
	u64 n = 0;

	for (d = 0; d < node->fabric->topo.ports; d++) {
		hc_impair_get(&node->ports[d], &set, &stats);
		n += stats.replays;
	}
	return n;
}

static void get_stats(struct net_device *dev, struct ethtool_stats *stats, u64 *data)
{
	const struct hc_node *node = netdev_priv(dev);
	unsigned int reason, start, i = FIRST_DROP;

	do {
		start = u64_stats_fetch_begin(&node->syncp);
		data[0] = node->host_frames;
		data[1] = node->merged_bytes;
		data[2] = node->eth.dups.frames;
	} while (u64_stats_fetch_retry(&node->syncp, start));
	data[3] = link_replays(node);
	for (reason = 1; reason <= HYPERCUBE_A_DROP_MAX; reason++)
		if (reason != HYPERCUBE_A_DROP_PAD)
			data[i++] = hc_drops(node, reason);
}

const struct ethtool_ops hc_ethtool_ops = {
	.get_drvinfo		= get_drvinfo,
	.get_link		= ethtool_op_get_link,
	.get_sset_count		= get_sset_count,
	.get_strings		= get_strings,
	.get_ethtool_stats	= get_stats,
	.get_ts_info		= ethtool_op_get_ts_info,
};
