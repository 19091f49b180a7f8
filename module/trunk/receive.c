// SPDX-License-Identifier: GPL-2.0
/*
 * The receiving side of a trunk: a work item that reads records as they arrive.
 *
 * No content of a record is trusted. The head of a record is checked here: its kind, its length,
 * and that it names a local node which has a link over this trunk. An invalid record ends the
 * trunk, since a stream whose record boundaries are lost cannot be used any more. A frame whose
 * record is valid is put into the queue of its node, like a frame from any neighbour, and the
 * node's poll makes all other checks (fabric/rx.c).
 *
 * Digests, if at least one end wants them, detect changes that the connection has made to the data.
 * The digest of a record's head is checked before its length is used, and the digest of its body
 * before any code acts on the body.
 *
 * Frames are read into memory of their own, with the payload in pages. That costs one copy, and
 * works with any stream (functions that pass data on without a copy exist only for TCP).
 *
 * If a node's queue is long, the work item does not read on for a while, so the socket's flow
 * control stops the peer. Polls always empty their queues, so this does not last for ever.
 */
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/virtio_net.h>
#include <net/sock.h>

#include "compat.h"
#include "fabric/arrive.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/node.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "trunk/commit.h"
#include "trunk/trunk.h"

#define REC		sizeof(struct hc_wire_record)
/* Bytes after which the work item queues itself again, to let other work items run. */
#define RECEIVE_BUDGET	SZ_1M
/* The work item waits if a node's queue has at least this many bytes of memory. */
#define QUEUE_LONG	SZ_4M
/* Payloads up to this length are linear, behind their headers; longer payloads are in pages. */
#define LINEAR_MAX	512

/* ------------------------------------------------------------ reading */

/* Read data from the socket into @to, and add the number of bytes to *@have. Return: the number of
 * bytes; -EAGAIN if there are none at present; or the error with which the connection has ended.
 */
static int read_vec(struct hc_trunk *trunk, struct iov_iter *to, unsigned int *have)
{
	struct msghdr msg = { .msg_iter = *to };
	int n = sock_recvmsg(trunk->sock, &msg, MSG_DONTWAIT | MSG_NOSIGNAL);

	if (!n)
		return -ENOTCONN;
	if (n > 0) {
		atomic64_add(n, &trunk->rx_bytes);
		WRITE_ONCE(trunk->last_rx, jiffies);
		*have += n;
	}
	return n;
}

static int read_head(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;
	struct bio_vec vec = {
		.bv_page = virt_to_page(rx->head), .bv_offset = offset_in_page(rx->head) + rx->have,
		.bv_len = rx->want - rx->have,
	};
	struct iov_iter to;

	iov_iter_bvec(&to, READ, &vec, 1, vec.bv_len);
	return read_vec(trunk, &to, &rx->have);
}

static int read_frame(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;
	struct sk_buff *skb = rx->skb;
	struct bio_vec vec[MAX_SKB_FRAGS + 1];
	struct iov_iter to;
	int i, n = 0;

	vec[n++] = (struct bio_vec){
		.bv_page = virt_to_page(skb->data), .bv_offset = offset_in_page(skb->data),
		.bv_len = skb_headlen(skb),
	};
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		vec[n++] = (struct bio_vec){
			.bv_page = skb_frag_page(frag), .bv_offset = skb_frag_off(frag),
			.bv_len = skb_frag_size(frag),
		};
	}
	iov_iter_bvec(&to, READ, vec, n, skb->len);
	iov_iter_advance(&to, rx->done);
	return read_vec(trunk, &to, &rx->done);
}

static int read_note(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;
	struct kvec vec = { rx->note->data, rx->note->len };
	struct iov_iter to;

	iov_iter_kvec(&to, READ, &vec, 1, vec.iov_len);
	iov_iter_advance(&to, rx->done);
	return read_vec(trunk, &to, &rx->done);
}

/* ------------------------------------------------------------ digests */

u32 hc_record_head_digest(const struct hc_wire_record *w)
{
	return ~crc32c(~0, w, offsetof(struct hc_wire_record, body));
}

