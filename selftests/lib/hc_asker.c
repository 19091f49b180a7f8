// SPDX-License-Identifier: GPL-2.0
/*
 * A machine that violates the protocol by which machines prepare plans. "This machine" is the one
 * on which the program runs. It asks the program to prepare a plan, and in some modes the program
 * asks this machine to prepare one.
 *
 *	hc_asker FABRIC MODE [SENTENCE | TIMES SEED]
 *
 * FABRIC, of dimension 3, has the nodes 0XX on this machine and no trunk. The program plays a
 * second machine, with the nodes 1XX; or, if this machine has the nodes 00X, with the nodes 01X or
 * 10X, which the variable HC_HOLDS names. In these modes the program gets a plan to prepare:
 *	accept		does all that is requested
 *	refuse		refuses, with SENTENCE as the reason
 *	silent		does not answer the request to prepare
 *	vanish		prepares the plan, and closes the connection when asked to switch to it
 *	drops		prepares the plan, but when asked to switch answers that it has dropped it
 *	twice		answers that it has all nodes of the fabric
 *	nobody		answers that it has no node
 *	cut		prepares the plan; when the plan is in use, its links go down for a moment
 *	watched		does none of this: hands a trunk a socket that is in an epoll for half a
 *			second, and prints when the trunk begins to send
 *	greedy		does not answer; sends requests to remove a plan that does not exist,
 *			about 100 per second, and never decides
 * In the other modes the program refuses that plan, and asks this machine to prepare the same plan:
 *	ask-vanish	closes the connection when this machine has prepared the plan
 *	ask-still	never decides
 *	ask-drop	decides to drop the plan
 *	ask-switch	decides to switch to it, with epoch 77, and announces that all machines
 *			have it
 *	ask-break	as ask-switch, but announces that some machine does not have it
 *	ask-undecided	as ask-switch, but never announces whether all machines have it
 *	ask-late	decides to drop the plan, and then to switch to it
 *	ask-noise	sends, TIMES times, altered requests, and decisions and answers of all kinds
 * HC_EPOCH is the last epoch that the program announces; without it, it announces none. The program
 * prints "step STEP" for each request that it gets, "step STEP: ok" or "step STEP: SENTENCE" for
 * each answer, and "gone" if it gets no answer because the stream has ended.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "far_end.h"

#define ASK		24
#define ANSWER		128
#define SET		4	/* bytes of the set of nodes in an answer to PREPARE */
#define ROOM		70000
#define INVALID		1	/* value of hc_wire_answer.error: EINVAL */

enum { PREPARE = 1, SWITCH, OPEN, DROP, BREAK };

/* A partition that the program can play: @dim and @along give the dimension of its links to this
 * machine, @fixed and @base the subcube, @nodes its nodes, and @ends the nodes at the ends of those
 * links.
 */
static const struct part {
	const char *name, *dim;
	unsigned int along, fixed, base, nodes, ends;
} parts[] = {
	{ "1XX", "2", 2, 4, 4, 0xf0, 0x0f },
	{ "10X", "2", 2, 6, 4, 0x30, 0x03 },
	{ "01X", "1", 1, 6, 2, 0x0c, 0x03 },
};

static const struct part *part = parts;
static uint64_t state;

static uint32_t draw(uint32_t below)
{
	state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
	return (state >> 33) % below;
}

/* --- records --- */

/* Read records up to the next one of kind @what, and copy its body to @body. Return: length of the
 * body; -1 if the stream has ended.
 */
static int next(int fd, uint8_t what, uint8_t *body)
{
	uint8_t head[FAR_RECORD];
	uint32_t len;

	do {
		if (!far_get(fd, head, sizeof(head)))
			return -1;
		len = far_get32(head);
		if (len > ROOM || !far_get(fd, body, len))
			return -1;
	} while (head[4] != what);
	return len;
}

/* Send a record of kind @what, whose body is the @len bytes at @body. */
static bool say(int fd, uint8_t what, const void *body, uint32_t len)
{
	static uint8_t b[FAR_RECORD + ROOM];

	far_record(b, len, what, 0, 0);
	memcpy(b + FAR_RECORD, body, len);
	return far_say(fd, b, FAR_RECORD + len);
}

/* Answer the request @ask as the machine that the program plays. @error: 0, or INVALID with the
 * sentence @why; @nodes: the set of nodes with which an answer to PREPARE claims to have prepared
 * the plan.
 */
