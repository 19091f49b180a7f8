// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trunk: parsing addresses, connecting and listening.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "trunk.h"

#define UNIX	"unix:"
#define VSOCK	"vsock:"
/* Time between two attempts to bind, in microseconds. */
#define BIND_EVERY	50000

/* Split an address of the form "HOST", "HOST:PORT" or "[V6]:PORT" into the strings @host and @port,
 * for which there are @size bytes each.
 */
static int split(struct hcctl *h, const char *where, char *host, char *port, size_t size)
{
	const char *end = strrchr(where, ':'), *from = where;
	size_t len = strlen(where);

	snprintf(port, size, "%s", TRUNK_PORT);
	if (*where == '[') {
		from = where + 1;
		end = strchr(where, ']');
		if (!end || (end[1] && end[1] != ':'))
			return hc_invalid(h, "address", where, "[ADDRESS] or [ADDRESS]:PORT is wanted");
		len = end - from;
		end = end[1] ? end + 1 : NULL;
	} else if (end && strchr(where, ':') == end) {
		len = end - where;
	} else {
		end = NULL;
	}
	if (end)
		snprintf(port, size, "%s", end + 1);
	if (len >= size)
		return hc_invalid(h, "address", where, "it is too long");
	memcpy(host, from, len);
	host[len] = 0;
	return 0;
}

static int resolve(struct hcctl *h, const char *where, bool passive, struct addrinfo **list)
{
	const struct addrinfo hints = {
		.ai_socktype = SOCK_STREAM, .ai_flags = passive ? AI_PASSIVE : 0,
	};
	char host[256], port[256];
	int rc = split(h, where, host, port, sizeof(host));

	if (rc)
		return rc;
	rc = getaddrinfo(*host ? host : NULL, port, &hints, list);
	if (!rc)
		return 0;
	hc_error(h, "%s: %s", where, gai_strerror(rc));
	return -EADDRNOTAVAIL;
}

/**
 * struct special - an address of AF_UNIX or AF_VSOCK
 * @addr: the address
 * @len: length of the address in bytes
 * @path: path of the socket's file (AF_UNIX), or NULL
 */
struct special {
	union {
		struct sockaddr any;
		struct sockaddr_un file;
		struct sockaddr_vm vm;
	} addr;
	socklen_t len;
	const char *path;
};

static int unix_address(struct hcctl *h, const char *path, struct special *s)
{
	struct sockaddr_un *addr = &s->addr.file;

	*addr = (struct sockaddr_un){ .sun_family = AF_UNIX };
	if (strlen(path) >= sizeof(addr->sun_path))
		return hc_invalid(h, "path", path, "it is too long");
	strcpy(addr->sun_path, path);
	s->len = sizeof(*addr);
	s->path = path;
	return 0;
}

/* Parse an AF_VSOCK address, "CID" or "CID:PORT". The CID may be missing for a listening socket,
 * which then accepts connections to any CID.
 */
static int vsock_address(struct hcctl *h, const char *text, struct special *s)
{
	struct sockaddr_vm *addr = &s->addr.vm;
	unsigned long cid = VMADDR_CID_ANY, port = strtoul(TRUNK_PORT, NULL, 10);
	char *end = (char *)text;

	if (isdigit(*text))
		cid = strtoul(text, &end, 10);
	if (*end == ':' && isdigit(end[1]))
		port = strtoul(end + 1, &end, 10);
	if (*end || cid > VMADDR_CID_ANY || port >= VMADDR_PORT_ANY)
		return hc_invalid(h, "address", text, "CID or CID:PORT, two numbers, is wanted");
	*addr = (struct sockaddr_vm){
		.svm_family = AF_VSOCK, .svm_cid = cid, .svm_port = port,
	};
	s->len = sizeof(*addr);
	return 0;
}

/* Parse an address of AF_UNIX or AF_VSOCK. Return: 1; 0 if it is neither, but a TCP address; or a
 * negative errno after printing an error.
 */
static int special(struct hcctl *h, const char *where, struct special *s)
{
	int rc;

	*s = (struct special){};
	if (!strncmp(where, UNIX, strlen(UNIX)))
		rc = unix_address(h, where + strlen(UNIX), s);
	else if (!strncmp(where, VSOCK, strlen(VSOCK)))
		rc = vsock_address(h, where + strlen(VSOCK), s);
	else
		return 0;
	return rc ? -EINVAL : 1;
}

