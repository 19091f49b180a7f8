/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel headers that most files of the module include, directly or not: see headers.mk.
 */
#include <linux/kconfig.h>
#include <linux/compiler_types.h>
#include <linux/module.h>
#include <linux/netdevice.h>
#include <linux/rtnetlink.h>
#include <net/genetlink.h>
#include <net/sock.h>
/* The command line includes it again. */
#undef __LINUX_COMPILER_VERSION_H
