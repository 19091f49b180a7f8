// SPDX-License-Identifier: GPL-2.0
/*
 * The kernel's types and operators for those of MPI, and the conversion of elements that are not in
 * the form that the kernel uses.
 */
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "opal/datatype/opal_convertor.h"

struct oper_row {
	MPI_Op op;
	uint8_t oper;
};

static const struct oper_row opers[] = {
	{ MPI_SUM, HYPERCUBE_SUM },	  { MPI_PROD, HYPERCUBE_PROD },
	{ MPI_MIN, HYPERCUBE_MIN },	  { MPI_MAX, HYPERCUBE_MAX },
	{ MPI_BAND, HYPERCUBE_AND },	  { MPI_BOR, HYPERCUBE_OR },
	{ MPI_BXOR, HYPERCUBE_XOR },	  { MPI_MINLOC, HYPERCUBE_MINLOC },
	{ MPI_MAXLOC, HYPERCUBE_MAXLOC },
};

/**
 * struct type_row - a type of MPI
 * @dt: the type
 * @type: enum hypercube_type of its components
 * @lanes: number of components; types with more than one are taken only for sums
 */
struct type_row {
	MPI_Datatype dt;
	uint8_t type;
	uint8_t lanes;
};

#define SIGNED(c) \
	(sizeof(c) == 8 ? HYPERCUBE_I64 : sizeof(c) == 4 ? HYPERCUBE_I32 : HYPERCUBE_I16)
#define UNSIGNED(c) \
	(sizeof(c) == 8 ? HYPERCUBE_U64 : sizeof(c) == 4 ? HYPERCUBE_U32 : HYPERCUBE_U16)

static const struct type_row types[] = {
	{ MPI_INT, SIGNED(int), 1 },	 { MPI_UNSIGNED, UNSIGNED(int), 1 },
	{ MPI_LONG, SIGNED(long), 1 },	 { MPI_UNSIGNED_LONG, UNSIGNED(long), 1 },
	{ MPI_SHORT, SIGNED(short), 1 }, { MPI_UNSIGNED_SHORT, UNSIGNED(short), 1 },
	{ MPI_LONG_LONG, HYPERCUBE_I64, 1 },	{ MPI_UNSIGNED_LONG_LONG, HYPERCUBE_U64, 1 },
	{ MPI_SIGNED_CHAR, HYPERCUBE_I8, 1 },	{ MPI_UNSIGNED_CHAR, HYPERCUBE_U8, 1 },
	{ MPI_FLOAT, HYPERCUBE_F32, 1 },	{ MPI_DOUBLE, HYPERCUBE_F64, 1 },
	{ MPI_BYTE, HYPERCUBE_U8, 1 },
	{ MPI_INT8_T, HYPERCUBE_I8, 1 },	{ MPI_UINT8_T, HYPERCUBE_U8, 1 },
	{ MPI_INT16_T, HYPERCUBE_I16, 1 },	{ MPI_UINT16_T, HYPERCUBE_U16, 1 },
	{ MPI_INT32_T, HYPERCUBE_I32, 1 },	{ MPI_UINT32_T, HYPERCUBE_U32, 1 },
	{ MPI_INT64_T, HYPERCUBE_I64, 1 },	{ MPI_UINT64_T, HYPERCUBE_U64, 1 },
	{ MPI_AINT, HYPERCUBE_I64, 1 },		{ MPI_OFFSET, HYPERCUBE_I64, 1 },
	{ MPI_COUNT, HYPERCUBE_I64, 1 },
	{ MPI_C_FLOAT_COMPLEX, HYPERCUBE_F32, 2 },
	{ MPI_C_DOUBLE_COMPLEX, HYPERCUBE_F64, 2 },
	{ MPI_CXX_FLOAT_COMPLEX, HYPERCUBE_F32, 2 },
	{ MPI_CXX_DOUBLE_COMPLEX, HYPERCUBE_F64, 2 },
	/* The types of Fortran */
	{ MPI_INTEGER, HYPERCUBE_I32, 1 },	{ MPI_REAL, HYPERCUBE_F32, 1 },
	{ MPI_DOUBLE_PRECISION, HYPERCUBE_F64, 1 },
	{ MPI_COMPLEX, HYPERCUBE_F32, 2 },	{ MPI_DOUBLE_COMPLEX, HYPERCUBE_F64, 2 },
	{ MPI_INTEGER1, HYPERCUBE_I8, 1 },	{ MPI_INTEGER2, HYPERCUBE_I16, 1 },
	{ MPI_INTEGER4, HYPERCUBE_I32, 1 },	{ MPI_INTEGER8, HYPERCUBE_I64, 1 },
	{ MPI_REAL4, HYPERCUBE_F32, 1 },	{ MPI_REAL8, HYPERCUBE_F64, 1 },
};