static bool answer(int fd, const uint8_t *ask, uint8_t error, const char *why, uint32_t nodes)
{
	uint8_t b[ANSWER + SET] = {};

	memcpy(b, ask, 7);
	b[7] = error;
	if (getenv("HC_EPOCH") && ask[6] == PREPARE)
		far_put32(b + 8, strtoul(getenv("HC_EPOCH"), NULL, 0));
	far_put16(b + 12, part->fixed);
	far_put16(b + 14, part->base);
	snprintf((char *)b + 16, ANSWER - 16, "%s", why);
	far_put32(b + ANSWER, nodes);
	return say(fd, FAR_ANSWER, b, ask[6] == PREPARE ? sizeof(b) : ANSWER);
}

/* Send decision @step about the plan of the request @ask. @epoch: the epoch to which a SWITCH
 * leads.
 */
static bool decide(int fd, const uint8_t *ask, uint8_t step, uint32_t epoch)
{
	uint8_t b[ASK];

	memcpy(b, ask, sizeof(b));
	b[6] = step;
	far_put32(b + 12, epoch);
	return say(fd, FAR_ASK, b, sizeof(b));
}

/* Wait for an answer, and print it. */
static void notified(int fd)
{
	static uint8_t b[ROOM];

	if (next(fd, FAR_ANSWER, b) < 0)
		puts("gone");
	else if (b[7])
		printf("step %d: %.112s\n", b[6], b + 16);
	else
		printf("step %d: ok\n", b[6]);
	fflush(stdout);
}

static bool links_are_up(int fd, unsigned int cuts)
{
	bool said = true;
	unsigned int u;

	for (u = 0; u < 8; u++)
		if (part->ends >> u & 1)
			said = said && far_state_cut(fd, u, cuts);
	return said;
}

/* --- requests to this program --- */

/* Answer the requests of this machine as @mode requires, until the stream ends. @why: the sentence
 * with which mode "refuse" or "drops" refuses.
 */
static int obeys(int fd, const char *mode, const char *why)
{
	uint8_t b[ROOM];
	bool first;

	while (next(fd, FAR_ASK, b) >= 0) {
		first = b[6] == PREPARE;
		printf("step %d\n", b[6]);
		fflush(stdout);
		if (!strcmp(mode, "vanish") && !first)
			return 0;
		if (!strcmp(mode, "silent") && first)
			continue;
		if (!strcmp(mode, "refuse") && first)
			answer(fd, b, INVALID, why, part->nodes);
		else if (!strcmp(mode, "drops") && b[6] == SWITCH)
			answer(fd, b, INVALID, why, part->nodes);
		else if (!strcmp(mode, "twice"))
			answer(fd, b, 0, "", 0xff);
		else
			answer(fd, b, 0, "", strcmp(mode, "nobody") ? part->nodes : 0);
		if (!strcmp(mode, "cut") && b[6] == OPEN)
			links_are_up(fd, 1);
	}
	return 0;
}

/* --- requests of this program --- */

static int new_trunk(const char *fabric)
{
	int fd = far_trunk(fabric, part->dim);

	if (fd < 0 || !far_greet(fd, fabric, part->along, part->fixed, part->base))
		return -1;
	return links_are_up(fd, 0) ? fd : -1;
}

/* Drop all that has been received so far. */
static bool drain(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t b[4096];

	while (poll(&p, 1, 0) == 1)
		if (read(fd, b, sizeof(b)) <= 0)
			return false;
	return true;
}

static bool answer_any(int fd, const uint8_t *ask)
{
	uint8_t b[ANSWER + SET];
	unsigned int i;

	for (i = 0; i < sizeof(b); i++)
		b[i] = draw(256);
	memcpy(b, ask, 6);
	b[6] = draw(6);
	return say(fd, FAR_ANSWER, b, draw(8) ? ANSWER + (b[6] == PREPARE ? SET : 0) : draw(200));
}

/* Send random requests, decisions and answers, each with a valid header, some altered. Return:
 * false if the stream was closed.
 */
static bool noise(int fd, const uint8_t *ask, int len)
{
	static uint8_t b[ROOM];
	uint32_t n, cut = draw(6) ? (uint32_t)len : ASK + draw(len - ASK + 1);
	bool ok;

	memcpy(b, ask, len);
	far_put32(b, draw(1 << 20));
	for (n = draw(5); n; n--)
		b[draw(4) ? ASK + draw(len - ASK) : draw(len)] = draw(3) ? draw(256) : 0xff;
	ok = say(fd, FAR_ASK, b, cut);
	for (n = draw(4); ok && n; n--)
		ok = draw(3) ? decide(fd, b, draw(20) ? 1 + draw(5) : draw(256), draw(256)) :
			       answer_any(fd, b);
	ok = ok && decide(fd, b, draw(2) ? SWITCH : DROP, 0) && decide(fd, b, OPEN, 0) &&
	     decide(fd, b, DROP, 0);
	return drain(fd) && ok;
}

