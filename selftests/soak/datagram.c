// SPDX-License-Identifier: GPL-2.0
/* Messages between nodes. Messages may be lost, but a message that arrives must be unchanged, and
 * may arrive only once.
 */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>

#include "soak.h"

/* The header of a message; @len bytes of data follow it. */
struct letter {
	uint32_t from, to, incarnation, number, len;
};

static uint64_t letter_key(const struct world *w, const struct letter *l)
{
	return key_of(w->seed, ((uint64_t)l->from << 32) | l->to, l->incarnation, l->number,
		      l->len);
}

void datagram_send(struct member *m)
{
	static uint8_t data[40000];
	struct sockaddr_hypercube to = { .shc_family = (sa_family_t)m->w->family };
	struct letter l = {
		.from = m->node,
		.to = below(&m->dice, m->w->nodes),
		.incarnation = m->incarnation,
		.number = (uint32_t)atomic_fetch_add(&m->me->datagrams_sent, 1),
	};

	if (m->messages < 0)
		return;
	l.len = chance(&m->dice, 80) ? below(&m->dice, 200)
				     : below(&m->dice, m->w->segment - (uint32_t)sizeof(l) + 1);
	to.shc_node = l.to;
	memcpy(to.shc_fabric, m->w->fabric, sizeof(to.shc_fabric));
	memcpy(data, &l, sizeof(l));
	message_fill(letter_key(m->w, &l), data + sizeof(l), l.len);
	if (sendto(m->messages, data, sizeof(l) + l.len, MSG_DONTWAIT, (struct sockaddr *)&to,
		   sizeof(to)) >= 0)
		return;
	if (errno == EAGAIN || errno == ENOBUFS || error_allowed(m->w, 0, errno) ||
	    (errno == EHOSTUNREACH && atomic_load(&m->w->era.allowed_errors) & (EX_LINK | EX_NODE)))
		return;
	complain(m->w, "node %u: datagram to %u: %s", m->node, l.to, strerrorname_np(errno));
	record_fate(m->w, m->node, ROW_DATAGRAM, UNFOUNDED);
}

/* Return: true if message @n of this sender has arrived before. A number that is much lower than
 * the latest one counts as new.
 */
static bool received_before(struct got_news *h, uint32_t incarnation, uint32_t n)
{
	bool before;

	if (h->incarnation != incarnation + 1) {
		memset(h, 0, sizeof(*h));
		h->incarnation = incarnation + 1;
		h->top = n;
	}
	for (; h->top < n; h->top++)
		h->bits[(h->top + 1) / 64 % 4] &= ~(1ull << (h->top + 1) % 64);
	if (h->top - n >= 192)
		return false;
	before = h->bits[n / 64 % 4] >> n % 64 & 1;
	h->bits[n / 64 % 4] |= 1ull << n % 64;
	return before;
}

static enum fate letter_check(struct member *m, const uint8_t *data, size_t len,
			      const struct sockaddr_hypercube *from)
{
	static uint8_t want[40000];
	struct letter l;

	if (len < sizeof(l))
		return WRONG;
	memcpy(&l, data, sizeof(l));
	if (l.len != len - sizeof(l) || l.from >= m->w->nodes || l.from != from->shc_node ||
	    l.to != m->node || strcmp(from->shc_fabric, m->w->fabric))
		return WRONG;
	message_fill(letter_key(m->w, &l), want, l.len);
	if (memcmp(want, data + sizeof(l), l.len))
		return WRONG;
	return received_before(&m->got_news[l.from], l.incarnation, l.number) ? DOUBLED : RIGHT;
}

bool datagram_receive(struct member *m)
{
	static uint8_t data[40000];
	struct sockaddr_hypercube from = {};
	socklen_t size = sizeof(from);
	enum fate fate;
	ssize_t n;

	if (m->messages < 0)
		return false;
	n = recvfrom(m->messages, data, sizeof(data), MSG_DONTWAIT, (struct sockaddr *)&from,
		     &size);
	if (n < 0)
		return false;
	fate = letter_check(m, data, (size_t)n, &from);
	if (fate != RIGHT)
		complain(m->w, "node %u: datagram from %u, %zd bytes: %s", m->node, from.shc_node,
			 n, fate_name(fate));
	record_fate(m->w, m->node, ROW_DATAGRAM, fate);
	return true;
}
