/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations for the files round*.c only: the part of load balancing rounds that does not depend
 * on the method.
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
 * struct hc_round_ops - a method of load balancing
 * @id: enum hypercube_balance
 * @words: mask of the kinds of values that nodes send in its rounds, BIT(enum hc_round_kind)
 * @start: begin a round at this node. Return: false if that is not possible
 * @rx: process a frame of the method with @n values, of kinds in @words. Return: false if the frame
 *	is malformed
 * @topology: check a topology for the method. Return: NULL if it is suitable, else a sentence with
 *	the reason. @topology is NULL if the method needs no topology
 * @size: bytes of the method's private state at a node, see hc_round_priv(); cleared when a round
 *	begins
 * @begin: called when the node begins or joins a round. Return: 0, or -errno to fail the round. May
 *	be NULL
 * @advance: do all of the node's own work that can be done now. Return: true if this work is
 *	complete
 *
 * Methods whose rounds spread over the fabric set @start to hc_round_start() and @rx to
 * hc_round_receive(). Only these methods have @size, @begin and @advance.
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
 * struct hc_round_topo - a balancing topology of a fabric; constant
 * @rcu: frees the object after a grace period
 * @epoch: number of the topology in this fabric
 * @mark: hash by which nodes compare their topologies, HC_ROUND_VALUE_BITS long
 * @b: the topology, accepted by the verifier; b.up points to @up
 * @size: bytes of the whole object
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
 * struct hc_round_link - state of rounds at one link of a node
 * @said: values that this node sends in its round, @nsaid of them
 * @nsaid: see @said
 * @fresh: true if a frame must be sent to the neighbour
 * @sent0: number of tasks that had migrated over the link before the round
 * @id: the latest round of which the neighbour has sent a frame; the members below belong to it
 * @last: header of the neighbour's last frame
 * @theirs: bitwise OR of the HC_ROUND_F_* in all its frames
 * @received: values that the neighbour has sent, @nreceived of them
 * @nreceived: see @received
 */
struct hc_round_link {
	u64 said[HC_ROUND_WORDS];
	u8 nsaid;
	bool fresh;
	u32 sent0;
	u64 id;
	struct hc_wire_round last;
	u8 theirs;
	u8 nreceived;
	u64 received[HC_ROUND_WORDS];
};

/**
 * struct hc_round_clock - times of a round at a node, for its deadline
 * @began: when the node began or joined the round, ns
 * @progress: last time at which the node received new values or flags of the round, or migrated
 *	tasks in it, ns
 */
struct hc_round_clock {
	u64 began;
	u64 progress;
};

enum hc_round_state {
	HC_ROUND_IDLE,		/* there has been no round, or it has ended */
	HC_ROUND_RUNS,		/* the node's own work is under way */
	HC_ROUND_WAITS,		/* the node waits for reports of its children, or for OVER */
};

#define HC_ROUND_NO_PARENT	0xff

