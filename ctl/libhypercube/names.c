// SPDX-License-Identifier: GPL-2.0
/* Names of operators and types, and descriptions of results. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

#define ARRAY_SIZE(a) (sizeof(a) / sizeof(*(a)))

static const char * const opers[] = {
	[HYPERCUBE_SUM] = "sum",
	[HYPERCUBE_PROD] = "prod",
	[HYPERCUBE_MIN] = "min",
	[HYPERCUBE_MAX] = "max",
	[HYPERCUBE_AND] = "and",
	[HYPERCUBE_OR] = "or",
	[HYPERCUBE_XOR] = "xor",
	[HYPERCUBE_MINLOC] = "minloc",
	[HYPERCUBE_MAXLOC] = "maxloc",
	[HYPERCUBE_MERGE] = "merge",
};

static const struct {
	const char *name;
	int size;
} types[] = {
	[HYPERCUBE_U8] = { "u8", 1 },
	[HYPERCUBE_U16] = { "u16", 2 },
	[HYPERCUBE_U32] = { "u32", 4 },
	[HYPERCUBE_U64] = { "u64", 8 },
	[HYPERCUBE_I8] = { "i8", 1 },
	[HYPERCUBE_I16] = { "i16", 2 },
	[HYPERCUBE_I32] = { "i32", 4 },
	[HYPERCUBE_I64] = { "i64", 8 },
	[HYPERCUBE_F32] = { "f32", 4 },
	[HYPERCUBE_F64] = { "f64", 8 },
	[HYPERCUBE_RECORD] = { "record", 0 },
	[HYPERCUBE_F16] = { "f16", 2 },
	[HYPERCUBE_BF16] = { "bf16", 2 },
};

_Static_assert(ARRAY_SIZE(opers) == __HYPERCUBE_OPER_END, "an operator has no name");
_Static_assert(ARRAY_SIZE(types) == __HYPERCUBE_TYPE_END, "a type has no name");

int hcl_oper_parse(const char *name)
{
	size_t i;

	for (i = 1; i < ARRAY_SIZE(opers); i++)
		if (!strcmp(name, opers[i]))
			return i;
	return -EINVAL;
}

const char *hcl_oper_name(unsigned int oper)
{
	return oper < ARRAY_SIZE(opers) ? opers[oper] : NULL;
}

static int record_parse(const char *text, uint32_t *width)
{
	unsigned long n;
	char *end;

	if (*text < '0' || *text > '9')
		return -EINVAL;
	n = strtoul(text, &end, 10);
	if (*end || !n || n > HYPERCUBE_RECORD_MAX)
		return -EINVAL;
	*width = n;
	return HYPERCUBE_RECORD;
}

int hcl_type_parse(const char *name, uint32_t *width)
{
	size_t i;

	if (!strncmp(name, "record:", 7))
		return record_parse(name + 7, width);
	*width = 0;
	for (i = 1; i < ARRAY_SIZE(types); i++)
		if (i != HYPERCUBE_RECORD && !strcmp(name, types[i].name))
			return i;
	return -EINVAL;
}

/* The bits of infinity: a greater magnitude is a NaN. */
static const uint64_t infinity[ARRAY_SIZE(types)] = {
	[HYPERCUBE_F32] = UINT64_C(0x7f800000), [HYPERCUBE_F64] = UINT64_C(0x7ff) << 52,
	[HYPERCUBE_F16] = 0x7c00, [HYPERCUBE_BF16] = 0x7f80,
};

bool hcli_is_float(unsigned int type)
{
	return type < ARRAY_SIZE(types) && infinity[type];
}

bool hcli_is_nan(unsigned int type, const void *at)
{
	uint64_t v;
	uint32_t w;
	uint16_t h;

	switch (types[type].size) {
	case 2:
		memcpy(&h, at, sizeof(h));
		return (h & 0x7fff) > infinity[type];
	case 4:
		memcpy(&w, at, sizeof(w));
		return (w & 0x7fffffff) > infinity[type];
	default:
		memcpy(&v, at, sizeof(v));
		return (v & ~(UINT64_C(1) << 63)) > infinity[type];
	}
}

const char *hcl_type_name(unsigned int type)
{
	return type < ARRAY_SIZE(types) ? types[type].name : NULL;
}

