/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Shared by the tests: a fabric of their own with a socket at every node, its faults
 * and plans as the planners make them, and the driver that lets one process take the
 * part of all members at once.
 */
#ifndef _HC_CUBE_H
#define _HC_CUBE_H

#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "hc_doubling.h"
#include "hc_nl.h"
#include "hc_ring.h"
#include "bcast.h"
#include "plan.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

/* ------------------------------------------------------------ the surroundings */

/* Is this a kernel with debugging, several times slower? */
bool debug_kernel(void);
/* Iterations: all of @n, or the share HC_SCALE (per cent) of it; at least one. */
unsigned int scaled(unsigned int n);

/* Of a series, a kernel with debugging tests only one member in this many. */
unsigned int stride(void);
/* Seconds to wait for what comes in @s on a fast machine. */
int patience(int s);
/* Pseudo-random numbers, the same in every run. */
uint64_t rnd(void);
unsigned int below(unsigned int n);
uint64_t now_ms(void);
/* The now_ms() until which to wait for what comes in @s on a fast machine. */
uint64_t deadline(int s);
/* Go on in a network namespace of one's own: what is left in it ends with us. */
int own_netns(void);
/* Stay in the network namespace that this process was born in. */
void own_netns_done(void);

/* ------------------------------------------------------------ control */

/* The connection that all below use; opened at first use. */
struct nl *ctl(void);

int ctl_fabric_new(const char *name, unsigned int dim, unsigned int segment);
int ctl_fabric_del(const char *name);
/* Word of a task whose link has failed is waited for @ms, 0: without limit. */
int ctl_patience(const char *name, unsigned int ms);
int ctl_link_down(const char *name, unsigned int node, unsigned int dim, bool down);
/* The loss is of one end only with @one_way. */
int ctl_link_loss(const char *name, unsigned int node, unsigned int dim, unsigned int ppm,
		  bool one_way);

/* So many bytes in a second over a link in one direction, 0: any. */
int ctl_link_rate(const char *name, unsigned int node, unsigned int dim, uint64_t rate);

/* Impairments of the frames of a link in both directions; as the attributes. */
struct impairments {
	unsigned int loss;
	unsigned int corrupt;
	unsigned int duplicate;
	unsigned int seed;
	uint64_t delay;
	uint64_t jitter;
	uint64_t rate;
};

int ctl_link_impair(const char *name, unsigned int node, unsigned int dim,
		    const struct impairments *i);

/* Counters of all link ends of a fabric, added up. */
struct link_sums {
	uint64_t tx_frames;
	uint64_t corrupted;
	uint64_t duplicated;
	uint64_t delayed;
	uint64_t queued;
	uint64_t queued_bytes;
	uint64_t checksum;
	uint64_t duplicate;
	uint64_t queue_full;
	uint64_t replays;
	uint64_t gap;
	unsigned int spent;	/* ends */
};

int ctl_link_sums(const char *name, struct link_sums *sums);
/* HYPERCUBE_LINK_F_*, all of them if it cannot be told. */
unsigned int ctl_link_state(const char *name, unsigned int node, unsigned int dim);
int ctl_node_failed(const char *name, unsigned int node, bool failed);
int ctl_node_owner(const char *name, unsigned int node, unsigned int uid);
/* Let a node lie about what it relays: in so many ppm, or in the @n frames of @at; @seed < 0: leave
 * the random numbers alone.
 */
int ctl_node_lie(const char *name, unsigned int node, unsigned int ppm, const unsigned int *at,
		 unsigned int n, int64_t seed);

/**
 * struct node_view - what is told of a node
 * @lie: ppm
 * @lie_seed: of its random numbers
 * @nat: how many frames its list names
 * @lies: frames it has lied about
 * @agreed: datagrams all copies of which came and agreed
 * @disagreed: those of whose copies some disagreed
 * @incomplete: others of which copies are missing
 */
struct node_view {
	unsigned int lie;
	unsigned int lie_seed;
	unsigned int nat;
	uint64_t lies;
	uint64_t agreed;
	uint64_t disagreed;
	uint64_t incomplete;
};

