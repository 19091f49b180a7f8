// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl stats: sums of the counters of a fabric.
 */
#include <inttypes.h>
#include <stdlib.h>

#include "cmd.h"

/* Sums of the counters of all nodes and link ends. */
struct sum {
	uint64_t host_frames;
	uint64_t merged_bytes;
	uint64_t tx_frames;
	uint64_t tx_bytes;
	uint64_t rx_frames;
	uint64_t rx_bytes;
	uint64_t replays;
	uint64_t corrupted;
	uint64_t duplicated;
	uint64_t delayed;
	uint64_t queued;
	uint64_t queued_bytes;
	uint64_t drops[NL_DROPS];
	uint32_t bound;			/* number of nodes to which a socket for collectives is
					 * bound
					 */
	uint64_t tasks[NL_TASKS];
	const struct nl_link *busiest;	/* the link end that has sent the most bytes */
};

static void add_drops(struct sum *s, const uint64_t *drops)
{
	unsigned int i;

	for (i = 0; i < NL_DROPS; i++)
		s->drops[i] += drops[i];
}

static void add_nodes(struct sum *s, const struct nl_node *v, size_t n)
{
	size_t i, k;

	for (i = 0; i < n; i++) {
		s->host_frames += v[i].host_frames;
		s->merged_bytes += v[i].merged_bytes;
		s->bound += v[i].bound;
		for (k = 0; k < NL_TASKS; k++)
			s->tasks[k] += v[i].tasks[k];
		add_drops(s, v[i].drops);
	}
}

static void add_links(struct sum *s, const struct nl_link *v, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		s->tx_frames += v[i].tx_frames;
		s->tx_bytes += v[i].tx_bytes;
		s->rx_frames += v[i].rx_frames;
		s->rx_bytes += v[i].rx_bytes;
		s->replays += v[i].replays;
		s->corrupted += v[i].corrupted;
		s->duplicated += v[i].duplicated;
		s->delayed += v[i].delayed;
		s->queued += v[i].queued;
		s->queued_bytes += v[i].queued_bytes;
		add_drops(s, v[i].drops);
		if (!s->busiest || v[i].tx_bytes > s->busiest->tx_bytes)
			s->busiest = &v[i];
	}
}

static bool any(const uint64_t *drops)
{
	unsigned int i;

	for (i = 1; i < NL_DROPS; i++)
		if (drops[i])
			return true;
	return false;
}

static void print(struct hcctl *h, const char *fabric, const struct nl_fabric *f,
		  const struct sum *s)
{
	out_object(h, NULL);
	out_str(h, "fabric", "%s:", fabric);
	cmd_out_network(h, f);
	out_uint(h, "links_down", ", links down %" PRIu64, f->links_down);
	out_uint(h, "nodes_failed", ", nodes failed %" PRIu64, f->nodes_failed);
	out_uint(h, "nodes_bound", ", nodes bound %" PRIu64 "\n", s->bound);
	out_uint(h, "host_frames", "    from processes %" PRIu64 " frames", s->host_frames);
	out_uint(h, "merged_bytes", ", merged %" PRIu64 " bytes\n", s->merged_bytes);
	out_uint(h, "tx_frames", "    sent %" PRIu64 " frames", s->tx_frames);
	out_uint(h, "tx_bytes", " %" PRIu64 " bytes", s->tx_bytes);
	out_uint(h, "rx_frames", ", received %" PRIu64 " frames", s->rx_frames);
	out_uint(h, "rx_bytes", " %" PRIu64 " bytes\n", s->rx_bytes);
	out_uint(h, "replays", "    on links: replays %" PRIu64, s->replays);
	out_uint(h, "corrupted", ", corrupted %" PRIu64, s->corrupted);
	out_uint(h, "duplicated", ", duplicated %" PRIu64, s->duplicated);
	out_uint(h, "delayed", ", delayed %" PRIu64 " frames", s->delayed);
	out_uint(h, "queued_frames", "; waiting %" PRIu64 " frames", s->queued);
	out_uint(h, "queued_bytes", " %" PRIu64 " bytes\n", s->queued_bytes);
	if (s->busiest && s->busiest->tx_bytes) {
		cmd_out_link(h, "busiest_link", "    busiest link end ",
			     (struct link_ref){ s->busiest->node, s->busiest->dim });
		out_uint(h, "busiest_link_bytes", ": %" PRIu64 " bytes sent\n",
			 s->busiest->tx_bytes);
	}
	out_text(h, s->tasks[HYPERCUBE_A_TASKS_PUT] ? "    tasks:" : "");
	cmd_out_tasks(h, s->tasks);
	out_text(h, s->tasks[HYPERCUBE_A_TASKS_PUT] ? "\n" : "");
	out_text(h, any(s->drops) ? "    dropped:" : "    dropped: none");
	cmd_out_drops(h, s->drops);
	out_text(h, "\n");
	out_close(h);
}

static int stats(struct hcctl *h, int argc, char **argv)
{
	const char *fabric = hc_take_fabric(h, &argc, &argv);
	struct cmd_state now;
	struct sum s = {};
	int rc;

	if (!fabric || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = cmd_state(h, fabric, &now);
	if (!rc) {
		add_nodes(&s, now.nodes, now.n_nodes);
		add_links(&s, now.links, now.n_links);
		print(h, fabric, &now.info, &s);
	}
	cmd_state_free(&now);
	return rc;
}

const struct hc_cmd stats_cmds[] = {
	{ NULL, stats, "NAME" },
	{}
};
