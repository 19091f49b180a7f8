// SPDX-License-Identifier: GPL-2.0
/*
 * hcctl trunk .. tls: both ends authenticate by certificates and agree on keys, by the library
 * GnuTLS. The kernel gets the keys for the socket, and encrypts all further data, beginning with
 * the offer of trunk_handshake.c. GnuTLS is loaded only if TLS is wanted, because loading it takes
 * longer than starting hcctl itself.
 */
#include <ctype.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <gnutls/gnutls.h>
#include <linux/tls.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "dlopen.h"
#include "trunk.h"

#ifndef TCP_ULP
#define TCP_ULP 31
#endif
#ifndef SOL_TLS
#define SOL_TLS 282
#endif
/* Type of a TLS alert record; the kernel's headers have no name for it. */
#define RECORD_ALERT 21

/* Allow only one cipher, which all kernels that support TLS have for both directions. Session
 * tickets are off, because the kernel accepts only data records.
 */
#define PRIORITIES "NONE:+VERS-TLS1.3:+AES-256-GCM:+AEAD:+SHA384:+GROUP-ALL:+SIGN-ALL:+ECDHE-RSA:+ECDHE-ECDSA"

/* Functions of GnuTLS, and the objects of a connection. */
struct tls {
	__typeof__(gnutls_certificate_allocate_credentials) *credentials_new;
	__typeof__(gnutls_certificate_free_credentials) *credentials_free;
	__typeof__(gnutls_certificate_set_x509_key_file) *set_key;
	__typeof__(gnutls_certificate_set_x509_trust_file) *set_trust;
	__typeof__(gnutls_certificate_server_set_request) *set_request;
	__typeof__(gnutls_certificate_verification_status_print) *status_print;
	__typeof__(gnutls_certificate_type_get) *type_get;
	__typeof__(gnutls_init) *init;
	__typeof__(gnutls_deinit) *deinit;
	__typeof__(gnutls_priority_set_direct) *set_priority;
	__typeof__(gnutls_credentials_set) *set_credentials;
	__typeof__(gnutls_transport_set_int2) *set_transport;
	__typeof__(gnutls_session_set_verify_cert) *set_verify;
	__typeof__(gnutls_session_get_verify_cert_status) *verify_status;
	__typeof__(gnutls_handshake) *handshake;
	__typeof__(gnutls_error_is_fatal) *is_fatal;
	__typeof__(gnutls_alert_send_appropriate) *alert_send;
	__typeof__(gnutls_alert_get) *alert_get;
	__typeof__(gnutls_alert_get_name) *alert_name;
	__typeof__(gnutls_record_get_state) *get_state;
	__typeof__(gnutls_record_check_pending) *pending;
	__typeof__(gnutls_strerror) *strerror;
	__typeof__(gnutls_free) *free;
	gnutls_certificate_credentials_t credentials;
	gnutls_session_t session;
	char text[1024];	/* copy of trunk_ends.tls, in which the words are separated */
	const char *peer;	/* name that the other end's certificate must have, or NULL; points
				 * into @text
				 */
	void *library;		/* handle of the library */
};

static const struct load_symbol functions[] = {
	{ "gnutls_certificate_allocate_credentials", offsetof(struct tls, credentials_new) },
	{ "gnutls_certificate_free_credentials", offsetof(struct tls, credentials_free) },
	{ "gnutls_certificate_set_x509_key_file", offsetof(struct tls, set_key) },
	{ "gnutls_certificate_set_x509_trust_file", offsetof(struct tls, set_trust) },
	{ "gnutls_certificate_server_set_request", offsetof(struct tls, set_request) },
	{ "gnutls_certificate_verification_status_print", offsetof(struct tls, status_print) },
	{ "gnutls_certificate_type_get", offsetof(struct tls, type_get) },
	{ "gnutls_init", offsetof(struct tls, init) },
	{ "gnutls_deinit", offsetof(struct tls, deinit) },
	{ "gnutls_priority_set_direct", offsetof(struct tls, set_priority) },
	{ "gnutls_credentials_set", offsetof(struct tls, set_credentials) },
	{ "gnutls_transport_set_int2", offsetof(struct tls, set_transport) },
	{ "gnutls_session_set_verify_cert", offsetof(struct tls, set_verify) },
	{ "gnutls_session_get_verify_cert_status", offsetof(struct tls, verify_status) },
	{ "gnutls_handshake", offsetof(struct tls, handshake) },
	{ "gnutls_error_is_fatal", offsetof(struct tls, is_fatal) },
	{ "gnutls_alert_send_appropriate", offsetof(struct tls, alert_send) },
	{ "gnutls_alert_get", offsetof(struct tls, alert_get) },
	{ "gnutls_alert_get_name", offsetof(struct tls, alert_name) },
	{ "gnutls_record_get_state", offsetof(struct tls, get_state) },
	{ "gnutls_record_check_pending", offsetof(struct tls, pending) },
	{ "gnutls_strerror", offsetof(struct tls, strerror) },
	{ "gnutls_free", offsetof(struct tls, free) },
	{}
};

