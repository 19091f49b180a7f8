// SPDX-License-Identifier: GPL-2.0
/*
 * Byzantine nodes: an impairment of payloads that a node relays for others, as impair.c impairs
 * links. One bit of the payload is flipped before the frame is sent, in frames that are selected at
 * random or by a list of their numbers. A link with checksums computes the checksum after that, so
 * a receiver can recognise a corrupted frame only by comparing it with another copy.
 *
 * Only payloads of programs and of the endpoints' stacks are corrupted (HC_FT_SAYS): in frames that
 * are relayed unchanged (route.c, copy.c), and in those by which a member of a collective forwards
 * contributions of other members, merged with its own or not (hc_relay_xmit()). A node corrupts
 * neither a payload to which only its own process has contributed nor data that it delivers to its
 * own process.
 *
 * Each node has a random number generator of its own, whose output depends on the seed alone: nodes
 * with the same seed that relay copies of the same frames corrupt the same bits.
 */
#include <linux/prandom.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "fabric/byzantine.h"
#include "fabric/fabric.h"
#include "fabric/node.h"
#include "fabric/skb.h"
#include "trace.h"

/* Random numbers to discard after seeding: the first ones of similar seeds are similar. */
#define WARM_UP		10

/**
 * struct hc_byzantine - state of a node that corrupts frames, or has done so
 * @lock: protects the other members; taken by the poll and by configuration
 * @set: which frames it corrupts
 * @rnd: generator of the random numbers that decide on each frame
 * @relayed: frames that were relayed since @set was set
 * @corrupted: frames that were corrupted
 */
struct hc_byzantine {
	spinlock_t lock;
	struct hc_byzantine_conf set;
	struct rnd_state rnd;
	u64 relayed;
	u64 corrupted;
};

/* Return: the node's state, completely initialised, or NULL. The caller need not hold
 * hc_fabric.lock.
 */
static struct hc_byzantine *byzantine_of(const struct hc_node *node)
{
	/* Pairs with the release in hc_byzantine_prepare(). */
	return smp_load_acquire(&node->byz);
}

/* ------------------------------------------------------------ corruption */

static u32 draw(struct hc_byzantine *byz, u32 below)
{
	return (u64)prandom_u32_state(&byz->rnd) * below >> 32;
}

static bool listed(const struct hc_byzantine_conf *set, u64 nr)
{
	unsigned int i;

	for (i = 0; i < set->n; i++)
		if (set->at[i] == nr)
			return true;
	return false;
}

/* Decide whether to corrupt the frame that is about to be relayed. @bytes: length of its payload.
 * Return: true if it is to be corrupted; *@bit is then the number of the payload's bit to flip.
 */
static bool decide(struct hc_byzantine *byz, unsigned int bytes, u32 *bit)
{
	bool corrupts;

	spin_lock(&byz->lock);
	byz->relayed++;
	corrupts = listed(&byz->set, byz->relayed) ||
	       (byz->set.ppm && draw(byz, HYPERCUBE_PPM_MAX) < byz->set.ppm);
	if (corrupts)
		*bit = draw(byz, bytes * BITS_PER_BYTE);
	spin_unlock(&byz->lock);
	return corrupts;
}

struct sk_buff *hc_byzantine_relay(struct hc_node *node, struct sk_buff *skb, unsigned int head)
{
	struct hc_byzantine *byz = byzantine_of(node);
	struct sk_buff *copy;
	u32 bit;

	if (likely(!byz) || skb->len <= head || !decide(byz, skb->len - head, &bit))
		return skb;
	/* The frame's pages may be shared, so a copy is corrupted. Without memory for a copy the
	 * frame is relayed unchanged.
	 */
	copy = hc_frame_copy(skb);
	if (!copy)
		return skb;
	consume_skb(skb);
	copy->data[head + bit / BITS_PER_BYTE] ^= BIT(bit % BITS_PER_BYTE);
	/* The flipped bit may be in the packet's headers: let GSO check them. */
	if (skb_is_gso(copy)) {
		skb_shinfo(copy)->gso_type |= SKB_GSO_DODGY;
		skb_shinfo(copy)->gso_segs = 0;
	}
	trace_hc_byzantine(node, copy, bit);
	spin_lock(&byz->lock);
	byz->corrupted++;
	spin_unlock(&byz->lock);
	return copy;
}

/* ------------------------------------------------------------ configuration */

static void reseed(struct hc_byzantine *byz)
{
	unsigned int i;

	prandom_seed_state(&byz->rnd, byz->set.seed);
	for (i = 0; i < WARM_UP; i++)
		prandom_u32_state(&byz->rnd);
}

int hc_byzantine_prepare(struct hc_node *node)
{
	struct hc_byzantine *byz;

	lockdep_assert_held(&node->fabric->lock);
	if (node->byz)
		return 0;
	byz = kzalloc(sizeof(*byz), GFP_KERNEL_ACCOUNT);
	if (!byz)
		return -ENOMEM;
	spin_lock_init(&byz->lock);
	byz->set.seed = get_random_u32();
	reseed(byz);
	/* Pairs with byzantine_of(): from now on readers without the fabric's lock find the state.
	 */
	smp_store_release(&node->byz, byz);
	return 0;
}

void hc_byzantine_set(struct hc_node *node, const struct hc_byzantine_conf *set, bool new_seed)
{
	struct hc_byzantine *byz = node->byz;

	lockdep_assert_held(&node->fabric->lock);
	spin_lock_bh(&byz->lock);
	byz->set = *set;
	byz->relayed = 0;
	if (new_seed)
		reseed(byz);
	spin_unlock_bh(&byz->lock);
}

void hc_byzantine_clear(struct hc_node *node)
{
	const struct hc_byzantine_conf none = { .seed = node->byz ? node->byz->set.seed : 0 };

	if (node->byz)
		hc_byzantine_set(node, &none, false);
}

u64 hc_byzantine_get(const struct hc_node *node, struct hc_byzantine_conf *set)
{
	struct hc_byzantine *byz = byzantine_of(node);
	u64 corrupted;

	memset(set, 0, sizeof(*set));
	if (!byz)
		return 0;
	spin_lock_bh(&byz->lock);
	*set = byz->set;
	corrupted = byz->corrupted;
	spin_unlock_bh(&byz->lock);
	return corrupted;
}

bool hc_byzantine_corrupts(const struct hc_node *node)
{
	lockdep_assert_held(&node->fabric->lock);
	return node->byz && (node->byz->set.ppm || node->byz->set.n);
}

void hc_byzantine_free(struct hc_node *node)
{
	kfree(node->byz);
	node->byz = NULL;
}
