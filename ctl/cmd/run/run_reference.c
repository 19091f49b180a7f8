// SPDX-License-Identifier: GPL-2.0
/*
 * The data of a run, and its expected result. Contributions are combined in the order in which the
 * plan merges them, so floats can be compared bit by bit. This code shares nothing with the kernel
 * except the roles of members.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "memory.h"
#include "reference.h"
#include "run.h"
#include "splitmix.h"

/* --- data --- */

/* Return: a float made of the random bits @r, in a range in which the sums or products of all
 * members stay small.
 */
static double real(unsigned int oper, uint64_t r)
{
	double v = ldexp(r >> 12, -52);

	if (oper == HYPERCUBE_PROD)
		v += .5;
	return r & 1 ? -v : v;
}

static void random_value(const struct run *r, uint64_t bits, uint8_t *to, size_t size)
{
	if (plain_is_float(r->p.type)) {
		plain_put_real(r->p.type, to, real(r->p.oper, bits));
		return;
	}
	/* The bits are random, so it does not matter in which byte order they are copied. */
	memcpy(to, &bits, size < sizeof(bits) ? size : sizeof(bits));
}

static bool has_index(const struct run *r)
{
	return r->p.oper == HYPERCUBE_MINLOC || r->p.oper == HYPERCUBE_MAXLOC;
}

/* Make the random contribution of a node, by splitmix64 with an initial state that follows from the
 * seed and the node.
 */
static void random_contribution(const struct run *r, uint32_t node, uint8_t *buf)
{
	uint64_t own = hc_splitmix_mix((node + 1) * 0xd1342543de82ef95);
	uint64_t state = hc_splitmix_mix(r->seed) ^ own, bits;
	struct hypercube_loc *loc;
	size_t i, j;

	for (i = 0; i < r->count; i++) {
		uint8_t *to = buf + i * r->elem;

		bits = hc_splitmix(&state);
		if (r->p.type == HYPERCUBE_RECORD) {
			for (j = 0; j < r->elem; j += sizeof(bits)) {
				size_t len = r->elem - j;

				memcpy(to + j, &bits, len < sizeof(bits) ? len : sizeof(bits));
				bits = hc_splitmix(&state);
			}
		} else if (has_index(r)) {
			loc = (struct hypercube_loc *)to;
			memset(loc, 0, sizeof(*loc));
			random_value(r, bits, loc->value,
				     hcl_elem_size(HYPERCUBE_MIN, r->p.type, 0));
			loc->index = (uint64_t)node * r->count + i;
		} else {
			random_value(r, bits, to, r->elem);
		}
	}
}

/* Compute acc = acc op in for the elements from index @from to @to - 1. */
static void combine(const struct run *r, uint8_t *acc, const uint8_t *in, size_t from, size_t to)
{
	from *= r->elem;
	to *= r->elem;
	plain_combine(r->p.oper, r->p.type, r->p.width, acc + from, in + from, to - from);
}

static int compare_sorted(const void *a, const void *b, void *arg)
{
	const struct run *r = arg;

	return plain_compare(r->p.type, r->p.width, a, b);
}

static void sort(const struct run *r, void *v, size_t n)
{
	qsort_r(v, n, r->elem, compare_sorted, (void *)r);
}

/* Return: a copy of @r in which count and bytes are those of a whole contribution, not of one of
 * its blocks.
 */
static struct run undivided(const struct run *r)
{
	struct run all = *r;

	all.count *= run_parts(r);
	all.bytes *= run_parts(r);
	return all;
}

/* Get the block of the member with rank @rank: from the data file, or random data. */
static void block(const struct run *r, uint32_t rank, void *buf)
{
	if (r->data)
		memcpy(buf, r->data + (run_is_message(r) ? 0 : rank) * r->bytes, r->bytes);
	else
		random_contribution(r, r->node[rank], buf);
	if (r->p.oper == HYPERCUBE_MERGE)
		sort(r, buf, r->count);
}

static void all_blocks(const struct run *r, uint8_t *buf)
{
	uint32_t i;

	for (i = 0; i < r->n; i++)
		block(r, i, buf + i * r->bytes);
}

/* Return: true if the members that @who denotes have the blocks of all members. This is the case
 * for the root; any other member has only its own block. Collectives in which all members get the
 * blocks of all members are not covered here, but in gets_all().
 */