bool trunk_same_host(const struct sockaddr_storage *a, const struct sockaddr_storage *b,
		     size_t bytes)
{
	const struct sockaddr_in *a4 = (const void *)a, *b4 = (const void *)b;
	const struct sockaddr_in6 *a6 = (const void *)a, *b6 = (const void *)b;
	const struct sockaddr_vm *avm = (const void *)a, *bvm = (const void *)b;

	if (a->ss_family != b->ss_family)
		return false;
	switch (a->ss_family) {
	case AF_INET:
		return a4->sin_addr.s_addr == b4->sin_addr.s_addr;
	case AF_INET6:
		return !memcmp(&a6->sin6_addr, &b6->sin6_addr, bytes);
	case AF_VSOCK:
		return avm->svm_cid == bvm->svm_cid;
	default:
		return true;
	}
}

static int cannot(struct hcctl *h, const char *what, const char *where, int fd)
{
	int err = errno;

	hc_error(h, "cannot %s %s: %s", what, where, strerror(err));
	if (fd >= 0)
		close(fd);
	return -err;
}

int trunk_connect(struct hcctl *h, const char *where)
{
	struct addrinfo *list, *a;
	struct special s;
	int fd = -1, rc = special(h, where, &s);

	if (rc < 0)
		return rc;
	if (rc) {
		fd = socket(s.addr.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && !connect(fd, &s.addr.any, s.len))
			return fd;
		return cannot(h, "connect to", where, fd);
	}
	rc = resolve(h, where, false, &list);
	if (rc)
		return -EADDRNOTAVAIL;
	for (a = list; a; a = a->ai_next) {
		fd = socket(a->ai_family, a->ai_socktype | SOCK_CLOEXEC, a->ai_protocol);
		if (fd >= 0 && !connect(fd, a->ai_addr, a->ai_addrlen))
			break;
		if (fd >= 0 && a->ai_next)
			close(fd);
	}
	freeaddrinfo(list);
	return a ? fd : cannot(h, "connect to", where, fd);
}

/* Bind a socket. As long as another process uses the address, try again, for up to @ms
 * milliseconds.
 */
static int bind_patiently(int fd, const struct sockaddr *addr, socklen_t len, unsigned int ms)
{
	int64_t end = trunk_now() + ms;
	int rc;

	while ((rc = bind(fd, addr, len)) && errno == EADDRINUSE && trunk_now() < end)
		usleep(BIND_EVERY);
	return rc;
}

/* Return: a socket that listens at the address @addr, or -1. */
static int listen_one(const struct sockaddr *addr, socklen_t len, unsigned int ms)
{
	int fd = socket(addr->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1, err;
	bool inet = addr->sa_family == AF_INET || addr->sa_family == AF_INET6;

	if (fd < 0)
		return -1;
	if (inet)
		setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	/* The socket for an IPv6 address must not accept connections to IPv4 addresses, which have
	 * a socket of their own.
	 */
	if (addr->sa_family == AF_INET6)
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on));
	/* Make the socket non-blocking: otherwise accept() would block if the peer has closed the
	 * connection in the meantime.
	 */
	if (!bind_patiently(fd, addr, len, ms) && !listen(fd, SOMAXCONN) &&
	    !fcntl(fd, F_SETFL, O_NONBLOCK))
		return fd;
	err = errno;
	close(fd);
	errno = err;
	return -1;
}

/* Return: true if the error shows that this machine does not have the address, or does not support
 * its address family. In this case another address may work.
 */
static bool is_no_address(int err)
{
	return err == EAFNOSUPPORT || err == EADDRNOTAVAIL || err == EPROTONOSUPPORT;
}

static int listen_all(const struct addrinfo *a, unsigned int ms, int fd[TRUNK_ADDRESSES])
{
	int n = 0, err = 0, absent = 0;

	for (; a && !err && n < TRUNK_ADDRESSES; a = a->ai_next) {
		fd[n] = listen_one(a->ai_addr, a->ai_addrlen, ms);
		if (fd[n] >= 0)
			n++;
		else if (is_no_address(errno))
			absent = errno;
		else
			err = errno;
	}
	if (n && !err)
		return n;
	while (n)
		close(fd[--n]);
	errno = err ? err : absent;
	return -1;
}

int trunk_listen(struct hcctl *h, const char *where, unsigned int ms, int fd[TRUNK_ADDRESSES])
{
	struct addrinfo *list;
	struct special s;
	int n, rc = special(h, where, &s);

	if (rc < 0)
		return rc;
	if (rc) {
		if (s.path)
			unlink(s.path);
		fd[0] = listen_one(&s.addr.any, s.len, ms);
		n = fd[0] < 0 ? -1 : 1;
	} else {
		if (resolve(h, where, true, &list))
			return -EADDRNOTAVAIL;
		n = listen_all(list, ms, fd);
		freeaddrinfo(list);
	}
	return n > 0 ? n : cannot(h, "listen at", *where ? where : "port " TRUNK_PORT, -1);
}
