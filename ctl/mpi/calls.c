// SPDX-License-Identifier: GPL-2.0
/*
 * MPI's functions. Each consists of a macro that puts the arguments into a struct hcm_call. A call
 * that is not taken goes to the function of the module below. component.h explains these terms.
 */
#include <string.h>

#include "component.h"

#define DT	struct ompi_datatype_t *
#define OP	struct ompi_op_t *
#define COMM	struct ompi_communicator_t *
#define MODULE	mca_coll_base_module_t *

static opal_class_t op_class = {
	.cls_name = "hypercube operation", .cls_parent = &ompi_coll_base_nbc_request_t_class,
	.cls_sizeof = sizeof(struct hcm_op),
};

/* --- requests --- */

static int request_free(ompi_request_t **request)
{
	struct hcm_op *op = (struct hcm_op *)*request;

	OMPI_REQUEST_FINI(*request);
	OBJ_RELEASE(op);
	*request = MPI_REQUEST_NULL;
	return MPI_SUCCESS;
}

/* Collectives cannot be cancelled. */
static int request_cancel(ompi_request_t *request, int flag)
{
	(void)request;
	(void)flag;
	return MPI_ERR_REQUEST;
}

struct hcm_op *hcm_op_new(struct hcm_comm *m, bool persistent)
{
	struct hcm_op *op = (struct hcm_op *)opal_obj_new(&op_class);
	ompi_request_t *r = &op->base.super;

	if (!op)
		return NULL;
	memset((char *)op + sizeof(op->base), 0, sizeof(*op) - sizeof(op->base));
	OMPI_REQUEST_INIT(r, persistent);
	r->req_type = OMPI_REQUEST_COLL;
	if (!persistent)
		r->req_state = OMPI_REQUEST_ACTIVE;
	r->req_status = (ompi_status_public_t){
		.MPI_SOURCE = MPI_ANY_SOURCE, .MPI_TAG = MPI_ANY_TAG,
	};
	r->req_free = request_free;
	r->req_cancel = request_cancel;
	r->req_mpi_object.comm = m->comm;
	op->comm = m;
	return op;
}

/* --- what is taken --- */

/* Check whether a call is taken, and set up its communicator if necessary. Return: HCM_TAKEN, or
 * the reason why the call goes below; it is equal at all ranks.
 */
static enum hcm_reason check(struct hcm_comm *m, const struct hcm_call *c, bool blocking,
			     struct hcm_type *type)
{
	enum hcm_reason reason = hcm_shape_check(m, c, blocking, type);

	if (reason != HCM_TAKEN)
		return reason;
	if (m->state == HCM_NEW && !blocking)
		return HCM_EARLY;
	if (m->state == HCM_NEW)
		hcm_group_setup(m);
	if (m->state == HCM_DOWN)
		return HCM_NO_PLAN;
	return hcm_flow_admit(m) ? HCM_TAKEN : HCM_OVER;
}

/* Execute a call, or begin it if @request is not NULL. *@rc is set to an error of MPI. Return:
 * HCM_TAKEN, or the reason why the call goes below after all.
 */
static enum hcm_reason run(struct hcm_comm *m, const struct hcm_call *c,
			   const struct hcm_type *type, ompi_request_t **request, int *rc)
{
	struct hcm_op *op = hcm_op_new(m, false);
	enum hcm_reason below;

	*rc = MPI_ERR_NO_MEM;
	if (!op)
		return HCM_TAKEN;
	op->type = *type;
	op->request = request;
	*rc = hcm_shape_op(c, op);
	if (*rc != MPI_SUCCESS || (!op->total && c->what != HCM_barrier)) {
		/* The call has no data, or an error. */
		hcm_shape_end(op);
		OBJ_RELEASE(op);
		if (request)
			*request = &ompi_request_empty;
		return HCM_TAKEN;
	}
	if (request)
		*request = &op->base.super;
	hcm_flow_begin(m, op);
	if (request)
		return HCM_TAKEN;
	hcm_flow_wait(op);
	*rc = op->error;
	below = op->below;
	OBJ_RELEASE(op);
	return below;
}

/* Execute or begin a call if it is taken. Return: false if the function of the module below must do
 * it.
 */
static bool taken(MODULE module, const struct hcm_call *c, ompi_request_t **request, int *rc)
{
	struct hcm_comm *m = (struct hcm_comm *)module;
	struct hcm_type type;
	enum hcm_reason reason = check(m, c, !request, &type);

	if (reason == HCM_TAKEN)
		reason = run(m, c, &type, request, rc);
	if (reason != HCM_TAKEN)
		hcm_stats_below(c->what, reason);
	return reason == HCM_TAKEN;
}

/* --- the functions --- */

/* Lists of the parameters before the communicator. */
#define ARGS(...) __VA_ARGS__,
#define NONE

/* Define the blocking, the nonblocking and the persistent function of a collective. The parameters
 * of the macro after @args fill in the struct hcm_call.
 */
