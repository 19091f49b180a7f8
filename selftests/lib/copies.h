/* SPDX-License-Identifier: GPL-2.0 */
/* For tests of datagrams in copies over paths that share no node. */
#ifndef _HC_COPIES_H
#define _HC_COPIES_H

#include "cube.h"

#define SECONDS	30

/* Set an option of a socket: 0 or -errno. */
int copies_set(int fd, int name, int v);
/* Everybody sends in @k copies, takes datagrams of as many at least, and waits for all of them as
 * long as there is.
 */
int copies_start(struct cube *c, unsigned int dim, int k, int deliver);
/* Bytes sent, or -errno. */
long copies_post(const struct cube *c, unsigned int from, unsigned int to, const void *buf,
		 size_t len);

/**
 * struct copies_got - what came with a datagram
 * @from: node that sent it
 * @judged: @v is valid
 * @v: what became of its copies
 * @path: paths of some of them
 * @npaths: how many
 * @flags: of recvmsg()
 */
struct copies_got {
	unsigned int from;
	bool judged;
	struct hypercube_verdict v;
	struct hypercube_path path[HYPERCUBE_DIM_MAX];
	unsigned int npaths;
	int flags;
};

/* What has come to a node, or -EAGAIN. */
long copies_take_now(const struct cube *c, unsigned int to, void *buf, size_t len,
		     struct copies_got *g);
/* What comes to a node soon. */
long copies_take(const struct cube *c, unsigned int to, void *buf, size_t len,
		 struct copies_got *g);
struct node_view copies_view(const struct cube *c, unsigned int node);
/* Waits until the node has judged so many datagrams; false: it did not. */
bool copies_judged(const struct cube *c, unsigned int node, uint64_t n);

#endif /* _HC_COPIES_H */
