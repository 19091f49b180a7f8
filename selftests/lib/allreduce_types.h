/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allreduces of every operator and type: all members have the bits of the plain
 * computation.
 */
#ifndef _HC_ALLREDUCE_TYPES_H
#define _HC_ALLREDUCE_TYPES_H

#include "ref.h"

#define KINDS_MAX 256

struct kind {
	unsigned int oper;
	unsigned int type;
	unsigned int width;
};

/* All there are but MERGE, in an array of KINDS_MAX; returns how many. */
unsigned int kinds_all(struct kind *k);
/* Let a member's job be one of them, of @count random elements. */
void kind_fill(struct job *j, unsigned int plan, const struct kind *k, size_t count);
/* Free what kind_fill() allocated for job @m of each of @n members. */
void kind_free(struct party *p, unsigned int n, unsigned int m);
/* Has job @m the bits of the plain computation at each of @n members? */
bool kind_right(struct cube *c, struct party *p, const unsigned int *node, unsigned int n,
		unsigned int m);
/* Run them at all bound members of the cube's plan, which has this id.  Return: how many
 * were wrong.
 */
unsigned int kinds_run(struct cube *c, unsigned int plan, const struct kind *k, unsigned int nk,
		       size_t count);

/* One allreduce of the same data by plan @id into @out, op->bytes for each member.  0, the
 * operation's error, or -EBADMSG: a hang, or no result of that length.
 */
int allreduce_once(struct cube *c, unsigned int id, const struct hypercube_op *op,
		   const char *in, char *out);

#endif /* _HC_ALLREDUCE_TYPES_H */
