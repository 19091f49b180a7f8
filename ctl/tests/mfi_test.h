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

/* Make a network of environments as the paper prints them, "1 2 3, 1 2, ..", with processors
 * numbered from 1.
 */
struct hc_mfi_net *listed(const char *envs, uint32_t tg);
/* Return: a new set of the processors in the list, "1 5 3"; release it with free(). */
bool *set_of(const struct hc_mfi_net *net, const char *members);
/* Return: the size of the largest feasible set, by a trial of all sets; for up to 24 processors. */
uint32_t brute(const struct hc_mfi_net *net);
/* Return: the size of the set that the method finds; UINT32_MAX if the set or the bound is wrong.
 */
uint32_t mfi(const struct hc_mfi_net *net, enum hc_mfi_method method);
/* Return: as mfi() with HC_MFI_AUTO. In a small network the search must find the same size. Frees
 * @net.
 */
uint32_t mfi_of(struct hc_mfi_net *net);
/* As hc_mfi_escapes(), but the rank is computed in whole numbers rather than modulo primes. */
int escapes_brute(const struct hc_mfi_net *net, const uint32_t *faults, uint32_t count);

#endif /* _MFI_TEST_H */
