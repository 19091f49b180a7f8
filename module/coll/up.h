/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Credits on the way up in a fabric that spans machines.
 */
#ifndef _HC_COLL_UP_H
#define _HC_COLL_UP_H

#include "coll/coll.h"

/* Is there room for one more frame at each destination?  If not, the wait is noted. */
bool hc_up_may(struct hc_member *m, struct hc_op *op);
/* A frame of source @i was taken; it hears so where it may wait for that.  False: the operation
 * is gone.
 */
bool hc_up_took(struct hc_member *m, struct hc_op *op, unsigned int i);

#endif /* _HC_COLL_UP_H */
