/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The kernel headers that most files of the module include, directly or indirectly; see headers.mk.
 */
#include <linux/kconfig.h>
#include <linux/compiler_types.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/sock.h>
/* The compiler's command line includes this header again. */
#undef __LINUX_COMPILER_VERSION_H
