// SPDX-License-Identifier: GPL-2.0
/*
 * Impairments: what a link does to the frames of one direction, in addition to what the time model
 * counts. The state belongs to the sending end.
 *
 * A frame is subject, in this order, to loss, duplication (a second copy follows the first),
 * corruption (one bit is flipped, in each copy separately), the wire, which carries one frame at a
 * time at the configured rate, and the delay.
 *
 * Retry. Ethernet frames and DETECT's test frames are subject to the impairments without retry. All
 * other frames (HC_FT_SURE) must be delivered by the link, as by links that repeat frames which the
 * other end does not acknowledge (PCIe, InfiniBand). The repetition is emulated: before such a
 * frame gets a sequence number, random numbers decide how many attempts fail (hc_impair_admit()).
 * Attempts that are lost are only counted. Attempts that are corrupted are sent as corrupted
 * copies, for the other end to detect. The intact frame follows, in order, after the time that the
 * failed attempts cost: for each of them the delay in both directions, and its time on the wire. A
 * frame for which HC_ATTEMPTS_MAX attempts fail is never sent: the link is spent (spent.c).
 *
 * Order. Transports keep frames in order, and protocols rely on that. So no frame overtakes another
 * one here: a frame with a short delay waits for its predecessor. All frames enter one queue, each
 * with the time at which it is due, and a timer passes them to the transport. The direction returns
 * to the fast path only under the lock, when it has no impairment and its queue is empty. So frames
 * that are sent directly follow those that waited, and the poll and the timer never call the
 * transport at the same time.
 *
 * Memory. No frame with a sequence number is dropped here. Data of operations and datagrams are
 * charged to the socket that sent them, or bounded by credits (coll/merge.c, coll/fanout.c). The
 * nodes' own frames are bounded for each link (own.c). That bounds the queue: the sender waits, as
 * for a slow receiver. Ethernet frames are dropped when HC_ETH_BYTES wait, as in any other queue,
 * or when they would wait too long for the wire, which they share with operations. Flooded frames,
 * which are charged to no socket, also have a limit in each direction and one in the whole fabric.
 * The same limits apply to the extra copies of all other frames; a copy for which there is no room
 * counts as lost.
 *
 * Checksums. A link that may corrupt frames puts a CRC-32 over the whole frame into each frame.
 * Whether frames have one is a property of the link, as the frame check sequence of Ethernet is. It
 * is not marked in the frame, where the mark could be corrupted, too: the transport delivers that
 * information beside the frame (hc_cb.sealed). The receiving end verifies the checksum before it
 * looks at anything else in the frame. A CRC-32 detects every single flipped bit.
 *
 * Random numbers are taken from a generator that only this direction uses. They are drawn frame by
 * frame, and only for impairments that are set: with the same seed and the same frames, the same
 * frames are impaired in the same manner.
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
#include "fabric/eth.h"
#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/impair.h"
#include "fabric/link.h"
#include "fabric/node.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"
#include "fabric/spent.h"
#include "fabric/transport.h"

/* An Ethernet frame that would wait longer than this for the wire is dropped. */
#define ETH_WAIT_MAX	(200 * NSEC_PER_MSEC)
/* Most memory of waiting frames that are charged to no socket: in one direction of a link, and in
 * all of a fabric.
 */
#define UNACCOUNTED_MAX	SZ_2M
#define UNACCOUNTED_TOTAL_MAX	SZ_32M
/* Time that the other end takes to detect and report a failed attempt, in addition to the delay in
 * both directions.
 */
#define REPLAY_PAUSE	(10 * NSEC_PER_USEC)
/* Random numbers to discard after seeding: the first ones of similar seeds are similar. */
#define WARM_UP		10

