/* SPDX-License-Identifier: GPL-2.0 */
/*
 * libhypercube: collectives and messages over a fabric of the hypercube module.
 *
 * Every function that returns int returns 0 (or what its description says) or a negative errno;
 * errno itself is not used. A handle belongs to one thread at a time, and to the process that
 * opened it: after fork() the child may only close its copy. Different handles are independent.
 * Calls for messages, tasks and collectives refuse handles of another kind (-EINVAL). Calls that a
 * signal interrupts continue by themselves. hypercube(7) describes the sockets that the library
 * uses.
 */
#ifndef LIBHYPERCUBE_H
#define LIBHYPERCUBE_H

#include <stddef.h>
#include <stdint.h>
#include <linux/hypercube.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---------------------------------------------------------------- handles */

/* A handle: what a program uses at one node of a fabric. */
struct hcl;

/**
 * hcl_family() - get the number of the socket address family in use
 *
 * Return: the number that the loaded module reports, or HYPERCUBE_AF_DEFAULT if it reports none.
 */
int hcl_family(void);

/**
 * hcl_open() - open a handle that contributes to collectives at a node
 * @h: the handle, on success; release with hcl_close()
 * @fabric: name of a fabric of the caller's network namespace, or of a fabric whose endpoint @node
 *	was moved to that namespace
 * @node: node number, 0 .. 2^n - 1
 *
 * Return: 0; -EAFNOSUPPORT (the module is not loaded), -ENODEV (no such fabric), -EADDRNOTAVAIL (no
 * such node), -EACCES (the caller has no CAP_NET_ADMIN, and is not the node's owner), -EPERM (the
 * fabric belongs to a user, and users may not have fabrics any more), -EADDRINUSE (another socket
 * is bound to the node), -ENAMETOOLONG, -ENOMEM and the errors of socket(2).
 */
int hcl_open(struct hcl **h, const char *fabric, uint32_t node);

/**
 * hcl_open_plan() - open a handle that contributes to one plan at a node
 * @h: as hcl_open()
 * @fabric: as hcl_open()
 * @node: as hcl_open()
 * @plan: id of the plan; it need not be installed yet
 *
 * A node may have a handle for each plan, opened by one process or by several, besides the one of
 * hcl_open(), which serves all plans that have no handle of their own.
 *
 * Return: as hcl_open(); -EADDRINUSE: the plan has another handle; -EINVAL: @plan is 0.
 */
int hcl_open_plan(struct hcl **h, const char *fabric, uint32_t node, uint32_t plan);

/**
 * hcl_open_plans() - open a handle that contributes to one plan at a node, and later to others
 * @h: as hcl_open()
 * @fabric: as hcl_open()
 * @node: as hcl_open()
 * @plan: as hcl_open_plan()
 *
 * As hcl_open_plan(), but the program may contribute to further plans. Each of these gets a socket,
 * as with hcl_open(), unless the plan has another handle.
 *
 * Return: as hcl_open_plan().
 */
int hcl_open_plans(struct hcl **h, const char *fabric, uint32_t node, uint32_t plan);

/**
 * hcl_close_plan() - close the socket of one of the plans of a handle
 * @h: from hcl_open() or hcl_open_plans()
 * @plan: id of a plan; the socket of a handle's first plan stays open until hcl_close()
 *
 * Without this a program that uses one plan after another would have a socket for each.
 *
 * Return: 0, also if the plan has no socket; -EBUSY: operations of it are still to be waited for.
 */
int hcl_close_plan(struct hcl *h, uint32_t plan);

/**
 * hcl_open_dgram() - open a handle for messages from node to node
 *
 * Parameters and errors as hcl_open().  A node may have one handle of each kind.
 */
int hcl_open_dgram(struct hcl **h, const char *fabric, uint32_t node);

/**
 * hcl_close() - close a handle, and forget what was posted
 * @h: a handle or NULL
 *
 * Contributions that the kernel has accepted completely (hcl_flush()) still count. Members that
 * wait for a later contribution of this node get -ECONNRESET with this node as cause, once; see
 * hypercube(7).
 */
void hcl_close(struct hcl *h);

/**
 * hcl_fd() - get a descriptor for poll(2)
 * @h: the handle
 *
 * A handle of hcl_open() or hcl_open_plans() opens a socket for each further plan that it
 * contributes to, so that a plan that waits does not delay others; the descriptor is then an
 * epoll(7) descriptor for all of them.  For other handles it is the socket.  Reading from it or
 * writing to it breaks the handle.
 *
 * Return: the descriptor, the same in every call, or a negative errno of epoll_create1(2).
 */
int hcl_fd(struct hcl *h);

/**
 * hcl_set_buffers() - set the buffer sizes of the handle's sockets
 * @h: the handle
 * @send: bytes, as SO_SNDBUF; 0: unchanged
 * @receive: bytes, as SO_RCVBUF; 0: unchanged
 *
 * This also applies to sockets that are opened later.
 *
 * Return: 0, -EINVAL, or an error of setsockopt(2).
 */
