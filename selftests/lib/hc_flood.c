// SPDX-License-Identifier: GPL-2.0
/*
 * Sends frames of an operation as a machine that ignores flow control would, to a node that does
 * not read.
 *
 *	hc_flood FABRIC MIB
 *
 * FABRIC, of dimension 3, has the nodes 00X on this machine and no trunk. The program plays both
 * machines to which this machine has links. It sends MIB MiB from node 4 through node 0 to node 2,
 * and prints the number of frames sent; each has 32 KiB of payload. It does not read the stream of
 * node 2.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "far_end.h"
#include "hc_topo.h"

#define PART	64	/* bytes of struct hc_wire_data */
#define PAYLOAD	32768
#define WALK	16	/* bytes of a walk of one hop */
#define PER_MIB	((1 << 20) / PAYLOAD)

/* Write to @f struct hc_hdr of a routed DATA frame, and its walk: one hop along dimension 2. */
static void head(uint8_t *f, const char *fabric)
{
	f[0] = FAR_WIRE;
	f[1] = 3;
	f[2] = 1;
	far_put32(f + 4, hc_name_id(fabric));
	far_put16(f + 8, 4);
	far_put16(f + 10, 2);
	far_put32(f + 16, PAYLOAD);
	far_put16(f + 20, 1);
	f[FAR_HDR] = 0x20;
}

int main(int argc, char **argv)
{
	static uint8_t b[FAR_RECORD + FAR_HDR + WALK + PART + PAYLOAD];
	int deaf, loud, i, n;

	if (argc != 3)
		return 2;
	deaf = far_trunk(argv[1], "1");
	loud = far_trunk(argv[1], "2");
	if (deaf < 0 || loud < 0 || !far_greet(deaf, argv[1], 1, 6, 2) || !far_state(deaf, 0) ||
	    !far_greet(loud, argv[1], 2, 6, 4) || !far_state(loud, 0))
		return 1;
	sleep(1);
	far_record(b, sizeof(b) - FAR_RECORD, FAR_FRAME, 0, 0);
	head(b + FAR_RECORD, argv[1]);
	n = atoi(argv[2]) * PER_MIB;
	for (i = 0; i < n; i++) {
		far_put32(b + FAR_RECORD + 12, i + 1);
		if (!far_say(loud, b, sizeof(b)))
			return 1;
	}
	printf("%d\n", n);
	fflush(stdout);
	pause();
	return 0;
}
