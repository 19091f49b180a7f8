// SPDX-License-Identifier: GPL-2.0
/*
 * The component that Open MPI finds in this library. Open MPI asks it for a module for each new
 * communicator.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "component.h"
#include "opal/runtime/opal_progress.h"

/* Higher than the priorities of Open MPI's own components; tuned has 30. */
#define PRIORITY	90
/* ms for which a communicator waits until ranks that faults have cut off are connected again. */
#define GUARD_MS	10000
/* How often a process checks whether its result has arrived before it sleeps, if it has a processor
 * of its own.
 */
#define SPIN		20

char hcm_fabric[HYPERCUBE_NAME_MAX];
int hcm_guard_ms = GUARD_MS;
int hcm_spin = SPIN;
bool hcm_required;
static char *fabric, *limits;
static int priority = PRIORITY;
static bool progresses;

void hcm_say(const char *format, ...)
{
	char text[512];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	fprintf(stderr, "hypercube: %s\n", text);
}

static void comm_construct(struct hcm_comm *m)
{
	memset((char *)m + sizeof(m->super), 0, sizeof(*m) - sizeof(m->super));
}

static void comm_destruct(struct hcm_comm *m)
{
	unsigned int i;

	hcm_group_leave(m);
	hcm_calls_release(m);
	for (i = 0; i < HCM_SLOTS; i++) {
		free(m->slot[i].in);
		free(m->slot[i].out);
	}
}

static opal_class_t comm_class = {
	.cls_name = "hypercube communicator", .cls_parent = &mca_coll_base_module_t_class,
	.cls_construct = (opal_construct_t)comm_construct,
	.cls_destruct = (opal_destruct_t)comm_destruct, .cls_sizeof = sizeof(struct hcm_comm),
};

struct hcm_comm *hcm_comm_new(void)
{
	return (struct hcm_comm *)opal_obj_new(&comm_class);
}

/* Open MPI has chosen the module for a communicator: replace the communicator's functions. */
static int enable(mca_coll_base_module_t *module, struct ompi_communicator_t *comm)
{
	struct hcm_comm *m = (struct hcm_comm *)module;

	m->below = *comm->c_coll;
	m->comm = comm;
	m->rank = ompi_comm_rank(comm);
	m->size = ompi_comm_size(comm);
	hcm_calls_set(m);
	if (!progresses) {
		progresses = true;
		/* Copy the name: when the component is closed, Open MPI has freed its variables. */
		snprintf(hcm_fabric, sizeof(hcm_fabric), "%s", fabric);
		hcm_limits_set(limits);
		opal_progress_register(hcm_flow_progress);
		hcm_stats_begin();
	}
	if (comm == &ompi_mpi_comm_world.comm)
		hcm_group_setup(m);
	return OMPI_SUCCESS;
}

/* Return: a module for a new communicator, or NULL if the component cannot serve it. */
static mca_coll_base_module_t *comm_query(struct ompi_communicator_t *comm, int *prio)
{
	struct hcm_comm *m;

	if (!fabric || !*fabric || OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2)
		return NULL;
	m = hcm_comm_new();
	if (!m)
		return NULL;
	*prio = priority;
	m->super.coll_module_enable = enable;
	return &m->super;
}

static int init_query(bool progress_threads, bool mpi_threads)
{
	(void)progress_threads;
	(void)mpi_threads;
	return OMPI_SUCCESS;
}

static int component_register(void);

static int component_close(void)
{
	if (!progresses)
		return OMPI_SUCCESS;
	progresses = false;
	opal_progress_unregister(hcm_flow_progress);
	hcm_group_end();
	hcm_stats_end();
	return OMPI_SUCCESS;
}

__attribute__((visibility("default")))
mca_coll_base_component_t mca_coll_hypercube_component = {
	.collm_version = {
		MCA_COLL_BASE_VERSION_2_0_0,
		.mca_component_name = "hypercube",
		MCA_BASE_MAKE_VERSION(component, OMPI_MAJOR_VERSION, OMPI_MINOR_VERSION,
				      OMPI_RELEASE_VERSION),
		.mca_close_component = component_close,
		.mca_register_component_params = component_register,
	},
	.collm_data = { MCA_BASE_METADATA_PARAM_CHECKPOINT },
	.collm_init_query = init_query,
	.collm_comm_query = comm_query,
};

/* Register a parameter of the component with Open MPI. */
static void variable(const char *name, const char *help, mca_base_var_type_t type, void *storage)
{
	mca_base_component_var_register(&mca_coll_hypercube_component.collm_version, name, help,
					type, NULL, 0, 0, OPAL_INFO_LVL_4,
					MCA_BASE_VAR_SCOPE_READONLY, storage);
}

static int component_register(void)
{
	variable("fabric", "Name of the fabric whose node R serves rank R; none: do nothing",
		 MCA_BASE_VAR_TYPE_STRING, &fabric);
	variable("priority", "Priority of the component", MCA_BASE_VAR_TYPE_INT, &priority);
	variable("guard", "How long an operation waits for ranks that faults have cut off, in ms",
		 MCA_BASE_VAR_TYPE_INT, &hcm_guard_ms);
	variable("limits", "What the modules below do faster: CALL:RANKS:FROM-TO[,..], in bytes",
		 MCA_BASE_VAR_TYPE_STRING, &limits);
	variable("required", "End the program if there is no plan for a communicator",
		 MCA_BASE_VAR_TYPE_BOOL, &hcm_required);
	variable("spin", "How often to look for a result before sleeping",
		 MCA_BASE_VAR_TYPE_INT, &hcm_spin);
	return OMPI_SUCCESS;
}
