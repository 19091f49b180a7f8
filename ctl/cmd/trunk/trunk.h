/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Interface between the files of hcctl trunk.
 */
#ifndef _HCCTL_TRUNK_H
#define _HCCTL_TRUNK_H

#include <sys/socket.h>

#include "cmd/cmd.h"

/* Default port of listen and connect: "hc" as a number. */
#define TRUNK_PORT "26723"

/**
 * struct trunk_ends - what both ends of a trunk have to agree on
 * @fabric: the fabric on this machine
 * @dim: dimension of the links; NL_NONE: the other end decides
 * @far: the trunk, with the subcube at the other end; set by trunk_meet()
 * @keep: keepalive time, ms; 0: default
 * @no_plans: accept no plans from the other end
 * @digest: whether this end wants digests
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

/* --- trunk_handshake.c --- */
/* Negotiate with the program at the other end of @fd. Set e->far, and e->dim if the other end
 * decides it.
 */
int trunk_meet(struct hcctl *h, int fd, struct trunk_ends *e);
/* Time limit of the whole negotiation, ms. */
#define TRUNK_TIMEOUT 10000
/* Return: the present time, ms. */
int64_t trunk_now(void);
/* Wait until there is something to read or the connection has ended, but at most until @end.
 * Return: false if @end was reached first.
 */
bool trunk_comes(int fd, int64_t end);
/* The line that is sent, instead of an offer, to a peer that does not speak TLS. */
#define TRUNK_WANTS_TLS "no TLS is wanted\n"

/* --- trunk_tls.c --- */
/* Authenticate both ends, and have the kernel encrypt all further data. */
int trunk_tls(struct hcctl *h, int fd, const char *files, bool server);
/* Check that the files of keys and certificates can be used. */
int trunk_tls_check(struct hcctl *h, const char *files);
/* Return: why the other end has ended the connection, if the next record is an alert, otherwise
 * NULL.
 */
const char *trunk_tls_alert(int fd);

/* --- trunk_daemon.c --- */
/* Claim @purpose for this process and the fabric, by a lock. *@taken is set to whether another
 * process has it.
 */
int trunk_claim(struct hcctl *h, const struct nl_fabric *f, const char *purpose, bool *taken);
/* Continue in the background. Error messages then go to the system's log. */
int trunk_detach(struct hcctl *h);

/* --- trunk_dial.c --- */
/* Return: a descriptor of a connection, or a negative errno after printing an error. */
int trunk_connect(struct hcctl *h, const char *where);
/* Maximum number of addresses that one argument may stand for. */
#define TRUNK_ADDRESSES 8
/* Open listening sockets, one for each address that @where stands for. If another process has an
 * address, wait up to @ms milliseconds for that process to end. Return: the number of sockets, or a
 * negative errno after printing an error.
 */
int trunk_listen(struct hcctl *h, const char *where, unsigned int ms, int fd[TRUNK_ADDRESSES]);

/* Return: true if two addresses belong to the same host, as far as the addresses show. Of IPv6
 * addresses, the first @bytes bytes are compared.
 */
bool trunk_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b,
		     size_t bytes);

/* --- trunk_listen.c --- */
/* Wait for a connection that becomes a trunk; with @keep, for one after another until the fabric is
 * removed.
 */
int trunk_serve(struct hcctl *h, const char *where, const struct trunk_ends *e, bool keep,
		bool background);

/* --- trunk.c --- */
/* Negotiate with the other end, give the connection to the kernel and close @fd. */
int trunk_join(struct hcctl *h, int fd, struct trunk_ends *e, bool server);
#define TRUNK_PEER_TEXT 96
/* Return: the address of the other end as text. The text may be in @buf. */
const char *trunk_peer_text(char buf[TRUNK_PEER_TEXT], const struct sockaddr *peer, socklen_t len);

#endif /* _HCCTL_TRUNK_H */
