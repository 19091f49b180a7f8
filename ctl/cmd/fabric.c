// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl fabric: add, remove and list hypercubes and other networks.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"
#include "net_args.h"

static int arg_id(struct hcctl *h, const char *name, const char *word, void *dst)
{
	int rc = arg_u32(h, name, word, dst);
	uint32_t id = *(uint32_t *)dst;

	if (!rc && (!id || id > HYPERCUBE_FABRIC_ID_MAX))
		return hc_invalid(h, name, word, "1 to 65535 is wanted");
	return rc;
}

/* Check that the arguments name a dimension or another network, but not both, and that only a
 * hypercube has a partition.
 */
static int add_check(struct hcctl *h, const struct nl_fabric_new *f, const struct net_arg *net,
		     const char *part)
{
	if (!f->dim && !*net->shape)
		return hc_missing(h, "\"dim\", or another network such as \"torus\"");
	if (f->dim && *net->shape) {
		hc_error(h, "a fabric is one network, not \"dim\" and \"%s\"", net->shape);
		return HC_USAGE;
	}
	if (*part && !f->dim)
		return hc_invalid(h, "nodes", part, "only a hypercube has subcubes");
	if (f->dim <= HYPERCUBE_DIM_MAX)
		return 0;
	hc_error(h, "dim %u: the kernel has no fabrics beyond dimension %d", f->dim,
		 HYPERCUBE_DIM_MAX);
	return HC_USAGE;
}

static int add(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv);
	struct nl_fabric_new f = { .name = name };
	const char *prefix = NULL, *part = "";
	struct nl_addr_in addr = {};
	struct net_arg shape = {};
	struct hc_net net = {};
	struct arg args[6 + NET_KINDS + 1] = {
		{ "dim", arg_dim, &f.dim },
		{ "nodes", arg_str, &part },
		{ "id", arg_id, &f.id },
		{ "segment", arg_count, &f.segment },
		{ "netns-each", cmd_arg_prefix, &prefix },
		{ "address", cmd_arg_address, &addr },
	};
	int rc;

	if (!name)
		return HC_USAGE;
	net_args(&args[6], &shape);
	rc = hc_args(h, args, argc, argv) ?: add_check(h, &f, &shape, part);
	if (!rc && addr.family && !prefix)
		rc = hc_missing(h, "\"netns-each\" to go with \"address\"");
	if (!rc && *shape.shape) {
		rc = net_arg_make(h, &shape, &net);
		f.topo = &net.topo;
		f.shape = shape.shape;
	}
	rc = rc ?: cmd_part(h, part, f.dim, &f.fixed, &f.base) ?:
	     cmd_check_address(h, &addr, nl_new_nodes(&f));
	if (!rc && prefix)
		rc = cmd_netns_fabric(h, &(struct netns_fabric){ f, prefix, &addr });
	else
		rc = rc ?: nl_fabric_add(h, &f);
	hc_net_free(&net);
	return rc;
}

static int del(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv);
	struct netns_names names = {};
	int rc;

	if (!name || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = cmd_netns_of(h, name, &names);
	/* An interrupted "fabric add" may have left namespaces without a fabric. In that case, only
	 * remove the namespaces.
	 */
	if (!rc && !(names.orphans && names.n))
		rc = nl_fabric_del(h, name);
	cmd_netns_drop(&names, !rc);
	return rc;
}

/* Parse a time into ms, or "forever" into 0. */
static int arg_stall_timeout(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t ns = 0;

	if (strcmp(word, "forever") && arg_time(h, name, word, &ns))
		return HC_USAGE;
	if (ns % 1000000)
		return hc_invalid(h, name, word,
				  "whole milliseconds are wanted, 1ms at least, or \"forever\"");
	if (ns > HYPERCUBE_STALL_TIMEOUT_MAX * UINT64_C(1000000))
		return hc_invalid(h, name, word, "at most a day is wanted");
	*(uint32_t *)dst = ns / 1000000;
	return 0;
}

