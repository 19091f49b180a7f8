// SPDX-License-Identifier: GPL-2.0
/*
 * Ledgers of guarded plans: the bytes of contributions and results. A ledger does not keep frames
 * but refers to their pages: allocating two objects for a frame, and freeing them many operations
 * later, would take more instructions. Short payloads are copied.
 */
#include <linux/mm.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "coll/coll.h"
#include "coll/guard_impl.h"

void hc_refs_init(struct hc_refs *r)
{
	r->at = r->few;
	r->room = HC_REFS_FEW;
	r->n = 0;
	r->bytes = 0;
}

static void *refs_alloc(const struct hc_fabric *fabric, size_t size)
{
	struct mem_cgroup *old = set_active_memcg(fabric->memcg);
	void *p = kmalloc(size, GFP_ATOMIC | __GFP_ACCOUNT | __GFP_NOWARN);

	set_active_memcg(old);
	return p;
}

/* Can the next reference have its bytes in @r itself? Only the first one can, if it is short. */
static bool is_small(const struct hc_refs *r, u32 len)
{
	return !r->n && len <= sizeof(r->small);
}

size_t hc_refs_cost(const struct hc_refs *r, u32 len)
{
	return is_small(r, len) ? 0 : HC_REF_COST + len;
}

/* Double the room for references. Return: false if there is no memory. */
static bool refs_grow(const struct hc_fabric *fabric, struct hc_refs *r)
{
	struct hc_seg_ref *at = refs_alloc(fabric, 2 * r->room * sizeof(*at));

	if (!at)
		return false;
	memcpy(at, r->at, r->n * sizeof(*at));
	if (r->at != r->few)
		kfree(r->at);
	r->at = at;
	r->room *= 2;
	return true;
}

bool hc_refs_add(const struct hc_fabric *fabric, struct hc_refs *r, const struct hc_seg_ref *from)
{
	struct hc_seg_ref ref = *from;

	if (is_small(r, ref.len)) {
		memcpy(r->small, from->data, ref.len);
		r->few[0] = (struct hc_seg_ref){
			.data = r->small, .len = ref.len, .kind = HC_REF_BORROWED,
		};
		r->room = 1;
		r->n = 1;
		return true;
	}
	if (r->n == r->room && !refs_grow(fabric, r))
		return false;
	if (ref.kind == HC_REF_PAGE) {
		get_page(virt_to_head_page(ref.data));
	} else {
		ref.kind = HC_REF_COPY;
		ref.data = refs_alloc(fabric, ref.len);
		if (!ref.data)
			return false;
		memcpy(ref.data, from->data, ref.len);
	}
	r->bytes += hc_refs_cost(r, ref.len);
	r->at[r->n++] = ref;
	return true;
}

void hc_refs_drop(struct hc_refs *r)
{
	u32 i;

	for (i = 0; i < r->n; i++)
		if (r->at[i].kind == HC_REF_PAGE)
			put_page(virt_to_head_page(r->at[i].data));
		else if (r->at[i].kind == HC_REF_COPY)
			kfree(r->at[i].data);
	if (r->at != r->few)
		kfree(r->at);
	hc_refs_init(r);
}