int hcl_elem_size(unsigned int oper, unsigned int type, unsigned int width)
{
	if (!hcl_oper_name(oper) || !hcl_type_name(type))
		return -EINVAL;
	if (type == HYPERCUBE_RECORD) {
		if (oper != HYPERCUBE_MERGE && oper != HYPERCUBE_MIN && oper != HYPERCUBE_MAX)
			return -EINVAL;
		return width && width <= HYPERCUBE_RECORD_MAX ? (int)width : -EINVAL;
	}
	if (width)
		return -EINVAL;
	if (hcli_is_float(type) &&
	    (oper == HYPERCUBE_AND || oper == HYPERCUBE_OR || oper == HYPERCUBE_XOR))
		return -EINVAL;
	if (oper == HYPERCUBE_MINLOC || oper == HYPERCUBE_MAXLOC)
		return sizeof(struct hypercube_loc);
	return types[type].size;
}

/* The text that describes an error. */
struct words {
	int err;
	const char *text;
};

/* The texts if a node is the cause; %u is its number. */
static const struct words node_words[] = {
	{ ECONNRESET, "node %" PRIu32 " left" },
	{ EHOSTDOWN, "node %" PRIu32 " failed" },
	{ ETIMEDOUT, "node %" PRIu32 " does not answer" },
	{ EPROTO, "node %" PRIu32 " contributed with other parameters" },
	{ ENOMEM, "node %" PRIu32 " ran out of memory" },
	{ ESTALE, "the plan was replaced or removed (seen by node %" PRIu32 ")" },
	{ ECANCELED, "it was sent before a failure at node %" PRIu32 " had been read" },
	{}
};

static const struct words plain_words[] = {
	{ ECONNRESET, "a member left" },
	{ ESTALE, "the plan was replaced or removed" },
	{ ECANCELED, "it was sent before a failure had been read" },
	{ ENODEV, "the fabric was removed" },
	{ ENOENT, "there is no such plan" },
	{ ENOTCONN, "this node is no member of the plan" },
	{ EHOSTDOWN, "this node has failed" },
	{ ENOLINK, "a fault has broken the plan" },
	{ ETIMEDOUT, "nothing moved within the time limit" },
	{ EMSGSIZE, "there is more than the caller has room for" },
	{ ESHUTDOWN, "an earlier call ran into its time limit, the handle has to be closed" },
	{ EINVAL, "the parameters are wrong" },
	{ EPERM, "only the source of the plan may broadcast" },
	{ EPROTOTYPE, "the plan is of another type" },
	{ EADDRINUSE, "another socket is connected to the plan" },
	{ EISCONN, "the handle is for another plan" },
	{ EACCES, "the node was given to another owner" },
	{ ENOBUFS, "records were lost for want of room or memory" },
	{}
};

static const struct words link_words[] = {
	{ ENOLINK, "went down" },
	{ EHOSTUNREACH, "was the last way to the destination" },
	{ ETIMEDOUT, "is silent" },
	{ ECANCELED, "has failed an operation, which had not been read when this was sent" },
	{}
};

static const char *words_for(const struct words *w, int err)
{
	while (w->text && w->err != err)
		w++;
	return w->text;
}

static void describe_success(const struct hypercube_result *res, char *buf, size_t size)
{
	if (!res->steps)
		snprintf(buf, size, "complete");
	else
		snprintf(buf, size, "%" PRIu32 " steps, %g ms modelled", res->steps,
			 (double)res->time / 1e6);
}

char *hcl_describe(const struct hypercube_result *res, char *buf, size_t size)
{
	const char *failed = strerror(-res->status);
	const char *words = words_for(node_words, -res->status);

	if (!res->status)
		describe_success(res, buf, size);
	else if (res->cause_node == UINT32_MAX)
		snprintf(buf, size, "%s", words_for(plain_words, -res->status) ?: failed);
	else if (res->cause_dim != UINT32_MAX)
		snprintf(buf, size, "link %" PRIu32 ":%" PRIu32 " %s", res->cause_node,
			 res->cause_dim, words_for(link_words, -res->status) ?: failed);
	else if (words)
		snprintf(buf, size, words, res->cause_node);
	else
		snprintf(buf, size, "%s (node %" PRIu32 ")", failed, res->cause_node);
	return buf;
}
