// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that several commands share.
 */
#include <errno.h>
#include <inttypes.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd.h"

int cmd_state(struct hcctl *h, const char *fabric, struct cmd_state *s)
{
	int rc;

	*s = (struct cmd_state){};
	rc = nl_fabric(h, fabric, &s->info) ?: nl_nodes(h, fabric, &s->nodes, &s->n_nodes);
	return rc ?: nl_links(h, fabric, &s->links, &s->n_links);
}

void cmd_state_free(struct cmd_state *s)
{
	free(s->nodes);
	free(s->links);
}

int cmd_each(struct hcctl *h, size_t n, int (*one)(struct hcctl *h, size_t i, void *arg),
	     void (*say)(char *text, size_t size, size_t i, const void *arg), void *arg)
{
	char text[64];
	struct hc_where at = { .text = text };
	int rc = 0, len;
	size_t i;

	if (n == 1)
		return one(h, 0, arg);
	/* The error message has the number of the element, which shows that the elements before it
	 * were handled.
	 */
	hc_enter(h, &at);
	for (i = 0; i < n && !rc; i++) {
		say(text, sizeof(text) / 2, i, arg);
		len = strlen(text);
		snprintf(text + len, sizeof(text) - len, ", number %zu of %zu", i + 1, n);
		rc = one(h, i, arg);
	}
	hc_leave(h, &at);
	return rc;
}

int cmd_links_each(struct hcctl *h, const char *fabric, struct link_list *l, bool both_ends)
{
	struct nl_fabric info;
	struct hc_extent c;
	struct nl_node *v;
	size_t i = 0, n;
	int err;

	while (i < l->n && l->v[i].dim < LINK_TO(0) && l->v[i].node != NODE_ALL)
		i++;
	if (i == l->n)
		return 0;
	err = nl_fabric(h, fabric, &info);
	if (err)
		return err;
	c = (struct hc_extent){
		.fixed = info.subcube_mask, .base = info.subcube_value, .both_ends = both_ends,
	};
	err = live_nodes(h, fabric, &c.topo, &v, &n);
	if (err)
		return err;
	err = hc_links_each(h, l, &c);
	live_topo_free(&c.topo);
	free(v);
	return err;
}

void cmd_out_network(struct hcctl *h, const struct nl_fabric *f)
{
	if (f->dim) {
		out_uint(h, "dim", " dim %" PRIu64, f->dim);
		return;
	}
	out_str(h, "shape", " %s", f->shape);
	out_text(h, " nodes %u", f->nodes);
}

int cmd_take_node(struct hcctl *h, int *argc, char ***argv, uint32_t *node)
{
	*node = NL_NONE;
	if (!*argc)
		return 0;
	--*argc;
	return arg_node(h, "node", *(*argv)++, node);
}

int cmd_out_rows(struct hcctl *h, int rc, const struct out_column *columns, void *v, size_t n,
		 size_t size, void (*one)(struct hcctl *h, const void *v))
{
	size_t i;

	if (!rc) {
		out_table(h, columns);
		out_array(h, NULL);
		for (i = 0; i < n; i++)
			one(h, (const char *)v + i * size);
		out_table_end(h);
		out_close(h);
	}
	free(v);
	return rc;
}

void cmd_out_link(struct hcctl *h, const char *key, const char *lead, struct link_ref l)
{
	out_text(h, "%s", lead);
	out_object(h, key);
	out_uint(h, "node", "%" PRIu64, l.node);
	out_uint(h, "dim", ":%" PRIu64, l.dim);
	out_close(h);
}

void cmd_out_pair(struct hcctl *h, const char *lead, const char *key, uint64_t v,
		  const char *mark, const char *key2, uint64_t v2)
{
	out_text(h, "%s", lead);
	out_object(h, NULL);
	out_uint(h, key, "%" PRIu64, v);
	out_text(h, "%s", mark);
	out_uint(h, key2, "%" PRIu64, v2);
	out_close(h);
}

