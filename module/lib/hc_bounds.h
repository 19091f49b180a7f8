/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The values that a link begins with, and the bounds within which they can be set: the kernel
 * refuses others, and the tool refuses them before it asks.
 */
#ifndef _HC_BOUNDS_H
#define _HC_BOUNDS_H

/* The time model of a link at first: ns, and bytes/s: 10 Gbit/s. */
#define HC_LATENCY_DEFAULT	1000ULL
#define HC_BANDWIDTH_DEFAULT	1250000000ULL
/* A thousand seconds: sums over any path stay far from 64 bits. */
#define HC_LATENCY_MAX		1000000000000ULL

#define HC_DELAY_MAX		1000000000ULL	/* ns, with jitter twice that */
#define HC_RATE_MIN		32000ULL	/* bytes/s: 256 kbit/s */

#define HC_FLAP_MIN		10	/* ms, either time */
#define HC_FLAP_MAX		1000000

#endif /* _HC_BOUNDS_H */
