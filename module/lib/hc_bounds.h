/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Defaults of a link's parameters, and the bounds within which they can be set: the kernel refuses
 * other values, and the tool refuses them before it asks the kernel.
 */
#ifndef _HC_BOUNDS_H
#define _HC_BOUNDS_H

/* Defaults of the time model: the latency in ns, and the bandwidth in bytes/s (10 Gbit/s). */
#define HC_LATENCY_DEFAULT	1000ULL
#define HC_BANDWIDTH_DEFAULT	1250000000ULL
/* 1000 s. The sum of the latencies of a path is far below 2^64 ns even if each is so long. */
#define HC_LATENCY_MAX		1000000000000ULL

#define HC_DELAY_MAX		1000000000ULL	/* ns; jitter can double a delay */
#define HC_RATE_MIN		32000ULL	/* bytes/s: 256 kbit/s */

#define HC_FLAP_MIN		10	/* ms; for both times of a flapping link: down and up */
#define HC_FLAP_MAX		1000000

#endif /* _HC_BOUNDS_H */