int ctl_node_get(const char *name, unsigned int node, struct node_view *v);
/* All that is told of it goes to @cb. */
int ctl_node_ask(const char *name, unsigned int node, nl_cb cb, void *arg);
int ctl_fault_clear(const char *name);
int ctl_plan_new(const char *name, unsigned int id, const struct hc_tree *t,
		 const uint32_t *fault);
int ctl_bcast_new(const char *name, unsigned int id, const struct hc_bcast *b,
		  const uint32_t *fault);
int ctl_doubling_new(const char *name, unsigned int id, const struct hc_doubling *d,
		     const uint32_t *fault);
int ctl_ring_new(const char *name, unsigned int id, const struct hc_ring_tree *t,
		 const uint32_t *fault, unsigned int dim);
/* The same of a plan that repairs itself. */
int ctl_ring_repair(const char *name, unsigned int id, const struct hc_ring_tree *t,
		    const uint32_t *fault, unsigned int dim);
int ctl_plan_del(const char *name, unsigned int id);

/**
 * struct wait_view - how a node is doing in a plan
 * @wait: enum hypercube_wait, or -1: it is no member
 * @peer: whom it waits for
 * @nr: for which operation
 * @next: number of its next contribution
 */
struct wait_view {
	int wait;
	unsigned int peer;
	uint64_t nr;
	uint64_t next;
	uint64_t done;
};

/* Print which node waits for what, for people who look into a failure. */
void ctl_op_print(const char *name);
int ctl_op_get(const char *name, unsigned int plan, unsigned int node, struct wait_view *v);

/* ------------------------------------------------------------ sockets */

int shc_family(void);
struct sockaddr_hypercube shc_addr(const char *name, unsigned int node);
/* A bound non-blocking socket, or -errno. */
int shc_bound(const char *name, unsigned int node, int type);
/* One that is connected to a plan. */
int shc_connected(const char *name, unsigned int node, unsigned int plan);
/* Begin a contribution; @op NULL: go on with it.  Bytes taken, or -errno. */
ssize_t shc_send(int fd, const struct hypercube_op *op, const void *buf, size_t len, int flags);
/* Bytes or -errno; *eor: the record is complete. */
ssize_t shc_recv(int fd, void *buf, size_t len, struct hypercube_result *res, bool *eor,
		 int flags);

/* The same of what should come within seconds. */
ssize_t shc_recv_soon(int fd, void *buf, size_t len, struct hypercube_result *res);
/* Does something come to be received, within what takes @s on a fast machine? */
bool readable(int fd, int s);
/* Receive and forget all that has come. */
void shc_drain(int fd);
/* How the next operation ends there: its status, or an error of the call. */
int shc_ended(int fd);

/* ------------------------------------------------------------ fabrics */

#define CUBE_MAX	(1 << 8)

/**
 * struct ring_view - a plan of rings, as the kernel tells of it
 * @tree: its rings; no ring: there is no such plan
 * @ring: those of @tree
 * @node: those of @tree
 * @members: set of the members
 * @broken: a fault has broken it
 * @repairs: how often it was mended, ~0: it does not mend itself
 */
struct ring_view {
	struct hc_ring_tree tree;
	struct hc_ring ring[CUBE_MAX];
	uint16_t node[2 * CUBE_MAX];
	uint32_t members[CUBE_MAX / 32];
	bool broken;
	unsigned int repairs;
};

int ctl_ring_get(const char *name, unsigned int plan, struct ring_view *v);

/**
 * struct cube - a fabric
 * @name: its name
 * @dim: dimension
 * @nodes: 2^dim
 * @segment: bytes of a full segment
 * @faults: the faults set so far, as the planners see them
 * @plan: the last plan made; valid if @planned.  Of a doubling: the tree of the same
 *	bits, which is not installed
 * @planned: see @plan
 * @bcast: the last broadcast plan made; valid if @bcast_planned
 * @bcast_planned: see @bcast
 * @doubling: the last plan for doubling
 * @fd: collective socket of each node, or -1
 */