int hcl_set_buffers(struct hcl *h, int send, int receive);

/**
 * hcl_set_timeout() - limit the time without progress
 * @h: the handle
 * @ms: milliseconds; 0 (the default): wait for ever
 *
 * A call fails with -ETIMEDOUT when it has waited that long without sending or receiving a single
 * byte or record; a large operation that makes progress is not affected.
 *
 * The result of an operation that a call could not wait for any longer names the cause, as far as
 * the kernel knows it (hcl_pending_members() describes what that needs): .cause_node is a member
 * that has not contributed or does not receive, or .cause_node and .cause_dim are a link that may
 * lose frames; else they are ~0. hcl_explain() describes it in words. The operation has not ended:
 * hcl_test() of .cookie returns 0, while for an operation that has failed with -ETIMEDOUT it
 * returns 1.
 *
 * Return: 0 or -EINVAL.
 */
int hcl_set_timeout(struct hcl *h, unsigned int ms);

/* ------------------------------------------------------------ collectives */

/* In every call, the contribution and the room for the result must not overlap; otherwise the call
 * returns -EINVAL and begins nothing. Data that the kernel takes or returns as a whole in one call
 * (the blocks of an alltoall or of a reduce-scatter, the result of an allgather) have at most
 * HYPERCUBE_WHOLE_MAX bytes; otherwise the call returns -EMSGSIZE and begins nothing.
 */

/**
 * struct hcl_params - parameters of an operation, the same at all members
 * @plan: id of the plan
 * @oper: enum hypercube_oper with HYPERCUBE_REDUCE, HYPERCUBE_ALLREDUCE and
 *	HYPERCUBE_REDUCE_SCATTER, else 0
 * @type: enum hypercube_type with the same collectives, else 0
 * @flags: 0, or a combination of HYPERCUBE_F_NOTIFY (for HYPERCUBE_REDUCE, HYPERCUBE_GATHER,
 *	HYPERCUBE_ALLGATHER, and the source of a HYPERCUBE_BCAST) and HYPERCUBE_F_ALL_OR_NOTHING: if
 *	the result of a guarded plan lacks contributions of nodes that have been members, the
 *	operation ends with -EHOSTUNREACH, and .cause_node is the first of these nodes; operations
 *	that were posted after it continue, as at the other members. Both flags may differ between
 *	members
 * @collective: 0 for HYPERCUBE_REDUCE, or another enum hypercube_collective
 * @width: bytes of a HYPERCUBE_RECORD, 1 .. HYPERCUBE_RECORD_MAX; else 0
 */
struct hcl_params {
	uint32_t plan;
	uint8_t oper;
	uint8_t type;
	uint8_t flags;
	uint8_t collective;
	uint32_t width;
};

/**
 * hcl_reduce() - take part in a reduction, blocking
 * @h: handle of a member of the plan
 * @p: the operation
 * @in: this node's contribution, an array in host byte order; with
 *	HYPERCUBE_MERGE a sorted one
 * @bytes: its length: a multiple of hcl_elem_size(), and the same at all members
 *	except with HYPERCUBE_MERGE; 0 is allowed
 * @out: at the plan's sink: room for the result, not overlapping @in; elsewhere NULL
 * @out_max: bytes at @out: @bytes, or with HYPERCUBE_MERGE the sum of all lengths
 * @res: how the operation ended, or NULL; only valid if the call waits for the operation, else
 *	zeros
 *
 * At the sink (@out not NULL) this waits for the result.  Elsewhere it waits for the completion at
 * the sink if HYPERCUBE_F_NOTIFY is set, and else only until the kernel has accepted the
 * contribution, as MPI_Reduce() does; if that operation fails later, a later call on the handle
 * reports it (see hcl_failure()).
 *
 * Return: 0; the error of the operation, whose cause is in @res (hcl_describe()); -EMSGSIZE (the
 * result is larger than @out_max; the rest of it is lost); -EINVAL (bad parameters); -ETIMEDOUT
 * (hcl_set_timeout(), which describes @res in this case): the contribution cannot be taken back,
 * and all further calls but hcl_close() and hcl_pending_members() fail with -ESHUTDOWN; errors of
 * sendmsg(2) and recvmsg(2) in hypercube(7).
 */
int hcl_reduce(struct hcl *h, const struct hcl_params *p, const void *in,
	       size_t bytes, void *out, size_t out_max,
	       struct hypercube_result *res);

