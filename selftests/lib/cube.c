// SPDX-License-Identifier: GPL-2.0
/*
 * Fabrics for tests: their nodes, faults and plans.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cube.h"

int cube_new(struct cube *c, unsigned int dim, unsigned int segment)
{
	static unsigned int count;
	int err = own_netns();

	if (err)
		return err;
	memset(c, 0, sizeof(*c));
	memset(c->fd, 0xff, sizeof(c->fd));
	snprintf(c->name, sizeof(c->name), "t%u", count++ % 1000000);
	c->dim = dim;
	c->nodes = 1u << dim;
	c->segment = segment ? segment : 32768;
	c->faults = hc_faults_new(dim);
	if (!c->faults)
		return -ENOMEM;
	return ctl_fabric_new(c->name, dim, segment);
}

static void plan_forget(struct cube *c)
{
	if (c->planned)
		hc_tree_plan_free(&c->plan);
	c->planned = false;
}

static void bcast_forget(struct cube *c)
{
	if (c->bcast_planned)
		hc_bcast_plan_free(&c->bcast);
	c->bcast_planned = false;
}

int cube_del(struct cube *c)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		cube_close(c, u);
	plan_forget(c);
	bcast_forget(c);
	hc_faults_free(c->faults);
	c->faults = NULL;
	return ctl_fabric_del(c->name);
}

int cube_bind(struct cube *c, unsigned int node)
{
	int fd = shc_bound(c->name, node, SOCK_SEQPACKET);

	if (fd < 0)
		return fd;
	c->fd[node] = fd;
	return 0;
}

int cube_bind_all(struct cube *c)
{
	unsigned int u;
	int err = 0;

	for (u = 0; u < c->nodes && !err; u++)
		err = cube_bind(c, u);
	return err;
}

int cube_rebind_all(struct cube *c)
{
	unsigned int u;

	for (u = 0; u < c->nodes; u++)
		cube_close(c, u);
	poll(NULL, 0, debug_kernel() ? 500 : 100);
	return cube_bind_all(c);
}

int cube_bound(struct cube *c, unsigned int dim, unsigned int segment)
{
	return cube_new(c, dim, segment) ?: cube_bind_all(c);
}

int cube_dgrams(struct cube *c, unsigned int dim)
{
	unsigned int u;
	int err = cube_new(c, dim, 0);

	for (u = 0; u < c->nodes && !err; u++) {
		c->fd[u] = shc_bound(c->name, u, SOCK_DGRAM);
		if (c->fd[u] < 0)
			err = c->fd[u];
	}
	return err;
}

void cube_close(struct cube *c, unsigned int node)
{
	if (c->fd[node] >= 0)
		close(c->fd[node]);
	c->fd[node] = -1;
}

int cube_fail_link(struct cube *c, unsigned int node, unsigned int dim)
{
	hc_faults_link(c->faults, node, dim);
	return ctl_link_down(c->name, node, dim, true);
}

int cube_impair(struct cube *c, const struct impairments *i)
{
	unsigned int link, node, dim;
	int err = 0;

	for (link = 0; link < c->dim * c->nodes / 2 && !err; link++) {
		cube_link(c, link, &node, &dim);
		err = ctl_link_impair(c->name, node, dim, i);
	}
	return err;
}

int cube_lossy(struct cube *c, unsigned int loss, unsigned int seed)
{
	const struct impairments lossy = { .loss = loss, .seed = seed };

	return cube_impair(c, &lossy);
}

int cube_fail_node(struct cube *c, unsigned int node)
{
	hc_faults_node(c->faults, node);
	return ctl_node_failed(c->name, node, true);
}

int cube_heal(struct cube *c)
{
	hc_faults_free(c->faults);
	c->faults = hc_faults_new(c->dim);
	return c->faults ? ctl_fault_clear(c->name) : -ENOMEM;
}

static int fail_link_nr(struct cube *c, unsigned int i)
{
	unsigned int node, dim;

	cube_link(c, i, &node, &dim);
	return cube_fail_link(c, node, dim);
}

/* Call @around. Return: true if it fails; in this case print the faults. */
static bool goes_wrong(struct cube *c, cube_around_fn around)
{
	if (around(c))
		return false;
	cube_print_faults(c);
	return true;
}

