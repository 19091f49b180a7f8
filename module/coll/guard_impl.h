/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Guarded plans: declarations that the files coll/guard*.c share. The state belongs to the poll of
 * the member's node. Configuration accesses it only after a grace period.
 */
#ifndef _HC_GUARD_IMPL_H
#define _HC_GUARD_IMPL_H

#include "coll/guard.h"
#include "hc_coll_desc.h"

/**
 * struct hc_epoch_sets - the members after a change of the members; see coll/guard_sets.c
 * @members: set of the members after the change
 * @all: set of all nodes that have been members before or after the change
 * @lacks: true if a node of @all is not in @members
 */
struct hc_epoch_sets {
	const u32 *members;
	const u32 *all;
	bool lacks;
};

static inline struct hc_had *hc_had(struct hc_guard *g, u64 nr)
{
	return &g->had[nr % HC_GUARD_RESULTS];
}

/* Return: true if all processes are notified of the end of an operation of this collective, with or
 * without a result.
 */
static inline bool hc_all_notified(const struct hc_coll_ops *coll)
{
	const struct hc_coll_desc *t = hc_coll_desc(coll->id);

	return t->gets == HC_WHO_ALL || t->payload == HC_PAYLOAD_NONE;
}

/* Return: true if members other than the root get data of an operation of this collective, so that
 * their ledgers store it.
 */
static inline bool hc_all_keep(const struct hc_coll_ops *coll)
{
	return hc_all_notified(coll) || hc_coll_unasked(hc_coll_desc(coll->id));
}

static inline void hc_guard_phase_set(struct hc_guard *g, enum hc_guard_phase phase)
{
	WRITE_ONCE(g->phase, phase);
	g->begun = false;
}

/* --- guard_refs.c --- */

/* Bytes that are charged for a reference besides those to which it refers: as many as for a frame.
 * So a contribution is charged the same in the ledger as in frames.
 */
#define HC_REF_COST	SKB_TRUESIZE(HC_HEADROOM + HC_DATA_HEAD)

/**
 * hc_refs_init() - begin without any reference
 * @r: the references
 */
void hc_refs_init(struct hc_refs *r);

/* Can the next reference have its bytes in @r itself? Only the first one can, if it is short. */
static inline bool hc_refs_small(const struct hc_refs *r, u32 len)
{
	return !r->n && len <= sizeof(r->small);
}

/* Return: the bytes of memory that the next reference takes, if it is to @len bytes. */
static inline size_t hc_refs_cost(const struct hc_refs *r, u32 len)
{
	return hc_refs_small(r, len) ? 0 : HC_REF_COST + len;
}

/* As hc_refs_add(), for a reference that fits into @r itself. */
static inline void hc_refs_add_small(struct hc_refs *r, const void *data, u32 len)
{
	memcpy(r->small, data, len);
	r->few[0] = (struct hc_seg_ref){ .data = r->small, .len = len, .kind = HC_REF_BORROWED };
	/* The other references of @few would be in the place of @small. */
	r->room = 1;
	r->n = 1;
}

/* As hc_refs_add(), for a reference that does not fit into @r itself. */
bool hc_refs_add_long(const struct hc_fabric *fabric, struct hc_refs *r, struct hc_seg_ref ref);

/**
 * hc_refs_add() - add a reference
 * @fabric: the fabric
 * @r: the references
 * @ref: the bytes; their page is shared, or they are copied
 *
 * Return: false if there is no memory.
 */
static inline bool hc_refs_add(const struct hc_fabric *fabric, struct hc_refs *r,
			       struct hc_seg_ref ref)
{
	if (!hc_refs_small(r, ref.len))
		return hc_refs_add_long(fabric, r, ref);
	hc_refs_add_small(r, ref.data, ref.len);
	return true;
}

/* As hc_refs_drop(), for references that own memory. */
void hc_refs_free(struct hc_refs *r);

/**
 * hc_refs_drop() - drop all references
 * @r: the references
 */
static inline void hc_refs_drop(struct hc_refs *r)
{
	if (r->bytes)
		hc_refs_free(r);
	r->n = 0;
	r->room = HC_REFS_FEW;
}