static int set(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv);
	uint32_t stall_timeout = 0;
	struct arg args[] = {
		{ "stall-timeout", arg_stall_timeout, &stall_timeout, .required = true },
		{}
	};
	int rc = name ? hc_args(h, args, argc, argv) : HC_USAGE;

	return rc ?: nl_fabric_stall_timeout(h, name, stall_timeout);
}

enum { NAME, ID, DIM, NODES, SUBCUBE, SEGMENT, STALL_TIMEOUT, DOWN, FAILED, NODE_SIZE, FAMILY };

static const struct out_column columns[] = {
	OUT_LEFT(NAME),
	OUT_RIGHT(ID),
	OUT_RIGHT(DIM),
	OUT_RIGHT(NODES),
	OUT_LEFT(SUBCUBE),
	OUT_RIGHT(SEGMENT),
	OUT_RIGHT_AS(STALL_TIMEOUT, "STALL-TIMEOUT"),
	OUT_RIGHT(DOWN),
	OUT_RIGHT(FAILED),
	OUT_RIGHT_AS(NODE_SIZE, "NODE-BYTES"),
	OUT_RIGHT(FAMILY),
	{}
};

static void show_one(struct hcctl *h, const void *v)
{
	const struct nl_fabric *f = v;
	char buf[OUT_BUF];

	out_object(h, NULL);
	out_cell(h, NAME);
	cmd_out_name(h, "name", f->name);
	out_number(h, ID, "id", f->id);
	if (f->dim)
		out_number(h, DIM, "dim", f->dim);
	else
		out_cell(h, DIM);
	if (*f->shape)
		out_str(h, "shape", f->dim ? NULL : "%s", f->shape);
	out_number(h, NODES, "nodes", f->nodes);
	out_uint(h, "ports", NULL, f->ports);
	out_cell(h, SUBCUBE);
	if (f->subcube_mask)
		out_str(h, "subcube", "%s",
			cmd_part_text(buf, f->dim, f->subcube_mask, f->subcube_value));
	if (f->subcube_mask)
		out_uint(h, "trunks_ended", NULL, f->trunks_ended);
	out_number(h, SEGMENT, "segment", f->segment);
	out_number(h, FAMILY, "family", f->family);
	out_number(h, DOWN, "links_down", f->links_down);
	out_number(h, FAILED, "nodes_failed", f->nodes_failed);
	out_number(h, NODE_SIZE, "node_size", f->node_size);
	out_uint(h, "dev_size", "+%" PRIu64, f->dev_size);
	out_uint(h, "index", NULL, f->index);
	out_cell(h, STALL_TIMEOUT);
	out_uint(h, "stall_timeout", NULL, f->stall_timeout);
	out_text(h, "%s", f->stall_timeout ?
		 out_exact_time(buf, f->stall_timeout * UINT64_C(1000000)) : "forever");
	out_close(h);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *name = NULL;
	struct nl_fabric *v = NULL;
	size_t n = 1;
	int rc;

	if (argc) {
		name = hc_take_fabric(h, &argc, &argv);
		if (!name || hc_take_end(h, argc, argv))
			return HC_USAGE;
		v = calloc(1, sizeof(*v));
		rc = v ? nl_fabric(h, name, v) : hc_nomem(h);
	} else {
		rc = nl_fabrics(h, &v, &n);
	}
	return cmd_out_rows(h, rc, columns, v, n, sizeof(*v), show_one);
}

const struct hc_cmd fabric_cmds[] = {
	{ "add", add,
	  "NAME { dim N [nodes SUBCUBE] | " NET_WORDS " }\n"
	  "          [id ID] [segment BYTES]\n"
	  "          [netns-each PREFIX [address NETWORK/LENGTH]]" },
	{ "del", del, "NAME" },
	{ "set", set, "NAME stall-timeout { TIME | forever }" },
	{ "show", show, "[NAME]" },
	{ "save", cmd_fabric_save, "NAME" },
	{ "restore", cmd_fabric_restore, "FILE [NAME] [dry-run] [keep-plans]" },
	{}
};
