/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans for all machines that hold a part of a fabric: two-phase commit over trunks.
 *
 * Each step of a request is a wave: a machine that is asked for the first time asks all its other
 * neighbours, and answers when all of these have (the echo algorithm), or when one has refused to
 * prepare.  What comes by another way meanwhile stands for the answer of who has sent it.  So every
 * machine that trunks lead to is asked once, by whatever way, and whoever has begun the wave has
 * one answer for all.
 *
 *	PREPARE		each machine verifies and makes the plan for itself, nobody sees it;
 *			answered with the greatest epoch there has been
 *	SWITCH		all could: the plan is published, with an epoch above all of these;
 *			contributions wait
 *	OPEN		it is published everywhere: contributions go on
 *	BREAK		instead of that: somebody was lost meanwhile, or has not published it, so
 *			the plan is a broken one
 *	DROP		instead of all three: somebody could not
 *
 * A machine works on one request at a time, and refuses others meanwhile, those of its own
 * included.  Nobody waits for ever: a wave whose answers do not come in time ends with an error
 * that names the silent machine, and time-outs get shorter from machine to machine, so that it is
 * that one.  A machine that has prepared and hears no decision drops what it has, one that has
 * published breaks it.  Decisions go over all trunks, so a machine that does not hear of one is one
 * that nothing leads to.  If it has dropped what others have published, they know that before the
 * first contribution: no operation waits for a machine that does not know its plan.
 */
#ifndef _HC_COMMIT_H
#define _HC_COMMIT_H

#include <linux/types.h>
#include <linux/workqueue.h>

#include "wire_trunk.h"

struct hc_fabric;
struct hc_plan;
struct hc_plan_params;
struct hc_trunk;
struct hc_trunk_note;
struct netlink_ext_ack;

/* Requests that are remembered when they are over. */
#define HC_COMMITS_KEPT	16

/**
 * struct hc_commit_id - which request
 * @nr: its number
 * @origin: the lowest node of the machine that has begun it
 */
struct hc_commit_id {
	u32 nr;
	u16 origin;
};

/**
 * struct hc_commit_verdict - why something cannot be done
 * @error: a negative errno, or 0
 * @fixed: bits that the nodes of the machine that says so share
 * @base: what they are
 * @why: in a sentence
 */
struct hc_commit_verdict {
	int error;
	u16 fixed;
	u16 base;
	char why[HC_WHY_MAX];
};

/**
 * struct hc_commit_outcome - what has become of a request of this machine
 * @over: it is over
 * @error: 0 or a negative errno
 * @text: that in a sentence, with the machine's nodes
 */
struct hc_commit_outcome {
	bool over;
	int error;
	char text[HC_WHY_MAX + 64];
};

/**
 * struct hc_commit - the request that a machine works on; under hc_fabric.lock
 * @busy: there is one
 * @mine: it is of this machine
 * @waits: answers of the present wave are awaited, see hc_trunk.awaited
 * @step: the present wave's; enum hc_commit_step
 * @what: enum hc_commit_what
 * @id: which request
 * @plan_id: of which plan
 * @epoch: of the plan, 0: the next one
 * @last: the greatest epoch that was told
 * @parent: whom to answer, or NULL
 * @plan: prepared or published, or NULL
 * @nodes: those of all machines that have answered PREPARE, this one included
 * @verdict: the first one
 * @outcome: where the asker finds it, or NULL
 * @next: number of the next request of this machine
 * @over: requests that are over
 * @done: had they effect?  A bit for each
 * @nover: how many there have been
 * @expires: when the wave is given up, or the wait for the next one
 * @timer: looks at that
 */
struct hc_commit {
	bool busy;
	bool mine;
	bool waits;
	u8 step;
	u8 what;
	struct hc_commit_id id;
	u32 plan_id;
	u32 epoch;
	u32 last;
	struct hc_trunk *parent;
	struct hc_plan *plan;
	u32 *nodes;
	struct hc_commit_verdict verdict;
	struct hc_commit_outcome *outcome;
	u32 next;
	struct hc_commit_id over[HC_COMMITS_KEPT];
	unsigned long done;
	u32 nover;
	unsigned long expires;
	struct delayed_work timer;
};

/* "10XX": the nodes that share the bits @fixed, which are @base; a character for each dimension. */
void hc_part_text(const struct hc_fabric *fabric, u32 fixed, u32 base, char *to);

void hc_commit_init(struct hc_fabric *fabric);
/* The fabric is dead and its trunks are gone; the latter under its lock, before plans go. */
void hc_commit_stop(struct hc_fabric *fabric);
void hc_commit_exit(struct hc_fabric *fabric);

/* The rest under the fabric's lock. */
/* Is another machine within reach? */
bool hc_commit_reaches(const struct hc_fabric *fabric);
/* May plans be changed now?  0 or -EBUSY. */
int hc_commit_idle(const struct hc_fabric *fabric, struct netlink_ext_ack *extack);
/* Begin to install a plan everywhere, or to remove it.  0: @outcome tells the rest, until it is
 * forgotten; or an error.
 */
int hc_commit_new(struct hc_fabric *fabric, const struct hc_plan_params *p,
		  struct hc_commit_outcome *outcome, struct netlink_ext_ack *extack);
int hc_commit_del(struct hc_fabric *fabric, u32 plan, struct hc_commit_outcome *outcome,
		  struct netlink_ext_ack *extack);
/* Nobody wants to know any more: nothing is done, unless it is decided already. */
void hc_commit_forget(struct hc_fabric *fabric, const struct hc_commit_outcome *outcome);
void hc_commit_trunk_gone(struct hc_trunk *trunk);

/* --- for the work that receives, without that lock --- */
/* May a note of this kind have so many bytes? */
bool hc_commit_fits(const struct hc_fabric *fabric, u8 what, u32 len);
void hc_commit_heard(struct hc_trunk *trunk, const struct hc_trunk_note *note);

#endif /* _HC_COMMIT_H */
