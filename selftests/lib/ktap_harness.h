/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A small harness with the names of the kernel's kselftest_harness.h: a program consists of
 * TEST()s, each of which runs in a process of its own with a time limit; the output is KTAP. Tests
 * include it through ktap.h.
 *
 * A program whose tests mostly sleep defines TESTS_TOGETHER before it includes this file. Its tests
 * then run at the same time, except on a kernel with debugging, where they are limited by the
 * processor.
 *
 * The name of a test is a sentence; its underscores are printed as spaces.
 */
#ifndef _HC_KTAP_HARNESS_H
#define _HC_KTAP_HARNESS_H

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define KSFT_PASS	0
#define KSFT_FAIL	1
#define KSFT_SKIP	4

/**
 * struct __test_metadata - a test
 * @name: its name
 * @fn: its body
 * @next: the next test of the program
 * @failed: an EXPECT or ASSERT did not hold
 * @skip: the test cannot run on this machine; @reason says why
 * @reason: why the test was skipped
 * @pid: process that runs it
 * @said: file with its output, if tests run at the same time
 * @param: parameters that distinguish tests with the same body
 */
struct __test_metadata {
	const char *name;
	void (*fn)(struct __test_metadata *_metadata);
	struct __test_metadata *next;
	bool failed;
	bool skip;
	char reason[128];
	pid_t pid;
	FILE *said;
	unsigned int param[3];
};

/* The list of tests: its first entry, and where to link the next one. The definitions are weak so
 * that all files of a program share one list.
 */
__attribute__((weak)) struct __test_metadata *__test_first, **__test_last = &__test_first;

static inline void __test_register(struct __test_metadata *t)
{
	*__test_last = t;
	__test_last = &t->next;
}

/* Return: number of seconds after which a test fails because it takes too long. */
static inline unsigned int test_timeout(void)
{
	const char *s = getenv("HC_TEST_TIMEOUT");

	return s && atoi(s) > 0 ? atoi(s) : 90;
}

/* Return: true if no EXPECT or ASSERT of the test has failed so far. */
static inline bool __test_passed(struct __test_metadata *t)
{
	return !t->failed;
}

