/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits for frames that go up in a fabric that spans machines.
 */
#ifndef _HC_CREDIT_UP_H
#define _HC_CREDIT_UP_H

#include "coll/coll.h"

/**
 * hc_up_may() - tell whether a member may send one more frame to each destination
 * @m: the member
 * @op: the operation
 *
 * Return: false if it has to wait for credit; the wait is recorded.
 */
bool hc_up_may(struct hc_member *m, struct hc_op *op);

/**
 * hc_up_took() - after a frame of a source was processed, send CREDIT if the source may need it
 * @m: the member
 * @op: the operation
 * @i: index of the source
 *
 * Return: false if the operation is gone.
 */
bool hc_up_took(struct hc_member *m, struct hc_op *op, unsigned int i);

#endif /* _HC_CREDIT_UP_H */