static const struct load_library library = {
	.name = "GnuTLS",
	.files = (const char * const []){ "libgnutls.so.30", NULL },
	.symbols = functions,
};

static int load(struct hcctl *h, struct tls *t)
{
	t->library = load_library(h, &library, "no TLS", t);
	return t->library ? 0 : HC_NO;
}

static int gnutls_says(struct hcctl *h, const struct tls *t, const char *what, int err)
{
	hc_error(h, "%s: %s", what, t->strerror(err));
	return HC_NO;
}

/* --- TLS in the kernel --- */

/* Check that the kernel supports TLS for this socket. This happens before the handshake, when a
 * failure costs nothing.
 */
static int kernel_has(struct hcctl *h, int fd)
{
	if (!setsockopt(fd, IPPROTO_TCP, TCP_ULP, "tls", sizeof("tls")))
		return 0;
	if (errno == ENOPROTOOPT || errno == EOPNOTSUPP)
		hc_error(h, "no TLS: it needs a connection of TCP");
	else if (errno == ENOENT)
		hc_error(h, "no TLS: this kernel has none for sockets (CONFIG_TLS, the module tls)");
	else
		hc_error(h, "no TLS for this socket: %s", strerror(errno));
	return HC_NO;
}

static int give_key(struct hcctl *h, const struct tls *t, int fd, bool read)
{
	struct tls12_crypto_info_aes_gcm_256 info = {
		.info = { .version = TLS_1_3_VERSION, .cipher_type = TLS_CIPHER_AES_GCM_256 },
	};
	gnutls_datum_t iv, key;
	unsigned char seq[8];
	int err = t->get_state(t->session, read, NULL, &iv, &key, seq);

	if (err)
		return gnutls_says(h, t, "no keys", err);
	if (key.size != sizeof(info.key) || iv.size != sizeof(info.salt) + sizeof(info.iv) ||
	    sizeof(seq) != sizeof(info.rec_seq)) {
		hc_error(h, "GnuTLS has agreed on a cipher that was not asked for");
		return HC_NO;
	}
	memcpy(info.salt, iv.data, sizeof(info.salt));
	memcpy(info.iv, iv.data + sizeof(info.salt), sizeof(info.iv));
	memcpy(info.key, key.data, sizeof(info.key));
	memcpy(info.rec_seq, seq, sizeof(info.rec_seq));
	err = setsockopt(fd, SOL_TLS, read ? TLS_RX : TLS_TX, &info, sizeof(info));
	explicit_bzero(&info, sizeof(info));
	if (!err)
		return 0;
	hc_error(h, "the kernel does not take the keys of TLS: %s",
		 errno == ENOENT ? "it has no AES-GCM (CONFIG_CRYPTO_GCM)" : strerror(errno));
	return HC_NO;
}

static int give_keys(struct hcctl *h, const struct tls *t, int fd)
{
	if (t->pending(t->session)) {
		hc_error(h, "the other end has said something too early");
		return HC_NO;
	}
	return give_key(h, t, fd, false) ?: give_key(h, t, fd, true);
}

/* --- the handshake --- */

