/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Declarations that the files of the library share.
 */
#ifndef HCL_HANDLE_H
#define HCL_HANDLE_H

#include <stdbool.h>

#include "hc_coll_desc.h"
#include "libhypercube.h"

/**
 * struct hcl_lacks - the nodes whose blocks or contributions are missing in a result
 * @id: number of the operation; 0: none
 * @set: two sets of nodes, one after the other: those whose blocks or contributions belong to the
 *	result, and those of them that are missing; NULL: there was no memory
 * @words: 32-bit words of each set
 */
struct hcl_lacks {
	uint64_t id;
	uint32_t *set;
	size_t words;
};

/**
 * struct hcl_op - a posted operation
 * @next: next operation in the order of the calls, or in the list of unused operations
 * @port: the socket over which it is sent
 * @id: number of the operation in this handle, and its cookie
 * @p: its parameters
 * @in: the contribution
 * @bytes: length of the contribution
 * @sent: bytes of the contribution that the kernel has accepted
 * @out: room for the result, or NULL
 * @out_max: bytes at @out
 * @got: bytes of the result received, including those for which there was no room
 * @ahead: the operation is stale: it was posted before the program knew of a failure of the plan
 * @begun: the control message of the operation was sent
 * @place: number of operations that were begun at @port before this one
 * @gone: no more data of the operation is to be sent
 * @wanted: the program has to call hcl_wait() for it
 * @awaited: a record will be received for it
 * @done: it has ended, and @res is valid
 * @torn: the beginning of the result was lost, because there was no memory for it
 * @cut: data with an offset of its own in the result did not fit @out
 * @res: how the operation ended
 * @lacks: see struct hcl_lacks; only if blocks or contributions are missing
 */
struct hcl_op {
	struct hcl_op *next;
	struct hcl_port *port;
	uint64_t id;
	struct hcl_params p;
	const char *in;
	size_t bytes;
	size_t sent;
	char *out;
	size_t out_max;
	size_t got;
	bool ahead;
	bool begun;
	uint64_t place;
	bool gone;
	bool wanted;
	bool awaited;
	bool done;
	bool torn;
	bool cut;
	struct hypercube_result res;
	struct hcl_lacks lacks;
};

/**
 * struct hcl_port - a socket of a handle
 * @next: next socket of the handle
 * @fd: the socket
 * @plan: the plan to which it is connected; 0: none
 * @posted: number of operations that use the socket and are not forgotten
 * @sending: the first operation that is not sent completely
 * @begun: number of operations whose control message was sent on the socket
 * @sent_since: number of operations that were sent completely since records were last received
 * @used: the kernel has accepted data on the socket
 * @listens: a call has waited on the socket for a message of a broadcast
 * @watched: events for which the descriptor of hcl_fd() watches the socket, EPOLL*
 */
struct hcl_port {
	struct hcl_port *next;
	int fd;
	uint32_t plan;
	unsigned int posted;
	struct hcl_op *sending;
	uint64_t begun;
	unsigned int sent_since;
	bool used;
	bool listens;
	uint32_t watched;
};

/* Size of an explanation, bytes. */
#define HCL_SAID	256

/**
 * struct hcl_why - description of a failure
 * @res: the failure, as a result
 * @said: a sentence with more details, or ""
 */
struct hcl_why {
	struct hypercube_result res;
	char said[HCL_SAID];
};

/**
 * struct hcl - a handle
 * @port: the first socket. In a handle of several plans it serves the first plan that the program
 *	contributes to, and receives messages of broadcasts. Each further plan has a socket of its
 *	own, linked by .next, so that plans do not wait for each other
 * @type: SOCK_SEQPACKET: for collectives; SOCK_DGRAM: for messages; SOCK_RDM: for tasks
 * @tied: the handle has only one socket
 * @first: the plan that the first socket serves; 0: none yet
 * @nports: number of sockets
 * @epoll: the descriptor that hcl_fd() has returned, or -1
 * @moved: time when data was last sent or received, ms; only valid while an operation waits for a
 *	message of a broadcast
 * @addr: address to which the handle is bound
 * @dead: the handle cannot be used any more: an operation was abandoned before it had ended, or
 *	only some of several operations that belong together were posted
 * @next_id: number of the next operation
 * @head: posted operations, oldest first
 * @tail: where the next operation is linked
 * @early: messages of broadcasts that arrived before an operation waited for them, oldest first
 * @timeout: time limit of calls, ms, see hcl_set_timeout()
 * @free: unused operations
 * @late: an operation that no call waits for has failed, and no call has reported that yet
 * @why: the latest failure
 * @late_why: the failure that @late is about; calls that fail meanwhile do not overwrite it
 * @unreported: whether plans have a failure that was read from the socket, but that no call has
 *	reported, see hcli_unreported(); true only after there was no memory to record one plan
 * @except: plans for which @unreported is wrong
 * @nexcept: number of entries of @except
 * @lacks: the sets of the latest forgotten operation that has any
 */
