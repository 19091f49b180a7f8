// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl bcast: find sequences of dimensions for broadcasts.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

/* What "bcast plan" was asked for. */
struct plan {
	struct fault_args faults;
	bool apply;
	uint32_t id;
	uint32_t source;
	bool all;
	const char *method;
	const char *prime;
};

static const char * const methods[] = {
	[HC_BCAST_GENERAL] = "general",
	[HC_BCAST_BROADCAST1] = "broadcast1",
	[HC_BCAST_MINIMAL] = "minimal",
};

static int arg_method(struct hcctl *h, const char *name, const char *word, void *dst)
{
	unsigned int i;

	for (i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (!strcmp(methods[i], word)) {
			*(const char **)dst = word;
			return 0;
		}
	return hc_invalid(h, name, word, "general, broadcast1 or minimal is wanted");
}

static int arg_prime(struct hcctl *h, const char *name, const char *word, void *dst)
{
	if (strcmp(word, "largest") && strcmp(word, "greedy"))
		return hc_invalid(h, name, word, "largest or greedy is wanted");
	*(const char **)dst = word;
	return 0;
}

static enum hc_bcast_method method_number(const char *word)
{
	unsigned int i;

	for (i = 0; i < sizeof(methods) / sizeof(*methods); i++)
		if (!strcmp(methods[i], word))
			return i;
	return HC_BCAST_GENERAL;
}

static int apply_args(struct hcctl *h, struct plan *q)
{
	if (q->apply && !q->faults.fabric)
		return hc_missing(h, "\"fabric\" to apply the plan to");
	if (q->apply && q->all)
		return hc_invalid(h, "apply", "all", "a plan has one source");
	if (q->id && !q->apply)
		return hc_missing(h, "\"apply\", without which no plan gets an id");
	/* Not 1, which is the tree's unless one says otherwise. */
	if (!q->id)
		q->id = 2;
	return 0;
}

static int plan_args(struct hcctl *h, struct plan *q, int argc, char **argv)
{
	struct arg args[] = {
		{ "fabric", arg_fabric, &q->faults.fabric },
		{ "apply", NULL, &q->apply },
		{ "plan", arg_count, &q->id },
		{ "dim", arg_dim, &q->faults.dim },
		{ "fail-link", arg_links, &q->faults.links, .many = true },
		{ "fail-node", arg_nodes, &q->faults.nodes, .many = true },
		{ "faults", arg_str, &q->faults.file },
		{ "source", arg_node, &q->source },
		{ "all", NULL, &q->all },
		{ "method", arg_method, &q->method },
		{ "prime", arg_prime, &q->prime },
		{}
	};
	int rc = hc_args(h, args, argc, argv);

	if (rc)
		return rc;
	if (!q->all && q->source == NL_NONE)
		return hc_missing(h, "\"source\" or \"all\"");
	if (q->all && q->source != NL_NONE)
		return hc_unknown(h, "all");
	if (q->all && method_number(q->method) == HC_BCAST_MINIMAL)
		return hc_invalid(h, "method", q->method, "it takes one source, not all");
	rc = apply_args(h, q);
	return rc ? rc : cmd_fault_args_check(h, &q->faults);
}

static int no_plan(struct hcctl *h, const struct plan *q, int err, const char *why)
{
	if (err == -ENOMEM)
		return hc_nomem(h);
	if (q->all)
		hc_error(h, "no broadcast: %s", why);
	else
		hc_error(h, "no broadcast from node %u: %s", q->source, why);
	return err == -ERANGE && !q->faults.fabric ? HC_USAGE : HC_NO;
}

static int one_source(struct hcctl *h, const struct plan *q, const struct hc_faults *f,
		      const struct hc_bcast_req *req, bool last)
{
	struct bcast_view view = { .method = q->method, .fabric = q->faults.fabric,
				   .faults = f };
	const char *why = "not possible";
	char list[BCAST_LIST];
	struct hc_bcast_plan p;
	int rc;

	rc = hc_plan_bcast(f, req, &p, &why);
	if (rc)
		return no_plan(h, q, rc, why);
	if (q->apply) {
		view.installed = q->id;
		rc = nl_bcast_add(h, q->faults.fabric, q->id, &p.bcast, f->fault, !last);
		if (rc)
			goto out;
	}
	cmd_bcast_print(h, &view, &p);
	if (p.nunreachable)
		hc_warn(h, "cut off from source %u%s", q->source,
			cmd_bcast_list(list, p.unreachable, hc_nodes(f->dim)));
	if (p.covered < p.reachable) {
		hc_error(h, "%s does not reach%s; try: method general", q->method,
			 cmd_bcast_list(list, p.missed, hc_nodes(f->dim)));
		rc = HC_NO;
	}
out:
	hc_bcast_plan_free(&p);
	return rc;
}

struct pieces {
	struct hcctl *h;
	const struct plan *q;
	unsigned int dim;
	uint32_t count;
	uint32_t incomplete;
	uint32_t apart;
	unsigned int steps;
};

static void head(struct hcctl *h, const struct plan *q, unsigned int dim)
{
	out_object(h, NULL);
	if (q->faults.fabric)
		out_str(h, "fabric", "fabric %s ", q->faults.fabric);
	out_uint(h, "dim", "dim %" PRIu64, dim);
	out_str(h, "method", " method %s\n", q->method);
	out_array(h, "pieces");
}

static int one_piece(void *ctx, const struct hc_bcast_piece *piece)
{
	struct pieces *p = ctx;

	if (!p->count)
		head(p->h, p->q, p->dim);
	cmd_bcast_print_piece(p->h, piece);
	p->count++;
	p->incomplete += piece->plan.covered < piece->plan.reachable;
	p->apart += piece->plan.nunreachable > 0;
	if (piece->plan.bcast.steps > p->steps)
		p->steps = piece->plan.bcast.steps;
	return 0;
}

static int all_sources(struct hcctl *h, const struct plan *q, const struct hc_faults *f,
		       const struct hc_bcast_req *req)
{
	struct pieces p = { .h = h, .q = q, .dim = f->dim };
	const char *why = "not possible";
	int rc;

	rc = hc_plan_bcast_all(f, req, one_piece, &p, &why);
	if (rc) {
		out_reset(h);
		return no_plan(h, q, rc, why);
	}
	out_close(h);
	out_text(h, "%u pieces", p.count);
	out_uint(h, "steps", ", at most %" PRIu64 " steps\n", p.steps);
	out_close(h);
	if (p.apart)
		hc_warn(h, "the live nodes are not all connected: see what is unreachable from each piece");
	if (!p.incomplete)
		return HC_OK;
	hc_error(h, "%s does not reach everybody from %u of %u pieces; try: method general",
		 q->method, p.incomplete, p.count);
	return HC_NO;
}

/* Plan and perhaps install once; -ESTALE: the faults have changed in between. */
static int plan_once(struct hcctl *h, struct plan *q, bool last)
{
	struct hc_bcast_req req = {
		.method = method_number(q->method),
		.source = q->source,
		.greedy = !strcmp(q->prime, "greedy"),
	};
	struct hc_faults *f = NULL;
	int rc = cmd_fault_args_read(h, &q->faults, &f);

	if (rc)
		return rc;
	rc = q->all ? all_sources(h, q, f, &req) : one_source(h, q, f, &req, last);
	hc_faults_free(f);
	return rc;
}

static int plan(struct hcctl *h, int argc, char **argv)
{
	struct plan q = { .source = NL_NONE, .method = "general", .prime = "largest" };
	int rc, try;

	rc = plan_args(h, &q, argc, argv);
	if (rc)
		goto out;
	/* A link that was just set tells its nodes a moment later. */
	for (try = 0; try < STALE_RETRIES; try++) {
		rc = plan_once(h, &q, try == STALE_RETRIES - 1);
		if (rc != -ESTALE)
			break;
		usleep(1000 << try);
	}
	rc = rc < 0 ? HC_NO : rc;
out:
	cmd_fault_args_free(&q.faults);
	return rc;
}

const struct hc_cmd bcast_cmds[] = {
	{
		"plan", plan,
		"{ fabric NAME [apply [plan ID]] | dim N [fail-link LINKS] [fail-node NODES] [faults FILE] } { source NODE | all } [method general|broadcast1|minimal] [prime largest|greedy]",
	},
	{}
};
