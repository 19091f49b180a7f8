/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Plans for all machines that have nodes of a fabric: two-phase commit over trunks.
 *
 * A request installs or removes a plan. Each of its steps is a wave (the echo algorithm) of
 * questions (ASK records) and answers (ANSWER records). A machine that receives a question for the
 * first time sends it to all its other neighbours. It answers when all of these have answered, or
 * when one of them has refused to prepare the plan. If it receives the same question from a
 * neighbour to which it has sent the question, that counts as this neighbour's answer. So every
 * machine to which a path of trunks leads takes part in the wave once, and the machine that has
 * begun the wave gets one answer for all of them from each neighbour.
 *
 *	PREPARE		each machine verifies and makes its own members of the plan, but does not
 *			publish the plan; it answers with the greatest epoch that a plan has had
 *	SWITCH		all machines could prepare: they publish the plan, with an epoch above all
 *			epochs in the answers; contributions wait
 *	OPEN		all machines have published the plan: contributions go on
 *	BREAK		instead of OPEN: a machine was lost meanwhile, or has not published the
 *			plan, so the plan is broken on all machines
 *	DROP		instead of SWITCH: a machine could not prepare the plan
 *
 * A machine works on one request at a time, and refuses other requests meanwhile, its own included.
 * No machine waits for ever: a wave whose answers do not arrive in time ends with an error that
 * names the silent machine. (The error names the right machine, since time-outs get shorter from
 * machine to machine.) A machine that receives no decision drops the plan if it has only prepared
 * it, and breaks it if it has published it. Decisions are sent over all trunks, so only a machine
 * to which no trunk leads misses a decision. If such a machine has dropped a plan that others have
 * published, the others detect that before the first contribution: no operation waits for a machine
 * that does not have the operation's plan.
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

/* Number of ended requests that a machine remembers. */
#define HC_COMMITS_KEPT	16

/**
 * struct hc_commit_id - identifies a request
 * @nr: number of the request, chosen by the machine that has begun it
 * @origin: the lowest node of the machine that has begun the request
 */
struct hc_commit_id {
	u32 nr;
	u16 origin;
};

/**
 * struct hc_commit_refusal - why a request cannot be fulfilled
 * @error: a negative errno; 0: no machine has refused
 * @fixed: subcube mask of the machine that refuses
 * @base: subcube value of the machine that refuses
 * @why: the reason, a sentence
 */
struct hc_commit_refusal {
	int error;
	u16 fixed;
	u16 base;
	char why[HC_WHY_MAX];
};

/**
 * struct hc_commit_outcome - outcome of a request that this machine has begun
 * @over: the request has ended
 * @error: 0 or a negative errno
 * @text: the error in a sentence, with the nodes of the machine that refused
 */
struct hc_commit_outcome {
	bool over;
	int error;
	char text[HC_WHY_MAX + 64];
};

/**
 * struct hc_commit - the request that a machine works on; under hc_fabric.lock
 * @fabric: the fabric; constant
 * @busy: a request is under way; the next members, up to @outcome, belong to it
 * @mine: this machine has begun the request
 * @waits: answers to the present wave are awaited, see hc_trunk.awaited
 * @step: step of the present wave; enum hc_commit_step
 * @what: enum hc_commit_what
 * @id: identifies the request
 * @plan_id: id of the plan
 * @epoch: epoch of the plan, 0: the next one
 * @last: the greatest epoch that a machine has reported
 * @parent: trunk over which the question was received and is to be answered, or NULL
 * @plan: the plan, prepared or published, or NULL
 * @nodes: bitmap of the nodes of this machine and of all machines that have answered PREPARE
 * @refusal: the first refusal
 * @outcome: filled in for the requester when the request has ended, or NULL
 * @next: number of the next request that this machine begins
 * @over: identifies the last requests that have ended
 * @done: bit i: request @over[i] took effect
 * @nover: number of requests that have ended
 * @refused: when this machine has last refused a request of its own because a request of another
 *	machine was under way, jiffies; 0: it has refused none since it could last begin one
 * @expires: when the present wave, or the wait for the next step, times out, jiffies
 * @timer: runs at @expires
 */
