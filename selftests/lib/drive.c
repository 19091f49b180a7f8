// SPDX-License-Identifier: GPL-2.0
/*
 * The driver: one process acts for all members, and never blocks in a call for one of them. The
 * cookie of an operation is its index in the member's list, so results can be matched to their
 * operations in whatever order they arrive.
 */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "cube.h"
#include "hc_coll_desc.h"

static size_t min_size(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Return: true if the member must receive no more ends of the job. Even if the member has not
 * requested a notification, it receives a record with the reason if its contribution was truncated.
 */
static bool job_settled(const struct job *j)
{
	if (!j->over)
		return false;
	if (j->refused || j->ends)
		return true;
	return !j->waits && j->sent == j->op.bytes;
}

/* The kernel has refused the rest of a job with @err: send no more of it. */
static void job_stop(struct party *p, struct job *j, int err)
{
	if (err == -ENODEV || err == -EBADF)
		p->dead = err;
	if (!j->begun)
		j->refused = err;
	j->over = true;
	p->next++;
}

/* Make one send call. Return: true if it sent data or ended the job. */
static bool send_some(struct party *p)
{
	struct job *j = &p->job[p->next];
	const struct hc_coll_desc *t = hc_coll_desc(j->op.collective);
	size_t at = j->period ? j->sent % j->period : j->sent;
	size_t len = j->op.bytes - j->sent;
	ssize_t n;

	if (j->period)
		len = min_size(len, j->period - at);
	if (t && t->parts) {
		at = 0;
		len = j->op.bytes;
	}
	j->op.cookie = p->base + p->next;
	n = shc_send(p->fd, j->begun ? NULL : &j->op, (const char *)j->in + at, len,
		     MSG_DONTWAIT);
	/* The kernel begins no operation as long as the member has not received a failure. */
	if (n == -EAGAIN || n == -ENOBUFS || n == -EINTR || n == -ECANCELED)
		return false;
	if (n < 0) {
		job_stop(p, j, (int)n);
		return true;
	}
	j->begun = true;
	j->sent += (size_t)n;
	if (j->sent == j->op.bytes) {
		j->over = true;
		p->next++;
	}
	return true;
}

/* Compare @n bytes of a result with the bytes that @j expects at this offset. */
static void piece_check(struct job *j, const char *buf, size_t n)
{
	size_t at = j->got, i;

	for (i = 0; i < n; at++) {
		size_t e = j->period ? at % j->period : at;
		size_t run = min_size(n - i, j->period ? j->period - e : n - i);

		if (memcmp((const char *)j->expect + e, buf + i, run))
			j->wrong += run;
		i += run;
		at += run - 1;
	}
}

/* Add a piece of a result to the job that has its cookie. */
static void piece_take(struct party *p, const struct hypercube_result *res, const char *buf,
		       size_t n, bool eor)
{
	struct job *j;

	if (res->cookie - p->base >= p->njobs) {
		p->strays++;
		return;
	}
	j = &p->job[res->cookie - p->base];
	if (j->out && j->got < j->room && buf != j->out)
		memcpy((char *)j->out + j->got, buf, min_size(n, j->room - j->got));
	if (j->expect)
		piece_check(j, buf, n);
	j->got += n;
	if (!eor)
		return;
	j->res = *res;
	j->ends++;
	p->failed |= res->status;
}

/* Find the job for whose result the next receive call needs memory: the oldest job that has not
 * ended, if its result consists of blocks that arrive at their offsets in any order. Return: this
 * job; NULL if the result can be received through the scratch buffer.
 */
static struct job *placed(struct party *p)
{
	unsigned int k;

	for (k = p->settled; k < p->njobs; k++) {
		struct job *j = &p->job[k];

		if (j->waits && !j->ends && !j->refused)
			return hc_coll_placed(hc_coll_desc(j->op.collective)) ? j : NULL;
	}
	return NULL;
}

static bool recv_some(struct party *p)
{
	static char scratch[1 << 16];
	struct job *j = placed(p);
	char *buf = j ? j->out : scratch;
	struct hypercube_result res;
	bool eor = false;
	ssize_t n = shc_recv(p->fd, buf, j ? j->room : sizeof(scratch), &res, &eor, MSG_DONTWAIT);

	if (n == -EAGAIN || n == -EINTR)
		return false;
	if (n < 0) {
		p->dead = (int)n;
		return true;
	}
	piece_take(p, &res, buf, (size_t)n, eor);
	return true;
}

/* Advance .settled of member @p past all jobs that need no more ends. */
static void settle(struct party *p)
{
	while (p->settled < p->njobs && job_settled(&p->job[p->settled]))
		p->settled++;
}

/* Return: true if the member may send. After a failure it may not until all operations that it has
 * begun have ended.
 */
static bool may_send(struct party *p)
{
	if (p->next == p->njobs)
		return false;
	if (!p->failed || p->job[p->next].begun)
		return true;
	settle(p);
	if (p->stops)
		p->njobs = p->next;
	else
		p->failed = p->settled < p->next;
	return !p->stops && !p->failed;
}

/* Make up to @burst calls of each kind. Return: true if anything was sent or received. */
static bool party_some(struct party *p, unsigned int burst)
{
	unsigned int k;

	for (k = 0; k < burst && p->fd >= 0 && !p->dead; k++) {
		bool sent = may_send(p) && send_some(p);
		bool got = !p->dead && recv_some(p);

		if (!sent && !got)
			break;
	}
	return k;
}

bool drive_some(struct party *p, unsigned int n, unsigned int burst)
{
	bool moved = false;
	unsigned int i;

	for (i = 0; i < n; i++)
		moved |= party_some(&p[i], burst);
	return moved;
}

bool drive_once(struct party *p, unsigned int n)
{
	return drive_some(p, n, 32);
}

bool drive_done(struct party *p, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		settle(&p[i]);
		if (p[i].fd >= 0 && !p[i].dead && p[i].settled < p[i].njobs)
			return false;
	}
	return true;
}

