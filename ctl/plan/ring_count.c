// SPDX-License-Identifier: GPL-2.0
/*
 * How many steps an all-to-all broadcast over a ring tree takes.
 *
 * In each step each node sends one message in each of its rings, and what the last of a ring sends
 * to the first takes one step, too.  Which message goes when follows from where the links of the
 * rings are on a closed way through all rings (hc_ring_tour()), in the kernel as well: so as
 * many steps as are counted here are taken, in whatever order messages come.
 *
 * On the way a node stands behind each link that leads to it; a message begins behind the link of
 * its source's home ring, and is known to a node once the way from there has come to the next place
 * where that one stands.
 */
#include <errno.h>
#include <stdlib.h>

#include "hc_ring_mend.h"
#include "memory.h"
#include "ring_impl.h"

/**
 * struct tour - the way through all rings
 * @t: the tree
 * @at: where its nodes are
 * @out: position of each place's link, and room for as many
 * @stands: by position, the node that stands in front of that link
 * @starts: a message begins there
 * @last: of each node, where it stood last; HC_RING_NO_NODE: nowhere yet
 */
struct tour {
	const struct hc_ring_tree *t;
	struct hc_ring_places at;
	uint32_t *out;
	uint16_t *stands;
	uint8_t *starts;
	uint32_t *last;
};

/* Where the node of a place stands once it has come there. */
static uint32_t position(const struct tour *w, uint32_t ring, uint32_t i)
{
	const uint32_t size = w->t->ring[ring].size, before = (i + size - 1) % size;

	return (w->out[w->at.begin[ring] + before] + 1) % w->t->nnodes;
}

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

/* The longest way of any message to its next place at some node.  Twice around, as what a node has
 * stood at last may lie behind the beginning.
 */
static uint32_t longest(struct tour *w)
{
	const uint32_t n = w->t->nnodes;
	uint32_t p, s, most = 0;

	for (p = 0; p < 2 * n; p++) {
		uint32_t *last = &w->last[w->stands[p % n]];

		/* The first message that begins after the node stood there before. */
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
