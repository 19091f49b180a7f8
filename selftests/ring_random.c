// SPDX-License-Identifier: GPL-2.0
/*
 * Plans of rings that repair themselves while operations are under way: random faults at random
 * times, also while the plan is being repaired.
 *
 * Scheduling: alone
 */
#include <unistd.h>

#include "ktap.h"
#include "ring_trial.h"

/* Wait for some seconds at most until the plan is no longer broken. It may remain broken if faults
 * divide the cube into several parts, which is no error.
 */
static void repaired_wait(const struct trial *t)
{
	uint64_t end = deadline(3);
	struct ring_view v;

	do
		usleep(1000);
	while (now_ms() < end && !ctl_ring_get(t->c.name, TRIAL_PLAN, &v) && v.broken);
}

static bool all_contribute(struct trial *t)
{
	bool fine = true;
	unsigned int u;

	for (u = 0; fine && u < t->c.nodes; u++)
		if (!hc_set_has(t->c.faults->dead, u)) {
			hc_set_add(t->who[t->p[u].sent], u);
			fine = trial_contribute(t, u);
		}
	return fine;
}

/* Cause random faults in a random state of the operations. @waits: cause more faults, each after
 * the previous fault was repaired, and let a node fail between the two operations; otherwise faults
 * also occur while the plan is being repaired. Return: true if operations go on in each part of the
 * cube.
 */
static bool random_trial(unsigned int dim, bool waits)
{
	const struct trial_variant *v = &trial_variants[below(ARRAY_SIZE(trial_variants))];
	struct trial t = { .chunks = v->chunks, .notify = v->notify };
	unsigned int faults, n = 0;
	bool fine = trial_begin(&t, dim, v->width) && all_contribute(&t);

	fine = fine && trial_some_read(&t, below(2 * t.c.nodes * t.c.nodes * v->chunks));
	fine = fine && (waits || all_contribute(&t));
	fine = fine && trial_some_read(&t, below(4 * t.c.nodes * t.c.nodes * v->chunks));
	for (faults = 1 + below(3) + 3 * waits; faults; faults--) {
		trial_fail(&t, below(2) && (n || !waits) ? -1 : (int)below(t.c.nodes),
			   below(dim * t.c.nodes / 2));
		n++;
		if (waits)
			repaired_wait(&t);
		/* Let the nodes contribute to the second operation without the node that has
		 * failed. Some members are in this operation then, others in the first one.
		 */
		if (waits && n == 1)
			fine = fine && all_contribute(&t) &&
			       trial_some_read(&t, below(2 * t.c.nodes * t.c.nodes * v->chunks));
		if (!waits && below(2))
			usleep(below(3000));
		if (below(2))
			fine = fine && trial_some_read(&t, below(t.c.nodes * t.c.nodes));
	}
	fine = fine && trial_parts_go_on(&t);
	if (!fine)
		printf("# dim %u, width %u, %u slices%s, %u faults\n", dim, v->width, v->chunks,
		       v->notify ? ", acknowledged" : "", n);
	return trial_end(&t) && fine;
}

static bool random_trials(unsigned int dim, unsigned int n, bool waits)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!random_trial(dim, waits))
			return false;
	return true;
}

TEST(ring_operations_continue_after_random_faults_of_eight_nodes)
{
	ASSERT_TRUE(random_trials(3, scaled(100), false));
}

TEST(ring_operations_continue_after_random_faults_of_sixteen_nodes)
{
	ASSERT_TRUE(random_trials(4, scaled(20), false));
}

TEST(ring_operations_continue_after_random_faults_of_32_nodes)
{
	ASSERT_TRUE(random_trials(5, scaled(6), false));
}

TEST(ring_operations_continue_after_random_faults_of_64_nodes)
{
	ASSERT_TRUE(random_trials(6, scaled(3), false));
}

TEST(ring_operations_continue_after_successive_random_faults)
{
	ASSERT_TRUE(random_trials(4, scaled(50), true));
}

TEST_HARNESS_MAIN
