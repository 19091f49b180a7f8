#!/usr/bin/python3
# SPDX-License-Identifier: GPL-2.0
"""Usage: mpirun .. mpi_walk.py STEPS

Walks on a random graph, in integers, with all collectives that numpy programs use, and prints a
line of sums for each step. The program is an ordinary MPI program, which does not know of fabrics.
"""

import sys
import zlib

from mpi4py import MPI
import numpy as np

SIZE = 96  # vertices of each rank
PRIME = 1000003

comm = MPI.COMM_WORLD
rank, ranks = comm.Get_rank(), comm.Get_size()
halves = comm.Split(rank % 2, rank)
steps = int(sys.argv[1])


def step(number, matrix, here):
    """Returns the vertices that the step reaches, and the sums for the line."""
    root = number % ranks
    everywhere = np.empty(SIZE * ranks, dtype=np.int64)
    comm.Allgather(here, everywhere)
    there = matrix.dot(everywhere) % PRIME
    # Meanwhile this rank does work for which it needs no other rank.
    total = np.empty(1, dtype=np.int64)
    request = comm.Iallreduce(np.array([there.sum()]), total)
    local = there[::2].copy()
    request.Wait()
    most = comm.allreduce((int(there.max()), rank), op=MPI.MAXLOC)
    shift = np.array([number * 7 + 1 if rank == root else 0])
    comm.Bcast(shift, root=root)
    blocks = np.arange(ranks, dtype=np.int64) * rank + there[:ranks]
    turned = np.empty(ranks, dtype=np.int64)
    comm.Alltoall(blocks, turned)
    share = np.empty(1, dtype=np.int64)
    comm.Reduce_scatter_block(blocks, share)
    half = np.zeros(1)
    halves.Allreduce(np.array([float(local.sum())]), half)
    gathered = np.empty(2 * ranks) if rank == root else None
    comm.Gather(np.array([half[0], float(share[0] + turned.sum())]), gathered, root=root)
    handed = np.empty(2)
    comm.Scatter(gathered, handed, root=root)
    there = (there + int(shift[0]) + int(handed.sum())) % PRIME
    digest = np.array([zlib.crc32(there.tobytes())], dtype=np.uint64)
    result = np.zeros(1, dtype=np.uint64)
    comm.Reduce(digest, result, op=MPI.SUM, root=0)
    comm.Barrier()
    return there, (int(total[0]), most, int(result[0]))


def main():
    random = np.random.RandomState(rank)
    matrix = random.randint(0, 2, (SIZE, SIZE * ranks)).astype(np.int64)
    here = random.randint(0, PRIME, SIZE).astype(np.int64)
    for number in range(steps):
        here, sums = step(number, matrix, here)
        if rank == 0:
            print(number, *sums, flush=True)
    halves.Free()


main()