struct hcl {
	struct hcl_port port;
	int type;
	bool tied;
	uint32_t first;
	unsigned int nports;
	int epoll;
	uint64_t moved;
	struct sockaddr_hypercube addr;
	bool dead;
	uint64_t next_id;
	struct hcl_op *head;
	struct hcl_op **tail;
	struct hcl_op *early;
	unsigned int timeout;
	struct hcl_op *free;
	bool late;
	struct hcl_why why;
	struct hcl_why late_why;
	bool unreported;
	uint32_t *except;
	size_t nexcept;
	struct hcl_lacks lacks;
};

/* --- handle.c --- */
/* Open a handle with one socket of @type, see hcl_open(). */
int hcli_open_type(struct hcl **out, int type, const char *fabric, uint32_t node, uint32_t plan);

/* Check that @h is a handle of this type. Return: 0, or -EINVAL with an explanation. */
int hcli_is(struct hcl *h, int type);

/* --- request.c --- */
/* Return: a new operation, or NULL if there is no memory. */
struct hcl_op *hcli_op_new(struct hcl *h);
void hcli_op_release(struct hcl *h, struct hcl_op *op);
/* Record that no more data of @op is to be sent. */
void hcli_op_gone(struct hcl *h, struct hcl_op *op);
/* Post an operation, and wait until the caller's buffers are not needed: see hcl_reduce(). */
int hcli_call(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes,
	      void *out, size_t out_max, struct hypercube_result *res);
/* Check that the contribution and the room for the result do not overlap. Return: 0, or -EINVAL
 * with an explanation.
 */
int hcli_apart(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes,
	       const void *out, size_t room);
/* Check that one call can take @blocks blocks of @bytes bytes each. Return: 0, or -EMSGSIZE with an
 * explanation.
 */
int hcli_whole(struct hcl *h, const struct hcl_params *p, size_t blocks, size_t bytes);
/* Report a failure of the plan that no call has reported, before an operation is posted. Return:
 * the error of the failure, or 0 if there is none.
 */
int hcli_tell_first(struct hcl *h, const struct hcl_params *p);
/* Return: the operation, or NULL if it is forgotten. */
struct hcl_op *hcli_op_find(const struct hcl *h, uint64_t id);
uint8_t hcli_collective(const struct hcl_params *p);

/* --- io.c --- */
/* Send and receive what is possible without waiting. Return: 1 if any data was sent or received, 0
 * if not, or -errno.
 */
int hcli_move(struct hcl *h);
/* As hcli_move(), on one socket. */
int hcli_port_move(struct hcl *h, struct hcl_port *port);
/* Receive all that is queued, without waiting. Return: 0 or -errno. */
int hcli_port_drain(struct hcl *h, struct hcl_port *port);
/* Send or receive something, or wait until that is possible. This serves all sockets, since other
 * members may wait for data of sockets other than the one that the caller waits for. Return: 0 or
 * -errno.
 */
int hcli_move_wait(struct hcl *h, struct hcl_port *port);
/* Send as much of the first unsent operation as the kernel accepts. Return: 1 if it has accepted
 * data; 0 if it accepts none now; -ENOBUFS if the caller must receive first; or another -errno.
 */
int hcli_port_send(struct hcl *h, struct hcl_port *port, int flags);
/* Receive one piece of a record. Return: 1, 0 if there is none, or -errno. */
int hcli_port_recv(struct hcl *h, struct hcl_port *port, int flags);

/* --- failure.c --- */
/* Make @res the latest failure. */
void hcli_failed_as(struct hcl *h, const struct hypercube_result *res);
/* Set *@res, if @res is not NULL, for a call that consists of operations and checks, and returns
 * @err: to @end, the result of the operations, or if this result does not have the error, to the
 * latest failure. @end is NULL if no operation has begun. Return: @err.
 */
int hcli_result(const struct hcl *h, int err, const struct hypercube_result *end,
		struct hypercube_result *res);
/* Store the latest failure, which is that of an operation that no call waits for, until a call
 * reports it.
 */
void hcli_late(struct hcl *h);
/* Record that a failure of the plan was read from the socket. Operations that the program posts
 * before a call reports the failure are stale: they were meant to follow operations that have
 * failed.
 */
void hcli_unreported(struct hcl *h, uint32_t plan);
/* Record that a call reports the failures of the plan. */
void hcli_reported(struct hcl *h, uint32_t plan);
bool hcli_is_unreported(const struct hcl *h, uint32_t plan);
/* Report the failure of an operation that no call waited for: make it the latest failure. Return:
 * its error.
 */
int hcli_late_tell(struct hcl *h);
/* Make an error of the library, or of a system call, the latest failure. @p: the operation that it
 * concerns, or NULL. Return: @err.
 */
