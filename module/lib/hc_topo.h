/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Networks: which nodes are neighbours, and sets of nodes.  Also the id of a fabric.
 *
 * A node is an integer, and its links are numbered by its ports. Both ends of a link have the same
 * port number: the links at ports of one number are a matching, as in a proper colouring of a
 * graph's edges. So for code that forwards frames a port is like a dimension of a hypercube: a
 * frame that crosses the same port twice is back.
 *
 * In a 2^n-node hypercube bit d of a node is its coordinate along dimension d (the least
 * significant bit is dimension 0).  Nodes u and u ^ (1 << d) share link (u, d).
 */
#ifndef _HC_TOPO_H
#define _HC_TOPO_H

#include "hc_env.h"

struct hc_reason;

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

/* Return all dimensions of a cube as a mask, which the papers write as 1^n. */
static inline __u32 hc_ones(unsigned int dim)
{
	return hc_nodes(dim) - 1;
}

static inline __u32 hc_neigh(__u32 u, unsigned int d)
{
	return u ^ hc_bit(d);
}

/* Largest number of ports of a node: frames have a port number in four bits (wire.h). */
#define HC_PORTS_MAX 16
/* Value of a port number: no port. */
#define HC_NO_PORT 0xff

/**
 * struct hc_topo - a network without its faults
 * @nodes: number of nodes, which are numbered from 0 on
 * @ports: maximum number of ports of a node, 1..HC_PORTS_MAX
 * @dim: dimension of a hypercube, equal to @ports; 0 for a network that is none
 * @peers: NULL for a hypercube; else for each port of each node the node at the other end, or the
 *	node itself if it has no such port
 *
 * A port that a node does not have is no fault: its bit in the node's FAULT word is 0.
 */
struct hc_topo {
	__u32 nodes;
	__u32 ports;
	__u32 dim;
	const __u16 *peers;
};

static inline struct hc_topo hc_topo_cube(unsigned int dim)
{
	return (struct hc_topo){ .nodes = hc_nodes(dim), .ports = dim, .dim = dim };
}

/* Return the node at the other end of port @d of @u, or @u itself if @u has no such port. */
static inline __u32 hc_peer(const struct hc_topo *t, __u32 u, unsigned int d)
{
	return t->peers ? t->peers[u * t->ports + d] : hc_neigh(u, d);
}

static inline bool hc_port_exists(const struct hc_topo *t, __u32 u, unsigned int d)
{
	return !t->peers || t->peers[u * t->ports + d] != u;
}

/* Return the ports that any node may have, as a mask. */
static inline __u32 hc_ports_mask(const struct hc_topo *t)
{
	return hc_ones(t->ports);
}

/* Return the ports that node @u has, as a mask: this mask is the FAULT word of a failed node. */
static inline __u32 hc_ports(const struct hc_topo *t, __u32 u)
{
	__u32 ports = 0;
	unsigned int d;

	if (!t->peers)
		return hc_ports_mask(t);
	for (d = 0; d < t->ports; d++)
		if (hc_port_exists(t, u, d))
			ports |= hc_bit(d);
	return ports;
}

/* Return the port of @u that leads to @v, or HC_NO_PORT. */
static inline unsigned int hc_port_to(const struct hc_topo *t, __u32 u, __u32 v)
{
	unsigned int d;

	if (u == v)
		return HC_NO_PORT;
	if (!t->peers)
		return hc_weight32(u ^ v) == 1 ? hc_first64(u ^ v) : HC_NO_PORT;
	for (d = 0; d < t->ports; d++)
		if (t->peers[u * t->ports + d] == v)
			return d;
	return HC_NO_PORT;
}

/* Return: true if there is a link at port @d of @u, and its bit is set in the FAULT word of neither
 * end.
 */
static inline bool hc_link_good(const struct hc_topo *t, const __u32 *fault, __u32 u,
				unsigned int d)
{
	return hc_port_exists(t, u, d) && !((fault[u] | fault[hc_peer(t, u, d)]) & hc_bit(d));
}

/**
 * hc_topo_check() - verify a table of peers
 * @t: the network; its table must have @nodes * @ports entries, which may have any value
 * @work: scratch space for a queue of all nodes and a set of nodes: @t->nodes + hc_topo_words(@t)
 *	words of 32 bits
 * @reason: set to the reason when the table is refused; may be NULL
 *
 * Accepts the table only if each port of each node leads to the node itself (it has no such port)
 * or to another node whose port of the same number leads back, if no two ports of a node lead to
 * the same other node, and if the links connect all nodes.
 *
 * Time O(nodes * ports^2).
 *
 * Return: 0, or -EINVAL with @reason set.
 */
int hc_topo_check(const struct hc_topo *t, __u32 *work, struct hc_reason *reason);

/**
 * hc_topo_is_cube() - find out whether a table of peers is that of a hypercube
 * @t: the network
 *
 * Context: any
 * Return: true if the network is a hypercube with one dimension for each port
 */
bool hc_topo_is_cube(const struct hc_topo *t);

/* Return: the default id of a fabric whose name is @name: its FNV-1a hash (32 bits) modulo 65535,
 * plus 1. All machines compute the same id. Frames and MAC addresses contain it.
 */
static inline __u32 hc_name_id(const char *name)
{
	__u32 hash = 2166136261U;

	while (*name)
		hash = (hash ^ (unsigned char)*name++) * 16777619U;
	return hash % 65535 + 1;
}

/* Return: the length of a set of nodes in a cube. A set is an array of 32-bit words, in which node
 * u is bit u % 32 of word u / 32.
 */
static inline __u32 hc_set_words(unsigned int dim)
{
	return dim <= 5 ? 1 : hc_nodes(dim) / 32;
}

static inline __u32 hc_topo_words(const struct hc_topo *t)
{
	return (t->nodes + 31) / 32;
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

/* Add @u, and all nodes that healthy links connect with @u, to @set, which contains none of these
 * nodes. @fault: FAULT words, or NULL if there are no faults. @queue: scratch space, an entry for
 * each node. Return: the number of nodes that were added.
 */
static inline __u32 hc_set_reach(__u32 *set, const struct hc_topo *t, const __u32 *fault, __u32 u,
				 __u32 *queue)
{
	__u32 head = 0, tail = 0;
	unsigned int d;

	hc_set_add(set, u);
	queue[tail++] = u;
	while (head < tail) {
		u = queue[head++];
		for (d = 0; d < t->ports; d++) {
			__u32 v = hc_peer(t, u, d);

			if ((fault && fault[u] & hc_bit(d)) || hc_set_has(set, v))
				continue;
			hc_set_add(set, v);
			queue[tail++] = v;
		}
	}
	return tail;
}

/* Return the lowest node of @set, which must not be empty. */
static inline __u32 hc_set_first(const __u32 *set)
{
	__u32 i = 0;

	while (!set[i])
		i++;
	return i * 32 + hc_first64(set[i]);
}

/* Return the number of nodes below @u that are in @set. */
static inline __u32 hc_set_rank(const __u32 *set, __u32 u)
{
	__u32 rank = hc_weight32(set[u / 32] & (((__u32)1 << (u % 32)) - 1)), i;

	for (i = 0; i < u / 32; i++)
		rank += hc_weight32(set[i]);
	return rank;
}

#endif /* _HC_TOPO_H */
