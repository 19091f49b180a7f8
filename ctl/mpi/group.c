// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of a communicator: a guarded tree whose members are the nodes of its ranks.
 *
 * Rank 0 of the communicator installs it and sends its id to the others, and each rank opens a
 * handle.  A rank that cannot is one whose plan is over before it has begun: fall.c knows what
 * follows, so no rank waits until all could.  All this is done in the first blocking
 * collective call, which may wait for rank 0; in MPI_Init() for MPI_COMM_WORLD.
 *
 * A plan is removed when no rank can wait for a result any more: what rank 0 has had, others will
 * have had a while later, or the plan is broken for longer than it is guarded.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "component.h"
#include "ompi/group/group.h"
#include "ompi/mca/coll/base/coll_tags.h"
#include "ompi/mca/pml/pml.h"
#include "ompi/runtime/mpiruntime.h"
#include "plan_id.h"

#define BUFFER		(1 << 20)

/* No collective of Open MPI 4.1 has it. */
#define TAG (MCA_COLL_BASE_TAG_HCOLL_BASE - 4712)

/* us: a process that waits for rank 0 sleeps, longer each time, so that rank 0 has a processor. */
#define SLEEP_MIN_US	50
#define SLEEP_MAX_US	1000

/* Plans that wait to be removed: no more communicators are taken beyond. */
#define RETIRED_MAX	256

/**
 * struct retired - a plan whose communicator is gone
 * @id: its id
 * @since: ns
 */
struct retired {
	uint32_t id;
	uint64_t since;
};

/* Protects what follows, of several threads. */
static opal_mutex_t lock = OPAL_MUTEX_STATIC_INIT;
static struct retired retired[RETIRED_MAX];
static unsigned int nretired;
static uint32_t numbers;
static bool complained;

static opal_process_name_t name_of(const ompi_communicator_t *comm, int rank)
{
	return ompi_group_get_proc_name(comm->c_local_group, rank);
}

/* The node of a rank is its rank in MPI_COMM_WORLD. */
static uint32_t node_of(const ompi_communicator_t *comm, int rank)
{
	return name_of(comm, rank).vpid;
}

static uint32_t my_node(void)
{
	return node_of(&ompi_mpi_comm_world.comm, ompi_mpi_comm_world.comm.c_my_rank);
}

/* Have they all been started with this process? */
static bool same_job(const struct hcm_comm *m)
{
	const ompi_communicator_t *world = &ompi_mpi_comm_world.comm;
	uint32_t job = name_of(world, world->c_my_rank).jobid;
	int i;

	for (i = 0; i < m->size; i++)
		if (name_of(m->comm, i).jobid != job)
			return false;
	return true;
}

static void retired_remove(unsigned int i)
{
	hcl_plan_remove(hcm_fabric, retired[i].id);
	retired[i] = retired[--nretired];
}

static void retire(uint32_t id)
{
	OPAL_THREAD_LOCK(&lock);
	if (nretired < RETIRED_MAX)
		retired[nretired++] = (struct retired){ id, hcm_now_ns() };
	OPAL_THREAD_UNLOCK(&lock);
}

/* Return: an id for a plan, or 0: too many wait to be removed. */
static uint32_t new_id(void)
{
	uint64_t age = hcm_guard_ms * UINT64_C(1000000), now = hcm_now_ns();
	unsigned int i = 0;
	uint32_t id = 0;

	OPAL_THREAD_LOCK(&lock);
	while (i < nretired)
		if (now - retired[i].since > age)
			retired_remove(i);
		else
			i++;
	if (nretired < RETIRED_MAX / 2)
		id = mpi_plan_id(my_node(), numbers++);
	OPAL_THREAD_UNLOCK(&lock);
	return id;
}

/* Return: its id, or 0 and @why. */
static uint32_t install(const struct hcm_comm *m, const uint32_t *nodes, char *why, size_t size)
{
	uint32_t id = new_id();
	int rc;

	if (!id) {
		snprintf(why, size, "%u communicators were freed a moment ago", RETIRED_MAX / 2);
		return 0;
	}
	rc = hcl_plan_install_members(hcm_fabric, id, nodes, m->size, hcm_guard_ms, NULL);
	if (!rc)
		return id;
	hcl_plan_explain(why, size);
	return 0;
}

/* There is no way to go on that the other ranks would take as well. */
static void give_up(const char *why)
{
	hcm_say("%s", why);
	ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
}

/* Return: 0, or a negative errno and @why. */
static int open_handle(struct hcm_comm *m, char *why, size_t size)
{
	int rc = hcl_open_plan(&m->h, hcm_fabric, my_node(), m->plan);

	if (!rc) {
		hcl_set_buffers(m->h, BUFFER, BUFFER);
		rc = hcl_fd(m->h);
		if (rc >= 0)
			return 0;
	} else {
		m->h = NULL;
	}
	hcl_explain(m->h, why, size);
	return rc;
}

