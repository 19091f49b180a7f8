// SPDX-License-Identifier: GPL-2.0
/*
 * libhypercube-plan: the tool's planners and its netlink code, for programs.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "plan_impl.h"

#define SAID	256
/* Milliseconds that hcl_plan_await() sleeps between two checks. */
#define PAUSE	5

/* Explanation of the latest failure of this thread. */
static __thread char said[SAID];

/* Store an error message for hcl_plan_explain(). */
static void keep(struct hcctl *h, const char *kind, const char *text)
{
	(void)h;
	if (*kind == 'e')
		snprintf(said, sizeof(said), "%s", text);
}

struct hcctl hcli_plan_context(void)
{
	return (struct hcctl){ .complain = keep };
}

/* A plan of any type, as the planner has found it. */
union found {
	struct hc_tree_plan tree;
	struct hc_bcast_plan bcast;
	struct hc_doubling doubling;
	struct hc_ring_plan ring;
	struct hc_span_plan span;
};

/**
 * struct wish - what is required of a plan
 * @root: its root, or HCL_PLAN_ANY
 * @members: set of its members, or NULL: as many as possible
 */
struct wish {
	uint32_t root;
	const uint32_t *members;
};

/**
 * struct kind - a plan type
 * @name: its name in messages
 * @rooted: it needs a root
 * @unrooted: it takes no root as an argument
 * @find: find a plan; returns 0, or -errno and sets @why
 * @shape: convert a plan to the form in which it is installed
 * @release: free a plan; may be NULL
 */
struct kind {
	const char *name;
	bool rooted;
	bool unrooted;
	bool any_network;	/* there are such plans in other networks than hypercubes, too */
	int (*find)(const struct hc_faults *f, const struct wish *w, union found *p,
		    const char **why);
	struct nl_shape (*shape)(const union found *p);
	void (*release)(union found *p);
};

static int find_tree(const struct hc_faults *f, const struct wish *w, union found *p,
		     const char **why)
{
	const struct hc_tree_req req = {
		.method = HC_TREE_EXACT, .sink = w->root, .members = w->members,
	};

	_Static_assert(HC_ANY_SINK == HCL_PLAN_ANY, "any sink is any root");
	return hc_plan_tree(f, &req, &p->tree, why);
}

static struct nl_shape shape_tree(const union found *p)
{
	return live_shape_tree(&p->tree);
}

static void release_tree(union found *p)
{
	hc_tree_plan_free(&p->tree);
}

static int find_bcast(const struct hc_faults *f, const struct wish *w, union found *p,
		      const char **why)
{
	const struct hc_bcast_req req = { .method = HC_BCAST_GENERAL, .source = w->root };

	return hc_plan_bcast(f, &req, &p->bcast, why);
}

static struct nl_shape shape_bcast(const union found *p)
{
	return live_shape_bcast(&p->bcast);
}

static void release_bcast(union found *p)
{
	hc_bcast_plan_free(&p->bcast);
}

static int find_doubling(const struct hc_faults *f, const struct wish *w, union found *p,
			 const char **why)
{
	(void)w;
	*why = "no node is connected with any other";
	return hc_plan_doubling_largest(f, &p->doubling);
}

static struct nl_shape shape_doubling(const union found *p)
{
	return live_shape_doubling(&p->doubling);
}

static int find_ring(const struct hc_faults *f, const struct wish *w, union found *p,
		     const char **why)
{
	struct hc_graph *g = hc_graph_left(f);
	int rc = g ? hc_plan_ring(g, f, HC_RING_AUTO, 0, &p->ring) : -ENOMEM;

	(void)w;
	*why = "no node is connected with any other";
	hc_graph_free(g);
	return rc;
}

static struct nl_shape shape_ring(const union found *p)
{
	return live_shape_ring(&p->ring);
}

static void release_ring(union found *p)
{
	hc_ring_plan_free(&p->ring);
}

static int find_span(const struct hc_faults *f, const struct wish *w, union found *p,
		     const char **why)
{
	const struct hc_span_req req = { .method = HC_SPAN_STEPS, .root = w->root };

	return hc_plan_span(f, &req, &p->span, why);
}

