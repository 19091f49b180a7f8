/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Operations: what the files of coll/ and sock/ share.  Every plan but a doubling is a tree: up
 * is towards its root, the sink of a tree plan or the source of a broadcast.  The nodes below a
 * member are its sources, those above are its destinations, even where the data flows the other
 * way.  In a doubling each member is the root of what it receives: its peers are its sources,
 * source i that of stage i, and it has no destinations.  All of it is [poll]: touched by the
 * poll of one node only (see fabric.h), or by configuration after a grace period in which the
 * plan was unpublished.
 */
#ifndef _HC_COLL_H
#define _HC_COLL_H

#include "coll/plan.h"
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "fabric/skb.h"

/* Operations that a member may have pending in one plan; a power of two. */
#define HC_OP_WINDOW	64
/* No operation. */
#define HC_NR_NONE	U64_MAX
/* Completions that the root may keep to itself if nobody asked to be told. */
#define HC_ACK_BATCH	16
/* From one look for what does not move to the next, jiffies. */
#define HC_STALL_TIME	HZ
/* Segments in flight on their way down between two members; even. */
#define HC_DOWN_WINDOW	8
/* Full segments that may wait in one stream upwards without a socket that is charged. */
#define HC_UP_WINDOW	8
/* Payloads up to this size travel in the linear part of the skb. */
#define HC_INLINE_MAX	512

/**
 * struct hc_rec - a record of a socket: what it sends, or what it receives as one
 * @sock: hc_sock.id; 0: nobody's
 * @nr: number within the socket
 */
struct hc_rec {
	u64 sock;
	u64 nr;
};

/**
 * struct hc_stream - one source in one operation: what it has sent, and what
 *	is sent down to it
 * @q: segments not yet merged, in order
 * @total: announced length of the stream; valid once something came
 * @down_busy: modelled time until which the link down to it is occupied
 * @loose: memory of @q that nobody is charged for
 * @came: frames that have come from it
 * @at: where the next one must lie: of the message, of a block, the first byte that a part may
 *	have (of a blocked sender)
 * @sent_down: frames sent down to it
 * @taken_down: how many of them it has said it has taken
 * @last_down: the last one is among them
 * @want: what goes down goes to this source
 * @last: the last segment has come
 */
struct hc_stream {
	struct sk_buff_head q;
	u64 total;
	u64 at;
	u64 down_busy;
	u32 loose;
	u32 came;
	u32 sent_down;
	u32 taken_down;
	bool want;
	bool last;
	bool last_down;
};

/**
 * struct hc_op - one operation at one member
 * @fallen: in hc_generation.fallen
 * @member: the member
 * @coll: what it is; the plan type's first collective until @known
 * @priv: what that keeps, see hc_coll_ops.op_size; there is room for any that the plan carries
 * @nr: its number within the plan
 * @total: bytes of this member's contribution; valid once @known
 * @cookie: of this member's contribution
 * @result: bytes of the result, of a message, or of a block that comes down; valid once
 *	@down_came, except at the root
 * @time: modelled time of the latest data seen
 * @busy: for each peer that this member's data go to: modelled time until which the link is
 *	occupied
 * @own: this member's segments that still wait to be worked on
 * @sent: frames sent to each destination
 * @taken: how many of them it has said it has taken
 * @down: segments that have come from above, not yet passed on
 * @down_came: how many have come at all
 * @down_at: where the next one must lie in the message, or in a block
 * @down_told: how many of them the last CREDIT said were passed on
 * @turn: steps until what came down was here; at the source of a broadcast: until it was
 *	everywhere
 * @clock: logical clock
 * @rec: record of the contribution, or of the message of a broadcast once @begun
 * @elem: bytes of an element
 * @width: bytes of a RECORD
 * @oper: enum hypercube_oper
 * @dtype: enum hypercube_type
 * @cost: steps each stage took, as far as seen
 * @known: the parameters are known, from the socket or from a frame
 * @begun: this member has begun its contribution
 * @own_last: it is complete
 * @notify: somebody wants to know of the completion
 * @notify_own: this member's process does
 * @handed: everything was passed on
 * @announced: listeners have heard that it is complete: it was, and has come back
 * @src: one stream for each source
 */