/**
 * hcl_allreduce() - take part in a reduction whose result all members get, blocking
 * @h: as hcl_reduce()
 * @p: as hcl_reduce(); @p->collective and @p->flags are ignored
 * @in: as hcl_reduce()
 * @bytes: as hcl_reduce()
 * @out: at every member: room for the result, not overlapping @in
 * @out_max: as hcl_reduce()
 * @res: how the operation ended, or NULL
 *
 * The result has the same bits at every member.  The plan is a tree, or one for recursive
 * doubling, where HYPERCUBE_MERGE is not possible (-EOPNOTSUPP).
 *
 * Return: as hcl_reduce().
 */
int hcl_allreduce(struct hcl *h, const struct hcl_params *p, const void *in,
		  size_t bytes, void *out, size_t out_max,
		  struct hypercube_result *res);

/**
 * hcl_barrier() - wait until all members of a plan have called this
 * @h: handle of a member of the plan
 * @plan: id of the plan, a tree or one for recursive doubling
 * @res: how it ended, or NULL
 *
 * Return: as hcl_reduce().
 */
int hcl_barrier(struct hcl *h, uint32_t plan, struct hypercube_result *res);

/**
 * hcl_bcast() - take part in a broadcast, blocking
 * @h: handle of a member of the plan
 * @plan: id of a broadcast plan
 * @source: the plan's source
 * @buf: at the source the message, elsewhere room for it
 * @bytes: at the source the length of the message, elsewhere the length of the room
 * @flags: at the source 0, or HYPERCUBE_F_NOTIFY to wait until all members have it
 * @res: how it ended, or NULL; zeros at the source without HYPERCUBE_F_NOTIFY. @res->bytes is the
 *	length of a message received
 *
 * Members receive the messages of a plan in the order of sending. The library stores messages that
 * arrive before the call. If the plan was removed, or is broken and no message can arrive any more,
 * a receiver's call ends after a second with the error that the source gets at once.
 *
 * Return: as hcl_reduce(); -EMSGSIZE: the message is longer than the room. A receiver that has
 * reached the time limit before any data arrived may call again.
 */
int hcl_bcast(struct hcl *h, uint32_t plan, uint32_t source, void *buf, size_t bytes,
	      unsigned int flags, struct hypercube_result *res);

/**
 * hcl_gather() - collect a block of each member at the sink, blocking
 * @h: handle of a member of the plan
 * @plan: id of a tree plan
 * @in: this node's block
 * @bytes: its length, the same at all members
 * @out: at the plan's sink: room for all blocks, in the order of the nodes, not overlapping @in;
 *	elsewhere NULL
 * @out_max: bytes at @out: @bytes times the number of members
 * @res: how it ended, or NULL; only valid if the call waits for the operation
 *
 * Waits only at the sink, as hcl_reduce() does.
 *
 * Return: as hcl_reduce().
 */
int hcl_gather(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
	       size_t out_max, struct hypercube_result *res);

/**
 * hcl_scatter() - distribute blocks from the sink, one to each member, blocking
 * @h: handle of a member of the plan
 * @plan: id of a tree plan
 * @in: at the plan's sink: a block for each member, in the order of the nodes; elsewhere NULL
 * @bytes: at the sink the length of all blocks together, elsewhere 0
 * @out: room for this node's block, not overlapping @in
 * @out_max: bytes at @out; @res->bytes is the length of the block
 * @res: how it ended, or NULL
 *
 * Return: as hcl_reduce(); -EINVAL also if @bytes is not a multiple of the number of members, or
 * not 0 at a node that is not the sink.
 */
int hcl_scatter(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
		size_t out_max, struct hypercube_result *res);

/**
 * hcl_allgather() - collect a block of each member at every member, blocking
 * @h: handle of a member of the plan
 * @plan: id of a tree plan, of a plan for recursive doubling, or of a plan of rings
 * @in: this node's block
 * @bytes: its length, the same at all members
 * @out: at every member: room for all blocks, in the order of the nodes, not overlapping @in
 * @out_max: bytes at @out: @bytes times the number of members
 * @flags: 0, or, in rings, HYPERCUBE_F_NOTIFY to wait until all members have this node's block, too
 * @res: how it ended, or NULL
 *
 * With HYPERCUBE_F_NOTIFY the call may fail although all blocks are at @out: then this node's block
 * may have reached some members only.
 *
 * Return: as hcl_reduce(); -EHOSTUNREACH: blocks of members that are gone are missing, see
 * hcl_pending_members() with @res->cookie; -EOPNOTSUPP: HYPERCUBE_F_NOTIFY over a plan that is not
 * of rings; -EMSGSIZE also if such a plan has more members than the fabric's segment has bytes.
 */
int hcl_allgather(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
		  size_t out_max, unsigned int flags, struct hypercube_result *res);

