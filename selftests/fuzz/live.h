/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The fabric into which frames are injected, with plans and operations under way.
 */
#ifndef _HC_FUZZ_LIVE_H
#define _HC_FUZZ_LIVE_H

#include "cube.h"
#include "frame.h"

#define LIVE_TREE	1
#define LIVE_BCAST	2
#define LIVE_DOUBLING	3
#define LIVE_OTHER	4	/* a tree with another sink than the first tree */
#define LIVE_RINGS	5	/* rings with REPAIR */

/* Make the fabric, with plans and sockets. Return: false if that fails. */
bool live_open(struct cube *c, struct moment *m, unsigned int dim);
/* Close all sockets. Call this before new plans are installed, so that no new plan loses a member.
 */
void live_leave(struct cube *c);
/* Install new plans, with @faults sometimes around new faults, while no socket is open. All
 * operations under way end.
 */
bool live_reset(struct cube *c, struct moment *m, bool faults);
/* Bind all sockets again. */
void live_bind(struct cube *c);
/* Let most members contribute to an operation, and receive all that has arrived. */
void live_step(struct cube *c, const struct moment *m);
/* Record in @m which plans exist, with their epochs. */
void live_plans(struct cube *c, struct moment *m);
/* Record in @m the operation numbers and the generations of the plans. */
void live_look(struct cube *c, struct moment *m);
/* Wait until no operation is pending in any plan. */
bool live_idle(struct cube *c);
/* Return: true if a message from each node arrives at each node. */
bool live_dgrams(struct cube *c);
/* Return: true if the fabric works as it should. */
bool live_works(struct cube *c, struct moment *m);

/* Open the monitor interface to capture the frames on all links. Return: false if that fails. */
bool tap_open(const struct cube *c);
bool tap_next(const struct moment *m, struct frame *f);

#endif /* _HC_FUZZ_LIVE_H */