/* Make calls on all sockets that are marked as ready. A call on any other socket would only return
 * EAGAIN. Return: true if anything was sent or received.
 */
static bool drive_ready(struct party *p, unsigned int n, bool *ready)
{
	bool moved = false;
	unsigned int i;

	for (i = 0; i < n; i++) {
		ready[i] = ready[i] && party_some(&p[i], 32);
		moved |= ready[i];
	}
	return moved;
}

/* Wait until some sockets are ready, and mark these. If none is ready within @ms, mark all of them.
 */
static void drive_sleep(const struct party *p, unsigned int n, int ms, bool *ready)
{
	struct pollfd fds[CUBE_MAX];
	unsigned int i;
	int some;

	for (i = 0; i < n; i++) {
		fds[i].fd = p[i].dead ? -1 : p[i].fd;
		fds[i].events = p[i].next < p[i].njobs ? POLLIN | POLLOUT : POLLIN;
	}
	some = poll(fds, n, ms);
	for (i = 0; i < n; i++)
		ready[i] = some <= 0 || fds[i].revents;
}

int drive(struct party *p, unsigned int n, int seconds)
{
	uint64_t end = deadline(seconds);
	unsigned int late = 0;
	bool ready[CUBE_MAX];

	memset(ready, true, sizeof(ready));
	while (!drive_done(p, n)) {
		if (drive_ready(p, n, ready))
			continue;
		/* The whole machine may have been stopped, so that the members had no time to send
		 * or receive: try up to 50 times more.
		 */
		if (now_ms() > end && ++late > 50)
			return -ETIMEDOUT;
		drive_sleep(p, n, 20, ready);
	}
	return 0;
}

/* Return: true if the job succeeded: its member has got one end if it waits for one, else none; and
 * the end is of the right collective and has the right result.
 */
static bool job_well(const struct job *j)
{
	if (j->refused || j->ends != j->waits || j->res.status || j->wrong)
		return false;
	if (!j->waits)
		return true;
	return j->res.collective == j->op.collective && (!j->expect || j->got == j->op.bytes);
}

/* Return: true if the operation of @j has the number after that of @last, or if these are not two
 * operations of one plan with notified ends, so that there is nothing to compare.
 */
static bool job_follows(const struct job *j, const struct job *last)
{
	if (!last->waits || !j->waits || last->op.plan != j->op.plan)
		return true;
	return j->res.op == last->res.op + 1;
}

unsigned int drive_well(struct party *p, unsigned int n, int seconds)
{
	unsigned int i, k, bad = !!drive(p, n, seconds);

	if (bad)
		printf("# not all operations ended\n");
	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs; k++) {
			const struct job *j = &p[i].job[k];

			if (job_well(j) && (!k || job_follows(j, j - 1)))
				continue;
			if (!bad++)
				printf("# party %u, job %u: %u ends, number %llu, status %d, cause %d:%d\n",
				       i, k, j->ends, (unsigned long long)j->res.op, j->res.status,
				       (int)j->res.cause_node, (int)j->res.cause_dim);
		}
	return bad;
}

