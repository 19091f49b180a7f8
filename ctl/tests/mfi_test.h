/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests of the maximal fault index.
 */
#ifndef _MFI_TEST_H
#define _MFI_TEST_H

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "ktap.h"
#include "mfi.h"

/* Environments as the papers print them, "1 2 3, 1 2, .."; processors count from 1. */
struct hc_mfi_net *listed(const char *envs, uint32_t tg);
/* Marks "1 5 3" in a set that is new each time, and stays. */
bool *set_of(const struct hc_mfi_net *net, const char *members);
/* The size of the largest feasible set, by trying all; up to 24 processors. */
uint32_t brute(const struct hc_mfi_net *net);
/* Which must have an answer; the set must hold. */
uint32_t mfi(const struct hc_mfi_net *net, enum hc_mfi_method method);
/* The same of a net that is freed. */
uint32_t mfi_of(struct hc_mfi_net *net);
/* The rank test by fractions; as hc_mfi_escapes(). */
int escapes_brute(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t count);

#endif /* _MFI_TEST_H */