unsigned int cube_pairs_of_links(struct cube *c, cube_around_fn around, unsigned int step)
{
	unsigned int n = c->dim * c->nodes / 2, wrong = 0, i, k;

	for (i = 0; i < n; i++)
		for (k = i; k < n; k += step)
			wrong += cube_heal(c) || fail_link_nr(c, i) || fail_link_nr(c, k) ||
				 goes_wrong(c, around);
	return wrong;
}

unsigned int cube_random_faults(struct cube *c, cube_around_fn around, unsigned int rounds)
{
	unsigned int wrong = 0, round, k;

	for (round = 0; round < rounds; round++) {
		int err = cube_heal(c);

		for (k = below(c->dim); k && !err; k--)
			err = cube_fail_node(c, below(c->nodes));
		for (k = below(c->dim * (round % 3 ? 2 : 6)); k && !err; k--)
			err = fail_link_nr(c, below(c->dim * c->nodes / 2));
		wrong += err || goes_wrong(c, around);
	}
	return wrong;
}

unsigned int cube_pairs_of_eight(cube_around_fn around, unsigned int step)
{
	unsigned int wrong;
	struct cube c;

	if (cube_bound(&c, 3, 0))
		return 1;
	wrong = cube_pairs_of_links(&c, around, step);
	return wrong + !!cube_del(&c);
}

unsigned int cube_random_to_64(cube_around_fn around, unsigned int rounds)
{
	unsigned int dim, wrong = 0;
	struct cube c;

	for (dim = 4; dim <= 6; dim++) {
		if (cube_bound(&c, dim, 0))
			return wrong + 1;
		wrong += cube_random_faults(&c, around, rounds);
		wrong += !!cube_del(&c);
	}
	return wrong;
}

uint64_t cube_tx_bytes(const struct cube *c)
{
	unsigned long long sent;
	char line[96];
	bool notified;
	FILE *f;

	snprintf(line, sizeof(line), "hcctl -j link show %s | jq '[.[].tx_bytes] | add'", c->name);
	f = popen(line, "r");
	notified = f && fscanf(f, "%llu", &sent) == 1;
	if (f)
		pclose(f);
	return notified ? sent : 0;
}

void cube_print_faults(const struct cube *c)
{
	unsigned int i;

	printf("# dim %u, FAULT words:", c->dim);
	for (i = 0; i < c->nodes; i++)
		printf(" %x", c->faults->fault[i]);
	printf("\n");
}

/* Install the cube's last plan of type @type. Try again as long as a node has not yet computed its
 * FAULT word.
 */
static int install(struct cube *c, unsigned int id, unsigned int type)
{
	const uint32_t *fault = c->faults->fault;
	uint64_t end = deadline(5);
	int err;

	do {
		if (type == HYPERCUBE_PLAN_BCAST)
			err = ctl_bcast_new(c->name, id, &c->bcast.bcast, fault);
		else if (type == HYPERCUBE_PLAN_DOUBLING)
			err = ctl_doubling_new(c->name, id, &c->doubling, fault);
		else
			err = ctl_plan_new(c->name, id, &c->plan.tree, fault);
		if (err != -ESTALE)
			break;
		usleep(1000);
	} while (now_ms() < end);
	if (err)
		printf("# plan refused: %s\n", ctl()->extack);
	return err;
}

int cube_install(struct cube *c, unsigned int id)
{
	return install(c, id, HYPERCUBE_PLAN_TREE);
}

int cube_doubling_install(struct cube *c, unsigned int id)
{
	return install(c, id, HYPERCUBE_PLAN_DOUBLING);
}

int cube_doubling(struct cube *c, unsigned int id, uint32_t dims, uint32_t base)
{
	struct hc_doubling *d = &c->doubling;
	const char *why;
	unsigned int i;

	plan_forget(c);
	*d = (struct hc_doubling){ .dim = c->dim, .base = base & ~dims };
	for (i = 0; i < c->dim; i++)
		if (dims & hc_bit(i))
			d->order[d->stages++] = i;
	c->planned = !hc_plan_tree_fixed(c->faults, d->base, d->order, d->stages, &c->plan, &why);
	return cube_doubling_install(c, id);
}