struct cube {
	char name[HYPERCUBE_NAME_MAX];
	unsigned int dim;
	unsigned int nodes;
	unsigned int segment;
	struct hc_faults *faults;
	struct hc_tree_plan plan;
	bool planned;
	struct hc_bcast_plan bcast;
	bool bcast_planned;
	struct hc_doubling doubling;
	int fd[CUBE_MAX];
};

/* All return 0 or -errno. */
int cube_new(struct cube *c, unsigned int dim, unsigned int segment);
int cube_del(struct cube *c);
int cube_bind(struct cube *c, unsigned int node);
int cube_bind_all(struct cube *c);
/* All leave, and when the news of that has come everywhere others come in their place. */
int cube_rebind_all(struct cube *c);
/* A new cube with a socket at each node. */
int cube_bound(struct cube *c, unsigned int dim, unsigned int segment);
/* A new cube with a socket for datagrams at each node. */
int cube_dgrams(struct cube *c, unsigned int dim);
void cube_close(struct cube *c, unsigned int node);
int cube_fail_link(struct cube *c, unsigned int node, unsigned int dim);
/* All links. */
int cube_impair(struct cube *c, const struct impairments *i);
/* So many attempts of a million are lost everywhere. */
int cube_lossy(struct cube *c, unsigned int loss, unsigned int seed);
int cube_fail_node(struct cube *c, unsigned int node);
int cube_heal(struct cube *c);
/* A new cube of eight nodes with a plan, where theorem 5 of Leu & Kuo fails: node 0 has nobody to
 * help, and so a detour, and its stage takes three steps.
 */
int cube_detour(struct cube *c, unsigned int id, unsigned int segment);
/* Plan around the faults, to @sink or HC_ANY_SINK, and install. */
int cube_plan_to(struct cube *c, unsigned int id, uint32_t sink);
int cube_plan(struct cube *c, unsigned int id);
/* With this order of all dimensions. */
int cube_plan_fixed(struct cube *c, unsigned int id, uint32_t sink, const uint8_t *order);
/* The same for a subcube: free dimensions @dims, around node @base. */
int cube_plan_sub(struct cube *c, unsigned int id, uint32_t dims, uint32_t base);
/* Recursive doubling in the subcube of these dimensions around @base. */
int cube_doubling(struct cube *c, unsigned int id, uint32_t dims, uint32_t base);
/* A new cube with a doubling of all its nodes, all bound. */
int cube_doubling_ready(struct cube *c, unsigned int id, unsigned int dim, unsigned int segment);
int cube_doubling_install(struct cube *c, unsigned int id);
/* Does an operation with this size of a block take so many steps, and is it right? */
typedef bool (*cube_takes_fn)(struct cube *c, size_t size, unsigned int steps);
/* Doublings of one to sixteen nodes, with the block_sizes() of a node's part of @full and @many.
 * Return: how often it was wrong, or could not be tried.
 */
unsigned int cube_doubling_sizes(unsigned int id, size_t full, size_t many, cube_takes_fn takes);
/* Doublings of sixteen nodes with some orders of the stages, and of four around a failed node.
 * Return: how often it was wrong, or could not be tried.
 */
unsigned int cube_doubling_orders(unsigned int id, cube_takes_fn takes);
/* Contribute to a doubling of 512 nodes, more than a segment has bytes: as shc_send(). */
ssize_t cube_send_of_512(const struct hypercube_op *op, const void *in);
/* Contributions that must be refused with @err. */
struct op_wrong {
	size_t bytes;
	unsigned int flags;
	unsigned int oper;
	int err;
};

/* Node 0 begins an operation like @op with each of these.  Return: how many were not refused so. */
unsigned int cube_not_refused(const struct cube *c, const struct hypercube_op *op, const void *in,
			      const struct op_wrong *wrong, unsigned int n);
/* Plan a broadcast around the faults, and install. */
int cube_bcast_plan(struct cube *c, unsigned int id, uint32_t source,
		    enum hc_bcast_method method);
