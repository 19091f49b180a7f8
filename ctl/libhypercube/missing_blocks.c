// SPDX-License-Identifier: GPL-2.0
/*
 * Results without the blocks of all members. Rings that repair themselves continue without members
 * that have failed. The last record of such a result has two sets (HYPERCUBE_CMSG_MISSING): the
 * members that have a block in the result, and those of them whose block is missing.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "handle.h"

void hcli_lacks_take(struct hcl_op *op, const void *sets, size_t bytes)
{
	op->lacks = (struct hcl_lacks){
		.id = op->id, .set = malloc(bytes), .words = bytes / 2 / sizeof(uint32_t),
	};
	if (op->lacks.set)
		memcpy(op->lacks.set, sets, bytes);
}

void hcli_lacks_keep(struct hcl *h, struct hcl_op *op)
{
	if (!op->lacks.id)
		return;
	free(h->lacks.set);
	h->lacks = op->lacks;
	op->lacks = (struct hcl_lacks){ 0 };
}

const struct hcl_lacks *hcli_lacks_find(const struct hcl *h, uint64_t id)
{
	const struct hcl_op *op = hcli_op_find(h, id);

	if (op)
		return op->lacks.id ? &op->lacks : NULL;
	return h->lacks.id == id ? &h->lacks : NULL;
}

int hcli_lacks_list(const struct hcl_lacks *l, bool places, uint32_t *nodes, size_t max)
{
	const uint32_t *set = places ? l->set : l->set + l->words;
	size_t found = 0, u;

	for (u = 0; u < 32 * l->words; u++) {
		if (!(set[u / 32] >> u % 32 & 1))
			continue;
		if (found < max)
			nodes[found] = u;
		found++;
	}
	return found;
}

int hcl_result_members(struct hcl *h, uint64_t id, uint32_t *nodes, size_t max)
{
	const struct hcl_lacks *l;

	if (!id || id >= h->next_id)
		return hcli_refuse(h, NULL, -EINVAL, "no operation has number %" PRIu64, id);
	l = hcli_lacks_find(h, id);
	if (l && !l->set)
		return hcli_failed(h, NULL, id, -ENOMEM);
	return l ? hcli_lacks_list(l, true, nodes, max) : 0;
}
