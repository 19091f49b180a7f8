/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A collective component of Open MPI over libhypercube.
 *
 * The component converts each call that it takes to a vector, which has the same length at all
 * ranks. Each rank contributes one part of the vector, and zeros for the rest (in a reduction: the
 * whole vector). The kernel combines the contributions of all ranks over a tree, and each rank
 * takes the parts that it needs from the result. So a collective is a row of a table (shape.c): it
 * has the length of the vector, and the parts that ranks contribute and take. On a guarded plan
 * these operations survive faults; fall.c completes them when the plan is over.
 *
 * The *module below* is the module of Open MPI whose function the component has replaced. A call is
 * *taken* if the component executes it; otherwise the call *goes below*, to that module. A *chunk*
 * is a part of a vector, of at most HCM_CHUNK bytes, that the kernel combines in one operation.
 *
 * calls.c	MPI's functions
 * component.c	the component and its parameters
 * fall.c	operations of a plan that is over
 * flow.c	posting of chunks, and their results
 * group.c	the plan of a communicator
 * limits.c	sizes for which the module below is faster
 * message.c	messages between processes
 * persist.c	persistent requests
 * shape.c	the vectors of the collectives
 * side.c	blocks in the callers' buffers
 * stats.c	statistics
 * types.c	types and operators, packing of elements
 */
#ifndef HYPERCUBE_MPI_COMPONENT_H
#define HYPERCUBE_MPI_COMPONENT_H

#include "ompi_config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "mpi.h"
#include "ompi/communicator/communicator.h"
#include "ompi/datatype/ompi_datatype.h"
#include "ompi/mca/coll/base/base.h"
#include "ompi/mca/coll/base/coll_base_util.h"
#include "ompi/mca/coll/coll.h"
#include "ompi/request/request.h"
#include "opal/runtime/opal_progress.h"
#include "opal/threads/mutex.h"

#include <libhypercube.h>
#include <libhypercube-plan.h>

/* Largest chunk, bytes. The ledger of a guarded plan has room for several contributions and results
 * of this length.
 */
#define HCM_CHUNK	65536
/* Largest number of chunks of a communicator that are under way at the same time. */
#define HCM_SLOTS	8
/* Largest vector, bytes, that goes to all ranks although each rank needs only a part of it. Calls
 * with longer vectors of this kind go below.
 */
#define HCM_SQUARE_MAX	HCM_CHUNK

/* The collectives of MPI: HCM_allreduce and so on. */
enum hcm_what {
#define WHAT(name) HCM_##name,
#include "whats.h"
	HCM_WHAT_NR
};

/* Why a call goes to the module below. */
enum hcm_reason {
	HCM_TAKEN,	/* the call is taken */
	HCM_CALL,	/* the kernel has no such collective */
	HCM_OPERATOR,	/* the kernel does not have the operator */
	HCM_TYPE,	/* the kernel does not have the operator for this type */
	HCM_LONG,	/* the vector is too long to go to ranks that need only a part of it */
	HCM_SLOW,	/* the module below is faster */
	HCM_LENGTHS,	/* the lengths decide which is faster, and the call may not wait for them */
	HCM_EARLY,	/* no blocking call has set up the communicator yet */
	HCM_NO_PLAN,	/* the communicator has no plan */
	HCM_OVER,	/* the communicator's plan is over */
	HCM_REASON_NR
};

/**
 * struct hcm_side - the blocks that a call sends or receives, in the caller's buffer
 * @buf: the buffer, or MPI_IN_PLACE
 * @count: number of elements of each block, if @counts is NULL
 * @dt: type of the elements, or NULL: the rank sends or receives nothing
 * @counts: number of elements of each rank's block, or NULL: all blocks have @count elements
 * @displs: displacement of each block in @buf, in elements, or in bytes if @dts is set; NULL: the
 *	blocks follow one another
 * @dts: type of each block, or NULL: all blocks have type @dt
 */
struct hcm_side {
	void *buf;
	size_t count;
	struct ompi_datatype_t *dt;
	const int *counts;
	const int *displs;
	struct ompi_datatype_t *const *dts;
};

/**
 * struct hcm_call - the arguments of a call of MPI, in one form for all collectives
 * @what: enum hcm_what
 * @send: the blocks to send
 * @recv: the blocks of the result
 * @op: the operator
 * @root: the root
 */
