// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl monitor: print events, one a line, until Ctrl-C.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <signal.h>
#include <string.h>

#include "planner.h"

static volatile int stop;

static void on_signal(int sig)
{
	(void)sig;
	stop = 1;
}

static const char * const outcomes[] = {
	[HYPERCUBE_VOTE_OUTCOME_AGREED] = "agreed",
	[HYPERCUBE_VOTE_OUTCOME_INCOMPLETE] = "incomplete",
	[HYPERCUBE_VOTE_OUTCOME_OUTVOTED] = "outvoted",
	[HYPERCUBE_VOTE_OUTCOME_UNDECIDED] = "undecided",
};

static const char * const losses[] = {
	[HYPERCUBE_TASK_LOSS_WORKER] = "worker",
	[HYPERCUBE_TASK_LOSS_NODE] = "node-failed",
	[HYPERCUBE_TASK_LOSS_FABRIC] = "fabric-del",
	[HYPERCUBE_TASK_LOSS_UNRESOLVED] = "unresolved",
	[HYPERCUBE_TASK_LOSS_RECOVERED] = "recovered",
};

#define COUNT(table) (sizeof(table) / sizeof(*(table)))

static const char *name_in(const char * const *names, size_t n, uint32_t v)
{
	return v < n && names[v] ? names[v] : "?";
}

static void head(struct hcctl *h, const char *event, const char *fabric)
{
	out_str(h, "event", "%s", event);
	out_str(h, "fabric", " %s", fabric);
}

static void head_at(struct hcctl *h, const char *event, const char *fabric, uint32_t node)
{
	head(h, event, fabric);
	out_uint(h, "node", " node %" PRIu64, node);
}

static void print_fabric(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_fabric *f = &e->fabric;
	bool gone = e->cmd == HYPERCUBE_CMD_FABRIC_DEL_NTF;

	head(h, gone ? "fabric-del" : "fabric", f->name);
	if (gone)
		return;
	cmd_out_network(h, f);
	out_uint(h, "links_down", " links down %" PRIu64, f->links_down);
	out_uint(h, "nodes_failed", " nodes failed %" PRIu64, f->nodes_failed);
}

static void print_node(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_node *v = &e->node;

	head(h, "node", v->fabric);
	out_uint(h, "node", " %" PRIu64, v->id);
	out_bool(h, "failed", NULL, v->failed);
	out_text(h, " %s", v->failed ? "failed" : "ok");
	out_uint(h, "fault", " fault 0x%" PRIx64, v->fault);
	cmd_out_byzantine(h, v);
	if (v->owner != NL_NONE)
		out_uint(h, "owner", " owner %" PRIu64, v->owner);
	if (v->elsewhere)
		out_int(h, "netnsid", " netnsid %" PRId64, v->netnsid);
}

static void print_link(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_link *v = &e->link;

	head(h, "link", v->fabric);
	out_uint(h, "node", " %" PRIu64, v->node);
	out_uint(h, "dim", ":%" PRIu64 " ", v->dim);
	cmd_out_state(h, v->state);
	cmd_out_impairments(h, v);
}

static void print_plan(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_plan *p = &e->plan;
	bool gone = e->cmd == HYPERCUBE_CMD_PLAN_DEL_NTF;

	head(h, gone ? "plan-del" : !p->repair ? "plan" : p->broken ? "ring-broken" :
		p->repairs ? "ring-repaired" : "plan", p->fabric);
	out_uint(h, "plan", " %" PRIu64, p->id);
	if (gone)
		return;
	out_uint(h, "epoch", " epoch %" PRIu64, p->epoch);
	planner_out_root(h, p);
	if (p->repair)
		out_uint(h, "repairs", " repairs %" PRIu64, p->repairs);
	out_bool(h, "broken", " BROKEN", p->broken);
	if (p->broken)
		cmd_out_cause(h, p->cause_node, p->cause_dim);
}

static void print_op(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_op *v = &e->op;
	char buf[OUT_BUF];

	head(h, "op", v->fabric);
	out_uint(h, "plan", " plan %" PRIu64, v->plan);
	out_uint(h, "epoch", " epoch %" PRIu64, v->epoch);
	out_uint(h, "op", " operation %" PRIu64, v->nr);
	out_uint(h, "node", " at node %" PRIu64, v->node);
	out_int(h, "status", NULL, v->status);
	if (v->status) {
		cmd_out_failed(h, " failed", v->cause_node, v->cause_dim, v->status);
		return;
	}
	out_uint(h, "steps", v->steps == 1 ? " complete in %" PRIu64 " step" :
					     " complete in %" PRIu64 " steps", v->steps);
	out_uint(h, "time_ns", NULL, v->time);
	out_text(h, ", %s modelled", out_time(buf, v->time));
}

static void print_path(struct hcctl *h, const struct hc_topo *topo, uint32_t src,
		       const struct hypercube_path *p)
{
	out_object(h, NULL);
	out_text(h, ", copy");
	out_uint(h, "copy", " %" PRIu64, p->copy);
	out_bool(h, "mismatch", NULL, p->mismatch);
	out_text(h, " %s by", p->mismatch ? "mismatch" : "is missing");
	cmd_out_path(h, topo, "nodes", " %" PRIu64, src, p->dim, p->hops);
	out_close(h);
}

