// SPDX-License-Identifier: GPL-2.0
/*
 * Getting the state of a live fabric. It is read from the kernel. For the state of endpoints, this
 * file enters the network namespaces in which they are, as far as these have names.
 */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

#define NETNS_DIR "/var/run/netns"

/* The search for the state of endpoints. @here: for each node, whether its endpoint is in the
 * current namespace.
 */
struct looking {
	struct state *s;
	bool *here;
};

/* --- what no file can hold --- */

/* Add the sentence @text to @s->unkept: it names a property of the fabric that a file cannot hold.
 * @text is freed with @s.
 */
static int note(struct hcctl *h, struct state *s, char *text)
{
	char **more = text ? reallocarray(s->unkept, s->nunkept + 1, sizeof(*more)) : NULL;

	if (!more) {
		free(text);
		return hc_nomem(h);
	}
	s->unkept = more;
	more[s->nunkept++] = text;
	return 0;
}

/* If the address has attributes that a file cannot hold, add a sentence that names them to
 * @s->unkept.
 */
static int note_addr(struct hcctl *h, struct state *s, uint32_t u, const struct nl_addr *a)
{
	static const char * const names[] = {
		"peer", "broadcast address", "scope", "label", "lifetime", "metric", "flags",
	};
	char list[128] = "", buf[STATE_ADDR_BUF], *text;
	size_t i, len = 0;

	for (i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (a->beside & 1u << i)
			len += snprintf(list + len, sizeof(list) - len, "%s%s", len ? ", " : "",
					names[i]);
	if (!len)
		return 0;
	if (asprintf(&text, "node %u, address %s: %s", u, state_addr(buf, &a->addr), list) < 0)
		text = NULL;
	return note(h, s, text);
}

/* If the endpoint was renamed, add a sentence to @s->unkept, because a file cannot hold names of
 * endpoints.
 */
static int note_name(struct hcctl *h, struct state *s, uint32_t u)
{
	char name[32], *text;

	snprintf(name, sizeof(name), "%sn%u", s->name, u);
	if (!*s->node[u].ifname || !strcmp(s->node[u].ifname, name))
		return 0;
	if (asprintf(&text, "node %u: the name %s of its endpoint", u, s->node[u].ifname) < 0)
		text = NULL;
	return note(h, s, text);
}

/* --- endpoints --- */

static int take_addrs(struct hcctl *h, struct state *s, uint32_t u, uint32_t index,
		      const struct nl_addr *v, size_t n)
{
	int rc = 0;
	size_t i;

	for (i = 0; !rc && i < n; i++)
		if (v[i].index == index)
			rc = state_add_addr(h, &s->node[u], &v[i].addr) ?:
			     note_addr(h, s, u, &v[i]);
	return rc;
}

static int look_at(struct hcctl *h, struct looking *l, const struct nl_dev *dev,
		   const struct nl_addr *addrs, size_t n)
{
	struct state_node *v;
	uint32_t u;

	for (u = 0; u < l->s->topo.nodes; u++)
		if (l->here[u] && !strcmp(dev->name, l->s->node[u].ifname))
			break;
	if (u == l->s->topo.nodes)
		return 0;
	v = &l->s->node[u];
	v->up = dev->up;
	v->mtu = dev->mtu;
	v->queue = dev->queue;
	return note_name(h, l->s, u) ?: take_addrs(h, l->s, u, dev->index, addrs, n);
}

/* Get the state of the endpoints that are in the current namespace. */
static int look(struct hcctl *h, struct looking *l)
{
	struct nl_addr *addrs = NULL;
	struct nl_dev *devs = NULL;
	size_t n = 0, naddrs = 0, i;
	int rc = nl_devs(h, &devs, &n) ?: nl_addrs(h, &addrs, &naddrs);

	for (i = 0; !rc && i < n; i++)
		rc = look_at(h, l, &devs[i], addrs, naddrs);
	free(devs);
	free(addrs);
	return rc;
}

/* --- namespaces --- */

static int look_in(struct hcctl *h, struct looking *l, const struct nl_node *nodes,
		   const char *name, int home)
{
	bool any = false;
	char path[256];
	int fd, id, rc = 0;
	uint32_t u;

	fd = nl_netns_open(name, path, sizeof(path));
	if (fd < 0)
		return 0;
	id = nl_netns_id(h, fd);
	for (u = 0; !rc && u < l->s->topo.nodes; u++) {
		l->here[u] = id >= 0 && l->s->node[u].lost && nodes[u].netnsid == id;
		if (!l->here[u])
			continue;
		any = true;
		l->s->node[u].lost = false;
		l->s->node[u].netns = strdup(name);
		rc = l->s->node[u].netns ? 0 : hc_nomem(h);
	}
	if (!rc && any) {
		rc = cmd_netns_go(h, fd, name) ?: look(h, l);
		rc = cmd_netns_go(h, home, "this process came from") ?: rc;
	}
	close(fd);
	return rc;
}

static int look_everywhere(struct hcctl *h, struct looking *l, const struct nl_node *nodes)
{
	int home = cmd_netns_home(h), rc = 0;
	struct dirent *entry;
	DIR *dir;

	if (home < 0)
		return -EIO;
	dir = opendir(NETNS_DIR);
	while (!rc && dir && (entry = readdir(dir)))
		if (*entry->d_name != '.')
			rc = look_in(h, l, nodes, entry->d_name, home);
	if (dir)
		closedir(dir);
	close(home);
	return rc;
}

static int take_endpoints(struct hcctl *h, struct state *s, const struct nl_node *nodes)
{
	struct looking l = { .s = s, .here = calloc(s->topo.nodes, sizeof(*l.here)) };
	bool elsewhere = false;
	uint32_t u;
	int rc;

	if (!l.here)
		return hc_nomem(h);
	for (u = 0; u < s->topo.nodes; u++) {
		l.here[u] = nodes[u].ifindex && !nodes[u].elsewhere;
		s->node[u].lost = nodes[u].ifindex && nodes[u].elsewhere;
		elsewhere |= s->node[u].lost;
	}
	rc = look(h, &l);
	if (!rc && elsewhere)
		rc = look_everywhere(h, &l, nodes);
	free(l.here);
	return rc;
}

/* --- state from the kernel --- */

static void take_node(struct state_node *v, const struct nl_node *from)
{
	v->failed = from->failed;
	v->owner = from->owner;
	v->byzantine = cmd_byzantine_of(from);
	snprintf(v->ifname, sizeof(v->ifname), "%s", from->ifname);
}

/* Get the state of a link end. A link that DETECT has found silent is recorded as down, because a
 * file cannot hold more. Whether a flapping link is down at the moment is ignored, because that
 * follows from its schedule.
 */
static void take_link(struct state_end *e, const struct nl_link *v)
{
	*e = (struct state_end){
		.down = !v->flap_period && v->state & (HYPERCUBE_LINK_F_DOWN |
						       HYPERCUBE_LINK_F_DETECTED),
		.flap_down = v->flap_period ? v->flap_down : 0, .flap_period = v->flap_period,
	};
	state_end_take(e, v);
}

/* Get the state of all link ends. A link that is down at one end, because DETECT has marked it only
 * there, is recorded as down at both ends.
 */
static void take_links(struct state *s, const struct nl_link *v, size_t n)
{
	uint32_t u, d;
	bool down;
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].node < s->topo.nodes && v[i].dim < s->topo.ports)
			take_link(state_end(s, v[i].node, v[i].dim), &v[i]);
	for (u = 0; u < s->topo.nodes; u++)
		for (d = 0; d < s->topo.ports; d++) {
			down = state_end(s, hc_peer(&s->topo, u, d), d)->down;
			state_end(s, u, d)->down |= down;
		}
}