static bool has_all(const struct run *r, enum hc_who who)
{
	return r->desc->payload == HC_PAYLOAD_BLOCKS && who == HC_WHO_ROOT;
}

/* Return: true if a result consists of the blocks of all members. */
static bool gets_all(const struct run *r)
{
	return has_all(r, r->desc->gets) || hc_coll_shares(r->desc);
}

void run_contribution(const struct run *r, uint32_t rank, void *buf)
{
	const struct run all = undivided(r);

	if (has_all(r, r->desc->gives))
		all_blocks(r, buf);
	else
		block(&all, rank, buf);
}

size_t run_in_bytes(const struct run *r, uint32_t rank)
{
	size_t bytes = has_all(r, r->desc->gives) ? r->n * r->bytes : undivided(r).bytes;

	return run_gives(r, rank) ? bytes : 0;
}

size_t run_out_bytes(const struct run *r)
{
	return r->p.oper == HYPERCUBE_MERGE || gets_all(r) || hc_coll_placed(r->desc) ?
		r->n * r->bytes : r->bytes;
}

/* --- computing the result over the plan --- */

/**
 * struct plain - state of computing the expected result
 * @r: the run
 * @planner: the plan type of the run's plan
 * @faults: the current faults
 * @kept: by node: the partial result of a node that has effective helpers, as long as not all of
 *	these helpers have merged their shares
 * @uses: by node: number of helpers that have not merged their share of @kept yet
 * @scratch: memory for the sources of a node while its role is computed
 * @max: number of entries of @scratch
 */
struct plain {
	const struct run *r;
	const struct planner *planner;
	const struct hc_faults *faults;
	uint8_t **kept;
	uint8_t *uses;
	struct hc_tree_peer *scratch;
	unsigned int max;
};

static uint8_t *partial(struct plain *p, uint32_t u);

static int role_of(const struct plain *p, uint32_t u, struct hc_tree_role *role,
		   struct hc_tree_peer *src, unsigned int max)
{
	return p->planner->role(&p->r->plan, p->faults, u, role, src, max);
}

