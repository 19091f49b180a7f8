// SPDX-License-Identifier: GPL-2.0
/*
 * Frames from other machines: the accounting of their memory, and the limit for frames in transit
 * to other nodes.
 */
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/sched/mm.h>
#include <linux/sizes.h>
#include <net/sock.h>

#include "fabric/fabric.h"
#include "fabric/frame.h"
#include "fabric/limits.h"
#include "fabric/remote_skb.h"
#include "fabric/skb.h"

/* Limit for the memory of a fabric's frames in transit to other nodes. Frames with a payload are
 * refused when half of it is in use, so that some is left for frames without a payload.
 */
#define ON_WAY_MAX	SZ_16M

/* Limit for the memory of a fabric's frames from other machines. It also applies in the initial
 * namespace, because the sending machine need not wait until this machine has processed its frames.
 */
static ulong trunk_memory = SZ_256M;
module_param(trunk_memory, ulong, 0644);
MODULE_PARM_DESC(trunk_memory, "bytes of frames from other machines in any one fabric (default 256 MiB)");

/* ------------------------------------------------------------ allocation */

/* Allocate a frame with @head linear bytes and @len bytes in as few blocks of pages as possible.
 * Blocks have at most the order up to which allocations rarely fail.
 */
static struct sk_buff *alloc_blocks(unsigned int head, unsigned int len, gfp_t gfp)
{
	struct sk_buff *skb = alloc_skb(HC_HEADROOM + head, gfp);
	unsigned int i;

	if (!skb)
		return NULL;
	skb_reserve(skb, HC_HEADROOM);
	skb_put(skb, head);
	for (i = 0; len; i++) {
		unsigned int n = min_t(unsigned int, len, PAGE_SIZE << PAGE_ALLOC_COSTLY_ORDER);
		struct page *page = alloc_pages(gfp | __GFP_COMP | __GFP_NOWARN, get_order(n));

		if (!page) {
			kfree_skb(skb);
			return NULL;
		}
		skb_add_rx_frag(skb, i, page, 0, n, PAGE_SIZE << get_order(n));
		len -= n;
	}
	return skb;
}

/* Allocate a frame with @head linear bytes and @len bytes in any pages. */
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

struct sk_buff *hc_remote_skb_alloc(struct hc_fabric *fabric, unsigned int head, unsigned int len,
				    bool whole, int *err)
{
	struct mem_cgroup *old = set_active_memcg(fabric->memcg);
	struct sk_buff *skb = NULL;

	*err = -ENOMEM;
	if (whole && len && len <= fabric->segment)
		skb = alloc_blocks(head, len, GFP_KERNEL_ACCOUNT | __GFP_NORETRY);
	else if (whole && len <= HC_FRAME_SEGMENTS * fabric->segment)
		skb = alloc_blocks(head, len, GFP_KERNEL_ACCOUNT);
	if (!skb)
		skb = alloc_pieces(head, len, GFP_KERNEL_ACCOUNT, err);
	set_active_memcg(old);
	return skb;
}

/* ------------------------------------------------------------ accounting */

struct hc_fabric *hc_remote_skb_fabric(const struct sk_buff *skb)
{
	return skb_shinfo(skb)->destructor_arg;
}

/* Destructor of a frame that hc_remote_skb_charge() has charged. The charged amount is in
 * skb->mark, because skb->truesize may have grown in transit.
 */
static void far_free(struct sk_buff *skb)
{
	atomic_long_sub(skb->mark, &hc_remote_skb_fabric(skb)->far);
	hc_poll_uncharge(hc_remote_skb_fabric(skb), skb->mark);
	skb->mark = 0;
}

/* Destructor of a frame from another machine that is in transit to another node. */
static void on_way_free(struct sk_buff *skb)
{
	atomic_long_sub(skb->mark, &hc_remote_skb_fabric(skb)->on_way);
	far_free(skb);
}

bool hc_remote_skb_charge(struct hc_fabric *fabric, struct sk_buff *skb)
{
	if (atomic_long_read(&fabric->far) + skb->truesize > READ_ONCE(trunk_memory) ||
	    !hc_poll_charge(fabric, skb->truesize))
		return false;
	atomic_long_add(skb->truesize, &fabric->far);
	skb->mark = skb->truesize;
	skb_shinfo(skb)->destructor_arg = fabric;
	skb->destructor = far_free;
	return true;
}

bool hc_remote_skb_is(const struct sk_buff *skb)
{
	return skb->destructor == far_free || skb->destructor == on_way_free;
}

bool hc_remote_skb_goes_on(struct hc_fabric *fabric, struct sk_buff *skb)
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

void hc_remote_skb_arrived(struct sk_buff *skb)
{
	if (likely(skb->destructor != on_way_free))
		return;
	atomic_long_sub(skb->mark, &hc_remote_skb_fabric(skb)->on_way);
	skb->destructor = far_free;
}

bool hc_frame_is_unaccounted(const struct sk_buff *skb)
{
	return !skb->sk && (!skb->destructor || skb->destructor == far_free) &&
	       !hc_frame_is(skb, HC_FT_SEGMENT);
}
