/* SPDX-License-Identifier: GPL-2.0 */
/* The header that module/wire.h includes, for user space */
#include <assert.h>
