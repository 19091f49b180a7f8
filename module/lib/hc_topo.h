/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Addresses and sets in a 2^n-node hypercube: a node is an integer, bit d of it is its
 * coordinate along dimension d (the least significant bit is dimension 0).  Nodes u and u ^ (1
 * << d) share link (u, d).  Also the id of a cube.
 */
#ifndef _HC_TOPO_H
#define _HC_TOPO_H

#include "hc_env.h"

/* Largest dimension the library handles; a fabric in the kernel has at most
 * HYPERCUBE_DIM_MAX (12).
 */
#define HC_LIB_DIM_MAX 16

static inline __u32 hc_bit(unsigned int d)
{
	return (__u32)1 << d;
}

static inline __u32 hc_nodes(unsigned int dim)
{
	return (__u32)1 << dim;
}

/* All dimensions of a cube as a mask: the word 1^n of the papers. */
static inline __u32 hc_ones(unsigned int dim)
{
	return hc_nodes(dim) - 1;
}

static inline __u32 hc_neigh(__u32 u, unsigned int d)
{
	return u ^ hc_bit(d);
}

/* Returns the id that a fabric of this name has in frames and MAC addresses unless another one is
 * chosen, the same on every machine: FNV-1a (32 bits) modulo 65535, plus 1.
 */
static inline __u32 hc_name_id(const char *name)
{
	__u32 hash = 2166136261U;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 16777619U;
	return hash % 65535 + 1;
}

/* Sets of nodes are arrays of 32-bit words, node u is bit u % 32 of word u / 32. */
static inline __u32 hc_set_words(unsigned int dim)
{
	return dim <= 5 ? 1 : hc_nodes(dim) / 32;
}

static inline bool hc_set_has(const __u32 *set, __u32 u)
{
	return (set[u / 32] >> (u % 32)) & 1;
}

static inline void hc_set_add(__u32 *set, __u32 u)
{
	set[u / 32] |= (__u32)1 << (u % 32);
}

static inline void hc_set_del(__u32 *set, __u32 u)
{
	set[u / 32] &= ~((__u32)1 << (u % 32));
}

/* The nodes that healthy links connect with @u, itself among them, are added to @set, which has
 * none of them.  @queue: room for 2^dim nodes.  Returns how many.
 */
static inline __u32 hc_set_reach(__u32 *set, unsigned int dim, const __u32 *fault, __u32 u,
				 __u32 *queue)
{
	__u32 head = 0, tail = 0;
	unsigned int d;

	hc_set_add(set, u);
	queue[tail++] = u;
	while (head < tail) {
		u = queue[head++];
		for (d = 0; d < dim; d++) {
			__u32 v = hc_neigh(u, d);

			if ((fault[u] & hc_bit(d)) || hc_set_has(set, v))
				continue;
			hc_set_add(set, v);
			queue[tail++] = v;
		}
	}
	return tail;
}

/* The first node of a set that has one. */
static inline __u32 hc_set_first(const __u32 *set)
{
	__u32 i = 0;

	while (!set[i])
		i++;
	return i * 32 + hc_first64(set[i]);
}

/* How many nodes below @u are in the set. */
static inline __u32 hc_set_rank(const __u32 *set, __u32 u)
{
	__u32 rank = hc_weight32(set[u / 32] & (((__u32)1 << (u % 32)) - 1)), i;

	for (i = 0; i < u / 32; i++)
		rank += hc_weight32(set[i]);
	return rank;
}

#endif /* _HC_TOPO_H */