/* Parse CERT,KEY,CA[,NAME], three files in PEM format and a name, and load the files. */
static int take_files(struct hcctl *h, struct tls *t, const char *files)
{
	char *rest = t->text, *cert, *key, *ca;
	int err;

	if (strlen(files) >= sizeof(t->text))
		return hc_invalid(h, "tls", files, "it is too long");
	strcpy(t->text, files);
	cert = strsep(&rest, ",");
	key = strsep(&rest, ",");
	ca = strsep(&rest, ",");
	t->peer = rest;
	if (!ca || !*cert || !*key || !*ca || (rest && (!*rest || strchr(rest, ','))))
		return hc_invalid(h, "tls", files, "three files are wanted, and maybe a name: CERT,KEY,CA[,NAME]");
	err = t->credentials_new(&t->credentials);
	if (err)
		return gnutls_says(h, t, "no TLS", err);
	err = t->set_key(t->credentials, cert, key, GNUTLS_X509_FMT_PEM);
	if (err < 0) {
		hc_error(h, "no certificate of %s with the key of %s: %s", cert, key,
			 t->strerror(err));
		return HC_NO;
	}
	err = t->set_trust(t->credentials, ca, GNUTLS_X509_FMT_PEM);
	if (err > 0)
		return 0;
	hc_error(h, "no authority in %s%s%s", ca, err ? ": " : "", err ? t->strerror(err) : "");
	return HC_NO;
}

static int begin(struct hcctl *h, struct tls *t, int fd, bool server)
{
	unsigned int flags = GNUTLS_NONBLOCK | GNUTLS_NO_TICKETS | GNUTLS_NO_SIGNAL;
	int err = t->init(&t->session, flags | (server ? GNUTLS_SERVER : GNUTLS_CLIENT));

	if (!err)
		err = t->set_priority(t->session, PRIORITIES, NULL);
	if (!err)
		err = t->set_credentials(t->session, GNUTLS_CRD_CERTIFICATE, t->credentials);
	if (err)
		return gnutls_says(h, t, "no TLS", err);
	t->set_transport(t->session, fd, fd);
	t->set_verify(t->session, t->peer, 0);
	if (server)
		t->set_request(t->session, GNUTLS_CERT_REQUIRE);
	return 0;
}

/* Print why the handshake has failed, and send an alert to the other end. Return: HC_NO. */
static int failed(struct hcctl *h, const struct tls *t, int err)
{
	gnutls_datum_t text = {};

	if (err == GNUTLS_E_CERTIFICATE_VERIFICATION_ERROR &&
	    !t->status_print(t->verify_status(t->session), t->type_get(t->session), &text, 0)) {
		hc_error(h, "the other end's certificate is refused: %s", text.data);
		(*t->free)(text.data);
	} else if (err == GNUTLS_E_FATAL_ALERT_RECEIVED) {
		hc_error(h, "the other end refuses: %s", t->alert_name(t->alert_get(t->session)));
	} else if (err == GNUTLS_E_NO_CERTIFICATE_FOUND || err == GNUTLS_E_CERTIFICATE_REQUIRED) {
		/* The other end has received the list of authorities that this end accepts, so it
		 * has no certificate of any of them.
		 */
		hc_error(h, "the other end has no certificate of an authority that is taken here");
	} else if (err == GNUTLS_E_UNEXPECTED_PACKET || err == GNUTLS_E_UNEXPECTED_PACKET_LENGTH ||
		   err == GNUTLS_E_UNSUPPORTED_VERSION_PACKET) {
		hc_error(h, "the other end speaks no TLS");
	} else {
		hc_error(h, "no TLS with the other end: %s", t->strerror(err));
	}
	t->alert_send(t->session, err);
	return HC_NO;
}

/* Check the first byte that the peer has sent. If it is a letter, the peer does not speak TLS: send
 * it the reason in plain text, and return HC_NO.
 */
static int check_first(struct hcctl *h, int fd)
{
	char c = 0;

	if (recv(fd, &c, 1, MSG_PEEK | MSG_DONTWAIT) != 1 || !isalpha((unsigned char)c))
		return 0;
	send(fd, TRUNK_WANTS_TLS, strlen(TRUNK_WANTS_TLS), MSG_NOSIGNAL);
	hc_error(h, "the other end speaks no TLS");
	return HC_NO;
}

