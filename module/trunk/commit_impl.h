/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the files of requests to all machines have in common: commit.c does them, commit_heard.c
 * takes what others ask and answer, commit_note.c says it.  All under hc_fabric.lock.
 */
#ifndef _HC_COMMIT_IMPL_H
#define _HC_COMMIT_IMPL_H

#include <linux/types.h>

#include "trunk/commit.h"

/* ms for all answers to a wave; each machine has an eighth less than who asks it. */
#define HC_WAVE_TIME	5000

static inline bool hc_commit_is(const struct hc_commit_id *a, const struct hc_commit_id *b)
{
	return a->nr == b->nr && a->origin == b->origin;
}

/* --- commit.c --- */
/* The request among those that are over, or NULL. */
const struct hc_commit_id *hc_commit_over(const struct hc_commit *c, const struct hc_commit_id *id);
/* Work on it from now on: 0 or -ENOMEM. */
int hc_commit_begin(struct hc_fabric *fabric, const struct hc_commit_id *id, u8 what, u32 plan_id,
		    u32 epoch);
void hc_commit_finish(struct hc_fabric *fabric);
/* Verify and make a plan that is to be, if all can. */
int hc_commit_prepare(struct hc_fabric *fabric, const struct hc_plan_params *p,
		      struct netlink_ext_ack *extack);
/* Take a step here: publish or remove the plan, open it, give it up, or break it for the machine of
 * node @lost.
 */
void hc_commit_do(struct hc_fabric *fabric, u8 step, u32 lost);
/* Ask all neighbours but @parent; consumes @note, NULL: there was no memory. */
void hc_commit_wave(struct hc_fabric *fabric, u8 step, struct hc_trunk_note *note,
		    struct hc_trunk *parent, u32 left);
/* Go on if all have answered, or one has refused what is to be prepared. */
void hc_commit_check(struct hc_fabric *fabric);
/* Does it matter in this step if somebody cannot? */
bool hc_commit_counts(const struct hc_commit *c);

/* --- commit_note.c --- */
/* The first one counts; @why is copied, NULL: none is told.  Nodes: hc_fabric.fixed, .base. */
void hc_commit_refuse(struct hc_commit_verdict *v, int error, u32 fixed, u32 base,
		      const char *why);
/* This machine says so, or the one at the other end of a trunk does not answer. */
void hc_commit_refuse_here(const struct hc_fabric *fabric, struct hc_commit_verdict *v, int error,
			   const char *why);
void hc_commit_refuse_far(const struct hc_trunk *trunk, struct hc_commit_verdict *v, int error,
			  const char *why);
/* The error that goes by this number. */
int hc_commit_error(u8 index);
/* Bytes of an answer to a step. */
u32 hc_commit_answer_len(const struct hc_fabric *fabric, u8 step);
/* Answer step @step of a request; @nodes: the machines that are in the answer, or NULL; @last: the
 * greatest epoch.
 */
void hc_commit_answer(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step,
		      const struct hc_commit_verdict *v, const u32 *nodes, u32 last);
/* Nothing against it, and nothing new. */
void hc_commit_answer_again(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step);
void hc_commit_answer_no(struct hc_trunk *trunk, const struct hc_commit_id *id, u8 step, int error,
			 const char *why);
/* The present request as it goes on, with room for @more bytes of a plan behind it; or NULL. */
struct hc_trunk_note *hc_commit_ask_new(const struct hc_fabric *fabric, u8 step, u32 left, u32 hops,
					u32 more);

#endif /* _HC_COMMIT_IMPL_H */
