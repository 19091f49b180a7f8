// SPDX-License-Identifier: GPL-2.0
/*
 * A machine that sends FAULT words in the name of a node of another machine.
 *
 *	hc_rival FABRIC
 *
 * FABRIC, of dimension 3, has the nodes 00X on this machine and no trunk along dimension 1. The
 * program plays the machine at the other end, with the nodes 01X. When node 0 announces that its
 * link along dimension 2 is up, the program begins to send node 1 a FAULT word in the name of node
 * 0. It sends one with a newer version each time that node 0 announces its own FAULT word again.
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "far_end.h"

#define ALONG	2
#define ROOM	70000
#define ENTRY	8
#define FORGED	1

static unsigned int get16(const uint8_t *p)
{
	return p[0] << 8 | p[1];
}

/* Read the FAULT word of node 0, and its version, from the frame @f. Return: false if the frame
 * does not have it.
 */
static bool word_of_0(const uint8_t *f, size_t len, unsigned int *word, uint32_t *version)
{
	bool any = false;
	size_t at;

	for (at = FAR_HDR + 8; f[1] == FAR_LSA && at + ENTRY <= len; at += ENTRY) {
		if (get16(f + at))
			continue;
		*word = get16(f + at + 2);
		*version = far_get32(f + at + 4);
		any = true;
	}
	return any;
}

/* Contradict node 0 each time that it announces its FAULT word. */
static int contradict(int fd, const char *fabric)
{
	static uint8_t head[FAR_RECORD], f[ROOM];
	uint32_t version, said = 0, len;
	bool begun = false;
	unsigned int word;

	while (far_get(fd, head, sizeof(head))) {
		len = far_get32(head);
		if (len > ROOM || !far_get(fd, f, len))
			return 1;
		if (head[4] != FAR_FRAME || !word_of_0(f, len, &word, &version))
			continue;
		begun |= !(word & 4);
		if (!begun || version <= said)
			continue;
		said = version + 1;
		printf("version %u of node 0 is followed by %u\n", version, said);
		fflush(stdout);
		if (!far_word(fd, fabric, ALONG, 1, 0, FORGED, said))
			return 1;
	}
	return 0;
}

int main(int argc, char **argv)
{
	int fd;

	if (argc != 2)
		return 2;
	fd = far_trunk(argv[1], "1");
	if (fd < 0 || !far_greet(fd, argv[1], 1, 6, 2) || !far_state(fd, 0) || !far_state(fd, 1))
		return 1;
	return contradict(fd, argv[1]);
}
