/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The base of most tests: a fabric of its own for the test, with a socket at every node; faults;
 * plans that the planners of the tool make; and the driver, with which one process acts for all
 * members.
 */
#ifndef _HC_CUBE_H
#define _HC_CUBE_H

#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "hc_doubling.h"
#include "hc_nl.h"
#include "hc_ring.h"
#include "hc_span.h"
#include "bcast.h"
#include "plan.h"

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

/* --- the environment of a test --- */

/* Return: true if this is a kernel with debugging, which is several times slower. */
bool debug_kernel(void);
/* Return: number of iterations to run: @n scaled by the environment variable HC_SCALE (per cent),
 * at least one.
 */
unsigned int scaled(unsigned int n);

/* Return: 1 if a test is to run all cases of a long series; n > 1, on a kernel with debugging, if
 * it is to run only each n-th case.
 */
unsigned int stride(void);
/* Return: seconds to wait for an event that takes at most @s seconds on a fast machine. */
int wait_secs(int s);
/* rnd() returns the next pseudo-random number, below(n) one that is less than n. Both yield the
 * same sequence in every run of a program.
 */
uint64_t rnd(void);
unsigned int below(unsigned int n);
uint64_t now_ms(void);
/* Return: the value of now_ms() at which to stop waiting for an event that takes at most @s seconds
 * on a fast machine.
 */
uint64_t deadline(int s);
/* Move to a new network namespace, unless this process has already done so. The namespace is
 * removed, with all fabrics in it, when the process ends.
 */
int own_netns(void);
/* Let later calls of own_netns() in this process do nothing: it has moved to a namespace by itself,
 * or is to stay in the present one.
 */
void own_netns_done(void);
/* Call @part with @arg and each number below @n, each in a process of its own. Return: number of
 * processes in which it did not return 0.
 */
unsigned int processes_failed(unsigned int n, int (*part)(void *arg, unsigned int i), void *arg);

/* --- configuration of fabrics --- */

/* Return: the netlink connection that all functions below use; it is opened at the first use. */
struct nl *ctl(void);

int ctl_fabric_new(const char *name, unsigned int dim, unsigned int segment);
int ctl_fabric_del(const char *name);
/* Set the stall timeout: for how many ms a node waits for notifications of a task whose link has
 * failed; 0: without limit.
 */
int ctl_stall_timeout(const char *name, unsigned int ms);
int ctl_link_down(const char *name, unsigned int node, unsigned int dim, bool down);
/* Let a link lose @ppm of a million frames. @one_way: only frames that node @node sends are lost.
 */
int ctl_link_loss(const char *name, unsigned int node, unsigned int dim, unsigned int ppm,
		  bool one_way);

/* Limit a link in one direction to @rate bytes per second; 0: no limit. */
int ctl_link_rate(const char *name, unsigned int node, unsigned int dim, uint64_t rate);

/* Impairments of a link, for both directions. The members have the names and the units of the
 * attributes HYPERCUBE_A_LINK_*.
 */
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

/* Sums of the counters of all link ends of a fabric. The members have the names of the counters. */
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
	unsigned int spent;	/* number of link ends whose link is spent */
};

int ctl_link_sums(const char *name, struct link_sums *sums);
/* Return: HYPERCUBE_LINK_F_* of a link end; all flags if they could not be read. */
unsigned int ctl_link_state(const char *name, unsigned int node, unsigned int dim);
int ctl_node_failed(const char *name, unsigned int node, bool failed);
int ctl_node_owner(const char *name, unsigned int node, unsigned int uid);
/* Make a node corrupt frames that it relays: the @n frames whose numbers are in @at or, if @at is
 * NULL, @ppm of a million. @seed: seed of the random numbers that select frames; < 0: do not set
 * it.
 */
int ctl_node_byzantine(const char *name, unsigned int node, unsigned int ppm,
		       const unsigned int *at, unsigned int n, int64_t seed);

