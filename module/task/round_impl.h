/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What rounds of all methods have in common, for the files of rounds alone.
 */
#ifndef _HC_TASK_ROUND_IMPL_H
#define _HC_TASK_ROUND_IMPL_H

#include <linux/bits.h>
#include <linux/hrtimer.h>
#include <linux/types.h>

#include "hc_balance.h"
#include "task/round.h"
#include "wire.h"

/**
 * struct hc_round_ops - a method
 * @id: enum hypercube_balance
 * @words: the kinds of words that its nodes say, BIT(enum hc_round_kind)
 * @start: begin one here.  False: that is not possible
 * @rx: a frame of it has come, with @n words of these kinds.  False: it is not what it can be
 * @topology: its rounds need one: what is wrong with this one?  A sentence, or NULL: nothing; no
 *	function: they need none
 * @size: bytes of its own state at a node, see hc_round_priv(); 0 when a round begins
 * @begin: the node takes part now: 0, or -errno: the round fails.  May be NULL
 * @advance: go on as far as possible.  True: the node's own part is over
 *
 * Rounds that spread over the fabric have hc_round_start() and hc_round_hear(), and only these
 * have the functions and the state that follow.
 */
struct hc_round_ops {
	u32 id;
	u32 words;
	bool (*start)(struct hc_node *node, struct hc_round *r, const struct hc_round_ops *ops,
		      enum hypercube_trigger trigger);
	bool (*rx)(struct hc_node *node, struct hc_round *r, unsigned int dim,
		   const struct hc_wire_round *w, const u64 *word, unsigned int n);
	const char *(*topology)(const struct hc_balance *b);
	size_t size;
	int (*begin)(struct hc_node *node, struct hc_round *r);
	bool (*advance)(struct hc_node *node, struct hc_round *r);
};

extern const struct hc_round_ops hc_round_dem, hc_round_mcwa, hc_round_cwa, hc_round_rid;

/**
 * struct hc_round_topo - a topology of a fabric; constant
 * @rcu: for its end
 * @epoch: its number in this fabric
 * @mark: what nodes tell each other of it, of HC_ROUND_VALUE_BITS
 * @b: what the verifier has seen; b.up points to @up
 * @size: bytes of all this
 * @up: see struct hc_balance
 */
struct hc_round_topo {
	struct rcu_head rcu;
	u32 epoch;
	u64 mark;
	struct hc_balance b;
	size_t size;
	u8 up[];
};

/**
 * struct hc_round_link - rounds at a link
 * @said: words of this node in its round, @nsaid of them
 * @nsaid: see above
 * @fresh: there is something that the neighbour has not been sent
 * @sent0: tasks that had gone over the link before those of the round
 * @id: the latest round of which the neighbour has said something; what follows is of that
 * @last: the last frame
 * @theirs: HC_ROUND_F_* of all frames
 * @heard: words of the neighbour, @nheard of them
 * @nheard: see above
 */
struct hc_round_link {
	u64 said[HC_ROUND_WORDS];
	u8 nsaid;
	bool fresh;
	u32 sent0;
	u64 id;
	struct hc_wire_round last;
	u8 theirs;
	u8 nheard;
	u64 heard[HC_ROUND_WORDS];
};

/**
 * struct hc_round_clock - the time of who waits for others in a round
 * @began: when it was heard of, ns
 * @progress: when something new of it was heard or handed over, ns
 */
struct hc_round_clock {
	u64 began;
	u64 progress;
};

enum hc_round_state {
	HC_ROUND_IDLE,		/* there is none, or it is over */
	HC_ROUND_RUNS,		/* the node's own part is under way */
	HC_ROUND_WAITS,		/* for reports of others, or for the word that it is over */
};

#define HC_ROUND_NOBODY	0xff

/**
 * struct hc_round - rounds at a node; [poll] but for what has another note
 * @node: the node; constant
 * @id: the present or last round: its number << 16 | the node that has begun it
 * @ops: its method; NULL: there never was one
 * @state: enum hc_round_state
 * @parent: dimension of the link to the node from which it was heard, or HC_ROUND_NOBODY: it was
 *	begun here
 * @trigger: enum hypercube_trigger, of one that was begun here
 * @dice: a random number that belongs to the last round
 * @flags: HC_ROUND_F_* of this node: REPORT, OVER, FAILED
 * @out: the node has no part in it but to pass it on, and is not counted
 * @owed: a frame was refused
 * @cut: links that were unusable, perhaps for a moment, since this was looked at
 * @part: the links over which the round goes
 * @giving: links over which tasks are handed over in it
 * @members: nodes here and below, of the report
 * @moved: tasks times links there; once it is over, of all
 * @gave: what this node has handed over
 * @status: FAILED: -errno
 * @cause_node: where the cause lies, or HC_CAUSE_NONE
 * @cause_dim: dimension, or HC_CAUSE_NONE
 * @clock: its time
 * @ready: when the node may follow its neighbours into a later one, or begin again one that was
 *	beaten, ns
 * @ended: when the last one was over, ns
 * @took: how long that one took, ns
 * @interval: ns from then to one that the node may begin for lack of tasks
 * @hungry: the node lacks tasks, and knows it; others read it
 * @timer: when something is due
 * @asks: how often configuration has asked for a round; config writes
 * @ask_method: for one of which method; config writes it before @asks
 * @waiters: how many have not been told yet how theirs has ended; config
 * @begun: how many of @asks the present round, or the last one, answers
 * @answered: how many of @asks are answered; under hc_rounds.lock
 * @answer: how; the same
 * @rid: what it asks its neighbours for, and they ask for
 * @size: bytes of all this
 * @link: for each link
 */
