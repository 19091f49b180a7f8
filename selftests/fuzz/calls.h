/* SPDX-License-Identifier: GPL-2.0 */
/* Calls of users: requests over netlink, and system calls on sockets. */
#ifndef _HC_FUZZ_CALLS_H
#define _HC_FUZZ_CALLS_H

#include <linux/hypercube.h>
#include <sys/types.h>

#include "fuzz.h"

#define SOCKETS		24
#define SLEEPERS	3

/**
 * struct shared - what all threads of all workers know
 * @sleeper: processes in network namespaces of their own, 0: none
 * @calls: made so far
 */
struct shared {
	pid_t sleeper[SLEEPERS];
	uint64_t calls;
};

extern struct shared *shared;

/* Names of fabrics: few, so that all meet. */
const char *any_fabric(void);
unsigned int any_node(void);
/* A network namespace to which endpoints can go. */
pid_t any_sleeper(void);

/* Any request, well-formed or not, and its answer. */
void request_any(int fd, uint16_t family);
/* One that makes sense. */
void request_good(int fd, uint16_t family);
/* A socket of generic netlink, and the family's id. */
int request_open(uint16_t *family);
/* An interface whose name is that of an endpoint to be: the creation fails at the last. */
void collide(void);

/* A call on one of the sockets of this process. */
void socket_any(void);

#endif /* _HC_FUZZ_CALLS_H */
