// SPDX-License-Identifier: GPL-2.0
/*
 * Frames whose headers are wrong: types, type headers, sequence numbers and sources; and copies of
 * datagrams.
 */
#include <arpa/inet.h>
#include <endian.h>
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "said.h"

/* --- sequence numbers and sources --- */

/* A frame of an unknown type does no harm. The transport reads the type before the frame is
 * validated.
 */
bool type_of_nothing(void)
{
	static const unsigned char types[] = { 0, 12, 0x81, 0x8c, 0xff };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct frame f;

		part_begin(&f, 0, 0, types[i], LIVE_TREE);
		f.rec.flags = 0;
		if (say(&f) || !link_drops_are(0, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1))
			return false;
	}
	return live_dgrams(&said.c);
}

/* Send frame @f to node 0. Return: true if node 0 then has counted @n malformed frames. */
static bool is_malformed(struct frame *f, unsigned int n)
{
	f->says |= SAY_LEN;
	return !say(f) && link_drops_are(0, 0, HYPERCUBE_A_DROP_MALFORMED, n);
}

/* A frame is malformed if it is shorter than its type header, or if its length is not that in its
 * header.
 */
bool parts_are_whole(void)
{
	unsigned int type, n = 0;
	struct frame f;

	for (type = 1; type < __HC_FRAME_TYPE_END; type++) {
		part_begin(&f, 0, 0, type, LIVE_TREE);
		while (f.rec.len > sizeof(struct hc_hdr)) {
			f.rec.len -= 8;
			if (!is_malformed(&f, ++n))
				return false;
		}
		part_begin(&f, 0, 0, type, LIVE_TREE);
		frame_hdr(&f)->len = htonl(8);
		if (!is_malformed(&f, ++n))
			return false;
		frame_hdr(&f)->len = htonl(0xffffffff);
		if (!is_malformed(&f, ++n))
			return false;
		frame_hdr(&f)->len = 0;
		frame_put(&f, "more", 4);
		if (!is_malformed(&f, ++n))
			return false;
	}
	return live_dgrams(&said.c);
}

/* A frame with a walk is malformed if its header does not have the flag for a walk, whatever its
 * type.
 */
bool walk_unannounced(void)
{
	const unsigned char area[16] = { 0 };
	unsigned int type, n = 0;

	for (type = 1; type < __HC_FRAME_TYPE_END; type++) {
		struct frame f;

		part_begin(&f, 0, 0, type, LIVE_TREE);
		frame_lead(&f, area, sizeof(area));
		frame_hdr(&f)->walk = htons(1);
		frame_hdr(&f)->len = 0;
		if (!is_malformed(&f, ++n)) {
			fz_note("type %u", type);
			return false;
		}
	}
	return live_dgrams(&said.c);
}

/* A control message must have no payload behind its type header. */
bool words_are_bare(void)
{
	static const unsigned char types[] = {
		HC_FRAME_TEST, HC_FRAME_FAULT, HC_FRAME_ACK, HC_FRAME_END, HC_FRAME_CREDIT,
		HC_FRAME_PROBE, HC_FRAME_PATH, HC_FRAME_STOP,
	};
	const unsigned char way[] = { 0 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		struct frame f;

		part_begin(&f, 0, 0, types[i], LIVE_TREE);
		if (types[i] == HC_FRAME_PATH)
			routed(&f, 1, 0, way, 1);
		frame_put(&f, "payload", 8);
		frame_hdr(&f)->len = htonl(8);
		if (!is_malformed(&f, i + 1)) {
			fz_note("type %u", types[i]);
			return false;
		}
	}
	return live_dgrams(&said.c);
}

/* Only Ethernet frames may be flooded, and only with the data that precede their payload. */
bool flood_of_words(void)
{
	struct hc_wire_flood w = { .tree = 0 };
	unsigned int type, n = 0;

	for (type = 1; type < __HC_FRAME_TYPE_END; type++) {
		struct frame f;

		part_begin(&f, 0, 0, type, LIVE_TREE);
		frame_hdr(&f)->flags = HC_FRAME_F_FLOOD;
		if (type != HC_FRAME_ETH)
			frame_lead(&f, &w, sizeof(w));
		if (!is_malformed(&f, ++n))
			return false;
	}
	return live_dgrams(&said.c);
}

