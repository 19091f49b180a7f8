/* SPDX-License-Identifier: GPL-2.0 */
/* What the files of the library share. */
#ifndef HCL_HANDLE_H
#define HCL_HANDLE_H

#include <stdbool.h>

#include "libhypercube.h"

/**
 * struct hcl_op - a posted operation
 * @next: next one in the order of the calls, or in the list of free ones
 * @id: number and cookie
 * @p: its parameters
 * @in: contribution
 * @bytes: its length
 * @sent: bytes of it that the kernel has
 * @out: room for the result, or NULL
 * @out_max: bytes at @out
 * @got: bytes of the result received, also those that found no room
 * @begun: the control message was sent
 * @gone: nothing is left to send
 * @wanted: somebody is to call hcl_wait()
 * @awaited: a record will come for it
 * @done: ended; @res is valid
 * @res: how
 */
struct hcl_op {
	struct hcl_op *next;
	uint64_t id;
	struct hcl_params p;
	const char *in;
	size_t bytes;
	size_t sent;
	char *out;
	size_t out_max;
	size_t got;
	bool begun;
	bool gone;
	bool wanted;
	bool awaited;
	bool done;
	struct hypercube_result res;
};

/**
 * struct hcl - a handle
 * @fd: the socket
 * @addr: where it is bound
 * @dead: an operation was abandoned half way
 * @next_id: number of the next operation
 * @head: posted operations, oldest first
 * @tail: where to link the next one
 * @sending: the first one that is not sent completely
 * @early: messages of broadcasts that came before they were asked for, oldest first
 * @timeout: ms, see hcl_set_timeout()
 * @free: unused ones
 * @unheard: operations sent since somebody last looked for records
 * @late: an operation for which nobody waits has failed; see @failure
 * @failure: the latest failure
 */
struct hcl {
	int fd;
	struct sockaddr_hypercube addr;
	bool dead;
	uint64_t next_id;
	struct hcl_op *head;
	struct hcl_op **tail;
	struct hcl_op *sending;
	struct hcl_op *early;
	unsigned int timeout;
	struct hcl_op *free;
	unsigned int unheard;
	bool late;
	struct hypercube_result failure;
};

/* --- ops.c --- */
/* NULL: no memory. */
struct hcl_op *hcli_op_new(struct hcl *h);
void hcli_op_release(struct hcl *h, struct hcl_op *op);
/* Move something, both ways without waiting.  Return: 1, 0 or -errno. */
int hcli_move(struct hcl *h);
/* Wait until something may be moved.  Return: 1, 0 after @ms, or -errno. */
int hcli_poll(const struct hcl *h, int ms);

/* --- bcast.c --- */
/* Who waits for a message of a broadcast sends nothing. */
static inline bool hcli_listens(const struct hcl_op *op)
{
	return op->p.collective == HYPERCUBE_BCAST && op->out;
}

/* A record that nobody's contribution has asked for. */
static inline bool hcli_is_message(const struct hypercube_result *res)
{
	return res->collective == HYPERCUBE_BCAST && !res->cookie;
}

/* What is to take a message; NULL, which counts as a failure: no memory. */
struct hcl_op *hcli_listener(struct hcl *h, const struct hypercube_result *res);
/* Before @op is linked: perhaps its message is here already. */
void hcli_listen(struct hcl *h, struct hcl_op *op);
/* Move something, or find out that nothing will come.  Return: 0 or -errno. */
int hcli_listen_wait(struct hcl *h, struct hcl_op *op);
void hcli_early_free(struct hcl *h);

#endif /* HCL_HANDLE_H */
