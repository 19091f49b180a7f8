/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Communicators: sets of nodes whose programs do collectives together, in libhypercube-plan.
 *
 * A communicator replaces a plan in a program. The program names the nodes; the rank of a node is
 * its index in that list. A communicator is a tree plan whose members are exactly these nodes;
 * other nodes may relay between them. At each member it has a socket of its own, so operations that
 * are posted to one communicator (hcl_post()) never wait for those of another. All members of a
 * communicator call hcl_comm_create(), _split(), _dup() and _free(), in the same order. A
 * communicator belongs to one thread at a time.
 *
 * Functions that return int return 0 or a negative errno, which hcl_comm_explain() describes.
 */
#ifndef LIBHYPERCUBE_COMM_H
#define LIBHYPERCUBE_COMM_H

#include <libhypercube.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hcl_comm;

/* For hcl_comm_split(): the caller joins no part. */
#define HCL_COMM_NO_PART	(-1)

/**
 * struct hcl_comm_group - the nodes of a communicator; the same at all members
 * @fabric: name of the fabric
 * @nodes: the members' nodes; a member's rank is the index of its node in this array
 * @n: number of members
 * @plan: id of the communicator's plan, which no other plan may have; below 2^31, since
 *	hcl_comm_split() and hcl_comm_dup() use higher ids
 * @guard_ms: the plan is guarded (see hcctl-guard(8)), and members wait this long for each other
 *	after faults; 0: it is not guarded
 * @wait_ms: ms to wait for members that call later; 0: ten seconds
 */
struct hcl_comm_group {
	const char *fabric;
	const uint32_t *nodes;
	uint32_t n;
	uint32_t plan;
	unsigned int guard_ms;
	unsigned int wait_ms;
};

/**
 * hcl_comm_create() - make a communicator of some nodes
 * @c: the communicator, on success; release with hcl_comm_free()
 * @g: its nodes
 * @node: the caller's node, one of these
 *
 * Rank 0 finds and installs the plan, for which it needs the rights of hcl_plan_install_members();
 * the others wait until it is installed, and need the rights of hcl_open_plan().
 *
 * Return: 0; -EINVAL (@g names a node twice, or not the caller's, or has an invalid id, or the plan
 * of this id has other members); -EEXIST (rank 0: there is such a plan); -ETIMEDOUT (no plan was
 * installed in time); -ENOMEM; as hcl_plan_install_members() and hcl_open_plan().
 */
int hcl_comm_create(struct hcl_comm **c, const struct hcl_comm_group *g, uint32_t node);

/**
 * hcl_comm_split() - split a communicator into parts, each with a communicator of its own
 * @c: the communicator; operations that were posted to it continue
 * @color: members with the same value form one part; HCL_COMM_NO_PART: the caller joins none
 * @key: ranks in a part are in the order of the keys and, among equal keys, of the ranks in @c
 * @part: set to the communicator of the caller's part, or NULL if the caller joins none
 *
 * Either all members of a part get its communicator, or all get an error. Rank 0 of each part finds
 * and installs the part's plan. The parts use the handle of @c, which stays open until all of them
 * are released.
 *
 * Return: 0; -EINVAL (@color is below HCL_COMM_NO_PART) and -ENOMEM: the caller has sent nothing,
 * and the other members wait for it; an error of a collective over @c; the error of the first
 * member of the part that could not join it.
 */
int hcl_comm_split(struct hcl_comm *c, int32_t color, int32_t key, struct hcl_comm **part);

/**
 * hcl_comm_dup() - make another communicator of the same nodes
 * @c: the communicator
 * @copy: set to the new communicator
 *
 * Return: as hcl_comm_split().
 */
int hcl_comm_dup(struct hcl_comm *c, struct hcl_comm **copy);

/**
 * hcl_comm_free() - release a communicator
 * @c: the communicator, or NULL
 *
 * Waits until all members call this, or until an error or @wait_ms shows that they will not. Then
 * rank 0 removes the plan. The caller must have waited for all its operations before.
 */
void hcl_comm_free(struct hcl_comm *c);

/**
 * hcl_comm_handle() - get the handle of a communicator, for all collectives of a tree
 * @c: the communicator
 *
 * Blocks are in the order of the nodes in the calls of libhypercube.h, not in that of the ranks.
 *
 * Return: the handle, which a communicator shares with those that were split or duplicated from it;
 *	the last one that is released closes it.
 */
struct hcl *hcl_comm_handle(const struct hcl_comm *c);

/* Get: the id of the plan, for struct hcl_params; the number of ranks; the caller's rank; the node
 * of a rank.
 */
uint32_t hcl_comm_plan(const struct hcl_comm *c);
uint32_t hcl_comm_size(const struct hcl_comm *c);
uint32_t hcl_comm_rank(const struct hcl_comm *c);
uint32_t hcl_comm_node(const struct hcl_comm *c, uint32_t rank);

/**
 * hcl_comm_bcast() - broadcast a message from any rank, blocking
 * @c: the communicator
 * @root: the rank that sends the message
 * @buf: at @root the message, elsewhere room for it
 * @bytes: its length, the same at all members
 * @res: how it ended, or NULL
 *
 * One plan serves all roots: the call runs an allreduce to which all members but @root contribute
 * zeros. While it runs, it needs memory for a second copy of the message.
 *
 * Return: as hcl_allreduce(); -EINVAL: there is no such rank.
 */
int hcl_comm_bcast(struct hcl_comm *c, uint32_t root, void *buf, size_t bytes,
		   struct hypercube_result *res);

/**
 * hcl_comm_allgather() - collect the blocks of all ranks at every rank, blocking
 * @c: the communicator
 * @in: the caller's block
 * @bytes: its length, the same at all members
 * @out: room for all blocks, in the order of ranks, not overlapping @in
 * @res: how it ended, or NULL
 *
 * While it runs, the call needs memory for a second copy of all blocks.
 *
 * Return: as hcl_allreduce().
 */
int hcl_comm_allgather(struct hcl_comm *c, const void *in, size_t bytes, void *out,
		       struct hypercube_result *res);

/**
 * hcl_comm_explain() - describe in words why the latest failed call of this thread has failed
 * @buf: filled in with one line without newline, NUL terminated
 * @size: bytes at @buf; 256 are enough
 *
 * Return: @buf.
 */
char *hcl_comm_explain(char *buf, size_t size);

#ifdef __cplusplus
}
#endif

#endif /* LIBHYPERCUBE_COMM_H */
