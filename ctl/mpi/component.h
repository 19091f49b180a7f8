/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A collective component of Open MPI over libhypercube.
 *
 * Every call that it takes becomes one vector that all ranks have alike: a rank gives a part of it
 * and zeros elsewhere (or, of a reduction, all of it), the kernel combines the contributions of all
 * ranks over a tree, and a rank takes what it needs of the result.  So a collective is a row of a
 * table (shape.c) that says how long the vector is, and who gives and takes what.  Such operations
 * outlive faults on a guarded plan; only when that is over, fall.c has something to do.
 *
 * component.c  what Open MPI asks for		calls.c  its functions
 * persist.c	persistent requests
 * shape.c	the tables			types.c  types and operators, packing
 * side.c	blocks in buffers
 * flow.c	chunks on their way		group.c  the plan of a communicator
 * fall.c	what follows a plan		message.c  from process to process
 * limits.c	what is faster below		stats.c  what went where
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

/* A guarded plan keeps contributions and results of this length, several at a time. */
#define HCM_CHUNK	65536
/* How many chunks of a communicator are on their way at once. */
#define HCM_SLOTS	8
/* A vector with a block from each rank for each rank goes to all: longer ones go below. */
#define HCM_SQUARE_MAX	HCM_CHUNK

/* MPI's collectives: HCM_allreduce and so on. */
enum hcm_what {
#define WHAT(name) HCM_##name,
#include "whats.h"
	HCM_WHAT_NR
};

/* Why a call goes to the module below. */
enum hcm_reason {
	HCM_TAKEN,
	HCM_CALL,	/* there is nothing for it in the kernel */
	HCM_OPERATOR,	/* nor for this operator */
	HCM_TYPE,	/* nor for this type with this operator */
	HCM_LONG,	/* what it brings to all is too long */
	HCM_SLOW,	/* the module below is faster */
	HCM_LENGTHS,	/* not all ranks know whether it is, and it may not wait for them */
	HCM_EARLY,	/* no blocking call has set the communicator up */
	HCM_NO_PLAN,	/* there is no plan for the communicator */
	HCM_OVER,	/* its plan is over */
	HCM_REASON_NR
};

/**
 * struct hcm_side - what is sent, or where the result goes: blocks of elements
 * @buf: the buffer, or MPI_IN_PLACE
 * @count: elements of a block
 * @dt: their type, or NULL: there is nothing
 * @counts: elements of each rank's block, instead of @count, or NULL
 * @displs: where these are, or NULL: one behind the other
 * @dts: the type of each, @displs are bytes then; or NULL: @dt
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
 * struct hcm_call - a call of MPI, in the same words whatever it is
 * @what: enum hcm_what
 * @send: what is sent
 * @recv: where the result goes
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
 * @bytes: of an element of MPI's, in the kernel
 * @pair: MPI's pair of a value and an index, or NULL
 */
struct hcm_type {
	uint8_t oper;
	uint8_t type;
	size_t bytes;
	const struct hcm_pair *pair;
};

/**
 * struct hcm_piece - of a vector, which a rank takes
 * @at: where it begins
 * @len: bytes
 * @to: where it goes, from &hcm_op.take on
 */
struct hcm_piece {
	size_t at;
	size_t len;
	size_t to;
};

/**
 * struct hcm_op - a call on its way
 * @base: MPI's request, as MPI's functions expect it, which keep its types in there
 * @call: the call
 * @comm: its communicator
 * @next: behind it in the queue
 * @type: how its elements are combined
 * @collective: enum hypercube_collective
 * @total: bytes of the vector
 * @give: what this rank gives of it, @give_len bytes from @give_at on
 * @take: where @pieces pieces go, @piece
 * @one: memory for one piece
 * @at: where each block of the vector begins, and where the last one ends, of a call whose lengths
 *	not all ranks know; until @asks is over, the lengths
 * @arrays: memory for the arrays of @call
 * @packed_in: memory of @give, or NULL: the caller's
 * @packed_out: memory of @take, or NULL: the caller's
 * @posted: bytes of the vector that were posted
 * @finished: bytes of the vector that have come back
 * @request: the caller waits for MPI's request
 * @asks: the vector has the lengths of the blocks; another one follows, which has the blocks
 * @below: HCM_TAKEN, or why it goes below, as all ranks have found then
 * @done: it is over
 * @error: MPI's error
 * @restarts: how often the kernel has begun again because of faults
 * @began: ns
 * @persist: of a persistent request, or NULL
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
 * struct hcm_slot - a chunk on its way
 * @op: of this operation
 * @at: its offset in the vector
 * @len: its length
 * @id: the library's number
 * @in: memory for what is not as it stands in @op->give
 * @out: memory for what does not go straight to @op->take
 * @direct: it goes straight there
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

enum hcm_state {
	HCM_NEW,
	HCM_UP,
	HCM_FALLING,	/* its plan is over; which operations still go this way is not known */
	HCM_FALLEN,	/* it is known */
	HCM_DOWN,
};