struct hc_commit {
	struct hc_fabric *fabric;
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
	struct hc_commit_refusal refusal;
	struct hc_commit_outcome *outcome;
	u32 next;
	struct hc_commit_id over[HC_COMMITS_KEPT];
	unsigned long done;
	u32 nover;
	unsigned long refused;
	unsigned long expires;
	struct delayed_work timer;
};

/**
 * hc_part_text() - write a subcube as text, such as "10XX"
 * @fabric: the fabric
 * @fixed: subcube mask
 * @base: subcube value
 * @to: filled in: a character for each dimension, and a terminating 0
 *
 * Context: any
 */
void hc_part_text(const struct hc_fabric *fabric, u32 fixed, u32 base, char *to);

/**
 * hc_commit_init() - prepare the requests of a new fabric
 * @fabric: the fabric
 *
 * Context: config
 */
void hc_commit_init(struct hc_fabric *fabric);

/**
 * hc_commit_stop() - stop the timer of requests
 * @fabric: the fabric
 *
 * Context: process, after all trunks of a dead fabric have been freed
 */
void hc_commit_stop(struct hc_fabric *fabric);

/**
 * hc_commit_exit() - end the present request, if there is one
 * @fabric: the fabric
 *
 * Context: config, under hc_fabric.lock, before plans are freed
 */
void hc_commit_exit(struct hc_fabric *fabric);

/**
 * hc_commit_reaches() - check whether an established trunk leads to another machine
 * @fabric: the fabric
 *
 * Context: config, under hc_fabric.lock
 * Return: true if so
 */
bool hc_commit_reaches(const struct hc_fabric *fabric);

/**
 * hc_commit_idle() - check that no request to all machines is under way, so that one may begin
 * @fabric: the fabric
 * @extack: set to a sentence on error, or NULL
 *
 * Context: config, under hc_fabric.lock
 * Return: 0 or -EBUSY
 */
int hc_commit_idle(const struct hc_fabric *fabric, struct netlink_ext_ack *extack);

/**
 * hc_commit_new() - begin to install a plan on all machines
 * @fabric: the fabric
 * @p: the plan
 * @outcome: filled in when the request has ended, unless hc_commit_forget() is called before
 * @extack: set to a sentence on error, or NULL
 *
 * Context: config, under hc_fabric.lock
 * Return: 0 or -errno
 */
int hc_commit_new(struct hc_fabric *fabric, const struct hc_plan_params *p,
		  struct hc_commit_outcome *outcome, struct netlink_ext_ack *extack);

/**
 * hc_commit_del() - begin to remove a plan from all machines
 * @fabric: the fabric
 * @plan: id of the plan
 * @outcome: filled in when the request has ended, unless hc_commit_forget() is called before
 * @extack: set to a sentence on error, or NULL
 *
 * Context: config, under hc_fabric.lock
 * Return: 0 or -errno
 */
int hc_commit_del(struct hc_fabric *fabric, u32 plan, struct hc_commit_outcome *outcome,
		  struct netlink_ext_ack *extack);

/**
 * hc_commit_forget() - detach the requester from its request, and cancel the request unless it is
 *	decided already
 * @fabric: the fabric
 * @outcome: @outcome of hc_commit_new() or hc_commit_del(); it is not written to after this
 *
 * Context: config, under hc_fabric.lock
 */
void hc_commit_forget(struct hc_fabric *fabric, const struct hc_commit_outcome *outcome);

/**
 * hc_commit_trunk_gone() - continue the present request without a trunk that has ended
 * @trunk: the trunk
 *
 * Context: config, under hc_fabric.lock
 */
void hc_commit_trunk_gone(struct hc_trunk *trunk);

/* --- for the receive work, which does not hold hc_fabric.lock --- */

/**
 * hc_commit_is_valid() - check the length of an ASK or ANSWER record
 * @fabric: the fabric
 * @what: enum hc_record_what
 * @len: bytes of data
 *
 * Context: receive work
 * Return: true if a record of this kind may have @len bytes
 */
bool hc_commit_is_valid(const struct hc_fabric *fabric, u8 what, u32 len);

/**
 * hc_commit_rx() - process an ASK or ANSWER record of another machine
 * @trunk: the trunk over which it was received
 * @note: the record
 *
 * Context: receive work, without hc_fabric.lock
 */
void hc_commit_rx(struct hc_trunk *trunk, const struct hc_trunk_note *note);

#endif /* _HC_COMMIT_H */
