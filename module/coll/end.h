/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How operations fail: declarations that the files coll/end*.c share.
 */
#ifndef _HC_COLL_END_H
#define _HC_COLL_END_H

#include "coll/coll.h"

/* --- end.c --- */

/**
 * hc_end_none() - set an END to "no operation fails"
 * @end: the END
 */
void hc_end_none(struct hc_end *end);

/**
 * hc_end_join() - set an END to the lower one of two
 * @end: the END that is changed
 * @more: the other END. If it breaks the plan (HC_STOP_F_OVER), its cause is taken, too
 *
 * Return: false if nothing has changed.
 */
bool hc_end_join(struct hc_end *end, const struct hc_end *more);

/**
 * hc_has_root() - check whether a plan has a root, which decides the outcomes of all operations
 * @m: a member of the plan
 *
 * Return: true if it has.
 */
bool hc_has_root(const struct hc_member *m);

/* --- end_gen.c --- */

/**
 * hc_ops_fall() - stop the work on all operations from a number on
 * @m: the member
 * @nr: the first of these operations. Their processes are notified when all operations below @nr
 *	have ended
 */
void hc_ops_fall(struct hc_member *m, u64 nr);

/**
 * hc_first_open() - find the first operation of which this member may not have the complete result
 * @m: the member
 *
 * Return: its number.
 */
u64 hc_first_open(const struct hc_member *m);

/**
 * hc_source_moved() - record that the member does not wait for a source any more, which is in the
 *	member's generation or is not waited for
 * @m: the member
 * @i: index of the source
 */
void hc_source_moved(struct hc_member *m, unsigned int i);

/**
 * hc_early_note() - record an END of the next generation
 * @m: the member, whose generation is the one before
 * @end: the END
 * @i: index of the peer that sent it
 */
void hc_early_note(struct hc_member *m, const struct hc_end *end, unsigned int i);

/* --- end_words.c --- */

/**
 * hc_end_word_send() - send STOP or END to a peer
 * @m: the member
 * @peer: the peer
 * @type: HC_FRAME_STOP or HC_FRAME_END
 * @gen: generation
 * @end: contents
 *
 * Return: false if there is no memory, or no room.
 */
bool hc_end_word_send(struct hc_member *m, const struct hc_tree_peer *peer, u8 type, u32 gen,
		      const struct hc_end *end);

/**
 * hc_end_down() - send END to all sources
 * @m: the member
 * @gen: generation
 * @end: contents
 *
 * Return: false if it could not be sent to all sources.
 */
bool hc_end_down(struct hc_member *m, u32 gen, const struct hc_end *end);

/**
 * hc_end_say() - send control messages; those for which there is no memory or room are sent later
 * @m: the member
 * @what: mask of the messages: HC_UNSAID_*
 */
void hc_end_say(struct hc_member *m, u8 what);

/* --- end_root.c --- */

/**
 * hc_stop_note() - record a STOP whose cause this member has found
 * @m: the member
 * @stop: the STOP
 */
void hc_stop_note(struct hc_member *m, const struct hc_end *stop);

/**
 * hc_on_way_down() - check whether the result of a failed operation has been sent down to some
 *	members
 * @m: the member at which the operation has failed
 * @nr: number of the operation
 *
 * Return: true if it has; then the failure breaks the plan.
 */
bool hc_on_way_down(const struct hc_member *m, u64 nr);

/**
 * hc_stop_rx() - handle STOP of a source
 * @m: the member
 * @skb: the frame
 * @stop: its contents; may be changed
 *
 * Return: 0, or the reason to drop the frame.
 */
unsigned int hc_stop_rx(struct hc_member *m, const struct sk_buff *skb, struct hc_end *stop);

/**
 * hc_end_rx_down() - handle END of a destination
 * @m: the member
 * @src: the node that sent it
 * @ahead: generation of the frame minus that of the member
 * @end: its contents; may be changed
 *
 * Return: 0, or the reason to drop the frame.
 */
unsigned int hc_end_rx_down(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end);

/* --- end_flood.c --- */

/**
 * hc_flood_stop() - record a STOP in a plan without a root
 * @m: the member
 * @kind: kind of the STOP
 * @stop: the STOP
 */
void hc_flood_stop(struct hc_member *m, enum hc_stop kind, const struct hc_end *stop);

/**
 * hc_end_note() - record an END, or a hard STOP, in a plan without a root
 * @m: the member
 * @end: the END; sent to all peers if its number is lower than that of the END that this member has
 */
void hc_end_note(struct hc_member *m, const struct hc_end *end);

/**
 * hc_end_rx_peer() - handle END of a peer in a plan without a root
 * @m: the member
 * @src: the node that sent it
 * @ahead: generation of the frame minus that of the member
 * @end: its contents; may be changed
 *
 * Return: 0, or the reason to drop the frame.
 */
unsigned int hc_end_rx_peer(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end);

#endif /* _HC_COLL_END_H */
