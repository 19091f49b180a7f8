# SPDX-License-Identifier: GPL-2.0
# Included by Makefiles of folders with programs that use the library: how these are built, and
# where. $(here) is the folder; OF= is the folder with the sources of the library, if it is another
# version.

top := $(abspath $(here)/../..)
O ?= $(top)/build/selftests/$(notdir $(here))
OF ?= $(top)
lib := $(OF)/build/ctl/libhypercube
netlink = $(shell pkg-config --libs libnl-genl-3.0)

CFLAGS ?= -O2 -g
override CFLAGS += -std=gnu11 -Wall -Wextra
override CPPFLAGS += -D_GNU_SOURCE -I$(OF)/uapi -I$(OF)/ctl/libhypercube -MMD -MP

.PHONY: all counted FORCE
all:

$(lib)/libhypercube.a: FORCE
	@$(MAKE) -s --no-print-directory -C $(OF)/ctl/libhypercube O=$(lib)

include $(top)/ctl/build.mk