int cube_doubling_ready(struct cube *c, unsigned int id, unsigned int dim, unsigned int segment)
{
	int err = cube_new(c, dim, segment);

	if (!err)
		err = cube_doubling(c, id, hc_ones(dim), 0);
	return err ? err : cube_bind_all(c);
}

unsigned int cube_doubling_sizes(unsigned int id, size_t full, size_t many, cube_takes_fn takes)
{
	unsigned int dim, i, wrong = 0;
	size_t sizes[BLOCK_SIZES];
	struct cube c;

	for (dim = 0; dim <= 4; dim++) {
		if (cube_new(&c, dim ? dim : 1, 1024))
			return wrong + 1;
		if (cube_bind_all(&c) || cube_doubling(&c, id, hc_ones(dim), 0))
			wrong++;
		block_sizes(sizes, full >> dim, many >> dim);
		for (i = 0; i < BLOCK_SIZES && !wrong; i++)
			wrong += !takes(&c, sizes[i], dim);
		wrong += !!cube_del(&c);
	}
	return wrong;
}

static void shuffle(uint8_t *a, unsigned int n)
{
	unsigned int i;

	for (i = n; i > 1; i--) {
		unsigned int j = below(i);
		uint8_t x = a[j];

		a[j] = a[i - 1];
		a[i - 1] = x;
	}
}

unsigned int cube_doubling_apart(unsigned int id, cube_takes_fn takes)
{
	unsigned int dim, i, wrong = 0;
	struct cube c;

	for (dim = 1; dim <= 7; dim++) {
		const size_t least = dim < 5 ? 32768 >> dim : 1024;
		const size_t piece = dim < 3 ? 32768 : 262144 >> dim;
		const size_t sizes[] = { piece + 513, least, least - 1, piece, 2 * piece + 512 };

		if (cube_doubling_ready(&c, id, dim, 0))
			return wrong + 1;
		/* Try long blocks only with few members: with many members they take much time. */
		for (i = 0; i < (dim < 6 ? ARRAY_SIZE(sizes) : 2); i++) {
			shuffle(c.doubling.order, c.doubling.stages);
			wrong += cube_doubling_install(&c, id) || !takes(&c, sizes[i], dim);
		}
		wrong += !!cube_del(&c);
	}
	/* With small segments chunks are small as well. */
	for (i = 5; i <= 11; i++) {
		if (cube_doubling_ready(&c, id, 3, 8 << i))
			return wrong + 1;
		wrong += !takes(&c, 5000, 3) || !takes(&c, 3 * 1024 + 1, 3);
		wrong += !!cube_del(&c);
	}
	return wrong;
}

unsigned int cube_doubling_orders(unsigned int id, cube_takes_fn takes)
{
	static const uint8_t order[][4] = {
		{ 3, 2, 1, 0 }, { 2, 0, 3, 1 }, { 1, 3, 0, 2 }, { 0, 3, 1, 2 },
	};
	unsigned int i, wrong = 0;
	struct cube c;

	if (cube_doubling_ready(&c, id, 4, 512))
		return 1;
	for (i = 0; i < ARRAY_SIZE(order); i++) {
		memcpy(c.doubling.order, order[i], sizeof(order[i]));
		wrong += cube_doubling_install(&c, id) || !takes(&c, 77, 4);
	}
	/* Subcube X0X1 has the nodes 1, 3, 9, 11. */
	wrong += cube_fail_node(&c, 15) || cube_doubling(&c, id, 0xa, 1) || !takes(&c, 777, 2);
	return wrong + !!cube_del(&c);
}

ssize_t cube_send_of_512(const struct hypercube_op *op, const void *in)
{
	struct hc_doubling d = { .dim = 9, .stages = 9, .order = { 0, 1, 2, 3, 4, 5, 6, 7, 8 } };
	static const uint32_t fault[512];
	ssize_t n;
	int fd;

	n = ctl_fabric_new("many", 9, 256) ?: ctl_doubling_new("many", op->plan, &d, fault);
	if (n)
		return n;
	fd = shc_bound("many", 7, SOCK_SEQPACKET);
	n = fd < 0 ? fd : shc_send(fd, op, in, op->bytes, 0);
	if (fd >= 0)
		close(fd);
	return ctl_fabric_del("many") ?: n;
}

