/* SPDX-License-Identifier: GPL-2.0 */
/* The fabric that frames are injected into, with plans and operations under way. */
#ifndef _HC_FUZZ_LIVE_H
#define _HC_FUZZ_LIVE_H

#include "cube.h"
#include "frame.h"

#define LIVE_TREE	1
#define LIVE_BCAST	2
#define LIVE_DOUBLING	3
#define LIVE_OTHER	4	/* a tree to another sink */
#define LIVE_RINGS	5	/* they repair themselves */

/* False: there is no fabric. */
bool live_open(struct cube *c, struct moment *m, unsigned int dim);
/* Close all sockets: before new plans come, which miss none of them then. */
void live_leave(struct cube *c);
/* New plans, around new faults now and then, without sockets: all that was under way ends. */
bool live_reset(struct cube *c, struct moment *m, bool faults);
/* Sockets anew. */
void live_bind(struct cube *c);
/* Contributions of most members to one operation; take what has come. */
void live_step(struct cube *c, const struct moment *m);
/* Note which plans there are. */
void live_plans(struct cube *c, struct moment *m);
/* Note how far the plans are. */
void live_look(struct cube *c, struct moment *m);
/* No operation is pending in any plan. */
bool live_idle(struct cube *c);
/* Does a message arrive from each node at each? */
bool live_dgrams(struct cube *c);
/* Does the fabric do what it should? */
bool live_works(struct cube *c, struct moment *m);

/* Frames on the links: false if there is none, or none that is of use. */
bool tap_open(const struct cube *c);
bool tap_next(const struct moment *m, struct frame *f);

#endif /* _HC_FUZZ_LIVE_H */
