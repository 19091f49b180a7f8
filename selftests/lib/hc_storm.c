// SPDX-License-Identifier: GPL-2.0
/*
 * Measures how much memory is used by the frames with which nodes notify each other of link states.
 *
 *	hc_storm states FABRIC DIM COUNT
 *	hc_storm words FABRIC DIM COUNT
 *	hc_storm trunks FABRIC DIM COUNT
 *	hc_storm flaps FABRIC DIM COUNT
 *
 * FABRIC, of dimension DIM, has the nodes 0XX.. on this machine and no trunk along DIM - 1; the
 * program plays the machine at the other end. COUNT times it announces that one of its links goes
 * down or up (states), announces an invented FAULT word of one of its nodes (words), or connects a
 * trunk and closes it (trunks). With flaps all nodes are on this machine, and the program lets all
 * links flap for COUNT * 100 ms: each is down for 10 ms of every 20. At the end it prints three
 * numbers: the greatest number of frames that was in use, the greatest growth of the kernel's slabs
 * in KiB, both relative to the beginning, and the ms until the number of frames no longer changed.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "far_end.h"
#include "hc_nl.h"
#include "hc_topo.h"

#define LOOK_MS		20
#define REST_MS		15000
#define FLAP_DOWN	10
#define FLAP_PERIOD	20
/* The fabric is quiet when each of QUIET samples of the number of frames differs from the previous
 * one by less than FEW.
 */
#define QUIET		10
#define FEW		30
#define DOWN		0x01

static unsigned int dim;
static const char *fabric;
static int fd = -1;

static long ms(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* --- looking --- */

static long number_behind(const char *file, const char *what)
{
	char line[400];
	long n = 0;
	FILE *f = fopen(file, "r");

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, what, strlen(what)))
			n = strtol(line + strlen(what), NULL, 10);
	if (f)
		fclose(f);
	return n;
}

/* Return: number of skbs in use. */
static long frames(void)
{
	return number_behind("/proc/slabinfo", "skbuff_head_cache ");
}

/* Return: KiB of memory in the kernel's slabs. */
static long slab(void)
{
	return number_behind("/proc/meminfo", "Slab: ");
}

/* Sample the number of frames and the size of the slabs until the process @work has ended and the
 * fabric is quiet, at the latest until REST_MS after @work has ended. Print what the program
 * measures. Return: true if @work has succeeded.
 */
static bool watch(pid_t work, long base_frames, long base_slab)
{
	long begun = ms(), end = 0, last = 0, most = 0, grown = 0, n, kib;
	unsigned int quiet = 0;
	int status = 0;

	while (quiet < QUIET && (!end || ms() < end)) {
		n = frames() - base_frames;
		kib = slab() - base_slab;
		most = n > most ? n : most;
		grown = kib > grown ? kib : grown;
		if (!end && waitpid(work, &status, WNOHANG) == work)
			end = ms() + REST_MS;
		quiet = end && labs(n - last) < FEW ? quiet + 1 : 0;
		last = n;
		usleep(LOOK_MS * 1000);
	}
	printf("%ld %ld %ld\n", most, grown, ms() - begun);
	return !status;
}

/* --- sending --- */

static unsigned int here(void)
{
	return 1 << (dim - 1);
}

static bool state(unsigned int u, unsigned int version, bool down)
{
	uint8_t b[FAR_RECORD + 16] = {};

	far_record(b, 16, FAR_STATE, 0, u);
	far_put32(b + FAR_RECORD, version);
	b[FAR_RECORD + 12] = down ? DOWN : 0;
	return far_say(fd, b, sizeof(b));
}

/* Connect a trunk to the fabric, and announce that all its links are up. */
static bool come(void)
{
	char along[12];
	unsigned int u;

	snprintf(along, sizeof(along), "%u", dim - 1);
	fd = far_trunk(fabric, along);
	if (fd < 0 || !far_greet_of(fd, fabric, dim, dim - 1, here(), here()))
		return false;
	for (u = 0; u < here(); u++)
		if (!far_state(fd, u))
			return false;
	return true;
}