/* Return: @crc, updated with the bytes of a frame from byte @from on. Byte @from is linear. */
static u32 frame_crc(u32 crc, const struct sk_buff *skb, unsigned int from)
{
	int i;

	crc = crc32c(crc, skb->data + from, skb_headlen(skb) - from);
	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		crc = crc32c(crc, skb_frag_address(frag), skb_frag_size(frag));
	}
	return crc;
}

/* Return: true if the digest of the body of a complete record is correct. */
static bool body_is_valid(const struct hc_trunk_rx *rx)
{
	const struct hc_wire_record *w = (const void *)rx->head;
	u32 crc = crc32c(~0, rx->head + REC, rx->want - REC);

	if (rx->note)
		crc = crc32c(crc, rx->note->data, rx->note->len);
	if (rx->skb)
		crc = frame_crc(crc, rx->skb, sizeof(struct hc_hdr));
	return be32_to_cpu(w->body) == ~crc;
}

static bool head_is_valid(const struct hc_trunk_rx *rx)
{
	const struct hc_wire_record *w = (const void *)rx->head;

	return be32_to_cpu(w->head) == hc_record_head_digest(w);
}

/* Return: true if the records of the peer have digests (HELLO is checked separately). */
static bool has_digest(const struct hc_trunk *trunk)
{
	return trunk->rx.established && test_bit(HC_TRUNK_DIGEST, &trunk->flags);
}

static void digest_wrong(struct hc_trunk *trunk)
{
	hc_trunk_break(trunk, -EBADMSG, "A digest is wrong: the connection changes what goes over it");
}

/* Check the digest of a complete record's body, and end the trunk if it is wrong. Return: false if
 * it is wrong.
 */
static bool body_check(struct hc_trunk *trunk)
{
	if (!has_digest(trunk) || body_is_valid(&trunk->rx))
		return true;
	digest_wrong(trunk);
	return false;
}

/* ------------------------------------------------------------ records */

static const struct hc_wire_record *record(const struct hc_trunk_rx *rx)
{
	return (const struct hc_wire_record *)rx->head;
}

static unsigned int offload_len(const struct hc_wire_record *w)
{
	return w->flags & HC_RECORD_F_OFFLOAD ? sizeof(struct hc_wire_offload) : 0;
}

static bool is_note(const struct hc_wire_record *w)
{
	return w->what == HC_RECORD_ASK || w->what == HC_RECORD_ANSWER;
}

/* Return: the bytes behind struct hc_wire_record that belong to the head of the record; 0 for a
 * note, and for a record of an unknown kind.
 */
static unsigned int head_len(const struct hc_wire_record *w)
{
	switch (w->what) {
	case HC_RECORD_HELLO:
		return sizeof(struct hc_wire_hello);
	case HC_RECORD_ALIVE:
		return sizeof(struct hc_wire_alive);
	case HC_RECORD_STATE:
		return sizeof(struct hc_wire_end);
	case HC_RECORD_FRAME:
		return offload_len(w) + sizeof(struct hc_hdr);
	}
	return 0;
}

/* Return: why the head of the record is invalid, or NULL. */
static const char *record_reason(const struct hc_trunk *trunk)
{
	const struct hc_trunk_rx *rx = &trunk->rx;
	const struct hc_wire_record *w = record(rx);
	u32 len = be32_to_cpu(w->len), u = be16_to_cpu(w->node);
	unsigned int head = head_len(w);

	if (!head && !is_note(w))
		return "The other end sends records of an unknown kind";
	if (is_note(w) ? !hc_commit_is_valid(trunk->fabric, w->what, len) :
	    w->what == HC_RECORD_FRAME ? len < head || len > HC_TRUNK_FRAME_MAX + head :
					 len != head)
		return "The other end sends a record of a wrong length";
	if (rx->established ? w->what == HC_RECORD_HELLO : w->what != HC_RECORD_HELLO)
		return "The other end does not begin with its greeting";
	if ((w->what == HC_RECORD_STATE || w->what == HC_RECORD_FRAME) && !hc_trunk_has(trunk, u))
		return "The other end names a node that has no link to it";
	return NULL;
}

