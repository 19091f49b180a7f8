/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that an older library may lack: they are weak, so at address 0 then, and calling one
 * ends the program.
 */
asm(".weak hcl_allgather");
asm(".weak hcl_alltoall");
asm(".weak hcl_reduce_scatter_block");
