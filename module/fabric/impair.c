// SPDX-License-Identifier: GPL-2.0
/*
 * Impairments: what a link really does to the frames of one direction, besides what the model's
 * clock shows.  The state belongs to the sending end.
 *
 * A frame meets, in this order: loss, duplication (a second copy follows the first),
 * corruption (one bit is flipped, in each copy on its own), the wire, which
 * carries one frame at a time at the rate, and the delay.
 *
 * Order.  Carriers keep it, and protocols rely on that: no frame overtakes another
 * one, so one with a short delay waits for its predecessor.  All frames take one
 * queue, each with the time at which it is due, and a timer hands them to the
 * carrier.  The direction goes back to the fast path only under the lock, when it
 * has no impairment and its queue is empty; so frames sent directly follow those
 * that waited, and the carrier is never called by the poll and the timer at once.
 *
 * Memory.  Nothing that has a number is dropped here: data of operations and datagrams are charged
 * to the socket that sent them, or bounded by credits (merge.c, coll/fanout.c), the nodes' own
 * frames are bounded for each link (own.c), and that bounds the queue: the sender waits, as with a
 * slow receiver.  Ethernet frames are dropped when as much waits as in any other queue, or if they
 * would have to wait for the wire too long: operations share it with them.  Flooded ones, which are
 * charged to nobody, have a limit in each direction, too, and one in the whole fabric.
 *
 * Checksums.  A link that may corrupt puts a CRC-32 over the whole frame into each frame.
 * Whether frames have one is a property of the link, as the frame check sequence of Ethernet is,
 * and is not said in the frame, where it could be corrupted, too: the carrier delivers that
 * knowledge beside the frame (hc_cb.sealed).  The receiving end checks it before it looks at
 * anything else in the frame.  A CRC-32 finds each single bit that was flipped, wherever it is.
 *
 * Random numbers come from a generator of this direction alone and are drawn frame
 * by frame, only for what is impaired: the same seed and the same frames give the
 * same fate to each.
 */
#include <linux/crc32.h>
#include <linux/hrtimer.h>
#include <linux/jhash.h>
#include <linux/math64.h>
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>
#include <linux/time64.h>

#include "compat.h"
#include "fabric/carrier.h"
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/far.h"
#include "fabric/frame.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/skb.h"

/* An Ethernet frame waits this long for the wire, or is dropped. */
#define ETH_WAIT_MAX	(200 * NSEC_PER_MSEC)
/* Waiting frames that are charged to nobody may take this, in one direction and in a fabric. */
#define LOOSE_MAX	SZ_2M
#define LOOSE_TOTAL_MAX	SZ_32M
/* Steps after which the generator no longer shows its seed. */
#define WARM_UP		10

/**
 * struct hc_impair - impairments of one direction; all under @lock
 * @lock: taken by the poll, the timer and configuration
 * @node: the sending end; constant
 * @port: its port; constant
 * @set: what is to happen
 * @rnd: decides on that
 * @q: frames that wait, in order
 * @q_bytes: their bytes
 * @q_memory: the memory they take
 * @q_loose: what frames that are charged to nobody take of that
 * @wire_free: when the wire will have carried all that waits, ns
 * @last_due: when the last frame that waits is due, ns
 * @timer: wakes at the first frame's time
 * @armed: it is under way
 * @corrupted: see struct hc_impair_stats
 * @duplicated: the same
 * @delayed: the same
 */
struct hc_impair {
	spinlock_t lock;
	struct hc_node *node;
	struct hc_port *port;
	struct hc_impairments set;
	struct rnd_state rnd;
	struct sk_buff_head q;
	u32 q_bytes;
	u32 q_memory;
	u32 q_loose;
	u64 wire_free;
	u64 last_due;
	struct hrtimer timer;
	bool armed;
	u64 corrupted;
	u64 duplicated;
	u64 delayed;
};

/* In skb->cb while the frame waits. */
struct impair_cb {
	struct hc_cb cb;
	u64 due;
};

static struct impair_cb *impair_cb(struct sk_buff *skb)
{
	return hc_cb_as(struct impair_cb, skb);
}