/* --- guard_keep.c --- */

/**
 * hc_given_drop() - remove a contribution from the ledger
 * @g: the ledger
 * @k: the contribution; nothing happens if the entry holds none
 */
void hc_given_drop(struct hc_guard *g, struct hc_given *k);

/**
 * hc_given_notify() - notify the process that a contribution has ended
 * @m: the member
 * @nr: number of the operation; nothing happens if the process has not contributed to it
 * @end: cause of the end
 */
void hc_given_notify(struct hc_member *m, u64 nr, const struct hc_end *end);

/**
 * hc_given_fail() - end contributions that fail with an END
 * @m: the member
 * @end_nr: number of the END
 * @nr: number of the operation of the first of these contributions
 * @end: cause of the end
 * @nrs: state of the numbers under which processes are notified
 *
 * Return: true if there was such a contribution.
 */
bool hc_given_fail(struct hc_member *m, u64 end_nr, u64 nr, const struct hc_end *end,
		   struct hc_failed_nrs *nrs);

/**
 * hc_given_end() - end all contributions from an operation number on
 * @m: the member
 * @nr: the number
 * @end: cause of the end
 *
 * Return: true if there was such a contribution.
 */
bool hc_given_end(struct hc_member *m, u64 nr, const struct hc_end *end);

/**
 * hc_given_frame() - give a frame the headers of a contribution of the member's process
 * @k: the contribution
 * @skb: the frame, with its payload
 * @at: offset of the payload in the contribution
 * @last: the frame is the last one
 *
 * The frame is charged to the process's socket, as the contribution is.
 */
void hc_given_frame(const struct hc_given *k, struct sk_buff *skb, u64 at, bool last);

/**
 * hc_had_keep() - keep the next bytes of a result, charged to the fabric
 * @g: the ledger
 * @h: the entry, which becomes @lost if there is no memory
 * @ref: the bytes
 */
void hc_had_keep(struct hc_guard *g, struct hc_had *h, struct hc_seg_ref ref);

/**
 * hc_had_uncharge() - undo the charge for bytes of results
 * @g: the ledger
 * @bytes: bytes of memory
 */
void hc_had_uncharge(struct hc_guard *g, size_t bytes);

/**
 * hc_had_drop() - drop the bytes of a kept result
 * @g: the ledger
 * @h: the entry of the result
 */
static inline void hc_had_drop(struct hc_guard *g, struct hc_had *h)
{
	if (h->refs.bytes)
		hc_had_uncharge(g, h->refs.bytes);
	hc_refs_drop(&h->refs);
}

/**
 * hc_had_begin() - begin the ledger entry of an operation that has ended
 * @g: the ledger
 * @nr: number of the operation
 *
 * Return: the entry, which has neither a result nor a failure yet.
 */
static inline struct hc_had *hc_had_begin(struct hc_guard *g, u64 nr)
{
	struct hc_had *h = hc_had(g, nr);

	hc_had_drop(g, h);
	h->end = (struct hc_end){ .node = HC_CAUSE_NONE, .dim = HC_CAUSE_NONE };
	h->nr = nr;
	h->bytes = 0;
	h->piece = 0;
	h->change = 0;
	h->cut = 0;
	h->used = true;
	h->lost = false;
	return h;
}

/**
 * hc_result_names() - make the last skb of a result's record, which contains the set of those
 *	members that have not contributed to the result
 * @m: the member
 * @op: the operation
 * @sets: the members with which the result was computed
 *
 * Return: the frame, or NULL: no memory.
 */
struct sk_buff *hc_result_names(struct hc_member *m, struct hc_op *op,
				const struct hc_epoch_sets *sets);

/* --- guard_give.c --- */

/**
 * hc_had_give() - pass the stored result of the operation of a contribution to the process
 * @m: the member
 * @op: the operation with which the members distribute the result
 * @k: the contribution
 * @h: the result. If it is missing, or if there is no memory, the process is notified of a failure
 */
void hc_had_give(struct hc_member *m, struct hc_op *op, const struct hc_given *k,
		 const struct hc_had *h);
/* Pass the stored message of a broadcast to a process that only receives, or notify it of the
 * failure of the operation.
 */
