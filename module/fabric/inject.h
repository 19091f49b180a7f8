/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Injection of frames into the receive queues of nodes, only in builds for fuzzing (HC_FUZZ=y): see
 * selftests/fuzz. Programs in user space include this file, too.
 *
 * A write to /sys/kernel/debug/hypercube/inject consists of a struct hc_inject_batch, and then of a
 * struct hc_inject and a frame for each frame. The fabric is looked up in the writer's network
 * namespace. A write fails with EUCLEAN if a shared frame was modified.
 */
#ifndef _HC_INJECT_H
#define _HC_INJECT_H

#include <linux/types.h>
#include <linux/hypercube.h>

#define HC_INJECT_MAX	(256 * 1024)	/* bytes of a write */

/* hc_inject.flags */
#define HC_INJECT_F_SEQ		0x01	/* set .seq to the link's next sequence number */
#define HC_INJECT_F_SHARED	0x02	/* check that no poll changes the frame's data */
#define HC_INJECT_F_PAGES	0x04	/* the payload is in pages */
#define HC_INJECT_F_SPLIT	0x08	/* most of struct hc_hdr is in pages, too */
#define HC_INJECT_F_SEALED	0x10	/* mark the frame as having a checksum */
#define HC_INJECT_F_ODD		0x20	/* the frame's data begins at odd addresses */
#define HC_INJECT_F_MORE	0x40	/* send the frame together with the next one */

/**
 * struct hc_inject_batch - header of a write
 * @fabric: name of the fabric
 * @pad: 0
 */
struct hc_inject_batch {
	char	fabric[HYPERCUBE_NAME_MAX];
	__u8	pad;
};

/**
 * struct hc_inject - precedes each frame
 * @node: node that receives the frame
 * @dim: dimension of the link over which the frame arrives
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

/**
 * hc_inject_init() - create the debugfs files by which fuzzers inject frames
 *
 * Context: the module's init
 */
void hc_inject_init(void);

/**
 * hc_inject_exit() - remove the debugfs files
 *
 * Context: the module's exit
 */
void hc_inject_exit(void);

/**
 * hc_cover_start() - from now on count executed code as coverage of the task that injects frames
 *
 * Context: poll
 */
void hc_cover_start(void);

/**
 * hc_cover_stop() - stop to count coverage, after hc_cover_start()
 *
 * Context: poll
 */
void hc_cover_stop(void);

#else
static inline void hc_inject_init(void) {}
static inline void hc_inject_exit(void) {}
static inline void hc_cover_start(void) {}
static inline void hc_cover_stop(void) {}
#endif
#endif

#endif /* _HC_INJECT_H */
