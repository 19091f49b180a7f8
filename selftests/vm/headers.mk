# SPDX-License-Identifier: GPL-2.0
#
# Part of Kbuild for builds that a developer waits for (vm/module). The kernel headers that a file
# of the module includes take four fifths of the compiler's time, so they are read once (headers.h)
# and kept in precompiled form. Objects differ in the order of some instructions and in names with a
# counter. A compiler that rejects the precompiled form reads headers.h as any other file.

kept := $(obj)/headers.h.gch
$(kept): NOSTDINC_FLAGS := $(NOSTDINC_FLAGS)
# It must come before all other includes, and macros of the command line must be the same for all
# files: no file's name may be among them.
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
