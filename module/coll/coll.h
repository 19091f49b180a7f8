/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations: declarations that the files of coll/ and sock/ share.
 *
 * A plan with a root is a tree. "Up" is towards its root: the sink of a tree plan, the source of a
 * broadcast. The peers below a member are its sources and the peers above it are its destinations,
 * even if data is sent from a destination to a source. In a plan without a root (recursive
 * doubling, rings) each member is treated as a root: its peers are its sources (in recursive
 * doubling, source i is the peer of stage i), and it has no destinations.
 *
 * Only the poll of the member's node accesses this state (see fabric.h), or configuration after the
 * plan has been unpublished and a grace period has passed.
 */
#ifndef _HC_COLL_H
#define _HC_COLL_H

#include "coll/failure.h"
#include "coll/fanout.h"
#include "coll/member.h"
#include "coll/operation.h"

/* --- operation.c --- */

/**
 * hc_member_create() - make a member of a plan that is not published yet
 * @plan: the plan; its .member[@u] is set
 * @u: the node
 * @role: stage, sources and destinations of the node
 * @src: @role->nsrc sources
 *
 * Context: configuration.
 * Return: 0, -ENOMEM, or -EDQUOT.
 */
int hc_member_create(struct hc_plan *plan, u32 u, const struct hc_tree_role *role,
		     const struct hc_tree_peer *src);

/**
 * hc_member_free() - free a member
 * @m: the member, which has no operations, and which no poll and no system call can find any more
 */
void hc_member_free(struct hc_member *m);

/**
 * hc_op_get() - find an operation of a member, or make it
 * @m: the member
 * @nr: number of the operation, within the window
 *
 * Return: the operation, or NULL: no memory.
 */
struct hc_op *hc_op_get(struct hc_member *m, u64 nr);

/**
 * hc_op_drop() - remove an operation that has ended from its member, and free it
 * @m: the member
 * @op: the operation; freed
 * @status: 0 or a negative errno
 */
void hc_op_drop(struct hc_member *m, struct hc_op *op, int status);

/**
 * hc_op_free() - free an operation that is in no list
 * @op: the operation
 */
void hc_op_free(struct hc_op *op);

/**
 * hc_op_steps() - count the steps that an operation has taken
 * @m: the member
 * @op: the operation
 *
 * Return: the count.
 */
u32 hc_op_steps(const struct hc_member *m, const struct hc_op *op);

/* --- coll.c --- */

/**
 * hc_op_result() - fill in the result record of an operation that has not failed
 * @m: the member
 * @op: the operation, or NULL if only its number is known
 * @nr: its number
 *
 * Return: the record for the process, in which the caller must set status, steps and times.
 */
struct hypercube_result hc_op_result(const struct hc_member *m, const struct hc_op *op, u64 nr);

/**
 * hc_op_complete() - end an operation that the root has completed
 * @m: the member
 * @op: the operation; freed. Its process is notified if it has requested a notification
 * @steps: steps that the operation took
 * @clock: its logical clock
 * @time: its modelled time, ns
 */
void hc_op_complete(struct hc_member *m, struct hc_op *op, u32 steps, u32 clock, u64 time);

/**
 * hc_advance() - work on the oldest operation of a member, then on the operations after it
 * @m: the member
 *
 * Context: poll.
 */
void hc_advance(struct hc_member *m);

/**
 * hc_view_idle() - record what a member waits for between two operations
 * @m: the member
 */
void hc_view_idle(struct hc_member *m);

/**
 * hc_src_index() - find the source of a member that is at a node
 * @m: the member
 * @node: the node
 *
 * Return: the index, or -1.
 */
int hc_src_index(const struct hc_member *m, u32 node);

/**
 * hc_peer_find() - find the source or destination of a member that is at a node
 * @m: the member
 * @node: the node
 *
 * Return: the peer, or NULL.
 */
const struct hc_tree_peer *hc_peer_find(const struct hc_member *m, u32 node);

/**
 * hc_seg_alloc() - allocate a DATA frame
 * @fabric: the fabric
 * @src: the node that sends it
 * @len: bytes of its payload, which is contiguous; see hc_payload()
 * @gfp: flags for the allocation
 *
 * Return: the frame, or NULL.
 */
