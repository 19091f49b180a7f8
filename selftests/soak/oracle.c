// SPDX-License-Identifier: GPL-2.0
/*
 * Computes the data that each member contributes to an operation, and the result that each member
 * must get.
 */
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "reference.h"
#include "soak.h"

/* Return: the plan of contribution number @s, in the order in which all members contribute to all
 * plans.
 */
int plan_of(const struct era *e, uint64_t seed, uint32_t s)
{
	uint32_t total = 0, i, r;

	for (i = 0; i < PLANS; i++)
		total += e->plan[i].active ? e->weight[i] : 0;
	r = (uint32_t)(key_of(seed, e->gen, s, 77, 0) >> 32) % total;
	for (i = 0; i < PLANS; i++) {
		if (!e->plan[i].active)
			continue;
		if (r < e->weight[i])
			return (int)i;
		r -= e->weight[i];
	}
	return 0;
}

static int pick_type(struct dice *d, int oper)
{
	if (oper == HYPERCUBE_AND || oper == HYPERCUBE_OR || oper == HYPERCUBE_XOR)
		return HYPERCUBE_U8 + (int)below(d, 8);
	if (oper == HYPERCUBE_MERGE || oper == HYPERCUBE_MIN || oper == HYPERCUBE_MAX)
		return HYPERCUBE_U8 + (int)below(d, 11);
	return HYPERCUBE_U8 + (int)below(d, 10);
}

static uint32_t pick_bytes(struct dice *d, enum sizes how, uint32_t nodes)
{
	uint32_t r = below(d, 100), most = LARGEST;

	if (nodes > 16)
		most /= r % 16 ? 8 : 1;
	if (how == SMALL)
		return r < 10 ? 0 : r < 95 ? 1 + below(d, 64) : 1 + below(d, 2048);
	if (how == MIXED)
		return r < 5	? 0
		       : r < 60 ? 1 + below(d, 512)
		       : r < 90 ? below(d, 8192)
		       : r < 98 ? below(d, 40000)
				: below(d, most + 1);
	return r < 30 ? below(d, 4096) : r < 80 ? below(d, most / 3) : below(d, most + 1);
}

static void spec_tree(struct dice *d, struct spec *sp)
{
	static const uint8_t shares[] = {
		HYPERCUBE_REDUCE,    HYPERCUBE_REDUCE,	  HYPERCUBE_REDUCE,
		HYPERCUBE_ALLREDUCE, HYPERCUBE_ALLREDUCE, HYPERCUBE_ALLREDUCE,
		HYPERCUBE_BARRIER,   HYPERCUBE_GATHER,	  HYPERCUBE_SCATTER,
	};

	sp->collective = shares[below(d, sizeof(shares))];
	if (sp->collective == HYPERCUBE_REDUCE || sp->collective == HYPERCUBE_ALLREDUCE)
		sp->oper = (uint8_t)(HYPERCUBE_SUM + below(d, HYPERCUBE_MERGE));
}

static void spec_plan(const struct plan *p, struct dice *d, struct spec *sp)
{
	if (p->bcast) {
		sp->collective = HYPERCUBE_BCAST;
	} else if (p->doubling) {
		sp->collective = chance(d, 70) ? HYPERCUBE_ALLREDUCE : HYPERCUBE_BARRIER;
		if (sp->collective == HYPERCUBE_ALLREDUCE)
			sp->oper = (uint8_t)(HYPERCUBE_SUM + below(d, HYPERCUBE_MERGE - 1));
	} else {
		spec_tree(d, sp);
	}
	sp->row = sp->collective;
	if (sp->oper == HYPERCUBE_MERGE)
		sp->row = ROW_MERGE;
	else if (p->doubling)
		sp->row = sp->oper ? ROW_DOUBLED : ROW_DOUBLED_BARRIER;
}

/* Compute the parameters of operation @idx of the plan in this era. All members compute the same.
 */
