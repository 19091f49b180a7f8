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
/* ms: how long hcl_plan_await() sleeps between two looks. */
#define PAUSE	5

/* The latest failure of this thread, in words. */
static __thread char said[SAID];

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

/* A plan of any type, as it was found. */
union found {
	struct hc_tree_plan tree;
	struct hc_bcast_plan bcast;
	struct hc_doubling doubling;
	struct hc_ring_plan ring;
};

/**
 * struct kind - a type of plans
 * @name: in sentences
 * @rooted: it needs a root
 * @unrooted: it takes none
 * @find: 0, or -errno and @why
 * @shape: to be installed
 * @release: may be NULL
 */
struct kind {
	const char *name;
	bool rooted;
	bool unrooted;
	int (*find)(const struct hc_faults *f, uint32_t root, union found *p, const char **why);
	struct nl_shape (*shape)(const union found *p);
	void (*release)(union found *p);
};

static int find_tree(const struct hc_faults *f, uint32_t root, union found *p, const char **why)
{
	const struct hc_tree_req req = { .method = HC_TREE_EXACT, .sink = root };

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

static int find_bcast(const struct hc_faults *f, uint32_t root, union found *p, const char **why)
{
	const struct hc_bcast_req req = { .method = HC_BCAST_GENERAL, .source = root };

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

static int find_doubling(const struct hc_faults *f, uint32_t root, union found *p,
			 const char **why)
{
	(void)root;
	*why = "no node is connected with any other";
	return hc_plan_doubling_largest(f, &p->doubling);
}

static struct nl_shape shape_doubling(const union found *p)
{
	return live_shape_doubling(&p->doubling);
}

static int find_ring(const struct hc_faults *f, uint32_t root, union found *p, const char **why)
{
	struct hc_graph *g = hc_graph_cube(f);
	int rc = g ? hc_plan_ring(g, f, HC_RING_AUTO, 0, &p->ring) : -ENOMEM;

	(void)root;
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

static const struct kind kinds[] = {
	[HYPERCUBE_PLAN_TREE] = {
		"tree", .find = find_tree, .shape = shape_tree, .release = release_tree,
	},
	[HYPERCUBE_PLAN_BCAST] = {
		"broadcast", .rooted = true,
		.find = find_bcast, .shape = shape_bcast, .release = release_bcast,
	},
	[HYPERCUBE_PLAN_DOUBLING] = {
		"doubling", .unrooted = true, .find = find_doubling, .shape = shape_doubling,
	},
	[HYPERCUBE_PLAN_RING] = {
		"ring", .unrooted = true,
		.find = find_ring, .shape = shape_ring, .release = release_ring,
	},
};

/* ---------------------------------------------------------------- looking */

/* The kernel says -ENOENT for a missing fabric, too. */
int hcli_plan_fabric(struct hcctl *h, const char *fabric, struct nl_fabric *info)
{
	int rc;

	if (strlen(fabric) >= HYPERCUBE_NAME_MAX) {
		hc_error(h, "fabric %.64s: the name is too long", fabric);
		return -ENODEV;
	}
	rc = nl_fabric(h, fabric, info);
	return rc == -ENOENT ? -ENODEV : rc;
}

static uint32_t root_of(const struct nl_plan *v)
{
	switch (v->type) {
	case HYPERCUBE_PLAN_TREE:
		return v->sink;
	case HYPERCUBE_PLAN_BCAST:
		return v->source;
	case HYPERCUBE_PLAN_DOUBLING:
		return v->base;
	}
	return v->nring_nodes ? v->ring_nodes[0] : HCL_PLAN_ANY;
}

/* The numbers of its members, as far as there is room; how many there are. */
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

/* @v is to be cleared afterwards. */
static int look(struct hcctl *h, const char *fabric, uint32_t id, struct nl_fabric *info,
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
	int rc = look(h, fabric, id, &info, &v);

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
	int rc = look(&h, fabric, id, &info, &v);

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

struct making {
	const char *fabric;
	const struct kind *kind;
	uint32_t id;
	uint32_t type;
	uint32_t root;
};

static int find(struct hcctl *h, const struct making *m, const struct hc_faults *f,
		union found *p)
{
	const char *why = "not possible";
	int rc;

	memset(p, 0, sizeof(*p));
	rc = m->kind->find(f, m->root, p, &why);
	if (rc == -ENOMEM)
		return hc_nomem(h);
	if (rc && m->root != HCL_PLAN_ANY)
		hc_error(h, "fabric %s: no %s with root %u: %s", m->fabric, m->kind->name, m->root,
			 why);
	else if (rc)
		hc_error(h, "fabric %s: no %s: %s", m->fabric, m->kind->name, why);
	return rc;
}

static int make_once(struct hcctl *h, void *arg, bool last)
{
	const struct making *m = arg;
	struct hc_faults *f;
	struct nl_shape s;
	union found p;
	int rc = live_faults(h, m->fabric, &f);

	if (rc)
		return rc;
	rc = find(h, m, f, &p);
	if (!rc) {
		s = m->kind->shape(&p);
		rc = nl_plan_add(h, m->fabric, m->id, m->type, &s, f->dim, f->fault, !last);
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
	struct nl_fabric info;
	int rc;

	if (!m->id)
		return refuse(h, m->fabric, "a plan's id is not 0");
	if (m->type < sizeof(kinds) / sizeof(*kinds) && kinds[m->type].find)
		m->kind = &kinds[m->type];
	if (!m->kind)
		return refuse(h, m->fabric, "there is no such type of plan");
	if (m->kind->rooted && m->root == HCL_PLAN_ANY)
		return refuse(h, m->fabric, "a broadcast needs a source");
	if (m->kind->unrooted && m->root != HCL_PLAN_ANY)
		return refuse(h, m->fabric, "such a plan has no root to choose");
	rc = hcli_plan_fabric(h, m->fabric, &info);
	return rc ? rc : live_retry(h, make_once, m);
}

int hcl_plan_install(const char *fabric, uint32_t id, uint32_t type, uint32_t root,
		     struct hcl_plan *plan)
{
	struct making m = { .fabric = fabric, .id = id, .type = type, .root = root };
	struct hcctl h = hcli_plan_context();
	int rc = install(&h, &m);

	if (!rc && plan)
		rc = plan_get(&h, fabric, id, plan);
	nl_leave(&h);
	return rc;
}

int hcl_plan_remove(const char *fabric, uint32_t id)
{
	struct hcctl h = hcli_plan_context();
	struct nl_fabric info;
	struct nl_plan v = {};
	int rc = look(&h, fabric, id, &info, &v);

	nl_plan_clear(&v);
	if (!rc)
		rc = nl_plan_del(&h, fabric, id, false);
	nl_leave(&h);
	return rc;
}

char *hcl_plan_explain(char *buf, size_t size)
{
	snprintf(buf, size, "%s", said);
	return buf;
}
