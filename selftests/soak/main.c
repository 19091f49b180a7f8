// SPDX-License-Identifier: GPL-2.0
/*
 * soak: runs random collectives on fabrics of several dimensions while faults of all kinds occur,
 * and compares each result and each end of an operation with its own computation.
 */
#include <getopt.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "soak.h"

volatile sig_atomic_t interrupted;

static void on_signal(int sig)
{
	interrupted = sig;
}

static void usage(FILE *to)
{
	fputs("Usage: soak [--seed N] [--seconds N] [--dim N[,N..]] [--calm | --kinds KIND[,KIND..]]\n"
	      "\n"
	      "  --seed N      other choices (1); what they meet depends on the machine, too\n"
	      "  --seconds N   how long (600)\n"
	      "  --dim N,..    dimensions of the fabrics, in turns (3,4,6)\n"
	      "  --calm        without faults\n"
	      "  --kinds K,..  only such faults, in all eras but the quarter that has none: link, node,\n"
	      "                kill, close, stop, replace, memory, loss, corrupt, duplicate, delay\n",
	      to);
}

struct options {
	uint64_t seed;
	uint32_t seconds, dim[8], dims, kinds;
	bool calm;
};

static bool refuse(const char *why)
{
	fprintf(stderr, "soak: %s\n", why);
	return false;
}

static bool dims_read(struct options *o, char *list)
{
	char *word;

	o->dims = 0;
	for (word = strtok(list, ","); word && o->dims < 8; word = strtok(NULL, ",")) {
		o->dim[o->dims] = (uint32_t)strtoul(word, NULL, 10);
		if (o->dim[o->dims] < 1 || o->dim[o->dims++] > 6)
			return refuse("dimensions are 1 to 6");
	}
	return o->dims ? true : refuse("dimensions are 1 to 6");
}

static bool kinds_read(struct options *o, char *list)
{
	char *word;
	int i;

	for (word = strtok(list, ","); word; word = strtok(NULL, ",")) {
		for (i = 0; i < KINDS && strcmp(word, kind_name(i)); i++)
			;
		if (i == KINDS)
			return refuse("--kinds: no such kind");
		o->kinds |= 1u << i;
	}
	return o->kinds ? true : refuse("--kinds: no such kind");
}

static bool options_read(struct options *o, int argc, char **argv)
{
	static const struct option names[] = {
		{ "seed", required_argument, NULL, 's' },
		{ "seconds", required_argument, NULL, 't' },
		{ "dim", required_argument, NULL, 'd' },
		{ "calm", no_argument, NULL, 'c' },
		{ "kinds", required_argument, NULL, 'k' },
		{ "help", no_argument, NULL, 'h' },
		{},
	};
	int c;

	while ((c = getopt_long(argc, argv, "h", names, NULL)) >= 0) {
		switch (c) {
		case 's':
			o->seed = strtoull(optarg, NULL, 0);
			break;
		case 't':
			o->seconds = (uint32_t)strtoul(optarg, NULL, 10);
			break;
		case 'd':
			if (!dims_read(o, optarg))
				return false;
			break;
		case 'c':
			o->calm = true;
			break;
		case 'k':
			if (!kinds_read(o, optarg))
				return false;
			break;
		case 'h':
			usage(stdout);
			exit(0);
		default:
			usage(stderr);
			return false;
		}
	}
	return optind == argc && o->seconds;
}

static uint64_t events[KINDS];

/* Print how often events of each kind occurred. A kind that did not occur was not tested. */
static void events_say(bool memory)
{
	int i;

	fputs("\nwhat was done:", stdout);
	for (i = 0; i < KINDS; i++)
		printf(" %s %llu", kind_name(i), (unsigned long long)events[i]);
	puts(memory ? "" : " (this kernel cannot make allocations fail)");
}

/* Run a world: one fabric, and processes that share memory. @round: number of the world. */
static int run(const struct options *o, uint32_t round, uint64_t end, uint64_t begin)
{
	static const uint32_t segments[] = { 32768, 32768, 16384, 4096, 1000, 256 };
	struct soak s = {
		.dice.state = key_of(o->seed, round, 11, 12, 13),
		.calm = o->calm,
		.only = o->kinds,
		.begin = begin,
		.end = end,
		.said = now_ms(),
		.memory = chaos_memory_prepare(),
	};
	struct world *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			       -1, 0);
	int status, i;

	if (w == MAP_FAILED)
		return 1;
	s.w = w;
	strcpy(w->fabric, "soak");
	w->seed = key_of(o->seed, round, 21, 22, 23);
	w->dim = o->dim[round % o->dims];
	w->nodes = 1u << w->dim;
	w->segment = segments[below(&s.dice, 6)];
	w->wait_secs = access("/sys/kernel/debug/kmemleak", F_OK) ? 1 : 6;
	w->sndbuf = chance(&s.dice, 50) ? 0 : 5000 + below(&s.dice, 400000);
	w->rcvbuf = chance(&s.dice, 50) ? 0 : 5000 + below(&s.dice, 400000);
	printf("round %u: dim %u segment %u sndbuf %u rcvbuf %u\n", round, w->dim, w->segment,
	       w->sndbuf, w->rcvbuf);
	fflush(stdout);
	status = world_run(&s);
	ledger_add(w);
	printf("%u eras, %u released, %u with sockets bound again, %u on the same plans; longest wait %.1f s; %llu failures out of order; events:",
	       s.eras, s.released, s.rebound, s.continued, (double)s.longest / 1000,
	       (unsigned long long)atomic_load(&w->disorder));
	for (i = 0; i < KINDS; i++) {
		events[i] += s.events[i];
		if (s.events[i])
			printf(" %s %u", kind_name(i), s.events[i]);
	}
	putchar('\n');
	if (atomic_load(&w->bad))
		printf("again: soak --seed %llu --dim %u\n", (unsigned long long)o->seed, w->dim);
	munmap(w, sizeof(*w));
	return status;
}

int main(int argc, char **argv)
{
	struct options o = { .seed = 1, .seconds = 600, .dim = { 3, 4, 6 }, .dims = 3 };
	struct sigaction act = { .sa_handler = on_signal };
	uint64_t begin = now_ms(), end, chunk;
	uint32_t round;
	int status = 0;

	if (!options_read(&o, argc, argv))
		return 2;
	sigaction(SIGINT, &act, NULL);
	sigaction(SIGTERM, &act, NULL);
	if (unshare(CLONE_NEWNET)) {
		perror("soak: unshare");
		return 4;
	}
	printf("soak: seed %llu, %u s%s\n", (unsigned long long)o.seed, o.seconds,
	       o.calm ? ", calm" : "");
	end = begin + 1000ull * o.seconds;
	chunk = 1000ull * o.seconds / o.dims;
	if (chunk > 60000)
		chunk = 60000;
	for (round = 0; now_ms() < end && !interrupted && !status; round++)
		status = run(&o, round, now_ms() + chunk < end ? now_ms() + chunk : end, begin);
	events_say(chaos_memory_prepare());
	return ledger_close((double)(now_ms() - begin) / 1000) || status;
}
