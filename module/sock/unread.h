/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failures whose records are in the receive queue of a socket: the process has not read them.
 *
 * A process that has read the record of a failure knows which of its contributions are lost, and
 * what to contribute next. A process that sends before it has read the record does not know this:
 * its program does not intend this contribution for the operation that begins after the failure. If
 * the contribution became part of this operation, the contributions of the members would not belong
 * together. So a contribution that is sent before the process has read all failures of its plan is
 * refused: by sendmsg(), if the record of a failure is in the receive queue, otherwise when the
 * operation would begin.
 *
 * Failures are numbered in the order in which they are queued for a socket. A contribution carries
 * the number of the failures that had been queued when sendmsg() found no unread record of its plan
 * (hc_host_cb.seen). A member records the number of the last failure that it has reported
 * (hc_user.failure).
 */
#ifndef _HC_SOCK_UNREAD_H
#define _HC_SOCK_UNREAD_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct hc_unread - failures of a socket's plans; written under the lock of its receive queue
 * @reported: number of failures that the socket has got
 * @queued: number of failure records in the receive queue
 * @lost: true if records were dropped for lack of room, for which sk_err was set
 */
struct hc_unread {
	atomic64_t reported;
	unsigned int queued;
	bool lost;
};

#endif /* _HC_SOCK_UNREAD_H */
