/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the files of the library. */
#ifndef HCL_HANDLE_H
#define HCL_HANDLE_H

#include <stdbool.h>

#include "hc_traits.h"
#include "libhypercube.h"

/**
 * struct hcl_lacks - an operation that has ended without the blocks of all members
 * @id: its number; 0: none
 * @set: two sets of nodes, those that the result has places for, and those that are missing; NULL:
 *	there was no memory
 * @words: of each
 */
struct hcl_lacks {
	uint64_t id;
	uint32_t *set;
	size_t words;
};

/**
 * struct hcl_op - a posted operation
 * @next: next one in the order of the calls, or in the list of free ones
 * @port: where it goes
 * @id: number and cookie
 * @p: its parameters
 * @in: contribution
 * @bytes: its length
 * @sent: bytes of it that the kernel has
 * @out: room for the result, or NULL
 * @out_max: bytes at @out
 * @got: bytes of the result received, also those that found no room
 * @ahead: its caller does not know of a failure of the plan
 * @begun: the control message was sent
 * @place: before it so many others were begun at @port
 * @gone: nothing is left to send
 * @wanted: somebody is to call hcl_wait()
 * @awaited: a record will come for it
 * @done: ended; @res is valid
 * @torn: the beginning of the result found no memory
 * @cut: a piece that has its own place found no room there
 * @res: how
 * @lacks: whose blocks the result has, and lacks, if these are not all
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
 * @next: next one
 * @fd: the socket
 * @plan: the plan that it is connected to; 0: none
 * @posted: operations that go there and are not forgotten
 * @sending: the first one that is not sent completely
 * @begun: operations that were begun there
 * @unheard: operations sent since somebody last looked for records
 * @used: the kernel has taken something there
 * @watched: what hcl_fd() looks for there, EPOLL*
 */
struct hcl_port {
	struct hcl_port *next;
	int fd;
	uint32_t plan;
	unsigned int posted;
	struct hcl_op *sending;
	uint64_t begun;
	unsigned int unheard;
	bool used;
	uint32_t watched;
};

/* Bytes of a sentence. */
#define HCL_SAID	256

/**
 * struct hcl_why - a failure
 * @res: as a result
 * @said: a sentence that says more, or ""
 */
struct hcl_why {
	struct hypercube_result res;
	char said[HCL_SAID];
};

/**
 * struct hcl - a handle
 * @port: the first socket, and what it was opened for: it serves the first plan that
 *	something is contributed to, and what others send unasked; each further plan has a
 *	socket of its own in .next, so that plans do not wait for each other
 * @type: SOCK_SEQPACKET: for collectives; SOCK_DGRAM: messages; SOCK_RDM: tasks
 * @tied: it is the only one
 * @first: that plan; 0: none yet
 * @nports: how many there are
 * @epoll: what hcl_fd() returned, or -1
 * @moved: when something moved last, ms; only if somebody listens
 * @addr: where it is bound
 * @dead: an operation was abandoned half way
 * @next_id: number of the next operation
 * @head: posted operations, oldest first
 * @tail: where to link the next one
 * @early: messages of broadcasts that came before they were asked for, oldest first
 * @timeout: ms, see hcl_set_timeout()
 * @free: unused ones
 * @late: an operation for which nobody waits has failed, and no call has said so yet
 * @why: the latest failure
 * @late_why: that of the operation, which calls that fail meanwhile do not hide
 * @untold: plans that a failure was read of that no call has told of, see hcli_untold()
 * @nuntold: how many
 * @untold_any: there was no memory for one of them
 * @lacks: of the latest operation that has ended so and is forgotten
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
	uint32_t *untold;
	size_t nuntold;
	bool untold_any;
	struct hcl_lacks lacks;
};

/* --- handle.c --- */
/* A handle with one socket of @type, see hcl_open(). */
int hcli_open_type(struct hcl **out, int type, const char *fabric, uint32_t node, uint32_t plan);

