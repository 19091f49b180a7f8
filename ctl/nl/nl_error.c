// SPDX-License-Identifier: GPL-2.0
/*
 * Error messages for requests that the kernel refuses. A message names the fabric, the object in
 * it, the value and the allowed range.
 *
 * The allowed range is that of the kernel's policy, which the kernel sends with the refusal. This
 * program does not repeat any range.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "nl_impl.h"

/* Units of attribute values. */
enum unit {
	UNIT_NONE,
	UNIT_MS,
	UNIT_NS,
	UNIT_RATE,
	UNIT_PPM,
};

/* The name of an attribute on the command line, or NULL if it has no such name, and the unit of its
 * value.
 */
struct attr_name {
	const char *name;
	enum unit unit;
};

static const struct attr_name fabric_attrs[] = {
	[HYPERCUBE_A_FABRIC_ID] = { "id" },
	[HYPERCUBE_A_FABRIC_DIM] = { "dim" },
	[HYPERCUBE_A_FABRIC_SEGMENT] = { "segment" },
	[HYPERCUBE_A_FABRIC_STALL_TIMEOUT] = { "stall-timeout", UNIT_MS },
	[HYPERCUBE_A_FABRIC_SUBCUBE_MASK] = { "subcube mask" },
	[HYPERCUBE_A_FABRIC_SUBCUBE_VALUE] = { "subcube value" },
	[HYPERCUBE_A_FABRIC_SHAPE] = { "shape" },
};

static const struct attr_name node_attrs[] = {
	[HYPERCUBE_A_NODE_ID] = { "node" },
	[HYPERCUBE_A_NODE_OWNER] = { "owner" },
};

static const struct attr_name link_attrs[] = {
	[HYPERCUBE_A_LINK_NODE] = { "node" },
	[HYPERCUBE_A_LINK_DIM] = { "dimension" },
	[HYPERCUBE_A_LINK_LOSS] = { "loss", UNIT_PPM },
	[HYPERCUBE_A_LINK_CORRUPT] = { "corrupt", UNIT_PPM },
	[HYPERCUBE_A_LINK_DUPLICATE] = { "duplicate", UNIT_PPM },
	[HYPERCUBE_A_LINK_MODEL_LATENCY] = { "model-latency", UNIT_NS },
	[HYPERCUBE_A_LINK_DELAY] = { "delay", UNIT_NS },
	[HYPERCUBE_A_LINK_JITTER] = { "jitter", UNIT_NS },
	[HYPERCUBE_A_LINK_MODEL_BANDWIDTH] = { "model-bandwidth", UNIT_RATE },
	[HYPERCUBE_A_LINK_RATE] = { "rate", UNIT_RATE },
	[HYPERCUBE_A_LINK_FLAP_DOWN] = { "flap", UNIT_MS },
	[HYPERCUBE_A_LINK_FLAP_PERIOD] = { "flap", UNIT_MS },
};

static const struct attr_name detect_attrs[] = {
	[HYPERCUBE_A_DETECT_TIMEOUT] = { "timeout" },
};

static const struct attr_name plan_attrs[] = {
	[HYPERCUBE_A_PLAN_ID] = { "plan" },
	[HYPERCUBE_A_PLAN_SINK] = { "sink" },
	[HYPERCUBE_A_PLAN_SOURCE] = { "source" },
	[HYPERCUBE_A_PLAN_BASE] = { "base" },
	[HYPERCUBE_A_PLAN_GUARD] = { "guard", UNIT_MS },
	[HYPERCUBE_A_PLAN_GUARD_UID] = { "guard-uid" },
};

static const struct attr_name route_attrs[] = {
	[HYPERCUBE_A_ROUTE_SRC] = { "node" },
	[HYPERCUBE_A_ROUTE_DST] = { "node" },
};

#define OF(table)	{ table, sizeof(table) / sizeof(*(table)) }

