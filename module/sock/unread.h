/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failures whose records a socket has queued and its process has not read.
 *
 * A process that has read the record of a failure knows which of its contributions are lost, and
 * what to contribute next. A process that sends before it has read the record does not know this.
 * It means its contribution for another operation than the one that begins after the failure. If
 * the contribution became part of that operation, the contributions of its members would not belong
 * together. So a contribution that is sent before all failures of its plan have been read is
 * refused: by sendmsg() if the record of a failure waits to be read, otherwise when the operation
 * would begin.
 *
 * Failures are numbered in the order in which a socket gets them. A contribution carries the number
 * of failures at the time when sendmsg() found no unread record of its plan (hc_host_cb.seen). A
 * member records the number of the last failure that it has reported (hc_user.failure).
 */
#ifndef _HC_SOCK_UNREAD_H
#define _HC_SOCK_UNREAD_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct hc_unread - failures of a socket's plans; written under the lock of its receive queue
 * @reported: number of failures so far
 * @queued: number of failure records in the receive queue
 * @lost: some records were dropped for lack of room; sk_err has reported that
 */
struct hc_unread {
	atomic64_t reported;
	unsigned int queued;
	bool lost;
};

#endif /* _HC_SOCK_UNREAD_H */
