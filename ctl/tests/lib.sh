# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the scripts: sets $hcctl to the program that is given, goes to an empty folder, and says results as TAP.

set -u
# shellcheck disable=SC2034
hcctl=$(readlink -f "${1:?usage: $0 HCCTL}")
# shellcheck disable=SC2034
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$tmp" || exit 1

nr=0 failed=0 logs=()

# result STATUS NAME: of a test; if it failed, with what is in the files "logs"
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