int hcli_failed(struct hcl *h, const struct hcl_params *p, uint64_t id, int err);
/* As hcli_failed(), with an explanation. */
int hcli_refuse(struct hcl *h, const struct hcl_params *p, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Add an explanation to the latest failure. */
void hcli_say(struct hcl *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Make @err the latest failure: a call could not wait for @op any longer, or the socket of @op has
 * failed. Return: @err.
 */
int hcli_stuck(struct hcl *h, const struct hcl_op *op, int err);
/* Store for this thread why a handle could not be opened. Return: @err. */
int hcli_open_failed(int err, const char *fabric, uint32_t node, uint32_t plan);

/* --- missing_blocks.c --- */
/* Copy the two sets, which have @bytes bytes together, from the control message of @op's last
 * record.
 */
void hcli_lacks_take(struct hcl_op *op, const void *sets, size_t bytes);
/* Move the sets of @op, which is being forgotten, to @h. */
void hcli_lacks_keep(struct hcl *h, struct hcl_op *op);
/* Return: the sets of an operation that has ended, or NULL if its result has none. */
const struct hcl_lacks *hcli_lacks_find(const struct hcl *h, uint64_t id);
/* List the nodes of the first set if @places, otherwise those of the second, as
 * hcl_pending_members() does.
 */
int hcli_lacks_list(const struct hcl_lacks *l, bool places, uint32_t *nodes, size_t max);

/* --- missing.c --- */
/* After a time limit, add to the latest failure why @op makes no progress, as far as the kernel
 * knows.
 */
void hcli_seek(struct hcl *h, const struct hcl_op *op);

/* --- port.c --- */
/* Find or open the socket over which to contribute to a plan, or if @listens, to receive its
 * messages. Return: 0 or -errno.
 */
int hcli_port_get(struct hcl *h, const struct hcl_params *p, bool listens,
		  struct hcl_port **port);
/* Close a socket of the handle other than the first one, on which no operation is posted. @p: the
 * list's pointer to the socket.
 */
void hcli_port_close(struct hcl *h, struct hcl_port **p);
/* Handle that the kernel has refused data on a socket. If the kernel has never accepted data on
 * this socket, close the socket, or if it is the first one, forget its plan.
 */
void hcli_port_refused(struct hcl *h, struct hcl_port *port);
/* Wait until data can be sent or received. Return: 1, 0 if @ms ms have passed (-1: wait for ever),
 * or -errno.
 */
int hcli_poll(struct hcl *h, int ms);
/* Return: the time at which a wait that begins now reaches its time limit. */
uint64_t hcli_end(const struct hcl *h);
/* As hcli_poll(), until the time @end. */
int hcli_poll_until(struct hcl *h, uint64_t end);
/* Handle a failed call (errno) on the only socket. If a signal has interrupted the call, or the
 * call would have blocked because the program has made the socket non-blocking, wait for @events.
 * Return: true if the call may be tried again, without waiting; false otherwise, with errno as it
 * was, or EAGAIN if time @end was reached.
 */
bool hcli_again(struct hcl *h, short events, uint64_t end);
/* Update the events for which the descriptor of hcl_fd() watches the sockets, which may have
 * changed.
 */
void hcli_watch(struct hcl *h);
int hcli_timeout_set(const struct hcl *h, const struct hcl_port *port);
/* Close all sockets. */
void hcli_ports_close(struct hcl *h);

/* Return: true if the handle has more than one socket. */
static inline bool hcli_many(const struct hcl *h)
{
	return h->port.next;
}

/* --- bcast.c --- */
/* Milliseconds without data after which to check whether a message can still be received. */
#define STALE_MS	1000

/* Return: true if members that contribute nothing get the result of the collective, as a message.
 */
static inline bool hcli_unasked(unsigned int collective)
{
	const struct hc_coll_desc *t = hc_coll_desc(collective);

	return t && hc_coll_unasked(t);
}

/* Does the operation wait for a message of a broadcast?  Such an operation sends nothing. */
static inline bool hcli_listens(const struct hcl_op *op)
{
	return op->out && hcli_unasked(op->p.collective);
}

/* Is @res the record of a broadcast's message? Such a record answers no contribution. */
static inline bool hcli_is_message(const struct hypercube_result *res)
{
	return !res->cookie && hcli_unasked(res->collective);
}

/* Return: the operation that takes the message with record @res; NULL if there is no memory, which
 * is recorded as a failure.
 */
struct hcl_op *hcli_listener(struct hcl *h, const struct hypercube_result *res);
/* If the message for @op was received already, store it in @op. Call this before @op is linked. */
void hcli_listen(struct hcl *h, struct hcl_op *op);
/* Wait until data has been received, or end @op if no message can be received for it. Return: 0 or
 * -errno.
 */
int hcli_listen_wait(struct hcl *h, struct hcl_op *op);
/* Return: ms until hcli_stale_check() must be called; -1: it need not be called. */
int hcli_set_stale(const struct hcl *h);
/* End the operations for which no message can be received. Return: 1 if there were any, 0 or
 * -errno.
 */
int hcli_stale_check(struct hcl *h);
uint64_t hcli_now(void);
void hcli_early_free(struct hcl *h);

/* --- checked.c --- */
struct hcl_pair;
/* Run an allreduce over both trees. Return: 0 or -errno. */
int hcli_checked_both(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		      const void *in, size_t bytes, char *const out[2]);

/* --- names.c --- */
bool hcli_is_float(unsigned int type);
/* Is the element of type @type at @at a NaN? */
bool hcli_is_nan(unsigned int type, const void *at);

#endif /* HCL_HANDLE_H */
