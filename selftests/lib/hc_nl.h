/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Generic netlink without a library, so that tests can send requests that no library would make.
 * Requests, including invalid ones, are built attribute by attribute.
 */
#ifndef _HC_NL_H
#define _HC_NL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <linux/genetlink.h>
#include <linux/hypercube.h>
#include <linux/netlink.h>

#define NL_BUF		(1 << 17)

/**
 * struct nl - a connection to the family
 * @fd: the netlink socket
 * @family: id of the family
 * @group: id of the multicast group "events"
 * @seq: number of the last request
 * @buf: the request being built
 * @len: number of bytes in @buf
 * @extack: text of the extended ACK of the last answer, or ""
 * @dump_intr: the kernel marked the last dump as inconsistent
 */
struct nl {
	int fd;
	uint16_t family;
	uint32_t group;
	uint32_t seq;
	char *buf;
	size_t len;
	char extack[256];
	bool dump_intr;
};

/* The attributes of one message of an answer, or of a nest. @cmd: the message's command; @first:
 * its first attribute; @len: bytes of all attributes.
 */
struct nl_attrs {
	int cmd;
	const struct nlattr *first;
	size_t len;
};

typedef void (*nl_cb)(void *arg, const struct nl_attrs *a);

/* Connect to the family. Return: 0 or -errno; -ENOENT if the kernel has no such family. */
int nl_open(struct nl *nl);
/* As nl_open(), with a socket that receives events. */
int nl_open_events(struct nl *nl);
void nl_shut(struct nl *nl);
/* Open @n connections. */
int nl_open_all(struct nl *nl, unsigned int n);
void nl_shut_all(struct nl *nl, unsigned int n);

void nl_begin(struct nl *nl, int cmd, int flags);
void nl_put(struct nl *nl, int type, const void *data, size_t len);
void nl_u8(struct nl *nl, int type, uint8_t v);
void nl_u32(struct nl *nl, int type, uint32_t v);
void nl_u64(struct nl *nl, int type, uint64_t v);
void nl_str(struct nl *nl, int type, const char *s);
/* Send the request that was built, with NLM_F_ACK or NLM_F_DUMP, and receive the answer. @cb is
 * called with each message of the answer. Return: 0 or -errno.
 */
int nl_talk(struct nl *nl, nl_cb cb, void *arg);
/* The two halves of nl_talk(): nl_submit() sends the request, nl_receive() receives the answer. */
int nl_submit(struct nl *nl);
int nl_receive(struct nl *nl, nl_cb cb, void *arg);
/* Wait up to @ms for the next event on a socket that receives events, and call @cb with it. Return:
 * 0 or -errno.
 */
int nl_listen(struct nl *nl, int ms, nl_cb cb, void *arg);
int nl_subscribe(struct nl *nl);

/* Return: the attribute of type @type with index @nth among those of this type, or NULL. */
const struct nlattr *nl_find(const struct nl_attrs *a, int type, unsigned int nth);
const void *nl_data(const struct nlattr *a);
uint32_t nl_get_u32(const struct nl_attrs *a, int type, uint32_t otherwise);
uint64_t nl_get_u64(const struct nl_attrs *a, int type, uint64_t otherwise);
/* Write the u32 and u64 attributes of an answer (nl_all_numbers()) or of a nest (nl_numbers()) to
 * @v, indexed by type, for all types less than @n. Write @otherwise for attributes that are absent.
 */
void nl_all_numbers(const struct nl_attrs *a, uint64_t *v, unsigned int n, uint64_t otherwise);
void nl_numbers(const struct nlattr *nest, uint64_t *v, unsigned int n, uint64_t otherwise);

#endif /* _HC_NL_H */
