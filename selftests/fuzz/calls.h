/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls that an unprivileged user can make: requests over netlink, and system calls on sockets.
 */
#ifndef _HC_FUZZ_CALLS_H
#define _HC_FUZZ_CALLS_H

#include <linux/hypercube.h>
#include <sys/types.h>

#include "fuzz.h"

#define SOCKETS		24
#define SLEEPERS	3

/**
 * struct shared - state that all threads of all workers share
 * @sleeper: pids of processes, each in a network namespace of its own; 0: none
 * @calls: number of calls so far
 */
struct shared {
	pid_t sleeper[SLEEPERS];
	uint64_t calls;
};

extern struct shared *shared;

/* Return: a random fabric name. There are only a few names, so that threads use the same fabrics.
 */
const char *any_fabric(void);
unsigned int any_node(void);
/* Return: the pid of a process in a network namespace into which endpoints can be moved. */
pid_t any_sleeper(void);

/* Send a random request, valid or not, over the netlink socket @fd, and receive the answer. */
void request_any(int fd, uint16_t family);
/* Send a request that is valid for some fabric, and receive the answer. */
void request_good(int fd, uint16_t family);
/* Open a generic netlink socket; *@family is set to the id of the family. Return: the socket. */
int request_open(uint16_t *family);
/* Give an interface of the network namespace the name of a future endpoint. The creation of that
 * endpoint's fabric then fails in its last step.
 */
void collide(void);

/* Make a random call on one of the sockets of this process. */
void socket_any(void);

#endif /* _HC_FUZZ_CALLS_H */