/* Install the plan at hand again; waits for the nodes to have heard of the faults. */
int cube_install(struct cube *c, unsigned int id);
bool cube_member(const struct cube *c, unsigned int node);
/* Link number @i of the cube, 0 .. dim * nodes / 2 - 1. */
void cube_link(const struct cube *c, unsigned int i, unsigned int *node, unsigned int *dim);
/* A test's work around the faults of the moment: was it right? */
typedef bool (*cube_around_fn)(struct cube *c);
/* Around each link that fails and each pair, or every @step-th.  Return: how often it was
 * wrong, or could not be tried; the faults are printed then.
 */
unsigned int cube_pairs_of_links(struct cube *c, cube_around_fn around, unsigned int step);
/* Around random failed nodes and links, every third time so many that detours are needed. */
unsigned int cube_random_faults(struct cube *c, cube_around_fn around, unsigned int rounds);
/* The same in cubes that are made for it, of eight nodes, and of sixteen to sixty four. */
unsigned int cube_pairs_of_eight(cube_around_fn around, unsigned int step);
unsigned int cube_random_to_64(cube_around_fn around, unsigned int rounds);
/* Both, as tests. */
#define TESTS_AROUND(around, rounds)						\
	static bool around(struct cube *c);					\
	TEST_NONE_WRONG(every_pattern_of_two_links_of_eight,			\
			cube_pairs_of_eight(around, stride()))			\
	TEST_NONE_WRONG(random_faults_of_sixteen_to_sixty_four,			\
			cube_random_to_64(around, rounds))
/* Sizes of blocks to be tried, of which @full fills a segment and @many takes many. */
#define BLOCK_SIZES 9
static inline void block_sizes(size_t *size, size_t full, size_t many)
{
	const size_t all[BLOCK_SIZES] = {
		0, 1, 7, full - 1, full, full + 1, 2 * full, 5 * full + 13, many,
	};

	memcpy(size, all, sizeof(all));
}

/* What all links have sent; 0: it cannot be told. */
uint64_t cube_tx_bytes(const struct cube *c);
/* A line for the log that tells of the faults. */
void cube_print_faults(const struct cube *c);

/* ------------------------------------------------------------ the driver */

/**
 * struct job - one operation as one member sees it
 * @op: what is contributed; the cookie is the driver's
 * @in: the data; with @period, that many bytes of it again and again
 * @period: see @in
 * @out: where the result goes, or NULL; all of it, of an ALLGATHER or ALLTOALL
 * @room: bytes at @out
 * @expect: bytes that the result must have, with @period again and again, or NULL
 * @waits: this member hears of the end: it is the sink, or wants to be told
 * @sent: bytes taken by the kernel
 * @got: bytes of the result that have come
 * @begun: the kernel knows of it
 * @over: nothing more is to be sent
 * @refused: the error with which sendmsg() refused to begin it, or 0
 * @ends: how often its end was told
 * @wrong: bytes that differ from what was expected
 * @res: its end
 */
struct job {
	struct hypercube_op op;
	const void *in;
	size_t period;
	void *out;
	size_t room;
	const void *expect;
	bool waits;
	size_t sent;
	size_t got;
	bool begun;
	bool over;
	int refused;
	unsigned int ends;
	size_t wrong;
	struct hypercube_result res;
};

/**
 * struct party - a socket and what is to be done with it
 * @fd: the socket, or -1
 * @job: the operations in order
 * @njobs: how many
 * @next: the one being sent
 * @settled: all before this one are sent or refused, and have ended if they must
 * @dead: the socket says that all is over, with this error
 * @failed: it was told of a failure, and something that it had begun before has not ended
 * @stops: it begins nothing more after a failure, for others may have begun less
 * @base: cookie of the first operation
 * @strays: records with cookies of no operation in the list
 */
struct party {
	int fd;
	struct job *job;
	unsigned int njobs;
	unsigned int next;
	unsigned int settled;
	int dead;
	bool failed;
	bool stops;
	uint64_t base;
	unsigned int strays;
};

/* Send and receive what is possible now; returns whether anything moved.  A party that is told of a
 * failure waits for the ends of all that it has begun, and goes on with the next job: hypercube(7).
 */