struct hcm_call {
	enum hcm_what what;
	struct hcm_side send;
	struct hcm_side recv;
	struct ompi_op_t *op;
	int root;
};

/**
 * struct hcm_type - how the kernel combines elements of a type
 * @oper: enum hypercube_oper
 * @type: enum hypercube_type
 * @bytes: length of an MPI element in the form that the kernel uses
 * @pair: MPI's type of pairs of a value and an index, or NULL
 */
struct hcm_type {
	uint8_t oper;
	uint8_t type;
	size_t bytes;
	const struct hcm_pair *pair;
};

/**
 * struct hcm_piece - a piece of a vector that a rank takes
 * @at: offset of the piece in the vector, bytes
 * @len: its length, bytes
 * @to: offset of the piece in hcm_op.take, bytes
 */
struct hcm_piece {
	size_t at;
	size_t len;
	size_t to;
};

/**
 * struct hcm_op - a call that is under way
 * @base: MPI's request, of the type in which Open MPI's functions store references to datatypes
 * @call: the call
 * @comm: its communicator
 * @next: next operation in the same queue or list
 * @type: how the elements are combined
 * @collective: enum hypercube_collective
 * @total: length of the vector, bytes
 * @give: contribution of this rank: @give_len bytes of the vector from offset @give_at on
 * @give_at: see @give
 * @give_len: see @give
 * @take: memory for the pieces that this rank takes
 * @piece: the pieces that this rank takes, @pieces of them
 * @pieces: see @piece
 * @one: memory for @piece if there is only one piece
 * @at: if not all ranks know the lengths of the blocks: offset of each block in the vector, and the
 *	end of the last block, or, as long as @asks is set, the length of each block; otherwise NULL
 * @arrays: memory for the arrays of @call
 * @packed_in: memory of @give, or NULL if @give is in the caller's buffer
 * @packed_out: memory of @take, or NULL if @take is in the caller's buffer
 * @posted: bytes of the vector that were posted
 * @finished: bytes of the vector whose results were received
 * @request: the caller waits by a request of MPI
 * @asks: the vector has the lengths of the blocks; a second vector, with the blocks, follows
 * @below: HCM_TAKEN, or the reason why the call goes below, found by all ranks when they got the
 *	lengths
 * @done: the operation has ended
 * @error: error of MPI
 * @restarts: how often the kernel has restarted operations of the call because of faults
 * @began: time at which the operation began, ns
 * @persist: the persistent request to which the operation belongs, or NULL
 */
struct hcm_op {
	ompi_coll_base_nbc_request_t base;
	struct hcm_call call;
	struct hcm_comm *comm;
	struct hcm_op *next;
	struct hcm_type type;
	uint8_t collective;
	size_t total;
	const char *give;
	size_t give_at;
	size_t give_len;
	char *take;
	struct hcm_piece *piece;
	size_t pieces;
	struct hcm_piece one;
	uint64_t *at;
	void *arrays;
	void *packed_in;
	void *packed_out;
	size_t posted;
	size_t finished;
	bool request;
	bool asks;
	enum hcm_reason below;
	volatile bool done;
	int error;
	uint32_t restarts;
	uint64_t began;
	struct hcm_persist *persist;
};

/**
 * struct hcm_slot - a chunk that is under way
 * @op: the operation to which it belongs
 * @at: its offset in the vector, bytes
 * @len: its length, bytes
 * @id: number of the library's operation
 * @in: memory for a contribution that is not contiguous at @op->give
 * @out: memory for a result that is not received directly at @op->take
 * @direct: the result is received directly at @op->take
 */
struct hcm_slot {
	struct hcm_op *op;
	size_t at;
	size_t len;
	uint64_t id;
	char *in;
	char *out;
	bool direct;
};

/* State of a communicator. */
enum hcm_state {
	HCM_NEW,	/* it has not been set up */
	HCM_UP,		/* its operations go through the kernel */
	HCM_FALLING,	/* the plan is over, and GO has not been received (fall.c) */
	HCM_FALLEN,	/* the plan is over, and GO has been received */
	HCM_DOWN,	/* there is no plan: all calls go below */
};

