// SPDX-License-Identifier: GPL-2.0
/*
 * Collectives over two trees, whose results are compared.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"
#include "libhypercube-checked.h"

/* ---------------------------------------------------------------- comparing */

/* Return: true if the results are equal. If several contributions are NaNs, the order of merging
 * determines which NaN is in the result, so all NaNs count as equal.
 */
static bool same(const struct hcl_params *p, const char *a, const char *b, size_t bytes)
{
	size_t elem, i;

	if (!bytes || !memcmp(a, b, bytes))
		return true;
	if (!hcli_is_float(p->type) || (p->oper != HYPERCUBE_MIN && p->oper != HYPERCUBE_MAX))
		return false;
	elem = hcl_elem_size(p->oper, p->type, p->width);
	for (i = 0; i < bytes; i += elem)
		if (memcmp(a + i, b + i, elem) &&
		    !(hcli_is_nan(p->type, a + i) && hcli_is_nan(p->type, b + i)))
			return false;
	return true;
}

/* Compare two results, segment by segment, and count in @check the segments that differ. */
static void compare(const struct hcl_params *p, const struct hcl_pair *pair, const char *a,
		    const char *b, size_t bytes, struct hcl_check *check)
{
	int elem = hcl_elem_size(p->oper, p->type, p->width);
	size_t part = pair->segment - pair->segment % elem, at, len;

	if (!part)
		part = bytes;
	for (at = 0; at < bytes; at += len) {
		len = bytes - at < part ? bytes - at : part;
		if (same(p, a + at, b + at, len))
			continue;
		if (!check->segments++) {
			check->offset = at;
			check->length = len;
		}
	}
}

/* Return: 0, or -EBADMSG with an explanation if the results differ. */
static int pair_check(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		      const struct hcl_check *check)
{
	if (!check->segments)
		return 0;
	return hcli_refuse(h, p, -EBADMSG,
			   "the results over plans %u and %u differ in %llu segments, first in %llu bytes from %llu on",
			   pair->plan[0], pair->plan[1], (unsigned long long)check->segments,
			   (unsigned long long)check->length, (unsigned long long)check->offset);
}

/* ---------------------------------------------------------------- both collectives */

/* Refuse operators whose results depend on the order of contributions, because the two trees have
 * different orders.
 */
static int check_order(struct hcl *h, const struct hcl_params *p)
{
	if (p->oper == HYPERCUBE_MERGE)
		return hcli_refuse(h, p, -EOPNOTSUPP, "sorted runs are not compared");
	if (hcli_is_float(p->type) && (p->oper == HYPERCUBE_SUM || p->oper == HYPERCUBE_PROD))
		return hcli_refuse(h, p, -EOPNOTSUPP,
				   "the %s of floats depends on the order of the trees",
				   p->oper == HYPERCUBE_SUM ? "sum" : "product");
	return 0;
}

/* Wait for a posted operation. If the wait fails and the operation has not ended, mark the handle
 * as dead, because the caller frees the buffers of the operation. Return: the operation's error, or
 * that of the wait.
 */
static int end(struct hcl *h, uint64_t id, struct hypercube_result *res)
{
	int err = hcl_wait(h, id, res);

	if (hcli_op_find(h, id))
		h->dead = true;
	return err;
}

/**
 * struct both - a collective over two trees
 * @p: parameters of both, except the plan
 * @first: the collective over the first tree
 * @in: contribution to both
 * @bytes: length in bytes of the contribution, and of each result
 * @out: room for the two results; that of the first may be NULL
 */
struct both {
	struct hcl_params p;
	uint8_t first;
	const void *in;
	size_t bytes;
	void *out[2];
};

/* Post both operations and wait for them. Return: the first error. */
static int run_both(struct hcl *h, const struct hcl_pair *pair, const struct both *b,
		    struct hcl_check *check)
{
	struct hcl_params p[2] = { b->p, b->p };
	uint64_t id[2];
	int err, other;

