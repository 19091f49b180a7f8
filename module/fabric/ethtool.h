/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _HC_ETHTOOL_H
#define _HC_ETHTOOL_H

#include <linux/ethtool.h>

extern const struct ethtool_ops hc_ethtool_ops;

#endif /* _HC_ETHTOOL_H */