void spec_make(const struct world *w, int plan, uint32_t idx, struct spec *sp)
{
	const struct era *e = &w->era;
	const struct plan *p = &e->plan[plan];
	struct dice d = { key_of(w->seed, e->gen, plan, idx, 99) };
	uint32_t bytes = pick_bytes(&d, e->sizes, w->nodes);

	*sp = (struct spec){ .element = 1, .key = key_of(w->seed, e->gen, plan, idx, 1) };
	spec_plan(p, &d, sp);
	if (sp->oper) {
		sp->type = (uint8_t)pick_type(&d, sp->oper);
		if (sp->type == HYPERCUBE_RECORD)
			sp->width = 1 + below(&d, chance(&d, 50) ? 16 : HYPERCUBE_RECORD_MAX);
		sp->element = plain_size(sp->oper, sp->type, sp->width);
		sp->rough = chance(&d, 50);
	}
	/* Limit the bytes that one node sends or receives in these collectives. */
	if (sp->oper == HYPERCUBE_MERGE || sp->collective == HYPERCUBE_GATHER ||
	    sp->collective == HYPERCUBE_SCATTER)
		if (bytes > (2 * LARGEST) / w->nodes)
			bytes %= (2 * LARGEST) / w->nodes;
	if (sp->collective != HYPERCUBE_BARRIER)
		sp->count = (bytes + sp->element - 1) / sp->element;
}

static uint64_t node_key(const struct spec *sp, uint32_t node)
{
	return mix(sp->key + node * 0xd6e8feb86659fd93ull + 7);
}

static uint32_t run_length(const struct spec *sp, uint32_t node)
{
	return sp->count ? (uint32_t)(node_key(sp, node) >> 20) % (sp->count + 1) : 0;
}

uint64_t give_bytes(const struct spec *sp, const struct plan *p, uint32_t node)
{
	switch (sp->collective) {
	case HYPERCUBE_SCATTER:
		return node == p->root
			       ? (uint64_t)sp->count * (uint32_t)__builtin_popcountll(p->members)
			       : 0;
	case HYPERCUBE_REDUCE:
	case HYPERCUBE_ALLREDUCE:
		if (sp->oper == HYPERCUBE_MERGE)
			return (uint64_t)run_length(sp, node) * sp->element;
		break;
	}
	return (uint64_t)sp->count * sp->element;
}

/* Fill @out with @len bytes that depend on @key and on their offset. */
void message_fill(uint64_t key, void *out, size_t len)
{
	uint64_t word;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		word = mix(key + i);
		memcpy((char *)out + i, &word, 8);
	}
	word = mix(key + i);
	memcpy((char *)out + i, &word, len - i);
}

/* Elements repeat: fill the rest of the data at @out with copies of the first PERIOD elements. */
static void repeat(const struct spec *sp, void *out)
{
	size_t have = (size_t)PERIOD * sp->element, all = (size_t)sp->count * sp->element, n;

	for (; have < all; have += n) {
		n = have < all - have ? have : all - have;
		memcpy((char *)out + have, out, n);
	}
}

/* Return: number of elements before the elements of a contribution repeat. */
static uint32_t distinct(const struct spec *sp)
{
	return sp->count < PERIOD ? sp->count : PERIOD;
}

static void elements_fill(const struct spec *sp, uint32_t node, uint32_t n, void *out)
{
	uint64_t key = node_key(sp, node);
	uint32_t i;

	for (i = 0; i < n; i++)
		value_make(sp, key, node, i, (char *)out + (size_t)i * sp->element);
}

static void run_fill(const struct spec *sp, uint32_t node, void *out)
{
	uint32_t n = run_length(sp, node), i;
	uint64_t key = node_key(sp, node);

	for (i = 0; i < n; i++)
		run_make(sp, key, i, n, (char *)out + (size_t)i * sp->element);
}

/* Write the blocks of all @members to @out, in the order of the nodes. Return: number of bytes. */
static size_t blocks_fill(const struct spec *sp, uint64_t members, void *out)
{
	size_t len = 0;
	uint32_t v;

	for (v = 0; v < NODES_MAX; v++) {
		if (!(members >> v & 1))
			continue;
		message_fill(node_key(sp, v), (char *)out + len, sp->count);
		len += sp->count;
	}
	return len;
}

void give_fill(const struct spec *sp, const struct plan *p, uint32_t node, void *out)
{
	if (sp->oper == HYPERCUBE_MERGE) {
		run_fill(sp, node, out);
	} else if (sp->oper) {
		elements_fill(sp, node, distinct(sp), out);
		repeat(sp, out);
	} else if (sp->collective == HYPERCUBE_SCATTER && node == p->root) {
		blocks_fill(sp, p->members, out);
	} else if (give_bytes(sp, p, node)) {
		message_fill(node_key(sp, sp->collective == HYPERCUBE_BCAST ? 0 : node), out,
			     sp->count);
	}
}