/* Wait until link (0, 0) has this state at both ends. Return: true if it has. */
static bool link_is(unsigned int state)
{
	uint64_t end = fz_ms() + 2000;
	bool is;

	do {
		is = ctl_link_state(said.c.name, 0, 0) == state &&
		     ctl_link_state(said.c.name, 1, 0) == state;
	} while (!is && fz_ms() < end && !usleep(1000));
	return is;
}

/* Bring the link up three times, and send over it each time. At first the neighbour's own sequence
 * numbers do not follow the number of the injected frame, so the link goes down. Return: true if
 * the link is up at the end.
 */
static bool link_goes_on(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++)
		if (ctl_link_down(said.c.name, 0, 0, false) || !live_dgrams(&said.c))
			return false;
	return link_is(0);
}

/* A frame with a wrong sequence number takes the link down, and is counted as a gap. After it is
 * brought up again, the link works.
 */
bool seq_skips(void)
{
	static const uint32_t seqs[] = { 0x7fffffff, 0xf0000000, 0x40000000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(seqs); i++) {
		uint64_t gaps = link_drops(0, 0, HYPERCUBE_A_DROP_GAP);
		struct frame f;

		part_begin(&f, 0, 0, HC_FRAME_PROBE, LIVE_TREE);
		frame_hdr(&f)->seq = htonl(seqs[i]);
		f.rec.flags = 0;
		if (say(&f) || !link_is(HYPERCUBE_LINK_F_SPENT) || !live_dgrams(&said.c))
			return false;
		if (link_drops(0, 0, HYPERCUBE_A_DROP_GAP) == gaps || !link_goes_on())
			return false;
	}
	return true;
}

/* Frames with sequence numbers that have been used are dropped as duplicates, and have no other
 * consequences.
 */
bool seq_repeats(void)
{
	unsigned int i, n = 0;
	struct frame f[2];
	struct sockaddr_hypercube a = shc_addr(said.c.name, 0);
	int fd = shc_bound(said.c.name, 1, SOCK_DGRAM);

	/* First let the link use some sequence numbers. */
	for (i = 0; i < 20; i++)
		n += sendto(fd, &i, sizeof(i), 0, (struct sockaddr *)&a, sizeof(a)) == sizeof(i);
	close(fd);
	part_begin(&f[0], 0, 0, HC_FRAME_PROBE, LIVE_TREE);
	frame_hdr(&f[0])->seq = htonl(1);
	f[0].rec.flags = 0;
	f[1] = f[0];
	return n == 20 && !say_all(f, 2) && link_drops_are(0, 0, HYPERCUBE_A_DROP_DUPLICATE, 2) &&
	       link_is(0) && live_dgrams(&said.c);
}

bool version_heals(void)
{
	static const uint32_t versions[] = { 0xffffffff, 0x7fffffff, 0x80000000 };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(versions); i++) {
		struct hc_wire_lsa s = { .node = htons(6), .word = htons(7),
					   .version = htonl(versions[i]) };
		struct frame f;

		part_begin(&f, 0, 0, HC_FRAME_LSA, 0);
		frame_put(&f, &s, sizeof(s));
		if (say(&f) || !live_dgrams(&said.c))
			return false;
	}
	/* Nodes must still be notified of a real failure of this link. */
	return !cube_fail_link(&said.c, 6, 1) && live_dgrams(&said.c) &&
	       !cube_heal(&said.c) && live_dgrams(&said.c);
}

/* Send frame @f. Return: true if a datagram then arrives at socket @fd; it is written to @buf. */
static bool dgram_comes(int fd, const struct frame *f, char buf[64])
{
	uint64_t end = fz_ms() + 500;

	if (say(f))
		return false;
	while (fz_ms() < end)
		if (recv(fd, buf, 64, MSG_DONTWAIT) >= 0)
			return true;
	return false;
}

/* A routed frame is accepted only if its walk leads from its source to this node, and ends with the
 * link over which the frame has arrived.
 */
bool src_is_behind(void)
{
	static const struct {
		unsigned char src, hops, way[2];
		bool comes;
	} tries[] = {
		{ 0, 0, { 0 }, false }, { 2, 1, { 1 }, false }, { 5, 2, { 0, 2 }, false },
		{ 4, 1, { 0 }, false }, { 1, 1, { 0 }, true }, { 5, 2, { 2, 0 }, true },
	};
	int fd = shc_bound(said.c.name, 7, SOCK_DGRAM);
	bool ok = fd >= 0;
	char buf[64];
	unsigned int i;

	for (i = 0; ok && i < ARRAY_SIZE(tries); i++) {
		struct frame f;

		part_begin(&f, 0, 0, HC_FRAME_DGRAM, 0);
		routed(&f, tries[i].src, 7, tries[i].way, tries[i].hops);
		frame_put(&f, "lie", 4);
		ok = dgram_comes(fd, &f, buf) == tries[i].comes;
		if (!ok)
			fz_note("row %u", i);
	}
	close(fd);
	return ok;
}

