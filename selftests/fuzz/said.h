/* SPDX-License-Identifier: GPL-2.0 */
/* Saying single frames, and a look at what follows. */
#ifndef _HC_SAID_H
#define _HC_SAID_H

#include "live.h"

/**
 * struct said - the fabric of the moment
 * @c: it
 * @m: what frames must say to be of it
 * @inject: where they are written
 */
struct said {
	struct cube c;
	struct moment m;
	int inject;
};

extern struct said said;

/* A frame that arrives at @node over link @dim: its part. */
void *part_begin(struct frame *f, unsigned int node, unsigned int dim, unsigned int type,
		 unsigned int plan);
/* It comes from @src to @dst, over the dimensions of @way at last. */
void routed(struct frame *f, unsigned int src, unsigned int dst, const unsigned char *way,
	    unsigned int hops);
/* 0 or -errno. */
int say(const struct frame *f);
/* Nothing that @node says over link @dim arrives within so many ms: a slow link has other things to
 * carry.  What has been said meanwhile has arrived when mute_end() returns.
 */
bool mute(unsigned int node, unsigned int dim, unsigned int ms);
bool mute_end(void);
/* Frames that arrive together. */
int say_all(const struct frame *f, unsigned int n);
uint64_t node_drops(unsigned int node, int reason);
uint64_t link_drops(unsigned int node, unsigned int dim, int reason);
/* Waits until so many are counted: on a busy machine a frame is polled after the write. */
bool link_drops_are(unsigned int node, unsigned int dim, int reason, uint64_t n);
/* The same of a node. */
bool node_drops_are(unsigned int node, int reason, uint64_t n);
/* Frames that @node has sent along @dim. */
uint64_t link_frames(unsigned int node, unsigned int dim);
/* The next end that a node's process hears of: its status. */
int end_of(unsigned int node, struct hypercube_result *res);
bool contribute(unsigned int node, unsigned int plan, unsigned int collective,
		size_t total, size_t len);
/* The neighbour of the sink that is active at this stage. */
unsigned int below_sink(unsigned int stage);
struct hc_wire_data *data(struct frame *f, unsigned int node, unsigned int dim,
			  unsigned int plan, unsigned int stage, unsigned int collective);

/* --- said_frames.c --- */
bool type_of_nothing(void);
bool parts_are_whole(void);
bool flood_of_words(void);
bool walk_unannounced(void);
bool words_are_bare(void);
bool seq_skips(void);
bool seq_repeats(void);
bool version_heals(void);
bool src_is_behind(void);
bool copies_are_whole(void);
bool copies_of_one_are_one(void);

/* --- said_rings.c --- */
bool segments_are_of_each(void);
bool segments_come_their_way(void);
bool master_knows_no_future(void);
bool words_of_masters_fit(void);
bool places_fit_the_links(void);
bool failures_follow_the_places(void);

/* --- said_tasks.c --- */
bool task_is_whole(void);
bool task_is_once(void);
bool task_is_its_own(void);
bool copy_is_whole(void);
bool copy_is_kept_for_one(void);
bool copies_have_their_share(void);
bool drops_are_bounded(void);

/* --- said_rounds.c --- */
bool round_is_whole(void);
bool round_counts_no_more_than_all(void);
bool round_is_not_held(void);
bool round_has_one_method(void);
bool round_is_begun_by_its_node(void);
bool rounds_come_one_by_one(void);
bool numbers_of_rounds_last(void);
bool round_gets_what_it_wants(void);
bool round_gives_what_it_has(void);
bool rounds_keep_all_tasks(void);

#endif /* _HC_SAID_H */
