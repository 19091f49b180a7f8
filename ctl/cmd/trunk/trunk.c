// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trunk: connections to other machines that hold partitions of a fabric.
 */
#include <errno.h>
#include <inttypes.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <linux/vm_sockets.h>

#include "trunk.h"

/* LOOK_EVERY: microseconds between two checks of a trunk. AGAIN_*: minimum and maximum number of
 * microseconds between two attempts to connect. LIVED: if a trunk ends within this number of
 * milliseconds, the attempt to connect counts as failed.
 */
#define LOOK_EVERY	200000
#define AGAIN_MIN	100000
#define AGAIN_MAX	5000000
#define LIVED		1000

/* --- arguments --- */

/* Parse a keepalive time into ms. */
static int arg_keepalive(struct hcctl *h, const char *name, const char *word, void *dst)
{
	uint64_t ns = 0;
	int rc = arg_time(h, name, word, &ns);

	if (!rc && (ns < HYPERCUBE_TRUNK_KEEPALIVE_MIN * UINT64_C(1000000) ||
		    ns > HYPERCUBE_TRUNK_KEEPALIVE_MAX * UINT64_C(1000000)))
		return hc_invalid(h, name, word, "100ms to an hour is wanted");
	*(uint32_t *)dst = ns / 1000000;
	return rc;
}

static int arg_digest(struct hcctl *h, const char *name, const char *word, void *dst)
{
	bool on = !strcmp(word, "on");

	if (!on && strcmp(word, "off"))
		return hc_invalid(h, name, word, "on or off is wanted");
	*(enum nl_digest *)dst = on ? NL_DIGEST_ON : NL_DIGEST_OFF;
	return 0;
}

static int take_number(struct hcctl *h, const char *what, int *argc, char ***argv, uint32_t max,
		       uint32_t *to)
{
	const char *word = hc_take(h, what, argc, argv);
	uint64_t v;

	if (!word)
		return HC_USAGE;
	if (hc_number(word, max, &v))
		return hc_invalid(h, what, word, "a number is wanted");
	*to = v;
	return 0;
}

/* --- giving the connection to the kernel --- */

/* Return: true if trunk @t carries the same links as the new trunk @n. */
static bool is_of(const struct nl_trunk *t, const struct nl_trunk_new *n)
{
	return t->dim == n->dim && t->subcube_mask == n->fixed && t->subcube_value == n->base;
}

/* Find the installed trunk that carries the links of e->far. *@id is set to its id, or to 0 if
 * there is no such trunk.
 */
static int carried_by(struct hcctl *h, const struct trunk_ends *e, uint32_t *id)
{
	struct nl_trunk *v;
	size_t n, i;
	int rc = nl_trunks(h, e->fabric.name, &v, &n);

	*id = 0;
	for (i = 0; !rc && i < n; i++)
		if (is_of(&v[i], &e->far))
			*id = v[i].id;
	if (!rc)
		free(v);
	return rc;
}

int trunk_join(struct hcctl *h, int fd, struct trunk_ends *e, bool server)
{
	int rc = e->tls ? trunk_tls(h, fd, e->tls, server) : 0;

	rc = rc ?: trunk_meet(h, fd, e) ?: nl_trunk_add(h, e->fabric.name, &e->far);

	close(fd);
	return rc;
}

/* Parse the keywords that "connect" and "listen" have in common. */
static int take_words(struct hcctl *h, int argc, char **argv, struct trunk_ends *e, bool *keep,
		      bool *background)
{
	struct arg args[] = {
		{ "keepalive", arg_keepalive, &e->keep },
		{ "tls", arg_str, &e->tls },
		{ "digest", arg_digest, &e->digest },
		{ "persist", NULL, keep },
		{ "background", NULL, background },
		{ "no-plans", NULL, &e->no_plans },
		{}
	};
	int rc = hc_args(h, args, argc, argv);

	if (!rc && *background && !*keep)
		return hc_missing(h, "\"persist\" to go with \"background\"");
	return rc || !e->tls ? rc : trunk_tls_check(h, e->tls);
}

/* --- connect --- */

/* Wait until the trunk of @e ends. */
static int wait_end(struct hcctl *h, const struct trunk_ends *e)
{
	uint32_t id = 1;
	int rc = 0;

	while (!rc && id) {
		usleep(LOOK_EVERY);
		rc = carried_by(h, e, &id);
	}
	return rc;
}

static int connect_once(struct hcctl *h, const char *where, struct trunk_ends *e)
{
	int fd = trunk_connect(h, where);

	return fd < 0 ? fd : trunk_join(h, fd, e, false);
}

/* Connect again whenever the trunk has ended, until the fabric is removed. @rc is the outcome of
 * the first attempt to connect.
 */
