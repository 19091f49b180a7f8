// SPDX-License-Identifier: GPL-2.0
/* See handles.h. */
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "handles.h"

const struct hcl_params sum64 = {
	.plan = PLAN, .oper = HYPERCUBE_SUM, .type = HYPERCUBE_U64,
};

struct hcl *h[NODES];

int tool(const char *command)
{
	char line[256];

	snprintf(line, sizeof(line), "hcctl %s >/dev/null", command);
	return system(line);
}

bool set_up(void)
{
	unsigned int i;

	if (unshare(CLONE_NEWNET) ||
	    tool("fabric add " FABRIC " dim 3") ||
	    tool("tree find fabric " FABRIC " apply plan 1 sink 0"))
		return false;
	for (i = 0; i < NODES; i++) {
		if (hcl_open(&h[i], FABRIC, i))
			return false;
		hcl_set_timeout(h[i], 5000);
	}
	return true;
}

bool set_up_bcast(void)
{
	return set_up() && !tool("bcast plan fabric " FABRIC " source 5 apply plan 2");
}

int post(unsigned int i, const struct hcl_params *p, const void *in, size_t bytes,
	 void *out, size_t max, uint64_t *id)
{
	return hcl_post(h[i], p, in, bytes, i ? NULL : out, i ? 0 : max, id);
}

bool move_until(unsigned int u, uint64_t id)
{
	unsigned int i, idle = 0;

	while (!hcl_test(h[u], id)) {
		int moved = 0;

		for (i = 0; i < NODES; i++)
			moved |= h[i] ? hcl_progress(h[i], 0) : 0;
		if (moved < 0 || (!moved && ++idle > 10000))
			return false;
		if (!moved)
			usleep(1000);
	}
	return true;
}
