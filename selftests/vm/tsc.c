// SPDX-License-Identifier: GPL-2.0
/*
 * Prints the frequency of the processor's time stamp counter in kHz.
 */
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

struct reading {
	long long ns;
	unsigned long long ticks;
};

/* Read both clocks at nearly the same time: the best of many attempts, as other programs may use
 * the processor, too.
 */
static struct reading reading(void)
{
	unsigned long long before, after, least = ~0ULL;
	struct reading best = {};
	struct timespec now;

	for (int i = 0; i < 100; i++) {
		before = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC_RAW, &now);
		after = __rdtsc();
		if (after - before >= least)
			continue;
		least = after - before;
		best.ns = now.tv_sec * 1000000000LL + now.tv_nsec;
		best.ticks = before + least / 2;
	}
	return best;
}

int main(void)
{
	const struct timespec pause = { .tv_nsec = 30000000 };
	struct reading begin = reading(), end;

	nanosleep(&pause, NULL);
	end = reading();
	printf("%.0f\n", (end.ticks - begin.ticks) * 1e6 / (end.ns - begin.ns));
	return 0;
}
