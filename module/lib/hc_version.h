/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The version of the module, the tool, the library, the packages and the manual. Its first number
 * is the version of the library's interface (soname). Makefiles read the version from this file.
 */
#ifndef _HC_VERSION_H
#define _HC_VERSION_H

#define HC_VERSION "0.1.0"

#endif