int state_live(struct hcctl *h, const char *fabric, bool endpoints, struct state *s)
{
	struct cmd_state now;
	size_t i;
	int rc;

	*s = (struct state){};
	rc = cmd_state(h, fabric, &now);
	if (!rc) {
		snprintf(s->name, sizeof(s->name), "%s", now.info.name);
		s->dim = now.info.dim;
		snprintf(s->shape, sizeof(s->shape), "%s", now.info.shape);
		rc = live_topo(h, &now.info, now.nodes, now.n_nodes, &s->topo);
		s->peer = (uint16_t *)s->topo.peers;
		s->id = now.info.id == hc_name_id(s->name) ? 0 : now.info.id;
		s->segment = now.info.segment;
		s->fixed = now.info.subcube_mask;
		s->base = now.info.subcube_value;
		rc = rc ?: state_init(h, s);
		s->stall_timeout = now.info.stall_timeout;
	}
	for (i = 0; !rc && i < now.n_nodes && i < s->topo.nodes; i++)
		take_node(&s->node[i], &now.nodes[i]);
	if (!rc && now.n_nodes != s->topo.nodes) {
		hc_error(h, "fabric %s changes too fast to be read", fabric);
		rc = -EAGAIN;
	}
	if (!rc) {
		take_links(s, now.links, now.n_links);
		rc = nl_plans(h, fabric, &s->plan, &s->nplans);
		if (!rc && endpoints)
			rc = take_endpoints(h, s, now.nodes);
	}
	cmd_state_free(&now);
	return rc;
}
