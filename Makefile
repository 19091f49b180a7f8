# SPDX-License-Identifier: GPL-2.0
#
# For developers. Kbuild lists the objects of the module, ctl/Makefile those of the tool.

KERNEL ?= stock
build := $(CURDIR)/build
vm := selftests/vm
deps := $(build)/.deps-

help:
	@echo 'make demo          a fabric with faults in a VM: reductions around them, and what it costs'
	@echo 'make demo-relax    an algorithm whose processes find out which of them lie, and two who escape, with pictures'
	@echo 'make demo-groups   processes on the nodes of networks such that a node that lies with all its processes is noticed: a table'
	@echo 'make demo-balance  files hashed by a faulty cube, balanced in several ways: a table, a picture, and a node that fails'
	@echo 'make demo-flaps    allreduces for a minute while links flap and two nodes fail: no program sees it; a table, a picture'
	@echo '                  (SECONDS_=N SEED=N)'
	@echo 'make demo-mpi      hpcc, and a program of mpi4py and numpy, on a fabric whose links flap: results equal to those without'
	@echo '                  (STEPS=N SEED=N)'
	@echo 'make check         all tests on the stock kernel, in a VM, but for:'
	@echo 'make test T=P      one program of the tests, in a VM, or one test of it: T=bcast_faults, T=events.sh:TEST, KERNEL=debug'
	@echo 'make check-cluster fabrics that span machines: network namespaces, and two VMs of which one dies'
	@echo 'make check-debug   the tests in the VM on a kernel with KASAN, lockdep, kmemleak, ...'
	@echo 'make check-sanitized tests of the planners and the operators, with sanitizers'
	@echo 'make check-model   models of protocols, for SPIN'
	@echo 'make check-kcsan   the tests in the VM on a kernel that looks for data races'
	@echo 'make fuzz          random calls and frames on the debug kernel'
	@echo '                   (FUZZ="--seed N --seconds N --frames N --kernel K PART.."; selftests/fuzz/run --help)'
	@echo 'make check-net     Linux'\''s own network tests over endpoints, in a VM'
	@echo 'make check-mpi     programs of MPI over a fabric, against the MPI below, without and with faults, in a VM and in two'
	@echo 'make check-page    pages of hcctl plot in a browser'
	@echo 'make soak          collectives at random under faults, each result judged: ten minutes in a VM'
	@echo '                   (SOAK="--seed N --seconds N --dim N,.. --calm --kinds K,..")'
	@echo 'make shell         a shell in the VM, module loaded; what it writes to /out comes to build/out'
	@echo 'make bench         measurements against Open MPI and veth pairs, or of another revision beside this one'
	@echo '                   (BENCH="PART.. --quick --procs P,.. --rounds N --old REVISION"; selftests/bench/run --help)'
	@echo 'make latency       for how long a fabric of 4,096 nodes keeps a processor from others, in a VM'
	@echo 'make style         checkpatch, sparse, clang, shellcheck, kernel-doc'
	@echo 'make mpi           the component of Open MPI (ctl/mpi), for hcctl mpirun'
	@echo 'make all           = module ctl selftests; each of them by name'
	@echo 'make install       the tool and the library, the component of Open MPI if it was built, and the module if the running kernel'\''s headers are there'
	@echo '                   (KERNEL=RELEASE: for another one; PREFIX=, DESTDIR=); make uninstall removes them'
	@echo 'make deb           Debian packages in build/deb; make check-deb installs them in a system of their own, builds'
	@echo '                   the module with DKMS, runs it in a VM and purges them (as root)'
	@echo 'make deps          install the Debian packages that all this needs (done when needed)'
	@echo 'make clean         remove build/; kernels stay in ~/.cache/hypercube'
	@echo 'KERNEL=stock|debug|kcsan|6.12|running chooses the kernel for module, shell, ...'

all: module ctl selftests

module: | $(deps)base
	@$(vm)/module $(KERNEL) >/dev/null

ctl: | $(deps)base
	@$(MAKE) --no-print-directory -C ctl O=$(build)/ctl all static

