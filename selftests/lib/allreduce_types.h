/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Allreduces with every operator and type: each member must get exactly the bits that the reference
 * computation gives.
 */
#ifndef _HC_ALLREDUCE_TYPES_H
#define _HC_ALLREDUCE_TYPES_H

#include "ref.h"

#define KINDS_MAX 256

/* An operator with a type that it supports. @width: bytes of a record. */
struct kind {
	unsigned int oper;
	unsigned int type;
	unsigned int width;
};

/* Write to @k, an array of KINDS_MAX elements, each operator but MERGE with each type that it
 * supports. Return: number of pairs written.
 */
unsigned int kinds_all(struct kind *k);
/* Set up job @j: an allreduce over plan @plan of @count random elements, with the operator and the
 * type of @k.
 */
void kind_fill(struct job *j, unsigned int plan, const struct kind *k, size_t count);
/* Free what kind_fill() has allocated for job @m of each of @n members. */
void kind_free(struct party *p, unsigned int n, unsigned int m);
/* Return: true if the result of job @m at each of the @n members has exactly the bits of the
 * reference result.
 */
bool kind_right(struct cube *c, struct party *p, const unsigned int *node, unsigned int n,
		unsigned int m);
/* Run an allreduce of @count elements for each of the @nk kinds at all bound members of plan @plan.
 * Return: number of wrong results.
 */
unsigned int kinds_run(struct cube *c, unsigned int plan, const struct kind *k, unsigned int nk,
		       size_t count);

/* Run one allreduce over plan @id in which each member contributes the same op->bytes bytes, @in.
 * The result is written to @out. Return: 0, the error of the operation, or -EBADMSG if it does not
 * end or its result has another length.
 */
int allreduce_once(struct cube *c, unsigned int id, const struct hypercube_op *op,
		   const char *in, char *out);

#endif /* _HC_ALLREDUCE_TYPES_H */