/**
 * hcl_allgatherv() - as hcl_allgather(), with blocks of different lengths
 * @h: handle of a member of the plan
 * @plan: as hcl_allgather()
 * @in: this node's block
 * @bytes: the length of each member's block: the same array at all members
 * @members: number of members
 * @rank: this node's rank: the number of members with lower node numbers
 * @out: at every member: room for all blocks, in the order of the nodes, one after another, not
 *	overlapping @in
 * @out_max: bytes at @out: at least the sum of @bytes
 * @flags: as hcl_allgather()
 * @res: how it ended, or NULL; its .bytes are those of the padded blocks
 *
 * Each block is padded to the length of the longest one, plus 8 bytes that hold the block's own
 * length. The call sends @members blocks of that size, and needs memory for them while it runs: one
 * long block among many short ones costs as much as if all were long.
 *
 * Return: as hcl_allgather(), but with -EHOSTUNREACH no block is at @out; -EINVAL also if @rank is
 * not below @members; -ENOMEM; -EPROTO: the plan has another number of members, or the members have
 * different @bytes.
 */
int hcl_allgatherv(struct hcl *h, uint32_t plan, const void *in, const size_t *bytes,
		   uint32_t members, uint32_t rank, void *out, size_t out_max, unsigned int flags,
		   struct hypercube_result *res);

/**
 * hcl_alltoall() - send a block from each member to each member, blocking
 * @h: handle of a member of the plan
 * @plan: id of a plan for recursive doubling, or of rings
 * @in: a block for each member, in the order of the nodes
 * @bytes: the length of all blocks together, the same at all members
 * @out: room for the blocks of all members for this one, in the order of the nodes, not overlapping
 *	@in
 * @out_max: bytes at @out: @bytes
 * @res: how it ended, or NULL
 *
 * Return: as hcl_reduce(); -EINVAL also if @bytes is not a multiple of the number of members;
 * -EMSGSIZE also if the plan is for recursive doubling and has more members than the fabric's
 * segment has bytes.
 */
int hcl_alltoall(struct hcl *h, uint32_t plan, const void *in, size_t bytes, void *out,
		 size_t out_max, struct hypercube_result *res);

/**
 * hcl_alltoallv() - as hcl_alltoall(), with blocks of different lengths
 * @h: handle of a member of the plan
 * @plan: as hcl_alltoall()
 * @in: a block for each member, in the order of the nodes, one after another
 * @in_bytes: the length of each of these blocks
 * @out: room for the blocks of all members for this one, in the order of the nodes, one after
 *	another, not overlapping @in
 * @out_bytes: the length of each of these blocks, as in @in_bytes of the member that sends it
 * @members: number of members
 * @out_max: bytes at @out: at least the sum of @out_bytes
 * @res: how it ended, or NULL; its .bytes are those of the padded blocks
 *
 * This runs two operations. The first is an allgather of 8 bytes, by which the members learn the
 * length of the longest of all blocks. The second is an alltoall of blocks that are padded to that
 * length, plus 8 bytes that hold the block's own length. The call needs memory for 2 * @members
 * such blocks while it runs.
 *
 * Return: as hcl_alltoall(); -ENOMEM; -EPROTO: the plan has another number of members, or a member
 * has sent a block whose length is not that in @out_bytes.
 */
int hcl_alltoallv(struct hcl *h, uint32_t plan, const void *in, const size_t *in_bytes, void *out,
		  const size_t *out_bytes, uint32_t members, size_t out_max,
		  struct hypercube_result *res);

/* Maximum number of plans in one call of the following functions. */
#define HCL_STRIPES_MAX	16

/**
 * hcl_allgather_striped() - an allgather whose blocks are split among several plans, blocking
 * @h: handle of a member of all plans, of hcl_open()
 * @plans: ids of plans of rings with the same members, ideally plans that share no link ("hcctl
 *	ring plan .. rings K"); the same at all members
 * @n: number of plans, 1 to HCL_STRIPES_MAX
 * @in: this node's block
 * @bytes: its length, the same at all members
 * @members: number of members
 * @out: at every member: room for all blocks, in the order of the nodes, not overlapping @in
 * @out_max: bytes at @out: @bytes times @members
 * @res: as hcl_allgather(), with the maxima over all plans of steps, clock and time, and with
 *	.bytes of the whole result; or NULL
 *
 * The pieces of the blocks are sent over their plans at the same time. If the operation over one
 * plan fails, the call fails, and no data is at @out; the other plans can still be used.
 *
 * Return: as hcl_allgather(), but with -EHOSTUNREACH no data is at @out; -EINVAL also: too many
 * plans or none; -ENOMEM; -EPROTO: a plan has another number of members.
 */
int hcl_allgather_striped(struct hcl *h, const uint32_t *plans, unsigned int n, const void *in,
			  size_t bytes, uint32_t members, void *out, size_t out_max,
			  struct hypercube_result *res);