bool gets_data(const struct spec *sp, const struct plan *p, uint32_t node)
{
	switch (sp->collective) {
	case HYPERCUBE_REDUCE:
	case HYPERCUBE_GATHER:
		return node == p->root;
	case HYPERCUBE_BCAST:
		return node != p->root;
	case HYPERCUBE_BARRIER:
		return false;
	}
	return true;
}

bool bcast_matches(const struct spec *sp, const void *got, uint64_t len)
{
	static uint8_t want[RESULT_MAX];

	if (len != sp->count)
		return false;
	message_fill(node_key(sp, 0), want, len);
	return !memcmp(want, got, len);
}

uint64_t digest_of(const void *data, size_t len)
{
	uint64_t sum = len, word;
	size_t i;

	for (i = 0; i + 8 <= len; i += 8) {
		memcpy(&word, (const char *)data + i, 8);
		sum = (sum ^ word) * 0x9e3779b97f4a7c15ull;
		sum ^= sum >> 29;
	}
	word = 0;
	memcpy(&word, (const char *)data + i, len - i);
	sum = mix(sum ^ word);
	return sum ? sum : 1;
}

/* Check the result of a merge: it must be sorted, and must have the elements of all runs. Return:
 * what is wrong, or NULL.
 */
static const char *merge_fault(const struct spec *sp, const struct plan *p, const void *got,
			       uint64_t len)
{
	static uint8_t run[2 * LARGEST + 4096];
	uint64_t sum = 0;
	size_t n = 0;
	uint32_t v;

	for (v = 0; v < NODES_MAX; v++) {
		if (!(p->members >> v & 1))
			continue;
		run_fill(sp, v, run);
		sum += elements_digest(sp, run, run_length(sp, v));
		n += run_length(sp, v);
	}
	if (len != n * sp->element)
		return "wrong length of a merge";
	if (!ascends(sp, got, n))
		return "a merge that does not ascend";
	return elements_digest(sp, got, n) == sum ? NULL : "a merge of other elements";
}

/* Compute the reduction of the contributions of all @members. Return: its length in bytes. */
static size_t combined(const struct spec *sp, uint64_t members, void *out)
{
	static uint8_t in[PERIOD * HYPERCUBE_RECORD_MAX];
	bool first = true;
	uint32_t v;

	for (v = 0; v < NODES_MAX; v++) {
		if (!(members >> v & 1))
			continue;
		elements_fill(sp, v, distinct(sp), first ? out : in);
		if (!first)
			plain_combine(sp->oper, sp->type, sp->width, out, in,
				      (size_t)distinct(sp) * sp->element);
		first = false;
	}
	repeat(sp, out);
	return (size_t)sp->count * sp->element;
}

static double float_at(const struct spec *sp, const void *base, uint32_t i)
{
	double d;
	float f;

	if (sp->type == HYPERCUBE_F64) {
		memcpy(&d, (const char *)base + 8 * (size_t)i, 8);
		return d;
	}
	memcpy(&f, (const char *)base + 4 * (size_t)i, 4);
	return f;
}

/* Return: the sum of element @i over all members. *@size is set to the sum of the absolute values.
 */
static long double rough_sum(const struct spec *sp, uint64_t members, uint32_t i, long double *size)
{
	long double sum = 0;
	uint64_t one;
	uint32_t v;
	double x;

	*size = 0;
	for (v = 0; v < NODES_MAX; v++) {
		if (!(members >> v & 1))
			continue;
		value_make(sp, node_key(sp, v), v, i, &one);
		x = float_at(sp, &one, 0);
		sum += x;
		*size += fabs(x);
	}
	return sum;
}

/* Check a sum of floats. If n numbers are added in any order, the error is less than about (n - 1)
 * half units in the last place of the sum of their absolute values. The order may differ between
 * elements, as effective helpers add up some of them.
 */
static bool rough_sum_fits(const struct spec *sp, uint64_t members, const void *got)
{
	long double unit = sp->type == HYPERCUBE_F64 ? DBL_EPSILON / 2 : FLT_EPSILON / 2;
	long double most = 1.01L * __builtin_popcountll(members) * unit, sum, size;
	uint32_t i, k;

	for (i = 0; i < distinct(sp); i++) {
		sum = rough_sum(sp, members, i, &size);
		for (k = i; k < sp->count; k += PERIOD)
			if (!(fabsl(sum - float_at(sp, got, k)) <= most * size))
				return false;
	}
	return true;
}

