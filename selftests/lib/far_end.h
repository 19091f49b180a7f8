/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A test program plays the remote machine of a trunk with these functions. For records see
 * module/wire_trunk.h.
 */
#ifndef _HC_FAR_END_H
#define _HC_FAR_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Lengths in bytes of the header of a record, and of struct hc_hdr, the header of a frame. */
#define FAR_RECORD	16
#define FAR_HDR		40
/* HC_TRUNK_VERSION, HC_WIRE_VERSION */
#define FAR_VERSION	8
#define FAR_WIRE	5

/* HC_FRAME_LSA */
#define FAR_LSA		10

enum { FAR_HELLO = 1, FAR_ALIVE, FAR_STATE, FAR_FRAME, FAR_ASK, FAR_ANSWER };

void far_put16(uint8_t *p, uint16_t v);
void far_put32(uint8_t *p, uint32_t v);
uint32_t far_get32(const uint8_t *p);
/* Write the header of a record (struct hc_wire_record) to @p; its digests remain 0. */
void far_record(uint8_t *p, uint32_t len, uint8_t what, uint8_t flags, uint16_t node);
/* Send @n bytes. Return: false if the stream has ended. */
bool far_say(int fd, const void *p, size_t n);
/* Write the next sequence number of its link into the frame of a record, if frames of its type have
 * one.
 */
void far_number(uint8_t *record);
/* Write the digests (CRC32C) of the record at @p, whose header is followed by @n bytes. */
void far_digest(uint8_t *p, size_t n);
/* Send the greeting of a machine that holds a partition of a fabric of dimension @dim, for the
 * links along the dimensions @along (a mask). The partition has the nodes whose bits in the mask
 * @fixed have the value @base.
 */
bool far_greet_of(int fd, const char *fabric, unsigned int dim, unsigned int along, uint16_t fixed,
		  uint16_t base);
/* As far_greet_of(), for a fabric of dimension 3. */
bool far_greet(int fd, const char *fabric, unsigned int along, uint16_t fixed, uint16_t base);
/* Read @n bytes. Return: false if the other end has closed the stream. */
bool far_get(int fd, void *to, size_t n);
/* Announce that the end at the remote machine of the link to node @u is up. */
bool far_state(int fd, uint16_t u);
/* As far_state(), and announce that this end of the link has been cut @cuts times. */
bool far_state_cut(int fd, uint16_t u, uint16_t cuts);
/* Send node @u a link-state advertisement over its link along the dimension whose bit is set in
 * @along. The advertisement has the FAULT word @word of node @of, with version @version.
 */
bool far_word(int fd, const char *fabric, uint16_t along, uint16_t u, uint16_t of, uint16_t word,
	      uint32_t version);
/* Run "hcctl trunk add FABRIC DIM" with @fd as the connected stream and with digests turned off.
 * Return: its exit status; -1 if it could not be run.
 */
int far_hand_over(const char *fabric, const char *dim, int fd);
/* As far_hand_over(), with one end of a new socket pair. Return: the other end, or -1. */
int far_trunk(const char *fabric, const char *dim);

#endif /* _HC_FAR_END_H */