/**
 * struct hc_round - state of load balancing rounds at a node; only the poll of the node accesses
 *	fields for which nothing else is stated
 * @node: the node; constant
 * @id: id of the present or last round: its number << 16 | the node that has begun it
 * @ops: its method, or NULL if there has been no round
 * @state: enum hc_round_state
 * @parent: dimension of the link over which the first frame of the round was received;
 *	HC_ROUND_NO_PARENT if this node has begun the round
 * @trigger: enum hypercube_trigger of a round that this node has begun
 * @dice: a random number, drawn at the end of each round, by which different nodes begin the next
 *	round at different times
 * @flags: HC_ROUND_F_* of this node: REPORT, OVER, FAILED
 * @out: true if the node is not in the topology: it only forwards the round, and is not counted in
 *	@members
 * @owed: true if a frame could not be sent, and must be made again
 * @cut: mask of dimensions of links that have been unusable, perhaps only for a moment, since
 *	look_at_cut() last ran
 * @part: mask of dimensions of the links that the round uses
 * @giving: mask of dimensions of the links over which tasks are migrating in the round
 * @members: number of nodes that take part, of this node and its descendants in the tree; sent in
 *	the report
 * @moved: number of links that migrated tasks have crossed in total; as sent in the report, for
 *	this node and its descendants in the tree; when the round has ended, for all nodes
 * @gave: number of tasks that this node has migrated
 * @status: with FAILED in @flags: -errno
 * @cause_node: the node that is the cause, or at which the link is, or HC_CAUSE_NONE
 * @cause_dim: dimension of the link that is the cause, or HC_CAUSE_NONE
 * @clock: times of the round
 * @ready: time before which the node does not join a later round of a neighbour, and does not begin
 *	a superseded round again, ns
 * @ended: time at which the last round ended, ns
 * @took: duration of the last round, ns
 * @interval: least time from @ended to a round that the node begins because it lacks tasks, ns
 * @idle: true if the node lacks tasks and its poll has found this or has been kicked for it;
 *	hc_round_idle() reads and sets it in any context
 * @timer: expires when a round, a deadline or a frame is due
 * @asks: number of rounds that commands have requested; config writes
 * @ask_method: method of the last request; config writes it before @asks
 * @waiters: number of commands that wait for an outcome; config writes
 * @begun: value of @asks when the present or last round began: its outcome answers the requests up
 *	to this number
 * @answered: number of requests that have been answered; under hc_rounds.lock
 * @answer: the record with which the last of these was answered; under hc_rounds.lock
 * @rid: state of the method RID
 * @size: bytes of the whole object
 * @link: state of each link
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
	bool idle;
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

/* The greatest number that a round can have. */
#define HC_ROUND_NR_MAX	(U64_MAX >> 16)

/* Return the HC_ROUND_F_* that the neighbour along @dim has sent in the present round. */
static inline u8 hc_round_theirs(const struct hc_round *r, unsigned int dim)
{
	return r->link[dim].id == r->id ? r->link[dim].theirs : 0;
}

/* --- round.c; context: poll --- */
/**
 * hc_round_of() - get the state of rounds at a node
 * @node: the node
 *
 * Context: any
 * Return: the node's struct hc_round, or NULL if rounds have never been enabled
 */
struct hc_round *hc_round_of(const struct hc_node *node);

/**
 * hc_round_start() - begin a round that spreads over the fabric; see struct hc_round_ops
 * @node: the node
 * @r: its rounds
 * @ops: the method
 * @trigger: the trigger of the round
 *
 * Return: false if no greater number for a round exists
 */
bool hc_round_start(struct hc_node *node, struct hc_round *r, const struct hc_round_ops *ops,
		    enum hypercube_trigger trigger);

/**
 * hc_round_usable_links() - list the links that rounds may use
 * @node: the node
 *
 * Return: their dimensions, as a mask
 */
u32 hc_round_usable_links(const struct hc_node *node);

/**
 * hc_round_clock_start() - set both times to now
 * @c: the clock
 */
void hc_round_clock_start(struct hc_round_clock *c);

/**
 * hc_round_deadline() - compute the time at which a round without progress fails
 * @node: the node
 * @c: the node's clock of the round
 *
 * Return: ns, or U64_MAX: never
 */
u64 hc_round_deadline(const struct hc_node *node, const struct hc_round_clock *c);

/**
 * hc_round_pause() - compute the time from which the node may begin the next round
 * @r: its rounds
 * @took: duration of the round that has ended, ns
 * @moved: true if tasks have migrated in that round
 */
void hc_round_pause(struct hc_round *r, u64 took, bool moved);

/**
 * hc_round_priv() - get the private state of the method
 * @node: the node
 * @r: its rounds
 *
 * Return: hc_round_ops.size bytes
 */
void *hc_round_priv(const struct hc_node *node, struct hc_round *r);

/**
 * hc_round_goes() - find out whether the round uses a link
 * @r: the node's rounds
 * @dim: dimension of the link
 *
 * Return: true if this node uses the link in the round, and the neighbour has not announced that it
 * does not
 */
bool hc_round_goes(const struct hc_round *r, unsigned int dim);

