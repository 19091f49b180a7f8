// SPDX-License-Identifier: GPL-2.0
/*
 * Decides whether an error, and the cause that it names, are explained by an event that the world
 * has caused. The rules are those of the section ERRORS of hypercube(7).
 */
#include <errno.h>

#include "soak.h"

#define NOWHERE	(~0u)

bool error_allowed(const struct world *w, int plan, int error)
{
	static const struct {
		int error;
		uint32_t why;
	} explains[] = {
		{ ECONNRESET, EX_CLOSE },
		{ EHOSTUNREACH, EX_LINK | EX_NODE },
		{ ENOLINK, EX_LINK | EX_NODE | EX_MEMORY },
		{ EHOSTDOWN, EX_NODE },
		{ ENOMEM, EX_MEMORY },
	};
	uint32_t had = atomic_load(&w->era.allowed_errors), why = 0, i;

	switch (error) {
	case EPROTO:
		/* Some members may not have been notified of a failure yet, and so contribute to an
		 * operation with another number.
		 */
		return atomic_load(&w->era.tainted) >> plan & 1;
	case ENOENT:
	case ESTALE:
		return atomic_load(&w->era.deeds.replaced) >> plan & 1;
	}
	for (i = 0; i < sizeof(explains) / sizeof(*explains); i++)
		if (explains[i].error == error)
			why = explains[i].why;
	return had & why;
}

/* Return: true if link (@u, @d) was down in this era, or if a node at one of its ends has failed.
 */
static bool link_gone(const struct world *w, uint32_t u, uint32_t d)
{
	uint64_t failed = atomic_load(&w->era.deeds.failed);

	return atomic_load(&w->era.deeds.cut[u]) >> d & 1 || failed >> u & 1 ||
	       failed >> (u ^ 1u << d) & 1;
}

/* Check the cause of the error @error that @node got: with record @r, or from a call if @r is NULL.
 * Return: true if an event explains the cause.
 */
bool cause_true(const struct world *w, uint32_t node, int error, const struct hypercube_result *r)
{
	uint32_t u = r ? r->cause_node : NOWHERE, d = r ? r->cause_dim : NOWHERE;
	bool short_of_memory = atomic_load(&w->era.allowed_errors) & EX_MEMORY;

	if ((u != NOWHERE && u >= w->nodes) || (d != NOWHERE && d >= w->dim))
		return false;
	switch (error) {
	case EHOSTDOWN:
		return atomic_load(&w->era.deeds.failed) >> node & 1;
	case ECONNRESET:
		return u != NOWHERE && atomic_load(&w->era.deeds.closed) >> u & 1;
	case ENOLINK:
		/* A link that lacks memory to deliver frames becomes spent. */
		return !r || (u != NOWHERE && d != NOWHERE &&
			      (short_of_memory || link_gone(w, u, d)));
	}
	return true;
}

static void link_mark(_Atomic uint32_t *bits, uint32_t u, uint32_t d)
{
	atomic_fetch_or(&bits[u], 1u << d);
	atomic_fetch_or(&bits[u ^ 1u << d], 1u << d);
}

void deed_link(struct world *w, uint32_t u, uint32_t d)
{
	link_mark(w->era.deeds.cut, u, d);
}

void deeds_forget(struct world *w)
{
	struct deeds *deeds = &w->era.deeds;
	uint32_t u;

	atomic_store(&deeds->closed, 0);
	atomic_store(&deeds->failed, 0);
	atomic_store(&deeds->replaced, 0);
	for (u = 0; u < NODES_MAX; u++)
		atomic_store(&deeds->cut[u], 0);
}
