/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failures that a socket has queued for its process and that the process has not read.
 *
 * A process that has read of a failure knows which of its contributions are gone, and what to
 * contribute next. A process that sends on before it has read that does not know: what it sends was
 * meant for other operations than those that begin after the failure, and each member would have
 * sent another part of it. So a contribution that is sent before all failures of its plan have been
 * read is refused: by sendmsg() if the record of a failure waits to be read, otherwise when the
 * operation would begin.
 *
 * Failures are numbered in the order in which a socket gets them. A contribution carries how many
 * there were when nothing of its plan was left to be read (hc_host_cb.seen); a member keeps the
 * number of the last failure that it has reported (hc_user.failure).
 */
#ifndef _HC_SOCK_UNREAD_H
#define _HC_SOCK_UNREAD_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct hc_unread - failures of a socket's plans; written under the lock of its receive queue
 * @reported: number of failures so far
 * @queued: number of their records that are in the receive queue
 * @lost: there was no room for some records; sk_err has reported that
 */
struct hc_unread {
	atomic64_t reported;
	unsigned int queued;
	bool lost;
};

#endif /* _HC_SOCK_UNREAD_H */
