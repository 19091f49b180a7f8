/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Ids of the plans that processes of MPI install: a base, the node of the process, and its number
 * of the plan.  hcctl mpirun removes what is left of them.
 */
#ifndef HYPERCUBE_MPI_PLAN_ID_H
#define HYPERCUBE_MPI_PLAN_ID_H

#include <stdint.h>

#define MPI_PLAN_BASE		UINT32_C(0x40000000)
#define MPI_PLAN_NUMBERS	(UINT32_C(1) << 14)
/* Behind the last one. */
#define MPI_PLAN_END		(MPI_PLAN_BASE + (UINT32_C(1) << 30))

static inline uint32_t mpi_plan_id(uint32_t node, uint32_t number)
{
	return MPI_PLAN_BASE + node * MPI_PLAN_NUMBERS + number % MPI_PLAN_NUMBERS;
}

#endif /* HYPERCUBE_MPI_PLAN_ID_H */
