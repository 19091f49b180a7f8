# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# To be sourced: Open MPI as it lies on this machine, for the virtual one, without what wants special hardware. $top is the
# tree.

# mpi_adds FOLDER: puts into the array "adds" what selftests/vm/run must add; FOLDER is for copies.
# The component, if it was built, goes where packages have it.
mpi_adds() {
	local mpi pmix file
	mpi=$(find /usr/lib -type d -name openmpi3 | head -1)
	pmix=$(find /usr/lib -type d -path '*/pmix2/lib/pmix' | head -1)
	for file in /usr/bin/{orted,orterun,mpirun.openmpi} /usr/share/{openmpi,pmix} /etc/openmpi; do
		[[ ! -e $file ]] || adds+=(--add "$file:$file")
	done
	# Executable, so that the libraries that the components need are added, too.
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
