// SPDX-License-Identifier: GPL-2.0
/*
 * Trials of ring plans that repair themselves: see ring_trial.h.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

#include "ring_trial.h"

const struct trial_variant trial_variants[TRIAL_VARIANTS] = {
	{ 0, 1, false }, { 0, 1, true }, { 4, 1, false }, { 4, 1, true }, { 0, 2, false },
	{ 3, 2, true }, { 5, 3, false },
};

size_t trial_block(const struct trial *t)
{
	return (size_t)t->chunks * TRIAL_SEGMENT;
}

unsigned char trial_byte(unsigned int k, unsigned int u, size_t i)
{
	return (unsigned char)(31 * k + 7 * u + i / TRIAL_SEGMENT * 3 + i % 251);
}

bool trial_contribute(struct trial *t, unsigned int u)
{
	struct hypercube_op op = {
		.plan = TRIAL_PLAN, .collective = HYPERCUBE_ALLGATHER, .bytes = trial_block(t),
		.flags = t->notify ? HYPERCUBE_F_NOTIFY : 0,
	};
	unsigned char *own = malloc(trial_block(t));
	struct trial_process *p = &t->p[u];
	ssize_t n;
	size_t i;

	for (i = 0; i < trial_block(t); i++)
		own[i] = trial_byte(p->sent, u, i);
	op.cookie = p->sent;
	n = shc_send(t->c.fd[u], &op, own, trial_block(t), 0);
	free(own);
	p->sent++;
	return n == (ssize_t)trial_block(t);
}

/* Copy the status and the sets of members and of missing members from the control messages of a
 * record to @o.
 */
static void note(struct trial_result *o, struct msghdr *msg)
{
	struct cmsghdr *c;
	size_t set;

	for (c = CMSG_FIRSTHDR(msg); c; c = CMSG_NXTHDR(msg, c)) {
		if (c->cmsg_type == HYPERCUBE_CMSG_RESULT)
			memcpy(&o->res, CMSG_DATA(c), sizeof(o->res));
		if (c->cmsg_type != HYPERCUBE_CMSG_MISSING)
			continue;
		set = (c->cmsg_len - CMSG_LEN(0)) / 2;
		memcpy(o->members, CMSG_DATA(c), set);
		memcpy(o->missing, CMSG_DATA(c) + set, set);
		o->named = true;
	}
}

int trial_receive(struct trial *t, unsigned int u)
{
	union {
		char buf[CMSG_SPACE(sizeof(struct hypercube_result)) + CMSG_SPACE(CUBE_MAX / 4)];
		struct cmsghdr align;
	} control;
	struct trial_process *p = &t->p[u];
	size_t room = trial_block(t) * t->c.nodes;
	struct msghdr msg = { .msg_control = &control, .msg_controllen = sizeof(control.buf) };
	struct iovec iov;
	struct trial_result *o;
	ssize_t n;

	if (p->at == TRIAL_ALL)
		return 0;
	o = &p->op[p->at];
	if (!o->buf)
		o->buf = calloc(1, room);
	iov = (struct iovec){ o->buf, room };
	msg.msg_iov = &iov;
	msg.msg_iovlen = 1;
	n = recvmsg(t->c.fd[u], &msg, MSG_DONTWAIT);
	if (n < 0)
		return errno == EAGAIN ? 0 : -1;
	note(o, &msg);
	o->got += (size_t)n;
	if (o->res.clock > t->clock[p->at])
		t->clock[p->at] = o->res.clock;
	if (o->res.cookie != p->at || msg.msg_flags & (MSG_CTRUNC | MSG_TRUNC))
		return -1;
	if (msg.msg_flags & MSG_EOR) {
		o->ended = true;
		p->at++;
	}
	return 1;
}

/* --- before the fault --- */

/* Make the rings of TRIAL_LEAVES: one of the nodes 0, 1, 3, 2, and for each of these a ring of it
 * and one more node.
 */
static void rings_leaves(struct rings *r)
{
	static const uint16_t node[] = { 0, 1, 3, 2, 1, 5, 0, 4, 2, 6, 3, 7 };
	unsigned int i;

	*r = (struct rings){ .tree = { 5, ARRAY_SIZE(node), r->ring, r->node } };
	memcpy(r->node, node, sizeof(node));
	for (i = 0; i < 5; i++)
		r->ring[i] = (struct hc_ring){ i ? 2 : 4, !!i, i ? 0 : HC_RING_NONE };
}