static int connect_keep(struct hcctl *h, const char *where, struct trunk_ends *e, int rc)
{
	useconds_t again = AGAIN_MIN;
	uint32_t index = e->fabric.index;
	int64_t began = trunk_now();

	for (;;) {
		rc = rc ?: wait_end(h, e);
		if (nl_fabric(h, e->fabric.name, &e->fabric) || e->fabric.index != index)
			return rc;
		again = rc || trunk_now() - began < LIVED ? again * 2 : AGAIN_MIN;
		if (again > AGAIN_MAX)
			again = AGAIN_MAX;
		usleep(again);
		began = trunk_now();
		rc = connect_once(h, where, e);
	}
}

/* Connect. With @background, the process ends if the first attempt fails; if it succeeds, the
 * process continues in the background. With @keep, connect again when the trunk has ended.
 */
static int do_connect(struct hcctl *h, const char *where, struct trunk_ends *e, bool keep,
		      bool background)
{
	char purpose[320];
	bool taken = false;
	int rc = 0;

	snprintf(purpose, sizeof(purpose), "connect-%u-%s", e->dim, where);
	if (background)
		rc = trunk_claim(h, &e->fabric, purpose, &taken);
	if (rc || taken)
		return rc;
	rc = connect_once(h, where, e);
	if (background && !rc)
		rc = trunk_detach(h);
	else if (background)
		return rc;
	return keep ? connect_keep(h, where, e, rc) : rc;
}

static int cmd_connect(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv), *where;
	bool keep = false, background = false;
	struct trunk_ends e = {};
	int rc;

	if (!name || take_number(h, "DIM", &argc, &argv, HYPERCUBE_DIM_MAX - 1, &e.dim))
		return HC_USAGE;
	where = hc_take(h, "HOST[:PORT]", &argc, &argv);
	if (!where)
		return HC_USAGE;
	rc = take_words(h, argc, argv, &e, &keep, &background) ?:
	     nl_fabric(h, name, &e.fabric) ?:
	     live_need_cube(h, name, e.fabric.dim, "a trunk");
	return rc ?: do_connect(h, where, &e, keep, background);
}

/* --- listen --- */

/* Return: true if @word is a keyword of "listen"; otherwise it is an address. */
static bool is_word(const char *word)
{
	static const char * const words[] = {
		"persist", "keepalive", "background", "tls", "digest", "no-plans",
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(*words); i++)
		if (!strcmp(word, words[i]))
			return true;
	return false;
}

static int cmd_listen(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv), *where = "";
	struct trunk_ends e = { .dim = NL_NONE };
	bool keep = false, background = false;
	int rc;

	if (!name)
		return HC_USAGE;
	if (argc && !is_word(*argv)) {
		argc--;
		where = *argv++;
	}
	rc = take_words(h, argc, argv, &e, &keep, &background) ?:
	     nl_fabric(h, name, &e.fabric) ?:
	     live_need_cube(h, name, e.fabric.dim, "a trunk");
	return rc ?: trunk_serve(h, where, &e, keep, background);
}

/* --- add and del --- */

static int add(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv), *part = "";
	struct nl_trunk_new t = {};
	uint32_t fd = 0;
	struct nl_fabric f;
	struct arg args[] = {
		{ "fd", arg_u32, &fd, .required = true },
		{ "nodes", arg_str, &part },
		{ "keepalive", arg_keepalive, &t.keep },
		{ "digest", arg_digest, &t.digest },
		{ "no-plans", NULL, &t.no_plans },
		{}
	};
	int rc;

	if (!name || take_number(h, "DIM", &argc, &argv, HYPERCUBE_DIM_MAX - 1, &t.dim))
		return HC_USAGE;
	rc = hc_args(h, args, argc, argv) ?: nl_fabric(h, name, &f);
	if (!rc && *part)
		rc = cmd_part(h, part, f.dim, &t.fixed, &t.base);
	t.far = *part;
	t.fd = fd;
	return rc ?: nl_trunk_add(h, name, &t);
}

static int del(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv);
	uint32_t id;

	if (!name || take_number(h, "TRUNK", &argc, &argv, UINT32_MAX, &id) ||
	    hc_take_end(h, argc, argv))
		return HC_USAGE;
	return nl_trunk_del(h, name, id);
}

/* --- show --- */

enum { NAME, TRUNK, DIM, NODES, LINKS, STATE, PEER, KEEP, TX, TX_BYTES, RX, RX_BYTES, DROPPED };