/**
 * struct hc_impair - impairments of one direction of a link
 * @lock: protects the other members; taken by the poll, the timer and configuration
 * @node: the sending node; constant
 * @port: the sending node's port; constant
 * @set: the impairments
 * @rnd: generator of the random numbers that decide on each frame
 * @q: frames that wait, in order
 * @q_bytes: bytes of the frames in @q
 * @q_memory: memory of the frames in @q
 * @q_unaccounted: memory of those frames in @q that are charged to no socket
 * @wire_free: when the wire will have carried all frames in @q, ns
 * @last_due: when the last frame in @q is due, ns
 * @timer: expires when the first frame in @q is due
 * @armed: @timer is started
 * @replays: see struct hc_impair_stats
 * @corrupted: see struct hc_impair_stats
 * @duplicated: see struct hc_impair_stats
 * @delayed: see struct hc_impair_stats
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
	u32 q_unaccounted;
	u64 wire_free;
	u64 last_due;
	struct hrtimer timer;
	bool armed;
	u64 replays;
	u64 corrupted;
	u64 duplicated;
	u64 delayed;
};

/* skb->cb of a frame in hc_impair.q. @due: when the transport is to get the frame, ns. */
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

/* Return: the state of a port's impairments, completely initialised, or NULL. The caller need not
 * hold hc_fabric.lock.
 */
static struct hc_impair *impair_of(const struct hc_port *port)
{
	/* Pairs with the release in hc_impair_prepare(). */
	return smp_load_acquire(&port->impair);
}

/* Let the direction use the fast path again if it has no impairment and no frame waits. */
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

/* Mix node and dimension into the seed, so that the two directions of a link, and links with the
 * same seed, are impaired differently.
 */
static void reseed(struct hc_impair *imp)
{
	u32 dim = imp->port - imp->node->ports;
	unsigned int i;

	prandom_seed_state(&imp->rnd, jhash_3words(imp->set.seed, imp->node->id, dim, 0));
	for (i = 0; i < WARM_UP; i++)
		prandom_u32_state(&imp->rnd);
}

/* ------------------------------------------------------------ checksums */

/* Compute the CRC-32 of a frame, with 0 in the field of the checksum itself. */
static u32 frame_crc(const struct sk_buff *skb)
{
	unsigned int done = sizeof(struct hc_hdr), len;
	struct hc_hdr hdr = *hc_hdr(skb);
	struct skb_seq_state st;
	const u8 *data;
	u32 crc;

	hdr.csum = 0;
	crc = crc32_le(~0, (const u8 *)&hdr, sizeof(hdr));
	if (skb->len == sizeof(hdr))
		return ~crc;
	skb_prepare_seq_read((struct sk_buff *)skb, done, skb->len, &st);
	for (done = 0; (len = skb_seq_read(done, &data, &st)); done += len)
		crc = crc32_le(crc, data, len);
	return ~crc;
}

bool hc_impair_checksum(const struct hc_impair *imp, struct sk_buff *skb)
{
	if (!READ_ONCE(imp->set.corrupt))
		return false;
	hc_hdr(skb)->csum = cpu_to_be32(frame_crc(skb));
	return true;
}

bool hc_impair_is_whole(const struct sk_buff *skb)
{
	return hc_hdr(skb)->csum == cpu_to_be32(frame_crc(skb));
}

/* ------------------------------------------------------------ copies */

/* Return: a copy of the frame with one bit flipped, or NULL if there is no memory. */
static struct sk_buff *corrupted_copy(struct hc_impair *imp, const struct sk_buff *skb)
{
	u32 bit = draw(imp, skb->len * BITS_PER_BYTE);
	struct sk_buff *copy = hc_frame_copy(skb);

