/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A way into the receive queues for tests, in builds made for fuzzing alone (HC_FUZZ=y):
 * see selftests/fuzz.  Programs include this too.
 *
 * A write to /sys/kernel/debug/hypercube/inject is struct hc_inject_batch and frames behind
 * it, each with a struct hc_inject before it.  The fabric is one of the writer's network
 * namespace.  EUCLEAN: a shared frame was written to.
 */
#ifndef _HC_INJECT_H
#define _HC_INJECT_H

#include <linux/types.h>
#include <linux/hypercube.h>

#define HC_INJECT_MAX	(256 * 1024)	/* bytes of a write */

/* hc_inject.flags */
#define HC_INJECT_F_SEQ		0x01	/* with the number that is the link's next */
#define HC_INJECT_F_SHARED	0x02	/* somebody else has the frame too and reads it */
#define HC_INJECT_F_PAGES	0x04	/* the payload is in pages */
#define HC_INJECT_F_SPLIT	0x08	/* all is in pages, the header too */
#define HC_INJECT_F_SEALED	0x10	/* the link says that there is a checksum */
#define HC_INJECT_F_ODD		0x20	/* nothing is aligned */
#define HC_INJECT_F_MORE	0x40	/* the polls wait for the next frame */

/**
 * struct hc_inject_batch - what a write begins with
 * @fabric: name of the fabric
 * @pad: 0
 */
struct hc_inject_batch {
	char	fabric[HYPERCUBE_NAME_MAX];
	__u8	pad;
};

/**
 * struct hc_inject - a frame follows
 * @node: node that it arrives at
 * @dim: dimension of the link by which it does
 * @flags: HC_INJECT_F_*
 * @len: bytes of the frame
 */
struct hc_inject {
	__u16	node;
	__u8	dim;
	__u8	flags;
	__u32	len;
};

#ifdef __KERNEL__
#ifdef HC_FUZZ
void hc_inject_init(void);
void hc_inject_exit(void);
/* Code that runs between the two counts as coverage of the task that injects. */
void hc_cover_start(void);
void hc_cover_stop(void);
#else
static inline void hc_inject_init(void) {}
static inline void hc_inject_exit(void) {}
static inline void hc_cover_start(void) {}
static inline void hc_cover_stop(void) {}
#endif
#endif

#endif /* _HC_INJECT_H */
