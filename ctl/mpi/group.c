// SPDX-License-Identifier: GPL-2.0
/*
 * The plan of a communicator: a tree whose members are the nodes of its ranks, guarded if possible.
 *
 * Rank 0 of the communicator installs the plan and sends its id to the other ranks, and each rank
 * opens a handle. If a rank cannot open one, the plan is over at this rank from the beginning, and
 * fall.c completes its operations; so no rank waits until all ranks have a handle. All this is done
 * in the first blocking collective call, which may wait for rank 0, or, for MPI_COMM_WORLD, in
 * MPI_Init().
 *
 * After rank 0 has freed the communicator, it keeps the plan installed at least for the time for
 * which the plan is guarded, unless the program ends. In this time the other ranks receive the
 * results that rank 0 has received, or the plan is over, so no rank waits for a result of the plan
 * any more.
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

/* A tag that no collective of Open MPI 4.1 uses. */
#define TAG (MCA_COLL_BASE_TAG_HCOLL_BASE - 4712)

/* Shortest and longest sleep, us, of a process that waits for another one. Each sleep is twice as
 * long as the one before, so that rank 0 gets a processor.
 */
#define SLEEP_MIN_US	50
#define SLEEP_MAX_US	1000

/* Largest number of plans that wait to be removed. If half as many wait, no further plan is
 * installed.
 */
#define RETIRED_MAX	256

/**
 * struct retired - a plan whose communicator was freed
 * @id: its id
 * @since: time at which the communicator was freed, ns
 */
struct retired {
	uint32_t id;
	uint64_t since;
};

/* Protects the variables below against other threads. */
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

/* Return: true if the processes of all ranks belong to the job of this process. */
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

/* Remove the plan in entry @i of @retired. */
static void retired_remove(unsigned int i)
{
	hcl_plan_remove(hcm_fabric, retired[i].id);
	retired[i] = retired[--nretired];
}

/* Record that a plan is to be removed, because its communicator was freed. */
static void retire(uint32_t id)
{
	OPAL_THREAD_LOCK(&lock);
	if (nretired < RETIRED_MAX)
		retired[nretired++] = (struct retired){ id, hcm_now_ns() };
	OPAL_THREAD_UNLOCK(&lock);
}

/* Remove the plans that have waited long enough. Return: an id for a new plan, or 0 if too many
 * plans still wait to be removed.
 */
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

/* Install a plan. Return: its id, or 0 with the reason in @why. */
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

/* End the program, because this rank cannot continue, and the other ranks do not know that. */
static void give_up(const char *why)
{
	hcm_say("%s", why);
	ompi_mpi_abort(&ompi_mpi_comm_world.comm, 1);
}

/* Open the handle. Return: 0, or a negative errno with the reason in @why. */
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

/* Open the handle. If that fails, the plan is over at this rank. */
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

/* Wait for a request that was begun with result @rc. Return: an error of Open MPI. */
static int await(int rc, ompi_request_t *request)
{
	unsigned int us = SLEEP_MIN_US;
	int idle = 0;

	if (rc != OMPI_SUCCESS)
		return rc;
	while (!REQUEST_COMPLETE(request)) {
		opal_progress();
		if (++idle <= hcm_flow_spin())
			continue;
		usleep(us);
		us = 2 * us < SLEEP_MAX_US ? 2 * us : SLEEP_MAX_US;
	}
	rc = request->req_status.MPI_ERROR;
	ompi_request_free(&request);
	return rc;
}

/* Send the plan's id from rank 0 directly to each other rank. Along a tree, processes would sleep
 * at each level.
 */
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

/* Return: the time since *@since, ns. *@since is set to the present time. */
static uint64_t lap(uint64_t *since)
{
	uint64_t now = hcm_now_ns(), took = now - *since;

	*since = now;
	return took;
}

/* Record that the communicator has no plan, which all ranks know. */
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
	/* Rank 0 must be ready for messages of the other ranks before these ranks know the plan. */
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