struct sk_buff *hc_seg_alloc(const struct hc_fabric *fabric, u32 src, u32 len, gfp_t gfp);

/**
 * hc_seg_own() - make the payload of a segment writable
 * @node: the node
 * @skb: DATA; consumed
 *
 * Return: @skb, or a copy if other frames refer to its payload, or NULL: no memory.
 */
struct sk_buff *hc_seg_own(struct hc_node *node, struct sk_buff *skb);

/**
 * hc_stream_push() - queue a segment in the stream of a source
 * @m: the member
 * @st: the stream
 * @segments: number of full segments that may wait in the stream without being charged to a socket
 * @skb: DATA; consumed unless the function fails
 *
 * Return: false if the stream has no room.
 */
bool hc_stream_push(const struct hc_member *m, struct hc_stream *st, u32 segments,
		    struct sk_buff *skb);

/**
 * hc_stream_pop() - take the next segment out of a stream
 * @st: the stream
 *
 * Return: the segment, or NULL.
 */
struct sk_buff *hc_stream_pop(struct hc_stream *st);

/**
 * hc_wait() - record what an operation waits for, which dumps of the plan show
 * @m: the member
 * @op: the operation
 * @wait: enum hypercube_wait
 * @peer: the node for which it waits, or 0 if it waits for no node
 *
 * Return: HC_BLOCKED.
 */
enum hc_progress hc_wait(struct hc_member *m, struct hc_op *op, u32 wait, u32 peer);

/**
 * hc_data_fail() - drop a DATA frame that cannot be processed, and fail its operation
 * @m: the member
 * @skb: the frame; consumed
 * @status: negative errno: -ENOMEM, -ENOBUFS or -EPROTO
 */
void hc_data_fail(struct hc_member *m, struct sk_buff *skb, int status);

/**
 * hc_taken() - count the frames of a peer's stream that this member has processed
 * @m: the member
 * @node: the peer
 * @nr: the operation
 *
 * Return: their number, as CREDIT frames carry it.
 */
u32 hc_taken(struct hc_member *m, u32 node, u64 nr);

/* --- coll/ack.c --- */

/**
 * hc_ack_peer() - find the peer that has acknowledged the fewest operations
 * @m: the member
 *
 * Return: its node.
 */
u32 hc_ack_peer(const struct hc_member *m);

/**
 * hc_ack_xmit() - send ACK to a peer
 * @m: the member
 * @peer: the peer
 * @d: contents of the ACK
 *
 * Return: false if the ACK was not sent, because memory or room is lacking or because a STOP or END
 * must be sent first. The caller then sends the ACK later.
 */
bool hc_ack_xmit(struct hc_member *m, const struct hc_tree_peer *peer, const struct hc_ack *d);

/**
 * hc_ack_notify() - send the ACK of the latest complete operations, if it is outstanding
 * @m: the member
 */
void hc_ack_notify(struct hc_member *m);

/* ACKs of plans in which the root determines which operations are done. */
extern const struct hc_ack_ops hc_ack_root;
/* For plans without a root, which need no ACKs: an operation is done at a member when the member
 * has passed it on.
 */
extern const struct hc_ack_ops hc_ack_alone;

/**
 * hc_ack_set() - move the window of a member as far as an ACK allows
 * @m: the member
 * @d: the ACK. The window does not move past an operation whose result has not been received
 *	completely
 *
 * Return: true if the window has moved; ACK was then sent to the sources.
 */
bool hc_ack_set(struct hc_member *m, const struct hc_ack *d);

/**
 * hc_ack_review() - move the window, as far as the last ACK allows, after a result has been
 *	received from above
 * @m: the member
 */
void hc_ack_review(struct hc_member *m);

/* --- coll/data_check.c --- */

/**
 * hc_op_params() - set the parameters of an operation, or compare them
 * @op: the operation; the first frame sets them
 * @w: header of a DATA frame
 *
 * Return: false if they are invalid, or differ from those of earlier frames.
 */