void drive_stop_failed(struct party *p, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		p[i].stops = true;
}

unsigned int drive_ended(struct party *p, unsigned int n, int seconds, unsigned int *good)
{
	unsigned int i, k, bad = !!drive(p, n, seconds);

	*good = 0;
	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs && p[i].fd >= 0; k++) {
			const struct job *j = &p[i].job[k];

			bad += j->ends + !!j->refused != 1;
			*good += j->ends && !j->res.status;
		}
	return bad;
}

unsigned int drive_ended_right(struct party *p, const unsigned int *node, unsigned int n,
			       size_t bytes, right_fn right, unsigned int *good)
{
	unsigned int wrong = drive_ended(p, n, 60, good), i;

	for (i = 0; i < n; i++)
		if (p[i].job[0].ends && !p[i].job[0].res.status)
			wrong += !right(p, node, n, i, 0, bytes);
	return wrong;
}

unsigned int drive_refused(struct party *p, unsigned int n, int status)
{
	unsigned int good, i, k, bad = drive_ended(p, n, 30, &good);

	for (i = 0; i < n; i++)
		for (k = 0; k < p[i].njobs; k++)
			bad += p[i].job[k].res.status != status;
	return bad + good;
}

int drive_blown(const struct cube *c, const struct begun *b, drive_fair_fn fair)
{
	unsigned int good, i, k, all = 0, failed = 0, bad;

	drive_stop_failed(b->p, b->n);
	bad = drive_ended(b->p, b->n, 30, &good);
	for (i = 0; i < b->n; i++) {
		const struct party *p = &b->p[i];

		all += p->njobs;
		for (k = 0; k < p->njobs && p->fd >= 0 && !bad; k++) {
			const struct job *j = &p->job[k];

			failed += !j->ends || j->res.status;
			if (fair(b, i, k))
				continue;
			bad++;
			printf("# party %u, job %u: %u ends, refused %d, status %d, cause %d\n",
			       i, k, j->ends, j->refused, j->res.status,
			       (int)j->res.cause_node);
		}
	}
	if (bad)
		ctl_op_print(c->name);
	printf("# %u of %u ended well\n", good, all);
	return bad ? -1 : (int)failed;
}

unsigned int drive_held_up(struct party *p, unsigned int n, unsigned int u)
{
	unsigned int i, whole = 0;
	int fd = p[u].fd;

	p[u].fd = -1;
	drive_until_quiet(p, n, 200);
	for (i = 0; i < n; i++)
		whole += p[i].job[0].sent >= p[i].job[0].op.bytes;
	p[u].fd = fd;
	return whole + !!drive(p, n, 60);
}

void drive_until_quiet(struct party *p, unsigned int n, int ms)
{
	uint64_t last = now_ms();

	while (now_ms() < last + (uint64_t)ms) {
		if (drive_once(p, n))
			last = now_ms();
		else
			poll(NULL, 0, 5);
	}
}

bool cube_all_begun(const struct cube *c, unsigned int plan)
{
	uint64_t end = deadline(10);
	struct wait_view v;
	unsigned int u;

	for (u = 0; u < c->nodes && now_ms() < end; ) {
		if (c->fd[u] < 0 || !cube_member(c, u) ||
		    (!ctl_op_get(c->name, plan, u, &v) && v.next))
			u++;
		else
			poll(NULL, 0, 5);
	}
	return u == c->nodes;
}

unsigned int parties(const struct cube *c, struct party *p, unsigned int *node,
		     unsigned int njobs)
{
	static uint64_t base;
	unsigned int u, n = 0;

	/* Use other cookies than in earlier runs, so that a late end of an earlier operation is not
	 * taken for the end of a new one.
	 */
	base += 1ull << 32;
	for (u = 0; u < c->nodes; u++) {
		if (!cube_member(c, u) || c->fd[u] < 0)
			continue;
		memset(&p[n], 0, sizeof(p[n]));
		p[n].fd = c->fd[u];
		p[n].base = base;
		p[n].job = calloc(njobs ? njobs : 1, sizeof(struct job));
		p[n].njobs = njobs;
		if (!p[n].job)
			abort();
		if (node)
			node[n] = u;
		n++;
	}
	return n;
}