/**
 * hcl_alltoall_striped() - an alltoall whose blocks are split among several plans, blocking
 * @h: as hcl_allgather_striped()
 * @plans: as hcl_allgather_striped()
 * @n: as hcl_allgather_striped()
 * @in: a block for each member, in the order of the nodes
 * @bytes: the length of all blocks together, the same at all members
 * @members: number of members
 * @out: room for the blocks of all members for this one, in the order of the nodes, not
 *	overlapping @in
 * @out_max: bytes at @out: @bytes
 * @res: as hcl_allgather_striped()
 *
 * Return: as hcl_allgather_striped(); -EINVAL also if @bytes is not a multiple of @members.
 */
int hcl_alltoall_striped(struct hcl *h, const uint32_t *plans, unsigned int n, const void *in,
			 size_t bytes, uint32_t members, void *out, size_t out_max,
			 struct hypercube_result *res);

/**
 * hcl_reduce_scatter_block() - reduce, and distribute the result, one block to each member,
 * blocking
 * @h: as hcl_reduce()
 * @p: as hcl_reduce(), but not with HYPERCUBE_MERGE; @p->collective and @p->flags are ignored
 * @in: a block for each member, in the order of the nodes
 * @bytes: the length of all blocks together: a multiple of hcl_elem_size() and of the number of
 *	members, the same at all members
 * @out: room for this node's block of the result, not overlapping @in
 * @out_max: bytes at @out: @bytes divided by the number of members
 * @res: how it ended, or NULL
 *
 * The result has the same bits as this block of the result of hcl_allreduce() over the same plan: a
 * tree, or a plan for recursive doubling.
 *
 * Return: as hcl_reduce(); -EINVAL also if a block does not consist of whole elements; -EOPNOTSUPP
 * (HYPERCUBE_MERGE); -EMSGSIZE also if the plan is for recursive doubling and the fabric's segment
 * has no room for an element of each member.
 */
int hcl_reduce_scatter_block(struct hcl *h, const struct hcl_params *p, const void *in,
			     size_t bytes, void *out, size_t out_max,
			     struct hypercube_result *res);

/**
 * hcl_reduce_scatter() - as hcl_reduce_scatter_block(), with blocks of different lengths
 * @h: as hcl_reduce()
 * @p: as hcl_reduce_scatter_block()
 * @in: a block for each member, in the order of the nodes, one after another
 * @bytes: the length of each block: the same array at all members
 * @members: number of members
 * @rank: this node's rank: the number of members with lower node numbers
 * @out: room for this node's block of the result, not overlapping @in
 * @out_max: bytes at @out: at least @bytes[@rank]
 * @res: how it ended, or NULL; its .bytes are those of the longest block
 *
 * Each block is padded with zeros to the length of the longest one; while the call runs, it needs
 * memory for all padded blocks.
 *
 * Return: as hcl_reduce_scatter_block(); -EINVAL also if @rank is not below @members; -ENOMEM;
 * -EPROTO: the plan has another number of members.
 */
int hcl_reduce_scatter(struct hcl *h, const struct hcl_params *p, const void *in,
		       const size_t *bytes, uint32_t members, uint32_t rank, void *out,
		       size_t out_max, struct hypercube_result *res);

/**
 * hcl_post() - begin an operation and return
 * @h: handle of a member of the plan
 * @p: the operation; copied
 * @in: as hcl_reduce(); must stay until the operation is sent (hcl_flush()) or complete
 *	(hcl_wait())
 * @bytes: as hcl_reduce()
 * @out: as hcl_reduce(); must stay until hcl_wait() has returned
 * @out_max: as hcl_reduce()
 * @id: set to the number to wait for, which is the result's cookie; or NULL
 *
 * Sends what the kernel accepts at once; hcl_progress(), hcl_wait() and hcl_flush() send the rest.
 * Operations of a plan are sent in the order of the calls; plans do not wait for each other. An
 * operation with @out or HYPERCUBE_F_NOTIFY, and every allreduce, barrier, scatter, alltoall and
 * reduce-scatter, has to be waited for at some time; others need not be. With HYPERCUBE_BCAST the
 * source passes @in, and the other members, which send nothing, pass @out, even for an empty
 * message. If the plan of such a member's operation was removed, hcl_progress() and hcl_wait()
 * detect that after a second without data.
 *
 * If an operation of the plan has failed, and no call has reported that failure yet, the next
 * operations that the program posts are refused, here or in hcl_wait(), with -ECANCELED: they were
 * meant to follow operations that have failed. Wait for all operations that were posted to the
 * plan, and continue after the one that has failed, as all members do; over a new plan, agree with
 * the other members on where to continue, see hypercube(7). Broadcasts, and rings that repair
 * themselves, are not affected: there later operations continue.
 *
 * Return: 0; -EINVAL, -ENOMEM, or another error of sendmsg(2) in hypercube(7): nothing was posted;
 * or the error of an earlier operation that no call waits for, which is in hcl_failure(): nothing
 * was posted either.
 */
