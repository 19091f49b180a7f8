# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Machines of tests of trunks, which are network namespaces: a fabric is of one namespace. In place of lib.sh.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# at NAMESPACE COMMAND..
at() { ip netns exec "$@"; }
# there NAMESPACE COMMAND..: in the background; the command itself is what the end of the test kills
there() { background ip netns exec "$@"; }
# json_at NAMESPACE FILTER COMMAND..
json_at() {
	local ns=$1 filter=$2
	shift 2
	at "$ns" hcctl -j "$@" | pick "$filter"
}
# is_at VALUE NAMESPACE FILTER COMMAND..
is_at() { [[ $(json_at "$2" "${@:3}") == "$1" ]]; }