static bool impairs(const struct hc_impairments *set)
{
	return set->loss || set->corrupt || set->duplicate || set->delay || set->rate;
}

/* Readers without the fabric's lock: what they find is complete (hc_impair_prepare()). */
static struct hc_impair *impair_of(const struct hc_port *port)
{
	/* Pairs with the release there. */
	return smp_load_acquire(&port->impair);
}

/* Back to the fast path if nothing is left to do. */
static void impair_settle(struct hc_impair *imp)
{
	lockdep_assert_held(&imp->lock);
	if (!impairs(&imp->set) && skb_queue_empty(&imp->q))
		WRITE_ONCE(imp->port->impaired, NULL);
}

static void carry(struct hc_impair *imp, struct sk_buff *skb)
{
	lockdep_assert_held(&imp->lock);
	imp->port->ops->xmit(imp->node, imp->port, skb);
}

/* ------------------------------------------------------------ chance */

static u32 draw(struct hc_impair *imp, u32 below)
{
	return (u64)prandom_u32_state(&imp->rnd) * below >> 32;
}

static bool chance(struct hc_impair *imp, u32 ppm)
{
	return ppm && draw(imp, HYPERCUBE_PPM_MAX) < ppm;
}

/* The directions of a link, and links with the same seed, must not have the same fate. */
static void reseed(struct hc_impair *imp)
{
	u32 dim = imp->port - imp->node->ports;
	unsigned int i;

	prandom_seed_state(&imp->rnd, jhash_3words(imp->set.seed, imp->node->id, dim, 0));
	for (i = 0; i < WARM_UP; i++)
		prandom_u32_state(&imp->rnd);
}

/* ------------------------------------------------------------ checksums */

static u32 frame_crc(const struct sk_buff *skb)
{
	struct skb_seq_state st;
	unsigned int done = 0, len;
	const u8 *data;
	u32 crc = ~0;

	skb_prepare_seq_read((struct sk_buff *)skb, 0, skb->len, &st);
	while ((len = skb_seq_read(done, &data, &st))) {
		crc = crc32_le(crc, data, len);
		done += len;
	}
	return ~crc;
}

bool hc_impair_seal(const struct hc_impair *imp, struct sk_buff *skb)
{
	struct hc_hdr *hdr = hc_hdr(skb);

	if (!READ_ONCE(imp->set.corrupt))
		return false;
	hdr->csum = 0;
	hdr->csum = cpu_to_be32(frame_crc(skb));
	return true;
}

unsigned int hc_impair_unseal(struct sk_buff *skb)
{
	__be32 csum;

	if (!pskb_may_pull(skb, sizeof(struct hc_hdr)))
		return HYPERCUBE_A_DROP_CHECKSUM;
	if (skb_cow_head(skb, 0))
		return HYPERCUBE_A_DROP_NO_MEMORY;
	csum = hc_hdr(skb)->csum;
	hc_hdr(skb)->csum = 0;
	return cpu_to_be32(frame_crc(skb)) == csum ? 0 : HYPERCUBE_A_DROP_CHECKSUM;
}

/* ------------------------------------------------------------ copies */

/* Flip a bit of the frame; consumes, and returns the one to send or NULL. */
static struct sk_buff *corrupt(struct hc_impair *imp, struct sk_buff *skb)
{
	u32 bit = draw(imp, skb->len * BITS_PER_BYTE);
	struct sk_buff *copy = hc_frame_copy(skb);

	if (!copy) {
		hc_drop(imp->node, NULL, skb, HYPERCUBE_A_DROP_NO_MEMORY);
		return NULL;
	}
	consume_skb(skb);
	copy->data[bit / BITS_PER_BYTE] ^= BIT(bit % BITS_PER_BYTE);
	imp->corrupted++;
	return copy;
}

/* ------------------------------------------------------------ waiting */

static u64 delay_of(struct hc_impair *imp)
{
	const struct hc_impairments *set = &imp->set;

	if (!set->jitter)
		return set->delay;
	return set->delay - set->jitter +
	       mul_u64_u32_shr(2 * set->jitter + 1, prandom_u32_state(&imp->rnd), 32);
}