/* Return: why HELLO is invalid, or NULL. */
static const char *hello_reason(const struct hc_trunk *trunk, const struct hc_wire_hello *w)
{
	const struct hc_fabric *fabric = trunk->fabric;

	if (be32_to_cpu(w->magic) != HC_TRUNK_MAGIC)
		return "What the other end says is not of a trunk";
	if (be16_to_cpu(w->version) != HC_TRUNK_VERSION || w->wire != HC_WIRE_VERSION)
		return "The other end has another version of the format";
	if (!head_is_valid(&trunk->rx) || !body_is_valid(&trunk->rx))
		return "The greeting of the other end was changed on its way";
	if (be32_to_cpu(w->fabric) != fabric->id)
		return "The other end has a fabric of another id";
	if (w->dim != fabric->topo.ports)
		return "The other end has a fabric of another dimension";
	if (be32_to_cpu(w->segment) != fabric->segment)
		return "The other end has segments of another size";
	if (be32_to_cpu(w->keep) < HYPERCUBE_TRUNK_KEEPALIVE_MIN ||
	    be32_to_cpu(w->keep) > HYPERCUBE_TRUNK_KEEPALIVE_MAX)
		return "The other end has a keepalive out of range";
	if (w->along != trunk->dim)
		return "The other end has a trunk along another dimension";
	if (be16_to_cpu(w->fixed) != trunk->fixed || be16_to_cpu(w->base) != trunk->base)
		return "The other end has other nodes";
	return NULL;
}

/* Record the peer's boot id @life at all links of the trunk, before any other record of the peer is
 * processed. Run the keepalive work, which has not known the peer's keepalive until now. If the
 * trunk ends, reap_work() cancels the keepalive work: with the lock held, the work is not queued
 * after that.
 */
static void life_take(struct hc_trunk *trunk, u32 life)
{
	struct hc_fabric *fabric = trunk->fabric;
	struct hc_node *node;

	mutex_lock(&fabric->lock);
	if (!fabric->dead && !test_bit(HC_TRUNK_BROKEN, &trunk->flags)) {
		hc_each_node(fabric, node)
			if (hc_trunk_has(trunk, node->id))
				hc_trunk_end_lives(node, trunk->dim, life);
		mod_delayed_work(hc_trunk_wq, &trunk->beat, 0);
	}
	mutex_unlock(&fabric->lock);
}

static void hello_take(struct hc_trunk *trunk)
{
	const struct hc_wire_hello *w = (const void *)(trunk->rx.head + REC);
	const char *reason = hello_reason(trunk, w);

	if (reason) {
		hc_trunk_break(trunk, -EPROTO, reason);
		return;
	}
	WRITE_ONCE(trunk->keep_there, be32_to_cpu(w->keep));
	WRITE_ONCE(trunk->life, be32_to_cpu(w->life));
	WRITE_ONCE(trunk->established, jiffies);
	life_take(trunk, be32_to_cpu(w->life));
	trunk->rx.established = true;
	if (w->flags & HC_HELLO_F_DIGEST)
		set_bit(HC_TRUNK_DIGEST, &trunk->flags);
	/* Pairs with record_choose(). */
	smp_mb__before_atomic();
	set_bit(HC_TRUNK_ESTABLISHED, &trunk->flags);
	queue_work(hc_trunk_wq, &trunk->send);
}

/* Apply a STATE record. It is applied before the frames behind it are processed, so the link has
 * the state that it had when the peer sent these frames.
 */
static void state_take(struct hc_trunk *trunk)
{
	const struct hc_wire_end *w = (const void *)(trunk->rx.head + REC);
	struct hc_fabric *fabric = trunk->fabric;
	u32 u = be16_to_cpu(record(&trunk->rx)->node);

	mutex_lock(&fabric->lock);
	if (!fabric->dead && !test_bit(HC_TRUNK_BROKEN, &trunk->flags))
		hc_trunk_end_received(fabric->nodes[u], trunk->dim, w);
	mutex_unlock(&fabric->lock);
}

