/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Between the files of hcctl trunk.
 */
#ifndef _HCCTL_TRUNK_H
#define _HCCTL_TRUNK_H

#include "cmd.h"

/* Where listen and connect meet unless told otherwise: "hc". */
#define TRUNK_PORT "26723"

/**
 * struct trunk_ends - what both ends of a trunk have to agree on
 * @fabric: the fabric here
 * @dim: dimension of the links; NL_NONE: what the other end says
 * @far: the nodes there, as far as they are known
 * @keep: ms, 0: default
 * @no_plans: take no plans from there
 */
struct trunk_ends {
	struct nl_fabric fabric;
	uint32_t dim;
	struct nl_trunk_new far;
	uint32_t keep;
	bool no_plans;
};

/* --- trunk_meet.c --- */
/* Talk to the program at the other end of @fd, until both agree: fills what was not known. */
int trunk_meet(struct hcctl *h, int fd, struct trunk_ends *e);

/* --- trunk_dial.c --- */
/* A descriptor of a connection, or a negative errno with a complaint. */
int trunk_connect(struct hcctl *h, const char *where);
/* One that waits for connections. */
int trunk_listen(struct hcctl *h, const char *where);

#endif /* _HCCTL_TRUNK_H */
