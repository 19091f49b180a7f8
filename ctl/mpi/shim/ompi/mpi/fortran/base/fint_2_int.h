/* SPDX-License-Identifier: GPL-2.0 */
/* Open MPI's ompi/op/op.h includes this header, but libopenmpi-dev does not install it. Nothing
 * that it declares is used here, so an empty file is enough.
 */
