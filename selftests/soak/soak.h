/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The long-running test of the in-kernel collectives: declarations that its files share.
 *
 * Each node has a process (member.c), the member of all plans there. Another process, the world
 * (world.c), has hcctl install plans, and injects faults (chaos.c). The run consists of eras: in an
 * era the members work through one list of contributions, in an order that all of them know; no
 * operation is under way between two eras. The data of a contribution is computed from the seed,
 * the era, the plan, its number and the node (oracle.c), so the receiver of a result can compute
 * what it must be. The test knows no more of the module than linux/hypercube.h and hypercube(7)
 * say.
 */
#ifndef SOAK_H
#define SOAK_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <linux/hypercube.h>

#define NODES_MAX	64
#define OPS_MAX		8192		/* greatest number of contributions of a member in an era */
#define RESULT_MAX	(1u << 19)
#define LARGEST		(200u * 1024)
#define PERIOD		509		/* elements repeat after this number of elements */

enum plan_slot { TREE_A, TREE_B, BCAST, DOUBLING, PLANS };

/* Rows of the table of results: the values of enum hypercube_collective, and these further rows. */
enum row {
	ROW_DATAGRAM = HYPERCUBE_SCATTER + 1,
	ROW_MERGE,
	ROW_DOUBLED,
	ROW_DOUBLED_BARRIER,
	ROWS,
};

/* How a contribution, or a message to be received, ended at a member. */
enum fate {
	RIGHT,		/* with the result that the test has computed */
	QUIET,		/* taken by the kernel; no notification of its end was requested */
	ERROR,		/* with an error that an event explains */
	REFUSED,	/* by an error of sendmsg() that an event explains */
	ABANDONED,	/* by its own process, which was killed or closed its socket */
	WRONG,		/* with status 0, but with a wrong result */
	UNFOUNDED,	/* with an error that no event explains */
	DOUBLED,	/* with a second end, or an end that belongs to no contribution */
	LOST,		/* its end had not arrived when the era ended */
	HUNG,		/* its end has not arrived for ten seconds, which nothing explains */
	FATES,
	FIRST_BAD = WRONG,
};

/* Events of the world that explain errors, as a mask. */
enum allow_error {
	EX_LINK = 1 << 0,	/* a link was down */
	EX_NODE = 1 << 1,	/* a node had failed */
	EX_CLOSE = 1 << 2,	/* a socket was closed */
	EX_MEMORY = 1 << 4,	/* allocations fail */
	EX_REPLACE = 1 << 5,	/* a plan was replaced or removed */
};

enum sizes { SMALL, MIXED, LARGE };

struct plan {
	uint32_t id;
	uint32_t root;			/* the sink, the source, or the base of the plan */
	uint64_t members;		/* mask of nodes */
	bool doubling, bcast;
	bool detours;			/* the plan has detours */
	bool active;			/* the plan is installed */
};

/* An operation of the era, with what its members have recorded; indexed by its number among the
 * operations of its plan in this era.
 */
struct ledger {
	_Atomic uint64_t op;		/* 1 + its number in the kernel, if it succeeded */
	_Atomic uint64_t failed;	/* 1 + the least operation number with which it failed */
	_Atomic uint64_t digest;	/* digest of the right result; 0: not known yet */
	_Atomic uint32_t claimed;	/* 1 + the node of the member that computes .digest */
	_Atomic uint32_t disputed;	/* a member found a wrong result: do not wait for .digest */
	_Atomic uint32_t recorded;	/* the operation is in world.operations */
	uint32_t first;			/* the node whose process was the first to set .op */
	_Atomic int32_t at_sink;	/* its end at the root; 1: status 0; -errno: failed */
};

