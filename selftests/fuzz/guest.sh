#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: guest.sh PROGRAM ARGUMENT..
# Runs a fuzzer in the VM. After its results, it prints the program counters of the module that were
# reached, one per line.

here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
# Load dummy now, if it is a module: otherwise the first creation of such an interface would load
# it, and the interface dummy0 would appear.
modprobe -q dummy
"$here/$program" "$@" cover /tmp/cover
status=$?
[[ ! -s /tmp/cover ]] || sed 's/^/cover /' /tmp/cover
exit $status
