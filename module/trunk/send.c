// SPDX-License-Identifier: GPL-2.0
/*
 * The sending side of a trunk: queues, and the work item that empties them.
 *
 * As the queues of nodes do, the queue of frames accepts all frames other than Ethernet frames,
 * because their number is bounded elsewhere: they are charged to a socket or to their first link
 * (fabric/own.h), or bounded by credits or by the limit for frames in transit
 * (fabric/remote_skb.h). The queue of Ethernet frames has a limit.
 *
 * If a sequence number is missing at the other end, the link goes down there. So if a frame with a
 * sequence number cannot be sent, the trunk ends.
 *
 * The payload of a frame of the nodes' protocols is not copied into the socket: TCP gets its pages,
 * if TCP sends them unchanged, that is without TLS. No node writes to such pages while another
 * reader may have them (hc_seg_own()). Pages of an Ethernet frame may belong to a process that
 * waits until they are released (MSG_ZEROCOPY), and the process may write to them meanwhile. So
 * they are copied before their digest is computed.
 *
 * The work item never sleeps. When the socket's send buffer is full, the work item ends, and the
 * socket's write_space callback queues it again; so does the keepalive work. States of links are
 * not queued: a bit for each link records that its state is to be sent, so this takes no memory,
 * and only the latest state is sent.
 */
#include <linux/mm.h>
#include <linux/net.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/virtio_net.h>
#include <net/sock.h>

#include "compat.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"
#include "hc_topo.h"
#include "trunk/trunk.h"

/* Bytes after which the work item queues itself again, to let other work items run. */
#define SEND_BUDGET	SZ_1M
/* Payloads with at least this many bytes in pages are sent without a copy, in separate calls. */
#define PAGES_MIN	PAGE_SIZE

/* ------------------------------------------------------------ queues */

/* skb->cb of a queued frame. @far: number of the node at the other end of the link. */
struct tx_cb {
	struct hc_cb cb;
	u16 far;
};

static struct tx_cb *tx_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct tx_cb, skb);
}

/* Queue a frame. Return: false if it is an Ethernet frame and their queue is full. */
static bool tx_add(struct hc_trunk_tx *tx, struct sk_buff *skb)
{
	bool eth = hc_frame_is(skb, HC_FT_STACK), room;

	spin_lock_bh(&tx->lock);
	room = !eth || tx->eth_bytes < HC_ETH_BYTES;
	if (room && eth)
		tx->eth_bytes += skb->truesize;
	if (room)
		__skb_queue_tail(eth ? &tx->eth : &tx->frames, skb);
	spin_unlock_bh(&tx->lock);
	return room;
}

void hc_trunk_xmit(struct hc_trunk *trunk, struct hc_node *node, struct hc_port *port,
		   struct sk_buff *skb)
{
	tx_cb(skb)->far = hc_node_peer(node, port - node->ports);
	if (!test_bit(HC_TRUNK_BROKEN, &trunk->flags) && tx_add(&trunk->tx, skb)) {
		queue_work(hc_trunk_wq, &trunk->send);
		return;
	}
	atomic64_inc(&trunk->dropped);
	hc_drop(node, port, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
}

/* Take the next frame, alternately from the queues of Ethernet frames and of other frames, so that
 * neither kind of traffic starves the other. Return: the frame, or NULL.
 */
static struct sk_buff *tx_take(struct hc_trunk_tx *tx)
{
	struct sk_buff *skb;
	bool eth;

	spin_lock_bh(&tx->lock);
	eth = !skb_queue_empty(&tx->eth) && (tx->eth_next || skb_queue_empty(&tx->frames));
	skb = __skb_dequeue(eth ? &tx->eth : &tx->frames);
	tx->eth_next = !eth;
	if (eth)
		tx->eth_bytes -= skb->truesize;
	spin_unlock_bh(&tx->lock);
	return skb;
}

bool hc_trunk_tx_busy(const struct hc_trunk *trunk)
{
	return !skb_queue_empty_lockless(&trunk->tx.frames);
}

/* ------------------------------------------------------------ notes */

/* The allocation of a small note never fails, since decisions and answers must be sent. That is
 * safe because each trunk has a limit for the number of its queued notes.
 */
struct hc_trunk_note *hc_trunk_note_new(const struct hc_fabric *fabric, u8 what, u32 len)
{
	struct mem_cgroup *old = set_active_memcg(fabric->memcg);
	struct hc_trunk_note *note;
	size_t size = struct_size(note, data, len);

