/* SPDX-License-Identifier: GPL-2.0 */
/* The list of MPI's collectives. A file that includes it defines WHAT() for one entry. Each
 * collective has a row in shape.c, which describes its vector, and one in calls.c, which has its
 * arguments.
 */
WHAT(allreduce)
WHAT(reduce)
WHAT(bcast)
WHAT(barrier)
WHAT(gather)
WHAT(scatter)
WHAT(allgather)
WHAT(allgatherv)
WHAT(alltoall)
WHAT(reduce_scatter)
WHAT(reduce_scatter_block)
WHAT(gatherv)
WHAT(scatterv)
WHAT(alltoallv)
WHAT(alltoallw)
WHAT(scan)
WHAT(exscan)
WHAT(neighbor_allgather)
WHAT(neighbor_allgatherv)
WHAT(neighbor_alltoall)
WHAT(neighbor_alltoallv)
WHAT(neighbor_alltoallw)
#undef WHAT