	if (!copy)
		return NULL;
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

static void unaccounted_add(struct hc_impair *imp, int bytes)
{
	imp->q_unaccounted += bytes;
	atomic_long_add(bytes, &imp->node->fabric->unaccounted);
}

static void unqueue(struct hc_impair *imp, struct sk_buff *skb)
{
	__skb_unlink(skb, &imp->q);
	imp->q_bytes -= skb->len;
	imp->q_memory -= skb->truesize;
	if (hc_cb(skb)->unaccounted)
		unaccounted_add(imp, -(int)skb->truesize);
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

static bool unaccounted_room(const struct hc_impair *imp)
{
	return imp->q_unaccounted < UNACCOUNTED_MAX &&
	       atomic_long_read(&imp->node->fabric->unaccounted) < UNACCOUNTED_TOTAL_MAX;
}

static void arm(struct hc_impair *imp, u64 due)
{
	if (imp->armed)
		return;
	imp->armed = true;
	hrtimer_start(&imp->timer, ns_to_ktime(due), HRTIMER_MODE_ABS_SOFT);
}

static void wait(struct hc_impair *imp, struct sk_buff *skb, u64 due, bool unaccounted)
{
	hc_cb(skb)->unaccounted = unaccounted;
	if (hc_cb(skb)->unaccounted)
		unaccounted_add(imp, skb->truesize);
	imp->last_due = due;
	imp->delayed++;
	imp->q_bytes += skb->len;
	imp->q_memory += skb->truesize;
	impair_cb(skb)->due = due;
	__skb_queue_tail(&imp->q, skb);
	arm(imp, due);
}

static u64 wire_time(const struct hc_impair *imp, unsigned int len)
{
	return imp->set.rate ? div64_u64((u64)len * NSEC_PER_SEC, imp->set.rate) : 0;
}

/* Send a frame over the wire, at once or by the timer. @late: ns to add to the time at which the
 * frame would be due by the rate and the delay alone. @unaccounted: the frame is charged to no
 * socket while it waits.
 */
static void wire(struct hc_impair *imp, struct sk_buff *skb, u64 late, bool unaccounted)
{
	u64 delay = delay_of(imp) + late;

	if (!delay && !imp->set.rate && skb_queue_empty(&imp->q)) {
		carry(imp, skb);
		return;
	}
	imp->wire_free = max(ktime_get_ns(), imp->wire_free) + wire_time(imp, skb->len);
	wait(imp, skb, max(imp->wire_free + delay, imp->last_due), unaccounted);
}

/* ------------------------------------------------------------ frames that may be lost */

static bool raw_room(const struct hc_impair *imp, const struct sk_buff *skb, bool eth)
{
	u64 now = ktime_get_ns();

	if (!imp->set.delay && !imp->set.rate && skb_queue_empty(&imp->q))
		return true;
	if (eth && (imp->q_memory >= HC_ETH_BYTES || imp->wire_free > now + ETH_WAIT_MAX))
		return false;
	return !hc_frame_is_unaccounted(skb) || unaccounted_room(imp);
}

static void raw_one(struct hc_impair *imp, struct sk_buff *skb, bool eth)
{
	struct sk_buff *bad;

	/* A frame has no checksum if it was in flight when corruption was switched on. */
	if (hc_cb(skb)->sealed && chance(imp, imp->set.corrupt)) {
		bad = corrupted_copy(imp, skb);
		if (!bad) {
			hc_drop(imp->node, NULL, skb, HYPERCUBE_A_DROP_NO_MEMORY);
			return;
		}
		consume_skb(skb);
		skb = bad;
	}
	if (raw_room(imp, skb, eth))
		wire(imp, skb, 0, hc_frame_is_unaccounted(skb));
	else
		hc_drop(imp->node, imp->port, skb, HYPERCUBE_A_DROP_QUEUE_FULL);
}

/* Send a frame that may be lost. Drops are counted on the port. */
static void raw_xmit(struct hc_impair *imp, struct sk_buff *skb)
{
	bool eth = hc_frame_is(skb, HC_FT_STACK);
	struct sk_buff *copy = NULL;

	if (chance(imp, imp->set.loss)) {
		hc_drop(imp->node, imp->port, skb, HYPERCUBE_A_DROP_LOSS);
		return;
	}
	if (chance(imp, imp->set.duplicate))
		copy = hc_frame_copy(skb);
	raw_one(imp, skb, eth);
	if (copy) {
		imp->duplicated++;
		raw_one(imp, copy, eth);
	}
}

/* ------------------------------------------------------------ frames that must not be lost */

/* Draw the outcomes of the attempts to send a frame, until an attempt succeeds. Return: false if
 * HC_ATTEMPTS_MAX attempts fail.
 */
static bool hc_impair_fate(struct hc_impair *imp, struct hc_fate *fate)
{
	*fate = (struct hc_fate){};
	for (; fate->vain < HC_ATTEMPTS_MAX; fate->vain++) {
		if (chance(imp, imp->set.loss))
			continue;
		fate->duplicate = chance(imp, imp->set.duplicate);
		if (!chance(imp, imp->set.corrupt))
			return true;
		fate->corrupted |= BIT_ULL(fate->vain);
	}
	return false;
}

/* Draw the outcomes, and mark the link as spent if all attempts fail. Both are done without
 * releasing the lock in between: hc_impair_set() clears a mark that the old settings have caused,
 * so a mark must not be set after new settings because of outcomes under the old ones.
 */
unsigned int hc_impair_admit(struct hc_impair *imp, struct hc_fate *fate)
{
	unsigned int why = 0;

	spin_lock(&imp->lock);
	if (!hc_impair_fate(imp, fate)) {
		hc_spent_set(imp->node, imp->port - imp->node->ports);
		why = HYPERCUBE_A_DROP_LINK_DOWN;
	}
	imp->replays += fate->vain;
	spin_unlock(&imp->lock);
	return why;
}

/* Copy a frame, and flip a bit of the copy if @corrupted. There may be many copies, so copies are
 * made only within the limits of waiting frames. Return: the copy, or NULL.
 */
static struct sk_buff *copy_make(struct hc_impair *imp, struct sk_buff *skb, bool corrupted)
{
	if (imp->q_memory >= HC_ETH_BYTES || !unaccounted_room(imp))
		return NULL;
	imp->node->spent++;
	return corrupted ? corrupted_copy(imp, skb) : hc_frame_copy(skb);
}

static void copy_wire(struct hc_impair *imp, struct sk_buff *copy, u64 late)
{
	wire(imp, copy, late, !copy->sk && !copy->destructor);
}

static void sure_xmit(struct hc_impair *imp, struct sk_buff *skb, const struct hc_fate *fate)
{
	u64 again = 2 * imp->set.delay + REPLAY_PAUSE;
	struct sk_buff *copy;
	unsigned int i;

	for (i = 0; i < fate->vain; i++) {
		copy = NULL;
		/* If the frame has no checksum, corruption was switched off after the outcomes were
		 * drawn: send no corrupted copy.
		 */
		if (fate->corrupted & BIT_ULL(i) && hc_cb(skb)->sealed)
			copy = copy_make(imp, skb, true);
		if (copy)
			copy_wire(imp, copy, i * again);
		else
			imp->wire_free = max(ktime_get_ns(), imp->wire_free) +
					 wire_time(imp, skb->len);
	}
	copy = fate->duplicate ? copy_make(imp, skb, false) : NULL;
	wire(imp, skb, fate->vain * again, hc_frame_is_unaccounted(skb));
	if (copy) {
		imp->duplicated++;
		copy_wire(imp, copy, fate->vain * again);
	}
}

void hc_impair_xmit(struct hc_impair *imp, struct sk_buff *skb, const struct hc_fate *fate)
{
	spin_lock(&imp->lock);
	if (fate)
		sure_xmit(imp, skb, fate);
	else
		raw_xmit(imp, skb);
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
	/* Pairs with impair_of(): from now on readers without the fabric's lock find the state. */
	smp_store_release(&port->impair, imp);
	return 0;
}

void hc_impair_set(struct hc_port *port, const struct hc_impairments *set, bool new_seed)
{
	struct hc_impair *imp = port->impair;
	bool spent;

	spin_lock_bh(&imp->lock);
	imp->set = *set;
	if (new_seed)
		reseed(imp);
	if (impairs(set))
		/* Pairs with the acquire in hc_link_take(): a poll that reads .impaired also reads
		 * the new .set.
		 */
		smp_store_release(&port->impaired, imp);
	else
		impair_settle(imp);
	spent = test_and_clear_bit(HC_PORT_SPENT, &port->flags);
	spin_unlock_bh(&imp->lock);
	if (!spent)
		return;
	hc_link_set_spent(imp->node, port - imp->node->ports);
	hc_node_kick(imp->node, HC_EV_LINKS);
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
			.replays = imp->replays,
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
