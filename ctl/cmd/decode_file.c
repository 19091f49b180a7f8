// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl decode: reading captures with libpcap.
 */
#include <dlfcn.h>
#include <errno.h>
#include <pcap/pcap.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decode.h"
#include "dlopen.h"

/**
 * struct capture - a capture that is being read
 * @open: the first of the pointers to functions of libpcap; the other pointers follow it
 * @library: libpcap
 * @pcap: libpcap's handle of the capture
 * @file: name of the capture for error messages
 */
struct capture {
	__typeof__(pcap_open_offline_with_tstamp_precision) *open;
	__typeof__(pcap_datalink) *link;
	__typeof__(pcap_next_ex) *next;
	__typeof__(pcap_geterr) *error;
	__typeof__(pcap_close) *close;
	void *library;
	pcap_t *pcap;
	const char *file;
};

static const struct load_library pcap = {
	.name = "libpcap",
	/* The name in Debian comes first. */
	.files = (const char * const []){ "libpcap.so.0.8", "libpcap.so.1", NULL },
	.symbols = (const struct load_symbol []){
		{ "pcap_open_offline_with_tstamp_precision", offsetof(struct capture, open) },
		{ "pcap_datalink", offsetof(struct capture, link) },
		{ "pcap_next_ex", offsetof(struct capture, next) },
		{ "pcap_geterr", offsetof(struct capture, error) },
		{ "pcap_close", offsetof(struct capture, close) },
		{}
	},
};

static int no_capture(struct hcctl *h, const struct capture *c, const char *why)
{
	hc_error(h, "cannot read %s: %s", c->file, why);
	return HC_NO;
}

/* Have libpcap open the file by its name. A stream cannot be passed to libpcap, because in a
 * statically linked program its type FILE differs from that of the library.
 */
static int start(struct hcctl *h, struct capture *c, const char *file)
{
	char why[PCAP_ERRBUF_SIZE] = "";

	if (file && access(file, R_OK))
		return no_capture(h, c, strerror(errno));
	c->pcap = c->open(file ?: "-", PCAP_TSTAMP_PRECISION_NANO, why);
	if (!c->pcap)
		return no_capture(h, c, why);
	if (c->link(c->pcap) != DLT_EN10MB)
		return no_capture(h, c, "it is not an Ethernet capture");
	return 0;
}

struct capture *capture_open(struct hcctl *h, const char *file)
{
	struct capture *c = calloc(1, sizeof(*c));

	if (!c) {
		hc_nomem(h);
		return NULL;
	}
	c->file = file ?: "standard input";
	c->library = load_library(h, &pcap, "cannot read captures", c);
	if (c->library && !start(h, c, file))
		return c;
	capture_close(c);
	return NULL;
}

int capture_next(struct hcctl *h, struct capture *c, struct capture_frame *frame, int *rc)
{
	struct pcap_pkthdr *header;
	int got = c->next(c->pcap, &header, &frame->bytes);

	if (got == PCAP_ERROR)
		*rc = no_capture(h, c, c->error(c->pcap));
	if (got != 1)
		return 0;
	/* The capture was opened with nanosecond precision, so tv_usec holds nanoseconds. */
	frame->ns = header->ts.tv_sec * 1000000000ULL + header->ts.tv_usec;
	frame->captured = header->caplen;
	frame->len = header->len > header->caplen ? header->len : header->caplen;
	return 1;
}

void capture_close(struct capture *c)
{
	if (c->pcap)
		c->close(c->pcap);
	if (c->library)
		dlclose(c->library);
	free(c);
}
