/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allreduces with every operator and type: each member must get exactly the bits that the reference
 * computation gives.
 */
#ifndef _HC_ALLREDUCE_TYPES_H
#define _HC_ALLREDUCE_TYPES_H

#include "ref.h"

#define KINDS_MAX 256

/* A combination of operator and type; @width: bytes of a record. */
struct kind {
	unsigned int oper;
	unsigned int type;
	unsigned int width;
};

/* Write to @k, an array of KINDS_MAX, every operator but MERGE with each of its types. Return:
 * number of these pairs.
 */
unsigned int kinds_all(struct kind *k);
/* Set up job @j as an allreduce of @count random elements of kind @k by plan @plan. */
void kind_fill(struct job *j, unsigned int plan, const struct kind *k, size_t count);
/* Free what kind_fill() allocated for job @m of each of @n members. */
void kind_free(struct party *p, unsigned int n, unsigned int m);
/* Return: true if job @m has received the bits of the reference computation at each of the @n
 * members.
 */
bool kind_right(struct cube *c, struct party *p, const unsigned int *node, unsigned int n,
		unsigned int m);
/* Run an allreduce of each of the @nk kinds at all bound members of plan @plan. Return: number of
 * wrong results.
 */
unsigned int kinds_run(struct cube *c, unsigned int plan, const struct kind *k, unsigned int nk,
		       size_t count);

/* Run one allreduce by plan @id, in which each member contributes op->bytes of @in; the result goes
 * to @out. Return: 0, the operation's error, or -EBADMSG if it does not end or its result has
 * another length.
 */
int allreduce_once(struct cube *c, unsigned int id, const struct hypercube_op *op,
		   const char *in, char *out);

#endif /* _HC_ALLREDUCE_TYPES_H */