/* Is it one of this type?  Return: 0 or -EINVAL, and why. */
int hcli_is(struct hcl *h, int type);

/* --- ops.c --- */
/* NULL: no memory. */
struct hcl_op *hcli_op_new(struct hcl *h);
void hcli_op_release(struct hcl *h, struct hcl_op *op);
/* Nothing more of it is to be sent. */
void hcli_op_gone(struct hcl *h, struct hcl_op *op);
/* Post, and wait as long as the caller's buffers are needed: see hcl_reduce(). */
int hcli_call(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes,
	      void *out, size_t out_max, struct hypercube_result *res);
/* Has the room for the result no byte in common with the contribution? Return: 0 or -EINVAL, and
 * why.
 */
int hcli_apart(struct hcl *h, const struct hcl_params *p, const void *in, size_t bytes,
	       const void *out, size_t room);
/* Do so many blocks, of @bytes each, go through one call?  Return: 0 or -EMSGSIZE, and why. */
int hcli_whole(struct hcl *h, const struct hcl_params *p, size_t blocks, size_t bytes);
/* Is there a failure of the plan that no call has told of?  Return: 0, or its error: this tells. */
int hcli_tell_first(struct hcl *h, const struct hcl_params *p);
/* An operation that is not over, or NULL. */
struct hcl_op *hcli_op_find(const struct hcl *h, uint64_t id);
uint8_t hcli_collective(const struct hcl_params *p);

/* --- move.c --- */
/* Move something, both ways without waiting.  Return: 1, 0 or -errno. */
int hcli_move(struct hcl *h);
/* The same at one socket. */
int hcli_port_move(struct hcl *h, struct hcl_port *port);
/* Receive what is there, without waiting.  Return: 0 or -errno. */
int hcli_port_drain(struct hcl *h, struct hcl_port *port);
/* Move something, or wait until that is possible: at all sockets, for others may wait for
 * what goes through those that the caller does not wait for.  Return: 0 or -errno.
 */
int hcli_move_wait(struct hcl *h, struct hcl_port *port);
/* Send of the first unsent operation what the kernel takes.
 * Return: 1, 0 if it takes nothing now, -ENOBUFS if the caller must receive
 * first, or another -errno.
 */
int hcli_port_send(struct hcl *h, struct hcl_port *port, int flags);
/* Receive one piece.  Return: 1, 0 if there is none, or -errno. */
int hcli_port_recv(struct hcl *h, struct hcl_port *port, int flags);

/* --- failure.c --- */
/* The latest failure is what came with @res. */
void hcli_failed_as(struct hcl *h, const struct hypercube_result *res);
/* The latest failure is that of an operation for which nobody waits. */
void hcli_late(struct hcl *h);
/* A failure of the plan was read: what is posted before a call has told of one was meant for
 * operations that are over.
 */