/**
 * struct hcm_comm - a communicator
 * @super: Open MPI's module
 * @below: functions and modules of the communicator before this component replaced the functions
 * @comm: Open MPI's communicator
 * @rank: rank of this process
 * @size: number of ranks
 * @state: enum hcm_state
 * @plan: id of its plan
 * @h: the library's handle, in state HCM_UP
 * @first: oldest operation that has not ended, or NULL
 * @last: newest operation
 * @posting: first operation that is not posted completely, or NULL
 * @slot: the chunks under way, a ring
 * @slots: number of chunks under way, from @head on
 * @head: index of the oldest chunk in @slot
 * @fall: state for the time when the plan is over
 * @given: HCM_FALLEN: this rank has sent its contribution to the oldest chunk to rank 0
 * @private: it has the plan of a persistent request, and shares @comm with the communicator of the
 *	program
 * @active: it is in the list of communicators with operations
 * @next: next communicator in that list
 */
struct hcm_comm {
	mca_coll_base_module_t super;
	mca_coll_base_comm_coll_t below;
	ompi_communicator_t *comm;
	int rank;
	int size;
	enum hcm_state state;
	uint32_t plan;
	struct hcl *h;
	struct hcm_op *first;
	struct hcm_op *last;
	struct hcm_op *posting;
	struct hcm_slot slot[HCM_SLOTS];
	unsigned int slots;
	unsigned int head;
	struct hcm_fall *fall;
	bool given;
	bool private;
	bool active;
	struct hcm_comm *next;
};

/**
 * struct hcm_message - the head of a message between processes
 * @plan: id of the communicator's plan
 * @kind: type of the message, see enum kind in fall.c
 * @from: rank of the sender in the communicator
 * @who: a rank, or another number, see enum kind
 * @len: bytes of data that follow the head
 * @number: two numbers, see enum kind
 */
struct hcm_message {
	uint32_t plan;
	uint32_t kind;
	int32_t from;
	int32_t who;
	uint64_t len;
	uint64_t number[2];
};

/**
 * struct hcm_kept - the result of a chunk, kept for other ranks
 * @bytes: the result
 * @len: its length, bytes
 * @size: size of the memory at @bytes
 */
struct hcm_kept {
	char *bytes;
	size_t len;
	size_t size;
};

/**
 * struct hcm_where - what rank 0 knows of a rank
 * @known: the rank has sent WHERE, and @results and @calls are valid
 * @results: number of results that the rank has received
 * @calls: number of operations that the rank has begun
 * @given: contribution of the rank to the present chunk, or NULL
 * @len: length of @given, bytes
 */
struct hcm_where {
	bool known;
	uint64_t results;
	uint64_t calls;
	void *given;
	size_t len;
};

/* NONE: the plan is not over. ASKED: WHERE was sent. REPORTED: GO was received. See fall.c. */
enum hcm_fall_phase { HCM_FALL_NONE, HCM_FALL_ASKED, HCM_FALL_REPORTED };

/**
 * struct hcm_fall - state of a communicator for the time when its plan is over
 * @next: next one in the list of all
 * @comm: the communicator, or NULL if it was freed
 * @plan: id of its plan
 * @rank: rank of this process
 * @size: number of ranks
 * @node: for each rank, its rank in MPI_COMM_WORLD
 * @since: time at which the communicator was freed, ns
 * @kept: the latest results; result n is in entry n % HCM_SLOTS
 * @results: number of results that this rank has received
 * @calls: number of operations that this rank has begun
 * @phase: enum hcm_fall_phase
 * @end: HCM_FALL_REPORTED: the largest number of results that any rank has received
 * @limit: HCM_FALL_REPORTED: the largest number of operations that any rank has begun
 * @failed: there was no memory
 * @where: at rank 0: what it knows of each rank
 * @known: at rank 0: number of ranks that have sent WHERE
 * @gave: at rank 0: number of ranks that have contributed to the present chunk
 * @why: why the plan is over, or NULL
 */
struct hcm_fall {
	struct hcm_fall *next;
	struct hcm_comm *comm;
	uint32_t plan;
	int rank;
	int size;
	int *node;
	uint64_t since;
	struct hcm_kept kept[HCM_SLOTS];
	uint64_t results;
	uint64_t calls;
	enum hcm_fall_phase phase;
	uint64_t end;
	uint64_t limit;
	bool failed;
	struct hcm_where *where;
	int known;
	int gave;
	char *why;
};

/* Print a line to standard error. */
__attribute__((format(printf, 1, 2))) void hcm_say(const char *format, ...);
uint64_t hcm_now_ns(void);

/* --- component.c --- */
/* Return: a new, empty struct hcm_comm, or NULL if there is no memory. */
struct hcm_comm *hcm_comm_new(void);
extern char hcm_fabric[HYPERCUBE_NAME_MAX];
extern int hcm_guard_ms;
extern bool hcm_required;
extern int hcm_spin;

