// SPDX-License-Identifier: GPL-2.0
/*
 * Traffic between endpoints, for the scripts.
 *
 *	hc_flow sink PORT		accepts one TCP connection, reads all bytes, checks some of
 *					them, and prints "BYTES bytes, longest stall MS ms"
 *	hc_flow source ADDRESS PORT SECONDS
 *					sends to a sink for SECONDS s
 *	hc_flow pingpong ADDRESS PORT ROUNDS
 *					makes ROUNDS round trips of one byte with an echo; prints
 *					the mean time of one, "NS ns"
 *	hc_flow echo PORT		accepts one TCP connection, and sends its bytes back
 *	hc_flow udp ADDRESS PORT SECONDS [BYTES]
 *					sends as many datagrams as the socket takes in SECONDS s;
 *					prints their number
 *	hc_flow count PORT SECONDS [busy]
 *					receives datagrams for SECONDS s, with "busy" by busy
 *					polling; prints their number
 *	hc_flow raw IFNAME DST SRC COUNT [BYTES [MS]]
 *					sends COUNT Ethernet frames of type 0x88b5, each with its
 *					number; sleeps MS ms after each 64 frames
 *	hc_flow packets IFNAME DST SRC COUNT BYTES
 *					as raw, and prints how long this took: "NS ns"
 *	hc_flow hear IFNAME SECONDS [QUIET [list]]
 *					receives frames of this type for SECONDS s or, if QUIET is
 *					given, until QUIET ms after the last frame, or until
 *					SIGTERM; prints for each source address how many frames
 *					arrived, and how many of them were duplicates; with "list",
 *					first prints the number of each frame when it arrives
 *
 * Ethernet addresses are six hexadecimal bytes with colons.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define ETH_P_TEST	0x88b5
#define NUMBERS		65536

static char buf[65536];

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static uint64_t end_after(double seconds)
{
	return now_ns() + (uint64_t)(seconds * 1e9);
}

static int fail(const char *what)
{
	fprintf(stderr, "hc_flow: %s: %s\n", what, strerror(errno));
	return 1;
}

/* Return: a socket that is connected to @address or, if that is NULL, bound to @port. */
static int sock_open(const char *address, const char *port, int type)
{
	struct addrinfo hints = {
		.ai_socktype = type, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV,
	};
	struct addrinfo *ai;
	int fd, one = 1, rc;

	if (!address)
		hints.ai_flags |= AI_PASSIVE;
	if (getaddrinfo(address, port, &hints, &ai))
		return -1;
	fd = socket(ai->ai_family, type, 0);
	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &one, sizeof(one));
	if (type == SOCK_STREAM)
		setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	rc = address ? connect(fd, ai->ai_addr, ai->ai_addrlen) :
		       bind(fd, ai->ai_addr, ai->ai_addrlen);
	freeaddrinfo(ai);
	return rc ? -1 : fd;
}

static int accept_one(const char *port)
{
	int fd = sock_open(NULL, port, SOCK_STREAM);

	return fd < 0 || listen(fd, 1) ? -1 : accept(fd, NULL, NULL);
}

/* Byte k of the stream is a function of k, so that a lost or duplicate byte is noticed. The stream
 * repeats after PERIOD bytes. PERIOD is a prime, so no length of a frame or buffer is a multiple of
 * it.
 */
#define PERIOD	65521
static char stream[PERIOD + sizeof(buf)];

static void stream_make(void)
{
	uint32_t k;

	for (k = 0; k < sizeof(stream); k++)
		stream[k] = k % PERIOD * 2654435761u >> 24;
}

static int sink(const char *port)
{
	uint64_t total = 0, last, longest = 0, now;
	int fd = accept_one(port);
	ssize_t n, i;

	if (fd < 0)
		return fail("accept");
	stream_make();
	last = now_ns();
	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		now = now_ns();
		if (now - last > longest)
			longest = now - last;
		last = now;
		for (i = 0; i < n; i += 997)
			if (buf[i] != stream[(total + i) % PERIOD]) {
				fprintf(stderr, "hc_flow: byte %llu is wrong\n",
					(unsigned long long)total + i);
				return 1;
			}
		total += n;
	}
	printf("%llu bytes, longest stall %llu ms\n", (unsigned long long)total,
	       (unsigned long long)longest / 1000000);
	return n < 0 ? fail("read") : 0;
}

