/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _SHIM_LIMITS_H
#define _SHIM_LIMITS_H

#include_next <linux/limits.h>
#include <stdint.h>

#define S64_MAX	INT64_MAX

#endif
