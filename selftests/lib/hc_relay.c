// SPDX-License-Identifier: GPL-2.0
/*
 * Relays TCP connections, and breaks or corrupts them.
 *
 *	hc_relay LISTEN-PORT ADDRESS PORT [RECORDING | flip BYTES | TIMES MS SEED]
 *
 * Accepts TCP connections to LISTEN-PORT, one after the other. It forwards the data of each over a
 * second connection, to PORT at ADDRESS, and back. When this program or one of the two connections
 * ends, both connections are reset, so that data under way are lost. With TIMES the program resets
 * the first TIMES connections itself, each at a random time within MS ms of its beginning, and
 * prints "reset N" each time; it does not reset any later connection. Data that arrive at
 * LISTEN-PORT are written to RECORDING. With "flip", the program flips one bit in each BYTES bytes
 * that it forwards to PORT, and prints "flip" each time.
 */
#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/**
 * struct way - one direction of a connection
 * @from: socket that is read
 * @to: socket that is written
 * @have: number of bytes in @buf
 * @done: number of bytes of @buf that have been written
 * @recorded: the bytes are also written to the recording
 * @buf: bytes that have been read
 */
struct way {
	int from;
	int to;
	size_t have;
	size_t done;
	bool recorded;
	char buf[1 << 16];
};

static int64_t now_ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static int fail(const char *what)
{
	fprintf(stderr, "hc_relay: %s: %s\n", what, strerror(errno));
	return 1;
}

static struct sockaddr_in address(const char *host, const char *port)
{
	struct sockaddr_in a = { .sin_family = AF_INET, .sin_port = htons(atoi(port)) };

	if (host)
		inet_pton(AF_INET, host, &a.sin_addr);
	return a;
}

static int listen_at(const char *port)
{
	struct sockaddr_in a = address(NULL, port);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

	setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on));
	return bind(fd, (struct sockaddr *)&a, sizeof(a)) || listen(fd, 16) ? -1 : fd;
}

static void reset_at_close(int fd)
{
	struct linger l = { .l_onoff = 1 };

	setsockopt(fd, SOL_SOCKET, SO_LINGER, &l, sizeof(l));
}

static FILE *recording;
/* Flip one bit in each @flip_every bytes; 0: flip none. */
static size_t flip_every;

/* Flip a random bit of the bytes just read if @flip_every bytes have been read since the last flip.
 */
static void flip(struct way *w)
{
	static size_t come;

	come += w->have;
	if (come < flip_every)
		return;
	come = 0;
	w->buf[lrand48() % w->have] ^= 1 << lrand48() % 8;
	puts("flip");
}

/* Read or write what is possible without blocking. Return: false if one of the two sockets was
 * closed.
 */
static bool pass(struct way *w, short readable, short writable)
{
	ssize_t n;

	if (w->done == w->have && readable) {
		n = recv(w->from, w->buf, sizeof(w->buf), MSG_DONTWAIT);
		if (!n || (n < 0 && errno != EAGAIN))
			return false;
		w->have = n > 0 ? n : 0;
		if (w->recorded && flip_every && w->have)
			flip(w);
		if (w->recorded && recording)
			fwrite(w->buf, 1, w->have, recording);
		w->done = 0;
	}
	if (w->done < w->have && (readable || writable)) {
		n = send(w->to, w->buf + w->done, w->have - w->done, MSG_DONTWAIT | MSG_NOSIGNAL);
		if (n < 0 && errno != EAGAIN)
			return false;
		w->done += n > 0 ? n : 0;
	}
	return true;
}

/* Return: the events to poll() for on a socket from which @in reads and to which @out writes. */
static short wanted(const struct way *in, const struct way *out)
{
	return (in->done == in->have ? POLLIN : 0) | (out->done < out->have ? POLLOUT : 0);
}

/* Relay until a socket is closed, or until the time @end; -1: without limit. Return: true if @end
 * was reached.
 */
static bool relay(int near, int far, int64_t end)
{
	static struct way there, back;
	struct pollfd p[2] = { { .fd = near }, { .fd = far } };
	bool both = true;

	there = (struct way){ .from = near, .to = far, .recorded = true };
	back = (struct way){ .from = far, .to = near };
	while (both) {
		int64_t left = end < 0 ? -1 : end - now_ms();

		if (end >= 0 && left <= 0)
			return true;
		p[0].events = wanted(&there, &back);
		p[1].events = wanted(&back, &there);
		poll(p, 2, left);
		both = pass(&there, p[0].revents & ~POLLOUT, p[1].revents & POLLOUT) &&
		       pass(&back, p[1].revents & ~POLLOUT, p[0].revents & POLLOUT);
	}
	return false;
}

/* Accept and relay the next connection. @life: ms after which to reset it; < 0: do not reset it.
 * Return: true if this program has reset it.
 */
static bool serve(int listener, char **argv, int64_t life)
{
	struct sockaddr_in to = address(argv[2], argv[3]);
	int near = accept4(listener, NULL, NULL, SOCK_CLOEXEC);
	int far = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bool reset;

	reset_at_close(near);
	reset_at_close(far);
	reset = !connect(far, (struct sockaddr *)&to, sizeof(to)) &&
		relay(near, far, life < 0 ? -1 : now_ms() + life);
	close(near);
	close(far);
	return reset;
}

int main(int argc, char **argv)
{
	int listener, n = 0, times;

	if (argc < 4 || argc > 7 || (argc == 6 && strcmp(argv[4], "flip")))
		return 2;
	setlinebuf(stdout);
	if (argc == 5) {
		recording = fopen(argv[4], "w");
		if (!recording)
			return fail(argv[4]);
		setbuf(recording, NULL);
	}
	flip_every = argc == 6 ? strtoul(argv[5], NULL, 0) : 0;
	times = argc == 7 ? atoi(argv[4]) : 0;
	srand48(argc == 7 ? atol(argv[6]) : 0);
	listener = listen_at(argv[1]);
	if (listener < 0)
		return fail("cannot listen");
	for (;;)
		if (serve(listener, argv, n < times ? lrand48() % atol(argv[5]) : -1))
			printf("reset %d\n", ++n);
}