void cmd_out_path(struct hcctl *h, const struct hc_topo *topo, const char *key, const char *first,
		  uint32_t at, const uint8_t *dims, unsigned int hops)
{
	unsigned int i;

	out_array(h, key);
	out_uint(h, NULL, first, at);
	for (i = 0; i < hops; i++) {
		at = hc_peer(topo, at, dims[i]);
		out_uint(h, NULL, ",%" PRIu64, at);
	}
	out_close(h);
}

void cmd_out_cause(struct hcctl *h, uint32_t node, uint32_t dim)
{
	if (node != NL_NONE)
		out_uint(h, "cause_node", " by %" PRIu64, node);
	if (dim != NL_NONE)
		out_uint(h, "cause_dim", ":%" PRIu64, dim);
}

void cmd_out_failed(struct hcctl *h, const char *lead, uint32_t node, uint32_t dim, int status)
{
	out_text(h, "%s", lead);
	cmd_out_cause(h, node, dim);
	out_str(h, "error", ": %s", strerror(-status));
}

void cmd_out_set(struct hcctl *h, const char *key, const char *lead,
		 const uint32_t *set, uint32_t nodes)
{
	const char *comma = lead;
	uint32_t u;

	out_array(h, key);
	for (u = 0; u < nodes; u++) {
		if (!hc_set_has(set, u))
			continue;
		out_text(h, "%s", comma);
		out_uint(h, NULL, "%" PRIu64, u);
		comma = ",";
	}
	out_close(h);
}

void cmd_out_faults(struct hcctl *h, const struct hc_faults *f)
{
	uint32_t u, v, n = f->topo.nodes;
	unsigned int d;

	if (!h->json)
		return;
	out_array(h, "fail_links");
	for (u = 0; u < n; u++)
		for (d = 0; d < f->topo.ports; d++) {
			v = hc_peer(&f->topo, u, d);
			if (u < v && f->fault[u] & hc_bit(d) &&
			    !hc_set_has(f->dead, u) && !hc_set_has(f->dead, v))
				cmd_out_link(h, NULL, "", (struct link_ref){ u, d });
		}
	out_close(h);
	cmd_out_set(h, "fail_nodes", "", f->dead, n);
}

int cmd_subcube(struct hcctl *h, const char *word, unsigned int dim, uint32_t *dims,
		uint32_t *base)
{
	unsigned int d;

	*dims = 0;
	*base = 0;
	if (strlen(word) != dim)
		return hc_invalid(h, "subcube", word, "one character for each dimension is wanted");
	for (d = 0; d < dim; d++) {
		switch (word[dim - 1 - d]) {
		case 'X':
		case 'x':
		case '*':
			*dims |= hc_bit(d);
			break;
		case '1':
			*base |= hc_bit(d);
			break;
		case '0':
			break;
		default:
			return hc_invalid(h, "subcube", word,
					  "0, 1 and X for a free dimension are wanted");
		}
	}
	return 0;
}

int cmd_part(struct hcctl *h, const char *word, unsigned int dim, uint32_t *fixed, uint32_t *base)
{
	uint32_t dims = hc_ones(dim);
	int rc = 0;

	*base = 0;
	if (*word)
		rc = cmd_subcube(h, word, dim, &dims, base);
	*fixed = hc_ones(dim) & ~dims;
	return rc;
}

const char *cmd_part_text(char *buf, unsigned int dim, uint32_t fixed, uint32_t base)
{
	return out_subcube(buf, base, hc_ones(dim) & ~fixed, dim);
}

uint32_t cmd_set_count(const uint32_t *set, uint32_t nodes)
{
	uint32_t u, n = 0;

	for (u = 0; u < nodes; u++)
		n += hc_set_has(set, u);
	return n;
}

void cmd_out_name(struct hcctl *h, const char *key, const char *name)
{
	out_color(h, OUT_NAME);
	out_str(h, key, "%s", name);
	out_color(h, OUT_PLAIN);
}

void cmd_out_order(struct hcctl *h, const char *key, const char *lead,
		   const uint8_t *order, unsigned int stages)
{
	unsigned int i;

	out_text(h, "%s", lead);
	out_array(h, key);
	for (i = 0; i < stages; i++) {
		out_text(h, "%s", i ? "," : "");
		out_uint(h, NULL, "%" PRIu64, order[i]);
	}
	out_close(h);
}