/* --- calls.c --- */
/* Put the functions of this component into the module. The caller has set @m->below. */
void hcm_calls_set(struct hcm_comm *m);
void hcm_calls_release(struct hcm_comm *m);

/* Return: a new operation of @m, whose request is active, or persistent and inactive; NULL if there
 * is no memory.
 */
struct hcm_op *hcm_op_new(struct hcm_comm *m, bool persistent);

/* --- persist.c --- */
/* Make a persistent request for a call. @below: the request of the module below for the same call.
 * *@request is set to a request that goes through the kernel as long as its plan is not over, or to
 * @below. Return: an error of MPI.
 */
int hcm_persist(struct hcm_comm *m, const struct hcm_call *c, ompi_request_t *below,
		ompi_request_t **request);
/* Complete the persistent requests for which the request of the module below was started, and is
 * complete. Return: how many.
 */
int hcm_persist_progress(void);

/* --- shape.c --- */
const char *hcm_what_name(enum hcm_what what);
/* Check whether a call is taken, and fill in @type if it is. Return: HCM_TAKEN, or the reason why
 * the call goes below; it is equal at all ranks.
 */
enum hcm_reason hcm_shape_check(const struct hcm_comm *m, const struct hcm_call *c, bool blocking,
				struct hcm_type *type);
/* Copy the arrays of a call, which the caller may free when the call returns, to memory at
 * *@arrays. Return: an error of MPI.
 */
int hcm_call_keep(struct hcm_call *c, int size, void **arrays);
/* Fill in the operation of a call, except its position in the queue. Return: an error of MPI. */
int hcm_shape_op(const struct hcm_call *c, struct hcm_op *op);
/* The vector of lengths has been received: prepare the vector of the blocks. Return: an error of
 * MPI.
 */
int hcm_shape_lengths(struct hcm_op *op);
/* The operation has ended: unpack what was packed, and free its memory. */
void hcm_shape_end(struct hcm_op *op);

/* --- types.c --- */
/* Return: HCM_TAKEN with @type filled in, or the reason why the kernel cannot combine elements of
 * type @dt by operator @op.
 */
enum hcm_reason hcm_type_find(const struct ompi_op_t *op, const struct ompi_datatype_t *dt,
			      struct hcm_type *type);
size_t hcm_size(const struct ompi_datatype_t *dt);
ptrdiff_t hcm_extent(const struct ompi_datatype_t *dt);
/* Are @count elements contiguous in memory, and in the form that the kernel uses? */
bool hcm_is_plain(const struct ompi_datatype_t *dt, size_t count, const struct hcm_type *t);
/* Convert elements at @buf to the kernel's form at @bytes, and back. */
void hcm_pack(const struct ompi_datatype_t *dt, size_t count, const void *buf,
	      const struct hcm_type *t, void *bytes);
void hcm_unpack(const struct ompi_datatype_t *dt, size_t count, void *buf,
		const struct hcm_type *t, const void *bytes);

/* Combine the contribution @in of another rank into @sum, as the kernel does. */
void hcm_combine(const struct hcm_op *op, size_t len, const void *in, void *sum);

/* --- side.c: functions for block @block, or for @nr blocks from block @first on --- */
/* Return: the length of the block in the kernel's form; that of all blocks before it together. */
size_t hcm_side_bytes(const struct hcm_side *s, int block, const struct hcm_type *t);
size_t hcm_side_before(const struct hcm_side *s, int block, const struct hcm_type *t);
/* Return: the address of the blocks, if they are contiguous and in the kernel's form, else NULL. */
char *hcm_side_plain(const struct hcm_side *s, int first, int nr, const struct hcm_type *t);
void hcm_side_pack(const struct hcm_side *s, int first, int nr, const struct hcm_type *t,
		   char *bytes);
/* Unpack @len bytes to the block, or as many as it has room for. */
void hcm_side_unpack(const struct hcm_side *s, int block, size_t len, const struct hcm_type *t,
		     const char *bytes);

/* --- limits.c --- */
/* Set the limits to the rows of a text. */
void hcm_limits_set(const char *text);
/* Return: true if vectors of @bytes bytes go below; if any vectors go below; if all do. */
bool hcm_limits_below(enum hcm_what what, int ranks, size_t bytes);
bool hcm_limits_any(enum hcm_what what, int ranks);
bool hcm_limits_all(enum hcm_what what, int ranks);

