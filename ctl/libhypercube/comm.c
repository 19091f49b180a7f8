// SPDX-License-Identifier: GPL-2.0
/*
 * Communicators. A communicator is a tree plan with exactly the given nodes as members, and a
 * handle for it. Its parts are the communicators that hcl_comm_split() makes.
 *
 * Rank 0 of a communicator installs the plan. For a part, rank 0 also chooses the plan's id, and
 * the other members receive the id over the communicator that is split. The id consists of the
 * number of rank 0's node and a counter. So ids from different nodes differ, and a node only has to
 * avoid those of its own ids that are in use.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "libhypercube-comm.h"
#include "libhypercube-plan.h"

#define WORDS		256
#define WAIT_MS		10000
/* The id of a part consists of this bit, the node, and a counter. */
#define ID_PART		(UINT32_C(1) << 31)
#define ID_NUMBERS	(UINT32_C(1) << 14)

/**
 * struct users - reference count of a handle, which a communicator shares with its parts
 * @n: number of communicators
 */
struct users {
	unsigned int n;
};

/**
 * struct hcl_comm - a communicator
 * @group: its members; the arrays that it points to follow in the same allocation
 * @rank: the caller's rank
 * @h: handle for its plan, and for those of other communicators
 * @users: reference count of @h
 * @installed: the caller has installed the plan, and removes it when the communicator is released
 */
struct hcl_comm {
	struct hcl_comm_group group;
	uint32_t rank;
	struct hcl *h;
	struct users *users;
	bool installed;
	char fabric[HYPERCUBE_NAME_MAX];
	uint32_t nodes[];
};

static __thread char said[WORDS];

/* Store an explanation for hcl_comm_explain(). Return: @rc. */
__attribute__((format(printf, 2, 3))) static int fail(int rc, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	vsnprintf(said, sizeof(said), format, list);
	va_end(list);
	return rc;
}

/* Store the explanation of a failed call of libhypercube-plan. Return: @rc. */
static int plan_failed(int rc)
{
	hcl_plan_explain(said, sizeof(said));
	return rc;
}

/* Store the explanation of a failed call on a handle. Return: @rc. */
static int handle_failed(const struct hcl *h, int rc)
{
	hcl_explain(h, said, sizeof(said));
	return rc;
}

static int nomem(void)
{
	return fail(-ENOMEM, "out of memory");
}

/* --- creating a communicator --- */

/* Return: true if a group has a node twice. */
static bool has_twice(const struct hcl_comm_group *g)
{
	uint32_t i, j;

	for (i = 0; i < g->n; i++)
		for (j = 0; j < i; j++)
			if (g->nodes[i] == g->nodes[j])
				return true;
	return false;
}

/* Make a communicator, without a plan and a handle. Return: 0, or a negative errno. */
static int comm_new(struct hcl_comm **made, const struct hcl_comm_group *g, uint32_t node)
{
	struct hcl_comm *c;

	if (!g->fabric || strlen(g->fabric) >= HYPERCUBE_NAME_MAX)
		return fail(-EINVAL, "that is no name of a fabric");
	if (!g->n || has_twice(g))
		return fail(-EINVAL, "a group has no node, or one twice");
	c = calloc(1, sizeof(*c) + g->n * sizeof(*c->nodes));
	if (!c)
		return nomem();
	c->group = *g;
	c->group.fabric = strcpy(c->fabric, g->fabric);
	c->group.nodes = memcpy(c->nodes, g->nodes, g->n * sizeof(*c->nodes));
	c->group.wait_ms = g->wait_ms ? g->wait_ms : WAIT_MS;
	while (c->rank < g->n && c->nodes[c->rank] != node)
		c->rank++;
	if (c->rank == g->n) {
		free(c);
		return fail(-EINVAL, "node %u is not in its group", node);
	}
	*made = c;
	return 0;
}