	note = len <= HC_TRUNK_NOTE_SMALL ? kzalloc(size, GFP_KERNEL | __GFP_NOFAIL) :
					    kvzalloc(size, GFP_KERNEL_ACCOUNT);
	set_active_memcg(old);
	if (!note)
		return NULL;
	refcount_set(&note->ref, 1);
	note->what = what;
	note->len = len;
	return note;
}

void hc_trunk_note_put(struct hc_trunk_note *note)
{
	if (note && refcount_dec_and_test(&note->ref))
		kvfree(note);
}

void hc_trunk_note_say(struct hc_trunk *trunk, struct hc_trunk_note *note)
{
	struct hc_trunk_tx *tx = &trunk->tx;
	bool room;

	spin_lock_bh(&tx->lock);
	room = tx->nnotes < HC_TRUNK_NOTES;
	if (room) {
		refcount_inc(&note->ref);
		tx->notes[tx->nnotes++] = note;
	}
	spin_unlock_bh(&tx->lock);
	if (room)
		queue_work(hc_trunk_wq, &trunk->send);
	else
		hc_trunk_break(trunk, -ENOBUFS, "The other end does not read the answers to what it asks");
}

static struct hc_trunk_note *note_take(struct hc_trunk_tx *tx)
{
	struct hc_trunk_note *note = NULL;

	spin_lock_bh(&tx->lock);
	if (tx->nnotes) {
		note = tx->notes[0];
		tx->nnotes--;
		memmove(tx->notes, tx->notes + 1, tx->nnotes * sizeof(note));
	}
	spin_unlock_bh(&tx->lock);
	return note;
}

void hc_trunk_notify(struct hc_trunk *trunk, u32 u)
{
	set_bit(u, trunk->tell);
	queue_work(hc_trunk_wq, &trunk->send);
}

/* ------------------------------------------------------------ records */

/* Append contiguous memory to the record. */
static void vec_add(struct hc_trunk_tx *tx, const void *data, unsigned int len)
{
	if (!len)
		return;
	tx->vec[tx->nvec++] = (struct bio_vec){
		.bv_page = virt_to_page(data), .bv_len = len, .bv_offset = offset_in_page(data),
	};
	tx->len += len;
}

/* Append memory from kvmalloc() to the record, page by page if it is not contiguous. */
static void vec_add_pages(struct hc_trunk_tx *tx, const void *data, unsigned int len)
{
	unsigned int n = len;

	BUILD_BUG_ON(HC_TRUNK_NOTE_MAX / PAGE_SIZE + 2 > ARRAY_SIZE(tx->vec));
	for (; len; data += n, len -= n) {
		if (!is_vmalloc_addr(data)) {
			vec_add(tx, data, len);
			return;
		}
		n = min_t(unsigned int, len, PAGE_SIZE - offset_in_page(data));
		tx->vec[tx->nvec++] = (struct bio_vec){
			.bv_page = vmalloc_to_page(data), .bv_len = n,
			.bv_offset = offset_in_page(data),
		};
		tx->len += n;
	}
}

/* Begin a record, with @len zero bytes behind struct hc_wire_record. Return: the address of these
 * bytes.
 */
static void *record_begin(struct hc_trunk_tx *tx, u8 what, u32 node, unsigned int len)
{
	*(struct hc_wire_record *)tx->head = (struct hc_wire_record){
		.len = cpu_to_be32(len), .what = what, .node = cpu_to_be16(node),
	};
	memset(tx->head + sizeof(struct hc_wire_record), 0, len);
	tx->nvec = 0;
	tx->len = 0;
	tx->copied = 0;
	tx->done = 0;
	vec_add(tx, tx->head, sizeof(struct hc_wire_record) + len);
	return tx->head + sizeof(struct hc_wire_record);
}

static void record_hello(struct hc_trunk *trunk)
{
	const struct hc_fabric *fabric = trunk->fabric;
	struct hc_wire_hello *w = record_begin(&trunk->tx, HC_RECORD_HELLO, 0, sizeof(*w));

	w->magic = cpu_to_be32(HC_TRUNK_MAGIC);
	w->version = cpu_to_be16(HC_TRUNK_VERSION);
	w->wire = HC_WIRE_VERSION;
	w->dim = fabric->topo.ports;
	w->fabric = cpu_to_be32(fabric->id);
	w->segment = cpu_to_be32(fabric->segment);
	w->fixed = cpu_to_be16(fabric->fixed);
	w->base = cpu_to_be16(fabric->base);
	w->keep = cpu_to_be32(trunk->keep);
	w->along = trunk->dim;
	w->flags = test_bit(HC_TRUNK_DIGEST, &trunk->flags) ? HC_HELLO_F_DIGEST : 0;
	w->life = cpu_to_be32(fabric->life);
}

/* Make a STATE record of one link whose state is to be sent. Return: false if there is none. */
static bool record_state(struct hc_trunk *trunk)
{
	u32 nodes = trunk->fabric->topo.nodes, u;
	struct hc_wire_end *w;

	u = find_first_bit(trunk->tell, nodes);
	if (u == nodes)
		return false;
	clear_bit(u, trunk->tell);
	/* A change from here on sets the bit again. */
	smp_mb__after_atomic();
	w = record_begin(&trunk->tx, HC_RECORD_STATE, hc_neigh(u, trunk->dim), sizeof(*w));
	hc_trunk_end_fill(trunk->fabric->nodes[u], trunk->dim, w);
	return true;
}

/* Describe in @w the checksum and the segmentation that are left to the receiver of the frame.
 * Return: 0, or -errno if virtio's format cannot describe them.
 */
static int offload_fill(struct sk_buff *skb, struct hc_wire_offload *w)
{
	unsigned int head = hc_way_end(hc_hdr(skb));
	struct virtio_net_hdr vnet;
	int err;

	__skb_pull(skb, head);
	err = virtio_net_hdr_from_skb(skb, &vnet, true, false, 0);
	__skb_push(skb, head);
	memcpy(w->vnet, &vnet, sizeof(w->vnet));
	return err;
}

/* Return: a copy of a frame in pages of its own, or NULL if there is no memory. */
static struct sk_buff *frame_copy(const struct hc_fabric *fabric, const struct sk_buff *skb)
{
	struct mem_cgroup *old = set_active_memcg(fabric->memcg);
	unsigned int off = skb_headlen(skb);
	struct sk_buff *copy;
	int err, i;

