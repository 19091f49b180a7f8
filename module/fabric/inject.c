// SPDX-License-Identifier: GPL-2.0
/*
 * A debugfs file by which a program puts frames into the receive queues of nodes, as if a neighbour
 * had sent them. Only builds for fuzzing have it (Kbuild).
 *
 * The frames have the forms that future transports may give them: linear, in pages, unaligned,
 * shared. A shared frame is compared with its original content when all polls have run. If it has
 * changed, a poll has written to memory that it does not own.
 *
 * Coverage. Polls run in softirq, where KCOV collects coverage only for a remote handle. This is
 * the handle of the task that has opened the file last.
 */
#include <linux/debugfs.h>
#include <linux/kcov.h>
#include <linux/module.h>
#include <linux/nsproxy.h>

#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/inject.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "fabric/transport.h"
#include "hc_topo.h"

#define SHARED_MAX	64

/**
 * struct injection - state of one write to the file
 * @fabric: the fabric, whose lock is held
 * @shared: clones of shared frames
 * @was: for each entry of @shared, the frame's original content; points into the written buffer
 * @nshared: number of entries of @shared and @was
 * @held: mask of the nodes whose polls are disabled, until the frames that carry these nodes'
 *	sequence numbers have been sent
 */
struct injection {
	struct hc_fabric *fabric;
	struct sk_buff *shared[SHARED_MAX];
	const void *was[SHARED_MAX];
	unsigned int nshared;
	DECLARE_BITMAP(held, HC_NODES_MAX);
};

static struct dentry *inject_dir;
static u64 cover_handle;

/* ------------------------------------------------------------ coverage */

/* Start to collect coverage. A poll that does not run in softirq runs in the context of a task
 * (route/eth.c), and KCOV attributes its coverage to this task anyway.
 */
void hc_cover_start(void)
{
	u64 handle = READ_ONCE(cover_handle);

	if (handle && in_serving_softirq())
		kcov_remote_start_common(handle);
}

void hc_cover_stop(void)
{
	if (in_serving_softirq())
		kcov_remote_stop();
}

/* ------------------------------------------------------------ frames */

/* Build a frame of @len bytes: the first @linear bytes are linear, the others are in pages. @odd:
 * make the addresses of both odd.
 */
static struct sk_buff *frame_build(const void *data, unsigned int len, unsigned int linear,
				   bool odd)
{
	unsigned int rest = len - linear;
	/* Allocate memory for a whole header even if the frame is shorter: code that reads the
	 * header then stays within the skb's memory.
	 */
	struct sk_buff *skb = alloc_skb(HC_WALK_ROOM + linear + sizeof(struct hc_hdr) + odd,
					GFP_KERNEL);
	struct page *page;

	if (!skb)
		return NULL;
	skb_reserve(skb, HC_WALK_ROOM + odd);
	memset(skb->data, 0, linear + sizeof(struct hc_hdr));
	skb_put_data(skb, data, linear);
	if (!rest)
		return skb;
	page = alloc_pages(GFP_KERNEL | __GFP_COMP, get_order(rest + odd));
	if (!page) {
		kfree_skb(skb);
		return NULL;
	}
	memcpy(page_address(page) + odd, data + linear, rest);
	skb_add_rx_frag(skb, 0, page, odd, rest, PAGE_SIZE << get_order(rest + odd));
	return skb;
}

/* Return: the bytes of the frame that are headers, without the walk. */
static unsigned int head_len(const struct hc_inject *rec, const struct hc_hdr *hdr)
{
	const struct hc_frame_ops *type = NULL;

	if (rec->len >= sizeof(*hdr))
		type = hc_frame_ops(hdr->type);
	return min_t(unsigned int, rec->len, sizeof(*hdr) + (type ? type->part : 0));
}

static struct sk_buff *frame_make(const struct hc_inject *rec, const void *data)
{
	unsigned int linear = rec->len;

	if (rec->flags & HC_INJECT_F_PAGES)
		linear = head_len(rec, data);
	/* Receivers read the type and flags of a frame before they pull the header, so these bytes
	 * must be linear.
	 */
	if (rec->flags & HC_INJECT_F_SPLIT)
		linear = min_t(unsigned int, linear, offsetofend(struct hc_hdr, flags));
	return frame_build(data, rec->len, linear, rec->flags & HC_INJECT_F_ODD);
}

/* Give the frame the link's next sequence number. The counter belongs to the neighbour's poll.
 * Disable that poll until the frame has been sent: otherwise a frame with a later number would
 * overtake it.
 */
static void seq_next(struct injection *inj, struct hc_node *peer, unsigned int dim,
		     struct hc_hdr *hdr)
{
	const struct hc_frame_ops *type = hc_frame_ops(hdr->type);
	bool numbered = type && type->flags & HC_FT_SURE;

	if (!__test_and_set_bit(peer->id, inj->held))
		hc_node_disable(peer);
	hdr->seq = numbered ? cpu_to_be32(++peer->ports[dim].tx_seq) : 0;
}

static void polls_go_on(struct injection *inj)
{
	u32 u;

	for_each_set_bit(u, inj->held, HC_NODES_MAX) {
		struct hc_node *node = inj->fabric->nodes[u];

		__clear_bit(u, inj->held);
		napi_enable(&node->napi);
		/* Frames that have arrived while the poll was disabled could not schedule it. */
		hc_node_run(node);
	}
}

static void shared_keep(struct injection *inj, struct sk_buff *skb, const void *data)
{
	struct sk_buff *clone;

	if (inj->nshared == SHARED_MAX)
		return;
	clone = skb_clone(skb, GFP_KERNEL);
	if (!clone)
		return;
	inj->shared[inj->nshared] = clone;
	inj->was[inj->nshared++] = data;
}

