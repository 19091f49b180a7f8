/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libhypercube: collectives over two trees whose results are compared, to detect a Byzantine node,
 * which corrupts what it relays, and to locate it.
 *
 * The trees are those of hcl_checked_install() (libhypercube-plan.h) or of "hcctl checked plan".
 * The kernel carries out both collectives at the same time; each receiver compares by itself, as it
 * can trust no other node with that.
 */
#ifndef LIBHYPERCUBE_CHECKED_H
#define LIBHYPERCUBE_CHECKED_H

#include <libhypercube.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * struct hcl_pair - two plans of trees with the same members
 * @plan: their ids
 * @dim: dimension of the fabric
 * @segment: results are compared in segments of this many bytes, usually the fabric's; 0: as a
 *	whole
 * @relays: for hcl_checked_locate(), the nodes that relay in each tree: node u is bit u % 32 of
 *	word u / 32
 */
struct hcl_pair {
	uint32_t plan[2];
	uint32_t dim;
	uint32_t segment;
	uint32_t *relays[2];
};

/**
 * struct hcl_check - outcome of the comparison
 * @segments: number of segments in which the results differ; 0: they are equal
 * @offset: bytes before the first of these segments
 * @length: bytes of that segment
 * @wrong: which results are wrong: bit 0 that of the first plan, bit 1 that of the second. Only the
 *	source of a broadcast knows this; elsewhere it is 0
 * @res: how each of the two collectives ended
 */
struct hcl_check {
	uint64_t segments;
	uint64_t offset;
	uint64_t length;
	uint32_t wrong;
	struct hypercube_result res[2];
};

/**
 * hcl_checked_allreduce() - take part in an allreduce over both trees, blocking
 * @h: handle of a member of both plans, of hcl_open()
 * @p: as hcl_allreduce(); its plan is ignored
 * @pair: the trees
 * @in: as hcl_reduce()
 * @bytes: as hcl_reduce()
 * @out: at every member: room for @bytes, not overlapping @in; not to be used if the results differ
 * @check: filled in, or NULL
 *
 * A node that relays in only one of the trees cannot make this return 0 with a wrong result. Any
 * number of nodes that all relay in the same tree cannot, either. Nodes of which some relay in one
 * tree and some in the other can, if they make the same change to both results.
 *
 * Each member compares the two results that it receives. So a change that a Byzantine node makes
 * while results are sent down a tree is detected only by members below that node.
 *
 * The trees combine in different orders, so this is not for sums and products of floats, whose
 * rounding depends on the order, nor for HYPERCUBE_MERGE. All NaNs of floats count as equal.
 *
 * Return: 0; -EBADMSG: the results differ; -EOPNOTSUPP (the operator); -EINVAL (bad parameters);
 * -ENOMEM; or as hcl_allreduce(), after which further calls may fail with -ESHUTDOWN.
 */
int hcl_checked_allreduce(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
			  const void *in, size_t bytes, void *out, struct hcl_check *check);

/**
 * hcl_checked_reduce() - take part in a reduction over both trees, blocking
 * @h: as hcl_checked_allreduce()
 * @p: as hcl_reduce(), without flags
 * @pair: the trees; the sink of the first one gets the result
 * @in: as hcl_reduce()
 * @bytes: as hcl_reduce()
 * @out: at that sink: room for @bytes, not overlapping @in; elsewhere NULL
 * @check: filled in, or NULL; only the sink compares, so elsewhere it is zeros
 *
 * The second tree carries an allreduce, so that its result reaches the sink over the nodes that
 * relay in that tree, and over no others. All other members wait until both collectives have ended.
 *
 * Return: as hcl_checked_allreduce().
 */
int hcl_checked_reduce(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		       const void *in, size_t bytes, void *out, struct hcl_check *check);

/**
 * hcl_checked_bcast() - take part in a broadcast over both trees, blocking
 * @h: as hcl_checked_allreduce()
 * @pair: the trees
 * @source: node of the member that sends the message; it may be any member
 * @buf: at the source the message, elsewhere room for it
 * @bytes: its length, the same at all members
 * @check: filled in, or NULL
 *
 * An allreduce with HYPERCUBE_XOR runs over each tree, to which all members but the source
 * contribute zeros. This takes the steps of one allreduce, and shows any change of the data. The
 * source compares both results with its message, so it returns -EBADMSG even if both have the same
 * change.
 *
 * Return: as hcl_checked_allreduce().
 */
