/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams in copies over paths that share no node, from and to all nodes of a cube at once.
 */
#ifndef _HC_COPIES_H
#define _HC_COPIES_H

#include "cube.h"

/* What should come is waited for so long. */
#define COPIES_SECONDS 30

/**
 * struct copies_got - what is known of a datagram
 * @from: who has sent it
 * @judged: it came in copies
 * @v: the verdict
 * @path: the paths of those that dissent or are missing
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

/* An option of a socket; 0 or -errno. */
int copies_set(int fd, int name, int v);
/* In a new cube everybody sends in @k copies, takes datagrams of as many at least, and waits for
 * all of them as long as there is.
 */
int copies_start(struct cube *c, unsigned int dim, int k, int deliver);
/* The same of one that is there. */
int copies_again(const struct cube *c, int k, int deliver);
/* Bytes, or -errno. */
long copies_post(const struct cube *c, unsigned int from, unsigned int to, const void *buf,
		 size_t len);
/* What has come to a node, or -EAGAIN. */
long copies_take_now(const struct cube *c, unsigned int to, void *buf, size_t len,
		     struct copies_got *g);
/* What comes to a node soon. */
long copies_take(const struct cube *c, unsigned int to, void *buf, size_t len,
		 struct copies_got *g);
/* What a node has counted; all ones: it does not say. */
struct node_view copies_view(const struct cube *c, unsigned int node);
/* Waits until the node has judged so many datagrams; false: it did not. */
bool copies_judged(const struct cube *c, unsigned int node, uint64_t n);
/* Does a node relay on this path? */
bool copies_on_path(unsigned int src, const struct hypercube_path *p, unsigned int node);
/* How many paths there are from one node to another around the faults. */
unsigned int copies_possible(const struct cube *c, unsigned int src, unsigned int dst);
/* How many the source finds; 0: it does not say. */
unsigned int copies_known(const struct cube *c, unsigned int src, unsigned int dst);

#endif /* _HC_COPIES_H */
