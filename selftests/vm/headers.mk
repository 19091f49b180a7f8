# SPDX-License-Identifier: GPL-2.0
#
# Part of Kbuild where somebody waits for the build (vm/module): what a file of the module includes of the kernel takes
# four fifths of its compiler's time, so it is read once (headers.h) and kept as the compiler has it in memory. Objects
# differ in the order of some instructions and in names that have a counter. A compiler that does not take it reads
# headers.h as any other file.

kept := $(obj)/headers.h.gch
$(kept): NOSTDINC_FLAGS := $(NOSTDINC_FLAGS)
# It has to come before all others, and macros of the command line have to be the same for all: no file asks for its name.
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
