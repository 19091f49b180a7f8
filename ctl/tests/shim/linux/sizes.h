/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_SIZES_H
#define _SHIM_SIZES_H

#define SZ_4K	0x1000

#endif