/**
 * hc_round_load() - count the tasks in a node's queue
 * @node: the node
 *
 * Return: the number
 */
u32 hc_round_load(const struct hc_node *node);

/**
 * hc_round_give() - migrate tasks to a neighbour, once in a round, and send GAVE when all have
 *	migrated
 * @node: the node
 * @r: its rounds
 * @dim: dimension of the link
 * @count: maximum number of tasks
 *
 * Return: true if no more tasks will migrate, so that GAVE has been sent or will be sent
 */
bool hc_round_give(struct hc_node *node, struct hc_round *r, unsigned int dim, u64 count);

/**
 * hc_round_join() - begin or join a round that is later than the node's present or last one
 * @node: the node
 * @r: its rounds
 * @id: the round
 * @ops: its method
 * @parent: dimension of the link over which the round was received, or HC_ROUND_NO_PARENT: the node
 *	begins it
 */
void hc_round_join(struct hc_node *node, struct hc_round *r, u64 id,
		   const struct hc_round_ops *ops, unsigned int parent);

/**
 * hc_round_fail() - end the present round, if any, because it has failed at this node or at another
 *	one
 * @node: the node
 * @r: its rounds
 * @status: -errno
 * @cause_node: the node that is the cause, or at which the link is, or HC_CAUSE_NONE
 * @cause_dim: dimension of the link that is the cause, or HC_CAUSE_NONE
 */
void hc_round_fail(struct hc_node *node, struct hc_round *r, int status, u32 cause_node,
		   u32 cause_dim);

/**
 * hc_round_superseded() - leave the present round, if any, for a later one that supersedes it
 * @node: the node
 * @r: its rounds
 */
void hc_round_superseded(struct hc_node *node, struct hc_round *r);

/**
 * hc_round_go() - advance all rounds of the node as far as possible, and send new values and flags
 * @node: the node
 * @r: its rounds
 */
void hc_round_go(struct hc_node *node, struct hc_round *r);

/* --- round_link.c; context: poll --- */

/**
 * hc_round_receive() - process a frame of a round that spreads over the fabric; see struct
 *	hc_round_ops
 * @node: the node
 * @r: its rounds
 * @dim: dimension of the link over which it was received
 * @w: the frame's header
 * @word: its values
 * @n: number of values
 *
 * Return: false if the number of the round is greater than any valid one
 */
bool hc_round_receive(struct hc_node *node, struct hc_round *r, unsigned int dim,
		      const struct hc_wire_round *w, const u64 *word, unsigned int n);

/**
 * hc_round_word() - find a value
 * @word: encoded values, as frames contain them
 * @n: number of values
 * @kind: kind of the value
 * @index: index of the value among those of its kind
 * @value: set to the value
 *
 * Return: false if there is no such value
 */
bool hc_round_word(const u64 *word, unsigned int n, enum hc_round_kind kind, unsigned int index,
		   u64 *value);

/**
 * hc_round_word_make() - encode a value for a ROUND frame
 * @kind: its kind
 * @index: its index
 * @value: the value; if it is too great to be encoded, the greatest possible value is used
 *
 * Return: the encoded value
 */
u64 hc_round_word_make(enum hc_round_kind kind, unsigned int index, u64 value);

/**
 * hc_round_xmit() - send a ROUND frame
 * @node: the node
 * @r: its rounds
 * @dim: dimension of the link
 * @w: the frame's header
 * @word: its values
 * @n: number of values
 *
 * Return: false if the frame could not be sent; the poll then runs again soon
 */
bool hc_round_xmit(struct hc_node *node, struct hc_round *r, unsigned int dim,
		   const struct hc_wire_round *w, const u64 *word, unsigned int n);

/**
 * hc_round_say() - send a value to a neighbour in the present round, unless a value of this kind
 *	and index has been sent to it
 * @r: the node's rounds
 * @dim: dimension of the link
 * @kind: kind of the value
 * @index: its index
 * @value: the value
 *
 * Return: the value of this kind and index that has been or will be sent: @value, or an earlier one
 */