	copy = alloc_skb_with_frags(off, skb->data_len, PAGE_ALLOC_COSTLY_ORDER, &err,
				    GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	set_active_memcg(old);
	if (!copy)
		return NULL;
	skb_copy_bits(skb, 0, skb_put(copy, off), off);
	copy->data_len = skb->data_len;
	copy->len += skb->data_len;
	for (i = 0; i < skb_shinfo(copy)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(copy)->frags[i];

		skb_copy_bits(skb, off, skb_frag_address(frag), skb_frag_size(frag));
		off += skb_frag_size(frag);
	}
	return copy;
}

/* Return: the number of entries of .vec that the frame takes, including the head of its record; or
 * INT_MAX if an skb of the frag list has a linear part or a frag list of its own. Such a frame was
 * not made by this module (coll/pieces.c).
 */
static int frame_entries(const struct sk_buff *skb)
{
	int n = 2 + skb_shinfo(skb)->nr_frags;
	const struct sk_buff *more;

	skb_walk_frags(skb, more) {
		if (skb_headlen(more) || skb_has_frag_list(more))
			return INT_MAX;
		n += skb_shinfo(more)->nr_frags;
	}
	return n;
}

/* Append the fragments of @skb to the record. */
static void record_add_pages(struct hc_trunk_tx *tx, const struct sk_buff *skb)
{
	int i;

	for (i = 0; i < skb_shinfo(skb)->nr_frags; i++) {
		const skb_frag_t *frag = &skb_shinfo(skb)->frags[i];

		tx->vec[tx->nvec++] = (struct bio_vec){
			.bv_page = skb_frag_page(frag), .bv_len = skb_frag_size(frag),
			.bv_offset = skb_frag_off(frag),
		};
		tx->len += skb_frag_size(frag);
	}
}

/* Append the frame to the record. @pages: the socket may send the frame's pages without a copy. */
static void record_add_frame(struct hc_trunk *trunk, struct sk_buff *skb, bool pages)
{
	struct hc_trunk_tx *tx = &trunk->tx;
	const struct sk_buff *more;

	vec_add(tx, skb->data, skb_headlen(skb));
	record_add_pages(tx, skb);
	skb_walk_frags(skb, more)
		record_add_pages(tx, more);
	tx->skb = skb;
	if (pages && trunk->takes_pages && skb->data_len >= PAGES_MIN)
		tx->copied = tx->len - skb->data_len;
	atomic64_inc(&trunk->tx_frames);
}

/* Make a FRAME record. Return: false if the frame cannot be sent; the caller then still owns it. */
static bool record_frame(struct hc_trunk *trunk, struct sk_buff *skb)
{
	bool offload = skb_is_gso(skb) || skb->ip_summed == CHECKSUM_PARTIAL;
	bool ours = !hc_frame_is(skb, HC_FT_STACK);
	struct hc_trunk_tx *tx = &trunk->tx;
	struct hc_wire_record *rec = (void *)tx->head;
	struct sk_buff *copy = NULL;
	void *extra;

	BUILD_BUG_ON(sizeof(struct virtio_net_hdr) != sizeof_field(struct hc_wire_offload, vnet));
	if (frame_entries(skb) > HC_TRUNK_VEC && skb_linearize(skb))
		return false;
	extra = record_begin(tx, HC_RECORD_FRAME, tx_cb(skb)->far,
			     offload ? sizeof(struct hc_wire_offload) : 0);
	if (offload && offload_fill(skb, extra))
		return false;
	if (skb->len > HC_TRUNK_FRAME_MAX)
		return false;
	if (!ours && skb->data_len && test_bit(HC_TRUNK_DIGEST, &trunk->flags)) {
		copy = frame_copy(trunk->fabric, skb);
		if (!copy)
			return false;
	}
	rec->flags = (hc_cb(skb)->sealed ? HC_RECORD_F_SEALED : 0) |
		     (offload ? HC_RECORD_F_OFFLOAD : 0);
	be32_add_cpu(&rec->len, skb->len);
	record_add_frame(trunk, copy ?: skb, ours || copy);
	if (copy)
		consume_skb(skb);
	return true;
}

/* Make a FRAME record of the next frame. Drop frames that cannot be sent; if such a frame has a
 * sequence number, end the trunk. Return: false if no record was made.
 */
static bool record_next_frame(struct hc_trunk *trunk)
{
	struct sk_buff *skb;

	while ((skb = tx_take(&trunk->tx))) {
		if (record_frame(trunk, skb))
			return true;
		trunk->tx.len = 0;
		atomic64_inc(&trunk->dropped);
		if (hc_frame_is(skb, HC_FT_SURE)) {
			hc_trunk_break(trunk, -ENOMEM, "There was no memory to send a frame");
			kfree_skb(skb);
			/* Send no further frames: there would be a gap before them. */
			return false;
		}
		kfree_skb(skb);
	}
	return false;
}

static bool record_note(struct hc_trunk *trunk)
{
	struct hc_trunk_tx *tx = &trunk->tx;

	tx->note = note_take(tx);
	if (!tx->note)
		return false;
	record_begin(tx, tx->note->what, 0, 0);
	((struct hc_wire_record *)tx->head)->len = cpu_to_be32(tx->note->len);
	vec_add_pages(tx, tx->note->data, tx->note->len);
	return true;
}

/* Make the next record. States of links, and notes, are sent before frames, which may depend on
 * them. Return: false if there is nothing to send.
 */
static bool record_choose(struct hc_trunk *trunk)
{
	struct hc_trunk_tx *tx = &trunk->tx;

	if (tx->hello) {
		tx->hello = false;
		record_hello(trunk);
		return true;
	}
	/* Until it has received the peer's HELLO, this end does not know whether records have
	 * digests. Pairs with hello_take().
	 */
	if (!test_bit_acquire(HC_TRUNK_ESTABLISHED, &trunk->flags))
		return false;
	if (record_state(trunk) || record_note(trunk))
		return true;
	if (test_and_clear_bit(HC_TRUNK_DUE, &trunk->flags)) {
		record_begin(tx, HC_RECORD_ALIVE, 0, sizeof(struct hc_wire_alive));
		return true;
	}
	return record_next_frame(trunk);
}

/* Set both digests of the record. */
static void record_digest(struct hc_trunk_tx *tx)
{
	struct hc_wire_record *rec = (void *)tx->head;
	unsigned int i, skip = sizeof(*rec);
	u32 crc = ~0;

	for (i = 0; i < tx->nvec; i++, skip = 0)
		crc = crc32c(crc, bvec_virt(&tx->vec[i]) + skip, tx->vec[i].bv_len - skip);
	rec->body = cpu_to_be32(~crc);
	rec->head = cpu_to_be32(hc_record_head_digest(rec));
}

static bool record_next(struct hc_trunk *trunk)
{
	const struct hc_wire_record *rec = (void *)trunk->tx.head;

	if (!record_choose(trunk))
		return false;
	if (rec->what == HC_RECORD_HELLO || test_bit(HC_TRUNK_DIGEST, &trunk->flags))
		record_digest(&trunk->tx);
	return true;
}

static void record_end(struct hc_trunk *trunk)
{
	struct hc_trunk_tx *tx = &trunk->tx;

	atomic64_add(tx->len, &trunk->tx_bytes);
	tx->len = 0;
	consume_skb(tx->skb);
	tx->skb = NULL;
	hc_trunk_note_put(tx->note);
	tx->note = NULL;
}

/* ------------------------------------------------------------ the work */

/* Return: the part of .vec's present entry that was not sent yet. The entry is found from .done. */
static struct bio_vec piece_left(const struct hc_trunk_tx *tx)
{
	const struct bio_vec *piece = tx->vec;
	unsigned int skip = tx->done;

