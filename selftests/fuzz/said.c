// SPDX-License-Identifier: GPL-2.0
/*
 * Injects single frames as if a neighbour had sent them, and checks the consequences.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "said.h"

#define WAIT_MS	20000
/* The lowest rate that a link can have, in bytes per second. */
#define MUTE_RATE	32000

struct said said = { .inject = -1 };

/* --- sending --- */

void *part_begin(struct frame *f, unsigned int node, unsigned int dim, unsigned int type,
		 unsigned int plan)
{
	frame_begin(f, type);
	f->rec.node = node;
	f->rec.dim = dim;
	f->rec.flags = HC_INJECT_F_SEQ;
	if (frame_plan(f))
		frame_plan(f)->plan = htonl(plan);
	return frame_part(f);
}

void routed(struct frame *f, unsigned int src, unsigned int dst, const unsigned char *way,
	    unsigned int hops)
{
	struct hc_hdr *h = frame_hdr(f);
	unsigned char area[16] = { 0 };
	unsigned int i;

	for (i = 0; i < hops; i++)
		area[i / 2] |= way[i] << (i % 2 ? 0 : 4);
	f->says |= SAY_ENDS;
	h->flags |= HC_FRAME_F_ROUTED;
	h->src = htons(src);
	h->dst = htons(dst);
	h->walk = htons(hops);
	if (hops)
		frame_lead(f, area, sizeof(area));
}

int say_all(const struct frame *f, unsigned int n)
{
	static char buf[HC_INJECT_MAX];
	static struct batch b;
	size_t len = batch_head(&said.m, buf);
	unsigned int i;

	b.n = n;
	for (i = 0; i < n; i++) {
		b.frame[i] = f[i];
		b.frame[i].rec.flags |= i + 1 < n ? HC_INJECT_F_MORE : 0;
	}
	len += batch_fill(&b, &said.m, buf + len);
	if (write(said.inject, buf, len) >= 0)
		return 0;
	fz_note("a frame is refused: %s", strerror(errno));
	return -errno;
}

/* Limit the rate of the link, and queue datagrams that need @ms at this rate. Frames that are sent
 * later wait behind these datagrams, although the link's rate is not limited for them.
 */
bool mute(unsigned int node, unsigned int dim, unsigned int ms)
{
	struct sockaddr_hypercube a = shc_addr(said.c.name, node ^ 1u << dim);
	unsigned int sent = 0, all = ms / 1000 * MUTE_RATE;
	int room = all * 2, fd = shc_bound(said.c.name, node, SOCK_DGRAM);
	static const char load[1000];

	if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &room, sizeof(room)) ||
	    ctl_link_rate(said.c.name, node, dim, MUTE_RATE))
		return false;
	while (sent < all && sendto(fd, load, sizeof(load), 0, (struct sockaddr *)&a,
				    sizeof(a)) == sizeof(load))
		sent += sizeof(load);
	close(fd);
	return !ctl_link_rate(said.c.name, node, dim, 0) && sent >= all;
}

bool mute_end(void)
{
	struct link_sums s = { 0 };
	uint64_t end = fz_ms() + 3 * WAIT_MS;

	while (!ctl_link_sums(said.c.name, &s) && s.queued && fz_ms() < end)
		usleep(10000);
	if (s.queued)
		fz_note("%llu frames wait for a link", (unsigned long long)s.queued);
	return !s.queued;
}

int say(const struct frame *f)
{
	return say_all(f, 1);
}

/* --- consequences --- */

/* A drop counter to be read: its nested attribute, its reason, and its value. */
struct drops {
	int nest;
	int reason;
	uint64_t n;
};

static void drops_take(void *arg, const struct nl_attrs *a)
{
	struct drops *d = arg;
	const struct nlattr *nest = nl_find(a, d->nest, 0);
	struct nl_attrs in = { 0 };

	if (!nest)
		return;
	in.first = (const struct nlattr *)((const char *)nest + NLA_HDRLEN);
	in.len = nest->nla_len - NLA_HDRLEN;
	d->n = nl_get_u64(&in, d->reason, 0);
}