/* Where the events of this era occurred: an error must name one of these as its cause. */
struct deeds {
	_Atomic uint64_t closed;	/* mask of nodes at which a socket was closed */
	_Atomic uint64_t failed;	/* mask of nodes that have failed */
	_Atomic uint32_t replaced;	/* bit i: plan[i] of the era was replaced */
	_Atomic uint32_t cut[NODES_MAX];	/* bit d: link d of the node was down */
};

struct era {
	_Atomic uint32_t gen;
	_Atomic uint32_t limit;		/* members stop before the contribution of this number */
	_Atomic uint32_t tainted;	/* mask of the plans on which a member got an error */
	_Atomic uint32_t allowed_errors;	/* EX_*: events so far that explain errors */
	struct deeds deeds;
	uint32_t ops;
	uint32_t window;		/* pending contributions that a member may have */
	uint32_t notify;		/* contributions that request a notification, per cent */
	uint32_t datagrams;		/* messages sent, in per cent of the contributions */
	uint32_t weight[PLANS];		/* relative number of contributions to each plan */
	enum sizes sizes;
	bool small_reads;		/* members often receive records in pieces */
	struct plan plan[PLANS];
};

enum seat_order { ORDER_NONE, ORDER_CLOSE, ORDER_BIND, ORDER_SETTLE, ORDER_SETTLE_NOW };

/* The state of a node's process, which other processes read. The world writes .order, and the
 * process writes the rest.
 */
struct seat {
	pid_t pid;
	uint32_t incarnation;		/* number of processes that the node has had */
	bool takes_part, stopped;
	int wake;			/* eventfd that wakes the process */
	_Atomic int order;		/* enum seat_order; ORDER_NONE once it is carried out */
	_Atomic int bound;
	_Atomic uint32_t gen;		/* the era in which it takes part, or the last one */
	_Atomic uint32_t finished;	/* the last era in which it has nothing left to do */
	_Atomic uint32_t seen;		/* mask of the plans in era.tainted that it knows of */
	_Atomic uint32_t next;		/* number of its next contribution in the era */
	_Atomic uint32_t computes;	/* the process is computing a result, which takes time */
	_Atomic uint32_t deaf;		/* the process has lost a record for lack of memory */
	struct {
		_Atomic uint32_t pending;	/* contributions whose end has not arrived */
		_Atomic uint64_t progress;	/* time of the last progress, ms */
		_Atomic uint32_t begun;		/* as the source of a broadcast: messages begun */
		_Atomic uint32_t attempted;	/* as the source: messages tried */
	} plan[PLANS];
	_Atomic uint64_t fate[ROWS][FATES];
	_Atomic uint64_t pending[ROWS];		/* contributions lost if the process is killed */
	_Atomic uint64_t datagrams_sent;
};

struct world {
	char fabric[16];
	int family;
	uint32_t dim, nodes, segment;
	uint64_t seed;
	uint32_t wait_secs;		/* factor for all timeouts, for kernels with debugging */
	uint32_t sndbuf, rcvbuf;
	_Atomic int quit;
	_Atomic uint64_t operations;
	_Atomic uint64_t bytes;
	_Atomic uint64_t bad;
	_Atomic uint64_t disorder;	/* number of failures that arrived out of order */
	_Atomic uint64_t errors[ROWS][140];
	struct era era;
	struct seat seat[NODES_MAX];
	struct ledger ledger[PLANS][OPS_MAX];
};

/* The parameters of an operation; each member computes the same. */
struct spec {
	uint8_t collective, oper, type;
	bool rough;			/* the elements are floats whose sum is rounded */
	uint32_t width, element;	/* bytes of a record, for merges; bytes of an element */
	uint32_t count;			/* elements of a contribution; for a merge: the most */
	uint64_t key;			/* the elements follow from this key */
	int row;
};

struct soak;

/* rand.c */
uint64_t mix(uint64_t x);
uint64_t key_of(uint64_t seed, uint64_t a, uint64_t b, uint64_t c, uint64_t d);
struct dice { uint64_t state; };
uint64_t roll(struct dice *d);
uint32_t below(struct dice *d, uint32_t n);
bool chance(struct dice *d, uint32_t percent);
uint64_t now_ms(void);