/* For each request: the names of its attributes, by attribute type. */
static const struct {
	const struct attr_name *v;
	size_t n;
} requests[] = {
	[HYPERCUBE_CMD_FABRIC_GET] = OF(fabric_attrs),
	[HYPERCUBE_CMD_FABRIC_NEW] = OF(fabric_attrs),
	[HYPERCUBE_CMD_FABRIC_SET] = OF(fabric_attrs),
	[HYPERCUBE_CMD_NODE_GET] = OF(node_attrs),
	[HYPERCUBE_CMD_NODE_SET] = OF(node_attrs),
	[HYPERCUBE_CMD_LINK_GET] = OF(link_attrs),
	[HYPERCUBE_CMD_LINK_SET] = OF(link_attrs),
	[HYPERCUBE_CMD_DETECT] = OF(detect_attrs),
	[HYPERCUBE_CMD_PLAN_NEW] = OF(plan_attrs),
	[HYPERCUBE_CMD_PLAN_DEL] = OF(plan_attrs),
	[HYPERCUBE_CMD_PLAN_SET] = OF(plan_attrs),
	[HYPERCUBE_CMD_ROUTE_GET] = OF(route_attrs),
};

static struct attr_name name_of(struct nlmsghdr *nlh, int type)
{
	size_t cmd = genlmsg_hdr(nlh)->cmd;

	if (cmd >= sizeof(requests) / sizeof(*requests) || (size_t)type >= requests[cmd].n)
		return (struct attr_name){};
	return requests[cmd].v[type];
}

/* Return: the attribute at @offset of the request; NULL if there is no such attribute, or if it is
 * the name of the fabric, which every message has anyway.
 */
static const struct nlattr *attr_at(struct nlmsghdr *nlh, uint32_t offset)
{
	const struct nlattr *a = (struct nlattr *)((char *)nlh + offset);

	if (offset < NLMSG_HDRLEN + GENL_HDRLEN || offset % NLA_ALIGNTO ||
	    offset + NLA_HDRLEN > nlh->nlmsg_len || offset + a->nla_len > nlh->nlmsg_len ||
	    nla_type(a) == HYPERCUBE_A_FABRIC_NAME)
		return NULL;
	return a;
}

static bool number_of(const struct nlattr *a, uint64_t *v)
{
	uint32_t v32;

	if (nla_len(a) == sizeof(*v)) {
		memcpy(v, nla_data(a), sizeof(*v));
	} else if (nla_len(a) == sizeof(v32)) {
		memcpy(&v32, nla_data(a), sizeof(v32));
		*v = v32;
	} else {
		return false;
	}
	return true;
}

static const char *with_unit(char *buf, enum unit unit, uint64_t v)
{
	switch (unit) {
	case UNIT_MS:
		return out_exact_time(buf, v * 1000000);
	case UNIT_NS:
		return out_exact_time(buf, v);
	case UNIT_RATE:
		return out_rate(buf, v);
	case UNIT_PPM:
		return out_percent(buf, v);
	case UNIT_NONE:
		break;
	}
	snprintf(buf, OUT_BUF, "%" PRIu64, v);
	return buf;
}

/* If the kernel's policy does not allow the value, print the allowed range, as in "delay 2s: 0 to
 * 1s is allowed". Return: false if the request was refused for another reason.
 */
static bool out_of_range(FILE *f, struct nlmsghdr *nlh, const struct nl_refusal *r)
{
	const struct nlattr *a = attr_at(nlh, r->offset);
	char value[OUT_BUF], min[OUT_BUF], max[OUT_BUF];
	struct attr_name name;
	uint64_t v;

	if (!r->limited || !a || !number_of(a, &v))
		return false;
	name = name_of(nlh, nla_type(a));
	if (!name.name)
		return false;
	fprintf(f, "%s %s: %s to %s is allowed", name.name, with_unit(value, name.unit, v),
		r->min ? with_unit(min, name.unit, r->min) : "0",
		with_unit(max, name.unit, r->max));
	return true;
}

/* Print the kernel's message @text, followed by the value of the refused attribute if that is a
 * number.
 */
static void sentence(FILE *f, struct nlmsghdr *nlh, const struct nl_refusal *r, const char *text)
{
	const struct nlattr *a = attr_at(nlh, r->offset);
	char value[OUT_BUF];
	uint64_t v;

	fputs(text, f);
	if (a && number_of(a, &v))
		fprintf(f, ": %s", with_unit(value, name_of(nlh, nla_type(a)).unit, v));
}