/* ------------------------------------------------------------ notes */

static void note_begin(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;

	rx->note = hc_trunk_note_new(trunk->fabric, record(rx)->what, be32_to_cpu(record(rx)->len));
	rx->done = 0;
	if (!rx->note)
		hc_trunk_break(trunk, -ENOMEM, "There was no memory for what the other end asks");
}

static void note_take(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;

	if (body_check(trunk))
		hc_commit_rx(trunk, rx->note);
	hc_trunk_note_put(rx->note);
	rx->note = NULL;
}

/* ------------------------------------------------------------ frames */

/* Return: the bytes of a frame of @len bytes that are to be linear: those in front of the payload,
 * as computed from the header, which is not checked yet; and a short payload, too.
 */
static unsigned int frame_head(const struct hc_hdr *hdr, unsigned int len)
{
	const struct hc_frame_ops *type = hc_frame_ops(hdr->type);
	unsigned int head = hc_way_end(hdr) + (type ? type->part : 0);

	/* An Ethernet frame also has headers of its own, which should be linear for the stack. */
	if (type && type->flags & HC_FT_STACK)
		head += LINEAR_MAX / 2;
	if (head > SKB_MAX_ORDER(HC_HEADROOM, 1) || len - min(len, head) <= LINEAR_MAX)
		head = min_t(unsigned int, len, SKB_MAX_ORDER(HC_HEADROOM, 1));
	return min(head, len);
}

static void frame_begin(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;
	unsigned int extra = offload_len(record(rx));
	const struct hc_hdr *hdr = (const void *)(rx->head + REC + extra);
	const struct hc_frame_ops *type = hc_frame_ops(hdr->type);
	unsigned int len = be32_to_cpu(record(rx)->len) - extra;
	unsigned int head = frame_head(hdr, len);
	int err;

	rx->skb = hc_remote_skb_alloc(trunk->fabric, head, len - head,
				      type && type->flags & HC_FT_WHOLE, &err);
	if (!rx->skb) {
		hc_trunk_break(trunk, err, err == -EMSGSIZE ?
			       "The other end sends a frame that is too long" :
			       "There was no memory for a frame");
		return;
	}
	memcpy(rx->skb->data, hdr, sizeof(*hdr));
	rx->done = sizeof(*hdr);
}

/* Apply the struct hc_wire_offload in front of the frame to the skb. It is checked as if a virtual
 * machine had sent it. Return: false if it is invalid.
 */
static bool offload_take(struct hc_trunk *trunk, struct sk_buff *skb)
{
	const struct hc_wire_offload *w = (const void *)(trunk->rx.head + REC);
	unsigned int head = hc_way_end(hc_hdr(skb));
	struct virtio_net_hdr vnet;
	int err;

	memcpy(&vnet, w->vnet, sizeof(vnet));
	if (!hc_frame_is(skb, HC_FT_STACK) || head + ETH_HLEN > skb_headlen(skb) ||
	    !(vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM))
		return false;
	__skb_pull(skb, head);
	err = virtio_net_hdr_to_skb(skb, &vnet, true);
	__skb_push(skb, head);
	return !err;
}

static void frame_deliver(struct hc_trunk *trunk)
{
	u32 u = be16_to_cpu(record(&trunk->rx)->node);
	struct hc_node *node = trunk->fabric->nodes[u];
	struct sk_buff *skb = trunk->rx.skb;

	/* A frame for the IP stack is not charged: the node's queue has a limit for such frames,
	 * and after the queue they belong to the stack.
	 */
	if (!hc_frame_is(skb, HC_FT_STACK) && !hc_remote_skb_charge(trunk->fabric, skb)) {
		hc_trunk_break(trunk, -ENOBUFS, "The fabric may hold no more memory");
		return;
	}
	trunk->rx.skb = NULL;
	atomic64_inc(&trunk->rx_frames);
	if (offload_len(record(&trunk->rx)) && !offload_take(trunk, skb)) {
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_MALFORMED);
		return;
	}
	*hc_cb(skb) = (struct hc_cb){
		.dim = trunk->dim,
		.sealed = record(&trunk->rx)->flags & HC_RECORD_F_SEALED,
		/* Never 0, and different for trunks that replace each other: the same value recurs
		 * only after U8_MAX trunks.
		 */
		.stream = 1 + trunk->nr % U8_MAX,
	};
	local_bh_disable();
	if (hc_arrive(node, skb))
		hc_node_schedule(node);
	else
		hc_drop(node, NULL, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
	local_bh_enable();
}

