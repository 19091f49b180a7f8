// SPDX-License-Identifier: GPL-2.0
/*
 * A program that plays the remote machine of a trunk.
 */
#include <arpa/inet.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "far_end.h"
#include "hc_topo.h"

#define FD	9

void far_put16(uint8_t *p, uint16_t v)
{
	v = htons(v);
	memcpy(p, &v, 2);
}

void far_put32(uint8_t *p, uint32_t v)
{
	v = htonl(v);
	memcpy(p, &v, 4);
}

uint32_t far_get32(const uint8_t *p)
{
	uint32_t v;

	memcpy(&v, p, 4);
	return ntohl(v);
}

void far_record(uint8_t *p, uint32_t len, uint8_t what, uint8_t flags, uint16_t node)
{
	far_put32(p, len);
	p[4] = what;
	p[5] = flags;
	far_put16(p + 6, node);
	memset(p + 8, 0, 8);
}

static uint32_t crc32c(const uint8_t *p, size_t n)
{
	uint32_t crc = ~0u;
	unsigned int bit;

	while (n--) {
		crc ^= *p++;
		for (bit = 0; bit < 8; bit++)
			crc = crc & 1 ? crc >> 1 ^ 0x82f63b78 : crc >> 1;
	}
	return ~crc;
}

void far_digest(uint8_t *p, size_t n)
{
	far_put32(p + 8, crc32c(p + FAR_RECORD, n));
	far_put32(p + 12, crc32c(p, 8));
}

/* Frames of the types TEST and ETH have no sequence number. This program assumes that a frame with
 * HC_RECORD_F_SEALED has a wrong checksum, so that the module drops it, and expects the same number
 * in the next frame of the link.
 */
void far_number(uint8_t *record)
{
	static uint32_t last[1 << 12];
	uint8_t *f = record + FAR_RECORD + (record[5] & 2 ? 12 : 0), type = f[1];
	uint32_t u = record[6] << 8 | record[7];

	if (type >= 2 && type <= 15 && type != 9 && !(record[5] & 1) && u < 1 << 12)
		far_put32(f + 12, ++last[u]);
}

bool far_say(int fd, const void *p, size_t n)
{
	ssize_t sent;

	for (; n; n -= sent, p = (const char *)p + sent) {
		sent = send(fd, p, n, MSG_NOSIGNAL);
		if (sent <= 0)
			return false;
	}
	return true;
}

bool far_greet_of(int fd, const char *fabric, unsigned int dim, unsigned int along, uint16_t fixed,
		  uint16_t base)
{
	uint8_t b[FAR_RECORD + 32] = {}, *w = b + FAR_RECORD;

	far_record(b, 32, FAR_HELLO, 0, 0);
	far_put32(w, 0x68637472);
	far_put16(w + 4, FAR_VERSION);
	w[6] = FAR_WIRE;
	w[7] = dim;
	far_put32(w + 8, hc_name_id(fabric));
	far_put32(w + 12, 32768);
	far_put16(w + 16, fixed);
	far_put16(w + 18, base);
	far_put32(w + 20, 5000);
	w[24] = along;
	far_digest(b, 32);
	return far_say(fd, b, sizeof(b));
}

bool far_greet(int fd, const char *fabric, unsigned int along, uint16_t fixed, uint16_t base)
{
	return far_greet_of(fd, fabric, 3, along, fixed, base);
}

bool far_get(int fd, void *to, size_t n)
{
	ssize_t got;

	for (; n; n -= got, to = (char *)to + got) {
		got = read(fd, to, n);
		if (got <= 0)
			return false;
	}
	return true;
}

bool far_state_cut(int fd, uint16_t u, uint16_t cuts)
{
	uint8_t b[FAR_RECORD + 16] = {};

	far_record(b, 16, FAR_STATE, 0, u);
	far_put16(b + FAR_RECORD + 14, cuts);
	return far_say(fd, b, sizeof(b));
}

bool far_state(int fd, uint16_t u)
{
	return far_state_cut(fd, u, 0);
}

bool far_word(int fd, const char *fabric, uint16_t along, uint16_t u, uint16_t of, uint16_t word,
	      uint32_t version)
{
	uint8_t b[FAR_RECORD + FAR_HDR + 16] = {}, *f = b + FAR_RECORD;

	far_record(b, FAR_HDR + 16, FAR_FRAME, 0, u);
	f[0] = FAR_WIRE;
	f[1] = FAR_LSA;
	far_put32(f + 4, hc_name_id(fabric));
	far_put16(f + 8, u ^ along);
	far_put16(f + 10, u);
	far_put32(f + 16, 8);
	far_put16(f + FAR_HDR + 8, of);
	far_put16(f + FAR_HDR + 10, word);
	far_put32(f + FAR_HDR + 12, version);
	far_number(b);
	return far_say(fd, b, sizeof(b));
}

int far_hand_over(const char *fabric, const char *dim, int fd)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		dup2(fd, FD);
		execlp("hcctl", "hcctl", "trunk", "add", fabric, dim, "fd", "9", "keepalive", "60s",
		       "digest", "off", NULL);
		_exit(127);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

int far_trunk(const char *fabric, const char *dim)
{
	int pair[2], status;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair))
		return -1;
	status = far_hand_over(fabric, dim, pair[0]);
	close(pair[0]);
	if (!status)
		return pair[1];
	close(pair[1]);
	return -1;
}