struct hc_round {
	struct hc_node *node;
	u64 id;
	const struct hc_round_ops *ops;
	u8 state;
	u8 parent;
	u8 trigger;
	u8 dice;
	u8 flags;
	bool out;
	bool owed;
	u32 cut;
	u32 part;
	u32 giving;
	u32 members;
	u64 moved;
	u64 gave;
	int status;
	u16 cause_node;
	u16 cause_dim;
	struct hc_round_clock clock;
	u64 ready;
	u64 ended;
	u64 took;
	u64 interval;
	bool hungry;
	struct hrtimer timer;
	u32 asks;
	u32 ask_method;
	u32 waiters;
	u32 begun;
	u32 answered;
	struct hc_round_record answer;
	struct hc_rid *rid;
	size_t size;
	struct hc_round_link link[];
};

static inline u64 hc_round_nr(u64 id)
{
	return id >> 16;
}

/* The last number that there is. */
#define HC_ROUND_NR_MAX	(U64_MAX >> 16)

/* HC_ROUND_F_* that the neighbour has said in the present round. */
static inline u8 hc_round_theirs(const struct hc_round *r, unsigned int dim)
{
	return r->link[dim].id == r->id ? r->link[dim].theirs : 0;
}

/* --- round.c; poll --- */
struct hc_round *hc_round_of(const struct hc_node *node);
/* See struct hc_round_ops. */
bool hc_round_start(struct hc_node *node, struct hc_round *r, const struct hc_round_ops *ops,
		    enum hypercube_trigger trigger);
u32 hc_round_usable_links(const struct hc_node *node);
void hc_round_clock_start(struct hc_round_clock *c);
/* When is it too long that nothing has gone on? */
u64 hc_round_deadline(const struct hc_node *node, const struct hc_round_clock *c);
/* One that took @took ns has ended: how long is it until the node begins one itself? */
void hc_round_pause(struct hc_round *r, u64 took, bool moved);
/* The method's own state. */
void *hc_round_priv(const struct hc_node *node, struct hc_round *r);
/* Does the round go over this link, as far as is known? */
bool hc_round_goes(const struct hc_round *r, unsigned int dim);
/* Tasks that wait here. */
u32 hc_round_load(const struct hc_node *node);
/* Hand over up to @count tasks, once in a round, and say how many they were (GAVE).  Return: false
 * while that is under way.
 */
bool hc_round_give(struct hc_node *node, struct hc_round *r, unsigned int dim, u64 count);
/* A neighbour says that it is in a round that we are not in, which is later than ours. */
void hc_round_join(struct hc_node *node, struct hc_round *r, u64 id,
		   const struct hc_round_ops *ops, unsigned int parent);
/* The round has failed, here or elsewhere: end it. */
void hc_round_fail(struct hc_node *node, struct hc_round *r, int status, u32 cause_node,
		   u32 cause_dim);
/* Another round takes the place of this one. */
void hc_round_beaten(struct hc_node *node, struct hc_round *r);
/* Go on as far as possible, and say so. */
void hc_round_go(struct hc_node *node, struct hc_round *r);

/* --- round_link.c; poll --- */
/* See struct hc_round_ops. */
bool hc_round_hear(struct hc_node *node, struct hc_round *r, unsigned int dim,
		   const struct hc_wire_round *w, const u64 *word, unsigned int n);
/* The value among @n words of the one of this kind and index; false: there is none. */
bool hc_round_word(const u64 *word, unsigned int n, enum hc_round_kind kind, unsigned int index,
		   u64 *value);
/* As it stands in frames. */
u64 hc_round_word_make(enum hc_round_kind kind, unsigned int index, u64 value);
/* Return: false if the frame was refused.  It is owed, and the poll comes back soon. */
bool hc_round_xmit(struct hc_node *node, struct hc_round *r, unsigned int dim,
		   const struct hc_wire_round *w, const u64 *word, unsigned int n);
/* Say a word, unless one of its kind and index was said: that stands.  Return: its value. */
u64 hc_round_say(struct hc_round *r, unsigned int dim, enum hc_round_kind kind,
		 unsigned int index, u64 value);
/* Has the neighbour said it? */
bool hc_round_said(const struct hc_round *r, unsigned int dim, enum hc_round_kind kind,
		   unsigned int index, u64 *value);
/* Follow neighbours into a later round, or to the end of this one.  Return: false if there is a
 * later one for which the time comes at *@next.
 */
bool hc_round_follow(struct hc_node *node, struct hc_round *r, u64 *next);
/* Send what is fresh. */
void hc_round_flush(struct hc_node *node, struct hc_round *r);

/* --- round_set.c --- */
/* Returns the method of this number, or NULL. */
const struct hc_round_ops *hc_round_method(u32 method);
/* A round that was begun here has ended.  @keep: it is told, and kept in the history. */
void hc_round_record(struct hc_node *node, struct hc_round *r, const struct hc_round_record *rec,
		     bool keep);
/* No round can begin here. */
void hc_round_refuse(struct hc_node *node, struct hc_round *r, int status);

/* --- round_rid.c; poll --- */
size_t hc_rid_size(const struct hc_fabric *fabric);
/* Does the node ask its neighbours?  Then *@next is not after when they have had their time. */
bool hc_rid_asks(const struct hc_node *node, const struct hc_round *r, u64 *next);
/* Does that depend on a neighbour? */
bool hc_rid_needs(const struct hc_round *r, unsigned int dim);
/* Say again what the neighbour may not have heard.  Return: true if there is something. */
bool hc_rid_again(struct hc_round *r, unsigned int dim);
/* Go on as far as possible, and say so. */
void hc_rid_go(struct hc_node *node, struct hc_round *r);
void hc_rid_fail(struct hc_node *node, struct hc_round *r, int status, u32 cause_node,
		 u32 cause_dim);

#endif /* _HC_TASK_ROUND_IMPL_H */