/* --- copies --- */

/* Make copy @i, of three, of datagram @nr from node 0 to 7, with the data @says, as it arrives over
 * the last link of its path.
 */
static struct hc_wire_copy *copy(struct frame *f, unsigned int nr, unsigned int i, const char *says)
{
	static const unsigned char paths[16] = { 3, 0x01, 0x20, 3, 0x12, 0x00, 3, 0x20, 0x10 };
	static const unsigned char last[] = { 2, 0, 1 };
	struct hc_wire_copy *w = part_begin(f, 7, last[i], HC_FRAME_COPY, 0);

	*w = (struct hc_wire_copy){
		.nr = htobe64(nr), .copies = 3, .copy = i, .hop = 3, .paths = htons(sizeof(paths)),
	};
	f->says |= SAY_ENDS;
	frame_hdr(f)->dst = htons(7);
	frame_put(f, paths, sizeof(paths));
	frame_put(f, says, 4);
	return w;
}

/* Bind a datagram socket to node 7. It accepts a datagram if two of its three copies match. Return:
 * the socket.
 */
static int copies_bound(void)
{
	int fd = shc_bound(said.c.name, 7, SOCK_DGRAM);
	int least = 3, most = HYPERCUBE_DELIVER_MAJORITY;
	int wait = HYPERCUBE_COPIES_WAIT_MAX;

	setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES_WAIT, &wait, sizeof(wait));
	setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES_LEAST, &least, sizeof(least));
	setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_DELIVER, &most, sizeof(most));
	return fd;
}

/* Malformed copies are dropped, and no datagram is delivered because of them. */
bool copies_are_whole(void)
{
#define AT(field) offsetof(struct hc_wire_copy, field)
	static const struct { unsigned char at, says; } wrong[] = {
		{ AT(hop), 0 }, { AT(hop), 2 }, { AT(hop), 4 }, { AT(hop), 255 },
		{ AT(copy), 0 }, { AT(copy), 3 }, { AT(copies), 0 }, { AT(copies), 1 },
		{ AT(copies), 13 }, { AT(paths) + 1, 0 }, { AT(paths) + 1, 15 },
		{ AT(paths) + 1, 24 }, { AT(paths), 255 },
	};
#undef AT
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		((unsigned char *)copy(&f, i, 1, "lie"))[wrong[i].at] = wrong[i].says;
		if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1)) {
			fz_note("row %u", i);
			return false;
		}
	}
	return live_dgrams(&said.c);
}

/* All copies of a datagram that arrive from one neighbour count as one copy, whichever paths they
 * claim to have taken.
 */
bool copies_of_one_are_one(void)
{
	static const unsigned char both[8] = { 3, 0x12, 0x00, 3, 0x21, 0x00 };
	int fd = copies_bound();
	struct hc_wire_copy *w;
	char got[64] = "";
	struct frame f;
	unsigned int i;
	bool ok = fd >= 0;

	for (i = 0; ok && i < 3; i++) {
		copy(&f, 1, i, "lie");
		f.rec.dim = 0;
		ok = !say(&f);
	}
	ok = ok && link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, 2);
	/* The paths of both copies include node 6. */
	w = copy(&f, 2, 1, "lie");
	w->copies = 2;
	w->paths = htons(sizeof(both));
	memcpy(w + 1, both, sizeof(both));
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_TOO_FEW_COPIES, 1);
	i = 1;
	ok = ok && !setsockopt(fd, SOL_HYPERCUBE, HYPERCUBE_COPIES_LEAST, &i, sizeof(i));
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_MALFORMED, 1);
	/* Node 6 corrupts its copy of a datagram, and the other two copies match. */
	for (i = 0; ok && i < 3; i++) {
		copy(&f, 3, i, i == 1 ? "lie" : "yes");
		ok = i == 2 ? dgram_comes(fd, &f, got) : !say(&f);
	}
	ok = ok && !strcmp(got, "yes") && recv(fd, got, sizeof(got), MSG_DONTWAIT) < 0;
	close(fd);
	return ok;
}
