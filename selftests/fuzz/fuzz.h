/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions that the fuzzers share: random numbers from a seed, results, coverage.
 */
#ifndef _HC_FUZZ_H
#define _HC_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef ARRAY_SIZE
#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))
#endif

/* --- random numbers --- */

/* Set the seed of this thread. Each thread has a sequence of random numbers of its own. */
void fz_seed(uint64_t seed);
uint64_t fz_rnd(void);
/* Return: a number in 0 .. n - 1. */
unsigned int fz_below(unsigned int n);
/* Return: true in @n of 100 cases. */
bool fz_chance(unsigned int n);
/* Return: a random number of @bytes bytes, often near a value at which errors are likely. */
uint64_t fz_number(unsigned int bytes);

/* --- arguments and results --- */

/**
 * struct fz_args - the arguments of all fuzzers
 * @seed: seed of the random numbers
 * @seconds: duration of the run
 * @cover: file for the program counters that were reached, or NULL
 * @frames: number of frames after which to stop; 0: stop after @seconds
 */
struct fz_args {
	uint64_t seed;
	unsigned int seconds;
	const char *cover;
	uint64_t frames;
};

/* Parse the arguments; exit with status 2 if they are invalid. */
struct fz_args fz_parse(int argc, char **argv);
/* Print the result of the next test, number N: "ok N what" or "not ok N what". */
void fz_result(bool ok, const char *what);
void fz_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Print the number of tests as TAP ("1..N"). Return: the exit status. */
int fz_end(void);
uint64_t fz_ms(void);

/* --- coverage --- */

/**
 * struct cover - a KCOV handle
 * @fd: its descriptor
 * @area: the recorded program counters, or NULL
 */
struct cover {
	int fd;
	uint64_t *area;
};

bool cover_open(struct cover *c);
/* cover_calls() records the coverage of this thread's system calls until the thread ends.
 * cover_polls() records the coverage of polls; call it before "inject" is opened.
 */
bool cover_calls(const struct cover *c);
bool cover_polls(const struct cover *c);
void cover_begin(const struct cover *c);
/* Return: number of the module's program counters that were first reached since cover_begin(). */
unsigned int cover_end(const struct cover *c);
unsigned int cover_total(void);
/* Write all program counters that were reached to @file, one per line, as offsets in the module's
 * text.
 */
void cover_write(const char *file);

#endif /* _HC_FUZZ_H */
