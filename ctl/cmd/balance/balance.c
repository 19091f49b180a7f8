// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl balance: the topology on which load is balanced in a faulty cube.
 */
#include <errno.h>

#include "balance_cmd.h"

const char * const balance_shapes[] = {
	[HC_BALANCE_MCWA] = "mcwa",
	[HC_BALANCE_MINIMAL] = "minimal-depth",
	NULL
};

#define WORDS 28

int balance_args(struct hcctl *h, struct fault_args *a, const struct arg *own, int argc,
		 char **argv)
{
	struct arg args[WORDS] = {
		{ "fabric", arg_fabric, &a->fabric },
		{ "dim", arg_dim, &a->dim },
		{ "fail-link", arg_links, &a->links, .many = true },
		{ "fail-node", arg_nodes, &a->nodes, .many = true },
		{ "faults", arg_str, &a->file },
	};
	unsigned int n = 5 + NET_KINDS;

	net_args(&args[n - NET_KINDS], &a->net);
	while (own->name && n < WORDS - 1)
		args[n++] = *own++;
	return hc_args(h, args, argc, argv);
}

int balance_faults(struct hcctl *h, struct fault_args *a, struct hc_faults **f)
{
	return cmd_fault_args_check(h, a) ?: cmd_fault_args_make(h, a) ?:
	       cmd_fault_args_read(h, a, f);
}

int balance_topology(struct hcctl *h, const struct hc_faults *f, enum hc_balance_shape shape,
		     struct hc_balance_topo *t)
{
	struct hc_reason reason;
	int rc = hc_balance_topology(f, shape, t);

	if (rc == -EHOSTDOWN)
		hc_error(h, "nothing to balance: no node is connected with any other");
	else if (rc)
		hc_nomem(h);
	/* If the network is not a hypercube, do not call hc_balance_check(), which is the kernel's
	 * verifier and knows only topologies of hypercubes.
	 */
	if (rc || !f->dim || !hc_balance_check(&t->b, f->fault, &reason))
		return rc;
	hc_error(h, "no topology: %s: node %u", reason.why, reason.node);
	hc_balance_topo_free(t);
	return -EINVAL;
}

static int show(struct hcctl *h, struct fault_args *a, enum hc_balance_shape shape, bool apply)
{
	struct hc_faults *f = NULL;
	struct hc_balance_topo t;
	int rc = balance_faults(h, a, &f);

	if (rc)
		return rc;
	rc = live_need_cube(h, a->fabric, f->dim, "a topology") ?:
	     balance_topology(h, f, shape, &t);
	if (!rc) {
		if (apply)
			rc = nl_balance_topology(h, a->fabric, &t.b, f->fault, NL_NONE);
		if (!rc) {
			balance_out_topology(h, a->fabric, shape, f, &t);
			balance_warn(h, shape, &t);
		}
		hc_balance_topo_free(&t);
	}
	hc_faults_free(f);
	return rc;
}

static int topology(struct hcctl *h, int argc, char **argv)
{
	struct arg_choice method = { .words = balance_shapes };
	struct fault_args a = {};
	bool apply = false;
	const struct arg own[] = {
		{ "method", arg_choice, &method },
		{ "apply", NULL, &apply },
		{}
	};
	int rc = balance_args(h, &a, own, argc, argv);

	if (!rc && apply && !a.fabric)
		rc = hc_missing(h, "\"fabric\" to apply");
	rc = rc ?: show(h, &a, method.v, apply);

	cmd_fault_args_free(&a);
	return rc;
}

const struct hc_cmd balance_cmds[] = {
	{
		"topology", topology,
		"{ fabric NAME [apply] | dim N [fail-link LINKS] [fail-node NODES] [faults FILE] } [method mcwa|minimal-depth]",
	},
	{
		"plan", balance_plan,
		"{ fabric NAME | { dim N | " NET_WORDS
		" } [fail-link LINKS] [fail-node NODES] [faults FILE] } load L0,L1,.. [method rid|dem|cwa|mcwa|optimal|auto] [topology mcwa|minimal-depth] [threshold T] [hop-cost C]",
	},
	{
		"simulate", balance_simulate,
		"dim N faults F|A..B [runs R] seed S [methods M,..] [tasks N] [threshold T] [interval I] [hop-cost C] [info-cost C] [charge local|phase] [tau task|node] [pick newest|oldest] [topology mcwa|minimal-depth] [jobs J] [-o FILE.{svg,csv}]",
	},
	{ "show", balance_show, "NAME [--watch] [interval TIME] [count N]" },
	{ "move", balance_move, "NAME NODE:DIM COUNT" },
	{ "run", balance_run, "NAME [method rid|dem|mcwa|cwa] [node NODE]" },
	{
		"set", balance_set,
		"NAME [method rid|dem|mcwa|cwa|off] [threshold T|off] [period MS|off]"
	},
	{}
};
