# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# This file is sourced; $top is the source tree. It copies the Open MPI of this host to the virtual
# machine, without the components for special hardware.

# mpi_adds FOLDER: adds to the array "adds" the files that selftests/vm/run must add; copies are
# made in FOLDER. The component of this project, if it was built, gets the path that packages give
# it.
mpi_adds() {
	local mpi pmix file
	mpi=$(find /usr/lib -type d -name openmpi3 | head -1)
	pmix=$(find /usr/lib -type d -path '*/pmix2/lib/pmix' | head -1)
	for file in /usr/bin/{orted,orterun,mpirun.openmpi} /usr/share/{openmpi,pmix} /etc/openmpi; do
		[[ ! -e $file ]] || adds+=(--add "$file:$file")
	done
	# The components are made executable, so that add_libraries() adds the libraries that they
	# need.
	mkdir "$1/components" "$1/pmix"
	find "$mpi" -name '*.so' |
		grep -vE '_(ofi|psm2?|ucx|openib|uct|usnic|portals4|monitoring)\.so$' |
		xargs install -m 755 -t "$1/components"
	find "$pmix" -name '*.so*' -print0 | xargs -0 install -m 755 -t "$1/pmix"
	adds+=(--add "$1/components:$mpi" --add "$1/pmix:$pmix")
	for file in "$top"/build/ctl/mpi/{mca_coll_hypercube.so,hypercube-mpi-tune}; do
		[[ ! -e $file ]] || adds+=(--add "$file:usr/lib/hypercube/openmpi/")
	done
}
