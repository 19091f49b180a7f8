# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Sourced by the test scripts of this folder. Their first argument is the hcctl program; $hcctl is set to its full
# path, and $here to this folder. The script goes on in a new empty folder, which is deleted when it ends.

set -u
# shellcheck disable=SC2034
hcctl=$(readlink -f "${1:?usage: $0 HCCTL}")
# shellcheck disable=SC2034
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

nr=0 failed=0 logs=()

# result STATUS NAME: print the TAP line of the test NAME: "ok" if STATUS is 0, or else "not ok". After a "not ok"
# the contents of the files in the array "logs" are printed too.
result() {
	nr=$((nr + 1))
	if (($1 == 0)); then
		echo "ok $nr - $2"
	else
		failed=$((failed + 1))
		echo "not ok $nr - $2"
		sed 's/^/# /' "${logs[@]}"
	fi
}
