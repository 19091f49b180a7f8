// SPDX-License-Identifier: GPL-2.0
/*
 * Persistent requests. All ranks make them in the same order, but may start them in any order. The
 * kernel, however, distinguishes the operations of a plan only by their order. So each request has
 * a plan of its own, as if it had a communicator of its own.
 *
 * Open MPI's own module (the module below, see component.h) has made a request for the same call.
 * That request is started instead when the plan is over.
 */
#include <stdlib.h>

#include "component.h"

/**
 * struct hcm_persist - a persistent request
 * @call: the call
 * @arrays: memory for the arrays of @call
 * @type: how the elements are combined
 * @below: the request of the module below for the same call
 * @comm: the communicator on which the program has made the request
 * @free: the function .req_free of MPI's request before this file replaced it
 */
struct hcm_persist {
	struct hcm_call call;
	void *arrays;
	struct hcm_type type;
	ompi_request_t *below;
	ompi_communicator_t *comm;
	ompi_request_free_fn_t free;
};

/* Operations for which the request of the module below was started; under hcm_lock. */
static struct hcm_op *relayed;

static int persist_free(ompi_request_t **request)
{
	struct hcm_op *op = (struct hcm_op *)*request;
	struct hcm_persist *p = op->persist;
	struct hcm_comm *m = op->comm;

	ompi_request_free(&p->below);
	op->persist = NULL;
	p->free(request);
	OBJ_RELEASE(m);
	OBJ_RELEASE(p->comm);
	free(p->arrays);
	free(p);
	return MPI_SUCCESS;
}

/* Start the request of the module below instead of @op. Return: an error of MPI. */
static int start_below(struct hcm_op *op)
{
	int rc = op->persist->below->req_start(1, &op->persist->below);

	hcm_stats_below(op->persist->call.what, HCM_OVER);
	if (rc != MPI_SUCCESS)
		return rc;
	OPAL_THREAD_LOCK(&hcm_lock);
	op->next = relayed;
	relayed = op;
	OPAL_THREAD_UNLOCK(&hcm_lock);
	return MPI_SUCCESS;
}

/* Start a persistent request. Return: an error of MPI. */
static int start_one(struct hcm_op *op)
{
	struct hcm_persist *p = op->persist;
	int rc;

	op->base.super.req_complete = REQUEST_PENDING;
	op->base.super.req_state = OMPI_REQUEST_ACTIVE;
	op->base.super.req_status.MPI_ERROR = MPI_SUCCESS;
	op->error = MPI_SUCCESS;
	op->next = NULL;
	op->give = NULL;
	op->give_len = 0;
	op->take = NULL;
	op->pieces = 0;
	op->posted = 0;
	op->finished = 0;
	op->restarts = 0;
	op->below = HCM_TAKEN;
	op->type = p->type;
	if (!hcm_flow_admit(op->comm))
		return start_below(op);
	rc = hcm_shape_op(&p->call, op);
	if (rc == MPI_SUCCESS && (op->total || p->call.what == HCM_barrier)) {
		hcm_flow_begin(op->comm, op);
		return MPI_SUCCESS;
	}
	hcm_shape_end(op);
	ompi_request_complete(&op->base.super, true);
	return rc;
}

static int persist_start(size_t count, ompi_request_t **requests)
{
	int rc = MPI_SUCCESS;
	size_t i;

	for (i = 0; rc == MPI_SUCCESS && i < count; i++)
		rc = start_one((struct hcm_op *)requests[i]);
	return rc;
}

/* Find an operation in @relayed for which the request of the module below is complete, and remove
 * it from the list. Return: the operation, or NULL.
 */
static struct hcm_op *relayed_next(void)
{
	struct hcm_op **o, *op;

	for (o = &relayed; *o; o = &(*o)->next) {
		op = *o;
		if (!REQUEST_COMPLETE(op->persist->below))
			continue;
		*o = op->next;
		return op;
	}
	return NULL;
}

int hcm_persist_progress(void)
{
	struct hcm_op *op;
	int n = 0, error;

	while (relayed) {
		if (OPAL_THREAD_TRYLOCK(&hcm_lock))
			break;
		op = relayed_next();
		OPAL_THREAD_UNLOCK(&hcm_lock);
		if (!op)
			break;
		error = op->persist->below->req_status.MPI_ERROR;
		op->persist->below->req_state = OMPI_REQUEST_INACTIVE;
		op->base.super.req_status.MPI_ERROR = error;
		ompi_request_complete(&op->base.super, true);
		n++;
	}
	return n;
}

/* Set up a plan for a request, with the ranks of @m. Return: a struct hcm_comm for it, or NULL if
 * there is no plan.
 */
static struct hcm_comm *plan_new(const struct hcm_comm *m)
{
	struct hcm_comm *own = hcm_comm_new();

	if (!own)
		return NULL;
	own->private = true;
	own->below = m->below;
	own->comm = m->comm;
	own->rank = m->rank;
	own->size = m->size;
	hcm_group_setup(own);
	if (own->state != HCM_DOWN)
		return own;
	OBJ_RELEASE(own);
	return NULL;
}

/* Make the operation of a persistent request. *@op is set to NULL if there is no plan, which all
 * ranks find alike. Return: an error of MPI: this rank has no memory.
 */
static int persist_new(struct hcm_comm *m, const struct hcm_call *c, const struct hcm_type *type,
		       struct hcm_op **op)
{
	struct hcm_comm *own;
	struct hcm_persist *p;

	*op = NULL;
	own = m->state == HCM_DOWN ? NULL : plan_new(m);
	if (!own)
		return MPI_SUCCESS;
	p = calloc(1, sizeof(*p));
	*op = p ? hcm_op_new(own, true) : NULL;
	if (p)
		p->call = *c;
	if (*op && hcm_call_keep(&p->call, m->size, &p->arrays) == MPI_SUCCESS) {
		(*op)->persist = p;
		p->type = *type;
		return MPI_SUCCESS;
	}
	if (*op)
		OBJ_RELEASE(*op);
	free(p);
	OBJ_RELEASE(own);
	return MPI_ERR_NO_MEM;
}

int hcm_persist(struct hcm_comm *m, const struct hcm_call *c, ompi_request_t *below,
		ompi_request_t **request)
{
	struct hcm_type type;
	enum hcm_reason reason = hcm_shape_check(m, c, false, &type);
	struct hcm_op *op = NULL;
	ompi_request_t *r;
	int rc;

	*request = below;
	rc = reason == HCM_TAKEN ? persist_new(m, c, &type, &op) : MPI_SUCCESS;
	if (!op) {
		hcm_stats_below(c->what, reason == HCM_TAKEN ? HCM_NO_PLAN : reason);
		return rc;
	}
	r = &op->base.super;
	op->request = true;
	op->persist->below = below;
	op->persist->comm = m->comm;
	op->persist->free = r->req_free;
	OBJ_RETAIN(m->comm);
	r->req_start = persist_start;
	r->req_free = persist_free;
	*request = r;
	return MPI_SUCCESS;
}
