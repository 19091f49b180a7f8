// SPDX-License-Identifier: GPL-2.0
/*
 * Sends invalid data to trunks.
 *
 *	hc_garbage FABRIC DIM ROUNDS FRAMES SEED [RECORDING [PAUSE]]
 *
 * FABRIC, of dimension 3, has the nodes 0XX on this machine and no trunk along DIM = 2. In each
 * round the program hands one end of a pair of sockets to a trunk, and plays the other machine. In
 * some rounds it sends only random bytes; in the others it sends the greeting, FRAMES frames, and
 * then random bytes. Without RECORDING the frames have random contents. RECORDING is a file with
 * what a real machine has sent (see hc_relay); its frames are sent unchanged, twice, truncated, or
 * with random changes. PAUSE is the time in ms between the greeting and the frames. In each round
 * the module must close the stream.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "far_end.h"
#include "hc_topo.h"

#define WAIT		60000	/* time limit in ms for the module to close the stream */
#define FRAME_MAX	70000
#define OFFLOAD		12
/* One of this many frames has a sequence number other than the one that the module expects, so its
 * link goes down.
 */
#define GAPS		10000

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

/* Announce that the links of the remote machine are in random states. */
static bool links(int fd)
{
	uint8_t b[FAR_RECORD + 16];
	unsigned int u;
	bool ok = true;

	for (u = 0; u < 4 && ok; u++) {
		noise(b, sizeof(b));
		far_record(b, 16, FAR_STATE, draw(256), u);
		b[FAR_RECORD + 12] = draw(4) ? 0 : draw(256);
		ok = far_say(fd, b, sizeof(b));
	}
	return ok;
}

/* --- random frames --- */

/* Send a frame in a valid record; the contents of the frame are random. */
static bool frame(int fd, const char *fabric)
{
	static uint8_t b[FAR_RECORD + OFFLOAD + FRAME_MAX];
	unsigned int offload = draw(8) ? 0 : OFFLOAD;
	uint32_t payload = draw(20) ? draw(300) : draw(66000), len = FAR_HDR + payload, u = draw(4);
	uint8_t *f = b + FAR_RECORD + offload;

	noise(b, FAR_RECORD + OFFLOAD + len);
	far_record(b, len + offload, FAR_FRAME, (draw(16) ? 0 : 1) | (offload ? 2 : 0), u);
	if (draw(10)) {
		f[0] = FAR_WIRE;
		f[1] = 1 + draw(17);
		f[2] = draw(3) ? 0 : draw(8);
		far_put32(f + 4, hc_name_id(fabric));
		far_put16(f + 8, u ^ (draw(4) ? 4 : draw(8)));
		far_put16(f + 10, draw(4) ? u : draw(9));
		if (draw(4))
			far_put32(f + 16, payload - (draw(2) ? 0 : draw(payload + 1)));
		far_put16(f + 20, draw(3) ? 0 : draw(70));
	}
	if (draw(GAPS))
		far_number(b);
	return far_say(fd, b, FAR_RECORD + offload + len);
}

/* --- recorded frames --- */

static uint8_t *recording;
static size_t recorded;
/* Offsets in the recording: of its first record, and of the record to read next. */
static size_t first, at;

static bool recording_read(const char *name)
{
	FILE *f = fopen(name, "r");
	const uint8_t *ok;

	if (!f)
		return false;
	recording = malloc(16 << 20);
	recorded = recording ? fread(recording, 1, 16 << 20, f) : 0;
	fclose(f);
	/* The records of frames begin after the handshake between the two hcctl programs. */
	ok = memmem(recording, recorded, "\nok\n", 4);
	if (!ok)
		return false;
	first = ok + 4 - recording;
	at = first;
	return true;
}

/* Read the recording up to the next record with a frame; start again after its end. Return: this
 * record, or NULL if there is none. *len: set to its length.
 */
