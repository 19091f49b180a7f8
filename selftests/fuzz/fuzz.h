/* SPDX-License-Identifier: GPL-2.0 */
/* Shared by the fuzzers: random numbers of a seed, results, coverage. */
#ifndef _HC_FUZZ_H
#define _HC_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

/* ------------------------------------------------------------ random numbers */

/* One sequence for each thread. */
void fz_seed(uint64_t seed);
uint64_t fz_rnd(void);
/* 0 .. n - 1 */
unsigned int fz_below(unsigned int n);
/* True in @n of 100 cases. */
bool fz_chance(unsigned int n);
/* A number at which mistakes live, of so many bytes. */
uint64_t fz_number(unsigned int bytes);

/* ------------------------------------------------------------ arguments and results */

/**
 * struct fz_args - what all fuzzers are told
 * @seed: of the random numbers
 * @seconds: how long they run
 * @cover: file for the program counters that were reached, or NULL
 * @frames: stop after so many frames, 0: when the time is up
 */
struct fz_args {
	uint64_t seed;
	unsigned int seconds;
	const char *cover;
	uint64_t frames;
};

/* Exits with 2 on a wrong usage. */
struct fz_args fz_parse(int argc, char **argv);
/* A test: "ok 1 what" or "not ok 1 what". */
void fz_result(bool ok, const char *what);
void fz_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The plan of the tests, and the exit status. */
int fz_end(void);
uint64_t fz_ms(void);

/* ------------------------------------------------------------ coverage */

/**
 * struct cover - where a task's coverage is noted
 * @fd: of KCOV
 * @area: what it has noted, or NULL
 */
struct cover {
	int fd;
	uint64_t *area;
};

/* False: the kernel has no KCOV.  A child may use it. */
bool cover_open(struct cover *c);
/* Coverage of this task's calls, until it ends; of polls: before "inject" is opened. */
bool cover_calls(const struct cover *c);
bool cover_polls(const struct cover *c);
void cover_begin(const struct cover *c);
/* How much of the module is new since cover_begin(); all tasks together. */
unsigned int cover_end(const struct cover *c);
unsigned int cover_total(void);
/* All of them, as offsets from the module's text, a line each. */
void cover_write(const char *file);

#endif /* _HC_FUZZ_H */
