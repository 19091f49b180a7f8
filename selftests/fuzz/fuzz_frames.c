// SPDX-License-Identifier: GPL-2.0
/*
 * Injects random and mutated frames into the receive queues of a fabric that is in use.
 *
 * The program runs in turns of two kinds. In a guided turn, coverage is measured: a batch of frames
 * that reaches new code is added to the corpus, from which further batches are made. In the other
 * turns, another process keeps operations under way while many frames are injected at a time, and
 * coverage is not measured. Without KCOV there are only turns of the second kind, and the corpus
 * has frames that could be valid. At the end the fabric must work as before. The caller of this
 * program checks the kernel's log for reports about memory and locks.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "live.h"

#define INJECT		"/sys/kernel/debug/hypercube/inject"
#define CORPUS_MAX	600
#define TAPPED_MAX	64
#define TURN_MS		20000
#define RESET_EACH	40	/* number of batches after which the plans are installed again */
#define LOOK_EACH	8
#define BATCH_BYTES	(BATCH_MAX * (FRAME_MAX + sizeof(struct hc_inject)))

static struct batch corpus[CORPUS_MAX];
static unsigned int ncorpus;
static struct frame tapped[TAPPED_MAX];
static unsigned int ntapped;
static uint64_t frames, writes, refused;
static int inject = -1;
static struct cover cover;

/* --- batches --- */

static void corpus_add(const struct batch *b)
{
	corpus[ncorpus < CORPUS_MAX ? ncorpus++ : fz_below(CORPUS_MAX)] = *b;
}

static void tap_all(const struct moment *m)
{
	unsigned int n = 0;

	while (n++ < 32) {
		struct frame f;

		if (!tap_next(m, &f))
			return;
		tapped[ntapped < TAPPED_MAX ? ntapped++ : fz_below(TAPPED_MAX)] = f;
	}
}

/* Choose a batch of the corpus; the batches that were added last are chosen most often. */
static const struct batch *corpus_pick(void)
{
	unsigned int recent = ncorpus < 30 ? ncorpus : 30;

	if (fz_chance(40))
		return &corpus[ncorpus - 1 - fz_below(recent)];
	return &corpus[fz_below(ncorpus)];
}

/* Make the next batch: new frames, captured frames, or a mutation of a batch of the corpus. */
static void batch_next(struct batch *b, const struct moment *m)
{
	struct batch other;

	if (!ncorpus || fz_chance(15)) {
		batch_make(b, m);
		return;
	}
	if (ntapped && fz_chance(30)) {
		b->n = 1;
		b->frame[0] = tapped[fz_below(ntapped)];
	} else {
		*b = *corpus_pick();
	}
	other = *corpus_pick();
	if (ntapped && fz_chance(30)) {
		other.n = 1;
		other.frame[0] = tapped[fz_below(ntapped)];
	}
	batch_mutate(b, &other, m);
}

static char out[HC_INJECT_MAX];

static void out_write(size_t len)
{
	if (write(inject, out, len) < 0)
		refused++;
	writes++;
}

/* Inject a batch. Return: number of program counters that were reached for the first time. */
static unsigned int batch_send(const struct batch *b, const struct moment *m)
{
	size_t len = batch_head(m, out);

	len += batch_fill(b, m, out + len);
	frames += b->n;
	cover_begin(&cover);
	out_write(len);
	return cover_end(&cover);
}

/* Inject as many frames as one write takes. */
static void crowd_send(const struct moment *m)
{
	size_t len = batch_head(m, out);
	static struct batch b;

	while (len + BATCH_BYTES <= sizeof(out)) {
		batch_next(&b, m);
		len += batch_fill(&b, m, out + len);
		frames += b.n;
	}
	out_write(len);
}

static void corpus_begin(const struct moment *m)
{
	static struct batch b;

	while (!cover.area && ncorpus < CORPUS_MAX) {
		batch_make(&b, m);
		corpus_add(&b);
	}
}

/* --- turns --- */

/* Run a guided turn: add each batch that reaches new code to the corpus. */
static void guided(struct cube *c, struct moment *m, uint64_t end, uint64_t most)
{
	unsigned int n;

	for (n = 0; fz_ms() < end && frames < most; n++) {
		struct batch b;

		if (n % RESET_EACH == 0) {
			live_reset(c, m, n / RESET_EACH % 3 == 1);
			live_bind(c);
		}
		if (fz_chance(40))
			live_step(c, m);
		if (n % LOOK_EACH == 0) {
			live_look(c, m);
			tap_all(m);
		}
		batch_next(&b, m);
		if (batch_send(&b, m))
			corpus_add(&b);
	}
}

static pid_t live_child(struct cube *c, const struct moment *m)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	live_bind(c);
	for (;;)
		live_step(c, m);
}

/* Run a turn of the second kind: inject frames while another process uses the sockets. */
static void beside(struct cube *c, struct moment *m, uint64_t end, uint64_t most)
{
	unsigned int n, u;
	pid_t pid;

	corpus_begin(m);
	live_reset(c, m, fz_chance(30));
	for (u = 0; u < c->nodes; u++)
		cube_close(c, u);
	pid = live_child(c, m);
	for (n = 1; fz_ms() < end && frames < most; n++) {
		if (n % LOOK_EACH == 0)
			live_reset(c, m, false);
		crowd_send(m);
		live_look(c, m);
		tap_all(m);
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void run(struct cube *c, struct moment *m, const struct fz_args *a)
{
	uint64_t begin = fz_ms(), end = begin + 1000ull * a->seconds;
	uint64_t most = a->frames ? a->frames : ~0ull, at;

	for (at = begin; at < end && frames < most; at = fz_ms()) {
		uint64_t until = at + TURN_MS < end ? at + TURN_MS : end;

		if (cover.area)
			guided(c, m, until, most);
		fz_note("%llu frames, %llu writes (%llu refused), %u in the corpus, %u reached",
			(unsigned long long)frames, (unsigned long long)writes,
			(unsigned long long)refused, ncorpus, cover_total());
		at = fz_ms();
		until = at + TURN_MS / 2 < end ? at + TURN_MS / 2 : end;
		beside(c, m, until, most);
	}
	at = fz_ms() - begin;
	fz_note("%llu frames, %llu a second", (unsigned long long)frames,
		(unsigned long long)(1000 * frames / (at ? at : 1)));
}

int main(int argc, char **argv)
{
	struct fz_args a = fz_parse(argc, argv);
	struct moment m;
	struct cube c;

	if (!cover_open(&cover) || !cover_polls(&cover))
		fz_note("no KCOV: nothing guides the frames");
	inject = open(INJECT, O_WRONLY | O_CLOEXEC);
	if (inject < 0 || !live_open(&c, &m, 3) || !tap_open(&c)) {
		fz_note("no fabric to inject into: %s", strerror(errno));
		return 4;
	}
	run(&c, &m, &a);
	fz_result(refused < writes / 10 + 1, "frames were taken");
	fz_result(live_works(&c, &m), "the fabric works afterwards");
	fz_result(!cube_del(&c), "the fabric goes");
	if (a.cover)
		cover_write(a.cover);
	return fz_end();
}