static int wait_for(struct hcctl *h, int fd, int64_t end)
{
	if (trunk_comes(fd, end))
		return 0;
	hc_error(h, "the other end does not answer");
	return -ETIMEDOUT;
}

static int shake_hands(struct hcctl *h, const struct tls *t, int fd, bool server)
{
	int64_t end = trunk_now() + TRUNK_TIMEOUT;
	int rc, err;

	/* The connecting end sends first, so the accepting end waits for its first byte. */
	rc = (server ? wait_for(h, fd, end) : 0) ?: check_first(h, fd);
	while (!rc && (err = t->handshake(t->session)))
		if (t->is_fatal(err))
			return failed(h, t, err);
		else if (err == GNUTLS_E_AGAIN)
			rc = wait_for(h, fd, end);
	return rc;
}

static int nonblocking(struct hcctl *h, int fd, bool on)
{
	int flags = fcntl(fd, F_GETFL);

	if (flags >= 0 && !fcntl(fd, F_SETFL, on ? flags | O_NONBLOCK : flags & ~O_NONBLOCK))
		return 0;
	hc_error(h, "no TLS for this socket: %s", strerror(errno));
	return HC_NO;
}

/* Shut the connection down, and read until the other end closes it. Otherwise a reset could reach
 * the other end before the last data.
 */
static void part(int fd)
{
	int64_t end = trunk_now() + 1000;
	char noise[256];

	shutdown(fd, SHUT_WR);
	while (trunk_comes(fd, end) && read(fd, noise, sizeof(noise)) > 0)
		;
}

static void release(struct tls *t)
{
	if (t->session)
		t->deinit(t->session);
	if (t->credentials)
		t->credentials_free(t->credentials);
	if (t->library)
		dlclose(t->library);
}

int trunk_tls(struct hcctl *h, int fd, const char *files, bool server)
{
	struct tls t = {};
	int rc;

	rc = load(h, &t) ?: take_files(h, &t, files) ?: kernel_has(h, fd) ?:
	     nonblocking(h, fd, true) ?: begin(h, &t, fd, server) ?:
	     shake_hands(h, &t, fd, server) ?: nonblocking(h, fd, false) ?:
	     give_keys(h, &t, fd);
	if (rc)
		part(fd);
	release(&t);
	return rc;
}

/* Receive an alert record. Return: why the other end has ended the connection, or NULL if there is
 * no alert.
 */
const char *trunk_tls_alert(int fd)
{
	unsigned char alert[2] = {};
	char control[CMSG_SPACE(sizeof(unsigned char))];
	struct iovec to = { alert, sizeof(alert) };
	struct msghdr msg = {
		.msg_iov = &to, .msg_iovlen = 1, .msg_control = control,
		.msg_controllen = sizeof(control),
	};
	struct cmsghdr *c;

	if (recvmsg(fd, &msg, MSG_DONTWAIT) != sizeof(alert))
		return NULL;
	c = CMSG_FIRSTHDR(&msg);
	if (!c || c->cmsg_level != SOL_TLS || c->cmsg_type != TLS_GET_RECORD_TYPE ||
	    *CMSG_DATA(c) != RECORD_ALERT)
		return NULL;
	switch (alert[1]) {
	case GNUTLS_A_CLOSE_NOTIFY:
		return "it has closed TLS";
	case GNUTLS_A_CERTIFICATE_REQUIRED:
		return "it wants a certificate of an authority that it takes";
	case GNUTLS_A_BAD_CERTIFICATE ... GNUTLS_A_CERTIFICATE_UNKNOWN:
	case GNUTLS_A_UNKNOWN_CA:
		return "it refuses our certificate";
	default:
		return "it has ended TLS";
	}
}

/* Check that the files can be loaded, before a connection is made. */
int trunk_tls_check(struct hcctl *h, const char *files)
{
	struct tls t = {};
	int rc = load(h, &t) ?: take_files(h, &t, files);

	release(&t);
	return rc;
}