static int source(const char *address, const char *port, double seconds)
{
	int fd = sock_open(address, port, SOCK_STREAM);
	uint64_t end = end_after(seconds), total = 0;
	ssize_t n;

	if (fd < 0)
		return fail("connect");
	stream_make();
	for (; now_ns() < end; total += n) {
		n = write(fd, stream + total % PERIOD, sizeof(buf));
		if (n <= 0)
			return fail("write");
	}
	printf("%llu bytes\n", (unsigned long long)total);
	return 0;
}

static int pingpong(const char *address, const char *port, unsigned int rounds)
{
	int fd = sock_open(address, port, SOCK_STREAM);
	uint64_t begin = now_ns();
	unsigned int i;

	if (fd < 0)
		return fail("connect");
	for (i = 0; i < rounds; i++)
		if (write(fd, buf, 1) != 1 || read(fd, buf, 1) != 1)
			return fail("round trip");
	printf("%llu ns\n", (unsigned long long)(now_ns() - begin) / rounds);
	return 0;
}

static int echo(const char *port)
{
	int fd = accept_one(port);
	ssize_t n;

	if (fd < 0)
		return fail("accept");
	while ((n = read(fd, buf, sizeof(buf))) > 0)
		if (write(fd, buf, n) != n)
			return fail("write");
	return 0;
}

static int udp(const char *address, const char *port, double seconds, size_t bytes)
{
	uint64_t end = end_after(seconds), n = 0;
	int fd = sock_open(address, port, SOCK_DGRAM);

	if (fd < 0)
		return fail("connect");
	while (now_ns() < end)
		n += send(fd, buf, bytes, 0) == (ssize_t)bytes;
	printf("%llu datagrams\n", (unsigned long long)n);
	return 0;
}

static int wait_readable(int fd, uint64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint64_t now = now_ns();

	return now < end && poll(&p, 1, (end - now) / 1000000 + 1) > 0;
}

/* Let receive calls on @fd busy-poll the device, and prefer busy polling: its softirq is deferred
 * meanwhile.
 */
static int poll_busily(int fd)
{
	struct timeval timeout = { .tv_usec = 100000 };
	int spin = 1000, budget = 64, one = 1;

	return setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout)) ||
	       setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL, &spin, sizeof(spin)) ||
	       setsockopt(fd, SOL_SOCKET, SO_PREFER_BUSY_POLL, &one, sizeof(one)) ||
	       setsockopt(fd, SOL_SOCKET, SO_BUSY_POLL_BUDGET, &budget, sizeof(budget));
}

static int count(const char *port, double seconds, bool busily)
{
	uint64_t end = end_after(seconds), n = 0;
	int fd = sock_open(NULL, port, SOCK_DGRAM);

	if (fd < 0)
		return fail("bind");
	if (busily && poll_busily(fd))
		return fail("busy polling");
	while (busily ? now_ns() < end : wait_readable(fd, end))
		n += recv(fd, buf, sizeof(buf), 0) >= 0;
	printf("%llu datagrams\n", (unsigned long long)n);
	return 0;
}

static int addr_of(const char *text, uint8_t *addr)
{
	return sscanf(text, "%hhx:%hhx:%hhx:%hhx:%hhx:%hhx", addr, addr + 1, addr + 2, addr + 3,
		      addr + 4, addr + 5) == 6 ? 0 : -1;
}

static int packet_open(const char *ifname, struct sockaddr_ll *sll)
{
	int fd = socket(AF_PACKET, SOCK_RAW, htons(ETH_P_TEST));

	*sll = (struct sockaddr_ll){
		.sll_family = AF_PACKET, .sll_protocol = htons(ETH_P_TEST),
		.sll_ifindex = if_nametoindex(ifname),
	};
	return fd < 0 || bind(fd, (struct sockaddr *)sll, sizeof(*sll)) ? -1 : fd;
}

static int raw(const char *ifname, const char *dst, const char *src, unsigned int n, size_t bytes,
	       int rest_ms)
{
	struct ether_header *eth = (struct ether_header *)buf;
	struct sockaddr_ll sll;
	int fd = packet_open(ifname, &sll);
	unsigned int i;
	uint32_t nr;

	if (fd < 0)
		return fail("packet socket");
	if (addr_of(dst, eth->ether_dhost) || addr_of(src, eth->ether_shost) ||
	    bytes < sizeof(*eth) + sizeof(nr) || bytes > sizeof(buf))
		return 2;
	eth->ether_type = htons(ETH_P_TEST);
	for (i = 0; i < n; i++) {
		nr = i;
		memcpy(eth + 1, &nr, sizeof(nr));
		if (send(fd, buf, bytes, 0) != (ssize_t)bytes)
			return fail("send");
		if (rest_ms && i % 64 == 63)
			poll(NULL, 0, rest_ms);
	}
	return 0;
}