static bool states(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!state(i % here(), 1 + i / here(), !(i / here() & 1)))
			return false;
	return true;
}

/* Announce invented FAULT words of nodes of the remote machine. If the words were those of nodes of
 * this machine, these nodes would react and announce the right words again.
 */
static bool words(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!far_word(fd, fabric, here(), i * 7 % here(), here() + i % here(), i % here(),
			      1000 + i))
			return false;
	return true;
}

static bool trunks(unsigned int n)
{
	while (n--) {
		shutdown(fd, SHUT_RDWR);
		close(fd);
		usleep(100000);
		if (!come())
			return false;
		usleep(100000);
	}
	return true;
}

/* Let a link flap. Do not wait for the reply: the kernel sends it only when the neighbours have
 * been notified, and these are busy.
 */
static bool flap(struct nl *nl, unsigned int u, unsigned int d)
{
	nl_begin(nl, HYPERCUBE_CMD_LINK_SET, 0);
	nl_str(nl, HYPERCUBE_A_FABRIC_NAME, fabric);
	nl_u32(nl, HYPERCUBE_A_LINK_NODE, u);
	nl_u32(nl, HYPERCUBE_A_LINK_DIM, d);
	nl_u32(nl, HYPERCUBE_A_LINK_FLAP_DOWN, FLAP_DOWN);
	nl_u32(nl, HYPERCUBE_A_LINK_FLAP_PERIOD, FLAP_PERIOD);
	return !nl_submit(nl);
}

/* Let all links recover. While the kernel is busy, try again for REST_MS. Return: true if the
 * request succeeds, or if it fails only because not all nodes were notified in time (-EAGAIN).
 */
static bool calm(void)
{
	long end = ms() + REST_MS;
	struct nl nl;
	int err;

	if (nl_open(&nl))
		return false;
	do {
		usleep(100000);
		nl_begin(&nl, HYPERCUBE_CMD_FAULT_CLEAR, NLM_F_ACK);
		nl_str(&nl, HYPERCUBE_A_FABRIC_NAME, fabric);
		err = nl_talk(&nl, NULL, NULL);
	} while (err == -EBUSY && ms() < end);
	return !err || err == -EAGAIN;
}

static bool flaps(unsigned int n)
{
	unsigned int u, d;
	struct nl nl;

	if (nl_open(&nl))
		return false;
	for (u = 0; u < 1U << dim; u++)
		for (d = 0; d < dim; d++)
			if (!(u >> d & 1) && !flap(&nl, u, d))
				return false;
	usleep(n * 100000);
	return calm();
}

/* The modes of the program. @work: performs @n announcements or connections, and returns false if
 * it fails.
 */
static const struct storm {
	const char *name;
	bool (*work)(unsigned int n);
	bool alone;	/* no remote machine is played */
} storms[] = {
	{ "states", states, false }, { "words", words, false }, { "trunks", trunks, false },
	{ "flaps", flaps, true },
	{ NULL, NULL, false }
};

int main(int argc, char **argv)
{
	long base_frames = frames(), base_slab = slab();
	const struct storm *s = storms;
	unsigned int n;
	pid_t work;

	if (argc != 5 || !base_frames)
		return 2;
	while (s->name && strcmp(s->name, argv[1]))
		s++;
	if (!s->name)
		return 2;
	fabric = argv[2];
	dim = strtoul(argv[3], NULL, 10);
	n = strtoul(argv[4], NULL, 10);
	if (!s->alone && !come())
		return 1;
	/* Give the machines time to notify each other of the new links. */
	usleep(500000);
	work = fork();
	if (!work)
		_exit(!s->work(n));
	return watch(work, base_frames, base_slab) ? 0 : 1;
}
