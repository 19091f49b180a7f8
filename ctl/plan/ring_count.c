// SPDX-License-Identifier: GPL-2.0
/*
 * Counting the steps that an all-to-all broadcast over a tree of rings takes.
 *
 * In each step each node sends one message in each of its rings; a message from the last node of a
 * ring to the first takes one step as well. Which message is sent when depends only on the
 * positions of the rings' links on a closed tour through all rings (hc_ring_tour()), and the kernel
 * does the same: so a broadcast takes exactly the number of steps counted here, in whatever order
 * messages arrive.
 *
 * Position p of the tour is the start of its link p: the node at which the link before it ends. So
 * a node has as many positions as it has rings. The first position of a message is the one behind
 * the link that leads to its source in the source's home ring. The message moves along the tour,
 * and a node has the message once it has arrived at the next one of the node's positions.
 */
#include <errno.h>
#include <stdlib.h>

#include "hc_ring_repair.h"
#include "memory.h"
#include "ring_impl.h"

/**
 * struct tour - the tour through all rings
 * @t: the tree
 * @at: for each ring, index of its first node
 * @out: for each place (a node in one of its rings), the position of the link that leaves it;
 *	and memory for as many more positions
 * @stands: for each position, the node that is there
 * @starts: for each position, whether a message begins there
 * @last: for each node, the last of its positions so far; HC_RING_NO_NODE: none yet
 */
struct tour {
	const struct hc_ring_tree *t;
	struct hc_ring_places at;
	uint32_t *out;
	uint16_t *stands;
	uint8_t *starts;
	uint32_t *last;
};

/* Return: the position of node @i of ring @ring on the tour. @w->out must be filled in. */
static uint32_t position(const struct tour *w, uint32_t ring, uint32_t i)
{
	const uint32_t size = w->t->ring[ring].size, before = (i + size - 1) % size;

	return (w->out[w->at.begin[ring] + before] + 1) % w->t->nnodes;
}

/* Fill in @w->stands and @w->starts. */
static void stand(struct tour *w)
{
	uint32_t r, i, at, p;

	for (r = 0; r < w->t->nrings; r++)
		for (i = 0; i < w->t->ring[r].size; i++) {
			at = w->at.begin[r] + i;
			p = position(w, r, i);
			w->stands[p] = w->t->node[at];
			w->starts[p] = w->at.place[w->at.first[w->t->node[at]]] == at;
		}
}

/* Return: the greatest distance on the tour from the start of any message to the next position of
 * any node. The loop goes around the tour twice, because the last position of a node may be before
 * the start of the tour.
 */
static uint32_t longest(struct tour *w)
{
	const uint32_t n = w->t->nnodes;
	uint32_t p, s, most = 0;

	for (p = 0; p < 2 * n; p++) {
		uint32_t *last = &w->last[w->stands[p % n]];

		/* Find the first message that begins after the node's last position. */
		for (s = *last + 1; *last != HC_RING_NO_NODE && s < p && !w->starts[s % n]; s++)
			;
		if (*last != HC_RING_NO_NODE && p - s > most)
			most = p - s;
		*last = p;
	}
	return most;
}

int hc_ring_steps(const struct hc_ring_tree *t, struct hc_ring_count *count)
{
	struct tour w = { .t = t };
	uint32_t i, nodes = 0;
	int rc = -ENOMEM;

	*count = (struct hc_ring_count){};
	if (t->nnodes < 2)
		return 0;
	for (i = 0; i < t->nnodes; i++)
		if (t->node[i] >= nodes)
			nodes = t->node[i] + 1u;
	w.at.first = malloc((nodes + 1) * sizeof(*w.at.first));
	w.at.place = malloc(t->nnodes * sizeof(*w.at.place));
	w.at.ring = malloc(t->nnodes * sizeof(*w.at.ring));
	w.at.begin = malloc(t->nrings * sizeof(*w.at.begin));
	w.out = malloc(2 * (size_t)t->nnodes * sizeof(*w.out));
	w.stands = malloc(t->nnodes * sizeof(*w.stands));
	w.starts = calloc(t->nnodes, sizeof(*w.starts));
	w.last = malloc(nodes * sizeof(*w.last));
	if (w.at.first && w.at.place && w.at.ring && w.at.begin && w.out && w.stands &&
	    w.starts && w.last) {
		for (i = 0; i < nodes; i++)
			w.last[i] = HC_RING_NO_NODE;
		hc_ring_places_fill(&w.at, t, nodes);
		hc_ring_tour(t, &w.at, w.out, w.out + t->nnodes);
		stand(&w);
		*count = (struct hc_ring_count){ longest(&w), t->nnodes };
		rc = 0;
	}
	hc_free_all(w.at.first, w.at.place, w.at.ring, w.at.begin, w.out, w.stands, w.starts,
		    w.last);
	return rc;
}
