/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The harness of a test program, and a few additions. The harness is the kernel's own
 * kselftest_harness.h if the compiler finds it (see the Makefile); otherwise it is ktap_harness.h,
 * which has the same names.
 */
#ifndef _HC_KTAP_H
#define _HC_KTAP_H

#if __has_include("kselftest_harness.h")
#include "kselftest_harness.h"

/* Seconds after which a test fails because it takes too long */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	90

static inline unsigned int test_timeout(void)
{
	return TEST_TIMEOUT_DEFAULT;
}

/* The harness of Linux 6.9 and later has both the macro and the function. */
#ifndef FIXTURE_TEARDOWN_PARENT
static inline bool __test_passed(struct __test_metadata *t)
{
	return t->passed;
}
#endif
#else
#include "ktap_harness.h"
#endif

/* Return: true if an EXPECT or ASSERT of the test has failed. */
static inline bool test_failed(struct __test_metadata *t)
{
	return !__test_passed(t);
}

/* A test that calls a function which several tests share, with the metadata and the given arguments
 */
#define TEST_CALL(test_name, function, ...)					\
	static void test_name(struct __test_metadata *_metadata);		\
	TEST(test_name)								\
	{									\
		function(_metadata, ##__VA_ARGS__);				\
	}

/* A test that fails if a function returns a number of errors other than 0 */
#define TEST_NONE_WRONG(test_name, count)					\
	static void test_name(struct __test_metadata *_metadata);		\
	TEST(test_name)								\
	{									\
		EXPECT_EQ(0, count);						\
	}

/* A test whose body runs twice, with @param false and true */
#define TEST_BOTH(test_name, param)						\
	static void __both_##test_name(struct __test_metadata *_metadata, bool param);	\
	TEST(test_name)								\
	{									\
		__both_##test_name(_metadata, false);				\
		__both_##test_name(_metadata, true);				\
	}									\
	static void __both_##test_name(struct __test_metadata *_metadata	\
				       __attribute__((unused)), bool param)

#endif /* _HC_KTAP_H */
