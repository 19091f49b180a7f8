/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that an older library may lack. They are weak: if the library lacks one, its address is
 * 0, and calling it ends the program.
 */
asm(".weak hcl_allgather");
asm(".weak hcl_alltoall");
asm(".weak hcl_reduce_scatter_block");
