// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trunk: the negotiation between the two ends, before the kernel gets the connection. Each
 * end sends two lines: an offer, which has its attributes; and after it has received the other
 * end's offer, whether it accepts that: "ok", or "no" and a sentence. No byte after these lines is
 * read, because the bytes that follow are for the kernel.
 */
#include <ctype.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "trunk.h"

#define GREETING	"hypercube-trunk"
#define VERSION		1
#define LINE_MAX_	256
/* The first byte that a peer which speaks TLS sends. */
#define RECORD_HANDSHAKE 22

static int say(struct hcctl *h, int fd, const char *line)
{
	size_t len = strlen(line);

	if (send(fd, line, len, MSG_NOSIGNAL) == (ssize_t)len)
		return 0;
	hc_error(h, "the connection broke: %s", strerror(errno));
	return -EPIPE;
}

int64_t trunk_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

bool trunk_comes(int fd, int64_t end)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	int64_t left;
	int n = 0;

	do {
		left = end - trunk_now();
		if (left > 0)
			n = poll(&p, 1, left);
	} while (left > 0 && n < 0 && errno == EINTR);
	return n > 0;
}

/* Print an error: the other end has closed the connection. @err is the errno of read(), or 0. With
 * TLS, read() fails with EIO if the next record is an alert, which has the reason. Return:
 * -ECONNRESET.
 */
static int hung_up(struct hcctl *h, int err, int fd)
{
	const char *why = err == EIO ? trunk_tls_alert(fd) : NULL;

	if (why)
		hc_error(h, "the other end has hung up: %s", why);
	else
		hc_error(h, "the other end has hung up");
	return -ECONNRESET;
}

/* Receive a line of printable characters, without the newline, until the time @end. Read it byte by
 * byte, so that no byte after the line is read.
 */
static int receive_line(struct hcctl *h, int fd, int64_t end, char *line)
{
	size_t n = 0;
	ssize_t got;

	while (n < LINE_MAX_ - 1) {
		if (!trunk_comes(fd, end)) {
			hc_error(h, "the other end does not answer");
			return -ETIMEDOUT;
		}
		got = read(fd, line + n, 1);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return hung_up(h, got ? errno : 0, fd);
		if (line[n] == '\n') {
			line[n] = 0;
			return 0;
		}
		if (!isprint((unsigned char)line[n]))
			break;
		n++;
	}
	hc_error(h, !n && *line == RECORD_HANDSHAKE ? "the other end wants TLS" :
						      "the other end is no hcctl trunk");
	return -EPROTO;
}

/* The offer of the other end: attributes of its fabric and of the trunk. */
struct offer {
	char name[HYPERCUBE_NAME_MAX];
	uint32_t id;
	uint32_t dim;
	uint32_t segment;
	uint32_t along;	/* dimension of the links; NL_NONE: this end is to determine it */
	uint32_t fixed;	/* subcube mask of the other end's partition */
	uint32_t base;	/* subcube value of the other end's partition */
	uint32_t life;	/* boot id of the other end's fabric, see nl_fabric.life; 0: not known */
};

static void offer_print(char *line, const struct trunk_ends *e)
{
	const struct nl_fabric *f = &e->fabric;
	char part[OUT_BUF], along[16] = "-";

	if (e->dim != NL_NONE)
		snprintf(along, sizeof(along), "%u", e->dim);
	snprintf(line, LINE_MAX_, GREETING " %d %s %u %u %u %s %s %u\n", VERSION, f->name, f->id,
		 f->dim, f->segment, along,
		 cmd_part_text(part, f->dim, f->subcube_mask, f->subcube_value), f->life);
}

/* Parse a subcube such as "0XX" into @o->fixed and @o->base. Return: false if @word is not a
 * subcube.
 */
static bool part_read(const char *word, uint32_t dim, struct offer *o)
{
	uint32_t d;

	o->fixed = 0;
	o->base = 0;
	if (strlen(word) != dim)
		return false;
	for (d = 0; d < dim; d++) {
		char c = word[dim - 1 - d];

		if (c != '0' && c != '1' && c != 'X')
			return false;
		o->fixed |= c == 'X' ? 0 : hc_bit(d);
		o->base |= c == '1' ? hc_bit(d) : 0;
	}
	return true;
}

static int offer_read(struct hcctl *h, const char *line, struct offer *o)
{
	char along[16], part[HYPERCUBE_DIM_MAX + 1];
	unsigned int version = 0;
	uint64_t v;

	if (sscanf(line, GREETING " %u", &version) != 1 || version != VERSION) {
		hc_error(h, version ? "the other end speaks version %u, not %u" :
				      "the other end is no hcctl trunk", version, VERSION);
		return -EPROTO;
	}
	if (sscanf(line, GREETING " %*u %10s %u %u %u %15s %12s %u", o->name, &o->id, &o->dim,
		   &o->segment, along, part, &o->life) < 6 ||
	    !o->dim || o->dim > HYPERCUBE_DIM_MAX || !part_read(part, o->dim, o) ||
	    (strcmp(along, "-") && hc_number(along, HYPERCUBE_DIM_MAX - 1, &v))) {
		hc_error(h, "the other end says what makes no sense: %s", line);
		return -EPROTO;
	}
	o->along = strcmp(along, "-") ? v : NL_NONE;
	return 0;
}

