# SPDX-License-Identifier: GPL-2.0
#
# What the Makefiles of the tool and of the libraries share: the version, the folders for the installation, and how
# manual pages are installed.

version := $(shell sed -n 's/^.define HC_VERSION "\(.*\)"$$/\1/p' $(top)/module/lib/hc_version.h)

PREFIX ?= /usr/local
BINDIR ?= $(PREFIX)/bin
LIBDIR ?= $(PREFIX)/lib
INCLUDEDIR ?= $(PREFIX)/include
MANDIR ?= $(PREFIX)/share/man
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
SCHEMADIR ?= $(PREFIX)/share/hypercube/schema
ZSHDIR ?= $(PREFIX)/share/zsh/site-functions
# The Python of the system. no: the package for Python is not installed.
PYTHON ?= $(firstword $(wildcard /usr/bin/python3) $(shell command -v python3) no)
PYTHONDIR ?= $(shell $(PYTHON) -c 'import site, sys; lib = sys.argv[1] + "/lib/"; print(next((d for d in site.getsitepackages() \
	if d.startswith(lib)), lib + "python%d.%d/site-packages" % sys.version_info[:2]))' '$(PREFIX)' 2>/dev/null)

# $(call quoted,TEXT): TEXT as one word for the shell, whatever characters it has
quoted = '$(subst ','\'',$(1))'
# $(call to,FOLDER): the path at which FOLDER is installed, below DESTDIR, as one word for the shell
to = $(call quoted,$(DESTDIR)$(1))

# $(call install-pages,SECTION,PAGE..): install manual pages, with the version in their header
define install-pages
install -d $(call to,$(MANDIR)/man$(1))
for page in $(2); do \
	file=$(call to,$(MANDIR)/man$(1))/$${page##*/} && \
	sed '/^\.TH/s/ hypercube "/ "hypercube $(version)" "/' $$page >"$$file" && chmod 644 "$$file" || exit 1; \
done
endef

# $(call remove,FOLDER,FILE..): remove the installed files from FOLDER, if that folder exists
remove = if test -d $(call to,$(1)); then cd $(call to,$(1)) && rm -f -- $(notdir $(2)); fi