/**
 * struct hcm_pair - MPI's type of pairs of a value and an index
 * @dt: the type
 * @type: enum hypercube_type of the value
 * @size: length of the value, bytes
 * @index: offset of the index, which is an int
 * @extent: bytes from one pair to the next
 */
struct hcm_pair {
	MPI_Datatype dt;
	uint8_t type;
	uint8_t size;
	uint8_t index;
	uint8_t extent;
};

#define PAIR(name, c, kernel)						\
	{ name, kernel, sizeof(c), offsetof(struct { c v; int i; }, i),	\
	  sizeof(struct { c v; int i; }) }

static const struct hcm_pair pairs[] = {
	PAIR(MPI_2INT, int, HYPERCUBE_I32),
	PAIR(MPI_FLOAT_INT, float, HYPERCUBE_F32),
	PAIR(MPI_DOUBLE_INT, double, HYPERCUBE_F64),
	PAIR(MPI_LONG_INT, long, SIGNED(long)),
	PAIR(MPI_SHORT_INT, short, HYPERCUBE_I16),
	PAIR(MPI_2INTEGER, int, HYPERCUBE_I32),
};

#define ROWS(table) (sizeof(table) / sizeof(*(table)))

static enum hcm_reason find_pair(const struct ompi_datatype_t *dt, struct hcm_type *t)
{
	size_t i;

	for (i = 0; i < ROWS(pairs); i++)
		if (pairs[i].dt == dt) {
			t->type = pairs[i].type;
			t->bytes = sizeof(struct hypercube_loc);
			t->pair = &pairs[i];
			return HCM_TAKEN;
		}
	return HCM_TYPE;
}

static enum hcm_reason find_number(const struct ompi_datatype_t *dt, struct hcm_type *t)
{
	size_t i;
	int size;

	for (i = 0; i < ROWS(types) && types[i].dt != dt; i++)
		;
	if (i == ROWS(types) || (types[i].lanes > 1 && t->oper != HYPERCUBE_SUM))
		return HCM_TYPE;
	size = hcl_elem_size(t->oper, types[i].type, 0);
	if (size <= 0 || (size_t)size * types[i].lanes != hcm_size(dt))
		return HCM_TYPE;
	t->type = types[i].type;
	t->bytes = size * types[i].lanes;
	return HCM_TAKEN;
}

enum hcm_reason hcm_type_find(const struct ompi_op_t *op, const struct ompi_datatype_t *dt,
			      struct hcm_type *t)
{
	size_t i;

	for (i = 0; i < ROWS(opers) && opers[i].op != op; i++)
		;
	if (i == ROWS(opers))
		return HCM_OPERATOR;
	*t = (struct hcm_type){ .oper = opers[i].oper };
	if (t->oper == HYPERCUBE_MINLOC || t->oper == HYPERCUBE_MAXLOC)
		return find_pair(dt, t);
	return find_number(dt, t);
}

/* ------------------------------------------------------------ elements */

size_t hcm_size(const struct ompi_datatype_t *dt)
{
	size_t size;

	ompi_datatype_type_size(dt, &size);
	return size;
}

ptrdiff_t hcm_extent(const struct ompi_datatype_t *dt)
{
	ptrdiff_t extent;

	ompi_datatype_type_extent(dt, &extent);
	return extent;
}

