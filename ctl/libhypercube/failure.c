// SPDX-License-Identifier: GPL-2.0
/*
 * The latest failure: a struct hypercube_result for programs, and a sentence for people if the
 * library has details that the result cannot hold. The failure of a call that returns no handle is
 * stored per thread.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

static __thread struct hcl_why opening;

static void why_set(struct hcl_why *why, int err, const struct hcl_params *p, uint64_t id)
{
	why->res = (struct hypercube_result){
		.status = err,
		.plan = p ? p->plan : 0,
		.cookie = id,
		.cause_node = UINT32_MAX,
		.cause_dim = UINT32_MAX,
		.collective = p ? hcli_collective(p) : 0,
	};
	*why->said = 0;
}

static void say(struct hcl_why *why, const char *fmt, va_list ap)
{
	vsnprintf(why->said, sizeof(why->said), fmt, ap);
}

void hcli_failed_as(struct hcl *h, const struct hypercube_result *res)
{
	h->why.res = *res;
	*h->why.said = 0;
}

/* Return: the index of the plan in h->except; h->nexcept if it is not there. */
static size_t place_of(const struct hcl *h, uint32_t plan)
{
	size_t i;

	for (i = 0; i < h->nexcept && h->except[i] != plan; i++)
		;
	return i;
}

bool hcli_is_unreported(const struct hcl *h, uint32_t plan)
{
	return h->unreported != (place_of(h, plan) < h->nexcept);
}

/* Change what hcli_is_unreported() returns for the plan. Return: false if there is no memory. */
static bool toggle(struct hcl *h, uint32_t plan)
{
	size_t i = place_of(h, plan);
	uint32_t *more;

	if (i < h->nexcept) {
		h->except[i] = h->except[--h->nexcept];
		return true;
	}
	more = realloc(h->except, (h->nexcept + 1) * sizeof(*more));
	if (!more)
		return false;
	h->except = more;
	h->except[h->nexcept++] = plan;
	return true;
}

void hcli_unreported(struct hcl *h, uint32_t plan)
{
	if (hcli_is_unreported(h, plan) || toggle(h, plan))
		return;
	h->unreported = true;
	h->nexcept = 0;
}

void hcli_reported(struct hcl *h, uint32_t plan)
{
	/* If there is no memory, the next operation of the plan is refused, too. */
	if (hcli_is_unreported(h, plan))
		toggle(h, plan);
}

void hcli_late(struct hcl *h)
{
	const struct hypercube_result *was = &h->late_why.res;

	/* An operation that was refused with -ECANCELED because of an earlier failure does not
	 * replace that failure.
	 */
	if (h->late && h->why.res.status == -ECANCELED && h->why.res.plan == was->plan)
		return;
	h->late = true;
	h->late_why = h->why;
}

int hcli_late_tell(struct hcl *h)
{
	h->late = false;
	h->why = h->late_why;
	hcli_reported(h, h->why.res.plan);
	return h->why.res.status;
}

int hcli_failed(struct hcl *h, const struct hcl_params *p, uint64_t id, int err)
{
	why_set(&h->why, err, p, id);
	return err;
}

int hcli_result(const struct hcl *h, int err, const struct hypercube_result *end,
		struct hypercube_result *res)
{
	if (res)
		*res = end && end->status == err ? *end : h->why.res;
	return err;
}

void hcli_say(struct hcl *h, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	say(&h->why, fmt, ap);
	va_end(ap);
}

int hcli_refuse(struct hcl *h, const struct hcl_params *p, int err, const char *fmt, ...)
{
	va_list ap;

	why_set(&h->why, err, p, 0);
	va_start(ap, fmt);
	say(&h->why, fmt, ap);
	va_end(ap);
	return err;
}

int hcli_stuck(struct hcl *h, const struct hcl_op *op, int err)
{
	hcli_failed(h, &op->p, op->id, err);
	if (err == -ETIMEDOUT)
		hcli_seek(h, op);
	return err;
}

/* Return: why binding to a node failed, or NULL if strerror() is enough. */
static const char *open_words(int err, uint32_t plan)
{
	switch (err) {
	case -EACCES:
		return "neither CAP_NET_ADMIN nor its owner";
	case -EADDRINUSE:
		return plan ? "another socket is connected to the plan" : "somebody is bound to it";
	case -EADDRNOTAVAIL:
		return "there is no such node";
	case -EAFNOSUPPORT:
		return "module not loaded? try: modprobe hypercube";
	case -EINVAL:
		return "a plan's id is not 0";
	case -ENAMETOOLONG:
		return "the name is too long";
	case -ENODEV:
		return "there is no such fabric here";
	case -EPERM:
		return "the module's parameter \"unprivileged\" is off";
	}
	return NULL;
}

int hcli_open_failed(int err, const char *fabric, uint32_t node, uint32_t plan)
{
	const struct hcl_params p = { .plan = plan };
	const char *words = open_words(err, plan);

	why_set(&opening, err, &p, 0);
	opening.res.collective = 0;
	/* Truncate a name that is too long, so that there is room for the reason. */
	snprintf(opening.said, sizeof(opening.said), "fabric %.64s: cannot bind to node %u: %s",
		 fabric, node, words ? words : strerror(-err));
	return err;
}

const struct hypercube_result *hcl_failure(const struct hcl *h)
{
	return h ? &h->why.res : &opening.res;
}

char *hcl_explain(const struct hcl *h, char *buf, size_t size)
{
	const struct hcl_why *why = h ? &h->why : &opening;

	if (!*why->said)
		return hcl_describe(&why->res, buf, size);
	snprintf(buf, size, "%s", why->said);
	return buf;
}
