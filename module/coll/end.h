/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How operations fail: what the files coll/end*.c share.
 */
#ifndef _HC_COLL_END_H
#define _HC_COLL_END_H

#include "coll/coll.h"

/* --- end.c --- */
void hc_end_none(struct hc_end *end);
/* Makes *@end the least of both.  What breaks the plan is the cause, whatever else has failed.
 * False: it was known.
 */
bool hc_end_join(struct hc_end *end, const struct hc_end *more);
/* Is there one that decides? */
bool hc_has_root(const struct hc_member *m);
/* From @nr on nothing is worked on any more.  Processes hear of that when all below has ended. */
void hc_ops_fall(struct hc_member *m, u64 nr);
/* The first operation that may have no result here. */
u64 hc_first_open(const struct hc_member *m);
/* Source @i is in the generation of the member, or does not count any more. */
void hc_source_moved(struct hc_member *m, unsigned int i);
/* END of the next generation has come from peer @i before the member is there. */
void hc_early_note(struct hc_member *m, const struct hc_end *end, unsigned int i);

/* --- end_words.c --- */
/* False: there is no memory, or no room. */
bool hc_end_word_send(struct hc_member *m, const struct hc_tree_peer *peer, u8 type, u32 gen,
		      const struct hc_end *end);
/* To all peers below.  False: the same. */
bool hc_end_down(struct hc_member *m, u32 gen, const struct hc_end *end);
/* HC_UNSAID_*: now, or as soon as that can be. */
void hc_end_say(struct hc_member *m, u8 what);

/* --- end_root.c --- */
/* Something asks for END. */
void hc_stop_note(struct hc_member *m, const struct hc_end *stop);
/* Does the member fail to take, or to pass on, what has come down? */
bool hc_on_way_down(const struct hc_member *m, u64 nr);
/* What a frame says, which the functions may change.  0, or why it is not believed. */
unsigned int hc_stop_rx(struct hc_member *m, const struct sk_buff *skb, struct hc_end *stop);
unsigned int hc_end_rx_down(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end);

/* --- end_flood.c --- */
/* There is an END, or something asks for it, which is the same here. */
void hc_end_note(struct hc_member *m, const struct hc_end *end);
/* As hc_end_rx_down(). */
unsigned int hc_end_rx_peer(struct hc_member *m, u32 src, s32 ahead, struct hc_end *end);

#endif /* _HC_COLL_END_H */
