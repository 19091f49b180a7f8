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
 * @ns: time of the capture, ns since 1970
 * @bytes: captured bytes; valid until the next frame is read
 * @captured: number of bytes at @bytes
 * @len: length of the whole frame
 */
struct capture_frame {
	uint64_t ns;
	const uint8_t *bytes;
	size_t captured;
	size_t len;
};

struct capture;

/* Open a capture. If @file is NULL, read standard input. Return: the capture, or NULL after
 * printing an error.
 */
struct capture *capture_open(struct hcctl *h, const char *file);
/* Read the next frame of a capture into @frame. Return: 1; 0 at the end of the capture. After an
 * error, which is printed, return 0, too, and set *@rc to HC_NO.
 */
int capture_next(struct hcctl *h, struct capture *c, struct capture_frame *frame, int *rc);
void capture_close(struct capture *c);

/* --- decode_frame.c --- */

/**
 * struct decoded - contents of a frame; the members have the names of the fields of struct hc_hdr
 * and of the headers of the frame types
 * @wrong: what is wrong with the frame, or NULL; if it is not NULL, only the headers before the
 *	error are valid
 * @known: the last header that is valid. DECODED_LINK, DECODED_FRAME, DECODED_PLAN and DECODED_DATA
 *	follow each other in a frame; DECODED_COPY follows DECODED_FRAME
 */
struct decoded {
	const char *wrong;
	enum { DECODED_LINK = 1, DECODED_FRAME, DECODED_COPY, DECODED_PLAN, DECODED_DATA } known;
	/* DECODED_LINK: the record that the monitor interface has added */
	uint32_t from;
	uint32_t to;
	uint32_t dim;
	bool replayed;	/* the frame was sent again after a failed attempt */
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
	/* DECODED_COPY: the header of a copy of a datagram; no other header follows it */
	uint64_t nr;
	uint8_t copies;
	uint8_t copy;
	uint8_t hop;
	/* DECODED_PLAN: the header of a plan frame */
	uint32_t plan;
	uint32_t epoch;
	uint64_t op;
	/* DECODED_DATA: the header of a DATA frame */
	uint64_t offset;
	uint64_t total;
	uint32_t index;
	uint8_t collective;
	uint8_t oper;
	uint8_t dtype;
	uint8_t stage;
	bool down;
};

/* Decode a frame into @d. If its contents are invalid, d->wrong is set. Return: false if the frame
 * is not from a monitor interface.
 */
bool decode_frame(const struct capture_frame *frame, struct decoded *d);
/* Return: the name of the frame's type, such as "data"; NULL if the type is unknown. */
const char *decode_type(const struct decoded *d);
bool decode_routed(const struct decoded *d);
/* Return: true if the frame follows a path that a plan contains, such as a detour (flag FIXED). The
 * path has d->way links.
 */
bool decode_fixed(const struct decoded *d);
bool decode_flooded(const struct decoded *d);

#endif /* _HCCTL_DECODE_H */