static int noises(int fd, const char *fabric, const uint8_t *ask, int len, unsigned int times)
{
	unsigned int ends = 0;

	while (times--) {
		if (noise(fd, ask, len))
			continue;
		ends++;
		close(fd);
		fd = new_trunk(fabric);
		if (fd < 0)
			return 1;
	}
	printf("%u trunks ended\n", ends);
	fflush(stdout);
	close(fd);
	return 0;
}

/* Refuse this machine's plan, and ask it to prepare the same plan. */
static int asks(int fd, char **argv, const char *mode)
{
	uint8_t b[ROOM], drop[ROOM];
	int len = next(fd, FAR_ASK, b);

	if (len < ASK || !answer(fd, b, INVALID, "ask me later", 0xf0) ||
	    next(fd, FAR_ASK, drop) != ASK || !answer(fd, drop, 0, "", 0))
		return 1;
	far_put32(b, 4711);
	far_put16(b + 4, 4);
	if (!strcmp(mode, "noise"))
		return noises(fd, argv[1], b, len, atoi(argv[3]));
	say(fd, FAR_ASK, b, len);
	notified(fd);
	if (!strcmp(mode, "vanish"))
		return 0;
	if (!strcmp(mode, "drop") || !strcmp(mode, "late")) {
		decide(fd, b, DROP, 0);
		notified(fd);
	}
	if (strcmp(mode, "still") && strcmp(mode, "drop")) {
		decide(fd, b, SWITCH, 77);
		notified(fd);
	}
	if (!strcmp(mode, "switch") || !strcmp(mode, "break")) {
		far_put16(b + 22, 5);
		decide(fd, b, strcmp(mode, "break") ? OPEN : BREAK, 77);
		notified(fd);
	}
	pause();
	return 0;
}

/* --- a socket in an epoll --- */

static void say_begun(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	puts(poll(&p, 1, ms) == 1 ? "begun" : "not begun");
}

static int watched(const char *fabric)
{
	struct epoll_event ev = { .events = EPOLLIN };
	int pair[2], e = epoll_create1(EPOLL_CLOEXEC);

	if (e < 0 || socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) ||
	    epoll_ctl(e, EPOLL_CTL_ADD, pair[0], &ev) || far_hand_over(fabric, "2", pair[0]))
		return 1;
	close(pair[0]);
	say_begun(pair[1], 500);
	close(e);
	say_begun(pair[1], 20000);
	return 0;
}

static int greedy(int fd)
{
	uint8_t b[ASK] = { [6] = PREPARE, [7] = 2 };
	uint32_t nr;

	far_put16(b + 4, 4);
	far_put32(b + 8, 99);
	far_put32(b + 16, 5000);
	for (nr = 1; ; nr++) {
		far_put32(b, nr);
		if (!say(fd, FAR_ASK, b, sizeof(b)) || !drain(fd))
			return 0;
		if (nr % 50 == 0) {
			uint8_t alive[FAR_RECORD + 8] = {};

			far_record(alive, 8, FAR_ALIVE, 0, 0);
			far_say(fd, alive, sizeof(alive));
		}
		usleep(10000);
	}
}

int main(int argc, char **argv)
{
	const char *name = getenv("HC_HOLDS");
	int fd;

	if (argc < 3 || argc > 5)
		return 2;
	while (name && strcmp(part->name, name)) {
		if (++part == parts + sizeof(parts) / sizeof(*parts)) {
			fprintf(stderr, "hc_asker: HC_HOLDS=%s: no such nodes\n", name);
			return 2;
		}
	}
	state = argc > 4 ? strtoull(argv[4], NULL, 0) : 0;
	if (!strcmp(argv[2], "watched"))
		return watched(argv[1]);
	fd = new_trunk(argv[1]);
	if (fd < 0)
		return 1;
	if (!strcmp(argv[2], "greedy"))
		return greedy(fd);
	if (!strncmp(argv[2], "ask-", 4))
		return asks(fd, argv, argv[2] + 4);
	return obeys(fd, argv[2], argc > 3 ? argv[3] : "");
}
