/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the commands for checked collectives.
 */
#ifndef _HCCTL_CHECKED_CMD_H
#define _HCCTL_CHECKED_CMD_H

#include "checked.h"
#include "plan_nl.h"
#include "planner.h"

/* Default id of the first tree of the best pair. The following ids are those of the second tree,
 * and of the pairs of all dimensions.
 */
#define CHECKED_ID	16

extern const struct planner checked_planner;

/* Install the best pair of trees and the pairs of all dimensions, around the current faults, with
 * ids from @id on. @sink: root of the first tree of each pair, or NL_NONE.
 */
int checked_install(struct hcctl *h, const char *fabric, uint32_t id, uint32_t sink);

#endif /* _HCCTL_CHECKED_CMD_H */