int hcl_post(struct hcl *h, const struct hcl_params *p, const void *in,
	     size_t bytes, void *out, size_t out_max, uint64_t *id);

/**
 * hcl_progress() - send and receive what is possible
 * @h: the handle
 * @ms: milliseconds to wait until something is sent or received; 0: do not wait; -1: for ever
 *
 * Return: 1 if something was sent or received, 0 if not, or a negative errno of the socket (the
 * failure of an operation is not such an error).
 */
int hcl_progress(struct hcl *h, int ms);

/**
 * hcl_events() - get the events of hcl_fd() to wait for with poll(2) before hcl_progress()
 * @h: the handle
 *
 * Return: POLLIN, with POLLOUT if something is still to be sent.
 */
short hcl_events(struct hcl *h);

/**
 * hcl_test() - check whether hcl_wait() would return at once
 * @h: the handle
 * @id: from hcl_post()
 *
 * Return: 1 or 0.
 */
int hcl_test(const struct hcl *h, uint64_t id);

/**
 * hcl_wait() - wait for the end of an operation and forget it
 * @h: the handle
 * @id: from hcl_post()
 * @res: as hcl_reduce()
 *
 * Return: as hcl_reduce(), but after -ETIMEDOUT the operation is still posted and may be waited for
 * again.  An operation without @out and without HYPERCUBE_F_NOTIFY ends when it is sent.  For an
 * operation that is forgotten: 0 at once, or its error if that is in hcl_failure() and no call has
 * returned it.  -EINVAL if no operation ever had this @id.
 */
int hcl_wait(struct hcl *h, uint64_t id, struct hypercube_result *res);

/**
 * hcl_pending_members() - list members that have not contributed to an operation, or are missing in
 * its result
 * @h: the handle
 * @id: from hcl_post(), or .cookie of a result that ended by the time limit
 * @nodes: filled in with their numbers, ascending
 * @max: number of entries of @nodes
 *
 * Lists the members that have not begun to contribute to the operation; for a broadcast, its source
 * before it has sent. This node is among them while its earlier operations are not sent. For an
 * operation that has ended or was forgotten, no members are listed, apart from the cases below. If
 * none are listed and the operation still makes no progress, a member does not receive.
 *
 * An allgather over rings that repair themselves may end with -EHOSTUNREACH because it lacks the
 * blocks of members that are gone. These members are listed until another operation that lacks
 * blocks is waited for. All other blocks are in the result, see hcl_result_members().
 *
 * In the result of an operation of a guarded plan, the missing nodes are those that have been
 * members since the plan was guarded and were not members when the result was computed, whether
 * HYPERCUBE_F_ALL_OR_NOTHING is set or not. As above, they are listed until the next result with
 * missing nodes.
 *
 * The function asks the kernel by netlink. That needs no privilege, but the caller has to be in the
 * fabric's network namespace, not in that of an endpoint that was moved.
 *
 * Return: the number of missing members, which may be more than @max; -EINVAL (no operation ever
 * had this @id), -ENODEV (there is no such fabric in the caller's namespace), -ENOENT (the plan was
 * removed), -ENOTCONN (this node is not a member), -ENOMEM, -EIO (netlink; hcl_explain() describes
 * the error).
 */
int hcl_pending_members(struct hcl *h, uint64_t id, uint32_t *nodes, size_t max);

/**
 * hcl_result_members() - list the nodes whose blocks belong to a result, if not all members
 * @h: the handle
 * @id: as hcl_pending_members()
 * @nodes: filled in with their numbers, ascending, which is the order of the blocks
 * @max: number of entries of @nodes
 *
 * An allgather over rings that repair themselves runs among the members that exist when it begins.
 * If some members have left before that, it ends with 0 and the blocks of those that are left. If
 * some leave later, it ends with -EHOSTUNREACH and space for the blocks of all: the space for
 * blocks of those that hcl_pending_members() lists is unchanged, or holds only a piece of the
 * block.
 *
 * For a result in which members of a guarded plan are missing (hcl_pending_members()), this lists
 * all nodes that have been members. The result has the blocks of those that are not missing, one
 * after another.
 *
 * Return: the number of these nodes, which may be more than @max; 0 if the result has a block of
 * each member that the plan was installed with, or has no blocks; -EINVAL, -ENOMEM.
 */
int hcl_result_members(struct hcl *h, uint64_t id, uint32_t *nodes, size_t max);

/**
 * hcl_flush() - wait until all posted operations are sent
 * @h: the handle
 *
 * Return: 0; the error of an operation that no call waits for; -ETIMEDOUT.
 */
int hcl_flush(struct hcl *h);

