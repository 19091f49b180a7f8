// SPDX-License-Identifier: GPL-2.0
/*
 * What makes no sense, on trunks.
 *
 *	hc_garbage FABRIC DIM ROUNDS FRAMES SEED
 *
 * FABRIC, of dimension 3, has the nodes 0XX here and no trunk along DIM = 2.  Each round hands over
 * one end of a pair of sockets and plays the other machine: some say noise, some greet and
 * then send FRAMES frames with random contents, then noise.  Each must find its stream closed.
 */
#include <arpa/inet.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hc_topo.h"

#define FD	9
#define WAIT	30000	/* ms */

static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

static void noise(uint8_t *p, size_t n)
{
	while (n--)
		*p++ = draw(256);
}

static bool say(int fd, const void *p, size_t n)
{
	ssize_t sent;

	for (; n; n -= sent, p = (const char *)p + sent) {
		sent = send(fd, p, n, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
	}
	return true;
}

static void put16(uint8_t *p, uint16_t v)
{
	v = htons(v);
	memcpy(p, &v, 2);
}

static void put32(uint8_t *p, uint32_t v)
{
	v = htonl(v);
	memcpy(p, &v, 4);
}

/* struct hc_wire_record */
static void record(uint8_t *p, uint32_t len, uint8_t what, uint8_t flags, uint16_t node)
{
	put32(p, len);
	p[4] = what;
	p[5] = flags;
	put16(p + 6, node);
}

/* As a machine with the nodes 1XX does. */
static bool greet(int fd, const char *fabric)
{
	uint8_t b[8 + 32] = {};

	record(b, 32, 1, 0, 0);
	put32(b + 8, 0x68637472);
	put16(b + 12, 1);
	b[14] = 2;
	b[15] = 3;
	put32(b + 16, hc_name_id(fabric));
	put32(b + 20, 32768);
	put16(b + 24, 4);
	put16(b + 26, 4);
	put32(b + 28, 5000);
	b[32] = 2;
	return say(fd, b, sizeof(b));
}

/* What the other end says of its links: anything. */
static bool links(int fd)
{
	uint8_t b[8 + 16];
	unsigned int u;
	bool ok = true;

	for (u = 0; u < 4 && ok; u++) {
		noise(b, sizeof(b));
		record(b, 16, 3, draw(256), u);
		b[20] = draw(4) ? 0 : draw(256);
		ok = say(fd, b, sizeof(b));
	}
	return ok;
}

/* A frame whose record is right; what is in it may be anything. */
static bool frame(int fd, const char *fabric)
{
	static uint8_t b[8 + 12 + 70000];
	bool offload = !draw(8);
	uint32_t payload = draw(20) ? draw(300) : draw(66000), len = 40 + payload, u = draw(4);
	uint8_t *f = b + 8 + (offload ? 12 : 0);

	noise(b, 8 + 12 + len);
	record(b, len + (offload ? 12 : 0), 4, (draw(16) ? 0 : 1) | (offload ? 2 : 0), u);
	if (draw(10)) {
		f[0] = 2;
		f[1] = 1 + draw(16);
		f[2] = draw(3) ? 0 : draw(8);
		put32(f + 4, hc_name_id(fabric));
		put16(f + 8, u ^ (draw(4) ? 4 : draw(8)));
		put16(f + 10, draw(4) ? u : draw(9));
		if (draw(4))
			put32(f + 16, payload - (draw(2) ? 0 : draw(payload + 1)));
		put16(f + 20, draw(3) ? 0 : draw(70));
	}
	return say(fd, b, 8 + (offload ? 12 : 0) + len);
}

static bool closed(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t b[4096];

	while (poll(&p, 1, WAIT) == 1)
		if (read(fd, b, sizeof(b)) <= 0)
			return true;
	return false;
}

static int hand_over(char **argv, int fd)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(fd, FD);
		execlp("hcctl", "hcctl", "trunk", "add", argv[1], argv[2], "fd", "9", NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static int one(char **argv, unsigned int frames)
{
	int pair[2], rc;
	uint8_t b[300];
	bool ok = true;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return 1;
	rc = hand_over(argv, pair[0]);
	close(pair[0]);
	if (draw(4)) {
		ok = greet(pair[1], argv[1]) && (!draw(4) || links(pair[1]));
		while (ok && frames--)
			ok = frame(pair[1], argv[1]);
	}
	noise(b, sizeof(b));
	b[4] |= 0x80;
	say(pair[1], b, sizeof(b));
	if (!rc && !closed(pair[1])) {
		puts("a stream of noise is still open");
		rc = 1;
	}
	close(pair[1]);
	return rc;
}

int main(int argc, char **argv)
{
	int rounds, rc = 0;

	if (argc != 6)
		return 2;
	state = strtoull(argv[5], NULL, 0);
	for (rounds = atoi(argv[3]); rounds && !rc; rounds--)
		rc = one(argv, atoi(argv[4]));
	return !!rc;
}