int hcl_checked_bcast(struct hcl *h, const struct hcl_pair *pair, uint32_t source, void *buf,
		      size_t bytes, struct hcl_check *check);

/* Maximum number of sets of nodes that struct hcl_suspects lists. */
#define HCL_SUSPECTS_MAX	32

/**
 * struct hcl_suspects - the smallest sets of Byzantine nodes that explain all results
 * @byzantine: number of nodes in such a set: 0 (all results are equal), 1, 2, or 3 (no set of two
 *	nodes explains the results)
 * @n: number of such sets, if they have 1 or 2 nodes; otherwise 0
 * @others: with @byzantine 1, the number of sets of two nodes that explain the results and contain
 *	none of these @n nodes
 * @node: the first HCL_SUSPECTS_MAX sets, one after another, of @byzantine nodes each
 * @agreed: bit k: the results of pair number k were equal
 * @npairs: number of pairs
 * @digest: digests of their results, in the order of pairs and plans
 */
struct hcl_suspects {
	uint32_t byzantine;
	uint32_t n;
	uint32_t others;
	uint32_t node[2 * HCL_SUSPECTS_MAX];
	uint32_t agreed;
	uint32_t npairs;
	uint64_t digest[2 * HYPERCUBE_DIM_MAX];
};

/**
 * hcl_checked_locate() - repeat over other pairs of trees to locate Byzantine nodes, blocking
 * @h: as hcl_checked_allreduce()
 * @p: as hcl_checked_allreduce()
 * @pair: the pairs; ideally one pair for each dimension (struct hcl_checked.pair)
 * @n: number of pairs, at most HYPERCUBE_DIM_MAX
 * @in: the contribution; NULL: zeros
 * @bytes: bytes of the contribution
 * @s: filled in
 *
 * This runs an allreduce over each pair, one after another. All trees in which no Byzantine node
 * relays have the same result. So a set of nodes explains the results if and only if all trees in
 * which none of these nodes relays have the same result.
 *
 * If no link is faulty, each pair determines one bit of the number of a node that corrupts data in
 * every tree in which it relays, so exactly this node is left. If the two results of a pair are
 * equal, the bit of this pair remains unknown. Then two nodes whose numbers differ only in this bit
 * cannot be distinguished, because they relay in the same trees among those whose results differed.
 * A node that makes the same change in each tree cannot be distinguished from the node with the
 * complementary number, because each of the two results then comes from half of the trees.
 *
 * The node that is left is the Byzantine one only if there is no more than one such node: sets of
 * more nodes explain the results as well (@others is the number of sets of two).
 *
 * All members have to call this, also those whose results did not differ: it is a collective of its
 * own, and a member cannot make the others contribute. So a program either calls it always, or
 * first notifies all members by means of its own; a Byzantine node may relay that notification,
 * too.
 *
 * Return: 0; -EINVAL (@n is 0 or too large, the pairs are of different fabrics or lack relays); or
 * as hcl_checked_allreduce() except -EBADMSG.
 */
int hcl_checked_locate(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		       unsigned int n, const void *in, size_t bytes, struct hcl_suspects *s);

/**
 * hcl_checked_locate_of() - locate Byzantine nodes from the digests of several members
 * @pair: as hcl_checked_locate()
 * @n: as hcl_checked_locate()
 * @view: results of hcl_checked_locate() at the members; only .digest is used
 * @nviews: number of these members
 * @s: filled in; its .digest is that of the first member
 *
 * The caller must trust these members, or run at all of them.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int hcl_checked_locate_of(const struct hcl_pair *pair, unsigned int n,
			  const struct hcl_suspects *view, unsigned int nviews,
			  struct hcl_suspects *s);

/**
 * hcl_checked_describe() - describe in words which nodes may be Byzantine
 * @s: from hcl_checked_locate()
 * @buf: filled in with one line without newline, NUL terminated
 * @size: bytes at @buf; 512 are enough
 *
 * For example "node 5 lies, if only one node does".
 *
 * Return: @buf.
 */
char *hcl_checked_describe(const struct hcl_suspects *s, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* LIBHYPERCUBE_CHECKED_H */