bool hcm_is_plain(const struct ompi_datatype_t *dt, size_t count, const struct hcm_type *t)
{
	return !t->pair && !dt->super.true_lb &&
	       opal_datatype_is_contiguous_memory_layout(&dt->super, count > 1 ? 2 : 1);
}

/* The kernel compares indices as unsigned numbers, so the sign bit is inverted. */
#define INDEX_SIGN (UINT64_C(1) << 63)

static void pair_pack(const struct hcm_pair *p, size_t count, const char *buf,
		      struct hypercube_loc *loc)
{
	int index;

	for (; count; count--, buf += p->extent, loc++) {
		memset(loc, 0, sizeof(*loc));
		memcpy(loc->value, buf, p->size);
		memcpy(&index, buf + p->index, sizeof(index));
		loc->index = (uint64_t)(int64_t)index ^ INDEX_SIGN;
	}
}

static void pair_unpack(const struct hcm_pair *p, size_t count, char *buf,
			const struct hypercube_loc *loc)
{
	int index;

	for (; count; count--, buf += p->extent, loc++) {
		memcpy(buf, loc->value, p->size);
		index = (int64_t)(loc->index ^ INDEX_SIGN);
		memcpy(buf + p->index, &index, sizeof(index));
	}
}

/* Pack or unpack elements of any type, by Open MPI's own functions for that. */
static void convert(const struct ompi_datatype_t *dt, size_t count, void *buf, void *bytes,
		    bool to_bytes)
{
	size_t total = count * hcm_size(dt);
	struct iovec iov = { bytes, total };
	opal_convertor_t c;
	uint32_t n = 1;

	if (!total)
		return;
	OBJ_CONSTRUCT(&c, opal_convertor_t);
	if (to_bytes) {
		opal_convertor_copy_and_prepare_for_send(ompi_mpi_local_convertor, &dt->super,
							 count, buf, 0, &c);
		opal_convertor_pack(&c, &iov, &n, &total);
	} else {
		opal_convertor_copy_and_prepare_for_recv(ompi_mpi_local_convertor, &dt->super,
							 count, buf, 0, &c);
		opal_convertor_unpack(&c, &iov, &n, &total);
	}
	OBJ_DESTRUCT(&c);
}

void hcm_pack(const struct ompi_datatype_t *dt, size_t count, const void *buf,
	      const struct hcm_type *t, void *bytes)
{
	if (t->pair)
		pair_pack(t->pair, count, buf, bytes);
	else
		convert(dt, count, (void *)buf, bytes, true);
}

void hcm_unpack(const struct ompi_datatype_t *dt, size_t count, void *buf,
		const struct hcm_type *t, const void *bytes)
{
	if (t->pair)
		pair_unpack(t->pair, count, buf, bytes);
	else
		convert(dt, count, buf, (void *)bytes, false);
}

/* Combine pairs by MPI's operator, for which they are converted to MPI's form. */
static void combine_pairs(const struct hcm_op *op, size_t count, const void *in, void *sum)
{
	MPI_Datatype dt = op->call.recv.dt;
	char *a = calloc(count, op->type.pair->extent), *b = calloc(count, op->type.pair->extent);

	if (a && b) {
		pair_unpack(op->type.pair, count, a, in);
		pair_unpack(op->type.pair, count, b, sum);
		PMPI_Reduce_local(a, b, count, dt, op->call.op);
		pair_pack(op->type.pair, count, b, sum);
	}
	free(a);
	free(b);
}

void hcm_combine(const struct hcm_op *op, size_t len, const void *in, void *sum)
{
	const char *from = in;
	char *to = sum;
	size_t i;

	if (op->type.pair)
		combine_pairs(op, len / op->type.bytes, in, sum);
	else if (op->type.oper)
		PMPI_Reduce_local(in, sum, len / op->type.bytes, op->call.recv.dt, op->call.op);
	else
		for (i = 0; i < len; i++)
			to[i] |= from[i];
}
