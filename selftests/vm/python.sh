# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# This file is sourced. It copies the Python of this host to the virtual machine.

python=/usr/bin/python3

# python_copied FOLDER TO: copies FOLDER with compiled files, but without files that are never
# loaded. Libraries become executable, as selftests/vm/run adds the libraries that executable files
# need.
python_copied() {
	mkdir -p "$2" &&
		tar -C "$1" --exclude='config-*' --exclude=dist-packages --exclude=tests --exclude=test --exclude='*.a' \
			--exclude=f2py --exclude=distutils --exclude=idlelib --exclude=ensurepip --exclude=lib2to3 --exclude=include \
			-c . | tar -x -C "$2" &&
		find "$2" -name '*.so*' -exec chmod 755 {} +
}

# python_adds FOLDER MODULE..: adds to the array "adds" the files that selftests/vm/run must add for
# the interpreter and for these modules; copies of the modules are made in FOLDER/packages. False if
# a module is missing.
python_adds() {
	local work=$1 wanted name found
	shift
	# This program prints the interpreter, its version, the folder of its modules, and the
	# folders of the requested modules.
	wanted='import os, sys, importlib
print(os.path.realpath(sys.executable), "python%d.%d" % sys.version_info[:2], os.path.dirname(os.__file__),
	*(os.path.dirname(importlib.import_module(name).__file__) for name in sys.argv[1:]), sep="\n")'
	mapfile -t found < <($python -c "$wanted" "$@" 2>/dev/null)
	((${#found[@]} == 3 + $#)) && python_copied "${found[2]}" "$work/${found[1]}" || return
	adds+=(--add "${found[0]}:usr/bin/python3" --add "$work/${found[1]}:usr/lib/${found[1]}"
		--add "$work/packages:usr/lib/python3/dist-packages")
	found=("${found[@]:3}")
	for name; do
		python_copied "${found[0]}" "$work/packages/$name" || return
		found=("${found[@]:1}")
	done
}
