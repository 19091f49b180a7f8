#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Usage: guest.sh PROGRAM ARGUMENT..
# Runs a fuzzer in the VM; behind its results, what it has reached of the module, a line each.

here=$(cd "$(dirname "$0")" && pwd)
program=$1
shift
# Where it is a module, one who asks for such an interface has it loaded, and with it comes dummy0.
modprobe -q dummy
"$here/$program" "$@" cover /tmp/cover
status=$?
[[ ! -s /tmp/cover ]] || sed 's/^/cover /' /tmp/cover
exit $status
