/* SPDX-License-Identifier: GPL-2.0 */
/* For module/wire.h in user space */
#include <assert.h>
