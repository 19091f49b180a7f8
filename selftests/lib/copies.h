/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Datagrams in several copies over paths that share no node, from and to all nodes of a cube.
 */
#ifndef _HC_COPIES_H
#define _HC_COPIES_H

#include "cube.h"

/* Seconds to wait for a datagram that must arrive. */
#define COPIES_SECONDS 30

/**
 * struct copies_got - what a receiver learns about a datagram
 * @from: the node that has sent it
 * @checked: the datagram was sent in copies, so there is a vote
 * @v: the vote
 * @path: paths of the copies that mismatch or are missing
 * @npaths: number of these paths
 * @flags: flags that recvmsg() returned
 */
struct copies_got {
	unsigned int from;
	bool checked;
	struct hypercube_vote v;
	struct hypercube_path path[HYPERCUBE_DIM_MAX];
	unsigned int npaths;
	int flags;
};

/* Set an option of a socket. Return: 0 or -errno. */
int copies_set(int fd, int name, int v);
/* Make a new cube. Set the options of the socket of each node: the socket sends each datagram in @k
 * copies, accepts datagrams of at least @k copies, and waits for missing copies for the longest
 * time that the option allows. @deliver: the socket option that selects which datagrams are
 * delivered.
 */
int copies_start(struct cube *c, unsigned int dim, int k, int deliver);
/* As copies_start(), but set the options in cube @c, which already exists. */
int copies_again(const struct cube *c, int k, int deliver);
/* Send a datagram. Return: bytes sent, or -errno. */
long copies_post(const struct cube *c, unsigned int from, unsigned int to, const void *buf,
		 size_t len);
/* Receive a datagram at node @to, without waiting. Return: bytes received, -EAGAIN if none has
 * arrived, or another -errno.
 */
long copies_take_now(const struct cube *c, unsigned int to, void *buf, size_t len,
		     struct copies_got *g);
/* As copies_take_now(), but wait for a datagram up to a time limit. */
long copies_take(const struct cube *c, unsigned int to, void *buf, size_t len,
		 struct copies_got *g);
/* Return: the counters of a node; all ones if they could not be read. */
struct node_view copies_view(const struct cube *c, unsigned int node);
/* Wait until node @node has voted on @n datagrams. Return: false if it has voted on more, or does
 * not do so within the time limit.
 */
bool copies_checked(const struct cube *c, unsigned int node, uint64_t n);
/* Return: true if @node is a relay of the path @p, which begins at @src. */
bool copies_on_path(unsigned int src, const struct hypercube_path *p, unsigned int node);
/* Return: number of node-disjoint paths from @src to @dst around the current faults of @c. */
unsigned int copies_possible(const struct cube *c, unsigned int src, unsigned int dst);
/* Return: number of node-disjoint paths to @dst that the kernel reports at node @src; 0 if it
 * reports an error.
 */
unsigned int copies_known(const struct cube *c, unsigned int src, unsigned int dst);

#endif /* _HC_COPIES_H */
