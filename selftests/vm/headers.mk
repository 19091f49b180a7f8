# SPDX-License-Identifier: GPL-2.0
#
# Part of Kbuild for builds for which a developer waits (vm/module). Reading the kernel headers
# takes four fifths of the time of compiling a file of the module. So they are read once
# (headers.h), and stored in precompiled form. The objects then differ in the order of some
# instructions, and in names that contain a counter. A compiler that rejects the precompiled form
# reads headers.h like any other header.

kept := $(obj)/headers.h.gch
$(kept): NOSTDINC_FLAGS := $(NOSTDINC_FLAGS)
# This header must be included before all others, and the macros on the command line must be equal
# for all files, so none may contain the name of the file.
NOSTDINC_FLAGS += -include $(obj)/headers.h
override basename_flags = -DKBUILD_BASENAME='"hypercube"'

quiet_cmd_keep = KEEP    $@
      cmd_keep = $(CC) $(c_flags) -x c-header -o $@ $<

$(kept): part-of-module := y
$(kept): modname := hypercube
$(kept): $(src)/headers.h FORCE
	$(call if_changed_dep,keep)

targets += headers.h.gch
$(addprefix $(obj)/,$(hypercube-y)): $(kept)