bool hc_op_params(struct hc_op *op, const struct hc_wire_data *w);

/**
 * hc_up_refused() - check whether DATA from below may be received now
 * @m: the member
 * @i: index of the source that sent it, or -1 if no source did
 * @skb: the frame
 *
 * Return: 0, or the reason to drop the frame. Dropping it does not fail the operation.
 */
unsigned int hc_up_refused(struct hc_member *m, int i, const struct sk_buff *skb);

/**
 * hc_down_refused() - check whether DATA from above may be received now
 * @m: the member
 * @skb: the frame
 *
 * Return: as hc_up_refused().
 */
unsigned int hc_down_refused(struct hc_member *m, const struct sk_buff *skb);

/**
 * hc_up_check() - check that DATA is the next frame of a source's stream
 * @m: the member
 * @op: its operation
 * @i: index of the source
 * @skb: the frame
 *
 * Return: 0, and the stream's position moves past the frame; -EPROTO or -ENOMEM.
 */
int hc_up_check(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb);

/**
 * hc_down_check() - check that DATA is the next frame from above
 * @m: the member
 * @op: its operation
 * @skb: the frame
 *
 * Return: as hc_up_check().
 */
int hc_down_check(struct hc_member *m, struct hc_op *op, struct sk_buff *skb);

/**
 * hc_payload_whole() - make a payload contiguous, as hc_payload() expects it
 * @skb: DATA
 *
 * Return: false if there is no memory.
 */
bool hc_payload_whole(struct sk_buff *skb);

/**
 * hc_payload_check() - check the length of a payload, and make it contiguous
 * @op: the operation. If its pieces are in pages of their own (coll/pieces.h), this function does
 *	nothing: the check of the round includes the length
 * @skb: DATA
 *
 * Return: 0, -EPROTO or -ENOMEM.
 */
int hc_payload_check(const struct hc_op *op, struct sk_buff *skb);

/**
 * hc_round_follows() - check that a DATA frame is the round (coll/chunk.h) at an offset
 * @at: the offset; moved past the round
 * @skb: DATA
 * @parts: number of parts in the contribution
 * @piece: bytes of each part in a full round
 * @len: set to the bytes of the round; the caller compares it with the length of the frame
 *
 * Return: false if the frame is not this round.
 */
bool hc_round_follows(u64 *at, const struct sk_buff *skb, u32 parts, u32 piece, u32 *len);

/* --- coll/member_sched.c --- */

/**
 * hc_member_wait() - put a waiting member into the list that the poll checks once a second
 * @m: the member
 *
 * Context: poll.
 */
void hc_member_wait(struct hc_member *m);

/**
 * hc_member_again() - make the next poll continue the work of a member
 * @m: the member, which has more to do
 *
 * Context: poll.
 */
void hc_member_again(struct hc_member *m);

/**
 * hc_member_check() - make the poll check whether a member's links are usable
 * @m: the member
 *
 * Context: configuration, or poll.
 */
void hc_member_check(struct hc_member *m);

/**
 * hc_member_forget() - remove a member from its node's lists, and do not add it again
 * @m: the member, whose plan was unpublished. After a grace period no poll finds it
 *
 * Context: configuration.
 */
void hc_member_forget(struct hc_member *m);

/* --- coll/liveness.c --- */

/**
 * hc_probe_rx() - handle PROBE
 * @m: the member
 * @skb: the frame
 */
void hc_probe_rx(struct hc_member *m, const struct sk_buff *skb);

/**
 * hc_probe_none() - make the reply to a PROBE at a node that does not have the plan
 * @node: the node
 * @skb: the PROBE
 *
 * Return: the reply, or NULL if @skb is itself a reply or there is no memory.
 */
struct sk_buff *hc_probe_none(struct hc_node *node, const struct sk_buff *skb);

/**
 * hc_stall_check() - send the control messages that a waiting member could not send before, and
 *	probe its peers
 * @m: the member
 */
void hc_stall_check(struct hc_member *m);

/* --- coll.c: sending --- */

/**
 * hc_op_note() - record the logical clock, the stage costs and the NOTIFY flag that a frame carries
 * @m: the member
 * @op: the operation
 * @skb: DATA
 */