uint64_t node_drops(unsigned int node, int reason)
{
	struct drops d = { HYPERCUBE_A_NODE_DROPS, reason, 0 };

	nl_begin(ctl(), HYPERCUBE_CMD_NODE_GET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_NODE_FABRIC, said.c.name);
	nl_u32(ctl(), HYPERCUBE_A_NODE_ID, node);
	nl_talk(ctl(), drops_take, &d);
	return d.n;
}

static void link_get(unsigned int node, unsigned int dim, nl_cb take, void *arg)
{
	nl_begin(ctl(), HYPERCUBE_CMD_LINK_GET, NLM_F_ACK);
	nl_str(ctl(), HYPERCUBE_A_LINK_FABRIC, said.c.name);
	nl_u32(ctl(), HYPERCUBE_A_LINK_NODE, node);
	nl_u32(ctl(), HYPERCUBE_A_LINK_DIM, dim);
	nl_talk(ctl(), take, arg);
}

uint64_t link_drops(unsigned int node, unsigned int dim, int reason)
{
	struct drops d = { HYPERCUBE_A_LINK_DROPS, reason, 0 };

	link_get(node, dim, drops_take, &d);
	return d.n;
}

static void frames_take(void *arg, const struct nl_attrs *a)
{
	*(uint64_t *)arg = nl_get_u64(a, HYPERCUBE_A_LINK_TX_FRAMES, 0);
}

uint64_t link_frames(unsigned int node, unsigned int dim)
{
	uint64_t n = 0;

	link_get(node, dim, frames_take, &n);
	return n;
}

bool link_drops_are(unsigned int node, unsigned int dim, int reason, uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;

	while (link_drops(node, dim, reason) < n && fz_ms() < end)
		usleep(1000);
	return link_drops(node, dim, reason) == n;
}

bool node_drops_are(unsigned int node, int reason, uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;

	while (node_drops(node, reason) < n && fz_ms() < end)
		usleep(1000);
	return node_drops(node, reason) == n;
}

int end_of(unsigned int node, struct hypercube_result *res)
{
	uint64_t end = fz_ms() + WAIT_MS;
	static char buf[4096];
	bool eor;

	while (fz_ms() < end) {
		if (shc_recv(said.c.fd[node], buf, sizeof(buf), res, &eor, MSG_DONTWAIT) >= 0) {
			if (eor)
				return res->status;
			continue;
		}
		usleep(10000);
	}
	return -ETIMEDOUT;
}

bool contribute(unsigned int node, unsigned int plan, unsigned int collective,
		size_t total, size_t len)
{
	static char zero[1 << 14];
	bool sums = collective == HYPERCUBE_REDUCE || collective == HYPERCUBE_ALLREDUCE;
	struct hypercube_op op = {
		.plan = plan, .collective = collective, .bytes = total,
		.oper = sums ? HYPERCUBE_SUM : 0, .type = sums ? HYPERCUBE_U64 : 0,
	};

	return shc_send(said.c.fd[node], &op, zero, len, MSG_DONTWAIT) == (ssize_t)len;
}

unsigned int below_sink(unsigned int stage)
{
	return said.c.plan.tree.sink ^ 1u << said.c.plan.tree.order[stage];
}

struct hc_wire_data *data(struct frame *f, unsigned int node, unsigned int dim,
			  unsigned int plan, unsigned int stage, unsigned int collective)
{
	struct hc_wire_data *w = part_begin(f, node, dim, HC_FRAME_DATA, plan);

	w->collective = collective;
	w->stage = stage;
	if (collective == HYPERCUBE_REDUCE || collective == HYPERCUBE_ALLREDUCE) {
		w->oper = HYPERCUBE_SUM;
		w->dtype = HYPERCUBE_U64;
	}
	return w;
}
