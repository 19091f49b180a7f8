// SPDX-License-Identifier: GPL-2.0
/*
 * A fixture: distinguishable tasks at all nodes of a cube.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "task_fixture.h"

static char out[HYPERCUBE_TASK_MAX], in[HYPERCUBE_TASK_MAX];

int fixture_new(struct task_fixture *y, unsigned int dim, unsigned int segment)
{
	unsigned int u;
	int err, big = 1 << 25;

	memset(y, 0, sizeof(*y));
	err = cube_new(&y->c, dim, segment);
	for (u = 0; u < y->c.nodes && !err; u++) {
		y->c.fd[u] = task_bound(&y->c, u);
		err = y->c.fd[u] < 0 ? y->c.fd[u] : 0;
		setsockopt(y->c.fd[u], SOL_SOCKET, SO_SNDBUFFORCE, &big, sizeof(big));
	}
	return err;
}

/* Write the data of task number @nr: the number, and bytes that are computed from it. Return: @len.
 */
static size_t text(unsigned int nr, size_t len, char *buf)
{
	size_t i;

	for (i = 0; i < len; i++)
		buf[i] = (char)(nr * 13 + i * 5 + i / 256);
	memcpy(buf, &nr, sizeof(nr));
	return len;
}

int fixture_put(struct task_fixture *y, unsigned int node, size_t len, unsigned int flags)
{
	int err;

	y->id = realloc(y->id, (y->n + 1) * sizeof(*y->id));
	err = task_put(y->c.fd[node], out, text(y->n, len, out), flags);
	return err ?: task_last(y->c.fd[node], &y->id[y->n++]);
}

int fixture_new_of_sizes(struct task_fixture *y, unsigned int dim, unsigned int s,
			 unsigned int even, unsigned int odd)
{
	static const size_t sizes[FIXTURE_SIZES] = {
		4, 255, 256, 257, 512, 1000, 20000, 32768, 65536,
	};
	static const unsigned int segments[FIXTURE_SEGMENTS] = { 256, 1000, 32768 };
	int err = fixture_new(y, dim, segments[s]);
	unsigned int i;

	for (i = 0; i < FIXTURE_SIZES && !err; i++)
		err = fixture_put(y, 1, sizes[i], i & 1 ? odd : even);
	return err;
}

unsigned int fixture_stuff(const struct task_fixture *y, unsigned int node)
{
	unsigned int n = 0;

	while (n < 1000 && !task_put(y->c.fd[node], out, sizeof(out), 0))
		n++;
	return n;
}

struct task_view fixture_sum(const struct task_fixture *y)
{
	struct task_view sum = { 0 }, v;
	unsigned int u, i;

	for (u = 0; u < y->c.nodes; u++) {
		task_view(y->c.name, u, &v);
		for (i = 0; i < ARRAY_SIZE(v.all); i++)
			sum.all[i] += v.all[i];
	}
	return sum;
}

int fixture_settle(const struct task_fixture *y, int seconds)
{
	uint64_t end = deadline(seconds);
	unsigned int calm = 0;

	while (calm < 2) {
		if (now_ms() > end)
			return -ETIMEDOUT;
		calm = fixture_sum(y).moving ? 0 : calm + 1;
		usleep(2000);
	}
	return 0;
}

int fixture_move(const struct task_fixture *y, unsigned int node, unsigned int dim, uint64_t count)
{
	return task_move(y->c.name, node, dim, count) ?: fixture_settle(y, 10);
}

unsigned int fixture_take(struct task_fixture *y)
{
	unsigned int u, nr, wrong = 0;
	struct hypercube_task id;
	ssize_t n;

	free(y->taken);
	free(y->repeated);
	y->taken = calloc(1, y->n + 1);
	y->repeated = calloc(1, y->n + 1);
	for (u = 0; u < y->c.nodes; u++)
		while ((n = task_take(y->c.fd[u], in, sizeof(in), &id, 0)) >= 0) {
			memcpy(&nr, in, sizeof(nr));
			if (nr >= y->n || id.node != y->id[nr].node || id.nr != y->id[nr].nr) {
				wrong++;
				continue;
			}
			text(nr, (size_t)n, out);
			wrong += !!memcmp(in, out, (size_t)n);
			y->taken[nr]++;
			y->repeated[nr] += !!(id.flags & HYPERCUBE_TASK_REDELIVERED);
			wrong += !!task_done(y->c.fd[u], &id);
		}
	return wrong;
}

unsigned int fixture_wrong(struct task_fixture *y)
{
	unsigned int wrong = fixture_take(y), i;

	for (i = 0; i < y->n; i++)
		wrong += y->taken[i] != 1;
	return wrong;
}

int fixture_del(struct task_fixture *y)
{
	free(y->id);
	free(y->taken);
	free(y->repeated);
	return cube_del(&y->c);
}

int fixture_end(struct task_fixture *y)
{
	unsigned int wrong = fixture_wrong(y);

	return fixture_del(y) ?: (int)wrong;
}

int fixture_impair(const struct task_fixture *y, const struct impairments *bad)
{
	unsigned int u, d;
	int err = 0;

	for (u = 0; u < y->c.nodes; u++)
		for (d = 0; d < y->c.dim && !err; d++)
			if (!(u >> d & 1))
				err = ctl_link_impair(y->c.name, u, d, bad);
	return err;
}

void fixture_fill(struct task_fixture *y, unsigned int n)
{
	unsigned int i, len;

	for (i = 0; i < n; i++) {
		len = 4 + below(i % 10 ? 600 : 20000);
		if (fixture_put(y, below(y->c.nodes), len, i % 3 ? 0 : HYPERCUBE_TASK_IDEMPOTENT))
			exit(EXIT_FAILURE);
	}
}

void fixture_flap(struct task_fixture *y)
{
	unsigned int node = below(y->c.nodes), dim = below(y->c.dim);

	usleep(below(2000));
	ctl_link_down(y->c.name, node, dim, true);
	usleep(below(2000));
	ctl_link_down(y->c.name, node, dim, false);
}

int fixture_bustling(struct task_fixture *y, int (*fill)(struct task_fixture *y))
{
	const struct impairments bad = { .delay = 5000000, .loss = 100000, .seed = 2 };
	int err = fixture_new(y, 3, 512) ?: fixture_impair(y, &bad) ?: fill(y);
	unsigned int i;

	for (i = 0; i < 24 && !err; i++)
		task_move(y->c.name, i % 8, i / 8, 10);
	usleep(below(20000));
	return err;
}
