# SPDX-License-Identifier: GPL-2.0
# For folders of programs over the library: what they are made with, and where.  $(here) is the folder.

top := $(abspath $(here)/../..)
O ?= $(top)/build/selftests/$(notdir $(here))
lib := $(top)/build/ctl/libhypercube
netlink = $(shell pkg-config --libs libnl-genl-3.0)

CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra
override CPPFLAGS += -D_GNU_SOURCE -I$(top)/uapi -I$(top)/ctl/libhypercube -MMD -MP

.PHONY: all clean FORCE
all:

$(lib)/libhypercube.a: FORCE
	@$(MAKE) -s --no-print-directory -C $(top)/ctl/libhypercube O=$(lib)

$(O):
	mkdir -p $@

clean:
	rm -rf $(O)

-include $(wildcard $(O)/*.d)