struct hc_op {
	struct list_head fallen;
	struct hc_member *member;
	const struct hc_coll_ops *coll;
	void *priv;
	u64 nr;
	u64 total;
	u64 cookie;
	u64 result;
	u64 time;
	u64 busy[HC_STAGES_MAX];
	struct sk_buff_head own;
	struct sk_buff_head down;
	u64 down_at;
	u32 down_came;
	u32 sent[HC_STAGES_MAX];
	u32 taken[HC_STAGES_MAX];
	u32 down_told;
	u32 turn;
	u32 clock;
	struct hc_rec rec;
	u32 elem;
	u16 width;
	u8 oper;
	u8 dtype;
	u8 cost[HC_STAGES_MAX];
	bool known;
	bool begun;
	bool own_last;
	bool notify;
	bool notify_own;
	bool handed;
	bool announced;
	struct hc_stream src[];
};

/* Returns the state that its collective keeps of an operation: .op_size bytes. */
static inline void *hc_op_priv(const struct hc_op *op)
{
	return op->priv;
}

/**
 * struct hc_end - why operations end
 * @nr: the first that fails, or HC_NR_NONE: none does
 * @status: positive errno
 * @flags: HC_STOP_F_*
 * @clock: logical clock: links that the news has crossed since the cause was found
 * @node: where the cause lies, or HC_CAUSE_NONE
 * @dim: dimension of the faulty link, or HC_CAUSE_NONE
 */
struct hc_end {
	u64 nr;
	u32 status;
	u32 flags;
	u32 clock;
	u16 node;
	u16 dim;
};

/* One that lies at a node, or at none. */
static inline struct hc_end hc_cause(u32 status, u32 node)
{
	return (struct hc_end){ .status = status, .node = node, .dim = HC_CAUSE_NONE };
}

/* Kinds of STOP, see coll/end.c. */
enum hc_stop { HC_STOP_HARD, HC_STOP_SOFT, HC_STOP_IDLE, HC_NSTOPS };

/**
 * struct hc_root_view - what the root of a plan that goes away has come to
 * @gen: its generation
 * @done: operations below are complete, of that generation or
 * @ended: of the one before, if they are below this, too
 * @next: number of its next contribution
 */
struct hc_root_view {
	u32 gen;
	u64 done;
	u64 ended;
	u64 next;
};

/* What a member could not say for lack of memory or room: bits of hc_generation.unsaid. */
#define HC_UNSAID_STOP	BIT(0)
#define HC_UNSAID_END	BIT(1)	/* of this generation */
#define HC_UNSAID_LAST	BIT(2)	/* of the one before */
#define HC_UNSAID_MOVED	BIT(3)	/* that the member is in this one */
#define HC_UNSAID_AWAY	BIT(4)	/* that it takes nothing more from above */

/**
 * struct hc_job - a member among those of its node that have something to do; see coll/work.c
 * @list: in one of the lists of hc_node.work, under its lock
 * @with_readers: if it waits, it is among those that wait for room at the process
 * @blocked: something of it waits for that
 * @again: it is in the list of those that can go on; under the lock
 * @check: its links have to be looked at; under the lock
 * @gone: it is not put into any list any more; under the lock
 */
struct hc_job {
	struct list_head list;
	bool with_readers;
	bool blocked;
	bool again;
	bool check;
	bool gone;
};

/**
 * struct hc_generation - the generation that a member is in, and how it ends; see coll/end.c
 * @count: generations that have ended here; others read it
 * @end: END of this one, as far as it is known; .nr is HC_NR_NONE while none is
 * @last: END of the one before; .status is 0 if there was none
 * @early: END of the next one, if that has come already; .nr is HC_NR_NONE while it has not
 * @stop: what was heard of, or found, that asks for END, by its kind; .nr is HC_NR_NONE if
 *	nothing was
 * @cut: what has broken the plan below this member, or .status is 0
 * @ended: bits of the peers that have said @end
 * @early_ended: of those that have said @early
 * @gives: the first operation on which this member does not work any more
 * @fallen: operations that end with it, when those below have ended
 * @nbehind: sources that have not said that they are in this generation
 * @unsaid: HC_UNSAID_*
 * @broken: nothing comes after the last generation; where the plan mends itself, until it has
 */