void hc_op_note(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);

/**
 * hc_peer_xmit() - send a frame to a peer over the plan's link or detour
 * @m: the member
 * @peer: the peer
 * @skb: the frame; consumed. If a DATA or CREDIT frame cannot be sent, its operation may be
 *	gone afterwards
 *
 * Return: 0, -ENOLINK, or -ENOBUFS: there is no room for a control message.
 */
int hc_peer_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb);

/**
 * hc_relay_xmit() - send DATA to a peer
 * @m: the member
 * @peer: the peer
 * @skb: the frame; consumed
 * @others: true if the payload has data of other members, which a Byzantine node corrupts
 */
void hc_relay_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb,
		   bool others);

/**
 * hc_stage_header() - fill in the header of DATA to a peer
 * @m: the member
 * @op: the operation
 * @peer: the peer
 * @busy: modelled time until which the link to the peer is occupied, ns; set to the end of the
 *	transmission of this frame
 * @clock: logical clock of the operation. Over a link, the frame carries @clock + 1; over a detour
 *	it carries @clock, since each node on the detour adds 1
 * @skb: the frame
 */
void hc_stage_header(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer,
		     u64 *busy, u32 clock, struct sk_buff *skb);

/**
 * hc_data_header() - fill in the header of DATA to a destination
 * @m: the member
 * @op: the operation
 * @i: index of the destination
 * @skb: the frame
 */
void hc_data_header(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb);

/**
 * hc_last_xmit() - send the last DATA frame of an operation to a destination
 * @m: the member
 * @op: the operation
 * @i: index of the destination
 * @skb: the frame; consumed
 *
 * Return: false if the operation is gone.
 */
bool hc_last_xmit(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb);

/* --- coll/end.c --- */

/**
 * hc_member_destroy() - end all operations of a member, and free it
 * @m: the member
 * @status: negative errno with which operations fail, except those that the root has completed
 * @root: progress of the root, or NULL if it is not known
 *
 * Context: configuration, after a grace period.
 */
void hc_member_destroy(struct hc_member *m, int status, const struct hc_root_view *root);

/* --- coll/algo/gather.c --- */

/**
 * hc_others_end() - send an empty last frame to each effective helper but the first, which alone
 *	gets the data of this member
 * @m: the member
 * @op: the operation
 *
 * Return: false if the operation is gone.
 */
bool hc_others_end(struct hc_member *m, struct hc_op *op);

/* --- coll/algo/reduce.c --- */

/**
 * hc_segment_merge() - combine two segments with the reduce operator of the operation
 * @m: the member
 * @op: the operation
 * @acc: the segment into which the result is written; the caller still owns it
 * @in: the other segment; the caller still owns it
 * @peer: the node that has sent one of the two segments, for the trace event
 *
 * Return: 0; -EPROTO if the segments do not fit together; -ENOMEM.
 */
int hc_segment_merge(struct hc_member *m, struct hc_op *op, struct sk_buff *acc,
		     const struct sk_buff *in, u32 peer);

/* --- coll/submit.c --- */

/**
 * hc_host_again() - submit a frame that was not received through the host port
 * @m: the member
 * @skb: a frame of a contribution in the ledger, or of a contribution that the member itself makes
 *	to an agreement (coll/guard_agree.c); consumed
 *
 * Return: false if its operation has failed.
 */
bool hc_host_again(struct hc_member *m, struct sk_buff *skb);

/**
 * hc_host_waiting_refuse() - refuse the contributions that wait at a member that is being removed
 * @m: the member
 * @status: negative errno that the process gets
 */
void hc_host_waiting_refuse(struct hc_member *m, int status);

/**
 * hc_host_hold() - make the poll retry the contributions that wait at a member
 * @m: the member
 */
void hc_host_hold(struct hc_member *m);

/**
 * hc_host_resume() - after a ring repair or in a new epoch, act on a close of the socket that was
 *	postponed
 * @m: the member
 */
void hc_host_resume(struct hc_member *m);

#endif /* _HC_COLL_H */
