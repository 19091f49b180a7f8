/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libhypercube: collectives over two trees whose results are compared, so that a node that lies
 * about what it passes on does not go unseen; and who it may have been.
 *
 * The trees are those of hcl_checked_install() (libhypercube-plan.h) or of "hcctl checked plan".
 * The kernel carries out both collectives at the same time; comparing is the receiver's own
 * business, as nobody else is to be believed about it.
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
 * @segment: results are compared in parts of so many bytes, those in which they travel; 0: as
 *	one
 * @relays: for hcl_checked_narrow(), the nodes that relay in each: node u is bit u % 32 of word
 *	u / 32
 */
struct hcl_pair {
	uint32_t plan[2];
	uint32_t dim;
	uint32_t segment;
	uint32_t *relays[2];
};

/**
 * struct hcl_check - what comparing has shown
 * @segments: in so many parts the results differ; 0: they are the same
 * @offset: bytes before the first of these parts
 * @length: its bytes
 * @wrong: which results are wrong: bit 0 that of the first plan, bit 1 that of the second; only the
 *	source of a broadcast knows, elsewhere it is 0
 * @res: how both collectives ended
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
 * A node that relays in one of the trees only cannot make this return 0 with a wrong result,
 * nor can any number of nodes that all relay in the same one.  Nodes of which some relay in one
 * tree and some in the other can, if they tell the same lie.
 *
 * What a member sees is its own view: a lie on the way down shows only below the liar.
 *
 * The trees combine in different orders, so it is not for sums and products of floats, whose
 * rounding depends on it, nor for HYPERCUBE_MERGE.  Of floats all NaNs are taken for the same.
 *
 * Return: 0; -EBADMSG: the results differ; -EOPNOTSUPP (the operator); -EINVAL (bad parameters);
 * -ENOMEM; or as hcl_allreduce(), after which further calls may fail with -ESHUTDOWN.
 */
int hcl_checked_allreduce(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
			  const void *in, size_t bytes, void *out, struct hcl_check *check);

/**
 * hcl_checked_reduce() - the same of a reduction
 * @h: as hcl_checked_allreduce()
 * @p: as hcl_reduce(), without flags
 * @pair: the trees; the sink of the first gets the result
 * @in: as hcl_reduce()
 * @bytes: as hcl_reduce()
 * @out: at that sink: room for @bytes, not overlapping @in; elsewhere NULL
 * @check: filled in, or NULL; only the sink compares, elsewhere it is zeros
 *
 * The second tree carries an allreduce: so its result comes to the sink by the nodes that relay
 * in it, and by no other.  The others wait until both are over.
 *
 * Return: as hcl_checked_allreduce().
 */
int hcl_checked_reduce(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		       const void *in, size_t bytes, void *out, struct hcl_check *check);

/**
 * hcl_checked_bcast() - the same of a broadcast
 * @h: as hcl_checked_allreduce()
 * @pair: the trees
 * @source: any member
 * @buf: at the source the message, elsewhere room for it
 * @bytes: its length, the same at all members
 * @check: filled in, or NULL
 *
 * Over each tree an allreduce by HYPERCUBE_XOR, to which the others contribute zeros: it takes the
 * steps of one, and no lie gets lost in it.  The source compares both with its message: it
 * returns -EBADMSG also if they are wrong alike.
 *
 * Return: as hcl_checked_allreduce().
 */
int hcl_checked_bcast(struct hcl *h, const struct hcl_pair *pair, uint32_t source, void *buf,
		      size_t bytes, struct hcl_check *check);

/* Sets of nodes that are listed. */
#define HCL_SUSPECTS_MAX	32

/**
 * struct hcl_suspects - the smallest sets of nodes whose lies explain all results
 * @liars: nodes of such a set: 0 (all results are the same), 1, 2, or 3 (more than two)
 * @n: how many sets there are of 1 or 2
 * @others: with @liars 1, how many sets of two explain it without any of these nodes
 * @node: with @liars 1, the nodes; with @liars 2 one set after the other; the first ones
 * @agreed: bit k: the results of pair number k were the same
 * @npairs: how many pairs there were
 * @digest: of their results, in the order of pairs and plans
 */
struct hcl_suspects {
	uint32_t liars;
	uint32_t n;
	uint32_t others;
	uint32_t node[2 * HCL_SUSPECTS_MAX];
	uint32_t agreed;
	uint32_t npairs;
	uint64_t digest[2 * HYPERCUBE_DIM_MAX];
};

/**
 * hcl_checked_narrow() - repeat over other pairs of trees to find out who has lied, blocking
 * @h: as hcl_checked_allreduce()
 * @p: as hcl_checked_allreduce()
 * @pair: the pairs, best one for each dimension (struct hcl_checked.pair)
 * @n: how many, at most HYPERCUBE_DIM_MAX
 * @in: the contribution; NULL: zeros
 * @bytes: of it
 * @s: filled in
 *
 * An allreduce over each pair, one after the other.  The results of all trees without a liar are
 * the same, so a set of nodes explains what came iff all trees in which none of them relays have
 * one result.  Without faults each pair shows one bit of the number of a node that lies each
 * time, and only that node is left.  Where the results of a pair agree that bit stays open, and
 * the nodes that differ in it cannot be told apart: they relay in the same of the trees that
 * showed something.  Who tells the same lie each time cannot be told from its opposite, as each
 * value then comes from half of the trees.
 *
 * A node that is left is the liar only if no more than one node lies: sets of more nodes explain it
 * as well (@others says how many of two).
 *
 * All members have to call this, also those that have seen nothing: it is a collective of its own,
 * and a member cannot make the others contribute.  So a program calls it by plan, or when all have
 * heard of it by a way of its own, which a liar may also relay.
 *
 * Return: 0; -EINVAL (@n is 0 or too large, the pairs are of different fabrics or lack relays);
 * or as hcl_checked_allreduce() but -EBADMSG.
 */
int hcl_checked_narrow(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		       unsigned int n, const void *in, size_t bytes, struct hcl_suspects *s);

/**
 * hcl_suspects_of() - the same from the digests of several members
 * @pair: as hcl_checked_narrow()
 * @n: as hcl_checked_narrow()
 * @view: what members have found, of which only .digest is looked at
 * @nviews: how many
 * @s: filled in; .digest is that of the first
 *
 * For who may believe them, or holds them all.
 *
 * Return: 0, -EINVAL, -ENOMEM.
 */
int hcl_suspects_of(const struct hcl_pair *pair, unsigned int n, const struct hcl_suspects *view,
		    unsigned int nviews, struct hcl_suspects *s);

/**
 * hcl_suspects_describe() - say in words who may have lied
 * @s: from hcl_checked_narrow()
 * @buf: filled in with one line without newline, NUL terminated
 * @size: bytes at @buf; 512 are enough
 *
 * For example "node 5 lies, if only one node does".
 *
 * Return: @buf.
 */
char *hcl_suspects_describe(const struct hcl_suspects *s, char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* LIBHYPERCUBE_CHECKED_H */