struct hc_generation {
	u32 count;
	struct hc_end end;
	struct hc_end last;
	struct hc_end early;
	struct hc_end stop[HC_NSTOPS];
	struct hc_end cut;
	u64 ended;
	u64 early_ended;
	u64 gives;
	struct list_head fallen;
	u32 nbehind;
	u8 unsaid;
	bool broken;
};

/**
 * struct hc_user - the process that a member takes contributions from; see coll/host.c
 * @sock: hc_sock.id of the last socket to take part that is still there, or 0
 * @group: hc_sock.group of the last one to take part
 * @waiting: contributions of the node's sockets that wait for room, oldest first
 * @cur: operation to which the socket is contributing; valid if @cur_open
 * @cur_open: a contribution is incomplete
 * @halved: it will not be completed: its socket was closed while the plan was mended
 * @engaged: the process has begun an operation of this generation
 * @left: it has left, and what it owed ends
 * @leaves: it left while the plan was mended
 * @left_nr: the first operation that it did not give all of
 * @resets: it was there when the last generation ended, and has not been told
 * @failure: the last failure that a process was told of
 * @failure.sock: hc_sock.id of its socket
 * @failure.nr: number of the failure there, see sock/unread.h; U64_MAX: the socket was closed
 */
struct hc_user {
	u64 sock;
	u64 group;
	struct sk_buff_head waiting;
	u64 cur;
	bool cur_open;
	bool halved;
	bool engaged;
	bool left;
	bool leaves;
	bool resets;
	u64 left_nr;
	struct {
		u64 sock;
		u64 nr;
	} failure;
};

/**
 * struct hc_wait_view - what a member waits for; others read it
 * @wait: enum hypercube_wait
 * @peer: for whom
 * @nr: operation it is about
 * @since: jiffies since when
 */
struct hc_wait_view {
	u8 wait;
	u32 peer;
	u64 nr;
	unsigned long since;
};

/**
 * struct hc_member - one node in one plan
 * @plan: the plan
 * @node: the node
 * @role: stage, sources and destinations
 * @rank: its place among the members, in the order of the nodes
 * @turns: steps after which each source has what goes down to it, or NULL: as many as its stages
 *	took
 * @nstreams: sources that one of its operations has room for; more than role.nsrc if the plan mends
 *	itself
 * @op_size: bytes that one of its operations takes
 * @priv: what the plan's type keeps, see hc_plan_ops.member_size
 * @detour: frames that go over detours, or NULL: of each source, then of each destination
 * @job: it has something to do
 * @next: number of the next contribution
 * @head: oldest operation not yet handed over or, at the root, not complete
 * @done: all operations below are complete as far as this member knows
 * @peer_acked: how far each destination has told it is (the window of all of them
 *	must have moved on before this member's); BCAST: each source
 * @told: the value of @done that those who wait for this member's ACK know
 * @tells: where each member knows alone: listeners hear from this one what is complete
 * @base: numbers below are from before the plan was mended
 * @renamed: by how much numbers have grown since then for operations that go on: processes are told
 *	the ones that they had, see hc_told_nr(); others read it
 * @gen: its generation
 * @user: its process
 * @view: what it waits for
 * @dropped: operations that are over, however they ended
 * @ops: pending operations by number modulo HC_OP_WINDOW
 * @src: role.nsrc sources, in merge order
 */
struct hc_member {
	struct hc_plan *plan;
	struct hc_node *node;
	struct hc_tree_role role;
	u32 rank;
	const u16 *turns;
	unsigned int nstreams;
	size_t op_size;
	void *priv;
	struct hc_detour_end *detour;
	struct hc_job job;
	u64 next;
	u64 head;
	u64 done;
	u64 peer_acked[HC_STAGES_MAX];
	u64 told;
	bool tells;
	u64 base;
	u64 renamed;
	struct hc_generation gen;
	struct hc_user user;
	struct hc_wait_view view;
	u32 dropped;
	struct hc_op *ops[HC_OP_WINDOW];
	struct hc_tree_peer src[];
};