static int packets(const char *ifname, const char *dst, const char *src, unsigned int n,
		   size_t bytes)
{
	uint64_t begin = now_ns();
	int rc = raw(ifname, dst, src, n, bytes, 0);

	printf("%llu ns\n", (unsigned long long)(now_ns() - begin));
	return rc;
}

/* The frames that have arrived from one source: the address; the number of frames, and of
 * duplicates (@twice); and how often each frame number arrived (@seen).
 */
struct got_news {
	uint8_t src[6];
	unsigned int frames;
	unsigned int twice;
	uint8_t seen[NUMBERS];
};

static struct got_news *received_of(struct got_news *v, unsigned int *n, const uint8_t *src)
{
	unsigned int i;

	for (i = 0; i < *n; i++)
		if (!memcmp(v[i].src, src, 6))
			return &v[i];
	memcpy(v[i].src, src, 6);
	*n += *n < 15;
	return &v[i];
}

static volatile sig_atomic_t stopped;

static void stop(int sig)
{
	(void)sig;
	stopped = 1;
}

/* Wait until @end for the next frame. After SIGTERM do not wait: only frames that have already
 * arrived are received. Return: false if there is no frame.
 */
static bool receive_more(int fd, uint64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	if (!stopped && wait_readable(fd, end))
		return true;
	return stopped && poll(&p, 1, 0) > 0;
}

static int hear(const char *ifname, int seconds, unsigned int quiet, bool list)
{
	uint64_t end = end_after(seconds);
	const struct ether_header *eth = (struct ether_header *)buf;
	static struct got_news v[16];
	struct sockaddr_ll sll;
	int fd = packet_open(ifname, &sll), room = 8 << 20;
	unsigned int n = 0, i;
	uint32_t nr;

	if (fd < 0)
		return fail("packet socket");
	setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &room, sizeof(room));
	sigaction(SIGTERM, &(struct sigaction){ .sa_handler = stop }, NULL);
	puts("hears");
	fflush(stdout);
	while (receive_more(fd, end)) {
		ssize_t len = recv(fd, buf, sizeof(buf), 0);
		struct got_news *h;

		if (len < (ssize_t)(sizeof(*eth) + sizeof(nr)))
			continue;
		memcpy(&nr, eth + 1, sizeof(nr));
		if (quiet)
			end = now_ns() + quiet * 1000000ULL;
		if (list)
			printf("%u ", nr);
		h = received_of(v, &n, eth->ether_shost);
		h->frames++;
		h->twice += h->seen[nr % NUMBERS]++ > 0;
	}
	if (list)
		puts("");
	for (i = 0; i < n; i++)
		printf("%02x:%02x:%02x:%02x:%02x:%02x %u frames, %u twice\n", v[i].src[0],
		       v[i].src[1], v[i].src[2], v[i].src[3], v[i].src[4], v[i].src[5],
		       v[i].frames, v[i].twice);
	return 0;
}

int main(int argc, char **argv)
{
	const char *verb = argc > 1 ? argv[1] : "";

	if (!strcmp(verb, "sink") && argc == 3)
		return sink(argv[2]);
	if (!strcmp(verb, "source") && argc == 5)
		return source(argv[2], argv[3], atof(argv[4]));
	if (!strcmp(verb, "pingpong") && argc == 5)
		return pingpong(argv[2], argv[3], atoi(argv[4]));
	if (!strcmp(verb, "echo") && argc == 3)
		return echo(argv[2]);
	if (!strcmp(verb, "udp") && (argc == 5 || argc == 6))
		return udp(argv[2], argv[3], atof(argv[4]), argc == 6 ? atoi(argv[5]) : 64);
	if (!strcmp(verb, "count") && (argc == 4 || (argc == 5 && !strcmp(argv[4], "busy"))))
		return count(argv[2], atof(argv[3]), argc == 5);
	if (!strcmp(verb, "raw") && argc >= 6 && argc <= 8)
		return raw(argv[2], argv[3], argv[4], atoi(argv[5]),
			   argc > 6 ? atoi(argv[6]) : 64, argc > 7 ? atoi(argv[7]) : 0);
	if (!strcmp(verb, "packets") && argc == 7)
		return packets(argv[2], argv[3], argv[4], atoi(argv[5]), atoi(argv[6]));
	if (!strcmp(verb, "hear") && argc >= 4 && argc <= 6)
		return hear(argv[2], atoi(argv[3]), argc > 4 ? atoi(argv[4]) : 0, argc > 5);
	fputs("usage: hc_flow VERB .., see its source\n", stderr);
	return 2;
}