bool trial_begin(struct trial *t, unsigned int dim, unsigned int width)
{
	static const int little = 1;
	struct rings r;
	unsigned int u;

	if (cube_bound(&t->c, dim, TRIAL_SEGMENT))
		return false;
	if (width == TRIAL_LEAVES)
		rings_leaves(&r);
	else if (width)
		rings_random(&r, &t->c, below(t->c.nodes), width);
	else
		rings_gray(&r, dim);
	r.repair = true;
	for (u = 0; u < t->c.nodes; u++)
		if (setsockopt(t->c.fd[u], SOL_SOCKET, SO_RCVBUF, &little, sizeof(little)))
			return false;
	for (u = 0; u < t->c.nodes; u++)
		t->order[u] = width ? u : r.node[t->c.nodes - 1 - u];
	return !cube_rings(&t->c, TRIAL_PLAN, &r);
}

bool trial_end(struct trial *t)
{
	unsigned int u, k;

	for (u = 0; u < t->c.nodes; u++)
		for (k = 0; k < TRIAL_ALL; k++)
			free(t->p[u].op[k].buf);
	return !cube_del(&t->c);
}

bool trial_clock_reach(struct trial *t, unsigned int k, unsigned int clock)
{
	uint64_t end = deadline(10);
	unsigned int i;

	while (now_ms() < end)
		for (i = 0; i < t->c.nodes; i++) {
			unsigned int u = t->order[i];

			if (t->clock[k] >= clock)
				return true;
			if (t->p[u].at <= k && trial_receive(t, u) < 0)
				return false;
		}
	return false;
}

bool trial_some_read(struct trial *t, unsigned int reads)
{
	while (reads--)
		if (trial_receive(t, below(t->c.nodes)) < 0)
			return false;
	return true;
}

/* --- after the fault --- */

/* Find the part of the cube that has node @u (see ring_trial.h), and write its nodes to @node.
 * Return: number of these nodes.
 */
static unsigned int part_of(const struct trial *t, unsigned int u, unsigned int *node)
{
	uint32_t set[CUBE_MAX / 32] = { 0 };
	unsigned int v, n = 0;

	hc_faults_component(t->c.faults, u, set);
	for (v = 0; v < t->c.nodes; v++)
		if (hc_set_has(set, v))
			node[n++] = v;
	return n;
}

bool trial_all_end(struct trial *t, const unsigned int *node, unsigned int n, unsigned int ops)
{
	uint64_t end = deadline(20);
	struct pollfd fds[CUBE_MAX];
	bool behind = true;
	unsigned int i;
	int received;

	while (behind && now_ms() < end) {
		behind = false;
		for (i = 0; i < n; i++) {
			bool waits = t->p[node[i]].at < ops;

			fds[i] = (struct pollfd){ waits ? t->c.fd[node[i]] : -1, POLLIN, 0 };
			behind |= waits;
		}
		if (!behind)
			return true;
		poll(fds, n, 100);
		for (i = 0; i < n; i++) {
			received = fds[i].revents ? trial_receive(t, node[i]) : 0;
			if (received > 0)
				end = deadline(20);
			if (received < 0) {
				printf("# node %u, operation %u: a piece that cannot be\n",
				       node[i], t->p[node[i]].at);
				return false;
			}
		}
	}
	for (i = 0; i < n; i++)
		printf("# node %u has had %u of %u operations\n", node[i], t->p[node[i]].at, ops);
	ctl_op_print(t->c.name);
	return false;
}

bool trial_block_right(const struct trial *t, const struct trial_result *o, unsigned int k,
		       unsigned int u, unsigned int place)
{
	size_t i;

	for (i = 0; i < trial_block(t); i++)
		if (o->buf[place * trial_block(t) + i] != trial_byte(k, u, i)) {
			printf("# byte %zu of the block of %u is %u\n", i, u,
			       o->buf[place * trial_block(t) + i]);
			return false;
		}
	return true;
}

/* Return: true if the result @o of operation @k has the blocks of all @n members @all except the
 * members that it names as missing, if no missing member is in the part with the @nparts nodes
 * @part, and if the length of the result fits.
 */
static bool blocks_right(const struct trial *t, const struct trial_result *o, unsigned int k,
			 const unsigned int *all, unsigned int n, const unsigned int *part,
			 unsigned int nparts)
{
	size_t least = 0, most = 0;
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		bool lacks = o->named && hc_set_has(o->missing, all[i]), there = false;

		for (j = 0; j < nparts; j++)
			there |= part[j] == all[i];
		most += trial_block(t);
		if (lacks && there) {
			printf("# %u is there, and named as missing\n", all[i]);
			return false;
		}
		if (lacks)
			continue;
		least += trial_block(t);
		if (!trial_block_right(t, o, k, all[i], i))
			return false;
	}
	if (o->got < least || o->got > most) {
		printf("# %zu bytes came instead of %zu to %zu\n", o->got, least, most);
		return false;
	}
	return true;
}

