// SPDX-License-Identifier: GPL-2.0
/*
 * Values with their units, as text.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "hcctl.h"

const char *out_time(char *buf, uint64_t ns)
{
	if (ns < 1000)
		snprintf(buf, OUT_BUF, "%" PRIu64 "ns", ns);
	else if (ns < 1000000)
		snprintf(buf, OUT_BUF, "%.6gus", ns / 1e3);
	else if (ns < 1000000000)
		snprintf(buf, OUT_BUF, "%.6gms", ns / 1e6);
	else
		snprintf(buf, OUT_BUF, "%.9gs", ns / 1e9);
	return buf;
}

/* A unit: its name, and its size as a multiple of the smallest unit. */
struct unit {
	const char *name;
	uint64_t size;
};

/* Print a value in the unit @unit, with as many decimals as needed. Units are powers of ten of the
 * smallest unit.
 */
static void in_unit(char *buf, uint64_t v, const struct unit *unit)
{
	uint64_t rest = v % unit->size, tenth = unit->size;
	int n = snprintf(buf, OUT_BUF, "%" PRIu64 "%s", v / unit->size, rest ? "." : "");

	for (; rest; rest %= tenth) {
		tenth /= 10;
		n += snprintf(buf + n, OUT_BUF - n, "%u", (unsigned int)(rest / tenth));
	}
	snprintf(buf + n, OUT_BUF - n, "%s", unit->name);
}

/* Print a value exactly, in the unit that makes the text shortest, as in 5ms, 2.5ms and 1001us.
 * Units larger than the value are not used. If the texts in several units are equally short, the
 * largest of these units is used. @units begins with the smallest unit, whose size is 1.
 */
static const char *exact(char *buf, uint64_t v, const struct unit *units, size_t n)
{
	char text[OUT_BUF];
	size_t i;

	in_unit(buf, v, units);
	for (i = 1; i < n && units[i].size <= v; i++) {
		in_unit(text, v, &units[i]);
		if (strlen(text) <= strlen(buf))
			strcpy(buf, text);
	}
	return buf;
}

#define EXACT(buf, v, units) exact(buf, v, units, sizeof(units) / sizeof(*(units)))

const char *out_exact_time(char *buf, uint64_t ns)
{
	static const struct unit units[] = {
		{ "ns", 1 }, { "us", 1000 }, { "ms", 1000000 }, { "s", 1000000000 },
	};

	return EXACT(buf, ns, units);
}

const char *out_rate(char *buf, uint64_t bytes_per_second)
{
	static const struct unit bits[] = {
		{ "bit", 1 }, { "kbit", 1000 }, { "mbit", 1000000 }, { "gbit", 1000000000 },
		{ "tbit", 1000000000000 },
	};
	static const struct unit bytes[] = { { "bps", 1 } };

	if (bytes_per_second > UINT64_MAX / 8)
		return EXACT(buf, bytes_per_second, bytes);
	return EXACT(buf, 8 * bytes_per_second, bits);
}

const char *out_percent(char *buf, uint32_t ppm)
{
	snprintf(buf, OUT_BUF, "%g%%", ppm / 1e4);
	return buf;
}

const char *out_bits(char *buf, uint32_t u, unsigned int dim)
{
	unsigned int d;

	for (d = 0; d < dim; d++)
		buf[dim - 1 - d] = u & hc_bit(d) ? '1' : '0';
	buf[dim] = 0;
	return buf;
}

const char *out_subcube(char *buf, uint32_t base, uint32_t dims, unsigned int dim)
{
	unsigned int d;

	out_bits(buf, base, dim);
	for (d = 0; d < dim; d++)
		if (dims & hc_bit(d))
			buf[dim - 1 - d] = 'X';
	return buf;
}