static bool is_rough(const struct spec *sp)
{
	return sp->rough && sp->oper == HYPERCUBE_SUM &&
	       (sp->type == HYPERCUBE_F32 || sp->type == HYPERCUBE_F64);
}

/* Compute the result that @node must get. Return: its length in bytes. */
static size_t expected(const struct spec *sp, const struct plan *p, uint32_t node, void *out)
{
	if (!gets_data(sp, p, node))
		return 0;
	switch (sp->collective) {
	case HYPERCUBE_GATHER:
		return blocks_fill(sp, p->members, out);
	case HYPERCUBE_SCATTER:
		message_fill(node_key(sp, node), out, sp->count);
		return sp->count;
	case HYPERCUBE_BCAST:
		message_fill(node_key(sp, 0), out, sp->count);
		return sp->count;
	}
	return combined(sp, p->members, out);
}

/* Return: a text with the place at which two results differ. */
static const char *difference(const struct spec *sp, const uint8_t *want, const uint8_t *got,
			      size_t len)
{
	static char said[200];
	size_t i, first = 0, n = 0;

	for (i = 0; i < len; i++)
		if (want[i] != got[i] && !n++)
			first = i;
	snprintf(said, sizeof(said),
		 "%zu of %zu bytes wrong, the first at %zu (element %zu): %02x, not %02x", n, len,
		 first, first / sp->element, got[first], want[first]);
	return said;
}

static const char *rough_fault(const struct spec *sp, const struct plan *p, uint64_t known,
			       const void *got, uint64_t len)
{
	if (len != (uint64_t)sp->count * sp->element)
		return "wrong length of a sum";
	if (known)
		return "other bits than at another member";
	return rough_sum_fits(sp, p->members, got) ? NULL : "a sum out of its bounds";
}

static const char *exact_fault(const struct spec *sp, const struct plan *p, uint32_t node,
			       const void *got, uint64_t len)
{
	static uint8_t want[RESULT_MAX];
	static char said[80];
	size_t right = expected(sp, p, node, want);

	if (len == right)
		return memcmp(want, got, len) ? difference(sp, want, got, len) : NULL;
	snprintf(said, sizeof(said), "%llu bytes, not %zu", (unsigned long long)len, right);
	return said;
}

/*
 * Get the digest of the right result of an operation. One member computes it for all members. If
 * another member is computing it, wait for that. Return: the digest, or 0 if this member has to
 * compute it.
 */
static uint64_t digest_known(const struct world *w, uint32_t node, struct ledger *l)
{
	uint32_t claimed = 0, by;
	uint64_t digest;

	if (atomic_compare_exchange_strong(&l->claimed, &claimed, node + 1))
		return atomic_load(&l->digest);
	for (;;) {
		digest = atomic_load(&l->digest);
		by = claimed - 1;
		if (digest || atomic_load(&l->disputed) || by == node || !w->seat[by].takes_part ||
		    w->seat[by].stopped)
			return digest;
		usleep(500);
	}
}

/* Check a result at @node: first by its digest, and if this is not the known digest, by its
 * contents. Return: NULL if @got is right, else what is wrong.
 */
const char *result_fault(struct world *w, const struct spec *sp, const struct plan *p,
			 uint32_t node, struct ledger *l, const void *got, uint64_t len)
{
	bool own = sp->collective == HYPERCUBE_SCATTER;
	uint64_t digest, known;
	const char *fault;

	if (!gets_data(sp, p, node))
		return len ? "data where there is none" : NULL;
	digest = digest_of(got, len);
	known = own ? 0 : digest_known(w, node, l);
	if (known == digest)
		return NULL;
	if (is_rough(sp))
		fault = rough_fault(sp, p, known, got, len);
	else if (sp->oper == HYPERCUBE_MERGE)
		fault = merge_fault(sp, p, got, len);
	else
		fault = exact_fault(sp, p, node, got, len);
	if (fault)
		atomic_store(&l->disputed, 1);
	else if (!own)
		atomic_compare_exchange_strong(&l->digest, &known, digest);
	return fault;
}