/**
 * hcl_failure() - get the latest failure of a handle
 * @h: the handle; NULL: of hcl_open(), hcl_open_plan() or hcl_open_dgram() in this thread
 *
 * Either an operation has failed, or a call on the handle was refused or has reached a time limit.
 * In the second case .status is what the call returned, and .cause_node is ~0, except for a time
 * limit whose cause is known (hcl_set_timeout()).
 *
 * Return: a result, valid until the next call on @h; all zeros if nothing has failed.
 */
const struct hypercube_result *hcl_failure(const struct hcl *h);

/**
 * hcl_explain() - describe the latest failure in words
 * @h: as hcl_failure()
 * @buf: filled in with one line without newline, NUL terminated
 * @size: bytes at @buf; 256 are enough
 *
 * The text is that of hcl_describe() for hcl_failure(), or more if the library knows more: which
 * argument is wrong, which time limit was reached, or why a node cannot be used.  For example
 * "7 bytes are no multiple of the 8 of an element".
 *
 * Return: @buf.
 */
char *hcl_explain(const struct hcl *h, char *buf, size_t size);

/* --------------------------------------------------------------- messages */

/**
 * hcl_send() - send a message to another node, around faults
 * @h: from hcl_open_dgram()
 * @to: node number
 * @buf: the message
 * @len: its length, at most the fabric's segment size
 *
 * Return: 0; -EMSGSIZE, -EADDRNOTAVAIL (no such node), -ETIMEDOUT (no room within the time limit),
 * and the errors of sendmsg(2) in hypercube(7); after hcl_set_copies() also -EHOSTUNREACH (there
 * are fewer paths that share no node than copies).  Delivery is not confirmed: a message is
 * dropped, and counted, if no socket is bound to @to, if the buffer of that socket is full, or if
 * no healthy path leads there.
 */
int hcl_send(struct hcl *h, uint32_t to, const void *buf, size_t len);

/**
 * hcl_recv() - receive a message
 * @h: from hcl_open_dgram()
 * @from: set to the node that sent it, or NULL
 * @buf: room for it
 * @max: bytes at @buf; the rest of a longer message is lost
 *
 * Return: the whole length of the message (may exceed @max), or -ETIMEDOUT and the errors of
 * recvmsg(2).
 */
long hcl_recv(struct hcl *h, uint32_t *from, void *buf, size_t max);

/**
 * hcl_set_copies() - set in how many copies to send messages, and how many to require
 * @h: from hcl_open_dgram()
 * @copies: send each message in this many copies over paths that share no node, 1 (the default) to
 *	the dimension; a message and the paths of its copies must fit into a segment
 * @least: drop messages that are sent in fewer copies; 1 (the default): accept all
 *
 * For messages in @least copies, up to (@least - 1) / 2 Byzantine nodes on their paths are
 * outvoted, and up to @least - 1 are detected; see hcl_set_deliver().
 *
 * Return: 0 or -EINVAL.
 */
int hcl_set_copies(struct hcl *h, unsigned int copies, unsigned int least);

/**
 * hcl_set_deliver() - choose which messages that are sent in copies are received
 * @h: from hcl_open_dgram()
 * @deliver: HYPERCUBE_DELIVER_AGREED: messages of which all copies have arrived and agree (the
 *	default); _MAJORITY: messages of which more than half of the copies agree; _REPORT: all
 *	messages, but without data if no majority agrees
 * @ms: ms to wait for copies after the first one, at most 60000; 0: unchanged, initially 1000
 *
 * Return: 0 or -EINVAL.
 */
int hcl_set_deliver(struct hcl *h, unsigned int deliver, unsigned int ms);

/**
 * hcl_paths() - count the node-disjoint paths to another node that have no known faults
 * @h: from hcl_open_dgram()
 * @to: node number
 *
 * Return: their number, or -EADDRNOTAVAIL (no such node), -EINVAL (@to is the handle's own node).
 */
int hcl_paths(struct hcl *h, uint32_t to);

/**
 * struct hcl_vote - the vote on a message
 * @vote: the vote; .copies is 0 if the message was not sent in copies
 * @npaths: number of paths in @path
 * @path: with HYPERCUBE_DELIVER_REPORT, the paths of copies that differ or are missing
 */
struct hcl_vote {
	struct hypercube_vote vote;
	unsigned int npaths;
	struct hypercube_path path[HYPERCUBE_DIM_MAX];
};

/**
 * hcl_recv_vote() - receive a message, and the vote on it
 * @h: from hcl_open_dgram()
 * @from: set to the node that sent it, or NULL
 * @buf: room for it
 * @max: bytes at @buf; the rest of a longer message is lost
 * @vote: filled in, or NULL
 *
 * Return: as hcl_recv().
 */
long hcl_recv_vote(struct hcl *h, uint32_t *from, void *buf, size_t max,
		   struct hcl_vote *vote);

/* ------------------------------------------------------------------ tasks */