static unsigned int nodes_of(const struct trial *t, const uint32_t *set, unsigned int *node)
{
	unsigned int u, n = 0;

	for (u = 0; u < t->c.nodes; u++)
		if (hc_set_has(set, u))
			node[n++] = u;
	return n;
}

/* Write to @all the members that have a position in the result of operation @k, which has @bytes
 * bytes. @node: the @n nodes of a part. If a result of this part names missing members, it also
 * names all members. Otherwise no block is missing, and the length shows whether the members are
 * the nodes of the part, those when the operation was begun, or all nodes. Return: number of
 * members.
 */
static unsigned int members_of(const struct trial *t, unsigned int k, const unsigned int *node,
			       unsigned int n, size_t bytes, unsigned int *all)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (t->p[node[i]].op[k].named)
			return nodes_of(t, t->p[node[i]].op[k].members, all);
	if (bytes != n * trial_block(t) && nodes_of(t, t->who[k], all) * trial_block(t) == bytes)
		return (unsigned int)(bytes / trial_block(t));
	for (i = 0; i < t->c.nodes; i++)
		all[i] = bytes == n * trial_block(t) && i < n ? node[i] : i;
	return (unsigned int)(bytes / trial_block(t));
}

bool trial_result_right(const struct trial *t, unsigned int u, unsigned int k,
			const unsigned int *node, unsigned int n)
{
	const struct trial_result *o = &t->p[u].op[k], *first = &t->p[node[0]].op[k];
	unsigned int all[CUBE_MAX], own[CUBE_MAX], members;
	bool fine;

	members = members_of(t, k, node, n, o->res.bytes, all);
	fine = o->res.op == first->res.op && o->res.bytes == members * trial_block(t) &&
	       (!o->res.status || (o->res.status == -EHOSTUNREACH && o->named));
	if (fine && o->named)
		fine = nodes_of(t, o->members, own) == members &&
		       !memcmp(own, all, members * sizeof(*all)) &&
		       (nodes_of(t, o->missing, own) ?
			o->res.status && o->res.cause_node == own[0] : !o->res.status);
	fine = fine && blocks_right(t, o, k, all, members, node, n);
	if (!fine)
		printf("# node %u, operation %u (%llu, %llu at %u): status %d, %llu bytes, missing %x of %x\n",
		       u, k, (unsigned long long)o->res.op, (unsigned long long)first->res.op,
		       node[0], o->res.status, (unsigned long long)o->res.bytes, o->missing[0],
		       o->members[0]);
	return fine;
}

/* Let the @n nodes @node of one part of the cube end their operations, and begin one more. Return:
 * true if all operations end as they must, and the last one succeeds.
 */
static bool part_goes_on(struct trial *t, const unsigned int *node, unsigned int n)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		if (!trial_contribute(t, node[i]))
			return false;
	if (!trial_all_end(t, node, n, TRIAL_ALL))
		return false;
	for (k = 0; k < TRIAL_ALL; k++)
		for (i = 0; i < n; i++)
			if (!trial_result_right(t, node[i], k, node, n))
				return false;
	/* The result of the last operation must have the blocks of all nodes of the part. */
	for (i = 0; i < n; i++)
		if (t->p[node[i]].op[TRIAL_OPS].res.status ||
		    t->p[node[i]].op[TRIAL_OPS].res.bytes != n * trial_block(t))
			return false;
	return true;
}

bool trial_parts_go_on(struct trial *t)
{
	unsigned int node[CUBE_MAX], n, u;
	bool fine = true;

	for (u = 0; u < t->c.nodes; u++) {
		if (hc_set_has(t->c.faults->dead, u))
			continue;
		n = part_of(t, u, node);
		if (node[0] == u)
			fine &= part_goes_on(t, node, n);
	}
	if (!fine)
		cube_print_faults(&t->c);
	return fine;
}

void trial_fail(struct trial *t, int node, unsigned int link)
{
	unsigned int u, d;

	if (node >= 0) {
		cube_fail_node(&t->c, (unsigned int)node);
		return;
	}
	cube_link(&t->c, link, &u, &d);
	cube_fail_link(&t->c, u, d);
}