static const struct out_column columns[] = {
	OUT_LEFT(NAME),
	OUT_RIGHT(TRUNK),
	OUT_RIGHT(DIM),
	OUT_LEFT(NODES),
	OUT_RIGHT(LINKS),
	OUT_LEFT(STATE),
	OUT_LEFT(PEER),
	OUT_RIGHT_AS(KEEP, "KEEPALIVE"),
	OUT_RIGHT(TX),
	OUT_RIGHT_AS(TX_BYTES, "TX-BYTES"),
	OUT_RIGHT(RX),
	OUT_RIGHT_AS(RX_BYTES, "RX-BYTES"),
	OUT_RIGHT(DROPPED),
	{}
};

const char *trunk_peer_text(char buf[TRUNK_PEER_TEXT], const struct sockaddr *peer, socklen_t len)
{
	const struct sockaddr_vm *vm = (const struct sockaddr_vm *)peer;
	char host[64], port[16];

	if (peer->sa_family == AF_UNIX)
		return "unix";
	if (peer->sa_family == AF_VSOCK && len >= sizeof(*vm)) {
		snprintf(buf, TRUNK_PEER_TEXT, "vsock:%u:%u", vm->svm_cid, vm->svm_port);
		return buf;
	}
	if (!len || getnameinfo(peer, len, host, sizeof(host), port, sizeof(port),
				NI_NUMERICHOST | NI_NUMERICSERV))
		return "?";
	snprintf(buf, TRUNK_PEER_TEXT, strchr(host, ':') ? "[%s]:%s" : "%s:%s", host, port);
	return buf;
}

static const char *peer_text(char buf[TRUNK_PEER_TEXT], const struct nl_trunk *t)
{
	struct sockaddr_storage peer = { .ss_family = t->family };

	memcpy(&peer, t->peer, t->peer_len);
	peer.ss_family = t->family;
	return trunk_peer_text(buf, (const struct sockaddr *)&peer, t->peer_len);
}

static void show_one(struct hcctl *h, const struct nl_trunk *t, const struct nl_fabric *f)
{
	char buf[OUT_BUF], peer[TRUNK_PEER_TEXT];

	out_object(h, NULL);
	out_cell(h, NAME);
	cmd_out_name(h, "fabric", t->fabric);
	out_number(h, TRUNK, "trunk", t->id);
	out_number(h, DIM, "dim", t->dim);
	out_cell(h, NODES);
	out_str(h, "nodes", "%s", cmd_part_text(buf, f->dim, t->subcube_mask, t->subcube_value));
	out_number(h, LINKS, "links", t->links);
	out_cell(h, STATE);
	out_bool(h, "established", NULL, t->established);
	out_text(h, "%s", t->established ? "up" : "waits");
	out_bool(h, "no_plans", " no-plans", t->no_plans);
	out_bool(h, "digest", " digest", t->digest);
	out_cell(h, PEER);
	out_str(h, "peer", "%s", peer_text(peer, t));
	out_cell(h, KEEP);
	out_uint(h, "keepalive_ms", NULL, t->keepalive);
	out_text(h, "%s", out_exact_time(buf, t->keepalive * UINT64_C(1000000)));
	out_number(h, TX, "tx_frames", t->tx_frames);
	out_number(h, TX_BYTES, "tx_bytes", t->tx_bytes);
	out_number(h, RX, "rx_frames", t->rx_frames);
	out_number(h, RX_BYTES, "rx_bytes", t->rx_bytes);
	out_number(h, DROPPED, "dropped", t->dropped);
	out_close(h);
}

static int show(struct hcctl *h, int argc, char **argv)
{
	const char *name = hc_take_fabric(h, &argc, &argv);
	struct nl_trunk *v = NULL;
	struct nl_fabric f;
	size_t n = 0, i;
	int rc;

	if (!name || hc_take_end(h, argc, argv))
		return HC_USAGE;
	rc = nl_fabric(h, name, &f) ?: nl_trunks(h, name, &v, &n);
	if (rc)
		return rc;
	out_table(h, columns);
	out_array(h, NULL);
	for (i = 0; i < n; i++)
		show_one(h, &v[i], &f);
	out_table_end(h);
	out_close(h);
	free(v);
	return 0;
}

#define KEEPS " [keepalive TIME] [tls CERT,KEY,CA[,NAME]] [digest { on | off }]" \
	      " [persist [background]] [no-plans]"

const struct hc_cmd trunk_cmds[] = {
	{ "connect", cmd_connect, "NAME DIM { HOST[:PORT] | unix:PATH | vsock:CID[:PORT] }" KEEPS },
	{ "listen", cmd_listen, "NAME [ADDRESS[:PORT] | unix:PATH | vsock:[CID][:PORT]]" KEEPS },
	{ "add", add,
	  "NAME DIM fd N [nodes SUBCUBE] [keepalive TIME] [digest { on | off }] [no-plans]" },
	{ "show", show, "NAME" },
	{ "del", del, "NAME TRUNK" },
	{}
};