/* Returns the state that the type of its plan keeps of a member: .member_size bytes. */
static inline void *hc_member_priv(const struct hc_member *m)
{
	return m->priv;
}

static inline bool hc_member_is_root(const struct hc_member *m)
{
	return m->role.ndst == 0;
}

/* Is what was sent without knowing of a failure refused?  A source alone says what comes next, and
 * a plan that mends itself goes on with what its members have sent.
 */
static inline bool hc_plan_bars_ahead(const struct hc_plan *plan)
{
	return plan->ops->all_contribute && !plan->mends;
}

/* The process of a socket was told of failure @nr there.  0: the socket was closed; until the
 * member hears of that, it may take what was sent before.
 */
static inline void hc_failure_note(struct hc_member *m, u64 sock, u64 nr)
{
	if (!nr && m->user.sock && m->user.sock != sock)
		return;
	/* Of another socket that the plan had before. */
	if (m->user.failure.sock && m->user.failure.sock == m->user.sock && m->user.sock != sock)
		return;
	m->user.failure.sock = sock;
	m->user.failure.nr = nr ?: U64_MAX;
}

/* How many tell the member how far they are: its destinations, or its sources. */
static inline unsigned int hc_ack_peers(const struct hc_member *m)
{
	return m->plan->ops->ack->way == HC_ACK_UP ? m->role.nsrc : m->role.ndst;
}

/* Does the member tell others how much is done? */
static inline bool hc_member_tells(const struct hc_member *m)
{
	enum hc_ack_way way = m->plan->ops->ack->way;

	return way == HC_ACK_DOWN ? m->role.nsrc : way == HC_ACK_UP && m->role.ndst;
}

/* Of a plan that mends itself: is there anything to go on with?  Do contributions wait until it
 * has?
 */
bool hc_mend_tends(const struct hc_member *m);
bool hc_mend_holds(const struct hc_member *m);

/* Does it wait for anything, or owe others a word? */
static inline bool hc_member_pending(const struct hc_member *m)
{
	return m->view.wait != HYPERCUBE_WAIT_NOTHING || m->gen.unsaid ||
	       (hc_member_tells(m) && m->told != m->done) ||
	       (m->plan->mends && hc_mend_tends(m));
}

/* Do contributions wait until the plan has mended itself? */
static inline bool hc_member_holds(const struct hc_member *m)
{
	return m->plan->mends && hc_mend_holds(m);
}

/* The first member from @u on; the number of nodes if there is none. */
static inline u32 hc_member_from(const struct hc_member *m, u32 u)
{
	u32 nodes = hc_nodes(m->node->fabric->dim);

	while (u < nodes && !hc_set_has(m->plan->members, u))
		u++;
	return u;
}

/* The number of an operation as processes, and those who look on, are told it. */
static inline u64 hc_told_nr(const struct hc_member *m, u64 nr)
{
	return nr - READ_ONCE(m->renamed);
}

static inline struct hc_op *hc_member_op(struct hc_member *m, u64 nr)
{
	return m->ops[nr % HC_OP_WINDOW];
}

/* Is an operation that had this number still worked on? */
static inline bool hc_op_lives(struct hc_member *m, const struct hc_op *op, u64 nr)
{
	return hc_member_op(m, nr) == op && nr < m->gen.gives;
}

/* The operation with the lowest number from @nr on that is below @end, or NULL. */
struct hc_op *hc_op_next(const struct hc_member *m, u64 nr, u64 end);

/* The payload of DATA: contiguous, in the linear part or in one fragment. */
static inline void *hc_payload(const struct sk_buff *skb)
{
	if (skb_is_nonlinear(skb))
		return skb_frag_address(&skb_shinfo(skb)->frags[0]);
	return skb->data + HC_DATA_HEAD;
}

