/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Copies of datagrams, each along a path of its own: see copy.c.
 */
#ifndef _HC_COPY_H
#define _HC_COPY_H

#include <linux/types.h>
#include <linux/hypercube.h>

#include "hc_disjoint.h"

struct hc_node;
struct sk_buff;

#define HC_COPIES_MAX	HYPERCUBE_DIM_MAX

static_assert(HC_PATH_HOPS_MAX == HYPERCUBE_HOPS_MAX);

/**
 * struct hc_copy_paths - the paths of a datagram's copies
 * @n: number of paths
 * @bytes: length of all paths in a frame, a multiple of 8
 * @path: the paths
 */
struct hc_copy_paths {
	unsigned int n;
	unsigned int bytes;
	struct hc_path_dims path[HC_COPIES_MAX];
};

/**
 * hc_copy_paths_find() - find node-disjoint paths that avoid all known faults
 * @topo: the links
 * @words: FAULT words of all nodes as far as known, or NULL if there are no faults
 * @src: number of the node where the paths begin
 * @dst: number of the node where they end, not @src
 * @want: most paths to find
 * @paths: set to the paths; fewer than @want are no error
 *
 * Context: process; may sleep
 * Return: 0 or -ENOMEM
 */
int hc_copy_paths_find(const struct hc_topo *topo, const u16 *words, u32 src, u32 dst,
		       unsigned int want, struct hc_copy_paths *paths);

/**
 * hc_copy_paths_put() - write paths to the front of a payload
 * @paths: the paths
 * @to: memory for @paths->bytes bytes
 */
void hc_copy_paths_put(const struct hc_copy_paths *paths, u8 *to);

/* Position of a reader in the paths of a frame; see hc_copy_path_next(). */
struct hc_copy_reader {
	const u8 *at;
	const u8 *end;
};

/**
 * hc_copy_paths_read() - begin to read the paths of a frame
 * @skb: a COPY frame whose lengths have been checked
 * @r: set to the first path
 */
void hc_copy_paths_read(const struct sk_buff *skb, struct hc_copy_reader *r);

/**
 * hc_copy_path_next() - read the next path
 * @r: the reader, moved behind the path
 * @path: set to the path
 *
 * Return: false if there is no further path, or if the next path is malformed
 */
bool hc_copy_path_next(struct hc_copy_reader *r, struct hc_path_dims *path);

/**
 * hc_copy_said() - get the offset of the datagram's own data, which is behind the paths
 * @skb: a COPY frame
 *
 * Return: bytes from the start of the frame
 */
unsigned int hc_copy_said(const struct sk_buff *skb);

/**
 * hc_path_notify() - describe the path of a copy for user space
 * @to: set to the description
 * @v: the vote on the datagram, which names the copies that disagree
 * @i: number of the copy
 * @path: path of the copy
 */
void hc_path_notify(struct hypercube_path *to, const struct hypercube_vote *v, unsigned int i,
		    const struct hc_path_dims *path);

/**
 * hc_copy_xmit() - send a copy over the first link of its path; consumes it
 * @node: the origin
 * @skb: the COPY frame
 *
 * Context: poll of @node
 */
void hc_copy_xmit(struct hc_node *node, struct sk_buff *skb);

/**
 * hc_copy_rx() - forward a COPY frame, or return it at the end of its path
 * @node: the receiving node
 * @dim: dimension of the link over which the frame was received
 * @skb: the frame
 *
 * Context: poll of @node
 * Return: @skb if its path ends at @node; NULL if @skb was forwarded or dropped
 */
struct sk_buff *hc_copy_rx(struct hc_node *node, unsigned int dim, struct sk_buff *skb);

#endif /* _HC_COPY_H */
