/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that an older libhypercube may not have. They are declared weak, so programs can be
 * linked with such a library. The address of a missing function is 0, so a call of it ends the
 * program.
 */
asm(".weak hcl_allgather");
asm(".weak hcl_alltoall");
asm(".weak hcl_reduce_scatter_block");
