/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ids of the plans that processes of MPI install. An id consists of a base, the node of the
 * process, and the number of the plan in the process. "hcctl mpirun" removes the plans that
 * processes have left behind.
 */
#ifndef HYPERCUBE_MPI_PLAN_ID_H
#define HYPERCUBE_MPI_PLAN_ID_H

#include <stdint.h>

#define MPI_PLAN_BASE		UINT32_C(0x40000000)
#define MPI_PLAN_NUMBERS	(UINT32_C(1) << 14)
/* One more than the highest id. */
#define MPI_PLAN_END		(MPI_PLAN_BASE + (UINT32_C(1) << 30))

static inline uint32_t mpi_plan_id(uint32_t node, uint32_t number)
{
	return MPI_PLAN_BASE + node * MPI_PLAN_NUMBERS + number % MPI_PLAN_NUMBERS;
}

#endif /* HYPERCUBE_MPI_PLAN_ID_H */
