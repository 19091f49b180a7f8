// SPDX-License-Identifier: GPL-2.0
/*
 * Locating Byzantine nodes, by allreduces over a pair of trees for each dimension.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"
#include "handle.h"
#include "libhypercube-checked.h"

/* Return: the 64-bit FNV-1a hash of @data. Two results that differ in exactly one byte never have
 * the same hash.
 */
static uint64_t digest(const void *data, size_t bytes)
{
	uint64_t hash = UINT64_C(14695981039346656037);
	const unsigned char *p = data;
	size_t i;

	for (i = 0; i < bytes; i++)
		hash = (hash ^ p[i]) * UINT64_C(1099511628211);
	return hash;
}

/* Return: true if all pairs are of one fabric and have relays, and their number is valid. */
static bool pairs_fit(const struct hcl_pair *pair, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (pair[i].dim != pair[0].dim || !pair[i].relays[0] || !pair[i].relays[1])
			return false;
	return n && n <= HYPERCUBE_DIM_MAX && pair[0].dim && pair[0].dim <= HYPERCUBE_DIM_MAX;
}

/* Return: a number for result @i, such that equal results have equal numbers; HC_CHECKED_MIXED if
 * not all members got the same result.
 */
static uint32_t result_of(const struct hcl_suspects *view, unsigned int nviews, unsigned int i)
{
	unsigned int j, v;

	for (v = 1; v < nviews; v++)
		if (view[v].digest[i] != view[0].digest[i])
			return HC_CHECKED_MIXED;
	for (j = 0; j < i; j++)
		if (view[0].digest[j] == view[0].digest[i])
			return j;
	return i;
}

/* Return: true if the two results of pair number @k were equal at all members. */
static bool pair_agreed(const struct hcl_suspects *view, unsigned int nviews, unsigned int k)
{
	unsigned int v;

	for (v = 0; v < nviews; v++)
		if (view[v].digest[2 * k] != view[v].digest[2 * k + 1])
			return false;
	return true;
}

int hcl_checked_locate_of(const struct hcl_pair *pair, unsigned int n,
			  const struct hcl_suspects *view, unsigned int nviews,
			  struct hcl_suspects *s)
{
	struct hc_checked_seen seen[2 * HYPERCUBE_DIM_MAX];
	struct hc_suspect_pair two[HCL_SUSPECTS_MAX];
	struct hc_suspects found;
	uint32_t *one, i;

	if (!pairs_fit(pair, n) || !nviews)
		return -EINVAL;
	one = malloc(hc_nodes(pair[0].dim) * sizeof(*one));
	if (!one)
		return -ENOMEM;
	for (i = 0; i < 2 * n; i++)
		seen[i] = (struct hc_checked_seen){
			pair[i / 2].relays[i % 2], result_of(view, nviews, i),
		};
	hc_checked_suspects(pair[0].dim, seen, 2 * n, &found, one, two, HCL_SUSPECTS_MAX);
	memmove(s->digest, view[0].digest, sizeof(s->digest));
	s->agreed = 0;
	for (i = 0; i < n; i++)
		s->agreed |= (uint32_t)pair_agreed(view, nviews, i) << i;
	s->npairs = n;
	s->byzantine = found.byzantine;
	s->n = found.byzantine == 1 || found.byzantine == 2 ? found.n : 0;
	s->others = found.byzantine == 1 ? found.pairs : 0;
	memset(s->node, 0, sizeof(s->node));
	for (i = 0; i < s->n && i < HCL_SUSPECTS_MAX; i++) {
		if (found.byzantine == 1) {
			s->node[i] = one[i];
			continue;
		}
		s->node[2 * i] = two[i].a;
		s->node[2 * i + 1] = two[i].b;
	}
	free(one);
	return 0;
}

