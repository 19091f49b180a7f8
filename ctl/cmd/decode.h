/* SPDX-License-Identifier: GPL-2.0 */
/*
 * hcctl decode: frames that a monitor interface has captured.
 */
#ifndef _HCCTL_DECODE_H
#define _HCCTL_DECODE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "hcctl.h"

/* --- decode_file.c: files in tcpdump's format --- */

/**
 * struct capture_frame - a frame of a capture
 * @ns: time since 1970
 * @bytes: captured bytes; valid until the next frame is read
 * @captured: number of captured bytes
 * @len: length of the frame on the interface
 */
struct capture_frame {
	uint64_t ns;
	const uint8_t *bytes;
	size_t captured;
	size_t len;
};

struct capture;

/* Open a capture; @file NULL: standard input. Return: NULL after printing an error. */
struct capture *capture_open(struct hcctl *h, const char *file);
/* Read the next frame. Return: 1; 0 at the end, or after an error, which is printed and sets *@rc
 * to HC_NO.
 */
int capture_next(struct hcctl *h, struct capture *c, struct capture_frame *frame, int *rc);
void capture_close(struct capture *c);

/* --- decode_frame.c --- */

/**
 * struct decoded - contents of a frame; the names are those of struct hc_hdr and of the headers of
 * the frame types
 * @wrong: what is wrong with the frame, or NULL; if it is set, only the headers in front of the
 *	error are valid
 * @known: the last header that is valid; DECODED_COPY is alone, the others follow each other in
 *	this order
 */
struct decoded {
	const char *wrong;
	enum { DECODED_LINK = 1, DECODED_FRAME, DECODED_COPY, DECODED_PLAN, DECODED_DATA } known;
	/* DECODED_LINK: the record of the monitor interface */
	uint32_t from;
	uint32_t to;
	uint32_t dim;
	bool replayed;	/* the frame was sent again after failed attempts */
	/* DECODED_FRAME: the common header */
	uint8_t type;
	uint8_t flags;
	uint32_t fabric;
	uint32_t src;
	uint32_t dst;
	uint32_t seq;
	uint32_t len;
	uint32_t walk;
	uint32_t walked;
	uint32_t way;
	uint32_t step;
	uint64_t time;
	/* DECODED_COPY: the header of a datagram's copy; then no others follow */
	uint64_t nr;
	uint8_t copies;
	uint8_t copy;
	uint8_t hop;
	/* DECODED_PLAN: the header of plan frames */
	uint32_t plan;
	uint32_t epoch;
	uint64_t op;
	/* DECODED_DATA: the header of DATA frames */
	uint64_t offset;
	uint64_t total;
	uint32_t index;
	uint8_t collective;
	uint8_t oper;
	uint8_t dtype;
	uint8_t stage;
	bool down;
};

/* Decode a frame into @d, even if its contents are wrong. Return: false if it is not from a monitor
 * interface.
 */
bool decode_frame(const struct capture_frame *frame, struct decoded *d);
/* Return: the name of the type, such as "data"; NULL if there is no such type. */
const char *decode_type(const struct decoded *d);
bool decode_routed(const struct decoded *d);
/* Return: true if the plan fixes the frame's path (FIXED); then the path has d->way links. */
bool decode_fixed(const struct decoded *d);
bool decode_flooded(const struct decoded *d);

#endif /* _HCCTL_DECODE_H */