/* Return: the rank of @node, which must be a member. */
static uint32_t rank_of(const struct run *r, uint32_t node)
{
	uint32_t low = 0, high = r->n - 1, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (r->node[mid] < node)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* In each segment, merge the share of @from's data that is assigned to its helper @u into @acc. */
static int merge_part(struct plain *p, uint32_t u, uint8_t *acc, uint32_t from,
		      const uint8_t *in)
{
	size_t seg = p->r->info.segment / p->r->elem, start, len;
	struct hc_tree_role role;
	unsigned int i;

	if (role_of(p, from, &role, p->scratch, p->max))
		return -EINVAL;
	for (i = 0; i < role.ndst && role.dst[i].node != u; i++)
		;
	if (i == role.ndst || !seg)
		return -EINVAL;
	for (start = 0; start < p->r->count; start += seg) {
		len = p->r->count - start < seg ? p->r->count - start : seg;
		combine(p->r, acc, in, start + len * i / role.ndst,
			start + len * (i + 1) / role.ndst);
	}
	p->uses[from]--;
	return 0;
}

/* Merge the data that the source @src sends to node @u into @acc, the data of @u. */
static int merge_source(struct plain *p, uint32_t u, uint8_t *acc,
			const struct hc_tree_peer *src)
{
	uint32_t from = src->node;
	struct hc_tree_role role;
	uint8_t *in;
	int rc = 0;

	in = p->kept[from] ?: partial(p, from);
	if (!in)
		return -ENOMEM;
	if (src->how != HC_TREE_HELP) {
		combine(p->r, acc, in, 0, p->r->count);
		free(in);
		return 0;
	}
	if (!p->kept[from]) {
		p->kept[from] = in;
		if (role_of(p, from, &role, p->scratch, p->max))
			return -EINVAL;
		p->uses[from] = role.ndst;
	}
	rc = merge_part(p, u, acc, from, in);
	if (!rc && !p->uses[from]) {
		free(in);
		p->kept[from] = NULL;
	}
	return rc;
}

/* Return: the data of node @u after it has merged the data of all its sources, to be freed; NULL on
 * error.
 */
static uint8_t *partial(struct plain *p, uint32_t u)
{
	struct hc_tree_peer *src = calloc(p->max, sizeof(*src));
	uint8_t *acc = malloc(p->r->bytes ?: 1);
	struct hc_tree_role role;
	unsigned int i;
	int rc = -ENOMEM;

	if (src && acc)
		rc = role_of(p, u, &role, src, p->max);
	if (!rc)
		block(p->r, rank_of(p->r, u), acc);
	for (i = 0; !rc && i < role.nsrc; i++)
		rc = merge_source(p, u, acc, &src[i]);
	free(src);
	if (rc) {
		free(acc);
		return NULL;
	}
	return acc;
}

static uint8_t *plain_reduction(const struct run *r)
{
	uint32_t nodes = r->info.nodes, u;
	struct plain p = {
		.r = r, .planner = planner_of(r->plan.type),
		.faults = r->faults,
		.max = 2 * r->info.ports + r->plan.ndetours + 1,
	};
	uint8_t *result = NULL;

	p.kept = calloc(nodes, sizeof(*p.kept));
	p.uses = calloc(nodes, 1);
	p.scratch = calloc(p.max, sizeof(*p.scratch));
	if (p.kept && p.uses && p.scratch)
		result = partial(&p, r->root);
	for (u = 0; p.kept && u < nodes; u++)
		free(p.kept[u]);
	hc_free_all(p.kept, p.uses, p.scratch);
	return result;
}

static uint8_t *plain_sort(const struct run *r)
{
	uint8_t *v = malloc(run_out_bytes(r) ?: 1);

	if (!v)
		return NULL;
	all_blocks(r, v);
	sort(r, v, (size_t)r->n * r->count);
	return v;
}

/* Return: true if the elements @a and @b are both NaNs. */
static bool nans(unsigned int type, const void *a, const void *b)
{
	return plain_is_nan(type, a) && plain_is_nan(type, b);
}

/* Return: true if the two results are equal bit by bit. All NaNs count as equal. */
static bool same(const struct run *r, const uint8_t *a, const uint8_t *b, size_t bytes)
{
	size_t i;

	if (!memcmp(a, b, bytes))
		return true;
	for (i = 0; i < bytes; i += r->elem)
		if (memcmp(a + i, b + i, r->elem) && !nans(r->p.type, a + i, b + i))
			return false;
	return true;
}

uint8_t *run_expect_merged(const struct run *r)
{
	const struct run all = undivided(r);

	return r->p.oper == HYPERCUBE_MERGE ? plain_sort(r) : plain_reduction(&all);
}

uint8_t *run_expect_exchanged(const struct run *r)
{
	const struct run all = undivided(r);
	uint8_t *v = malloc(r->n * all.bytes + 1), *one = malloc(all.bytes + 1);
	uint32_t i, j;

	for (i = 0; v && one && i < r->n; i++) {
		block(&all, i, one);
		for (j = 0; j < r->n; j++)
			memcpy(v + j * all.bytes + i * r->bytes, one + j * r->bytes, r->bytes);
	}
	if (!one) {
		free(v);
		v = NULL;
	}
	free(one);
	return v;
}

uint8_t *run_expect_message(const struct run *r)
{
	uint8_t *v = malloc(r->bytes + 1);

	if (v)
		block(r, rank_of(r, r->root), v);
	return v;
}

uint8_t *run_expect_blocks(const struct run *r)
{
	uint8_t *v = malloc(r->n * r->bytes + 1);

	if (v)
		all_blocks(r, v);
	return v;
}

int run_verify(const struct run *r, struct run_result *out)
{
	bool own = r->desc->parts ||
		   (r->desc->payload == HC_PAYLOAD_BLOCKS && !gets_all(r));
	uint8_t *want;
	uint32_t i;
	int rc = 1;

	if (!r->kind->expected)
		return !out->early;
	want = r->kind->expected(r);
	if (!want)
		return -ENOMEM;
	for (i = 0; rc && i < r->n; i++) {
		if (!run_gets(r, i))
			continue;
		rc = out->out[i] && same(r, want + (own ? i * out->bytes : 0), out->out[i],
					 out->bytes);
		out->wrong = r->node[i];
	}
	free(want);
	return rc;
}

uint64_t run_digest(const void *data, size_t bytes)
{
	uint64_t v = 0xcbf29ce484222325;
	const uint8_t *p = data;

	while (bytes--)
		v = (v ^ *p++) * 0x100000001b3;
	return v;
}
