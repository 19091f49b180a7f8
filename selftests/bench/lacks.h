/* SPDX-License-Identifier: GPL-2.0 */
/* Calls that an older library may lack: they are at address 0 then, and end the program. */
asm(".weak hcl_allgather");
asm(".weak hcl_alltoall");
asm(".weak hcl_reduce_scatter_block");