void hc_had_receive(struct hc_member *m, struct hc_op *op, const struct hc_had *h);
/* Notify a process, which only receives, that operation @nr has ended with @end: by record @rec, or
 * by a new record if @rec is NULL.
 */
void hc_receiver_notify(struct hc_member *m, u64 nr, const struct hc_end *end,
			const struct hc_rec *rec);
/* Return: true if the process must be notified of the end of an operation to which it has not
 * contributed.
 */
bool hc_guard_hears(const struct hc_member *m);
/* Notify the process that operation @nr, to which it has not contributed, has ended with @end. A
 * process that only receives is notified at once, another one when it contributes next.
 */
void hc_guard_miss(struct hc_member *m, u64 nr, const struct hc_end *end);

/* --- guard_sets.c --- */

/**
 * hc_epoch_sets() - find the members after a change
 * @plan: the plan
 * @change: number of the change
 * @sets: filled in
 *
 * Return: false if the change is not recorded any more.
 */
bool hc_epoch_sets(const struct hc_plan *plan, u32 change, struct hc_epoch_sets *sets);

/**
 * hc_epoch_change() - find the last change of the members up to an epoch
 * @plan: the plan
 * @epoch: the epoch
 *
 * Return: number of the change, or 0 if it is not recorded any more.
 */
u32 hc_epoch_change(const struct hc_plan *plan, u32 epoch);

/**
 * struct hc_cut - state of cutting a stored contribution for the present members; see
 *	coll/guard_cut.c
 * @k: the contribution
 * @was: set of the members for each of which the contribution has a part, or NULL if it has no
 *	parts
 * @part: bytes of a part; all bytes of the contribution if it has no parts
 * @total: bytes of the new contribution
 * @at: bytes of the new contribution that have been put into frames
 * @frame: bytes of the longest payload of a frame
 * @apart: true if no frame may have bytes of two parts
 * @node: the member whose part is next
 * @done: bytes of the part for @node that have been put into frames
 * @ref: index of the reference that was read last
 * @begin: offset of its bytes in the kept contribution
 */
struct hc_cut {
	const struct hc_given *k;
	const u32 *was;
	u64 part;
	u64 total;
	u64 at;
	u32 frame;
	bool apart;
	u32 node;
	u64 done;
	u32 ref;
	u64 begin;
};

/* --- guard_cut.c --- */

/**
 * hc_given_fits() - check whether a contribution can be submitted as it is stored
 * @m: the member
 * @k: the contribution
 *
 * Return: true if it can.
 */
bool hc_given_fits(const struct hc_member *m, const struct hc_given *k);

/**
 * hc_cut_begin() - begin to cut a contribution that cannot be submitted as it is stored
 * @m: the member
 * @k: the contribution
 * @c: filled in
 *
 * Return: 0, or a negative errno if it cannot be cut.
 */
int hc_cut_begin(const struct hc_member *m, const struct hc_given *k, struct hc_cut *c);

/**
 * hc_cut_next() - make the next frame of a contribution that is being cut
 * @m: the member
 * @c: the state; after the last frame, .at is equal to .total
 *
 * Return: the frame, or NULL: no memory.
 */
struct sk_buff *hc_cut_next(const struct hc_member *m, struct hc_cut *c);

/**
 * hc_given_may() - check whether a stored contribution may be submitted in the present plan
 * @m: the member
 * @k: the contribution
 * @end: set to the reason if it may not
 *
 * Return: true if it may.
 */
bool hc_given_may(const struct hc_member *m, const struct hc_given *k, struct hc_end *end);

/* --- guard_agree.c --- */

/**
 * hc_step_begin() - begin the next operation with which the members agree
 * @m: the member. If there is no memory, hc_guard.begun stays false
 */
void hc_step_begin(struct hc_member *m);

/**
 * hc_step_took() - process the next frame of the result of an operation with which the members
 *	agree
 * @m: the member
 * @op: the operation
 * @skb: the frame; consumed
 * @last: the frame is the last one
 *
 * Return: false if the operation is gone.
 */
bool hc_step_took(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);

#endif /* _HC_GUARD_IMPL_H */