#define MPICALL(name, params, args, ...)							\
static int do_##name(params COMM comm, MODULE module)						\
{												\
	mca_coll_base_comm_coll_t *below = &((struct hcm_comm *)module)->below;			\
	struct hcm_call c = { .what = HCM_##name, ##__VA_ARGS__ };				\
	int rc;											\
												\
	if (taken(module, &c, NULL, &rc))							\
		return rc;									\
	return below->coll_##name(args comm, below->coll_##name##_module);			\
}												\
												\
static int do_i##name(params COMM comm, ompi_request_t **request, MODULE module)		\
{												\
	mca_coll_base_comm_coll_t *below = &((struct hcm_comm *)module)->below;			\
	struct hcm_call c = { .what = HCM_##name, ##__VA_ARGS__ };				\
	int rc;											\
												\
	if (taken(module, &c, request, &rc))							\
		return rc;									\
	return below->coll_i##name(args comm, request, below->coll_i##name##_module);		\
}												\
												\
static int do_##name##_init(params COMM comm, struct ompi_info_t *info,			\
			    ompi_request_t **request, MODULE module)				\
{												\
	struct hcm_comm *m = (struct hcm_comm *)module;						\
	mca_coll_base_comm_coll_t *below = &m->below;						\
	struct hcm_call c = { .what = HCM_##name, ##__VA_ARGS__ };				\
	ompi_request_t *other;									\
	int rc;											\
												\
	rc = below->coll_##name##_init(args comm, info, &other,				\
				       below->coll_##name##_init_module);			\
	return rc == MPI_SUCCESS ? hcm_persist(m, &c, other, request) : rc;			\
}

#define RANK	(((struct hcm_comm *)module)->rank)
#define IS_ROOT (RANK == root)
/* Initializers of the members of struct hcm_call: buffer @b, count or array of counts @n,
 * displacements @d, type or array of types @t.
 */
#define SEND(b, n, t)	.send = { .buf = (void *)(b), .count = (n), .dt = (t) }
#define SENDV(b, n, d, t) \
	.send = { .buf = (void *)(b), .counts = (n), .displs = (d), .dt = (t) }
#define SENDW(b, n, d, t) \
	.send = { .buf = (void *)(b), .counts = (n), .displs = (d), .dts = (t) }
#define RECV(b, n, t)	.recv = { .buf = (b), .count = (n), .dt = (t) }
#define RECVV(b, n, d, t)	.recv = { .buf = (b), .counts = (n), .displs = (d), .dt = (t) }
#define RECVW(b, n, d, t)	.recv = { .buf = (b), .counts = (n), .displs = (d), .dts = (t) }
/* An argument that is significant only at some ranks may have any value at the others: use it only
 * if @yes.
 */
#define IF(yes, value)	((yes) ? (value) : 0)
#define SEND_IF(yes, b, n, t)	SEND(IF(yes, b), IF(yes, n), IF(yes, t))
#define RECV_IF(yes, b, n, t)	RECV(IF(yes, b), IF(yes, n), IF(yes, t))
#define SENDV_IF(yes, b, n, d, t)	SENDV(IF(yes, b), IF(yes, n), IF(yes, d), IF(yes, t))
#define RECVV_IF(yes, b, n, d, t)	RECVV(IF(yes, b), IF(yes, n), IF(yes, d), IF(yes, t))

MPICALL(allreduce,
	ARGS(const void *sbuf, void *rbuf, int n, DT dt, OP op), ARGS(sbuf, rbuf, n, dt, op),
	SEND(sbuf, n, dt), RECV(rbuf, n, dt), .op = op)
MPICALL(reduce,
	ARGS(const void *sbuf, void *rbuf, int n, DT dt, OP op, int root),
	ARGS(sbuf, rbuf, n, dt, op, root),
	SEND(sbuf, n, dt), RECV(rbuf, n, dt), .op = op, .root = root)
MPICALL(bcast,
	ARGS(void *buf, int n, DT dt, int root), ARGS(buf, n, dt, root),
	SEND(buf, n, dt), RECV(buf, n, dt), .root = root)
MPICALL(barrier, NONE, NONE)
MPICALL(gather,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, int rn, DT rdt, int root),
	ARGS(sbuf, sn, sdt, rbuf, rn, rdt, root),
	SEND(sbuf, sn, sdt), RECV_IF(IS_ROOT, rbuf, rn, rdt), .root = root)
MPICALL(scatter,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, int rn, DT rdt, int root),
	ARGS(sbuf, sn, sdt, rbuf, rn, rdt, root), SEND_IF(IS_ROOT, sbuf, sn, sdt),
	RECV_IF(rbuf != MPI_IN_PLACE, rbuf, rn, rdt), .root = root)
MPICALL(allgather,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, int rn, DT rdt),
	ARGS(sbuf, sn, sdt, rbuf, rn, rdt), SEND(sbuf, sn, sdt), RECV(rbuf, rn, rdt))
MPICALL(allgatherv,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, const int *rn, const int *displs,
	     DT rdt),
	ARGS(sbuf, sn, sdt, rbuf, rn, displs, rdt),
	SEND(sbuf, sn, sdt), RECVV(rbuf, rn, displs, rdt))
