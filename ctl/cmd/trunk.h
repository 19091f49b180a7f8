/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the files of hcctl trunk.
 */
#ifndef _HCCTL_TRUNK_H
#define _HCCTL_TRUNK_H

#include <sys/socket.h>

#include "cmd.h"

/* Where listen and connect meet unless told otherwise: "hc". */
#define TRUNK_PORT "26723"

/**
 * struct trunk_ends - what both ends of a trunk have to agree on
 * @fabric: the fabric here
 * @dim: dimension of the links; NL_NONE: what the other end says
 * @far: the nodes there, as far as they are known
 * @keep: ms, 0: default
 * @no_plans: take no plans from there
 * @digest: does this end want digests
 * @tls: CERT,KEY,CA[,NAME], or NULL
 */
struct trunk_ends {
	struct nl_fabric fabric;
	uint32_t dim;
	struct nl_trunk_new far;
	uint32_t keep;
	bool no_plans;
	enum nl_digest digest;
	const char *tls;
};

/* --- trunk_meet.c --- */
/* Talk to the program at the other end of @fd, until both agree: fills what was not known. */
int trunk_meet(struct hcctl *h, int fd, struct trunk_ends *e);
/* ms, for all that the other end says */
#define TRUNK_PATIENCE 10000
/* ms */
int64_t trunk_now(void);
/* Is there something to read, or an end, before @end? */
bool trunk_comes(int fd, int64_t end);
/* In place of a greeting. */
#define TRUNK_WANTS_TLS "no TLS is wanted\n"

/* --- trunk_tls.c --- */
/* Both ends prove who they are, and the kernel encrypts what follows. */
int trunk_tls(struct hcctl *h, int fd, const char *files, bool server);
/* Are the files such as are wanted? */
int trunk_tls_check(struct hcctl *h, const char *files);
/* Why the other end has ended it, if what is to be read next says so, or NULL. */
const char *trunk_tls_alert(int fd);

/* --- trunk_daemon.c --- */
/* Does somebody else do that already, for that fabric?  If not, this process does. */
int trunk_claim(struct hcctl *h, const struct nl_fabric *f, const char *purpose, bool *taken);
/* Go on in the background, and complain to the system's log. */
int trunk_detach(struct hcctl *h);

/* --- trunk_dial.c --- */
/* A descriptor of a connection, or a negative errno with a complaint. */
int trunk_connect(struct hcctl *h, const char *where);
/* Addresses that one word may stand for. */
#define TRUNK_ADDRESSES 8
/* Sockets that wait for connections, one for each address; another process that has an address is
 * given @ms to end.  Return: how many, or a negative errno with a complaint.
 */
int trunk_listen(struct hcctl *h, const char *where, unsigned int ms, int fd[TRUNK_ADDRESSES]);

/* Do two addresses belong to one host, as far as they tell?  Of IPv6, so many @bytes count. */
bool trunk_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b,
		     size_t bytes);

/* --- trunk_listen.c --- */
/* Wait for a connection that becomes a trunk; with @keep, for one after the other. */
int trunk_serve(struct hcctl *h, const char *where, const struct trunk_ends *e, bool keep,
		bool background);

/* --- trunk.c --- */
/* Agree with the other end, hand the connection over to the kernel and close @fd. */
int trunk_join(struct hcctl *h, int fd, struct trunk_ends *e, bool server);
#define TRUNK_PEER_TEXT 96
/* The address of the other end; the text may be in @buf. */
const char *trunk_peer_text(char buf[TRUNK_PEER_TEXT], const struct sockaddr *peer, socklen_t len);

#endif /* _HCCTL_TRUNK_H */
