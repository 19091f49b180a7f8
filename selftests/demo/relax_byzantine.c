// SPDX-License-Identifier: GPL-2.0
/*
 * The data that Byzantine processes send. For an honest process these functions change nothing.
 */
#include "relax.h"

const char *const lie_names[LIES] = {
	[HONEST] = "honest", [LIE_VALUE] = "value", [LIE_BLAME] = "blame", [LIE_FACES] = "faces",
	[LIE_LATE] = "late", [LIE_COVER] = "cover",
};

enum way lie_first(const struct relax *run, unsigned int cell)
{
	enum way way = NORTH;

	while (mesh_neighbour(&run->mesh, cell, way) < 0)
		way++;
	return way;
}

double lie_value(const struct relax *run, unsigned int cell, enum way to, double value, bool end)
{
	const struct byz *l = &run->byz[cell];

	switch (l->lie) {
	case LIE_VALUE:
	case LIE_BLAME:
		return l->value;
	case LIE_FACES:
		return to == lie_first(run, cell) ? l->value : value;
	case LIE_LATE:
		return end ? l->value : value;
	default:
		return value;
	}
}

/* Choose the neighbour that the claim of @cell quotes wrongly: if possible an accomplice, but not
 * the neighbour in direction @but. Return: its direction, or -1.
 */
static int scapegoat(const struct relax *run, unsigned int cell, int but)
{
	int found = -1;
	enum way way;

	for (way = 0; way < WAYS; way++) {
		int next = mesh_neighbour(&run->mesh, cell, way);

		if (next < 0 || (int)way == but)
			continue;
		if (run->byz[next].lie == LIE_COVER)
			return way;
		if (found < 0)
			found = way;
	}
	return found;
}

/* Change the value that the claim quotes for direction @by such that the claim fits the rule. */
static void make_fit(struct claim *c, int by)
{
	enum way way;

	if (by < 0)
		return;
	c->used[by] = WAYS * c->value;
	for (way = 0; way < WAYS; way++)
		if ((int)way != by)
			c->used[by] -= c->used[way];
}

void lie_claim(const struct relax *run, unsigned int cell, enum way to, struct claim *claim)
{
	const struct byz *l = &run->byz[cell];

	if (l->lie == HONEST || l->lie == LIE_COVER)
		return;
	claim->value = lie_value(run, cell, to, claim->value, true);
	if (l->lie == LIE_BLAME)
		make_fit(claim, scapegoat(run, cell, -1));
	if (l->lie == LIE_FACES)
		make_fit(claim, scapegoat(run, cell, (int)to));
}