/**
 * struct node_view - what the kernel reports of a node
 * @lie: how many of a million relayed frames the node corrupts
 * @lie_seed: start of the random numbers that select these frames
 * @nat: number of frames that are listed for corruption
 * @lies: number of frames that the node has corrupted
 * @agreed: number of datagrams all copies of which arrived and were equal
 * @disagreed: number of datagrams some copies of which mismatched
 * @incomplete: number of other datagrams of which copies were missing
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
/* Request the state of a node, and call @cb with each message of the reply. */
int ctl_node_ask(const char *name, unsigned int node, nl_cb cb, void *arg);
int ctl_fault_clear(const char *name);
/* From now on install all plans as guarded plans with a timeout of @ms; 0: as plans that are not
 * guarded.
 */
void ctl_guard(unsigned int ms);
int ctl_plan_new(const char *name, unsigned int id, const struct hc_tree *t,
		 const uint32_t *fault);
int ctl_bcast_new(const char *name, unsigned int id, const struct hc_bcast *b,
		  const uint32_t *fault);
int ctl_span_new(const char *name, unsigned int id, const struct hc_span *s,
		 const uint32_t *fault);
int ctl_doubling_new(const char *name, unsigned int id, const struct hc_doubling *d,
		     const uint32_t *fault);
int ctl_ring_new(const char *name, unsigned int id, const struct hc_ring_tree *t,
		 const uint32_t *fault, unsigned int dim);
/* As ctl_ring_new(), with REPAIR: the plan repairs itself. */
int ctl_ring_repair(const char *name, unsigned int id, const struct hc_ring_tree *t,
		    const uint32_t *fault, unsigned int dim);
int ctl_plan_del(const char *name, unsigned int id);

/**
 * struct wait_view - what a node of a plan waits for
 * @wait: enum hypercube_wait, or -1 if the node is no member
 * @peer: the node that it waits for
 * @nr: number of the operation for which it waits
 * @next: number of its next contribution
 * @done: the node knows that all operations with lower numbers are complete
 */
struct wait_view {
	int wait;
	unsigned int peer;
	uint64_t nr;
	uint64_t next;
	uint64_t done;
};

/* Print to the log for what each node waits, so that it can be seen why a test has failed. */
void ctl_op_print(const char *name);
int ctl_op_get(const char *name, unsigned int plan, unsigned int node, struct wait_view *v);

/* --- sockets --- */

#define CUBE_MAX	(1 << 8)

int shc_family(void);
struct sockaddr_hypercube shc_addr(const char *name, unsigned int node);
/* Return: a non-blocking socket bound to @node, or -errno. */
int shc_bound(const char *name, unsigned int node, int type);
/* Return: a bound socket that is connected to plan @plan, or -errno. */
int shc_connected(const char *name, unsigned int node, unsigned int plan);
/* Begin a contribution with the operation @op, or continue the current one if @op is NULL. Return:
 * bytes that the kernel has taken, or -errno.
 */
ssize_t shc_send(int fd, const struct hypercube_op *op, const void *buf, size_t len, int flags);
/* Receive a record or a piece of one. *@eor: set to true if this completes the record, else to
 * false. Return: bytes received, or -errno.
 */
ssize_t shc_recv(int fd, void *buf, size_t len, struct hypercube_result *res, bool *eor,
		 int flags);
/* What shc_recv_named() fills in. @truncated: the buffer had no room for some bytes. @named: the
 * notification of the operation's end names missing members. @places: set of the members that have
 * a position in the result. @missing: set of those whose blocks are missing.
 */
struct shc_named {
	bool truncated;
	bool named;
	uint32_t places[CUBE_MAX / 32];
	uint32_t missing[CUBE_MAX / 32];
};

ssize_t shc_recv_named(int fd, void *buf, size_t len, struct hypercube_result *res, bool *eor,
		       int flags, struct shc_named *named);

/* As shc_recv(), but wait up to a time limit for data. */
ssize_t shc_recv_soon(int fd, void *buf, size_t len, struct hypercube_result *res);
/* Wait up to @s seconds, or longer on a slow machine, until there is something to receive. Return:
 * true if there is.
 */