/* Return: the digest of a result. All NaNs in it are first replaced by one bit pattern. */
static uint64_t digest_of(const struct hcl_params *p, void *out, size_t bytes)
{
	size_t elem = hcl_elem_size(p->oper, p->type, p->width), i;
	size_t size = hcl_elem_size(HYPERCUBE_MIN, p->type, p->width);

	for (i = 0; hcli_is_float(p->type) && i < bytes; i += elem)
		if (hcli_is_nan(p->type, (char *)out + i))
			memset((char *)out + i, 0xff, size);
	return digest(out, bytes);
}

int hcl_checked_locate(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		       unsigned int n, const void *in, size_t bytes, struct hcl_suspects *s)
{
	char *room;
	unsigned int k;
	int err = 0;

	memset(s, 0, sizeof(*s));
	if (!pairs_fit(pair, n))
		return hcli_refuse(h, p, -EINVAL, "%u pairs of trees: 1 to %u are wanted, with relays",
				   n, HYPERCUBE_DIM_MAX);
	/* Memory for a contribution of zeros and both results. */
	room = calloc(3, bytes ? bytes : 1);
	if (!room)
		return hcli_failed(h, p, 0, -ENOMEM);
	for (k = 0; k < n && !err; k++) {
		char *out[2] = { room + bytes, room + 2 * bytes };

		err = hcli_checked_both(h, p, &pair[k], in ? in : room, bytes, out);
		if (err)
			break;
		s->digest[2 * k] = digest_of(p, out[0], bytes);
		s->digest[2 * k + 1] = digest_of(p, out[1], bytes);
	}
	free(room);
	if (err)
		return err;
	err = hcl_checked_locate_of(pair, n, s, 1, s);
	return err ? hcli_failed(h, p, 0, err) : 0;
}

/* ---------------------------------------------------------------- descriptions */

/* A text that grows in a buffer of fixed size, and is cut off at its end. */
struct text {
	char *buf;
	size_t size;
	size_t len;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *t, const char *fmt, ...)
{
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(t->buf + t->len, t->size - t->len, fmt, ap);
	va_end(ap);
	if (n > 0)
		t->len = t->len + n < t->size ? t->len + n : t->size - 1;
}

/* Maximum number of suspects that an explanation lists. */
#define WORDS 8

static void add_nodes(struct text *t, const struct hcl_suspects *s)
{
	uint32_t i;

	for (i = 0; i < s->n && i < WORDS; i++) {
		if (s->byzantine == 1)
			add(t, "%s%u", i ? ", " : " ", s->node[i]);
		else
			add(t, "%s%u and %u", i ? ", " : " ", s->node[2 * i], s->node[2 * i + 1]);
	}
	if (s->n > WORDS)
		add(t, " and %u more", s->n - WORDS);
}

/* Append the reason why several suspects remain. */
static void add_open(struct text *t, const struct hcl_suspects *s)
{
	uint32_t k, first = 1;

	for (k = 0; k < s->npairs; k++) {
		if (!(s->agreed >> k & 1))
			continue;
		add(t, first ? ": pair %u" : ", %u", k);
		first = 0;
	}
	if (first)
		add(t, ": each of them relays in all trees whose results differ from the others'");
	else
		add(t, " showed no difference");
}

char *hcl_checked_describe(const struct hcl_suspects *s, char *buf, size_t size)
{
	struct text t = { buf, size, 0 };

	if (!size)
		return buf;
	*buf = '\0';
	if (!s->byzantine) {
		add(&t, "all results are the same: nobody lied this time");
	} else if (s->byzantine == 1 && s->n == 1) {
		add(&t, "node %u lies, if only one node does", s->node[0]);
	} else if (s->byzantine == 1) {
		add(&t, "one of nodes");
		add_nodes(&t, s);
		add(&t, " lies, if only one node does; they cannot be told apart");
		add_open(&t, s);
	} else if (s->byzantine == 2) {
		add(&t, "no single node explains it; of two:");
		add_nodes(&t, s);
	} else {
		add(&t, "no two nodes explain it");
	}
	return buf;
}
