// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl fabric: add, remove and list hypercubes.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

static int arg_id(struct hcctl *h, const char *name, const char *word, void *dst)
{
	int rc = arg_u32(h, name, word, dst);
	uint32_t id = *(uint32_t *)dst;

	if (!rc && (!id || id > HYPERCUBE_FABRIC_ID_MAX))
		return hc_invalid(h, name, word, "1 to 65535 is wanted");
	return rc;
}

static int add(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv);
	struct nl_fabric_new f = { .name = name };
	const char *prefix = NULL, *part = "";
	struct nl_addr_in addr = {};
	struct arg args[] = {
		{ "dim", arg_dim, &f.dim, .required = true },
		{ "nodes", arg_str, &part },
		{ "id", arg_id, &f.id },
		{ "segment", arg_count, &f.segment },
		{ "netns-each", cmd_arg_prefix, &prefix },
		{ "address", cmd_arg_address, &addr },
		{}
	};
	int rc;

	if (!name)
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv);
	if (!rc && f.dim > HYPERCUBE_DIM_MAX) {
		hc_error(h, "dim %u: the kernel has no fabrics beyond dimension %d", f.dim,
			 HYPERCUBE_DIM_MAX);
		return HC_USAGE;
	}
	if (!rc && addr.family && !prefix)
		rc = hc_missing(h, "\"netns-each\" to go with \"address\"");
	rc = rc ?: cmd_part(h, part, f.dim, &f.fixed, &f.base) ?:
	     cmd_check_address(h, &addr, f.dim);
	if (!rc && prefix)
		rc = cmd_netns_fabric(h, &(struct netns_fabric){ f, prefix, &addr });
	else
		rc = rc ?: nl_fabric_add(h, &f);
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
	/* If something was interrupted, the fabric may no longer exist. */
	if (!rc && !(names.orphans && names.n))
		rc = nl_fabric_del(h, name);
	cmd_netns_drop(&names, !rc);
	return rc;
}

/* ms; 0 is for ever */
static int arg_patience(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t ns = 0;

	if (strcmp(word, "forever") && arg_time(h, name, word, &ns))
		return HC_USAGE;
	if (ns % 1000000)
		return hc_invalid(h, name, word,
				  "whole milliseconds are wanted, 1ms at least, or \"forever\"");
	if (ns > HYPERCUBE_PATIENCE_MAX * UINT64_C(1000000))
		return hc_invalid(h, name, word, "at most a day is wanted");
	*(uint32_t *)dst = ns / 1000000;
	return 0;
}

static int set(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv);
	uint32_t patience = 0;
	struct arg args[] = {
		{ "patience", arg_patience, &patience, .required = true },
		{}
	};
	int rc = name ? hc_args(h, args, argc, argv) : HC_USAGE;

	return rc ?: nl_fabric_patience(h, name, patience);
}

enum { NAME, ID, DIM, NODES, PART, SEGMENT, PATIENCE, DOWN, FAILED, NODE_SIZE, FAMILY };

static const struct out_column columns[] = {
	OUT_LEFT(NAME),
	OUT_RIGHT(ID),
	OUT_RIGHT(DIM),
	OUT_RIGHT(NODES),
	OUT_LEFT(PART),
	OUT_RIGHT(SEGMENT),
	OUT_RIGHT(PATIENCE),
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
	out_number(h, DIM, "dim", f->dim);
	out_number(h, NODES, "nodes", hc_nodes(f->dim));
	out_cell(h, PART);
	if (f->fixed)
		out_str(h, "part", "%s", cmd_part_text(buf, f->dim, f->fixed, f->base));
	if (f->fixed)
		out_uint(h, "trunks_ended", NULL, f->trunks_ended);
	out_number(h, SEGMENT, "segment", f->segment);
	out_number(h, FAMILY, "family", f->family);
	out_number(h, DOWN, "links_down", f->links_down);
	out_number(h, FAILED, "nodes_failed", f->nodes_failed);
	out_number(h, NODE_SIZE, "node_size", f->node_size);
	out_uint(h, "dev_size", "+%" PRIu64, f->dev_size);
	out_uint(h, "index", NULL, f->index);
	out_cell(h, PATIENCE);
	out_uint(h, "patience", NULL, f->patience);
	out_text(h, "%s", f->patience ?
		 out_exact_time(buf, f->patience * UINT64_C(1000000)) : "forever");
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
	  "NAME dim N [nodes SUBCUBE] [id ID] [segment BYTES]\n"
	  "          [netns-each PREFIX [address NETWORK/LENGTH]]" },
	{ "del", del, "NAME" },
	{ "set", set, "NAME patience { TIME | forever }" },
	{ "show", show, "[NAME]" },
	{ "save", cmd_fabric_save, "NAME" },
	{ "restore", cmd_fabric_restore, "FILE [NAME] [dry-run] [keep-plans]" },
	{}
};