static const uint8_t *next_frame(size_t *len)
{
	const uint8_t *p;
	unsigned int laps = 0;

	do {
		if (at + FAR_RECORD > recorded ||
		    at + FAR_RECORD + far_get32(recording + at) > recorded) {
			at = first;
			if (laps++)
				return NULL;
		}
		p = recording + at;
		*len = FAR_RECORD + far_get32(p);
		at += *len;
	} while (p[4] != FAR_FRAME);
	return p;
}

/* Change one byte of the @len bytes at @p at random. */
static void change(uint8_t *p, size_t len)
{
	static const uint8_t edges[] = { 0, 1, 0x7f, 0x80, 0xff };
	size_t i = draw(2) ? draw(len) : draw(len < 104 ? len : 104);

	switch (draw(3)) {
	case 0:
		p[i] ^= 1 << draw(8);
		break;
	case 1:
		p[i] = edges[draw(sizeof(edges))];
		break;
	case 2:
		p[i] = draw(256);
		break;
	}
}

/* Send the next recorded frame: unchanged, changed, truncated or twice, at random. */
static bool mutant(int fd)
{
	static uint8_t b[FAR_RECORD + OFFLOAD + FRAME_MAX];
	unsigned int again = draw(8) ? 1 : 2, n, head;
	const uint8_t *p;
	size_t len;
	bool ok = true;

	p = next_frame(&len);
	if (!p || len > sizeof(b))
		return false;
	memcpy(b, p, len);
	head = FAR_RECORD + (b[5] & 2 ? OFFLOAD : 0);
	if (!draw(8) && len > head + FAR_HDR) {
		len = head + FAR_HDR + draw(len - head - FAR_HDR);
		far_put32(b, len - FAR_RECORD);
	}
	for (n = draw(4) ? draw(4) : 0; n; n--)
		change(b + FAR_RECORD, len - FAR_RECORD);
	if (draw(GAPS))
		far_number(b);
	while (ok && again--)
		ok = far_say(fd, b, len);
	return ok;
}

/* --- rounds --- */

/* Wait until the module closes the stream. */
static bool closed(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	uint8_t b[4096];

	while (poll(&p, 1, WAIT) == 1)
		if (read(fd, b, sizeof(b)) <= 0)
			return true;
	return false;
}

static bool links_up(int fd)
{
	return far_state(fd, 0) && far_state(fd, 1) && far_state(fd, 2) && far_state(fd, 3);
}

/* Send the greeting, then states of the links (with a recording: that they are up; else random
 * states or none), and, after @pause us, @frames frames. Return: false if the module has closed the
 * stream.
 */
static bool sense(int fd, char **argv, unsigned int frames, useconds_t pause)
{
	if (!far_greet(fd, argv[1], 2, 4, 4))
		return false;
	if (recording ? !links_up(fd) : !draw(4) && !links(fd))
		return false;
	usleep(pause);
	while (frames--)
		if (!(recording ? mutant(fd) : frame(fd, argv[1])))
			return false;
	return true;
}

/* Run one round. Return: 0 if the module closes the stream, and recorded frames were not the
 * reason.
 */
static int one(char **argv, unsigned int frames, useconds_t pause)
{
	int fd = far_trunk(argv[1], argv[2]), rc = 0;
	uint8_t b[300];

	if (fd < 0)
		return 1;
	if ((recording || draw(4)) && !sense(fd, argv, frames, pause) && recording) {
		puts("a stream of frames was closed");
		rc = 1;
	}
	noise(b, sizeof(b));
	b[4] |= 0x80;
	far_say(fd, b, sizeof(b));
	if (!closed(fd)) {
		puts("a stream of noise is still open");
		rc = 1;
	}
	close(fd);
	return rc;
}

int main(int argc, char **argv)
{
	int rounds, rc = 0;

	if (argc < 6 || argc > 8 || (argc > 6 && !recording_read(argv[6])))
		return 2;
	state = strtoull(argv[5], NULL, 0);
	for (rounds = atoi(argv[3]); rounds && !rc; rounds--)
		rc = one(argv, atoi(argv[4]), argc > 7 ? atoi(argv[7]) * 1000 : 0);
	return !!rc;
}
