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
 * struct trunk_ends - attributes of a trunk at this end, which the other end must accept
 * @fabric: the fabric on this machine
 * @dim: dimension of the links; NL_NONE: the other end determines it
 * @far: the trunk as the kernel gets it, with the subcube of the other end; set by trunk_meet()
 * @keep: keepalive time, ms; 0: the kernel's default
 * @no_plans: accept no plans from the other end
 * @digest: whether this end wants digests of the records
 * @tls: CERT,KEY,CA[,NAME]: three files and the name of the other end; NULL: no TLS
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
/* Negotiate with the program at the other end of @fd. Set e->far, and if the other end determines
 * the dimension, e->dim.
 */
int trunk_meet(struct hcctl *h, int fd, struct trunk_ends *e);
/* Time limit of the whole negotiation, in ms. */
#define TRUNK_TIMEOUT 10000
/* Return: the present time in ms, of the monotonic clock. */
int64_t trunk_now(void);
/* Wait until @fd has data to read or the connection has ended, or until the time @end. Return:
 * false if @end was reached.
 */
bool trunk_comes(int fd, int64_t end);
/* The line that a peer which does not speak TLS gets, in place of an offer. */
#define TRUNK_WANTS_TLS "no TLS is wanted\n"

/* --- trunk_tls.c --- */
/* Authenticate both ends, and have the kernel encrypt all further data on @fd. @files:
 * trunk_ends.tls. @server: this end has accepted the connection.
 */
int trunk_tls(struct hcctl *h, int fd, const char *files, bool server);
/* Check that the files of keys and certificates can be used. Prints an error if not. */
int trunk_tls_check(struct hcctl *h, const char *files);
/* Return: why the other end has ended the connection, if the next record is a TLS alert, otherwise
 * NULL.
 */
const char *trunk_tls_alert(int fd);

/* --- trunk_daemon.c --- */
/* Claim @purpose, such as listening at an address for the fabric @f, for this process, by a lock.
 * If another process already has the claim, *@taken is set to true.
 */
int trunk_claim(struct hcctl *h, const struct nl_fabric *f, const char *purpose, bool *taken);
/* Continue in the background. Further error messages go to the system's log. */
int trunk_detach(struct hcctl *h);

/* --- trunk_dial.c --- */
/* Connect to the address @where. Return: a descriptor, or a negative errno after printing an error.
 */
int trunk_connect(struct hcctl *h, const char *where);
/* Maximum number of addresses that the host name in an argument may stand for. */
#define TRUNK_ADDRESSES 8
/* Open listening sockets: one for each address that @where stands for. If another process uses an
 * address, wait up to @ms milliseconds until that process ends. Return: the number of sockets, or a
 * negative errno after printing an error.
 */
int trunk_listen(struct hcctl *h, const char *where, unsigned int ms, int fd[TRUNK_ADDRESSES]);

/* Return: true if two addresses belong to the same host, as far as that follows from the addresses.
 * Of IPv6 addresses, the first @bytes bytes are compared.
 */
bool trunk_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b,
		     size_t bytes);

/* --- trunk_listen.c --- */
/* Wait for a connection that becomes a trunk. With @keep, continue to do so until the fabric is
 * removed. With @background, the process continues in the background.
 */
int trunk_serve(struct hcctl *h, const char *where, const struct trunk_ends *e, bool keep,
		bool background);

/* --- trunk.c --- */
/* Negotiate with the other end of @fd, pass the connection to the kernel, and close @fd. @server:
 * this end has accepted the connection.
 */
int trunk_join(struct hcctl *h, int fd, struct trunk_ends *e, bool server);
#define TRUNK_PEER_TEXT 96
/* Return: the address of the other end as text, which may be in @buf. */
const char *trunk_peer_text(char buf[TRUNK_PEER_TEXT], const struct sockaddr *peer, socklen_t len);

#endif /* _HCCTL_TRUNK_H */