bool readable(int fd, int s);
/* Receive and drop all records that have arrived at the socket. */
void shc_drain(int fd);
/* Wait for the end of the next operation at this socket. Return: the status of the operation, or
 * the error of the receive call.
 */
int shc_ended(int fd);

/* --- fabrics --- */

/**
 * struct ring_view - a plan of rings, as the kernel reports it
 * @tree: the rings of the plan; no rings if the plan does not exist
 * @ring: memory for the rings of @tree
 * @node: memory for the nodes of @tree
 * @members: the set of members
 * @broken: a fault has broken the plan
 * @repairs: how often the plan was repaired; ~0 if it is not a plan that repairs itself
 */
struct ring_view {
	struct hc_ring_tree tree;
	struct hc_ring ring[CUBE_MAX];
	uint16_t node[2 * CUBE_MAX];
	uint32_t members[CUBE_MAX / 32];
	bool broken;
	unsigned int repairs;
};

/* The reason why a plan is broken. @status: a positive errno. @node: the node that the kernel names
 * as the cause, or ~0 if it names none.
 */
struct plan_cause {
	bool broken;
	int status;
	unsigned int node;
};

int ctl_plan_cause(const char *name, unsigned int id, struct plan_cause *cause);
int ctl_ring_get(const char *name, unsigned int plan, struct ring_view *v);

/**
 * struct cube - a fabric, its plans and its sockets
 * @name: name of the fabric
 * @dim: its dimension
 * @nodes: number of nodes, 2^dim
 * @segment: bytes of a full segment
 * @faults: the current faults, in the form that the planners use
 * @plan: the last tree plan made, valid if @planned. For recursive doubling: the tree that has the
 *	same dimensions, which is not installed
 * @planned: @plan is valid
 * @bcast: the last broadcast plan made, valid if @bcast_planned
 * @bcast_planned: @bcast is valid
 * @doubling: the last plan made for recursive doubling
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

/* All functions below return 0 or -errno unless they say otherwise. */
int cube_new(struct cube *c, unsigned int dim, unsigned int segment);
int cube_del(struct cube *c);
int cube_bind(struct cube *c, unsigned int node);
int cube_bind_all(struct cube *c);
/* Close the sockets of all nodes, wait until all nodes have been notified that these processes have
 * left, and bind new sockets.
 */
int cube_rebind_all(struct cube *c);
/* Make a cube, with a collective socket at each node. */
int cube_bound(struct cube *c, unsigned int dim, unsigned int segment);
/* Make a cube, with a datagram socket at each node; @fd of struct cube has the sockets. */
int cube_dgrams(struct cube *c, unsigned int dim);
void cube_close(struct cube *c, unsigned int node);
int cube_fail_link(struct cube *c, unsigned int node, unsigned int dim);
/* Set impairments of all links. */
int cube_impair(struct cube *c, const struct impairments *i);
/* Let each link lose @loss of a million frames. @seed: seed of the random numbers that select them.
 */
int cube_lossy(struct cube *c, unsigned int loss, unsigned int seed);
int cube_fail_node(struct cube *c, unsigned int node);
int cube_heal(struct cube *c);
/* Make a cube of eight nodes with faults and a plan for which theorem 5 of Leu & Kuo does not hold:
 * node 0 has no effective helper, so it sends over a detour, and its stage takes three steps.
 */
int cube_detour(struct cube *c, unsigned int id, unsigned int segment);
/* Make a tree plan with root @sink around the faults, and install it. HC_ANY_SINK: the planner
 * chooses the root.
 */
int cube_plan_to(struct cube *c, unsigned int id, uint32_t sink);
int cube_plan(struct cube *c, unsigned int id);
/* As cube_plan_to(), but with all dimensions in the order @order. */
int cube_plan_fixed(struct cube *c, unsigned int id, uint32_t sink, const uint8_t *order);
/* As cube_plan_to(), for the subcube with the free dimensions @dims around node @base. */
int cube_plan_sub(struct cube *c, unsigned int id, uint32_t dims, uint32_t base);
/* Install recursive doubling for the subcube with the free dimensions @dims around node @base. */
int cube_doubling(struct cube *c, unsigned int id, uint32_t dims, uint32_t base);
/* Make a cube with a plan of recursive doubling of all its nodes, and bind sockets at all of them.
 */
