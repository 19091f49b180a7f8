/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of datagrams, each along a path of its own: copy.c.
 */
#ifndef _HC_COPY_H
#define _HC_COPY_H

#include <linux/types.h>
#include <linux/hypercube.h>

#include "hc_disjoint.h"

struct hc_node;
struct hc_sock;
struct sk_buff;

#define HC_COPIES_MAX	HYPERCUBE_DIM_MAX

static_assert(HC_PATH_HOPS_MAX == HYPERCUBE_HOPS_MAX);

/**
 * struct hc_copy_paths - the paths of a datagram's copies
 * @n: how many there are
 * @bytes: that they take in a frame
 * @path: they
 */
struct hc_copy_paths {
	unsigned int n;
	unsigned int bytes;
	struct hc_path_dims path[HC_COPIES_MAX];
};

/* Find up to @want node-disjoint paths from the node @hsk is bound to, that nothing known of
 * faults is in the way of, to another node @dst.  0 or -errno; fewer paths are no error.
 */
int hc_copy_paths_find(struct hc_sock *hsk, u32 dst, unsigned int want,
		       struct hc_copy_paths *paths);
/* Write them to the front of a payload. */
void hc_copy_paths_put(const struct hc_copy_paths *paths, u8 *to);

/* Part of a reading of the paths in a frame; see hc_copy_path_next(). */
struct hc_copy_reader {
	const u8 *at;
	const u8 *end;
};

/* Begin to read the paths of a frame whose lengths have been checked. */
void hc_copy_paths_read(const struct sk_buff *skb, struct hc_copy_reader *r);
/* The next path; false: it is none. */
bool hc_copy_path_next(struct hc_copy_reader *r, struct hc_path_dims *path);
/* Offset of what the datagram says. */
unsigned int hc_copy_said(const struct sk_buff *skb);

/* Say what the path of copy @i is, and why that is of interest. */
void hc_path_tell(struct hypercube_path *to, const struct hypercube_verdict *v, unsigned int i,
		  const struct hc_path_dims *path);

/* Send a copy over the first link of its path; consumes.  Poll. */
void hc_copy_xmit(struct hc_node *node, struct sk_buff *skb);
/* A COPY came over link @dim: pass it on, or take it; consumes.  Poll. */
void hc_copy_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

#endif /* _HC_COPY_H */