static void loose_add(struct hc_impair *imp, int bytes)
{
	imp->q_loose += bytes;
	atomic_long_add(bytes, &imp->node->fabric->loose);
}

static void unqueue(struct hc_impair *imp, struct sk_buff *skb)
{
	__skb_unlink(skb, &imp->q);
	imp->q_bytes -= skb->len;
	imp->q_memory -= skb->truesize;
	if (hc_cb(skb)->loose)
		loose_add(imp, -(int)skb->truesize);
}

static enum hrtimer_restart impair_timer(struct hrtimer *timer)
{
	struct hc_impair *imp = container_of(timer, struct hc_impair, timer);
	u64 now = ktime_get_ns();
	struct sk_buff *skb;

	spin_lock(&imp->lock);
	while ((skb = skb_peek(&imp->q)) && impair_cb(skb)->due <= now) {
		unqueue(imp, skb);
		carry(imp, skb);
	}
	if (skb) {
		hrtimer_set_expires(timer, ns_to_ktime(impair_cb(skb)->due));
	} else {
		imp->armed = false;
		impair_settle(imp);
	}
	spin_unlock(&imp->lock);
	return skb ? HRTIMER_RESTART : HRTIMER_NORESTART;
}

static bool loose_room(const struct hc_impair *imp)
{
	return imp->q_loose < LOOSE_MAX &&
	       atomic_long_read(&imp->node->fabric->loose) < LOOSE_TOTAL_MAX;
}

static void arm(struct hc_impair *imp, u64 due)
{
	if (imp->armed)
		return;
	imp->armed = true;
	hrtimer_start(&imp->timer, ns_to_ktime(due), HRTIMER_MODE_ABS_SOFT);
}

static void wait(struct hc_impair *imp, struct sk_buff *skb, u64 due)
{
	hc_cb(skb)->loose = hc_frame_is_loose(skb);
	if (hc_cb(skb)->loose)
		loose_add(imp, skb->truesize);
	imp->last_due = due;
	imp->delayed++;
	imp->q_bytes += skb->len;
	imp->q_memory += skb->truesize;
	impair_cb(skb)->due = due;
	__skb_queue_tail(&imp->q, skb);
	arm(imp, due);
}

