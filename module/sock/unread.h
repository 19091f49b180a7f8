/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failures that a socket was told of and that nobody has read yet.
 *
 * A process that has read of a failure knows which of its contributions are gone, and what to
 * contribute next.  One that sends on before it has read that does not: what it sends was meant
 * for other operations than those that begin after the failure, and each member would have sent
 * another part of it.  So what is sent before all failures of its plan have been read is refused:
 * by sendmsg() if the record of one waits to be read, else when the operation would begin.
 *
 * Failures have numbers in the order in which a socket is told.  A contribution notes how many
 * there were when nothing of its plan was left to be read (hc_host_cb.seen), a member the number of
 * the last one that it has told (hc_user.failure).
 */
#ifndef _HC_SOCK_UNREAD_H
#define _HC_SOCK_UNREAD_H

#include <linux/atomic.h>
#include <linux/types.h>

/**
 * struct hc_unread - failures of a socket's plans; written under the lock of its receive queue
 * @told: how many there were
 * @queued: how many of their records are in the queue
 * @lost: there was no room for some, and sk_err has said so
 */
struct hc_unread {
	atomic64_t told;
	unsigned int queued;
	bool lost;
};

#endif /* _HC_SOCK_UNREAD_H */