int cube_doubling_ready(struct cube *c, unsigned int id, unsigned int dim, unsigned int segment);
int cube_doubling_install(struct cube *c, unsigned int id);
/* A function of a test, which runs an operation with blocks of @size bytes. Return: true if the
 * operation takes @steps steps and has the right result.
 */
typedef bool (*cube_takes_fn)(struct cube *c, size_t size, unsigned int steps);
/* Try recursive doubling of one to sixteen nodes, with each of block_sizes(@full, @many) as the
 * length of a block. Return: number of tries that failed or could not be made.
 */
unsigned int cube_doubling_sizes(unsigned int id, size_t full, size_t many, cube_takes_fn takes);
/* Try recursive doubling of two to 128 nodes, in random orders of stages, with blocks of lengths
 * around the limits at which chunks lie in pages of their own (coll/chunk.h). Return: as
 * cube_doubling_sizes().
 */
unsigned int cube_doubling_apart(unsigned int id, cube_takes_fn takes);
/* Try recursive doubling of sixteen nodes with some orders of the stages, and of four nodes around
 * a failed node. Return: as cube_doubling_sizes().
 */
unsigned int cube_doubling_orders(unsigned int id, cube_takes_fn takes);
/* Contribute at one node to an operation of recursive doubling of 512 nodes, in a new cube whose
 * segments have 256 bytes, fewer than there are nodes. Return: as shc_send().
 */
ssize_t cube_send_of_512(const struct hypercube_op *op, const void *in);
/* Values that replace those of a valid operation, and the error @err with which the kernel must
 * refuse the changed operation.
 */
struct op_wrong {
	size_t bytes;
	unsigned int flags;
	unsigned int oper;
	int err;
};

/* For each of the @n elements of @wrong, replace values of operation @op by those of the element,
 * and begin the operation at node 0. Return: number of operations that were not refused with the
 * right error.
 */
unsigned int cube_not_refused(const struct cube *c, const struct hypercube_op *op, const void *in,
			      const struct op_wrong *wrong, unsigned int n);
/* Make a broadcast plan around the faults and install it. */
int cube_bcast_plan(struct cube *c, unsigned int id, uint32_t source,
		    enum hc_bcast_method method);
/* cube_plan_without() makes a tree plan as if the nodes of the set @nodes had failed, although they
 * have not, and installs it. cube_install() installs the last tree plan again; it waits until all
 * nodes have been notified of the faults.
 */
int cube_plan_without(struct cube *c, unsigned int id, uint32_t sink, uint64_t nodes);
int cube_install(struct cube *c, unsigned int id);
bool cube_member(const struct cube *c, unsigned int node);
/* Find the lower end and the dimension of link number @i of the cube, 0 .. dim * nodes / 2 - 1. */
void cube_link(const struct cube *c, unsigned int i, unsigned int *node, unsigned int *dim);
/* A function of a test, which makes a plan around the current faults of @c and uses it. Return:
 * true if the result was right.
 */
typedef bool (*cube_around_fn)(struct cube *c);
/* For each link, call @around with this link failed, and with this and a second link failed, for
 * every @step-th second link. Return: number of calls that failed or could not be made; the faults
 * of failed calls are printed.
 */
unsigned int cube_pairs_of_links(struct cube *c, cube_around_fn around, unsigned int step);
/* Call @around @rounds times, each time with other random nodes and links failed; in every third
 * round there are so many faults that plans need detours. Return: as cube_pairs_of_links().
 */
unsigned int cube_random_faults(struct cube *c, cube_around_fn around, unsigned int rounds);
/* cube_pairs_of_eight() is cube_pairs_of_links() in a new cube of eight nodes. cube_random_to_64()
 * is cube_random_faults() in new cubes of sixteen, 32 and 64 nodes.
 */