	p[0].plan = pair->plan[0];
	p[0].collective = b->first;
	p[1].plan = pair->plan[1];
	p[1].collective = HYPERCUBE_ALLREDUCE;
	/* A member that gets no result waits for the end of the operation, too. Otherwise a later
	 * call would report an error of this operation.
	 */
	p[0].flags = b->out[0] ? 0 : HYPERCUBE_F_NOTIFY;
	p[1].flags = 0;
	err = check_order(h, &p[0]);
	/* Neither of the two operations may be refused after the other one has begun. */
	err = err ? err : hcli_tell_first(h, &p[0]);
	err = err ? err : hcli_tell_first(h, &p[1]);
	err = err ? err : hcl_post(h, &p[0], b->in, b->bytes, b->out[0], b->bytes, &id[0]);
	if (err)
		return err;
	err = hcl_post(h, &p[1], b->in, b->bytes, b->out[1], b->bytes, &id[1]);
	if (err) {
		/* Only one plan has the operation, so the operation numbers of the two plans do not
		 * match any more.
		 */
		h->dead = true;
		return err;
	}
	err = end(h, id[0], &check->res[0]);
	other = h->dead ? err : end(h, id[1], &check->res[1]);
	return err ? err : other;
}

int hcli_checked_both(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		      const void *in, size_t bytes, char *const out[2])
{
	const struct both b = {
		.p = *p, .first = HYPERCUBE_ALLREDUCE, .in = in, .bytes = bytes,
		.out = { out[0], out[1] },
	};
	struct hcl_check check = {};

	return run_both(h, pair, &b, &check);
}

/* Return: @check, cleared. */
static struct hcl_check *fresh(struct hcl_check *check)
{
	memset(check, 0, sizeof(*check));
	return check;
}

/* Run both collectives. All members get the result over the second tree. The members that also get
 * the result over the first tree compare the two.
 */
static int over_both(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		     uint8_t first, const void *in, size_t bytes, void *out,
		     struct hcl_check *check)
{
	void *other = malloc(bytes ? bytes : 1);
	const struct both b = {
		.p = *p, .first = first, .in = in, .bytes = bytes, .out = { out, other },
	};
	struct hcl_check own;
	int err;

	check = fresh(check ? check : &own);
	err = other ? run_both(h, pair, &b, check) : hcli_failed(h, p, 0, -ENOMEM);
	if (!err && out) {
		compare(p, pair, out, other, bytes, check);
		err = pair_check(h, p, pair, check);
	}
	free(other);
	return err;
}

int hcl_checked_allreduce(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
			  const void *in, size_t bytes, void *out, struct hcl_check *check)
{
	return over_both(h, p, pair, HYPERCUBE_ALLREDUCE, in, bytes, out, check);
}

int hcl_checked_reduce(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		       const void *in, size_t bytes, void *out, struct hcl_check *check)
{
	return over_both(h, p, pair, HYPERCUBE_REDUCE, in, bytes, out, check);
}

/* Compare both results with the source's own message. Comparing the results with each other is not
 * enough, because both may have the same wrong data.
 */
static void compare_own(const struct both *b, const struct hcl_pair *pair, const void *message,
			struct hcl_check *check)
{
	unsigned int i;

	for (i = 0; i < 2; i++)
		if (b->bytes && memcmp(message, b->out[i], b->bytes))
			check->wrong |= 1u << i;
	if (check->wrong && !check->segments)
		compare(&b->p, pair, message, b->out[0], b->bytes, check);
}

int hcl_checked_bcast(struct hcl *h, const struct hcl_pair *pair, uint32_t source, void *buf,
		      size_t bytes, struct hcl_check *check)
{
	bool gives = h->addr.shc_node == source;
	/* Memory for a contribution of zeros and both results. */
	char *room = calloc(3, bytes ? bytes : 1);
	struct both b = {
		.p = { .oper = HYPERCUBE_XOR, .type = HYPERCUBE_U8 },
		.first = HYPERCUBE_ALLREDUCE, .in = gives ? buf : room, .bytes = bytes,
	};
	struct hcl_check own;
	int err;

	check = fresh(check ? check : &own);
	if (!room)
		return hcli_failed(h, &b.p, 0, -ENOMEM);
	b.out[0] = room + bytes;
	b.out[1] = room + 2 * bytes;
	err = run_both(h, pair, &b, check);
	if (!err) {
		compare(&b.p, pair, b.out[0], b.out[1], bytes, check);
		if (gives)
			compare_own(&b, pair, buf, check);
		else if (bytes)
			memcpy(buf, b.out[0], bytes);
		err = pair_check(h, &b.p, pair, check);
	}
	free(room);
	return err;
}