static struct nl_shape shape_span(const union found *p)
{
	return live_shape_span(&p->span);
}

static void release_span(union found *p)
{
	hc_span_plan_free(&p->span);
}

static const struct kind kinds[] = {
	[HYPERCUBE_PLAN_TREE] = {
		"tree", .find = find_tree, .shape = shape_tree, .release = release_tree,
	},
	[HYPERCUBE_PLAN_BCAST] = {
		"broadcast", .rooted = true, .any_network = true,
		.find = find_bcast, .shape = shape_bcast, .release = release_bcast,
	},
	[HYPERCUBE_PLAN_DOUBLING] = {
		"doubling", .unrooted = true, .find = find_doubling, .shape = shape_doubling,
	},
	[HYPERCUBE_PLAN_RING] = {
		"ring", .unrooted = true, .any_network = true,
		.find = find_ring, .shape = shape_ring, .release = release_ring,
	},
	[HYPERCUBE_PLAN_SPAN] = {
		"spanning tree", .any_network = true,
		.find = find_span, .shape = shape_span, .release = release_span,
	},
};

/* ---------------------------------------------------------------- looking up plans */

static int check_name(struct hcctl *h, const char *fabric)
{
	if (strlen(fabric) < HYPERCUBE_NAME_MAX)
		return 0;
	hc_error(h, "fabric %.64s: the name is too long", fabric);
	return -ENODEV;
}

/* Convert an error of a request for a fabric: if there is no such fabric, the kernel returns
 * -ENOENT.
 */
static int no_fabric(int rc)
{
	return rc == -ENOENT ? -ENODEV : rc;
}

int hcli_plan_fabric(struct hcctl *h, const char *fabric, struct nl_fabric *info)
{
	return check_name(h, fabric) ?: no_fabric(nl_fabric(h, fabric, info));
}

static uint32_t root_of(const struct nl_plan *v)
{
	switch (v->type) {
	case HYPERCUBE_PLAN_TREE:
	case HYPERCUBE_PLAN_SPAN:
		return v->sink;
	case HYPERCUBE_PLAN_BCAST:
		return v->source;
	case HYPERCUBE_PLAN_DOUBLING:
		return v->base;
	}
	return v->nring_nodes ? v->ring_nodes[0] : HCL_PLAN_ANY;
}

/* Copy the node numbers of the plan's members, @max of them at most. Return: the number of members.
 */
static uint32_t members_of(const struct nl_plan *v, uint32_t *nodes, size_t max)
{
	uint32_t u, n = 0;

	for (u = 0; v->members && u < 32 * v->member_words; u++) {
		if (!hc_set_has(v->members, u))
			continue;
		if (n < max)
			nodes[n] = u;
		n++;
	}
	return n;
}

int hcli_plan_look(struct hcctl *h, const char *fabric, uint32_t id, struct nl_fabric *info,
		   struct nl_plan *v)
{
	int rc = hcli_plan_fabric(h, fabric, info);

	if (!rc && !id) {
		hc_error(h, "fabric %s: a plan's id is not 0", fabric);
		rc = -ENOENT;
	}
	return rc ? rc : nl_plan(h, fabric, id, v);
}

static int plan_get(struct hcctl *h, const char *fabric, uint32_t id, struct hcl_plan *plan)
{
	struct nl_plan v = {};
	struct nl_fabric info;
	int rc = hcli_plan_look(h, fabric, id, &info, &v);

	if (!rc)
		*plan = (struct hcl_plan){
			.id = v.id, .type = v.type, .epoch = v.epoch, .dim = info.dim,
			.root = root_of(&v), .members = members_of(&v, NULL, 0),
			.broken = v.broken, .cause_node = v.cause_node, .cause_dim = v.cause_dim,
		};
	nl_plan_clear(&v);
	return rc;
}

int hcl_plan_get(const char *fabric, uint32_t id, struct hcl_plan *plan)
{
	struct hcctl h = hcli_plan_context();
	int rc = plan_get(&h, fabric, id, plan);

	nl_leave(&h);
	return rc;
}

