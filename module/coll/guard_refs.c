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

/* Take a reference to the page of @ref, or copy its bytes. Return: false if there is no memory. */
static bool ref_own(const struct hc_fabric *fabric, struct hc_seg_ref *ref)
{
	void *copy;

	if (ref->kind == HC_REF_PAGE) {
		get_page(virt_to_head_page(ref->data));
		return true;
	}
	copy = refs_alloc(fabric, ref->len);
	if (!copy)
		return false;
	memcpy(copy, ref->data, ref->len);
	ref->data = copy;
	ref->kind = HC_REF_COPY;
	return true;
}

static void ref_put(const struct hc_seg_ref *ref)
{
	if (ref->kind == HC_REF_PAGE)
		put_page(virt_to_head_page(ref->data));
	else if (ref->kind == HC_REF_COPY)
		kfree(ref->data);
}

bool hc_refs_add_long(const struct hc_fabric *fabric, struct hc_refs *r, struct hc_seg_ref ref)
{
	if (!ref_own(fabric, &ref))
		return false;
	if (r->n == r->room && !refs_grow(fabric, r)) {
		ref_put(&ref);
		return false;
	}
	r->bytes += HC_REF_COST + ref.len;
	r->at[r->n++] = ref;
	return true;
}

void hc_refs_free(struct hc_refs *r)
{
	u32 i;

	for (i = 0; i < r->n; i++)
		ref_put(&r->at[i]);
	if (r->at != r->few)
		kfree(r->at);
	hc_refs_init(r);
}