/* Notes of sock/send.c on a frame for the host port, in skb->cb. */
struct hc_host_cb {
	struct hc_cb cb;
	bool first;	/* begins a contribution */
	struct hc_rec rec;
	u64 group;	/* hc_sock.group */
	u64 cookie;
	u64 seen;	/* hc_unread.told of its socket when nothing of the plan was unread */
};

static inline struct hc_host_cb *hc_host_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct hc_host_cb, skb);
}

/* Notes on the frame that says that a socket does not serve plans any more. */
struct hc_leave_cb {
	struct hc_cb cb;
	u64 sock;			/* hc_sock.id */
	u32 plan;			/* it was connected to this one; 0: to none */
	u32 keeps;			/* it goes on with this one; 0: with none */
	unsigned long next;		/* plans below this have been looked at */
	struct completion *heard;	/* who waits until the node has heard, or NULL */
};

static inline struct hc_leave_cb *hc_leave_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct hc_leave_cb, skb);
}

/* Contents of an ACK frame: all operations below @nr are complete; the rest is about the last
 * of them.
 */
struct hc_ack {
	u64 nr;
	u64 time;
	u32 clock;
	u32 steps;
};

/* --- coll.c --- */
/* A member of a plan not yet published.  0 or -ENOMEM.  Config. */
int hc_member_create(struct hc_plan *plan, u32 u, const struct hc_tree_role *role,
		     const struct hc_tree_peer *src);
struct hc_op *hc_op_get(struct hc_member *m, u64 nr);
/* It is over; @status: 0 or a negative errno. */
void hc_op_drop(struct hc_member *m, struct hc_op *op, int status);
/* What a process is told of operation @nr, as long as nothing has failed; @op may be NULL. */
struct hypercube_result hc_op_result(const struct hc_member *m, const struct hc_op *op, u64 nr);
/* An operation is complete at the root: tell the socket if it asked, and forget it. */
void hc_op_complete(struct hc_member *m, struct hc_op *op, u32 steps, u32 clock, u64 time);
/* Work on the oldest operation, and the next one once it is handed over. */
void hc_advance(struct hc_member *m);
void hc_view_idle(struct hc_member *m);
/* Index of a node among the sources, or -1. */
int hc_src_index(const struct hc_member *m, u32 node);
/* A node among the sources or destinations, or NULL. */
const struct hc_tree_peer *hc_peer_find(const struct hc_member *m, u32 node);
/* A DATA frame of node @src with room for a payload of @len bytes. */
struct sk_buff *hc_seg_alloc(const struct hc_fabric *fabric, u32 src, u32 len, gfp_t gfp);
/* The same segment with a payload that nobody else has; consumes.  NULL: no memory. */
struct sk_buff *hc_seg_own(struct hc_node *node, struct sk_buff *skb);
/* Queue a segment that waits.  False: as much as @segments take waits there already that no socket
 * is charged for.
 */
bool hc_stream_push(const struct hc_member *m, struct hc_stream *st, u32 segments,
		    struct sk_buff *skb);
/* The next segment that waits in a stream, or NULL. */
struct sk_buff *hc_stream_pop(struct hc_stream *st);
void hc_op_free(struct hc_op *op);
/* Wait for something: note it for "who is missing?"; returns HC_BLOCKED. */
enum hc_progress hc_wait(struct hc_member *m, struct hc_op *op, u32 wait, u32 peer);
/* A frame that cannot be taken ends its operation with @status; consumes. */
void hc_data_fail(struct hc_member *m, struct sk_buff *skb, int status);
/* How many frames of its stream in operation @nr a peer need not wait for any more. */
u32 hc_taken(struct hc_member *m, u32 node, u64 nr);

/* --- coll/ack.c --- */
/* Returns the peer that is last, of those that tell which operations are done. */
u32 hc_ack_peer(const struct hc_member *m);
/* False: no memory or no room; it has to be said again. */
bool hc_ack_xmit(struct hc_member *m, const struct hc_tree_peer *peer, const struct hc_ack *d);
/* Tell what was kept back so far. */
void hc_ack_tell(struct hc_member *m);

