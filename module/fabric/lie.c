// SPDX-License-Identifier: GPL-2.0
/*
 * Nodes that lie: an impairment of what a node relays for others, as impair.c has those of
 * links.  A bit of the payload is flipped, by chance or in the frames that a list names, before the
 * frame is sent.  So it gets its checksum afterwards, if the link has one: nobody can tell
 * such a frame from an honest one but by another copy of it.
 *
 * Only payloads of programs and of the endpoints' stacks are lied about (HC_FT_SAYS): of frames
 * that are relayed as they are (route.c, copy.c), and of those by which a member of a collective
 * passes on what others have given, merged with its own or not (hc_relay_xmit()).  What only the
 * node itself has given it does not lie about, nor to its own process.
 *
 * Random numbers come from a generator of the node alone, by the seed alone: nodes with the same
 * seed that relay copies of the same frames tell the same lies.
 */
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "fabric/fabric.h"
#include "fabric/lie.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "trace.h"

/* Steps in which the generator leaves its seed behind. */
#define WARM_UP		10

/**
 * struct hc_lie - a node that lies, or has; all under @lock
 * @lock: taken by the poll and by configuration
 * @set: when
 * @rnd: decides on that
 * @relayed: frames that were relayed since that was set
 * @told: lies
 */
struct hc_lie {
	spinlock_t lock;
	struct hc_lies set;
	struct rnd_state rnd;
	u64 relayed;
	u64 told;
};

/* Readers without the fabric's lock: what they find is complete (hc_lie_prepare()). */
static struct hc_lie *lie_of(const struct hc_node *node)
{
	/* Pairs with the release there. */
	return smp_load_acquire(&node->lie);
}

/* ------------------------------------------------------------ lying */

static u32 draw(struct hc_lie *lie, u32 below)
{
	return (u64)prandom_u32_state(&lie->rnd) * below >> 32;
}

static bool listed(const struct hc_lies *set, u64 nr)
{
	unsigned int i;

	for (i = 0; i < set->n; i++)
		if (set->at[i] == nr)
			return true;
	return false;
}

/* Does it lie this time?  Then *@bit is the bit of so many bytes. */
static bool decide(struct hc_lie *lie, unsigned int bytes, u32 *bit)
{
	bool lies;

	spin_lock(&lie->lock);
	lie->relayed++;
	lies = listed(&lie->set, lie->relayed) ||
	       (lie->set.ppm && draw(lie, HYPERCUBE_PPM_MAX) < lie->set.ppm);
	if (lies)
		*bit = draw(lie, bytes * BITS_PER_BYTE);
	spin_unlock(&lie->lock);
	return lies;
}

struct sk_buff *hc_lie(struct hc_node *node, struct sk_buff *skb, unsigned int head)
{
	struct hc_lie *lie = lie_of(node);
	struct sk_buff *copy;
	u32 bit;

	if (likely(!lie) || skb->len <= head || !decide(lie, skb->len - head, &bit))
		return skb;
	/* Others may have a part in its pages.  Who lacks memory is honest. */
	copy = hc_frame_copy(skb);
	if (!copy)
		return skb;
	consume_skb(skb);
	copy->data[head + bit / BITS_PER_BYTE] ^= BIT(bit % BITS_PER_BYTE);
	/* Who segments it must not take its headers for what a stack of ours has made. */
	if (skb_is_gso(copy)) {
		skb_shinfo(copy)->gso_type |= SKB_GSO_DODGY;
		skb_shinfo(copy)->gso_segs = 0;
	}
	trace_hc_lie(node, copy, bit);
	spin_lock(&lie->lock);
	lie->told++;
	spin_unlock(&lie->lock);
	return copy;
}

/* ------------------------------------------------------------ configuration */

static void reseed(struct hc_lie *lie)
{
	unsigned int i;

	prandom_seed_state(&lie->rnd, lie->set.seed);
	for (i = 0; i < WARM_UP; i++)
		prandom_u32_state(&lie->rnd);
}

int hc_lie_prepare(struct hc_node *node)
{
	struct hc_lie *lie;

	lockdep_assert_held(&node->fabric->lock);
	if (node->lie)
		return 0;
	lie = kzalloc(sizeof(*lie), GFP_KERNEL_ACCOUNT);
	if (!lie)
		return -ENOMEM;
	spin_lock_init(&lie->lock);
	lie->set.seed = get_random_u32();
	reseed(lie);
	/* Readers without the fabric's lock may look now. */
	smp_store_release(&node->lie, lie);
	return 0;
}

void hc_lie_set(struct hc_node *node, const struct hc_lies *set, bool anew)
{
	struct hc_lie *lie = node->lie;

	lockdep_assert_held(&node->fabric->lock);
	spin_lock_bh(&lie->lock);
	lie->set = *set;
	lie->relayed = 0;
	if (anew)
		reseed(lie);
	spin_unlock_bh(&lie->lock);
}

void hc_lie_clear(struct hc_node *node)
{
	const struct hc_lies none = { .seed = node->lie ? node->lie->set.seed : 0 };

	if (node->lie)
		hc_lie_set(node, &none, false);
}

u64 hc_lie_get(const struct hc_node *node, struct hc_lies *set)
{
	struct hc_lie *lie = lie_of(node);
	u64 told;

	memset(set, 0, sizeof(*set));
	if (!lie)
		return 0;
	spin_lock_bh(&lie->lock);
	*set = lie->set;
	told = lie->told;
	spin_unlock_bh(&lie->lock);
	return told;
}

bool hc_lie_lies(const struct hc_node *node)
{
	lockdep_assert_held(&node->fabric->lock);
	return node->lie && (node->lie->set.ppm || node->lie->set.n);
}

void hc_lie_free(struct hc_node *node)
{
	kfree(node->lie);
	node->lie = NULL;
}
