/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits on the way up in a fabric that spans machines.
 */
#ifndef _HC_COLL_UP_H
#define _HC_COLL_UP_H

#include "coll/coll.h"

/**
 * struct hc_up - what the destinations of a member have told of an operation
 * @taken: how many of the frames that were sent to it (hc_op.sent) each has taken
 *
 * The first member of what its collective keeps of an operation (hc_op_priv()).
 */
struct hc_up {
	u32 taken[HC_STAGES_MAX];
};

/* Is there room for one more frame at each destination?  If not, the wait is noted. */
bool hc_up_may(struct hc_member *m, struct hc_op *op);
/* hc_coll_ops.credited of collectives that ask hc_up_may(). */
bool hc_up_credited(struct hc_op *op, unsigned int i, u32 taken);
/* A frame of source @i was taken; it hears so where it may wait for that.  False: the operation
 * is gone.
 */
bool hc_up_took(struct hc_member *m, struct hc_op *op, unsigned int i);

#endif /* _HC_COLL_UP_H */