bool drive_once(struct party *p, unsigned int n);
/* The same with at most @burst calls of each kind at a socket. */
bool drive_some(struct party *p, unsigned int n, unsigned int burst);
bool drive_done(struct party *p, unsigned int n);
/* Go on until all is sent and all ends have come: 0 or -ETIMEDOUT. */
int drive(struct party *p, unsigned int n, int seconds);
/* The same for operations that must all end well, and whose ends must be told in the order in
 * which each plan began them.  Return: how many did not, the first of them with a line in the
 * log.
 */
unsigned int drive_well(struct party *p, unsigned int n, int seconds);
/* Is what member @i has of its operation @k as it must be, with @bytes of each? */
typedef bool (*right_fn)(const struct party *p, const unsigned int *node, unsigned int n,
			 unsigned int i, unsigned int k, size_t bytes);
/* Parties that are told of a failure begin no more. */
void drive_stop_failed(struct party *p, unsigned int n);
/* drive() for operations that may fail: told of, or refused, once.  @good: how many ended well. */
unsigned int drive_ended(struct party *p, unsigned int n, int seconds, unsigned int *good);
/* The same for the first operation of each, and those that ended well must be @right. */
unsigned int drive_ended_right(struct party *p, const unsigned int *node, unsigned int n,
			       size_t bytes, right_fn right, unsigned int *good);
/* The same for operations that must all end with @status.  Return: how many did not. */
unsigned int drive_refused(struct party *p, unsigned int n, int status);
/**
 * struct begun - operations under way when a blow comes
 * @how: which blow, in the test's own numbers
 * @p: who takes part
 * @node: at which nodes
 * @n: how many
 * @size: of a block of theirs
 */
struct begun {
	int how;
	struct party *p;
	const unsigned int *node;
	unsigned int n;
	size_t size;
};

/* Has operation @k of party @i ended as it may? */
typedef bool (*drive_fair_fn)(const struct begun *b, unsigned int i, unsigned int k);
/* Are all of them told of, or refused, once, and as it may be?  Parties that are told of a failure
 * begin no more.  Return: how many did not end well at those that have a socket, or -1.
 */
int drive_blown(const struct cube *c, const struct begun *b, drive_fair_fn fair);
/* Go on until nothing has moved for so long. */
void drive_until_quiet(struct party *p, unsigned int n, int ms);
/* The same while party @u does not read, and then with it to the end.  Return: how many had given
 * the whole of their first operation before, and whether not all ended.
 */
unsigned int drive_held_up(struct party *p, unsigned int n, unsigned int u);

/* Have all that have a socket begun an operation of the plan?  Who leaves then fails for each.
 * Waits for that for seconds.
 */
bool cube_all_begun(const struct cube *c, unsigned int plan);

/* A party at every bound member of the cube's plan, each with @njobs jobs that
 * the caller fills in; returns how many.  Release with parties_free().
 */
unsigned int parties(const struct cube *c, struct party *p, unsigned int *node,
		     unsigned int njobs);
void parties_free(struct party *p, unsigned int n);
/* The same, with what is given and received by the jobs, if all of that was allocated. */
void parties_done(struct party *p, unsigned int n, unsigned int njobs);

/* One sum of u64 in which every member has the bit of its number; checks that the
 * sink gets each exactly once and everybody hears of the end.  Returns 0, or a
 * negative errno: of the operation, or -EBADMSG for a wrong result.  @res, if not
 * NULL: as the sink saw it.
 */
int cube_reduce(struct cube *c, unsigned int plan, struct hypercube_result *res);
/* The same by an allreduce: all members get it. */
int cube_allreduce(struct cube *c, unsigned int plan, struct hypercube_result *res);
/* All but @last come to a barrier, and nobody leaves it.  Return: how many did something else. */
unsigned int barrier_without(const struct cube *c, const struct hypercube_op *op,
			     unsigned int last);
/* The right sum. */
uint64_t cube_mask(const struct cube *c);

#endif /* _HC_CUBE_H */
