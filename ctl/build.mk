# SPDX-License-Identifier: GPL-2.0
#
# The build folder $(O), and the dependency files $(deps) in it, of the tool and of test programs. If a source that such
# a file names has been moved or removed, the file and what was made of the source are removed, so that it is made again
# from where the source is now.

$(O):
	mkdir -p $@

.PHONY: clean
clean:
	rm -rf $(O)

deps ?= $(wildcard $(O)/*.d)
$(shell grep -oH '/[^ ]*\.c\b' /dev/null $(wildcard $(deps)) | while IFS=: read -r file source; do \
	[ -e "$$source" ] || rm -f "$$file" "$${file%.d}.o" "$${file%.d}"; done)
-include $(deps)