unsigned int cube_pairs_of_eight(cube_around_fn around, unsigned int step);
unsigned int cube_random_to_64(cube_around_fn around, unsigned int rounds);
/* Define two tests that call the function @around, with cube_pairs_of_eight() and with
 * @rounds of cube_random_to_64() in each cube.
 */
#define TESTS_AROUND(around, rounds)						\
	static bool around(struct cube *c);					\
	TEST_NONE_WRONG(every_pattern_of_two_links_of_eight,			\
			cube_pairs_of_eight(around, stride()))			\
	TEST_NONE_WRONG(random_faults_of_sixteen_to_sixty_four,			\
			cube_random_to_64(around, rounds))
/* Write BLOCK_SIZES lengths of blocks to try to @size. @full: bytes that fill one segment; @many: a
 * greater length, of many segments.
 */
#define BLOCK_SIZES 9
static inline void block_sizes(size_t *size, size_t full, size_t many)
{
	const size_t all[BLOCK_SIZES] = {
		0, 1, 7, full - 1, full, full + 1, 2 * full, 5 * full + 13, many,
	};

	memcpy(size, all, sizeof(all));
}

/* Return: bytes that all links of the cube have sent; 0 if the counters could not be read. */
uint64_t cube_tx_bytes(const struct cube *c);
/* Print a line with the faults to the log. */
void cube_print_faults(const struct cube *c);

/* --- the driver --- */

/**
 * struct job - an operation at one member
 * @op: the operation; the driver sets its cookie
 * @in: the data to contribute; with @period, the first @period bytes repeat
 * @period: see @in
 * @out: memory for the result, or NULL; an ALLGATHER or ALLTOALL needs memory for the whole result
 * @room: bytes at @out
 * @expect: bytes that the result must have, repeating after @period bytes, or NULL
 * @waits: this member must be notified of the end: it is the root, or has requested a notification
 * @sent: bytes that the kernel has taken
 * @got: bytes of the result that have arrived
 * @begun: the kernel has begun the operation
 * @over: the member has nothing more to send
 * @refused: error with which sendmsg() refused to begin the operation, or 0
 * @ends: number of notifications of its end
 * @wrong: number of bytes that differ from @expect
 * @res: the result with which it ended
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
 * struct party - a member: its socket and its operations
 * @fd: the socket, or -1
 * @job: the operations in their order
 * @njobs: number of operations
 * @next: index of the operation that is being sent
 * @settled: all operations before this index are sent or refused, and have ended if the member
 *	waits for their ends
 * @dead: error with which the socket reports that it cannot be used any more, or 0
 * @failed: the member was notified of a failure, and an operation begun before that has not ended
 * @stops: after a failure the member begins no more operations, as other members may have begun
 *	fewer
 * @base: cookie of the first operation
 * @strays: number of records whose cookie belongs to no operation
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

/* Send and receive what is possible now, without blocking. A member that was notified of a failure
 * waits for the ends of all operations that it has begun, and then continues with the next one: see
 * hypercube(7). Return: true if anything was sent or received.
 */
bool drive_once(struct party *p, unsigned int n);
/* As drive_once(), with at most @burst calls of each kind per socket. */
bool drive_some(struct party *p, unsigned int n, unsigned int burst);
bool drive_done(struct party *p, unsigned int n);
/* Continue until all operations are sent and all ends received. Return: 0 or -ETIMEDOUT. */
int drive(struct party *p, unsigned int n, int seconds);
/* As drive(), for operations that must all succeed, and whose ends each member must receive in the
 * order in which each plan began them. Return: number of operations for which this did not hold;
 * the first of them is printed to the log.
 */
unsigned int drive_well(struct party *p, unsigned int n, int seconds);
/* Return: true if the result of operation @k of member @i is right, with @bytes from each member.
 */
typedef bool (*right_fn)(const struct party *p, const unsigned int *node, unsigned int n,
			 unsigned int i, unsigned int k, size_t bytes);