static void print_vote(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_vote *v = &e->vote;
	struct nl_node *node = NULL;
	struct hc_topo topo;
	unsigned int i;
	size_t n;

	head_at(h, "vote", v->fabric, v->node);
	out_uint(h, "src", " from %" PRIu64, v->src);
	out_uint(h, "nr", " nr %" PRIu64, v->nr);
	out_str(h, "outcome", " %s", name_in(outcomes, COUNT(outcomes), v->outcome));
	out_uint(h, "copies", " of %" PRIu64 " copies", v->copies);
	out_array(h, "paths");
	if (v->npaths && !live_nodes(h, v->fabric, &topo, &node, &n)) {
		for (i = 0; i < v->npaths; i++)
			print_path(h, &topo, v->src, &v->path[i]);
		live_topo_free(&topo);
		free(node);
	}
	out_close(h);
}

static void print_trunk(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_trunk *v = &e->trunk;
	bool gone = e->cmd == HYPERCUBE_CMD_TRUNK_DEL_NTF;

	head(h, gone ? "trunk-del" : "trunk", v->fabric);
	out_uint(h, "trunk", " %" PRIu64, v->id);
	out_uint(h, "dim", " dim %" PRIu64, v->dim);
	out_uint(h, "links", " links %" PRIu64, v->links);
	if (gone)
		out_str(h, "reason", ": %s", *v->reason ? v->reason : strerror(v->error));
	else if (*v->reason)
		out_str(h, "reason", ": %s", v->reason);
}

static void print_lost(struct hcctl *h, const struct nl_event *e)
{
	const struct nl_tasks_lost *v = &e->lost;
	bool recovered = v->loss == HYPERCUBE_TASK_LOSS_RECOVERED;
	unsigned int i;

	head_at(h, recovered ? "tasks-recovered" : "tasks-lost", v->fabric, v->node);
	out_str(h, "reason", recovered ? NULL : " %s", name_in(losses, COUNT(losses), v->loss));
	out_uint(h, "count", recovered ? " recovered %" PRIu64 : " lost %" PRIu64, v->count);
	out_text(h, v->n ? ":" : "");
	out_array(h, "tasks");
	for (i = 0; i < v->n; i++)
		cmd_out_pair(h, i ? "," : " ", "origin", v->id[i].node, ":", "nr", v->id[i].nr);
	out_close(h);
}

static void print_round(struct hcctl *h, const struct nl_event *e)
{
	head(h, "round", e->balance.fabric);
	out_text(h, " ");
	cmd_out_round(h, &e->balance.round[0]);
}

static const char *fabric_of(const struct nl_event *e)
{
	switch (e->cmd) {
	case HYPERCUBE_CMD_NODE_NTF:
		return e->node.fabric;
	case HYPERCUBE_CMD_LINK_NTF:
		return e->link.fabric;
	case HYPERCUBE_CMD_PLAN_NTF:
	case HYPERCUBE_CMD_PLAN_DEL_NTF:
		return e->plan.fabric;
	case HYPERCUBE_CMD_OP_NTF:
		return e->op.fabric;
	case HYPERCUBE_CMD_VOTE_NTF:
		return e->vote.fabric;
	case HYPERCUBE_CMD_TRUNK_NTF:
	case HYPERCUBE_CMD_TRUNK_DEL_NTF:
		return e->trunk.fabric;
	case HYPERCUBE_CMD_TASK_NTF:
		return e->lost.fabric;
	case HYPERCUBE_CMD_BALANCE_NTF:
		return e->balance.fabric;
	}
	return e->fabric.name;
}

#define PRINT(what, as) \
	[HYPERCUBE_CMD_##what##_NTF] = print_##as

static int print_event(struct hcctl *h, const struct nl_event *e, void *arg)
{
	static void (* const prints[])(struct hcctl *h, const struct nl_event *e) = {
		PRINT(NODE, node),
		PRINT(LINK, link),
		PRINT(PLAN, plan),
		PRINT(PLAN_DEL, plan),
		PRINT(OP, op),
		PRINT(VOTE, vote),
		PRINT(TASK, lost),
		PRINT(BALANCE, round),
		PRINT(TRUNK, trunk),
		PRINT(TRUNK_DEL, trunk),
	};
	void (*print)(struct hcctl *h, const struct nl_event *e);
	const char *only = arg;

	if (only && strcmp(only, fabric_of(e)))
		return 0;
	out_object(h, NULL);
	print = (size_t)e->cmd < sizeof(prints) / sizeof(*prints) ? prints[e->cmd] : NULL;
	(print ?: print_fabric)(h, e);
	out_text(h, "\n");
	out_close(h);
	return out_failed() ? -EIO : 0;
}

static int monitor(struct hcctl *h, int argc, char **argv)
{
	struct sigaction act = { .sa_handler = on_signal };
	char *only = NULL;
	struct arg args[] = {
		{ "fabric", arg_fabric, &only },
		{}
	};
	struct nl_fabric fabric;
	int rc = hc_args(h, args, argc, argv);

	if (!rc && only)
		rc = nl_fabric(h, only, &fabric);
	if (rc)
		return rc;
	stop = 0;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	return nl_events(h, print_event, only, &stop, NULL);
}

const struct hc_cmd monitor_cmds[] = {
	{ NULL, monitor, "[fabric NAME]" },
	{}
};
