/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits for frames that are sent up, which are used only in a fabric that spans machines.
 */
#ifndef _HC_CREDIT_UP_H
#define _HC_CREDIT_UP_H

#include "coll/coll.h"

/**
 * hc_up_may() - check whether a member has credit to send another frame to each destination
 * @m: the member
 * @op: the operation
 *
 * Return: false if it must wait for credit; the function has recorded the wait.
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