MPICALL(alltoall,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, int rn, DT rdt),
	ARGS(sbuf, sn, sdt, rbuf, rn, rdt), SEND(sbuf, sn, sdt), RECV(rbuf, rn, rdt))
MPICALL(reduce_scatter,
	ARGS(const void *sbuf, void *rbuf, const int *rn, DT dt, OP op),
	ARGS(sbuf, rbuf, rn, dt, op),
	SENDV(sbuf, rn, NULL, dt), RECV(rbuf, rn[RANK], dt), .op = op)
MPICALL(reduce_scatter_block,
	ARGS(const void *sbuf, void *rbuf, int n, DT dt, OP op), ARGS(sbuf, rbuf, n, dt, op),
	SEND(sbuf, n, dt), RECV(rbuf, n, dt), .op = op)
MPICALL(scan,
	ARGS(const void *sbuf, void *rbuf, int n, DT dt, OP op), ARGS(sbuf, rbuf, n, dt, op),
	SEND(sbuf, n, dt), RECV(rbuf, n, dt), .op = op)
MPICALL(exscan,
	ARGS(const void *sbuf, void *rbuf, int n, DT dt, OP op), ARGS(sbuf, rbuf, n, dt, op),
	SEND(sbuf, n, dt), RECV(rbuf, n, dt), .op = op)
MPICALL(gatherv,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, const int *rn, const int *displs, DT rdt,
	     int root),
	ARGS(sbuf, sn, sdt, rbuf, rn, displs, rdt, root),
	SEND(sbuf, sn, sdt), RECVV_IF(IS_ROOT, rbuf, rn, displs, rdt), .root = root)
MPICALL(scatterv,
	ARGS(const void *sbuf, const int *sn, const int *displs, DT sdt, void *rbuf, int rn, DT rdt,
	     int root),
	ARGS(sbuf, sn, displs, sdt, rbuf, rn, rdt, root),
	SENDV_IF(IS_ROOT, sbuf, sn, displs, sdt),
	RECV_IF(rbuf != MPI_IN_PLACE, rbuf, rn, rdt), .root = root)
MPICALL(alltoallv,
	ARGS(const void *sbuf, const int *sn, const int *sdispls, DT sdt, void *rbuf, const int *rn,
	     const int *rdispls, DT rdt),
	ARGS(sbuf, sn, sdispls, sdt, rbuf, rn, rdispls, rdt),
	SENDV(sbuf, sn, sdispls, sdt), RECVV(rbuf, rn, rdispls, rdt))
MPICALL(alltoallw,
	ARGS(const void *sbuf, const int *sn, const int *sdispls, DT const *sdts, void *rbuf,
	     const int *rn, const int *rdispls, DT const *rdts),
	ARGS(sbuf, sn, sdispls, sdts, rbuf, rn, rdispls, rdts),
	SENDW(sbuf, sn, sdispls, sdts), RECVW(rbuf, rn, rdispls, rdts))

/* Collectives among neighbours in a topology, which always go below. */
MPICALL(neighbor_allgather,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, int rn, DT rdt),
	ARGS(sbuf, sn, sdt, rbuf, rn, rdt))
MPICALL(neighbor_allgatherv,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, const int *rn, const int *displs,
	     DT rdt),
	ARGS(sbuf, sn, sdt, rbuf, rn, displs, rdt))
MPICALL(neighbor_alltoall,
	ARGS(const void *sbuf, int sn, DT sdt, void *rbuf, int rn, DT rdt),
	ARGS(sbuf, sn, sdt, rbuf, rn, rdt))
MPICALL(neighbor_alltoallv,
	ARGS(const void *sbuf, const int *sn, const int *sdispls, DT sdt, void *rbuf, const int *rn,
	     const int *rdispls, DT rdt),
	ARGS(sbuf, sn, sdispls, sdt, rbuf, rn, rdispls, rdt))
MPICALL(neighbor_alltoallw,
	ARGS(const void *sbuf, const int *sn, MPI_Aint const *sdispls, DT const *sdts, void *rbuf,
	     const int *rn, MPI_Aint const *rdispls, DT const *rdts),
	ARGS(sbuf, sn, sdispls, sdts, rbuf, rn, rdispls, rdts))

/* Take over a function only if the module below has it, and hold a reference to that module for as
 * long as this one exists.
 */
#define SET(name)							\
	do {								\
		if (!m->below.coll_##name)				\
			break;						\
		m->super.coll_##name = do_##name;			\
		OBJ_RETAIN(m->below.coll_##name##_module);		\
	} while (0)
#define RELEASE(name)							\
	do {								\
		if (m->super.coll_##name)				\
			OBJ_RELEASE(m->below.coll_##name##_module);	\
	} while (0)

void hcm_calls_set(struct hcm_comm *m)
{
#define WHAT(name) { SET(name); SET(i##name); SET(name##_init); }
#include "whats.h"
}

void hcm_calls_release(struct hcm_comm *m)
{
#define WHAT(name) { RELEASE(name); RELEASE(i##name); RELEASE(name##_init); }
#include "whats.h"
}
