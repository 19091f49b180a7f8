#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: guest.sh PROGRAM ARGUMENT..
# Runs a fuzzer in the VM; behind its results, what it has reached of the module, a line each.

here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
# If dummy is a module, creating such an interface would load it, and dummy0 would appear.
modprobe -q dummy
"$here/$program" "$@" cover /tmp/cover
status=$?
[[ ! -s /tmp/cover ]] || sed 's/^/cover /' /tmp/cover
exit $status
