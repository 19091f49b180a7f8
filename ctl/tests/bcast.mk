# SPDX-License-Identifier: GPL-2.0
#
# Tests of the broadcast planners; included by Makefile.
#
#	make bcast		run them	make bcast_sanitized
#	DIR/bcast_test NAME..	only these of their cases

BCAST_SRCS := $(addprefix bcast_,test.c vectors.c theorem.c search.c check.c oracle.c) check.c \
	../../module/lib/hc_bcast.c ../plan/faults.c \
	$(addprefix ../plan/bcast,.c _all.c _exact.c _general.c _minimal.c _prime.c _set.c)
BCAST_HDRS := bcast_test.h check.h $(HARNESS) bcast_oracle.h ../../module/lib/hc_bcast.h ../plan/plan.h \
	../plan/bcast.h ../plan/bcast_impl.h

bcast: $(O)/bcast_test
	$<

bcast_sanitized: $(O)/bcast_test_sanitized
	$<

$(O)/bcast_test: $(BCAST_SRCS) $(BCAST_HDRS) | $(O)
	$(CC) $(PLAN_CPPFLAGS) $(CFLAGS) -o $@ $(BCAST_SRCS)

$(O)/bcast_test_sanitized: $(BCAST_SRCS) $(BCAST_HDRS) | $(O)
	$(CC) $(PLAN_CPPFLAGS) $(CFLAGS) $(SANITIZE) -o $@ $(BCAST_SRCS)

plain: bcast
sanitized: bcast_sanitized
clean: bcast_clean

bcast_clean:
	rm -f $(O)/bcast_test $(O)/bcast_test_sanitized

.PHONY: bcast bcast_sanitized bcast_clean