/* --- group.c --- */
/* Set up the plan of a communicator. All ranks of it call this, and all get the same state. */
void hcm_group_setup(struct hcm_comm *m);
/* Release the plan of a communicator that is being freed. */
void hcm_group_leave(struct hcm_comm *m);
/* Remove all plans, since the program ends and no rank has an operation under way. */
void hcm_group_end(void);

/* --- flow.c --- */
/* Protects operations, the state in fall.c, and messages. */
extern opal_mutex_t hcm_lock;

/* Begin an operation: append it to the queue of @m. */
void hcm_flow_begin(struct hcm_comm *m, struct hcm_op *op);
/* Return: how often a call that blocks looks for its result before it sleeps. If there are more
 * processes than processors, another process needs this one's processor to bring the result.
 */
int hcm_flow_spin(void);
/* Wait until the operation has ended. */
void hcm_flow_wait(struct hcm_op *op);
/* Advance all operations; opal_progress() calls this. Return: how many operations have ended. */
int hcm_flow_progress(void);

/* Count an operation that the caller will begin. Return: false if the operation goes below instead,
 * because the plan is over.
 */
bool hcm_flow_admit(struct hcm_comm *m);
/* The plan is over: close the handle, so that no chunks are posted any more. */
void hcm_flow_stop(struct hcm_comm *m);
/* GO has been received: continue with the operations that the module below does not execute. */
void hcm_flow_go(struct hcm_comm *m);
/* Process the result of the oldest chunk, which has been computed without the kernel or received.
 */
void hcm_flow_result(struct hcm_comm *m, const void *bytes, size_t len);
/* Fail the oldest operation, as all ranks do, because their contributions to a chunk differ in
 * length.
 */
void hcm_flow_refuse(struct hcm_comm *m);

/* --- fall.c: under hcm_lock --- */
/* Make the state of a communicator that is in state HCM_UP. @node: the nodes of its ranks. Return:
 * false if there is no memory.
 */
bool hcm_fall_new(struct hcm_comm *m, const uint32_t *node);
void hcm_fall_free(struct hcm_fall *f);
/* The communicator is freed. Keep its results for a while, for ranks that have not received them.
 */
void hcm_fall_leave(struct hcm_fall *f);
/* Free the state of all communicators. */
void hcm_fall_end(void);
/* Keep the next result. Return: false if there is no memory. */
bool hcm_fall_keep(struct hcm_fall *f, const void *bytes, size_t len);
/* The plan is over at this rank. @why: the reason, or NULL: another rank has reported it. */
void hcm_fall_begin(struct hcm_fall *f, const char *why);
/* Send this rank's contribution to its next chunk to rank 0. Return: false if there is no memory.
 */
bool hcm_fall_give(struct hcm_fall *f, const void *bytes, size_t len);
/* At rank 0: combine the contributions to the present chunk, if all ranks have sent theirs. */
void hcm_fall_progress(struct hcm_fall *f, const struct hcm_op *op, size_t len);
void hcm_fall_message(const struct hcm_message *m, const void *data);

/* --- message.c: under hcm_lock --- */
/* Receive messages from now on. Return: false if that is not possible. */
bool hcm_message_listen(void);
/* Send a message to a rank of MPI_COMM_WORLD. Return: 0 or -ENOMEM. */
int hcm_message_send(int rank, const struct hcm_message *head, const void *data);
/* Return: true if a message has arrived, or is being sent. */
bool hcm_message_waits(void);
void hcm_message_progress(void);
/* Stop receiving messages, because MPI_COMM_WORLD is freed. Not under hcm_lock. */
void hcm_message_end(void);

/* --- stats.c --- */
void hcm_stats_begin(void);
void hcm_stats_below(enum hcm_what what, enum hcm_reason reason);
void hcm_stats_taken(const struct hcm_op *op);
/* The phases of the setup of a communicator. hcm_stats_setup() adds their durations, whether the
 * communicator has got a plan or not.
 */
enum hcm_setup { HCM_SETUP_PLAN, HCM_SETUP_HANDLE, HCM_SETUP_AGREE, HCM_SETUP_NR };
void hcm_stats_setup(const uint64_t ns[HCM_SETUP_NR]);
void hcm_stats_end(void);

#endif /* HYPERCUBE_MPI_COMPONENT_H */