	for (; skip >= piece->bv_len; piece++)
		skip -= piece->bv_len;
	return (struct bio_vec){
		.bv_page = piece->bv_page, .bv_len = piece->bv_len - skip,
		.bv_offset = piece->bv_offset + skip,
	};
}

/* Send as much of the record as the socket accepts. Return: the number of bytes, or -errno. */
static int record_push(struct hc_trunk *trunk)
{
	struct hc_trunk_tx *tx = &trunk->tx;
	struct msghdr msg = { .msg_flags = MSG_DONTWAIT | MSG_NOSIGNAL };
	unsigned int copied = tx->copied ?: tx->len;

	if (tx->done >= copied) {
		struct bio_vec piece = piece_left(tx);
		bool more = tx->done + piece.bv_len < tx->len || hc_trunk_tx_busy(trunk);

		if (more)
			msg.msg_flags |= MSG_MORE;
		return hc_sock_give_pages(trunk->sock, &piece, msg.msg_flags);
	}
	if (tx->copied || hc_trunk_tx_busy(trunk))
		msg.msg_flags |= MSG_MORE;
	iov_iter_bvec(&msg.msg_iter, WRITE, tx->vec, tx->nvec, copied);
	iov_iter_advance(&msg.msg_iter, tx->done);
	return sock_sendmsg(trunk->sock, &msg);
}

void hc_trunk_send_work(struct work_struct *work)
{
	struct hc_trunk *trunk = container_of(work, struct hc_trunk, send);
	struct hc_trunk_tx *tx = &trunk->tx;
	unsigned int sent = 0;
	int n;

	if (!test_bit(HC_TRUNK_BEGUN, &trunk->flags))
		return;
	while (!test_bit(HC_TRUNK_BROKEN, &trunk->flags) && (tx->len || record_next(trunk))) {
		if (sent >= SEND_BUDGET) {
			queue_work(hc_trunk_wq, &trunk->send);
			return;
		}
		n = record_push(trunk);
		if (n == -EAGAIN)
			return;
		if (n <= 0) {
			hc_trunk_break(trunk, n ?: -EPIPE, NULL);
			return;
		}
		sent += n;
		tx->done += n;
		if (tx->done == tx->len)
			record_end(trunk);
	}
}

void hc_trunk_tx_init(struct hc_trunk *trunk)
{
	struct hc_trunk_tx *tx = &trunk->tx;

	spin_lock_init(&tx->lock);
	__skb_queue_head_init(&tx->frames);
	__skb_queue_head_init(&tx->eth);
	tx->hello = true;
	INIT_WORK(&trunk->send, hc_trunk_send_work);
}

/* Free the queues. The caller has waited for all polls that might use the trunk, and for the work
 * item that sends.
 */
void hc_trunk_tx_exit(struct hc_trunk *trunk)
{
	struct hc_trunk_note *note;

	kfree_skb(trunk->tx.skb);
	hc_trunk_note_put(trunk->tx.note);
	while ((note = note_take(&trunk->tx)))
		hc_trunk_note_put(note);
	__skb_queue_purge(&trunk->tx.frames);
	__skb_queue_purge(&trunk->tx.eth);
}