void parties_free(struct party *p, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		free(p[i].job);
}

void parties_done(struct party *p, unsigned int n, unsigned int njobs)
{
	unsigned int i, k;

	for (i = 0; i < n; i++)
		for (k = 0; k < njobs; k++) {
			free((void *)p[i].job[k].in);
			free(p[i].job[k].out);
		}
	parties_free(p, n);
}

/* Begin again each job that ended because another process has left. */
static void begin_again(struct party *p, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		if (!j->ends || j->res.status != -ECONNRESET)
			continue;
		j->begun = false;
		j->over = false;
		j->sent = 0;
		j->ends = 0;
		p[i].next = 0;
		p[i].settled = 0;
		p[i].failed = false;
	}
}

/* As drive(), but begin jobs again until none of them ends because another process has left. */
static int drive_again(struct party *p, unsigned int n, int seconds)
{
	uint64_t end = deadline(seconds);
	bool moved;

	do {
		moved = drive_once(p, n);
		begin_again(p, n);
		if (!moved && now_ms() > end)
			return -ETIMEDOUT;
		if (!moved)
			poll(NULL, 0, 1);
	} while (!drive_done(p, n));
	return 0;
}

static int sum_run(struct cube *c, unsigned int plan, unsigned int collective,
		   struct hypercube_result *res, int (*run)(struct party *, unsigned int, int))
{
	bool all = collective == HYPERCUBE_ALLREDUCE;
	struct party p[CUBE_MAX];
	unsigned int node[CUBE_MAX], n = parties(c, p, node, 1), i;
	uint64_t in[CUBE_MAX], mask = cube_mask(c), out[CUBE_MAX] = { 0 };
	unsigned int results = 0;
	int err = 0;

	for (i = 0; i < n; i++) {
		struct job *j = &p[i].job[0];

		in[i] = node[i] < 64 ? 1ull << node[i] : 0;
		j->op = (struct hypercube_op){
			.plan = plan, .collective = collective, .oper = HYPERCUBE_SUM,
			.type = HYPERCUBE_U64, .flags = all ? 0 : HYPERCUBE_F_NOTIFY,
			.bytes = sizeof(in[i]),
		};
		j->in = &in[i];
		j->waits = true;
		if (all || node[i] == c->plan.tree.sink) {
			j->out = &out[i];
			j->room = sizeof(out[i]);
		}
	}
	if (run(p, n, 10))
		err = -ETIMEDOUT;
	for (i = 0; i < n && err != -ETIMEDOUT; i++) {
		struct job *j = &p[i].job[0];

		if (p[i].dead || j->refused || j->res.status) {
			err = p[i].dead ? p[i].dead : j->refused ? j->refused : j->res.status;
			break;
		}
		if (j->ends != 1 || j->got != j->room || (j->out && out[i] != mask)) {
			err = -EBADMSG;
			break;
		}
		results += !!j->out;
		if (j->out && res)
			*res = j->res;
	}
	parties_free(p, n);
	return err ? err : results ? 0 : -EBADMSG;
}

int cube_reduce(struct cube *c, unsigned int plan, struct hypercube_result *res)
{
	return sum_run(c, plan, HYPERCUBE_REDUCE, res, drive);
}

int cube_allreduce(struct cube *c, unsigned int plan, struct hypercube_result *res)
{
	return sum_run(c, plan, HYPERCUBE_ALLREDUCE, res, drive);
}

int cube_allreduce_again(struct cube *c, unsigned int plan)
{
	return sum_run(c, plan, HYPERCUBE_ALLREDUCE, NULL, drive_again);
}

int cube_reduce_again(struct cube *c, unsigned int plan)
{
	return sum_run(c, plan, HYPERCUBE_REDUCE, NULL, drive_again);
}

unsigned int barrier_without(const struct cube *c, const struct hypercube_op *op,
			     unsigned int last)
{
	struct hypercube_result res;
	unsigned int u, wrong = 0;
	bool eor;
	char buf;

	for (u = 0; u < c->nodes; u++)
		if (u != last)
			wrong += shc_send(c->fd[u], op, "", 0, 0) != 0;
	usleep(2000);
	for (u = 0; u < c->nodes; u++)
		wrong += shc_recv(c->fd[u], &buf, 1, &res, &eor, MSG_DONTWAIT) != -EAGAIN;
	return wrong;
}
