// SPDX-License-Identifier: GPL-2.0
/* Single frames about tasks. */
#include <arpa/inet.h>
#include <endian.h>
#include <stddef.h>

#include "said.h"
#include "task_calls.h"

#define WAIT_MS	20000

/* A segment of @len bytes at @at of a task of 9, from node 6 to 7. */
static struct hc_wire_task *segment(struct frame *f, uint64_t move, unsigned int at,
				    unsigned int len)
{
	struct hc_wire_task *w = part_begin(f, 7, 0, HC_FRAME_TASK, 0);

	*w = (struct hc_wire_task){
		.move = htobe64(move), .nr = htobe64(3), .offset = htonl(at), .total = htonl(9),
		.origin = htons(1), .what = HC_TASK_F_DATA,
	};
	if (len)
		frame_put(f, "123456789", len);
	return w;
}

bool task_is_whole(void)
{
#define AT(field) offsetof(struct hc_wire_task, field)
	static const struct { unsigned char at, says; } wrong[] = {
		{ AT(total), 1 }, { AT(total) + 3, 8 }, { AT(total) + 3, 10 }, { AT(total) + 3, 0 },
		{ AT(offset), 255 }, { AT(offset) + 3, 1 }, { AT(offset) + 3, 9 },
		{ AT(offset) + 3, 10 }, { AT(origin) + 1, 8 }, { AT(origin), 255 },
		{ AT(nr) + 7, 0 }, { AT(flags), 4 }, { AT(flags), 128 }, { AT(what), 0 },
		{ AT(what), HC_TASK_F_TAKEN }, { AT(what), HC_TASK_F_ASK },
		{ AT(what), __HC_TASK_F_END }, { AT(what), 255 },
	};
#undef AT
	struct task_view v;
	struct frame f;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		((unsigned char *)segment(&f, 1, 0, 9))[wrong[i].at] = wrong[i].says;
		if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1)) {
			fz_note("row %u", i);
			return false;
		}
	}
	/* Around a fault nothing comes but words, and from neighbours. */
	segment(&f, 1, 0, 9);
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_MALFORMED, i + 1))
		return false;
	segment(&f, 1, 0, 0)->what = HC_TASK_F_ASK;
	routed(&f, 4, 7, (const unsigned char[]){ 1, 0 }, 2);
	if (say(&f) || !link_drops_are(7, 0, HYPERCUBE_A_DROP_FOREIGN, 1))
		return false;
	return !task_view(said.c.name, 7, &v) && !v.queued && !v.bytes && live_dgrams(&said.c);
}

static bool received(uint64_t n)
{
	uint64_t end = fz_ms() + WAIT_MS;
	struct task_view v = { 0 };

	while (v.received < n && fz_ms() < end)
		task_view(said.c.name, 7, &v);
	return v.received == n && v.queued == n;
}

/* Two of the same, those before it, and one that was asked about; words that nobody waits for. */
bool task_is_once(void)
{
	struct frame f;
	bool ok;

	segment(&f, 10, 0, 9);
	ok = !say(&f) && received(1) && !say(&f) && !say(&f);
	segment(&f, 9, 0, 9);
	ok = ok && !say(&f);
	segment(&f, 12, 0, 0)->what = HC_TASK_F_ASK;
	ok = ok && !say(&f);
	segment(&f, 12, 0, 9);
	ok = ok && !say(&f);
	/* Who speaks from afar does not let numbers run away. */
	segment(&f, 12 + 2000, 0, 0)->what = HC_TASK_F_ASK;
	routed(&f, 6, 7, (const unsigned char[]){ 0 }, 1);
	ok = ok && !say(&f);
	segment(&f, 13, 0, 9);
	ok = ok && !say(&f) && received(2);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_TAKEN;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 1);
	segment(&f, 5, 0, 0)->what = HC_TASK_F_NOT;
	ok = ok && !say(&f) && node_drops_are(7, HYPERCUBE_A_DROP_UNEXPECTED, 2);
	return ok && received(2) && live_dgrams(&said.c);
}