unsigned int cube_not_refused(const struct cube *c, const struct hypercube_op *op, const void *in,
			      const struct op_wrong *wrong, unsigned int n)
{
	unsigned int i, taken = 0;

	for (i = 0; i < n; i++) {
		const struct op_wrong *w = &wrong[i];
		struct hypercube_op bad = *op;
		ssize_t said;

		bad.bytes = w->bytes;
		bad.flags = w->flags;
		bad.oper = w->oper;
		said = shc_send(c->fd[0], &bad, in, w->bytes, 0);
		if (said == w->err)
			continue;
		printf("# %zu bytes, flags %u, operator %u: %zd instead of %d\n", w->bytes,
		       w->flags, w->oper, said, w->err);
		taken++;
	}
	return taken;
}

int cube_bcast_plan(struct cube *c, unsigned int id, uint32_t source,
		    enum hc_bcast_method method)
{
	struct hc_bcast_req req = { .method = method, .source = source };
	const char *why;
	int err;

	bcast_forget(c);
	err = hc_plan_bcast(c->faults, &req, &c->bcast, &why);
	if (err)
		return err;
	c->bcast_planned = true;
	return install(c, id, HYPERCUBE_PLAN_BCAST);
}

static int plan_around(struct cube *c, unsigned int id, const struct hc_faults *f,
		       const struct hc_tree_req *req)
{
	const char *why;
	int err;

	plan_forget(c);
	err = hc_plan_tree(f, req, &c->plan, &why);
	if (err)
		return err;
	c->planned = true;
	return cube_install(c, id);
}

static int plan_req(struct cube *c, unsigned int id, const struct hc_tree_req *req)
{
	return plan_around(c, id, c->faults, req);
}

int cube_plan_to(struct cube *c, unsigned int id, uint32_t sink)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = sink };

	return plan_req(c, id, &req);
}

int cube_plan_without(struct cube *c, unsigned int id, uint32_t sink, uint64_t nodes)
{
	struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = sink };
	struct hc_faults *f = hc_faults_copy(c->faults);
	unsigned int u;
	int err;

	for (u = 0; u < c->nodes; u++)
		if (nodes >> u & 1)
			hc_faults_node(f, u);
	err = plan_around(c, id, f, &req);
	hc_faults_free(f);
	return err;
}

int cube_plan(struct cube *c, unsigned int id)
{
	return cube_plan_to(c, id, HC_ANY_SINK);
}

int cube_detour(struct cube *c, unsigned int id, unsigned int segment)
{
	static const uint8_t order[] = { 2, 1, 0 };
	int err = cube_new(c, 3, segment) ?: cube_fail_link(c, 0, 0) ?:
		  cube_fail_link(c, 0, 1) ?: cube_fail_link(c, 5, 1) ?:
		  cube_plan_fixed(c, id, 3, order);

	return err ? err : c->plan.tree.ndetours == 1 ? 0 : -EBADMSG;
}

int cube_plan_sub(struct cube *c, unsigned int id, uint32_t dims, uint32_t base)
{
	struct hc_tree_req req = {
		.method = HC_TREE_EXACT, .sink = HC_ANY_SINK, .dims = dims, .base = base,
	};

	return plan_req(c, id, &req);
}

int cube_plan_fixed(struct cube *c, unsigned int id, uint32_t sink, const uint8_t *order)
{
	const char *why;
	int err;

	plan_forget(c);
	err = hc_plan_tree_fixed(c->faults, sink, order, c->dim, &c->plan, &why);
	if (err)
		return err;
	c->planned = true;
	return cube_install(c, id);
}

bool cube_member(const struct cube *c, unsigned int node)
{
	return c->planned && hc_set_has(c->plan.tree.members, node);
}

void cube_link(const struct cube *c, unsigned int i, unsigned int *node, unsigned int *dim)
{
	unsigned int half = c->nodes / 2, low = i % half;

	*dim = i / half;
	*node = (low >> *dim << (*dim + 1)) | (low & ((1u << *dim) - 1));
}

uint64_t cube_mask(const struct cube *c)
{
	uint64_t mask = 0;
	unsigned int u;

	for (u = 0; u < c->nodes && u < 64; u++)
		if (cube_member(c, u))
			mask |= 1ull << u;
	return mask;
}