int hcl_plan_members(const char *fabric, uint32_t id, uint32_t *nodes, size_t max)
{
	struct hcctl h = hcli_plan_context();
	struct nl_plan v = {};
	struct nl_fabric info;
	int rc = hcli_plan_look(&h, fabric, id, &info, &v);

	if (!rc)
		rc = members_of(&v, nodes, max);
	nl_plan_clear(&v);
	nl_leave(&h);
	return rc;
}

static uint64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000ull + t.tv_nsec / 1000000;
}

int hcl_plan_await(const char *fabric, uint32_t id, uint32_t epoch, unsigned int ms,
		   struct hcl_plan *plan)
{
	const uint64_t end = now_ms() + ms;
	struct hcctl h = hcli_plan_context();
	int rc;

	for (;;) {
		rc = plan_get(&h, fabric, id, plan);
		if (rc ? rc != -ENOENT : !plan->broken && plan->epoch != epoch)
			break;
		if (now_ms() >= end) {
			hc_error(&h, "fabric %s: no new plan %u within %u ms", fabric, id, ms);
			rc = -ETIMEDOUT;
			break;
		}
		usleep(PAUSE * 1000);
	}
	nl_leave(&h);
	return rc;
}

/* ---------------------------------------------------------------- installing */

/**
 * struct making - an installation
 * @fabric: name of the fabric
 * @kind: the plan type
 * @id: id of the plan
 * @type: enum hypercube_plan_type
 * @wish: what is required of the plan
 * @nodes: numbers of the members that it requires, or NULL
 * @n: number of @nodes
 * @guard: how long, in ms, members of a guarded plan wait for its next epoch, or 0
 * @recipe: with @guard, the arguments of hcctl that make the plan again
 */
struct making {
	const char *fabric;
	const struct kind *kind;
	uint32_t id;
	uint32_t type;
	struct wish wish;
	const uint32_t *nodes;
	size_t n;
	uint32_t guard;
	const char *recipe;
};

static int find(struct hcctl *h, const struct making *m, const struct hc_faults *f,
		union found *p)
{
	const char *why = "not possible";
	int rc;

	memset(p, 0, sizeof(*p));
	rc = m->kind->find(f, &m->wish, p, &why);
	if (rc == -ENOMEM)
		return hc_nomem(h);
	if (rc && m->wish.root != HCL_PLAN_ANY)
		hc_error(h, "fabric %s: no %s with root %u: %s", m->fabric, m->kind->name,
			 m->wish.root, why);
	else if (rc)
		hc_error(h, "fabric %s: no %s: %s", m->fabric, m->kind->name, why);
	return rc;
}

static int check_nodes(struct hcctl *h, const struct making *m, const struct hc_faults *f)
{
	size_t i = 0;

	while (i < m->n && m->nodes[i] < f->topo.nodes)
		i++;
	if (i == m->n)
		return 0;
	hc_error(h, "fabric %s: there is no node %u", m->fabric, m->nodes[i]);
	return -ERANGE;
}

/* Plan around the present faults, and install the plan. @last: as in live_retry(). */
static int make_once(struct hcctl *h, void *arg, bool last)
{
	const struct making *m = arg;
	struct hc_faults *f;
	struct nl_shape s;
	union found p;
	int rc = no_fabric(live_faults(h, m->fabric, &f));

	if (rc)
		return rc;
	if (!m->kind->any_network)
		rc = live_need_cube(h, m->fabric, f->dim, m->kind->name);
	rc = rc ?: check_nodes(h, m, f) ?: find(h, m, f, &p);
	if (!rc) {
		s = m->kind->shape(&p);
		s.guard = m->guard;
		s.recipe = m->recipe;
		rc = nl_plan_add(h, m->fabric, m->id, m->type, &s, f->topo.nodes, f->fault, !last);
		if (m->kind->release)
			m->kind->release(&p);
	}
	hc_faults_free(f);
	return rc;
}

static int refuse(struct hcctl *h, const char *fabric, const char *why)
{
	hc_error(h, "fabric %s: %s", fabric, why);
	return -EINVAL;
}

