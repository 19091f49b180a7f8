// SPDX-License-Identifier: GPL-2.0
/*
 * See check.h.
 */
#include <stdlib.h>

#include "check.h"
#include "plan.h"

unsigned int rnd(unsigned int below)
{
	static uint64_t x = 88172645463325252u;

	x ^= x << 13;
	x ^= x >> 7;
	x ^= x << 17;
	return (unsigned int)(x >> 32) % below;
}

int with_cause(int err, const char *why)
{
	if (err && !why)
		abort();
	return err;
}

void faults_print(const struct hc_faults *f)
{
	unsigned int d;
	uint32_t u;

	printf("# n=%u faults", f->dim);
	for (u = 0; u < hc_nodes(f->dim); u++) {
		if (hc_set_has(f->dead, u))
			printf(" node %u", u);
		for (d = 0; d < f->dim; d++)
			if (f->fault[u] >> d & 1 && u < (u ^ 1u << d))
				printf(" %u-%u", u, u ^ (1u << d));
	}
	printf("\n");
}

unsigned int dims_of(const char *text, uint8_t *dims)
{
	unsigned int i;

	for (i = 0; text[i]; i++)
		dims[i] = (uint8_t)(text[i] - '0');
	return i;
}

bool dims_are(const char *text, const uint8_t *dims, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (dims[i] != text[i] - '0')
			return false;
	return !text[i];
}