/* values.c */
void value_make(const struct spec *sp, uint64_t key, uint32_t node, uint32_t i, void *out);
void run_make(const struct spec *sp, uint64_t key, uint32_t i, uint32_t n, void *out);
bool ascends(const struct spec *sp, const void *base, size_t n);
uint64_t elements_digest(const struct spec *sp, const void *base, size_t n);

/* oracle.c */
void spec_make(const struct world *w, int plan, uint32_t idx, struct spec *sp);
int plan_of(const struct era *e, uint64_t seed, uint32_t s);
uint64_t give_bytes(const struct spec *sp, const struct plan *p, uint32_t node);
void give_fill(const struct spec *sp, const struct plan *p, uint32_t node,
	       void *out);
bool gets_data(const struct spec *sp, const struct plan *p, uint32_t node);
const char *result_fault(struct world *w, const struct spec *sp, const struct plan *p,
			 uint32_t node, struct ledger *l, const void *got, uint64_t len);
bool bcast_matches(const struct spec *sp, const void *got, uint64_t len);
void message_fill(uint64_t key, void *out, size_t len);
uint64_t digest_of(const void *data, size_t len);

/* ledger.c */
const char *row_name(int row);
const char *fate_name(int fate);
void record_fate(struct world *w, uint32_t node, int row, enum fate fate);
void complain(struct world *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ledger_add(const struct world *w);
void ledger_progress(const struct world *w, uint32_t seconds);
int ledger_close(double seconds);

/* member.c */
struct entry {
	uint32_t idx;			/* number among the contributions to its plan */
	uint8_t plan;
	bool pending, silent, handed;
	int row;
};

/* State of a member in its process. */
struct member {
	struct world *w;
	struct seat *me;
	uint32_t node, incarnation;
	bool bound;
	struct port {
		int fd;			/* the socket, or -1 */
		uint32_t lost;		/* records that the socket had lost at the last query */
	} port[PLANS + 1];		/* one for each plan; the last one serves all plans */
	int messages;
	uint64_t now, received;		/* ms: the present time, and that of the last record */
	uint32_t gen;			/* the era in which the member takes part, or 0 */
	uint32_t last;			/* the era that it began last */
	uint32_t tainted;
	uint32_t s, idx[PLANS];		/* next contribution in the era, and on each plan */
	uint32_t waiting;		/* own contributions whose end has not arrived */
	uint32_t waits[PLANS];
	bool dead[PLANS];		/* no more contributions to the plan, after an error */
	bool reported[PLANS];		/* a failure has arrived, in this era or in the last one */
	struct entry entry[OPS_MAX];
	bool sending, begun, full;	/* a contribution is being sent; has begun; lacks space */
	struct hypercube_op op;
	uint64_t sent;			/* bytes sent of the contribution that is being sent */
	uint8_t out[RESULT_MAX];
	uint8_t in[RESULT_MAX];
	struct pieces {			/* the record that is being received on a plan */
		bool open;
		struct hypercube_result head;
		uint64_t got;
		uint8_t data[RESULT_MAX];
	} pieces[PLANS];
	uint32_t next_message[PLANS];	/* number of the broadcast's message to be received next */
	uint64_t message_failed[PLANS];	/* 1 + the operation number of the message that failed */
	uint32_t failed_from[PLANS];	/* the latest contribution whose failure has arrived */
	struct dice dice;
	struct got_news {
		uint32_t incarnation, top;
		uint64_t bits[4];
	} got_news[NODES_MAX];
};

void member_run(struct world *w, uint32_t node);
void member_begin(struct member *m);
bool member_failed(struct member *m, int plan, int row, int error,
		   const struct hypercube_result *r);
void entry_end(struct member *m, struct entry *e, enum fate fate);

/* port.c */
bool ports_open(struct member *m);
void ports_close(struct member *m);
void ports_none(struct member *m);
int port_of(const struct member *m, int plan);
uint32_t ports_lost(struct member *m);

/* settle.c */
uint32_t owed(const struct member *m, int plan);
void entries_settle(struct member *m);
void entries_abandon(struct member *m);

/* checker.c */
void check_piece(struct member *m, const struct hypercube_result *r, size_t n, bool last);
void check_forget(struct member *m);

/* allowed_error.c */
bool error_allowed(const struct world *w, int plan, int error);
bool cause_true(const struct world *w, uint32_t node, int error, const struct hypercube_result *r);
void deed_link(struct world *w, uint32_t u, uint32_t d);
void deeds_forget(struct world *w);

/* datagram.c */
void datagram_send(struct member *m);
bool datagram_receive(struct member *m);

/* hcctl.c */
int hcctl(char *out, size_t room, const char *format, ...) __attribute__((format(printf, 3, 4)));
int json_numbers(const char *json, const char *name, uint32_t *out, int room);
const char *hcctl_said(void);
bool config(struct soak *s, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Kinds of events that the world causes. */
enum kind {
	K_LINK,
	K_NODE,
	K_KILL,
	K_CLOSE,
	K_STOP,
	K_REPLACE,
	K_MEMORY,
	/* impairments of links for a whole era, not single events */
	K_LOSS,
	K_CORRUPT,
	K_DUPLICATE,
	K_DELAY,
	KINDS,
};

struct soak {
	struct world *w;
	struct dice dice;
	bool calm;			/* an option: no events */
	bool fresh;			/* all plans have just been installed */
	bool memory;			/* allocations can be made to fail */
	bool unclean;			/* links have impairments */
	uint64_t begin, end, said;
	uint64_t calm_since;		/* ms; since then no event explains that members wait */
	uint64_t tick;			/* ms: when the world last ran */
	uint32_t only;			/* mask of the kinds that may occur; 0: all kinds */
	uint32_t kinds;			/* mask of this era's kinds, 1 << enum kind */
	uint32_t carried;		/* EX_*: events of the last era that still explain errors */
	uint32_t link_down[NODES_MAX];	/* bit d: link d of the node is down */
	uint64_t node_failed;
	uint64_t next_event, last_event;
	uint64_t wake_at[NODES_MAX];	/* when a stopped process is to continue, in ms; or 0 */
	uint64_t memory_until;
	bool absent;			/* a member has left during this era */
	uint32_t events[KINDS];
	uint32_t eras, released, rebound, continued;
	uint64_t longest;		/* the longest wait of a member, in ms, explained or not */
};

/* world.c */
int world_run(struct soak *s);
bool members_stop(struct soak *s, int plan);
void world_record(struct world *w, int row, enum fate fate, uint32_t n);

/* processes.c */
void member_spawn(struct soak *s, uint32_t u);
void member_kill(struct soak *s, uint32_t u);
void member_wake(const struct world *w, uint32_t u);
void members_wake(const struct world *w);
bool members_order(struct soak *s, uint64_t mask, int order);
void members_continue(struct soak *s);
bool members_spawn(struct soak *s);
void members_end(struct soak *s);

/* plans.c */
extern const uint32_t plan_ids[PLANS];
uint64_t reachable(const struct soak *s, uint32_t from);
bool plans_install(struct soak *s);
void plan_replace(struct soak *s, int slot);
bool waiting_explained(struct soak *s);
void waiting_show(struct soak *s);

/* chaos.c */
void chaos_choose(struct soak *s);
void chaos_faults(struct soak *s);
void chaos_impair(struct soak *s);
void chaos_event(struct soak *s);
void chaos_end(struct soak *s);
bool chaos_memory_prepare(void);
const char *kind_name(int kind);

extern volatile sig_atomic_t interrupted;

#endif
