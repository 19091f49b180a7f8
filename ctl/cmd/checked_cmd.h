/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the commands that have to do with checked collectives.
 */
#ifndef _HCCTL_CHECKED_CMD_H
#define _HCCTL_CHECKED_CMD_H

#include "checked.h"
#include "live.h"
#include "planner.h"

/* Id of the first of the two trees; those of each dimension follow. */
#define CHECKED_ID	16

extern const struct planner checked_planner;

/* Install all pairs around the present faults; @sink: the sink of the first tree of each pair, or
 * NL_NONE.
 */
int checked_install(struct hcctl *h, const char *fabric, uint32_t id, uint32_t sink);

#endif /* _HCCTL_CHECKED_CMD_H */