/**
 * hcl_task_open() - open a handle for the tasks of a node
 * @h: the new handle
 * @fabric: name of the fabric
 * @node: node number
 *
 * A node may have any number of such handles, of producers and of workers; all share one queue.
 * When a handle is closed, the tasks that it holds are put back into the queue if their producers
 * have allowed that; the others are lost, and reported ("hcctl monitor").
 *
 * Return: as hcl_open().
 */
int hcl_task_open(struct hcl **h, const char *fabric, uint32_t node);

/**
 * hcl_task_put() - put a task into the queue of the node
 * @h: from hcl_task_open()
 * @buf: the data of the task
 * @len: bytes at @buf, at most HYPERCUBE_TASK_MAX
 * @flags: HYPERCUBE_TASK_IDEMPOTENT: the task may be executed again if its worker ends before the
 *	task is done; IDEMPOTENT with HYPERCUBE_TASK_REPLICATED: a second node stores a replica,
 *	too; else 0
 * @id: set to the id of the task, or NULL
 *
 * Return: 0; -ETIMEDOUT (no room within the time limit), -EMSGSIZE, -EINVAL, -EHOSTDOWN (the node
 * has failed), and the errors of sendmsg(2) in hypercube(7).
 */
int hcl_task_put(struct hcl *h, const void *buf, size_t len, unsigned int flags,
		 struct hypercube_task *id);

/**
 * hcl_task_take() - take the next task
 * @h: from hcl_task_open()
 * @buf: room for the data of the task
 * @max: bytes at @buf; HYPERCUBE_TASK_MAX are always enough
 * @id: set to the id of the task, for hcl_task_done(), and to flags, see struct hypercube_task
 *
 * Return: the length of the task; -ETIMEDOUT (no task within the time limit), -EMSGSIZE (the task
 * is longer than @max, and stays in the queue), -ENOBUFS (too many are held), and the errors of
 * recvmsg(2) in hypercube(7).
 */
long hcl_task_take(struct hcl *h, void *buf, size_t max, struct hypercube_task *id);

/**
 * hcl_task_done() - report that a task is done, so that it is not executed again
 * @h: the handle that took the task
 * @id: the task
 *
 * Return: 0; -ENOENT: the handle does not hold the task, or the node has failed, so that the handle
 * does not hold it any more: then the task was reported as lost.
 */
int hcl_task_done(struct hcl *h, const struct hypercube_task *id);

/* ------------------------------------------------------------------ names */

/**
 * hcl_describe() - describe in words how an operation ended
 * @res: its result
 * @buf: filled in with one line without newline, NUL terminated
 * @size: bytes at @buf; 160 are enough
 *
 * For example "8 steps, 1.2 ms modelled" or "link 3:1 went down" or "node 5 left".
 *
 * Return: @buf.
 */
char *hcl_describe(const struct hypercube_result *res, char *buf, size_t size);

/**
 * hcl_oper_parse() - get an operator by name: sum prod min max and or xor minloc maxloc merge
 *
 * Return: enum hypercube_oper or -EINVAL.
 */
int hcl_oper_parse(const char *name);

/* Return: the name of an operator, or NULL. */
const char *hcl_oper_name(unsigned int oper);

/**
 * hcl_type_parse() - get a type by name: u8 .. u64, i8 .. i64, f16, bf16, f32, f64, record:WIDTH
 * @name: the name
 * @width: set to WIDTH, or to 0 for the other types
 *
 * Return: enum hypercube_type or -EINVAL.
 */
int hcl_type_parse(const char *name, uint32_t *width);

/* Return: the name of a type ("record" without width), or NULL. */
const char *hcl_type_name(unsigned int type);

/**
 * hcl_elem_size() - get the bytes of one element
 * @oper: enum hypercube_oper
 * @type: enum hypercube_type
 * @width: bytes of a HYPERCUBE_RECORD, else 0
 *
 * Return: bytes (sizeof(struct hypercube_loc) with MINLOC and MAXLOC), or -EINVAL
 * if there is no such combination.
 */
int hcl_elem_size(unsigned int oper, unsigned int type, unsigned int width);

/**
 * hcl_divide() - divide an array of floats by an integer, to turn a sum into a mean
 * @type: HYPERCUBE_F16, HYPERCUBE_BF16, HYPERCUBE_F32 or HYPERCUBE_F64
 * @buf: the array
 * @bytes: its length, a multiple of the size of an element
 * @by: the divisor, 1 .. 2^24: the number of contributions to the sum
 *
 * Each quotient is rounded once, to nearest, ties to even, so all members get the same bits from
 * the same sum.  A sum that has overflowed stays an infinity: scale data whose sum F16 cannot hold
 * before the reduction.
 *
 * Return: 0, or -EINVAL: @type is not a float type, or @bytes or @by is invalid.
 */
int hcl_divide(unsigned int type, void *buf, size_t bytes, uint32_t by);

#ifdef __cplusplus
}
#endif

#endif /* LIBHYPERCUBE_H */
