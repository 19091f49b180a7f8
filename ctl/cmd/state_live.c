// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a fabric that there is: from the kernel, and of its endpoints from the network
 * namespaces that they are in, as far as these have names.
 */
#include <dirent.h>
#include <errno.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "state.h"

#define NETNS_DIR "/var/run/netns"

/* Where we look for endpoints: those of @here are in this namespace. */
struct looking {
	struct state *s;
	bool *here;
};

/* --- addresses --- */

static unsigned int prefix_of(const struct sockaddr *mask, int family)
{
	const uint8_t *bytes = family == AF_INET ?
		(const uint8_t *)&((const struct sockaddr_in *)mask)->sin_addr :
		(const uint8_t *)&((const struct sockaddr_in6 *)mask)->sin6_addr;
	unsigned int bits = 0, max = family == AF_INET ? 32 : 128;

	while (bits < max && bytes[bits / 8] >> (7 - bits % 8) & 1)
		bits++;
	return bits;
}

/* False: it is none that somebody has given to the interface. */
static bool addr_of(const struct ifaddrs *i, struct nl_addr_in *a)
{
	const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)i->ifa_addr;
	int family = i->ifa_addr ? i->ifa_addr->sa_family : 0;

	memset(a, 0, sizeof(*a));
	if ((family != AF_INET && family != AF_INET6) || !i->ifa_netmask)
		return false;
	if (family == AF_INET6 && IN6_IS_ADDR_LINKLOCAL(&v6->sin6_addr))
		return false;
	a->family = family;
	a->prefix = prefix_of(i->ifa_netmask, family);
	if (family == AF_INET6)
		memcpy(a->bytes, &v6->sin6_addr, 16);
	else
		memcpy(a->bytes, &((struct sockaddr_in *)i->ifa_addr)->sin_addr, 4);
	return true;
}

/* An IPv4 address may have a label behind the name. */
static bool is_of(const struct ifaddrs *i, const char *ifname)
{
	size_t len = strlen(ifname);

	return !strncmp(i->ifa_name, ifname, len) &&
	       (!i->ifa_name[len] || i->ifa_name[len] == ':');
}

static int look_at(struct hcctl *h, struct looking *l, const struct ifaddrs *i)
{
	struct nl_addr_in addr;
	struct state_node *v;
	uint32_t u;

	for (u = 0; u < hc_nodes(l->s->dim); u++)
		if (l->here[u] && is_of(i, l->s->node[u].ifname))
			break;
	if (u == hc_nodes(l->s->dim))
		return 0;
	v = &l->s->node[u];
	v->up |= !!(i->ifa_flags & IFF_UP);
	return addr_of(i, &addr) ? state_add_addr(h, v, &addr) : 0;
}

/* The endpoints in the namespace that the process is in. */
static int look(struct hcctl *h, struct looking *l)
{
	struct ifaddrs *all, *i;
	int rc = 0;

	if (getifaddrs(&all)) {
		hc_error(h, "cannot list addresses: %s", strerror(errno));
		return -EIO;
	}
	for (i = all; i && !rc; i = i->ifa_next)
		rc = look_at(h, l, i);
	freeifaddrs(all);
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
	for (u = 0; !rc && u < hc_nodes(l->s->dim); u++) {
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
	struct looking l = { .s = s, .here = calloc(hc_nodes(s->dim), sizeof(*l.here)) };
	bool elsewhere = false;
	uint32_t u;
	int rc;

	if (!l.here)
		return hc_nomem(h);
	for (u = 0; u < hc_nodes(s->dim); u++) {
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

/* --- what the kernel says --- */

static void take_node(struct state_node *v, const struct nl_node *from)
{
	v->failed = from->failed;
	v->owner = from->owner;
	v->lie = from->lie;
	snprintf(v->ifname, sizeof(v->ifname), "%s", from->ifname);
}

/* A link that was found silent can only be restored as one that is down; a link that flaps is in
 * the state that its schedule says.
 */
static void take_link(struct state_end *e, const struct nl_link *v)
{
	*e = (struct state_end){
		.down = !v->flap_period && v->state & (HYPERCUBE_LINK_F_DOWN |
						       HYPERCUBE_LINK_F_DETECTED),
		.flap_down = v->flap_period ? v->flap_down : 0, .flap_period = v->flap_period,
		.latency = v->latency, .bandwidth = v->bandwidth, .imp = v->imp,
		.seeded = state_uses_seed(&v->imp),
	};
}

/* DETECT may have marked only one end. */
static void take_links(struct state *s, const struct nl_link *v, size_t n)
{
	uint32_t u, d;
	bool down;
	size_t i;

	for (i = 0; i < n; i++)
		if (v[i].node < hc_nodes(s->dim) && v[i].dim < s->dim)
			take_link(state_end(s, v[i].node, v[i].dim), &v[i]);
	for (u = 0; u < hc_nodes(s->dim); u++)
		for (d = 0; d < s->dim; d++) {
			down = state_end(s, hc_neigh(u, d), d)->down;
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
		s->id = now.info.id == hc_name_id(s->name) ? 0 : now.info.id;
		s->segment = now.info.segment;
		s->fixed = now.info.fixed;
		s->base = now.info.base;
		rc = state_init(h, s);
		s->patience = now.info.patience;
	}
	for (i = 0; !rc && i < now.n_nodes && i < hc_nodes(s->dim); i++)
		take_node(&s->node[i], &now.nodes[i]);
	if (!rc && now.n_nodes != hc_nodes(s->dim)) {
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
