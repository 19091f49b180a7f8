/* SPDX-License-Identifier: GPL-2.0 */
/* Open MPI's ompi/op/op.h wants this header, which libopenmpi-dev lacks, and nothing of what is in it. */
