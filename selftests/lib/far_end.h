/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The other machine of a trunk, played by a program; see module/wire_trunk.h.
 */
#ifndef _HC_FAR_END_H
#define _HC_FAR_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes in front of what a record announces, and of struct hc_hdr. */
#define FAR_RECORD	16
#define FAR_HDR		40
/* HC_TRUNK_VERSION, HC_WIRE_VERSION */
#define FAR_VERSION	6
#define FAR_WIRE	5

/* HC_FRAME_LSA */
#define FAR_LSA		10

enum { FAR_HELLO = 1, FAR_ALIVE, FAR_STATE, FAR_FRAME, FAR_ASK, FAR_ANSWER };

void far_put16(uint8_t *p, uint16_t v);
void far_put32(uint8_t *p, uint32_t v);
uint32_t far_get32(const uint8_t *p);
/* struct hc_wire_record, without digests */
void far_record(uint8_t *p, uint32_t len, uint8_t what, uint8_t flags, uint16_t node);
/* False: the stream has ended. */
bool far_say(int fd, const void *p, size_t n);
/* A frame's record: the frame gets the next number of its link, if its type has one. */
void far_number(uint8_t *record);
/* That of a record of @n bytes behind it gets its digests. */
void far_digest(uint8_t *p, size_t n);
/* As a machine with a part of a fabric of dimension @dim, whose nodes share the bits @fixed, which
 * are @base, does for the links along @along.
 */
bool far_greet_of(int fd, const char *fabric, unsigned int dim, unsigned int along, uint16_t fixed,
		  uint16_t base);
/* The same for one of dimension 3. */
bool far_greet(int fd, const char *fabric, unsigned int along, uint16_t fixed, uint16_t base);
/* Read @n bytes; false: the other end has hung up. */
bool far_get(int fd, void *to, size_t n);
/* The link of node @u there is up. */
bool far_state(int fd, uint16_t u);
/* The same; its end there has been cut so often. */
bool far_state_cut(int fd, uint16_t u, uint16_t cuts);
/* A frame to node @u, over a link along the dimension of bit @along, by which node @of has version
 * @version of its FAULT word: @word.
 */
bool far_word(int fd, const char *fabric, uint16_t along, uint16_t u, uint16_t of, uint16_t word,
	      uint32_t version);
/* Let "hcctl trunk add FABRIC DIM" have @fd, without digests.  Its status; -1: it was not run. */
int far_hand_over(const char *fabric, const char *dim, int fd);
/* A pair of sockets, of which the one was handed over: the other, or -1. */
int far_trunk(const char *fabric, const char *dim);

#endif /* _HC_FAR_END_H */