/* Compare all shared frames with their original contents, and free the clones. Return: -EUCLEAN if
 * a shared frame was written to, else 0.
 */
static int shared_check(struct injection *inj)
{
	int err = 0;

	while (inj->nshared--) {
		struct sk_buff *skb = inj->shared[inj->nshared];
		const struct hc_hdr *was = inj->was[inj->nshared];
		void *now = kmalloc(skb->len, GFP_KERNEL);

		if (now && !skb_copy_bits(skb, 0, now, skb->len) && memcmp(now, was, skb->len)) {
			err = -EUCLEAN;
			pr_err_ratelimited("BUG: hypercube: a shared frame was written to: type %u, flags 0x%x, length %u\n",
					   was->type, was->flags, skb->len);
		}
		kfree(now);
		kfree_skb(skb);
	}
	return err;
}

/* ------------------------------------------------------------ the file */

/* Make the frame that @rec and @data describe, and append it to @group. skb->cb holds a copy of
 * @rec until group_xmit() sends the frame. May sleep.
 */
static int inject_frame(struct injection *inj, const struct hc_inject *rec, void *data,
			struct sk_buff_head *group)
{
	struct hc_fabric *fabric = inj->fabric;
	struct hc_node *peer;
	struct sk_buff *skb;

	if (rec->node >= fabric->topo.nodes || rec->dim >= fabric->topo.ports ||
	    !hc_is_here(fabric, rec->node) ||
	    !hc_is_here(fabric, hc_peer(&fabric->topo, rec->node, rec->dim)))
		return -ERANGE;
	peer = fabric->nodes[hc_peer(&fabric->topo, rec->node, rec->dim)];
	/* A frame that is marked as having a checksum gets no number: if the checksum is wrong, the
	 * frame is dropped before its number is read.
	 */
	if (rec->flags & HC_INJECT_F_SEQ && !(rec->flags & HC_INJECT_F_SEALED) &&
	    rec->len >= sizeof(struct hc_hdr))
		seq_next(inj, peer, rec->dim, data);
	skb = frame_make(rec, data);
	if (!skb)
		return -ENOMEM;
	if (rec->flags & HC_INJECT_F_SHARED)
		shared_keep(inj, skb, data);
	*(struct hc_inject *)skb->cb = *rec;
	__skb_queue_tail(group, skb);
	return 0;
}

/* Send the frames of a group; polls run when bottom halves are enabled again. */
static void group_xmit(struct injection *inj, struct sk_buff_head *group)
{
	const struct hc_fabric *fabric = inj->fabric;
	struct sk_buff *skb;

	local_bh_disable();
	while ((skb = __skb_dequeue(group))) {
		struct hc_inject rec = *(struct hc_inject *)skb->cb;
		struct hc_node *peer = fabric->nodes[hc_peer(&fabric->topo, rec.node, rec.dim)];

		memset(skb->cb, 0, sizeof(skb->cb));
		hc_cb(skb)->sealed = rec.flags & HC_INJECT_F_SEALED;
		peer->ports[rec.dim].ops->xmit(peer, &peer->ports[rec.dim], skb);
	}
	local_bh_enable();
	polls_go_on(inj);
	cond_resched();
}

static int inject_frames(struct injection *inj, void *data, size_t len)
{
	struct sk_buff_head group;
	int err = 0;

	__skb_queue_head_init(&group);
	while (len && !err) {
		struct hc_inject rec;

		err = -EINVAL;
		if (len < sizeof(rec))
			break;
		memcpy(&rec, data, sizeof(rec));
		data += sizeof(rec);
		len -= sizeof(rec);
		if (rec.len > len)
			break;
		err = inject_frame(inj, &rec, data, &group);
		if (!(rec.flags & HC_INJECT_F_MORE))
			group_xmit(inj, &group);
		data += rec.len;
		len -= rec.len;
	}
	group_xmit(inj, &group);
	return err;
}

static ssize_t inject_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	struct hc_inject_batch *batch;
	struct injection *inj;
	int err = -ENOENT;

	if (len < sizeof(*batch) || len > HC_INJECT_MAX)
		return -EINVAL;
	batch = vmemdup_user(from, len);
	if (IS_ERR(batch))
		return PTR_ERR(batch);
	inj = kzalloc(sizeof(*inj), GFP_KERNEL);
	if (!inj) {
		kvfree(batch);
		return -ENOMEM;
	}
	batch->fabric[HYPERCUBE_NAME_MAX - 1] = 0;
	inj->fabric = hc_fabric_get(current->nsproxy->net_ns, batch->fabric);
	if (inj->fabric) {
		mutex_lock(&inj->fabric->lock);
		if (!inj->fabric->dead)
			err = inject_frames(inj, batch + 1, len - sizeof(*batch));
		mutex_unlock(&inj->fabric->lock);
		err = shared_check(inj) ?: err;
		hc_fabric_put(inj->fabric);
	}
	kfree(inj);
	kvfree(batch);
	return err ?: len;
}

static int inject_open(struct inode *inode, struct file *file)
{
	WRITE_ONCE(cover_handle, kcov_common_handle());
	return 0;
}

static int inject_release(struct inode *inode, struct file *file)
{
	WRITE_ONCE(cover_handle, 0);
	return 0;
}

static const struct file_operations inject_fops = {
	.owner		= THIS_MODULE,
	.open		= inject_open,
	.release	= inject_release,
	.write		= inject_write,
};

void hc_inject_init(void)
{
	inject_dir = debugfs_create_dir("hypercube", NULL);
	debugfs_create_file("inject", 0200, inject_dir, NULL, &inject_fops);
}

void hc_inject_exit(void)
{
	debugfs_remove(inject_dir);
}
