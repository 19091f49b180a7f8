# SPDX-License-Identifier: GPL-2.0
#
# Test of the operators of reductions (module/reduce); included by Makefile.
#
#	make combine		build and run the test
#	make combine_sanitized	the same with sanitizers
#	make combine_bench	measure the throughput of the operators

# The module's files are compiled with substitutes for the kernel's headers (the folder shim), and without vector
# registers: the compiler must not use the registers that their assembly uses.
COMBINE_X86 := $(if $(findstring x86_64,$(shell $(CC) -dumpmachine)),y)
COMBINE_CPPFLAGS := -Ishim -I../../uapi -I../../module -I.. -I../../selftests/lib $(if $(COMBINE_X86),-DCONFIG_X86_64)
COMBINE_CFLAGS := -Wno-unused-parameter -Wno-sign-compare
COMBINE_KERNEL := -fno-strict-aliasing $(if $(COMBINE_X86),-mno-sse -mno-mmx)
COMBINE_OBJS := combine combine_fp softfp
COMBINE_HDRS := $(wildcard shim/linux/*.h shim/asm/fpu/*.h ../../uapi/linux/*.h) \
	../../module/reduce/combine.h ../../module/reduce/softfp.h
# The test is compiled with these headers, too. The reference (reference.c), whose results are compared, is compiled
# without them.
COMBINE_SRCS := combine_test.c combine_values.c combine_bench.c
COMBINE_TEST = $(CC) $(COMBINE_CPPFLAGS) $(CFLAGS) $(COMBINE_CFLAGS)

combine: $(O)/combine_test
	$<

# With sanitizers, fewer pairs of elements are tested, because the code is slow.
combine_sanitized: $(O)/combine_test_sanitized
	HC_SCALE=3 $<

combine_bench: $(O)/combine_test
	$< bench

$(O)/combine-%.o: ../../module/reduce/%.c $(COMBINE_HDRS) | $(O)
	$(CC) $(COMBINE_CPPFLAGS) $(CFLAGS) $(COMBINE_CFLAGS) $(COMBINE_KERNEL) -c -o $@ $<

$(O)/combine-sanitized-%.o: ../../module/reduce/%.c $(COMBINE_HDRS) | $(O)
	$(CC) $(COMBINE_CPPFLAGS) $(CFLAGS) $(COMBINE_CFLAGS) $(COMBINE_KERNEL) $(SANITIZE) -c -o $@ $<

$(O)/combine-reference.o: ../reference.c ../reference.h | $(O)
	$(CC) -I../../uapi $(CFLAGS) -c -o $@ $<

$(O)/combine_test: $(COMBINE_SRCS) $(O)/combine-reference.o $(COMBINE_OBJS:%=$(O)/combine-%.o) combine_test.h $(HARNESS)
	$(COMBINE_TEST) -o $@ $(filter %.c %.o,$^)

$(O)/combine_test_sanitized: $(COMBINE_SRCS) $(O)/combine-reference.o $(COMBINE_OBJS:%=$(O)/combine-sanitized-%.o) combine_test.h $(HARNESS)
	$(COMBINE_TEST) $(SANITIZE) -o $@ $(filter %.c %.o,$^)

check: combine
sanitized: combine_sanitized
clean: combine_clean

combine_clean:
	rm -f $(O)/combine-*.o $(O)/combine_test $(O)/combine_test_sanitized

.PHONY: combine combine_sanitized combine_bench combine_clean