void hcli_untold(struct hcl *h, uint32_t plan);
/* A call tells. */
void hcli_told(struct hcl *h, uint32_t plan);
bool hcli_is_untold(const struct hcl *h, uint32_t plan);
/* Somebody asks now: it is the latest failure again, and told.  Return: its error. */
int hcli_late_tell(struct hcl *h);
/* It is an error of the library's own, or of a call, about @p (or NULL).  Return: @err. */
int hcli_failed(struct hcl *h, const struct hcl_params *p, uint64_t id, int err);
/* The same, and why. */
int hcli_refuse(struct hcl *h, const struct hcl_params *p, int err, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* There is more to say of the latest failure. */
void hcli_say(struct hcl *h, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A call could not wait for @op any longer, or its socket failed.  Return: @err. */
int hcli_stuck(struct hcl *h, const struct hcl_op *op, int err);
/* The latest failure of this thread that no handle came of.  Return: @err. */
int hcli_open_failed(int err, const char *fabric, uint32_t node, uint32_t plan);

/* --- lacks.c --- */
/* The end of @op names two sets of @bytes in all. */
void hcli_lacks_take(struct hcl_op *op, const void *sets, size_t bytes);
/* It is forgotten, but not what its result lacks. */
void hcli_lacks_keep(struct hcl *h, struct hcl_op *op);
/* Whose blocks the result of an operation that has ended has, and lacks; NULL: nothing is said. */
const struct hcl_lacks *hcli_lacks_find(const struct hcl *h, uint64_t id);
/* The nodes of a set: as hcl_missing(). */
int hcli_lacks_list(const struct hcl_lacks *l, bool places, uint32_t *nodes, size_t max);

/* --- missing.c --- */
/* Why does @op get no further?  In the latest failure, which is that of its time limit, as far as
 * the kernel tells.
 */
void hcli_seek(struct hcl *h, const struct hcl_op *op);

/* --- port.c --- */
/* The socket to contribute to a plan with, or to listen to it.  Return: 0 or -errno. */
int hcli_port_get(struct hcl *h, const struct hcl_params *p, bool listens,
		  struct hcl_port **port);
/* Nothing was taken there: if nothing ever was, forget what was opened for it. */
void hcli_port_refused(struct hcl *h, struct hcl_port *port);
/* Wait until something may be moved.  Return: 1, 0 after @ms (-1: never), or -errno. */
int hcli_poll(struct hcl *h, int ms);
/* When the time limit of a wait that begins now is over. */
uint64_t hcli_end(const struct hcl *h);
/* The same until then. */
int hcli_poll_until(struct hcl *h, uint64_t end);
/* A call at the only socket has failed (errno), perhaps too early: a signal has come, or the
 * program has made the socket non-blocking.  Wait for @events.  Return: true if it may be tried
 * again, without waiting; false, with errno as it was or EAGAIN, if its time is over.
 */
bool hcli_again(struct hcl *h, short events, uint64_t end);
/* Tells the descriptor of hcl_fd() that what is waited for may have changed. */
void hcli_watch(struct hcl *h);
int hcli_timeout_set(const struct hcl *h, const struct hcl_port *port);
/* Close all. */
void hcli_ports_close(struct hcl *h);

static inline bool hcli_many(const struct hcl *h)
{
	return h->port.next;
}

/* --- bcast.c --- */
static inline bool hcli_unasked(unsigned int collective)
{
	const struct hc_traits *t = hc_traits(collective);

	return t && hc_traits_unasked(t);
}

/* Does the operation wait for a message of a broadcast?  Then it sends nothing. */
static inline bool hcli_listens(const struct hcl_op *op)
{
	return op->out && hcli_unasked(op->p.collective);
}

/* A record that nobody's contribution has asked for. */
static inline bool hcli_is_message(const struct hypercube_result *res)
{
	return !res->cookie && hcli_unasked(res->collective);
}

/* Returns what is to take a message; NULL, which counts as a failure: no memory. */
struct hcl_op *hcli_listener(struct hcl *h, const struct hypercube_result *res);
/* Before @op is linked: perhaps its message is here already. */
void hcli_listen(struct hcl *h, struct hcl_op *op);
/* Move something, or find out that nothing will come.  Return: 0 or -errno. */
int hcli_listen_wait(struct hcl *h, struct hcl_op *op);
/* Ms until those who listen are in doubt whether a message can come; -1: never. */
int hcli_doubt(const struct hcl *h);
/* End those that nothing can come for.  Return: 1 if there were any, 0 or -errno. */
int hcli_doubt_check(struct hcl *h);
uint64_t hcli_now(void);
void hcli_early_free(struct hcl *h);

/* --- checked.c --- */
struct hcl_pair;
/* An allreduce over both trees; 0 or -errno. */
int hcli_checked_both(struct hcl *h, const struct hcl_params *p, const struct hcl_pair *pair,
		      const void *in, size_t bytes, char *const out[2]);

#endif /* HCL_HANDLE_H */
