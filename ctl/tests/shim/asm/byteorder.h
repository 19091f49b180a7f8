/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_BYTEORDER_H
#define _SHIM_BYTEORDER_H

#include <endian.h>

#define be64_to_cpu(x)	be64toh(x)
#define cpu_to_be64(x)	htobe64(x)

#endif