void cmd_out_drops(struct hcctl *h, const uint64_t *drops)
{
	char fallback[32];
	const char *name;
	unsigned int i;

	out_object(h, "drops");
	for (i = 1; i < NL_DROPS; i++) {
		if (!drops[i])
			continue;
		name = nl_drop_name(i);
		if (!name) {
			snprintf(fallback, sizeof(fallback), "reason-%u", i);
			name = fallback;
		}
		out_text(h, " %s", name);
		out_uint(h, name, " %" PRIu64, drops[i]);
	}
	out_close(h);
}

void cmd_out_state(struct hcctl *h, uint32_t state)
{
	static const struct {
		uint32_t bit;
		const char *name;
	} names[] = {
		{ HYPERCUBE_LINK_F_DOWN, "down" },
		{ HYPERCUBE_LINK_F_DETECTED, "detected" },
		{ HYPERCUBE_LINK_F_FAILED, "failed" },
		{ HYPERCUBE_LINK_F_NO_CARRIER, "carrier" },
		{ HYPERCUBE_LINK_F_SPENT, "spent" },
	};
	const char *comma = "";
	unsigned int i;

	out_array(h, "state");
	out_color(h, state ? OUT_BAD : OUT_GOOD);
	for (i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (!(state & names[i].bit))
			continue;
		out_text(h, "%s", comma);
		out_str(h, NULL, "%s", names[i].name);
		comma = ",";
	}
	if (!state)
		out_text(h, "up");
	out_color(h, OUT_PLAIN);
	out_close(h);
}

void cmd_out_tasks(struct hcctl *h, const uint64_t *tasks)
{
	static const struct {
		unsigned int attr;
		const char *key, *text;
	} numbers[] = {
		{ HYPERCUBE_A_TASKS_QUEUED, "queued", " queued %" PRIu64 },
		{ HYPERCUBE_A_TASKS_HELD, "held", " held %" PRIu64 },
		{ HYPERCUBE_A_TASKS_BYTES, "bytes", NULL },
		{ HYPERCUBE_A_TASKS_PUT, "put", NULL },
		{ HYPERCUBE_A_TASKS_TAKEN, "taken", NULL },
		{ HYPERCUBE_A_TASKS_DONE, "done", " done %" PRIu64 },
		{ HYPERCUBE_A_TASKS_REDELIVERED, "redelivered", " redelivered %" PRIu64 },
		{ HYPERCUBE_A_TASKS_LOST, "lost", " lost %" PRIu64 },
		{ HYPERCUBE_A_TASKS_MOVING, "moving", " moving %" PRIu64 },
		{ HYPERCUBE_A_TASKS_SENT, "sent", " sent %" PRIu64 },
		{ HYPERCUBE_A_TASKS_RECEIVED, "received", " received %" PRIu64 },
		{ HYPERCUBE_A_TASKS_UNRESOLVED, "unresolved", " unresolved %" PRIu64 },
		{ HYPERCUBE_A_TASKS_REPLICATED, "replicated", " replicated %" PRIu64 },
		{ HYPERCUBE_A_TASKS_REPLICAS_HELD, "replicas_held", " replicas held %" PRIu64 },
		{ HYPERCUBE_A_TASKS_RECOVERED, "recovered", " recovered %" PRIu64 },
	};
	size_t i;

	out_object(h, "tasks");
	for (i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		uint64_t n = tasks[numbers[i].attr];

		out_uint(h, numbers[i].key, n ? numbers[i].text : NULL, n);
	}
	out_close(h);
}

int cmd_arg_user(struct hcctl *h, const char *name, const char *word, void *dst)
{
	struct passwd *user = getpwnam(word);

	if (user)
		*(uint32_t *)dst = user->pw_uid;
	else if (hc_number(word, UINT32_MAX - 1, dst))
		return hc_invalid(h, name, word, "a user's name or number is wanted");
	return 0;
}