mpi: ctl | $(deps)base $(deps)bench
	@$(MAKE) --no-print-directory -C ctl/mpi O=$(build)/ctl/mpi

# The tests use the library and the planners of the tool.
selftests: ctl
	@$(MAKE) --no-print-directory -C selftests OUTPUT=$(build)/selftests CTL=$(build)/ctl
	@$(MAKE) --no-print-directory -C selftests/soak O=$(build)/selftests/soak

demo: | $(deps)base
	@selftests/demo/run

demo-relax: | $(deps)base
	@selftests/demo/relax_run

demo-groups: | $(deps)base
	@selftests/demo/groups_run

demo-balance: | $(deps)base
	@selftests/demo/balance_run

# The option is SECONDS_, as SECONDS is a variable of shells.
demo-flaps: | $(deps)base
	@selftests/demo/flaps_run $(or $(SECONDS_),60) $(SEED)

demo-mpi: | $(deps)base $(deps)bench $(deps)mpi
	@selftests/demo/mpi_run $(or $(STEPS),30) $(SEED)

check: | $(deps)base
	@selftests/tools/suite $(KERNEL)

test: | $(deps)base
	@selftests/tools/run-test $(KERNEL) $(call quoted,$(T))

check-debug: | $(deps)base
	@selftests/tools/suite debug

check-kcsan: | $(deps)base
	@selftests/tools/suite kcsan

fuzz: | $(deps)base
	@selftests/fuzz/run $(FUZZ)

check-net: | $(deps)base $(deps)net
	@selftests/kernel_net/run

check-cluster: | $(deps)base
	@selftests/machines/run

check-sanitized: | $(deps)base
	@selftests/tools/sanitized

check-model: | $(deps)base $(deps)model
	@selftests/model/run

check-mpi: | $(deps)base $(deps)bench
	@selftests/mpi/run full
	@selftests/mpi/run machines

check-page: ctl | $(deps)browser
	@$(MAKE) --no-print-directory -C ctl O=$(build)/ctl check-page

soak: | $(deps)base
	@selftests/soak/run --kernel $(KERNEL) $(SOAK)

shell: | $(deps)base
	@$(vm)/run --kernel $(KERNEL) --out $(build)/out

bench: | $(deps)base $(deps)bench
	@selftests/bench/run $(BENCH)

latency: | $(deps)base
	@selftests/latency/run

style: | $(deps)base $(deps)style
	@selftests/tools/style

# Quotes an argument as one word for the shell, whatever characters it has.
quoted = '$(subst ','\'',$(1))'

# Installing does not depend on `deps`, as it needs no VM.
install:
	@$(MAKE) --no-print-directory -C ctl O=$(build)/ctl install
	@[ ! -e $(build)/ctl/mpi/mca_coll_hypercube.so ] || $(MAKE) --no-print-directory -C ctl/mpi O=$(build)/ctl/mpi install
	@DESTDIR=$(call quoted,$(DESTDIR)) $(vm)/install $(if $(filter file,$(origin KERNEL)),,$(KERNEL))

uninstall:
	@$(MAKE) --no-print-directory -C ctl O=$(build)/ctl uninstall
	@$(MAKE) --no-print-directory -C ctl/mpi O=$(build)/ctl/mpi uninstall
	@DESTDIR=$(call quoted,$(DESTDIR)) $(vm)/install --remove

deb: | $(deps)base $(deps)deb
	@debian/build-packages

check-deb: | $(deps)base $(deps)deb
	@selftests/install/deb

clean:
	rm -rf build

deps: $(deps)base $(deps)bench $(deps)browser $(deps)deb $(deps)model $(deps)mpi $(deps)net $(deps)style

$(deps)%: $(vm)/deps
	@$< $*
	@mkdir -p $(@D) && touch $@

.PHONY: help all module ctl mpi selftests test demo demo-relax demo-groups demo-balance demo-flaps demo-mpi check check-debug check-kcsan fuzz check-net check-cluster check-model check-mpi check-page check-sanitized soak shell bench latency style install uninstall deb check-deb clean deps