/* For plans whose root says what is done. */
extern const struct hc_ack_ops hc_ack_root;
/* For plans in which each member knows this by itself: what is handed over is done. */
extern const struct hc_ack_ops hc_ack_alone;
/* The window moves to d->nr, but not past a result that has not come down to the end;
 * the sources are told.  True: it has moved.
 */
bool hc_ack_set(struct hc_member *m, const struct hc_ack *d);
/* Results have come down: see whether more is done now. */
void hc_ack_review(struct hc_member *m);

/* --- coll/check.c --- */
/* Take the parameters from an operation's first frame, compare those of others. */
bool hc_op_params(struct hc_op *op, const struct hc_wire_data *w);
/* Is DATA to be dropped without a word?  0 or the reason.  Up: source @i, -1 if none. */
unsigned int hc_up_refused(struct hc_member *m, int i, const struct sk_buff *skb);
unsigned int hc_down_refused(struct hc_member *m, const struct sk_buff *skb);
/* Is it what comes next? 0: yes, and the stream goes on after it; -EPROTO: it cannot be. */
int hc_up_check(struct hc_member *m, struct hc_op *op, unsigned int i, const struct sk_buff *skb);
int hc_down_check(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
/* Is it the round that follows what has come before *at (coll/rounds.h)? Then *at is behind it, and
 * @len the bytes of the round, which may not be those of the frame.
 */
bool hc_round_follows(u64 *at, const struct sk_buff *skb, u32 parts, u32 piece, u32 *len);

/* --- coll/end.c --- */
/* A generation begins. */
void hc_end_init(struct hc_member *m);
/* The operation cannot be completed here, for what @cause says; .nr is filled in. */
void hc_fail(struct hc_member *m, u64 nr, struct hc_end cause);
enum hc_progress hc_op_fail(struct hc_member *m, struct hc_op *op, int status, u32 node);
/* The same, found outside of any operation's work: work goes on with what did not fail. */
void hc_fail_go_on(struct hc_member *m, u64 nr, struct hc_end cause);
/* Its process leaves, and gives nothing from @nr on. */
void hc_leave(struct hc_member *m, u64 nr, enum hc_stop kind);
/* A way of the plan that leads by this member is gone. */
void hc_over(struct hc_member *m, struct hc_end cause);
/* To one end of a detour that asks: the plan is over. */
void hc_over_again(struct hc_member *m, const struct hc_tree_peer *peer);
/* Another one comes in its place. */
void hc_came(struct hc_member *m);
/* The first source that is not in the generation of the member. */
u32 hc_behind(const struct hc_member *m);
/* There is a part of operation @nr, of its process or of a peer. */
void hc_part_came(struct hc_member *m, u64 nr);
/* The link, or the way, from source @i is of no use any more; that to a destination is. */
void hc_cut_below(struct hc_member *m, unsigned int i, struct hc_end cause);
void hc_cut_above(struct hc_member *m, struct hc_end cause);
/* A fault has broken a plan without a root, as this member finds or hears. */
void hc_broke(struct hc_member *m, const struct hc_end *cause);
/* STOP or END has come.  0, or why it is not believed. */
unsigned int hc_end_rx(struct hc_member *m, struct sk_buff *skb);
/* The root decides whether an operation has to end, now that it has gone on. */
void hc_root_decides(struct hc_member *m);
/* A source has told how far it is (ACK), with its generation. */
void hc_moved_rx(struct hc_member *m, const struct sk_buff *skb);
/* Go on behind END, if all below it has ended here.  True: the member has. */
bool hc_end_go_on(struct hc_member *m);
/* There was no memory or no room for a word: nothing else may be sent before that. */
static inline bool hc_word_owed(const struct hc_member *m)
{
	return unlikely(m->gen.unsaid);
}

/* If so, say it now. */
void hc_words_again(struct hc_member *m);
/* STOP or END, also of a node that is no member. */
struct sk_buff *hc_end_word(struct hc_node *node, u8 type, u32 gen, const struct hc_end *end);
/* Can a cause be what a frame says? */
bool hc_cause_has_sense(const struct hc_member *m, u32 status, u16 node, u16 dim);
/* All that is under way ends with @m->gen.last but what is handed over and complete at the root;
 * NULL: nothing is known of that.
 */
void hc_ends_all(struct hc_member *m, const struct hc_root_view *root);
/* Tell listeners that operations from @first on have failed, and why. */
void hc_end_event(struct hc_member *m, const struct hc_end *end, u64 first);
/* A fault has broken the plan: tell listeners, once. */
void hc_plan_breaks(struct hc_member *m, const struct hc_end *cause);
/* Where the cause lies of what has failed, if it is known; of no failure (status 0) it is not. */
static inline void hc_cause_tell(const struct hc_end *cause, struct hypercube_result *res)
{
	bool failed = cause->status;

	res->cause_node = failed && cause->node != HC_CAUSE_NONE ? cause->node : ~0U;
	res->cause_dim = failed && cause->dim != HC_CAUSE_NONE ? cause->dim : ~0U;
}

/* Tell the process that an operation failed as @m->gen.last says; @op may be NULL. */
void hc_status_end(struct hc_member *m, struct hc_op *op, const struct hc_rec *rec, u64 nr);
/* May a frame of this generation, about this operation, come now?  0, or why not. */
unsigned int hc_gen_refused(const struct hc_member *m, u32 gen, u64 nr);
/* Does the operation fail if such a frame is lost?  Else it is of no use, or cannot be. */
bool hc_is_awaited(const struct hc_member *m, u32 gen, u64 nr);
/* In lockstep: the number behind that of the operation at hand. */
u64 hc_nr_behind(const struct hc_member *m, u64 nr);

/* --- coll/lost.c --- */
/* Does the member's role use link @dim? */
bool hc_member_uses(const struct hc_member *m, unsigned int dim);
/* Link @dim of a node has failed: note it. */
void hc_plan_cut(struct hc_node *node, struct hc_plan *plan, unsigned int dim);
/* And go on with what did not fail. */
void hc_plan_fault(struct hc_node *node, struct hc_plan *plan, unsigned int dim);

/* A machine does not have the plan (hc_plan.lost). */
void hc_plan_lost(struct hc_member *m);
/* The way to a peer at the other end of a detour is. */
void hc_way_lost(struct hc_member *m, const struct hc_tree_peer *peer, const struct hc_end *cause);

/* --- coll/work.c --- */
/* The member waits for something: look at it again now and then.  Poll. */
void hc_member_wait(struct hc_member *m);
/* It has not done all that it could do: go on in the next poll.  Poll. */
void hc_member_again(struct hc_member *m);
/* Let its poll look whether its links are usable.  Config, or poll. */
void hc_member_check(struct hc_member *m);
/* Its plan was unpublished: no poll shall find it after a grace period.  Config. */
void hc_member_forget(struct hc_member *m);

/* --- coll/stall.c --- */
void hc_probe_rx(struct hc_member *m, const struct sk_buff *skb);
/* What a node that does not have the plan says to PROBE, or NULL: nothing. */
struct sk_buff *hc_probe_none(struct hc_node *node, const struct sk_buff *skb);
void hc_stall_check(struct hc_member *m);
/* Note clock, time and stage costs that came with a frame. */
void hc_op_note(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
/* Send a frame to a peer of the tree, the way the tree says.  If that fails, the operation of
 * the DATA or CREDIT frame may be gone afterwards.  Return: 0, -ENOLINK, or -ENOBUFS: there is no
 * room for a control message.
 */
int hc_peer_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb);
/* The same of DATA; @others: it holds what others have given, so the node may lie about it. */
void hc_relay_xmit(struct hc_member *m, const struct hc_tree_peer *peer, struct sk_buff *skb,
		   bool others);
/* Fill in the header of a DATA frame towards a peer whose link is occupied until @busy, one step
 * after @clock.
 */
void hc_stage_header(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer,
		     u64 *busy, u32 clock, struct sk_buff *skb);
/* The same towards destination @i. */
void hc_data_header(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb);
/* Send the last DATA frame towards destination @i.  False: the operation is gone. */
bool hc_last_xmit(struct hc_member *m, struct hc_op *op, unsigned int i, struct sk_buff *skb);
/* End all with @status, but what the root had completed, and free the state.
 * @root: NULL: nothing is known of it.  Config, after a grace period.
 */
void hc_member_destroy(struct hc_member *m, int status, const struct hc_root_view *root);
u32 hc_op_steps(const struct hc_member *m, const struct hc_op *op);

/* --- coll/fanout.c --- */
/* A segment (or part) that shares the pages of @skb, or copies a short payload. */
struct sk_buff *hc_seg_share(struct hc_node *node, struct sk_buff *skb, u32 off, u32 len);
/* May the root put out one more segment of the result?  If not, notes the wait. */
bool hc_root_may(struct hc_member *m, struct hc_op *op);
/* Put it out: to the process, and down; consumes.  False: the operation is gone. */
bool hc_root_out(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);
/* Has source @i room for one more segment, or is nothing sent to it? */
bool hc_down_room(const struct hc_member *m, const struct hc_op *op, unsigned int i);
/* Send a copy that shares the pages down to source @i.  Returns as hc_coll_ops.down_pass(). */
enum hc_progress hc_down_send(struct hc_member *m, struct hc_op *op, unsigned int i,
			      struct sk_buff *skb);
/* May @skb be passed on to all sources that want it, and the process?  If not, the wait is
 * noted or the operation has failed.
 */
bool hc_down_all_may(struct hc_member *m, struct hc_op *op, const struct sk_buff *skb);
/* Pass it on to them, for there is room.  Returns as hc_coll_ops.down_pass(). */
enum hc_progress hc_down_all_pass(struct hc_member *m, struct hc_op *op, struct sk_buff *skb,
				  bool last);
/* Tell a peer how many of its frames were taken.  False: the operation is gone. */
bool hc_credit_return(struct hc_member *m, struct hc_op *op, const struct hc_tree_peer *peer);
/* Pass on what has come from above for one operation; at the root of a broadcast: what its
 * process contributes.  HC_BLOCKED also if nothing is there, which is not noted.
 */
enum hc_progress hc_down_advance(struct hc_member *m, struct hc_op *op);
/* The same for all results that follow and have not come down to the end. */
void hc_results_advance(struct hc_member *m);

/* --- coll/parts.c --- */
/* Bytes of each member's part of @total. */
u64 hc_part_bytes(const struct hc_member *m, u64 total);
/* How many of the bytes [@at, @at + @len) of @total are of the member's part?  They begin at @at +
 * *off.
 */
u32 hc_part_within(const struct hc_member *m, u64 total, u64 at, u32 len, u32 *off);
/* Give the process its part of the next piece of the result; consumes.  False: the operation is
 * gone.
 */
bool hc_part_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, bool last);
/* Give it a piece of the block of each member, at @at in all of them; consumes. */
void hc_pieces_result(struct hc_member *m, struct hc_op *op, struct sk_buff *skb, u64 at,
		      bool last);

/* --- coll/gather.c --- */
/* Tell the helpers but the first that nothing comes this way.  False: the operation is gone. */
bool hc_others_end(struct hc_member *m, struct hc_op *op);

/* --- coll/reduce.c --- */
/* Merge @in into the segment @acc it belongs to; the caller keeps both.  @peer: the node
 * one of them is from.  False: they do not fit.
 */
bool hc_segment_merge(struct hc_member *m, struct hc_op *op, struct sk_buff *acc,
		      const struct sk_buff *in, u32 peer);

/* --- coll/host.c --- */
/* Tell the process that what waits for the member, which goes away, ends with @status. */
void hc_host_waiting_refuse(struct hc_member *m, int status);
/* The plan is mended: what a socket that was closed meanwhile owes ends now. */
void hc_host_resume(struct hc_member *m);

#endif /* _HC_COLL_H */