/* Free a communicator. Close its handle if no other communicator uses it, and remove its plan if
 * the caller has installed it.
 */
static void comm_release(struct hcl_comm *c)
{
	if (!c)
		return;
	if (c->h)
		hcl_close_plan(c->h, c->group.plan);
	if (c->h && !--c->users->n) {
		hcl_close(c->h);
		free(c->users);
	}
	if (c->installed)
		hcl_plan_remove(c->fabric, c->group.plan);
	free(c);
}

/* Install the plan. Return: 0, -EEXIST if a plan with this id exists, or another negative errno. */
static int install(struct hcl_comm *c)
{
	const struct hcl_comm_group *g = &c->group;
	struct hcl_plan there;
	int rc = hcl_plan_get(g->fabric, g->plan, &there);

	if (!rc)
		return fail(-EEXIST, "fabric %s: there is a plan %u", g->fabric, g->plan);
	if (rc != -ENOENT)
		return plan_failed(rc);
	rc = hcl_plan_install_members(g->fabric, g->plan, g->nodes, g->n, g->guard_ms, NULL);
	if (rc)
		return plan_failed(rc);
	c->installed = true;
	return 0;
}

static int compare(const void *a, const void *b)
{
	const uint32_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Check that the plan that rank 0 has installed has the members of the caller's group. Return: 0,
 * or a negative errno with an explanation.
 */
static int check_members(const struct hcl_comm *c)
{
	const struct hcl_comm_group *g = &c->group;
	uint32_t *sets = malloc(2 * g->n * sizeof(*sets)), *theirs = sets + g->n;
	int rc;

	if (!sets)
		return nomem();
	memcpy(sets, g->nodes, g->n * sizeof(*sets));
	qsort(sets, g->n, sizeof(*sets), compare);
	rc = hcl_plan_members(g->fabric, g->plan, theirs, g->n);
	if (rc < 0)
		rc = plan_failed(rc);
	else if ((uint32_t)rc != g->n || memcmp(sets, theirs, g->n * sizeof(*sets)))
		rc = fail(-EINVAL, "fabric %s: plan %u has other members", g->fabric, g->plan);
	else
		rc = 0;
	free(sets);
	return rc;
}

static int open_handle(struct hcl_comm *c)
{
	const struct hcl_comm_group *g = &c->group;
	int rc;

	c->users = calloc(1, sizeof(*c->users));
	if (!c->users)
		return nomem();
	c->users->n = 1;
	rc = hcl_open_plans(&c->h, g->fabric, g->nodes[c->rank], g->plan);
	if (rc) {
		free(c->users);
		c->h = NULL;
		return handle_failed(NULL, rc);
	}
	return 0;
}

static int await_plan(struct hcl_comm *c)
{
	struct hcl_plan plan;
	int rc = hcl_plan_await(c->fabric, c->group.plan, 0, c->group.wait_ms, &plan);

	return rc ? plan_failed(rc) : check_members(c);
}

int hcl_comm_create(struct hcl_comm **made, const struct hcl_comm_group *g, uint32_t node)
{
	struct hcl_comm *c = NULL;
	int rc = comm_new(&c, g, node);

	if (!rc && (!g->plan || g->plan >= ID_PART))
		rc = fail(-EINVAL, "%u is no id for the plan of a communicator", g->plan);
	if (!rc)
		rc = c->rank ? await_plan(c) : install(c);
	rc = rc ? rc : open_handle(c);
	if (rc)
		comm_release(c);
	else
		*made = c;
	return rc;
}

void hcl_comm_free(struct hcl_comm *c)
{
	if (!c)
		return;
	/* A member that enters this barrier has received all its results. So the member that
	 * removes the plan need not wait until the other members have left the barrier.
	 */
	hcl_set_timeout(c->h, c->group.wait_ms);
	hcl_barrier(c->h, c->group.plan, NULL);
	comm_release(c);
}

/* --- properties --- */

struct hcl *hcl_comm_handle(const struct hcl_comm *c)
{
	return c->h;
}

uint32_t hcl_comm_plan(const struct hcl_comm *c)
{
	return c->group.plan;
}

uint32_t hcl_comm_size(const struct hcl_comm *c)
{
	return c->group.n;
}

uint32_t hcl_comm_rank(const struct hcl_comm *c)
{
	return c->rank;
}

uint32_t hcl_comm_node(const struct hcl_comm *c, uint32_t rank)
{
	return rank < c->group.n ? c->nodes[rank] : UINT32_MAX;
}

/* --- collectives of any root, in the order of ranks --- */

/* Run an allreduce in which each byte of the result comes from one member; all other members
 * contribute zeros there.
 */
static int fill(struct hcl_comm *c, const void *in, void *out, size_t bytes,
		struct hypercube_result *res)
{
	const struct hcl_params p = {
		.plan = c->group.plan, .oper = HYPERCUBE_OR, .type = HYPERCUBE_U8,
	};
	int rc = hcl_allreduce(c->h, &p, in, bytes, out, bytes, res);

	return rc ? handle_failed(c->h, rc) : 0;
}

int hcl_comm_bcast(struct hcl_comm *c, uint32_t root, void *buf, size_t bytes,
		   struct hypercube_result *res)
{
	void *other;
	int rc;

	if (root >= c->group.n)
		return fail(-EINVAL, "there is no rank %u", root);
	other = calloc(1, bytes + 1);
	if (!other)
		return nomem();
	rc = c->rank == root ? fill(c, buf, other, bytes, res) : fill(c, other, buf, bytes, res);
	free(other);
	return rc;
}

int hcl_comm_allgather(struct hcl_comm *c, const void *in, size_t bytes, void *out,
		       struct hypercube_result *res)
{
	size_t all;
	char *give;
	int rc;

	if (__builtin_mul_overflow(bytes, (size_t)c->group.n, &all))
		return nomem();
	give = calloc(1, all + 1);
	if (!give)
		return nomem();
	if (bytes)
		memcpy(give + c->rank * bytes, in, bytes);
	rc = fill(c, give, out, all, res);
	free(give);
	return rc;
}

/* --- parts --- */

/**
 * struct member - what each member of the communicator sends before it is split
 * @color: the part that the member joins
 * @key: sort key that orders the ranks of the part
 * @rank: its rank in the communicator that is split
 */
struct member {
	int32_t color;
	int32_t key;
	uint32_t rank;
};

/**
 * struct answer - what each member sends after it has made its part
 * @rc: 0 or a negative errno
 * @plan: rank 0 of a part: the id of the part's plan
 */
struct answer {
	int32_t rc;
	uint32_t plan;
};

static int compare_members(const void *a, const void *b)
{
	const struct member *x = a, *y = b;

	if (x->color != y->color)
		return x->color < y->color ? -1 : 1;
	if (x->key != y->key)
		return x->key < y->key ? -1 : 1;
	return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Return: a candidate for the id of a part. The counter advances with each call, and each process
 * begins at another number.
 */
static uint32_t id_next(uint32_t node)
{
	static uint32_t number;
	struct timespec t;

	if (!__atomic_load_n(&number, __ATOMIC_RELAXED)) {
		clock_gettime(CLOCK_REALTIME, &t);
		__atomic_fetch_add(&number, (uint32_t)t.tv_nsec / 64 + (uint32_t)getpid() * 7919,
				   __ATOMIC_RELAXED);
	}
	return ID_PART | node * ID_NUMBERS |
	       __atomic_fetch_add(&number, 1, __ATOMIC_RELAXED) % ID_NUMBERS;
}

/* Install the plan of a part, under an id that no plan has. */
static int install_part(struct hcl_comm *c)
{
	uint32_t try;
	int rc = -EEXIST;

	for (try = 0; rc == -EEXIST && try < ID_NUMBERS; try++) {
		c->group.plan = id_next(c->nodes[0]);
		rc = install(c);
	}
	return rc;
}

/* Allocate the caller's part, without a handle or an installed plan. @member is sorted by part,
 * then by key.
 */
static int part_new(struct hcl_comm *c, const struct member *member, int32_t color,
		    struct hcl_comm **part)
{
	struct hcl_comm_group g = c->group;
	uint32_t i, n = 0, *nodes = malloc(c->group.n * sizeof(*nodes));
	int rc;

	if (!nodes)
		return nomem();
	for (i = 0; i < c->group.n; i++)
		if (member[i].color == color)
			nodes[n++] = c->nodes[member[i].rank];
	g.nodes = nodes;
	g.n = n;
	rc = comm_new(part, &g, c->nodes[c->rank]);
	free(nodes);
	return rc;
}

/* Return: the first error of a member of the part, in the order of its ranks. */
static int part_error(const struct hcl_comm *c, const struct member *member, int32_t color,
		      const struct answer *answer)
{
	uint32_t i;
	int rc;

	for (i = 0; i < c->group.n; i++) {
		rc = answer[member[i].rank].rc;
		if (member[i].color != color || !rc)
			continue;
		if (member[i].rank != c->rank)
			fail(rc, "node %u could not make its part: %s", c->nodes[member[i].rank],
			     strerror(-rc));
		return rc;
	}
	return 0;
}

/* Return: the id of a part's plan, which rank 0 of the part has sent. */
static uint32_t part_plan(const struct member *member, int32_t color, const struct answer *answer)
{
	while (member->color != color)
		member++;
	return answer[member->rank].plan;
}

/* Make the caller's part. @member is sorted by part, then by key; @answer has an entry for each
 * rank.
 */
static int part_make(struct hcl_comm *c, const struct member *member, int32_t color,
		     struct answer *answer, struct hcl_comm **part)
{
	struct answer mine = { 0 };
	bool in_one = color != HCL_COMM_NO_PART;
	int rc;

	if (in_one)
		mine.rc = part_new(c, member, color, part);
	if (in_one && !mine.rc && !(*part)->rank) {
		mine.rc = install_part(*part);
		mine.plan = (*part)->group.plan;
	}
	/* A member that has failed also takes part in this allgather, so that the other members
	 * receive its error.
	 */
	rc = hcl_comm_allgather(c, &mine, sizeof(mine), answer, NULL);
	if (rc || !in_one)
		return rc;
	rc = part_error(c, member, color, answer);
	if (!rc)
		(*part)->group.plan = part_plan(member, color, answer);
	return rc;
}

int hcl_comm_split(struct hcl_comm *c, int32_t color, int32_t key, struct hcl_comm **part)
{
	struct member mine = { color, key, c->rank }, *member;
	struct hcl_comm *made = NULL;
	struct answer *answer;
	int rc;

	if (color < HCL_COMM_NO_PART)
		return fail(-EINVAL, "%d is no part", color);
	member = malloc(c->group.n * sizeof(*member));
	answer = malloc(c->group.n * sizeof(*answer));
	if (member && answer)
		rc = hcl_comm_allgather(c, &mine, sizeof(mine), member, NULL);
	else
		rc = nomem();
	if (!rc) {
		qsort(member, c->group.n, sizeof(*member), compare_members);
		rc = part_make(c, member, color, answer, &made);
	}
	free(member);
	free(answer);
	if (!rc && made) {
		made->h = c->h;
		made->users = c->users;
		c->users->n++;
	}
	if (rc)
		comm_release(made);
	else
		*part = made;
	return rc;
}

int hcl_comm_dup(struct hcl_comm *c, struct hcl_comm **copy)
{
	return hcl_comm_split(c, 0, 0, copy);
}

char *hcl_comm_explain(char *buf, size_t size)
{
	snprintf(buf, size, "%s", said);
	return buf;
}