/* Check the offer @o. Return: true if this end cannot accept it; the reason is written into @why.
 */
static bool reason(const struct trunk_ends *e, const struct offer *o, char *why)
{
	const struct nl_fabric *f = &e->fabric;
	char local[OUT_BUF], there[OUT_BUF];

	if (strcmp(f->name, o->name))
		snprintf(why, LINE_MAX_, "the fabrics are %s and %s", f->name, o->name);
	else if (f->id != o->id)
		snprintf(why, LINE_MAX_, "the ids of the fabrics are %u and %u", f->id, o->id);
	else if (f->dim != o->dim)
		snprintf(why, LINE_MAX_, "the dimensions of the fabrics are %u and %u", f->dim,
			 o->dim);
	else if (f->segment != o->segment)
		snprintf(why, LINE_MAX_, "the segments are of %u and of %u bytes", f->segment,
			 o->segment);
	else if (e->dim == NL_NONE || e->dim >= f->dim)
		snprintf(why, LINE_MAX_, "no end has named a dimension of the fabric");
	else if (o->along != NL_NONE && o->along != e->dim)
		snprintf(why, LINE_MAX_, "the dimensions of the links are %u and %u", e->dim,
			 o->along);
	else if ((f->subcube_mask & o->fixed & (f->subcube_value ^ o->base)) != hc_bit(e->dim))
		snprintf(why, LINE_MAX_, "nodes %s and %s have no links along dimension %u",
			 cmd_part_text(local, f->dim, f->subcube_mask, f->subcube_value),
			 cmd_part_text(there, o->dim, o->fixed, o->base), e->dim);
	else
		return false;
	return true;
}

/* Return: true if trunk @t carries the links that are offered, but to another machine, which is
 * still reachable. If the fabric was made again on the same host, @t leads to its predecessor and
 * may be replaced.
 */
static bool leads_elsewhere(const struct nl_trunk *t, const struct trunk_ends *e,
			    const struct offer *o, const struct sockaddr_storage *peer)
{
	struct sockaddr_storage other = {};

	memcpy(&other, t->peer, t->peer_len);
	return t->dim == e->dim && t->subcube_mask == o->fixed && t->subcube_value == o->base &&
	       t->established && t->life && t->life != o->life && t->silence <= t->keepalive / 2 &&
	       t->peer_len && !trunk_same_host(&other, peer, 16);
}

/* If another machine already has the nodes that the other end offers, write into @why that the
 * offer is refused for this reason.
 */
static void check_held(struct hcctl *h, int fd, const struct trunk_ends *e, const struct offer *o,
		       char *why)
{
	struct sockaddr_storage peer = {};
	char part[OUT_BUF], text[TRUNK_PEER_TEXT];
	socklen_t len = sizeof(peer);
	struct nl_trunk *v;
	size_t n, i;

	getpeername(fd, (struct sockaddr *)&peer, &len);
	if (nl_trunks(h, e->fabric.name, &v, &n))
		return;
	for (i = 0; i < n; i++)
		if (leads_elsewhere(&v[i], e, o, &peer))
			snprintf(why, LINE_MAX_, "nodes %s are held by another machine, %s",
				 cmd_part_text(part, o->dim, o->fixed, o->base),
				 trunk_peer_text(text, (const struct sockaddr *)v[i].peer,
						 v[i].peer_len));
	free(v);
}

/* Send whether this end accepts the offer (@why is the reason if not, or ""), and receive whether
 * the other end does. Return: 0 if both ends accept.
 */
static int outcomes(struct hcctl *h, int fd, int64_t end, const char *why)
{
	char line[LINE_MAX_ + 8];
	int rc;

	snprintf(line, sizeof(line), *why ? "no %s\n" : "ok\n", why);
	rc = say(h, fd, line);
	if (*why) {
		hc_error(h, "the ends do not fit: %s", why);
		return HC_NO;
	}
	rc = rc ?: receive_line(h, fd, end, line);
	if (rc || !strcmp(line, "ok"))
		return rc;
	hc_error(h, "the other end refuses: %s", strncmp(line, "no ", 3) ? line : line + 3);
	return HC_NO;
}

int trunk_meet(struct hcctl *h, int fd, struct trunk_ends *e)
{
	int64_t end = trunk_now() + TRUNK_TIMEOUT;
	char line[LINE_MAX_], why[LINE_MAX_] = "";
	struct offer o = {};
	int rc;

	offer_print(line, e);
	rc = say(h, fd, line) ?: receive_line(h, fd, end, line);
	if (!rc && !strncmp(line, "no ", 3)) {
		hc_error(h, "the other end refuses: %s", line + 3);
		rc = HC_NO;
	}
	rc = rc ?: offer_read(h, line, &o);
	if (rc)
		return rc;
	if (e->dim == NL_NONE)
		e->dim = o.along;
	if (!reason(e, &o, why))
		check_held(h, fd, e, &o, why);
	rc = outcomes(h, fd, end, why);
	e->far = (struct nl_trunk_new){
		.fd = fd, .dim = e->dim, .far = true, .fixed = o.fixed, .base = o.base,
		.keep = e->keep, .no_plans = e->no_plans, .digest = e->digest,
		.replace = true,
	};
	return rc;
}