/* ------------------------------------------------------------ the work */

/* Begin to read the next record. */
static void record_next(struct hc_trunk_rx *rx)
{
	rx->have = 0;
	rx->want = REC;
}

/* Check struct hc_wire_record, which is complete, and determine what is to be read next. */
static void record_begin(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;
	const char *reason;

	if (has_digest(trunk) && !head_is_valid(rx)) {
		digest_wrong(trunk);
		return;
	}
	reason = record_reason(trunk);
	rx->want += head_len(record(rx));
	if (reason)
		hc_trunk_break(trunk, -EPROTO, reason);
	else if (is_note(record(rx)))
		note_begin(trunk);
}

/* Process rx->head, of which all wanted bytes were received. */
static void head_take(struct hc_trunk *trunk)
{
	struct hc_trunk_rx *rx = &trunk->rx;

	if (rx->want == REC) {
		record_begin(trunk);
	} else if (record(rx)->what == HC_RECORD_FRAME) {
		frame_begin(trunk);
	} else {
		if (record(rx)->what == HC_RECORD_HELLO)
			hello_take(trunk);
		else if (body_check(trunk) && record(rx)->what == HC_RECORD_STATE)
			state_take(trunk);
		record_next(rx);
	}
}

/* Process a complete frame. Return: false if the work item must wait, because the node's queue is
 * long.
 */
static bool frame_take(struct hc_trunk *trunk)
{
	u32 u = be16_to_cpu(record(&trunk->rx)->node);

	if (!body_check(trunk))
		return true;
	frame_deliver(trunk);
	record_next(&trunk->rx);
	return READ_ONCE(trunk->fabric->nodes[u]->rxq.bytes) < QUEUE_LONG;
}

void hc_trunk_receive_work(struct work_struct *work)
{
	struct hc_trunk *trunk = container_of(to_delayed_work(work), struct hc_trunk, receive);
	struct hc_trunk_rx *rx = &trunk->rx;
	unsigned int got = 0;
	bool room = true;
	int n = 0;

	while (!test_bit(HC_TRUNK_BROKEN, &trunk->flags)) {
		if (rx->skb && rx->done == rx->skb->len)
			room = frame_take(trunk);
		if (rx->note && rx->done == rx->note->len) {
			note_take(trunk);
			record_next(rx);
		}
		/* While this end does not read, the peer does not count as silent. */
		if (!room)
			WRITE_ONCE(trunk->last_rx, jiffies);
		if (!room || got >= RECEIVE_BUDGET) {
			queue_delayed_work(hc_trunk_wq, &trunk->receive, room ? 0 : 1);
			return;
		}
		n = rx->skb ? read_frame(trunk) : rx->note ? read_note(trunk) : read_head(trunk);
		if (n == -EAGAIN)
			return;
		if (n < 0) {
			hc_trunk_break(trunk, n, n == -ENOTCONN ? "The other end has closed it" :
								  NULL);
			return;
		}
		got += n;
		if (!rx->skb && !rx->note && rx->have == rx->want)
			head_take(trunk);
	}
}

void hc_trunk_rx_init(struct hc_trunk *trunk)
{
	record_next(&trunk->rx);
	INIT_DELAYED_WORK(&trunk->receive, hc_trunk_receive_work);
}

void hc_trunk_rx_exit(struct hc_trunk *trunk)
{
	kfree_skb(trunk->rx.skb);
	hc_trunk_note_put(trunk->rx.note);
}