/* Open it.  The plan of a rank that cannot is over. */
static void join(struct hcm_comm *m, const uint32_t *nodes)
{
	char why[256];
	int rc = open_handle(m, why, sizeof(why));
	bool nomem;

	OPAL_THREAD_LOCK(&hcm_lock);
	m->state = HCM_UP;
	nomem = !hcm_fall_new(m, nodes);
	if (!nomem && rc)
		hcm_fall_begin(m->fall, why);
	OPAL_THREAD_UNLOCK(&hcm_lock);
	if (nomem)
		give_up("out of memory");
}

static int await(int rc, ompi_request_t *request)
{
	unsigned int us = SLEEP_MIN_US;
	int idle = 0;

	if (rc != OMPI_SUCCESS)
		return rc;
	while (!REQUEST_COMPLETE(request)) {
		opal_progress();
		if (++idle <= hcm_spin)
			continue;
		usleep(us);
		us = 2 * us < SLEEP_MAX_US ? 2 * us : SLEEP_MAX_US;
	}
	rc = request->req_status.MPI_ERROR;
	ompi_request_free(&request);
	return rc;
}

/* From rank 0 straight to each other one: a tree would sleep once a level. */
static int send_id(struct hcm_comm *m, uint32_t id)
{
	ompi_request_t *request;
	int r, rc = OMPI_SUCCESS;

	for (r = 1; r < m->size && rc == OMPI_SUCCESS; r++) {
		rc = MCA_PML_CALL(isend(&id, 1, MPI_UINT32_T, r, TAG, MCA_PML_BASE_SEND_STANDARD,
					m->comm, &request));
		rc = await(rc, request);
	}
	return rc;
}

static int receive_id(struct hcm_comm *m, uint32_t *id)
{
	ompi_request_t *request;
	int rc = MCA_PML_CALL(irecv(id, 1, MPI_UINT32_T, 0, TAG, m->comm, &request));

	return await(rc, request);
}

/* Return: the time since @since, which is now again. */
static uint64_t lap(uint64_t *since)
{
	uint64_t now = hcm_now_ns(), took = now - *since;

	*since = now;
	return took;
}

/* There is none, and all ranks know. */
static void no_plan(struct hcm_comm *m, const char *why)
{
	m->state = HCM_DOWN;
	if (!m->rank && !complained)
		hcm_say("collectives do not go through the kernel: %s", why);
	complained = true;
	if (hcm_required)
		ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
}

static void setup(struct hcm_comm *m, const uint32_t *nodes)
{
	uint64_t since = hcm_now_ns(), ns[HCM_SETUP_NR];
	char why[256] = "";
	int rc;

	if (!m->rank)
		m->plan = install(m, nodes, why, sizeof(why));
	ns[HCM_SETUP_PLAN] = lap(&since);
	/* Rank 0 is ready for what the others may ask it before they know of the plan. */
	if (!m->rank && m->plan)
		join(m, nodes);
	ns[HCM_SETUP_HANDLE] = lap(&since);
	rc = m->rank ? receive_id(m, &m->plan) : send_id(m, m->plan);
	if (rc != OMPI_SUCCESS)
		give_up("ranks cannot be reached");
	ns[HCM_SETUP_AGREE] = lap(&since);
	if (m->rank && m->plan)
		join(m, nodes);
	ns[HCM_SETUP_HANDLE] += lap(&since);
	hcm_stats_setup(ns);
	if (!m->plan)
		no_plan(m, why);
}

void hcm_group_setup(struct hcm_comm *m)
{
	uint32_t *nodes;
	int i;

	if (!same_job(m)) {
		m->state = HCM_DOWN;
		return;
	}
	nodes = malloc(m->size * sizeof(*nodes));
	if (!nodes) {
		give_up("out of memory");
		return;
	}
	for (i = 0; i < m->size; i++)
		nodes[i] = node_of(m->comm, i);
	setup(m, nodes);
	free(nodes);
}

void hcm_group_leave(struct hcm_comm *m)
{
	OPAL_THREAD_LOCK(&hcm_lock);
	hcl_close(m->h);
	m->h = NULL;
	if (m->fall)
		hcm_fall_leave(m->fall);
	OPAL_THREAD_UNLOCK(&hcm_lock);
	m->fall = NULL;
	if (m->plan && !m->rank)
		retire(m->plan);
	m->plan = 0;
	if (m->comm == &ompi_mpi_comm_world.comm && !m->private)
		hcm_message_end();
}

void hcm_group_end(void)
{
	hcm_fall_end();
	while (nretired)
		retired_remove(0);
}