#define TEST(test_name)								\
	static void test_name(struct __test_metadata *_metadata);		\
	static struct __test_metadata __##test_name = {				\
		.name = #test_name, .fn = test_name,				\
	};									\
	static void __attribute__((constructor)) __register_##test_name(void)	\
	{									\
		__test_register(&__##test_name);				\
	}									\
	static void test_name(struct __test_metadata *_metadata			\
			      __attribute__((unused)))

/* Add a test at run time, which kselftest_harness.h cannot do: @fn runs with the three numbers
 * @first, @second and @third in param[] of its metadata. @fmt: its name.
 */
static inline __attribute__((format(printf, 5, 6)))
void test_add(void (*fn)(struct __test_metadata *_metadata), unsigned int first,
	      unsigned int second, unsigned int third, const char *fmt, ...)
{
	struct __test_metadata *t = calloc(1, sizeof(*t) + 128);
	va_list ap;

	if (!t)
		exit(KSFT_FAIL);
	va_start(ap, fmt);
	vsnprintf((char *)(t + 1), 128, fmt, ap);
	va_end(ap);
	t->name = (char *)(t + 1);
	t->fn = fn;
	t->param[0] = first;
	t->param[1] = second;
	t->param[2] = third;
	__test_register(t);
}

#define TH_LOG(fmt, ...)							\
	do {									\
		printf("# %s:%d: " fmt "\n", __FILE__, __LINE__, ##__VA_ARGS__);	\
		fflush(stdout);							\
	} while (0)

#define SKIP(statement, fmt, ...)						\
	do {									\
		_metadata->skip = true;						\
		snprintf(_metadata->reason, sizeof(_metadata->reason), fmt,	\
			 ##__VA_ARGS__);					\
		statement;							\
	} while (0)

#define __EXPECT(seen, op, expected, stop)					\
	do {									\
		long long __seen = (long long)(seen);				\
		long long __expected = (long long)(expected);			\
		if (!(__seen op __expected)) {					\
			TH_LOG("%s is %lld, not %s %lld", #seen, __seen, #op,	\
			       __expected);					\
			_metadata->failed = true;				\
			if (stop)						\
				_exit(KSFT_FAIL);				\
		}								\
	} while (0)

#define EXPECT_EQ(expected, seen)	__EXPECT(seen, ==, expected, 0)
#define EXPECT_NE(expected, seen)	__EXPECT(seen, !=, expected, 0)
#define EXPECT_LE(expected, seen)	__EXPECT(expected, <=, seen, 0)
#define EXPECT_GE(expected, seen)	__EXPECT(expected, >=, seen, 0)
#define EXPECT_GT(expected, seen)	__EXPECT(expected, >, seen, 0)
#define EXPECT_TRUE(seen)		__EXPECT(!!(seen), ==, 1, 0)
#define EXPECT_FALSE(seen)		__EXPECT(!!(seen), ==, 0, 0)
#define ASSERT_EQ(expected, seen)	__EXPECT(seen, ==, expected, 1)
#define ASSERT_NE(expected, seen)	__EXPECT(seen, !=, expected, 1)
#define ASSERT_LE(expected, seen)	__EXPECT(expected, <=, seen, 1)
#define ASSERT_GE(expected, seen)	__EXPECT(expected, >=, seen, 1)
#define ASSERT_TRUE(seen)		__EXPECT(!!(seen), ==, 1, 1)

#ifdef TESTS_TOGETHER
#define __TESTS_TOGETHER true
#else
#define __TESTS_TOGETHER false
#endif

static inline bool __tests_together(void)
{
	return __TESTS_TOGETHER && access("/sys/kernel/debug/kmemleak", F_OK);
}

static inline void __test_start(struct __test_metadata *t)
{
	fflush(NULL);
	if (__tests_together())
		t->said = tmpfile();
	t->pid = fork();
	if (!t->pid) {
		setpgid(0, 0);
		alarm(test_timeout());
		if (t->said)
			dup2(fileno(t->said), STDOUT_FILENO);
		t->fn(t);
		if (t->skip)
			printf("# SKIP %s\n", t->reason);
		/* A sanitizer may still print something at exit. */
		exit(t->failed ? KSFT_FAIL : t->skip ? KSFT_SKIP : KSFT_PASS);
	}
	setpgid(t->pid, t->pid);
}

/* Print the output of a test that ran at the same time as others. */
static inline void __test_tell(struct __test_metadata *t)
{
	char line[512];

	if (!t->said)
		return;
	rewind(t->said);
	while (fgets(line, sizeof(line), t->said))
		fputs(line, stdout);
	fclose(t->said);
}

/* Print the processor time that a test has used, if it is 500 ms or more. */
static inline void __test_took(const struct rusage *use)
{
	long ms = (use->ru_utime.tv_sec + use->ru_stime.tv_sec) * 1000 +
		  (use->ru_utime.tv_usec + use->ru_stime.tv_usec) / 1000;

	if (ms >= 500)
		printf("# %ld ms of a processor\n", ms);
}

static inline int __test_end(struct __test_metadata *t)
{
	struct rusage use;
	int status;

	if (t->pid < 0 || wait4(t->pid, &status, 0, &use) != t->pid)
		return KSFT_FAIL;
	kill(-t->pid, SIGKILL);
	__test_tell(t);
	__test_took(&use);
	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	printf("# the test was ended by signal %d%s\n", WTERMSIG(status),
	       WTERMSIG(status) == SIGALRM ? ": it took too long" : "");
	return KSFT_FAIL;
}

/* Return: true if the command line names this test, or no test at all. */
static inline bool __test_wanted(const struct __test_metadata *t, int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++)
		if (!strcmp(argv[i], t->name))
			return true;
	return argc <= 1;
}

static inline int test_harness_run(int argc, char **argv)
{
	unsigned int n = 0, failed = 0;
	struct __test_metadata *t;

	for (t = __test_first; t; t = t->next)
		n += __test_wanted(t, argc, argv);
	printf("TAP version 13\n1..%u\n", n);
	if (!n) {
		fprintf(stderr, "there is no test of that name\n");
		return KSFT_FAIL;
	}
	n = 0;
	for (t = __test_first; __tests_together() && t; t = t->next)
		if (__test_wanted(t, argc, argv))
			__test_start(t);
	for (t = __test_first; t; t = t->next) {
		char name[128], *c;
		int r;

		if (!__test_wanted(t, argc, argv))
			continue;
		snprintf(name, sizeof(name), "%s", t->name);
		for (c = name; (c = strchr(c, '_'));)
			*c = ' ';
		if (!__tests_together())
			__test_start(t);
		r = __test_end(t);
		failed += r != KSFT_PASS && r != KSFT_SKIP;
		printf("%s %u %s%s\n", r == KSFT_PASS || r == KSFT_SKIP ? "ok" : "not ok", ++n,
		       name, r == KSFT_SKIP ? " # SKIP" : "");
		fflush(stdout);
	}
	return failed ? KSFT_FAIL : KSFT_PASS;
}

#define TEST_HARNESS_MAIN							\
	int main(int argc, char **argv) { return test_harness_run(argc, argv); }

#endif /* _HC_KTAP_HARNESS_H */