/**
 * struct hcm_comm - a communicator
 * @super: Open MPI's module
 * @below: the functions and modules that were there before
 * @comm: Open MPI's communicator
 * @rank: of this process
 * @size: how many ranks
 * @state: enum hcm_state
 * @plan: id of its plan
 * @h: the library's handle, while HCM_UP
 * @first: its oldest operation, or NULL
 * @last: its newest
 * @posting: the first of which not all is posted, or NULL
 * @slot: the chunks on their way, a ring
 * @slots: how many there are, from @head on
 * @head: the oldest one
 * @fall: what it needs when its plan is over
 * @given: rank 0 has what this rank gives to the oldest chunk, HCM_FALLEN
 * @private: it has no ranks of its own, but is for a persistent request
 * @active: it is in the list of those with operations
 * @next: in that list
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
 * @plan: of which communicator
 * @kind: what it says, see fall.c
 * @from: rank in it
 * @who: another one
 * @len: bytes of data behind
 * @number: what it is about
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
 * struct hcm_kept - the result of a chunk
 * @bytes: of it
 * @len: how many
 * @size: of the memory
 */
struct hcm_kept {
	char *bytes;
	size_t len;
	size_t size;
};

/**
 * struct hcm_where - of a rank, at rank 0
 * @known: it has said how far it is
 * @results: so many results it has had
 * @calls: so many operations it has begun
 * @given: what it gives to the present chunk, or NULL
 * @len: bytes of that
 */
struct hcm_where {
	bool known;
	uint64_t results;
	uint64_t calls;
	void *given;
	size_t len;
};

enum hcm_fall_phase { HCM_FALL_NONE, HCM_FALL_ASKED, HCM_FALL_REPORTED };

/**
 * struct hcm_fall - what a communicator needs when its plan is over
 * @next: another one
 * @comm: the communicator, or NULL: it was freed
 * @plan: its plan's id
 * @rank: of this process
 * @size: how many ranks
 * @node: of each, its rank in MPI_COMM_WORLD
 * @since: ns: freed
 * @kept: the latest results, by number
 * @results: so many this rank has had
 * @calls: so many operations it has begun
 * @phase: enum hcm_fall_phase
 * @end: so many results anyone has, HCM_FALL_REPORTED
 * @limit: so many operations anyone has begun, HCM_FALL_REPORTED
 * @failed: there was no memory
 * @where: rank 0: of each rank
 * @known: of how many ranks it is known how far they are
 * @gave: how many have given something to the present chunk
 * @why: what has ended the plan, or NULL
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

/* One line on standard error. */
__attribute__((format(printf, 1, 2))) void hcm_say(const char *format, ...);
uint64_t hcm_now_ns(void);

/* --- component.c --- */
/* With nothing in it, or NULL. */
struct hcm_comm *hcm_comm_new(void);
extern char hcm_fabric[HYPERCUBE_NAME_MAX];
extern int hcm_guard_ms;
extern bool hcm_required;
extern int hcm_spin;

/* --- calls.c --- */
/* Put the functions into the module; those below are there. */
void hcm_calls_set(struct hcm_comm *m);
void hcm_calls_release(struct hcm_comm *m);

/* A new operation of @m, as a request that is active, or a persistent one, which is not. */
struct hcm_op *hcm_op_new(struct hcm_comm *m, bool persistent);

/* --- persist.c --- */
/* A persistent request for a call that has that @below: the same one, or one that goes through the
 * kernel as long as there is a plan.
 */
int hcm_persist(struct hcm_comm *m, const struct hcm_call *c, ompi_request_t *below,
		ompi_request_t **request);
/* Requests that were started below: tell of those that are complete. */
int hcm_persist_progress(void);

/* --- shape.c --- */
const char *hcm_what_name(enum hcm_what what);
/* Fill in @type for a call that is to be taken, or say why it is not: all ranks say the same. */
enum hcm_reason hcm_shape_check(const struct hcm_comm *m, const struct hcm_call *c, bool blocking,
				struct hcm_type *type);
/* A call's arrays are the caller's until it returns: copy them into memory of their own. */
int hcm_call_keep(struct hcm_call *c, int size, void **arrays);
/* The operation of a call, but for its place in the queue.  An error of MPI. */
int hcm_shape_op(const struct hcm_call *c, struct hcm_op *op);
/* The vector of lengths is there: go on with that of the blocks.  An error of MPI. */
int hcm_shape_lengths(struct hcm_op *op);
/* It is over: what was packed is unpacked, and its memory freed. */
void hcm_shape_end(struct hcm_op *op);

/* --- types.c --- */
/* HCM_TAKEN and @type, or why not. */
enum hcm_reason hcm_type_find(const struct ompi_op_t *op, const struct ompi_datatype_t *dt,
			      struct hcm_type *type);
size_t hcm_size(const struct ompi_datatype_t *dt);
ptrdiff_t hcm_extent(const struct ompi_datatype_t *dt);
/* Do @count elements lie at their address one behind the other, as the kernel wants them? */
bool hcm_is_plain(const struct ompi_datatype_t *dt, size_t count, const struct hcm_type *t);
/* Elements at @buf to and from bytes as the kernel wants them. */
void hcm_pack(const struct ompi_datatype_t *dt, size_t count, const void *buf,
	      const struct hcm_type *t, void *bytes);
