/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the commands that have to do with checked collectives.
 */
#ifndef _HCCTL_CHECKED_CMD_H
#define _HCCTL_CHECKED_CMD_H

#include "checked.h"
#include "live.h"
#include "planner.h"

/* The two trees, and behind them those of each dimension. */
#define CHECKED_ID	16

extern const struct planner checked_planner;

/* Install all pairs around the faults of now; @sink: of the first tree of each, or NL_NONE. */
int checked_install(struct hcctl *h, const char *fabric, uint32_t id, uint32_t sink);

#endif /* _HCCTL_CHECKED_CMD_H */
