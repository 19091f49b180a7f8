/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Injects single frames as if a neighbour had sent them, and checks the consequences.
 */
#ifndef _HC_SAID_H
#define _HC_SAID_H

#include "live.h"

/**
 * struct said - the fabric of the test that is running
 * @c: the fabric
 * @m: values to be filled in into frames
 * @inject: descriptor to which frames are written
 */
struct said {
	struct cube c;
	struct moment m;
	int inject;
};

extern struct said said;

/* Begin a frame that arrives at @node over link @dim. Return: its type header. */
void *part_begin(struct frame *f, unsigned int node, unsigned int dim, unsigned int type,
		 unsigned int plan);
/* Make @f a routed frame from @src to @dst. Its walk ends with the @hops dimensions at @way. */
void routed(struct frame *f, unsigned int src, unsigned int dst, const unsigned char *way,
	    unsigned int hops);
/* Send a frame. Return: 0 or -errno. */
int say(const struct frame *f);
/* Make link @dim of @node so slow and busy that no frame that @node sends over it arrives for @ms.
 * When mute_end() returns, all frames that were sent meanwhile have arrived.
 */
bool mute(unsigned int node, unsigned int dim, unsigned int ms);
bool mute_end(void);
/* Send @n frames that arrive together. */
int say_all(const struct frame *f, unsigned int n);
uint64_t node_drops(unsigned int node, int reason);
uint64_t link_drops(unsigned int node, unsigned int dim, int reason);
/* Wait until link @dim of @node has counted @n drops with this reason. On a busy machine the node's
 * poll may process a frame only after the write to "inject" has returned.
 */
bool link_drops_are(unsigned int node, unsigned int dim, int reason, uint64_t n);
/* As link_drops_are(), for the drop counters of a node. */
bool node_drops_are(unsigned int node, int reason, uint64_t n);
/* Return: number of frames that @node has sent over link @dim. */
uint64_t link_frames(unsigned int node, unsigned int dim);
/* Return: status of the next record with the end of an operation that the process of @node
 * receives.
 */
int end_of(unsigned int node, struct hypercube_result *res);
bool contribute(unsigned int node, unsigned int plan, unsigned int collective,
		size_t total, size_t len);
/* Return: the neighbour of the sink that sends to the sink at stage @stage. */
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
bool coordinator_knows_no_future(void);
bool numbers_of_rings_last(void);
bool messages_of_coordinators_are_valid(void);
bool assignments_fit_the_links(void);
bool failures_follow_the_assignments(void);

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
