// SPDX-License-Identifier: GPL-2.0
/*
 * Collectives whose blocks are cut into stripes, one for each of several plans: rings that share no
 * link ("hcctl ring plan .. rings K") carry them at the same time.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

/**
 * struct stripe - the chunk of each block that is sent over one plan
 * @plan: id of the plan
 * @from: offset of the stripe in each block
 * @len: bytes of the stripe
 * @in: contribution of this member
 * @out: room for its result
 * @id: number of the operation
 * @res: how the operation ended
 */
struct stripe {
	uint32_t plan;
	size_t from;
	size_t len;
	char *in;
	char *out;
	uint64_t id;
	struct hypercube_result res;
};

/**
 * struct striped - a collective in stripes
 * @p: parameters of all operations, except the plan
 * @in: contribution of this member
 * @gives: number of blocks in @in
 * @block: bytes of each block
 * @members: number of blocks in the result
 * @n: number of stripes
 * @stripe: the stripes
 */
struct striped {
	struct hcl_params p;
	const char *in;
	uint32_t gives;
	size_t block;
	uint32_t members;
	unsigned int n;
	struct stripe stripe[HCL_STRIPES_MAX];
};

/* Cut the blocks into stripes, one for each plan. Stripes of 0 bytes are left out; all members
 * leave out the same ones.
 */
static int stripes_cut(struct hcl *h, struct striped *s, const uint32_t *plans, unsigned int n)
{
	unsigned int i;
	uint32_t k;

	for (i = 0; i < n; i++) {
		struct stripe *t = &s->stripe[s->n];
		size_t from = s->block / n * i + s->block % n * i / n;
		size_t end = s->block / n * (i + 1) + s->block % n * (i + 1) / n;

		if (from == end && i)
			continue;
		*t = (struct stripe){ .plan = plans[i], .from = from, .len = end - from };
		s->n++;
		t->in = malloc(s->gives * t->len + 1);
		t->out = malloc(s->members * t->len + 1);
		if (!t->in || !t->out)
			return hcli_failed(h, &s->p, 0, -ENOMEM);
		for (k = 0; k < s->gives && t->len; k++)
			memcpy(t->in + k * t->len, s->in + k * s->block + from, t->len);
	}
	return 0;
}

static void stripes_free(struct striped *s)
{
	unsigned int i;

	for (i = 0; i < s->n; i++) {
		free(s->stripe[i].in);
		free(s->stripe[i].out);
	}
}

/* Post an operation for each stripe. Return: 0, or the error of the first that fails. */
static int stripes_post(struct hcl *h, struct striped *s)
{
	struct hcl_params p = s->p;
	unsigned int i;
	int err = 0;

	/* None of the operations may be refused after another one has begun. */
	for (i = 0; !err && i < s->n; i++) {
		p.plan = s->stripe[i].plan;
		err = hcli_tell_first(h, &p);
	}
	for (i = 0; !err && i < s->n; i++) {
		struct stripe *t = &s->stripe[i];

		p.plan = t->plan;
		err = hcl_post(h, &p, t->in, s->gives * t->len, t->out, s->members * t->len,
			       &t->id);
		/* Only some of the plans have the operation, so their operation numbers do not
		 * match any more.
		 */
		h->dead |= err && i;
	}
	return err;
}

/* Wait for all operations. Return: the first error. */
static int stripes_wait(struct hcl *h, struct striped *s)
{
	unsigned int i;
	int err = 0, own;

	for (i = 0; i < s->n && !h->dead; i++) {
		own = hcl_wait(h, s->stripe[i].id, &s->stripe[i].res);
		/* An operation that has not ended still uses the stripe's buffers, which are freed
		 * next.
		 */
		if (hcli_op_find(h, s->stripe[i].id))
			h->dead = true;
		err = err ? err : own;
	}
	return err;
}

/* Copy the results of the stripes to their offsets in @out. */
static int stripes_join(struct hcl *h, const struct striped *s, char *out)
{
	unsigned int i;
	uint32_t k;

	for (i = 0; i < s->n; i++) {
		const struct stripe *t = &s->stripe[i];

		if (t->res.bytes != s->members * t->len)
			return hcli_refuse(h, &s->p, -EPROTO,
					   "plan %u has not %u members", t->plan, s->members);
		for (k = 0; k < s->members && t->len; k++)
			memcpy(out + k * s->block + t->from, t->out + k * t->len, t->len);
	}
	return 0;
}

/* Combine the results of the stripes into one. Its steps, clock and time are the maxima over the
 * stripes.
 */
static void result_sum(const struct striped *s, struct hypercube_result *res)
{
	unsigned int i, first = 0;

	/* If a stripe has failed, the operation and the cause are those of the first one. */
	while (first < s->n && !s->stripe[first].res.status)
		first++;
	if (first == s->n)
		first = 0;
	*res = s->stripe[first].res;
	for (i = 0; i < s->n; i++) {
		const struct hypercube_result *one = &s->stripe[i].res;

		if (i == first)
			continue;
		res->bytes += one->bytes;
		res->steps = one->steps > res->steps ? one->steps : res->steps;
		res->clock = one->clock > res->clock ? one->clock : res->clock;
		res->time = one->time > res->time ? one->time : res->time;
	}
}

static int striped_call(struct hcl *h, struct striped *s, const uint32_t *plans, unsigned int n,
			void *out, size_t out_max, struct hypercube_result *res)
{
	size_t all = s->members * s->block;
	struct hypercube_result end;
	int err = 0;

	if (!n || n > HCL_STRIPES_MAX)
		err = hcli_refuse(h, &s->p, -EINVAL, "1 to %u plans are wanted", HCL_STRIPES_MAX);
	else if (out_max < all)
		err = hcli_refuse(h, &s->p, -EMSGSIZE, "%zu bytes are wanted at out, not %zu", all,
				  out_max);
	err = err ? err : hcli_apart(h, &s->p, s->in, s->gives * s->block, out, out_max);
	if (err)
		return hcli_result(h, err, NULL, res);
	err = stripes_cut(h, s, plans, n);
	err = err ? err : stripes_post(h, s);
	err = err ? err : stripes_wait(h, s);
	err = err ? err : stripes_join(h, s, out);
	result_sum(s, &end);
	stripes_free(s);
	return hcli_result(h, err, &end, res);
}

int hcl_allgather_striped(struct hcl *h, const uint32_t *plans, unsigned int n, const void *in,
			  size_t bytes, uint32_t members, void *out, size_t out_max,
			  struct hypercube_result *res)
{
	struct striped s = {
		.p = { .plan = n ? plans[0] : 0, .collective = HYPERCUBE_ALLGATHER },
		.in = in, .gives = 1, .block = bytes, .members = members,
	};

	return striped_call(h, &s, plans, n, out, out_max, res);
}

int hcl_alltoall_striped(struct hcl *h, const uint32_t *plans, unsigned int n, const void *in,
			 size_t bytes, uint32_t members, void *out, size_t out_max,
			 struct hypercube_result *res)
{
	struct striped s = {
		.p = { .plan = n ? plans[0] : 0, .collective = HYPERCUBE_ALLTOALL },
		.in = in, .gives = members, .block = members ? bytes / members : 0,
		.members = members,
	};

	if (!members || bytes % members) {
		hcli_refuse(h, &s.p, -EINVAL, "%zu bytes are no multiple of %u members", bytes,
			    members);
		return hcli_result(h, -EINVAL, NULL, res);
	}
	return striped_call(h, &s, plans, n, out, out_max, res);
}