u64 hc_round_say(struct hc_round *r, unsigned int dim, enum hc_round_kind kind,
		 unsigned int index, u64 value);

/**
 * hc_round_said() - get a value that the neighbour has sent in the present round
 * @r: the node's rounds
 * @dim: dimension of the link
 * @kind: kind of the value
 * @index: its index
 * @value: set to the value
 *
 * Return: false if the neighbour has not sent it
 */
bool hc_round_said(const struct hc_round *r, unsigned int dim, enum hc_round_kind kind,
		   unsigned int index, u64 *value);

/**
 * hc_round_follow() - join the latest round of which a neighbour has sent a frame, and end the
 *	present round if it has failed at a neighbour
 * @node: the node
 * @r: its rounds
 * @next: if it is too early to join the round, set to the time from which the node may join it
 *
 * Return: false if it is too early to join the round
 */
bool hc_round_follow(struct hc_node *node, struct hc_round *r, u64 *next);

/**
 * hc_round_flush() - send frames with new values or flags of this node to the neighbours
 * @node: the node
 * @r: its rounds
 */
void hc_round_flush(struct hc_node *node, struct hc_round *r);

/* --- round_set.c --- */

/**
 * hc_round_method() - find a method
 * @method: enum hypercube_balance
 *
 * Return: the method, or NULL
 */
const struct hc_round_ops *hc_round_method(u32 method);

/**
 * hc_round_record() - record the end of a round that this node has begun, and answer the commands
 *	that requested it
 * @node: the node
 * @r: its rounds
 * @rec: the record
 * @keep: true to send a notification, and to store the record in the history
 *
 * Context: poll
 */
void hc_round_record(struct hc_node *node, struct hc_round *r, const struct hc_round_record *rec,
		     bool keep);

/**
 * hc_round_refuse() - answer all outstanding commands with an error, since this node can begin no
 *	round
 * @node: the node
 * @r: its rounds
 * @status: -errno
 *
 * Context: poll
 */
void hc_round_refuse(struct hc_node *node, struct hc_round *r, int status);

/* --- round_rid.c; context: poll --- */

/**
 * hc_rid_size() - compute the size of the state of the method RID
 * @fabric: the fabric
 *
 * Return: bytes for one node
 */
size_t hc_rid_size(const struct hc_fabric *fabric);

/**
 * hc_rid_asks() - find out whether a RID round that the node has begun is under way
 * @node: the node
 * @r: its rounds
 * @next: if it is, lowered to the time at which it fails without progress
 *
 * Return: true if it is
 */
bool hc_rid_asks(const struct hc_node *node, const struct hc_round *r, u64 *next);

/**
 * hc_rid_needs() - find out whether the RID round that the node has begun depends on a neighbour
 * @r: the node's rounds
 * @dim: dimension of the link
 *
 * Return: true if the round waits, or will wait, for this neighbour
 */
bool hc_rid_needs(const struct hc_round *r, unsigned int dim);

/**
 * hc_rid_again() - mark the last request to a neighbour as not sent, since the neighbour may not
 *	have received it
 * @r: the node's rounds
 * @dim: dimension of the link
 *
 * Return: true if a request must be sent
 */
bool hc_rid_again(struct hc_round *r, unsigned int dim);

/**
 * hc_rid_go() - advance the RID rounds that the node and its neighbours have begun, and send new
 *	requests and answers
 * @node: the node
 * @r: its rounds
 */
void hc_rid_go(struct hc_node *node, struct hc_round *r);

/**
 * hc_rid_fail() - fail the RID round that the node has begun, if any
 * @node: the node
 * @r: its rounds
 * @status: -errno
 * @cause_node: the node that is the cause, or at which the link is, or HC_CAUSE_NONE
 * @cause_dim: dimension of the link that is the cause, or HC_CAUSE_NONE
 */
void hc_rid_fail(struct hc_node *node, struct hc_round *r, int status, u32 cause_node,
		 u32 cause_dim);

#endif /* _HC_TASK_ROUND_IMPL_H */