/* From now on let members that are notified of a failure begin no more operations. */
void drive_stop_failed(struct party *p, unsigned int n);
/* As drive(), for operations that may fail. For each operation the member must be notified of its
 * end once, or sendmsg() must refuse it. @good: set to the number of operations that succeeded.
 * Return: number of operations for which this did not hold.
 */
unsigned int drive_ended(struct party *p, unsigned int n, int seconds, unsigned int *good);
/* As drive_ended(), for the first operation of each member; @right checks the results of those that
 * succeeded.
 */
unsigned int drive_ended_right(struct party *p, const unsigned int *node, unsigned int n,
			       size_t bytes, right_fn right, unsigned int *good);
/* As drive_ended(), for operations that must all end with the error @status. Return: number of
 * operations that did not.
 */
unsigned int drive_refused(struct party *p, unsigned int n, int status);
/**
 * struct begun - operations that are under way when a fault or another event is injected
 * @how: number of the event, as the test counts them
 * @p: the members
 * @node: their nodes
 * @n: number of members
 * @size: bytes of a block of their operations
 */
struct begun {
	int how;
	struct party *p;
	const unsigned int *node;
	unsigned int n;
	size_t size;
};

/* Return: true if operation @k of member @i has ended in an allowed way. */
typedef bool (*drive_fair_fn)(const struct begun *b, unsigned int i, unsigned int k);
/* Run operations that an event has disturbed until they end. Check that each of them has one end or
 * was refused, and that @fair allows that. Members that are notified of a failure begin no more
 * operations. Return: number of operations that did not succeed at members with a socket; -1 if the
 * check failed.
 */
int drive_blown(const struct cube *c, const struct begun *b, drive_fair_fn fair);
/* Drive all members until nothing has been sent or received for @ms. */
void drive_until_quiet(struct party *p, unsigned int n, int ms);
/* Drive all members except @u until nothing has been sent or received for a while, and then drive
 * all members until all operations have ended. Return: number of members that had sent all of their
 * first contribution while @u did not receive, plus one if not all operations end.
 */
unsigned int drive_held_up(struct party *p, unsigned int n, unsigned int u);

/* Wait until each member that has a socket has begun an operation of the plan. From then on, if a
 * member leaves, the operation fails at all of them. Return: false if this takes longer than the
 * time limit.
 */
bool cube_all_begun(const struct cube *c, unsigned int plan);

/* Make a struct party for every bound member of the cube's plan, each with @njobs jobs that the
 * caller fills in. Return: number of members. Release with parties_free().
 */
unsigned int parties(const struct cube *c, struct party *p, unsigned int *node,
		     unsigned int njobs);
void parties_free(struct party *p, unsigned int n);
/* As parties_free(), and free the contribution and the result memory (struct job) of all jobs,
 * which must be allocated memory.
 */
void parties_done(struct party *p, unsigned int n, unsigned int njobs);

/* Run one sum of u64 in which node u contributes 1 << u, so that the bits of the sum show which
 * contributions it has. Check that the root gets the bit of each member once and that each member
 * is notified of the end. @res, if not NULL: set to the root's result. Return: 0; the operation's
 * error, a negative errno; or -EBADMSG for a wrong result.
 */
int cube_reduce(struct cube *c, unsigned int plan, struct hypercube_result *res);
/* As cube_reduce(), with an allreduce: check that all members get the sum. */
int cube_allreduce(struct cube *c, unsigned int plan, struct hypercube_result *res);
/* As cube_reduce(), after processes have left: if the operation fails at a member because a process
 * has left, the member contributes again.
 */
int cube_reduce_again(struct cube *c, unsigned int plan);
int cube_allreduce_again(struct cube *c, unsigned int plan);
/* Begin a barrier at all members but @last; none of them may get its end yet. Return: number of
 * members at which a call failed or an end arrived.
 */
unsigned int barrier_without(const struct cube *c, const struct hypercube_op *op,
			     unsigned int last);
/* Return: the right result of cube_reduce(): the set of the plan's members, as a mask. */
uint64_t cube_mask(const struct cube *c);

#endif /* _HC_CUBE_H */
