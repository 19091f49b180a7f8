/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the files that implement requests to all machines (commit.h): commit.c has the steps,
 * commit_rx.c processes questions and answers of other machines, commit_msg.c makes questions and
 * answers. The caller of each function must hold hc_fabric.lock.
 */
#ifndef _HC_COMMIT_IMPL_H
#define _HC_COMMIT_IMPL_H

#include <linux/types.h>

#include "trunk/commit.h"

/* ms in which all answers to a wave must arrive at the machine that has begun it. At each other
 * machine the time is an eighth shorter than at the machine from which it has received the
 * question.
 */
#define HC_WAVE_TIME	5000

/* Most by which an epoch that another machine names may exceed the fabric's last epoch. The bound
 * is needed since plans compare epochs modulo 2^32.
 */
#define HC_EPOCHS_AHEAD	(1U << 24)

/* Return: true if both identify the same request. */
static inline bool hc_commit_is(const struct hc_commit_id *a, const struct hc_commit_id *b)
{
	return a->nr == b->nr && a->origin == b->origin;
}

/* --- commit.c --- */

/**
 * hc_commit_over() - find a request among those that have ended
 * @c: the fabric's requests
 * @id: identifies the request
 *
 * Return: the request's entry in @c->over, or NULL if it is not among the last ones that have ended
 */
const struct hc_commit_id *hc_commit_over(const struct hc_commit *c, const struct hc_commit_id *id);

/**
 * hc_commit_begin() - make a request the present one
 * @fabric: the fabric
 * @id: identifies the request
 * @what: enum hc_commit_what
 * @plan_id: id of the plan
 * @epoch: epoch of the plan, 0: the next one
 *
 * Return: 0 or -ENOMEM
 */
int hc_commit_begin(struct hc_fabric *fabric, const struct hc_commit_id *id, u8 what, u32 plan_id,
		    u32 epoch);

/**
 * hc_commit_finish() - end the present request; if this machine has begun it, fill in its outcome
 * @fabric: the fabric
 */
void hc_commit_finish(struct hc_fabric *fabric);

/**
 * hc_commit_prepare() - verify and make a plan, without publishing it
 * @fabric: the fabric
 * @p: the plan
 * @extack: set to a sentence on error
 *
 * Return: 0 or -errno
 */
int hc_commit_prepare(struct hc_fabric *fabric, const struct hc_plan_params *p,
		      struct netlink_ext_ack *extack);

/**
 * hc_commit_do() - carry out a step on this machine
 * @fabric: the fabric
 * @step: SWITCH publishes or removes the plan, OPEN opens it, DROP drops it, BREAK breaks it
 * @lost: for BREAK: a node of the machine that was lost
 */
void hc_commit_do(struct hc_fabric *fabric, u8 step, u32 lost);

/**
 * hc_commit_wave() - begin a wave: send a question over all established trunks
 * @fabric: the fabric
 * @step: the step
 * @note: the question; consumed. NULL: there was no memory for it, so this machine refuses
 * @parent: the trunk over which this machine has received the question, and over which it is not
 *	sent; or NULL
 * @left: ms to wait for answers
 */
void hc_commit_wave(struct hc_fabric *fabric, u8 step, struct hc_trunk_note *note,
		    struct hc_trunk *parent, u32 left);

/**
 * hc_commit_check() - end the present wave if all neighbours have answered, or if a machine has
 *	refused to prepare the plan
 * @fabric: the fabric
 */
void hc_commit_check(struct hc_fabric *fabric);

/**
 * hc_commit_counts() - check whether a refusal has an effect in the present step
 * @c: the fabric's requests
 *
 * Return: true if so
 */
bool hc_commit_counts(const struct hc_commit *c);

/* --- commit_msg.c --- */

/**
 * hc_commit_refuse() - record a refusal, unless one is recorded already
 * @v: the record
 * @error: a negative errno
 * @fixed: subcube mask of the machine that refuses
 * @base: subcube value of the machine that refuses
 * @why: the reason, a sentence, which is copied; NULL: not known
 */
void hc_commit_refuse(struct hc_commit_refusal *v, int error, u32 fixed, u32 base,
		      const char *why);

/**
 * hc_commit_refuse_here() - record that this machine refuses
 * @fabric: the fabric
 * @v: the record
 * @error: a negative errno
 * @why: a sentence, or NULL
 */
void hc_commit_refuse_here(const struct hc_fabric *fabric, struct hc_commit_refusal *v, int error,
			   const char *why);

/**
 * hc_commit_refuse_remote() - record as a refusal that the machine at the other end of a trunk does
 *	not answer
 * @trunk: the trunk
 * @v: the record
 * @error: a negative errno
 * @why: a sentence
 */
void hc_commit_refuse_remote(const struct hc_trunk *trunk, struct hc_commit_refusal *v, int error,
			     const char *why);

/**
 * hc_commit_error() - decode the error in an answer
 * @index: hc_wire_answer.error
 *
 * Return: the negative errno
 */
int hc_commit_error(u8 index);

/**
 * hc_commit_answer_len() - get the length of an answer
 * @fabric: the fabric
 * @step: the step to which the answer belongs
 *
 * Return: bytes
 */
u32 hc_commit_answer_len(const struct hc_fabric *fabric, u8 step);

/**
 * hc_commit_answer() - answer a question of another machine
 * @trunk: the trunk over which the question was received
 * @id: identifies the request
 * @step: the step to which the answer belongs
 * @v: the first refusal, or an empty one (.error is 0)
 * @nodes: bitmap of the nodes of all machines for which this is the answer, or NULL
 * @last: the greatest epoch of any plan on these machines
 */
void hc_commit_answer(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step,
		      const struct hc_commit_refusal *v, const u32 *nodes, u32 last);

/**
 * hc_commit_answer_again() - answer a repeated question, with no refusal and no nodes
 * @trunk: the trunk over which the question was received
 * @id: identifies the request
 * @step: the step to which the answer belongs
 */
void hc_commit_answer_again(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step);

/**
 * hc_commit_answer_no() - answer a question with a refusal of this machine
 * @trunk: the trunk over which the question was received
 * @id: identifies the request
 * @step: the step to which the answer belongs
 * @error: a negative errno
 * @why: a sentence, or NULL
 */
void hc_commit_answer_no(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step, int error,
			 const char *why);

/**
 * hc_commit_ask_new() - make a question about the present request
 * @fabric: the fabric
 * @step: the step
 * @left: ms in which the receiver is to answer
 * @hops: number of machines that have forwarded the question
 * @more: bytes to allocate for a plan behind struct hc_wire_ask
 *
 * Return: the record, or NULL if there is no memory
 */
struct hc_trunk_note *hc_commit_ask_new(const struct hc_fabric *fabric, u8 step, u32 left, u32 hops,
					u32 more);

#endif /* _HC_COMMIT_IMPL_H */