void hcm_unpack(const struct ompi_datatype_t *dt, size_t count, void *buf,
		const struct hcm_type *t, const void *bytes);

/* What another rank gives, into what was given before, as the kernel does it. */
void hcm_combine(const struct hcm_op *op, size_t len, const void *in, void *sum);

/* --- side.c: of block @block, or of @nr blocks from @first on --- */
/* Its bytes in the kernel; those of the blocks before it. */
size_t hcm_side_bytes(const struct hcm_side *s, int block, const struct hcm_type *t);
size_t hcm_side_before(const struct hcm_side *s, int block, const struct hcm_type *t);
/* Where they lie, if they lie one behind the other as the kernel wants them; else NULL. */
char *hcm_side_plain(const struct hcm_side *s, int first, int nr, const struct hcm_type *t);
void hcm_side_pack(const struct hcm_side *s, int first, int nr, const struct hcm_type *t,
		   char *bytes);
/* @len bytes, or what there is room for. */
void hcm_side_unpack(const struct hcm_side *s, int block, size_t len, const struct hcm_type *t,
		     const char *bytes);

/* --- limits.c --- */
/* Take over the rows of a text. */
void hcm_limits_set(const char *text);
/* Do vectors of so many bytes go below, any, or all of them? */
bool hcm_limits_below(enum hcm_what what, int ranks, size_t bytes);
bool hcm_limits_any(enum hcm_what what, int ranks);
bool hcm_limits_all(enum hcm_what what, int ranks);

/* --- group.c --- */
/* A collective call below: all ranks come to the same state. */
void hcm_group_setup(struct hcm_comm *m);
/* The communicator goes. */
void hcm_group_leave(struct hcm_comm *m);
/* The program ends, and no rank has anything under way. */
void hcm_group_end(void);

/* --- flow.c --- */
/* Protects operations, what follows a plan, and messages. */
extern opal_mutex_t hcm_lock;

/* Begin an operation; the queue has it from now on. */
void hcm_flow_begin(struct hcm_comm *m, struct hcm_op *op);
/* Wait until it is over. */
void hcm_flow_wait(struct hcm_comm *m, struct hcm_op *op);
/* For opal_progress(): how many operations have ended. */
int hcm_flow_progress(void);

/* Count the caller's operation in; false: it is one of the module below. */
bool hcm_flow_admit(struct hcm_comm *m);
/* The plan is over: nothing is posted and taken any more. */
void hcm_flow_stop(struct hcm_comm *m);
/* It is known which operations still go this way. */
void hcm_flow_go(struct hcm_comm *m);
/* The result of the oldest chunk. */
void hcm_flow_result(struct hcm_comm *m, const void *bytes, size_t len);
/* The oldest operation fails at all ranks: they give chunks of different lengths. */
void hcm_flow_refuse(struct hcm_comm *m);

/* --- fall.c: under hcm_lock --- */
/* For a communicator that is up, and the nodes of its ranks; false: no memory. */
bool hcm_fall_new(struct hcm_comm *m, const uint32_t *node);
void hcm_fall_free(struct hcm_fall *f);
/* The communicator is gone. */
void hcm_fall_leave(struct hcm_fall *f);
/* All are. */
void hcm_fall_end(void);
/* Keep the next result; false: no memory. */
bool hcm_fall_keep(struct hcm_fall *f, const void *bytes, size_t len);
/* The plan is over at this rank: why, or NULL: it was asked. */
void hcm_fall_begin(struct hcm_fall *f, const char *why);
/* What this rank gives to its next chunk; false: no memory. */
bool hcm_fall_give(struct hcm_fall *f, const void *bytes, size_t len);
/* Rank 0: combine what was given to it if all have. */
void hcm_fall_progress(struct hcm_fall *f, const struct hcm_op *op, size_t len);
void hcm_fall_message(const struct hcm_message *m, const void *data);

/* --- message.c: under hcm_lock --- */
/* Be there for messages from now on; false: it is not possible. */
bool hcm_message_listen(void);
/* To a rank of MPI_COMM_WORLD. */
int hcm_message_send(int rank, const struct hcm_message *head, const void *data);
/* Is there anything to do? */
bool hcm_message_waits(void);
void hcm_message_progress(void);
/* MPI_COMM_WORLD goes; not under hcm_lock. */
void hcm_message_end(void);

/* --- stats.c --- */
void hcm_stats_begin(void);
void hcm_stats_below(enum hcm_what what, enum hcm_reason reason);
void hcm_stats_taken(const struct hcm_op *op);
/* A communicator got its plan, or not; what each part of it took. */
enum hcm_setup { HCM_SETUP_PLAN, HCM_SETUP_HANDLE, HCM_SETUP_AGREE, HCM_SETUP_NR };
void hcm_stats_setup(const uint64_t ns[HCM_SETUP_NR]);
void hcm_stats_end(void);

#endif /* HYPERCUBE_MPI_COMPONENT_H */