static int install(struct hcctl *h, struct making *m)
{
	int rc = check_name(h, m->fabric);

	if (rc)
		return rc;
	if (!m->id)
		return refuse(h, m->fabric, "a plan's id is not 0");
	if (m->type < sizeof(kinds) / sizeof(*kinds) && kinds[m->type].find)
		m->kind = &kinds[m->type];
	if (!m->kind)
		return refuse(h, m->fabric, "there is no such type of plan");
	if (m->kind->rooted && m->wish.root == HCL_PLAN_ANY)
		return refuse(h, m->fabric, "a broadcast needs a source");
	if (m->kind->unrooted && m->wish.root != HCL_PLAN_ANY)
		return refuse(h, m->fabric, "such a plan has no root to choose");
	return live_retry(h, make_once, m);
}

int hcl_plan_install(const char *fabric, uint32_t id, uint32_t type, uint32_t root,
		     struct hcl_plan *plan)
{
	struct making m = { .fabric = fabric, .id = id, .type = type, .wish.root = root };
	struct hcctl h = hcli_plan_context();
	int rc = install(&h, &m);

	if (!rc && plan)
		rc = plan_get(&h, fabric, id, plan);
	nl_leave(&h);
	return rc;
}

/* Write the arguments with which hcctl makes the plan again, such as "tree find members 0-4,7".
 * @highest: the highest member. Return: false if they are too long.
 */
static bool write_recipe(const uint32_t *set, uint32_t highest, char buf[HYPERCUBE_RECIPE_MAX + 1])
{
	size_t size = HYPERCUBE_RECIPE_MAX + 1, len = snprintf(buf, size, "tree find members");
	uint32_t u, last;
	char sep = ' ';

	for (u = 0; u <= highest && len < size; u = last + 1) {
		last = u;
		if (!hc_set_has(set, u))
			continue;
		while (last < highest && hc_set_has(set, last + 1))
			last++;
		len += snprintf(buf + len, size - len, last == u ? "%c%u" : "%c%u-%u", sep, u,
				last);
		sep = ',';
	}
	return len < size;
}

static int install_members(struct hcctl *h, struct making *m)
{
	char recipe[HYPERCUBE_RECIPE_MAX + 1];
	uint32_t *set = calloc(hc_set_words(HC_LIB_DIM_MAX), sizeof(*set));
	int rc = set ? 0 : hc_nomem(h);
	uint32_t highest = 0;
	size_t i;

	/* Skip numbers that are too high for any fabric. check_nodes() refuses them later, when the
	 * fabric's number of nodes is known.
	 */
	for (i = 0; set && i < m->n; i++) {
		if (m->nodes[i] >= hc_nodes(HC_LIB_DIM_MAX))
			continue;
		hc_set_add(set, m->nodes[i]);
		highest = m->nodes[i] > highest ? m->nodes[i] : highest;
	}
	if (!rc && m->guard && !write_recipe(set, highest, recipe)) {
		hc_error(h, "fabric %s: the list of members is too long for a guarded plan to keep",
			 m->fabric);
		rc = -E2BIG;
	}
	m->wish.members = set;
	m->recipe = m->guard ? recipe : NULL;
	rc = rc ?: install(h, m);
	free(set);
	return rc;
}

int hcl_plan_install_members(const char *fabric, uint32_t id, const uint32_t *nodes, size_t n,
			     unsigned int guard_ms, struct hcl_plan *plan)
{
	struct making m = {
		.fabric = fabric, .id = id, .type = HYPERCUBE_PLAN_TREE,
		.wish.root = HCL_PLAN_ANY, .nodes = nodes, .n = n, .guard = guard_ms,
	};
	struct hcctl h = hcli_plan_context();
	int rc = install_members(&h, &m);

	if (!rc && plan)
		rc = plan_get(&h, fabric, id, plan);
	nl_leave(&h);
	return rc;
}

int hcl_plan_remove(const char *fabric, uint32_t id)
{
	struct hcctl h = hcli_plan_context();
	int rc = nl_plan_del(&h, fabric, id, false);
	struct nl_plan v = {};
	struct nl_fabric info;

	/* An error may mean that the fabric or the plan does not exist: find out which. */
	if (rc)
		rc = hcli_plan_look(&h, fabric, id, &info, &v) ?: rc;
	nl_plan_clear(&v);
	nl_leave(&h);
	return rc;
}

char *hcl_plan_explain(char *buf, size_t size)
{
	snprintf(buf, size, "%s", said);
	return buf;
}