/* Over the wire, at once or later. */
static void wire(struct hc_impair *imp, struct sk_buff *skb, bool eth)
{
	u64 now, start, delay = delay_of(imp);

	if (!delay && !imp->set.rate && skb_queue_empty(&imp->q)) {
		carry(imp, skb);
		return;
	}
	now = ktime_get_ns();
	start = max(now, imp->wire_free);
	if ((eth && (imp->q_memory >= HC_ETH_BYTES || start - now > ETH_WAIT_MAX)) ||
	    (hc_frame_is_loose(skb) && !loose_room(imp))) {
		hc_drop(imp->node, imp->port, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
		return;
	}
	if (imp->set.rate)
		imp->wire_free = start + div64_u64((u64)skb->len * NSEC_PER_SEC, imp->set.rate);
	else
		imp->wire_free = start;
	wait(imp, skb, max(imp->wire_free + delay, imp->last_due));
}

static void send_one(struct hc_impair *imp, struct sk_buff *skb, bool eth)
{
	/* One without checksum was under way when corruption was switched on. */
	if (hc_cb(skb)->sealed && chance(imp, imp->set.corrupt))
		skb = corrupt(imp, skb);
	if (skb)
		wire(imp, skb, eth);
}

/* Drops are counted on the port, as the poll does elsewhere, but under the lock: the timer's
 * drops are, too, and each reason has either all its drops here or none.
 */
void hc_impair_xmit(struct hc_impair *imp, struct sk_buff *skb)
{
	bool eth = hc_frame_is(skb, HC_FT_STACK);
	struct sk_buff *copy = NULL;

	spin_lock(&imp->lock);
	if (chance(imp, imp->set.loss)) {
		hc_drop(imp->node, imp->port, skb, HYPERCUBE_A_DROP_LOSS);
		goto unlock;
	}
	if (chance(imp, imp->set.duplicate))
		copy = hc_frame_copy(skb);
	send_one(imp, skb, eth);
	if (copy) {
		imp->duplicated++;
		send_one(imp, copy, eth);
	}
unlock:
	spin_unlock(&imp->lock);
}

/* ------------------------------------------------------------ configuration */

int hc_impair_prepare(struct hc_node *node, unsigned int dim)
{
	struct hc_port *port = &node->ports[dim];
	struct hc_impair *imp;

	lockdep_assert_held(&node->fabric->lock);
	if (port->impair)
		return 0;
	imp = kzalloc(sizeof(*imp), GFP_KERNEL_ACCOUNT);
	if (!imp)
		return -ENOMEM;
	spin_lock_init(&imp->lock);
	imp->node = node;
	imp->port = port;
	imp->set.seed = get_random_u32();
	__skb_queue_head_init(&imp->q);
	hc_timer_setup(&imp->timer, impair_timer);
	reseed(imp);
	/* Readers without the fabric's lock may look now. */
	smp_store_release(&port->impair, imp);
	return 0;
}

void hc_impair_set(struct hc_port *port, const struct hc_impairments *set, bool anew)
{
	struct hc_impair *imp = port->impair;

	spin_lock_bh(&imp->lock);
	imp->set = *set;
	if (anew)
		reseed(imp);
	if (impairs(set))
		/* Pairs with the acquire in hc_link_send(): set before used. */
		smp_store_release(&port->impaired, imp);
	else
		impair_settle(imp);
	spin_unlock_bh(&imp->lock);
	hc_link_set_lossy(imp->node, imp->port - imp->node->ports);
}

void hc_impair_clear(struct hc_port *port)
{
	const struct hc_impairments none = {
		.seed = port->impair ? port->impair->set.seed : 0,
	};

	if (port->impair)
		hc_impair_set(port, &none, false);
}

void hc_impair_get(const struct hc_port *port, struct hc_impairments *set,
		   struct hc_impair_stats *stats)
{
	struct hc_impair *imp = impair_of(port);

	memset(set, 0, sizeof(*set));
	if (stats)
		memset(stats, 0, sizeof(*stats));
	if (!imp)
		return;
	spin_lock_bh(&imp->lock);
	*set = imp->set;
	if (stats)
		*stats = (struct hc_impair_stats){
			.corrupted = imp->corrupted,
			.duplicated = imp->duplicated,
			.delayed = imp->delayed,
			.queued = skb_queue_len(&imp->q),
			.queued_bytes = imp->q_bytes,
		};
	spin_unlock_bh(&imp->lock);
}

bool hc_impair_impairs(const struct hc_port *port)
{
	if (!port->impair)
		return false;
	lockdep_assert_held(&port->impair->node->fabric->lock);
	return impairs(&port->impair->set);
}

bool hc_impair_pending(const struct hc_port *port)
{
	const struct hc_impair *imp = READ_ONCE(port->impaired) ? impair_of(port) : NULL;

	return imp && !skb_queue_empty_lockless(&imp->q);
}

bool hc_impair_loses(const struct hc_port *port)
{
	const struct hc_impair *imp = READ_ONCE(port->impaired) ? impair_of(port) : NULL;

	return imp && (READ_ONCE(imp->set.loss) || READ_ONCE(imp->set.corrupt));
}

void hc_impair_stop(struct hc_port *port)
{
	if (port->impair)
		hrtimer_cancel(&port->impair->timer);
}

void hc_impair_free(struct hc_port *port)
{
	struct hc_impair *imp = port->impair;
	struct sk_buff *skb;

	if (!imp)
		return;
	while ((skb = skb_peek(&imp->q))) {
		unqueue(imp, skb);
		hc_drop(imp->node, NULL, skb, HYPERCUBE_A_DROP_TEARDOWN);
	}
	kfree(imp);
	port->impair = NULL;
}
