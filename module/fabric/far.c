// SPDX-License-Identifier: GPL-2.0
/*
 * Frames that have come from other machines: whom their memory is charged to, and how many of them
 * may be on their way to other nodes.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "fabric/far.h"
#include "fabric/frame.h"
#include "fabric/limits.h"
#include "fabric/skb.h"

/* Memory of frames on their way to other nodes, in a fabric; frames with a payload leave half of it
 * to those without.
 */
#define ON_WAY_MAX	SZ_16M

/* ------------------------------------------------------------ making them */

static struct sk_buff *alloc_whole(unsigned int head, unsigned int len, gfp_t gfp)
{
	unsigned int order = get_order(len);
	struct page *page;
	struct sk_buff *skb;

	page = alloc_pages(gfp | __GFP_COMP | __GFP_NOWARN | __GFP_NORETRY, order);
	if (!page)
		return NULL;
	skb = alloc_skb(HC_HEADROOM + head, gfp);
	if (!skb) {
		__free_pages(page, order);
		return NULL;
	}
	skb_reserve(skb, HC_HEADROOM);
	skb_put(skb, head);
	skb_add_rx_frag(skb, 0, page, 0, len, PAGE_SIZE << order);
	return skb;
}

static struct sk_buff *alloc_pieces(unsigned int head, unsigned int len, gfp_t gfp, int *err)
{
	struct sk_buff *skb = alloc_skb_with_frags(HC_HEADROOM + head, len, PAGE_ALLOC_COSTLY_ORDER,
						   err, gfp);

	if (!skb)
		return NULL;
	skb_reserve(skb, HC_HEADROOM);
	skb_put(skb, head);
	skb->data_len = len;
	skb->len += len;
	return skb;
}

struct sk_buff *hc_far_alloc(struct hc_fabric *fabric, unsigned int head, unsigned int len,
			     bool whole, int *err)
{
	struct mem_cgroup *old = set_active_memcg(fabric->memcg);
	struct sk_buff *skb = NULL;

	*err = -ENOMEM;
	if (whole && len && len <= fabric->segment)
		skb = alloc_whole(head, len, GFP_KERNEL_ACCOUNT);
	if (!skb)
		skb = alloc_pieces(head, len, GFP_KERNEL_ACCOUNT, err);
	set_active_memcg(old);
	return skb;
}

/* ------------------------------------------------------------ charging them */

struct hc_fabric *hc_far_fabric(const struct sk_buff *skb)
{
	return skb_shinfo(skb)->destructor_arg;
}

/* The frame's room may grow on its way, so what was charged is noted. */
static void far_free(struct sk_buff *skb)
{
	hc_poll_uncharge(hc_far_fabric(skb), skb->mark);
	skb->mark = 0;
}

/* That of one on its way to another node. */
static void on_way_free(struct sk_buff *skb)
{
	atomic_long_sub(skb->mark, &hc_far_fabric(skb)->on_way);
	far_free(skb);
}

bool hc_far_charge(struct hc_fabric *fabric, struct sk_buff *skb)
{
	if (!hc_poll_charge(fabric, skb->truesize))
		return false;
	skb->mark = skb->truesize;
	skb_shinfo(skb)->destructor_arg = fabric;
	skb->destructor = far_free;
	return true;
}

bool hc_far_is(const struct sk_buff *skb)
{
	return skb->destructor == far_free || skb->destructor == on_way_free;
}

bool hc_far_goes_on(struct hc_fabric *fabric, struct sk_buff *skb)
{
	long max = hc_frame_is(skb, HC_FT_BARE) ? ON_WAY_MAX : ON_WAY_MAX / 2;

	if (likely(skb->destructor != far_free))
		return true;
	if (atomic_long_read(&fabric->on_way) >= max)
		return false;
	atomic_long_add(skb->mark, &fabric->on_way);
	skb->destructor = on_way_free;
	return true;
}

void hc_far_arrived(struct sk_buff *skb)
{
	if (likely(skb->destructor != on_way_free))
		return;
	atomic_long_sub(skb->mark, &hc_far_fabric(skb)->on_way);
	skb->destructor = far_free;
}

bool hc_frame_is_loose(const struct sk_buff *skb)
{
	return !skb->sk && (!skb->destructor || skb->destructor == far_free) &&
	       !hc_frame_is(skb, HC_FT_SEGMENT);
}