/* Print the object that the request is about, as in "plan 3: ", unless the message ends with the
 * number of this object, or the subject h->where already names it.
 */
static void part(FILE *f, struct hcctl *h, struct nlmsghdr *nlh, const struct nl_refusal *r)
{
	const struct nlattr *about = attr_at(nlh, r->offset), *id;
	int cmd = genlmsg_hdr(nlh)->cmd, type = 0;
	const char *word = "plan";
	uint64_t v;

	if (cmd == HYPERCUBE_CMD_PLAN_NEW || cmd == HYPERCUBE_CMD_PLAN_DEL ||
	    cmd == HYPERCUBE_CMD_PLAN_SET) {
		type = HYPERCUBE_A_PLAN_ID;
	} else if (cmd == HYPERCUBE_CMD_NODE_SET) {
		type = HYPERCUBE_A_NODE_ID;
		word = "node";
	}
	id = type ? nlmsg_find_attr(nlh, GENL_HDRLEN, type) : NULL;
	if (id && !h->where && (!about || nla_type(about) != type) && number_of(id, &v))
		fprintf(f, "%s %" PRIu64 ": ", word, v);
}

static char *words_for(struct hcctl *h, struct nlmsghdr *nlh, const struct nl_refusal *r,
		       const char *fabric)
{
	const char *text = r->text;
	char *words = NULL;
	size_t size;
	FILE *f = open_memstream(&words, &size);

	if (!f)
		return NULL;
	/* Kernels before 6.8 send no message when they refuse a dump. */
	if (fabric && r->err == -ENOENT && !*text)
		text = "No such fabric";
	if (strcmp(text, "No such fabric"))
		part(f, h, nlh, r);
	if (!*text)
		fprintf(f, "the kernel refused: %s", strerror(-r->err));
	else if (!out_of_range(f, nlh, r))
		sentence(f, nlh, r, text);
	if (*text)
		fprintf(f, " (%s)", strerror(-r->err));
	fclose(f);
	return words;
}

/* Print why the kernel has refused a request. The first attribute of every request is the name of a
 * fabric.
 */
void nl_say(struct hcctl *h, struct nl_msg *msg, const struct nl_refusal *r)
{
	struct nlmsghdr *nlh = nlmsg_hdr(msg);
	struct nlattr *name = nlmsg_find_attr(nlh, GENL_HDRLEN, HYPERCUBE_A_FABRIC_NAME);
	const char *fabric = name ? nla_get_string(name) : NULL;
	char *words = words_for(h, nlh, r, fabric);

	if (words && fabric)
		hc_error(h, "fabric %s: %s", fabric, words);
	else
		hc_error(h, "%s", words ?: strerror(-r->err));
	free(words);
}

static uint64_t limit(const struct nlattr *a)
{
	uint64_t v = 0;

	memcpy(&v, nla_data(a), sizeof(v));
	return v;
}

static void policy(struct nl_refusal *r, struct nlattr *nest)
{
	bool max = false;
	struct nlattr *a;
	int rem;

	r->min = 0;
	nla_for_each_nested(a, nest, rem) {
		if (nla_len(a) != sizeof(uint64_t))
			continue;
		if (nla_type(a) == NL_POLICY_TYPE_ATTR_MIN_VALUE_U)
			r->min = limit(a);
		if (nla_type(a) == NL_POLICY_TYPE_ATTR_MAX_VALUE_U) {
			r->max = limit(a);
			max = true;
		}
	}
	r->limited = max;
}

void nl_refusal_read(struct nl_refusal *r, struct nlattr *attrs, int len)
{
	struct nlattr *a;
	int rem;

	nla_for_each_attr(a, attrs, len, rem) {
		if (nla_type(a) == NLMSGERR_ATTR_MSG)
			nla_strlcpy(r->text, a, sizeof(r->text));
		else if (nla_type(a) == NLMSGERR_ATTR_OFFS && nla_len(a) == sizeof(r->offset))
			r->offset = nla_get_u32(a);
		else if (nla_type(a) == NLMSGERR_ATTR_POLICY)
			policy(r, a);
	}
}
