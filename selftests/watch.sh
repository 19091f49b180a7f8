#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# What can be watched: pictures, tracepoints, the monitor interface, time lines.

# shellcheck source=selftests/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

# a_fabric DIM: t, with some faults and a tree around them
a_fabric() {
	check 'add' hcctl fabric add t dim "$1"
	check 'down' hcctl link set t 3:1 down
	check 'fail' hcctl node set t 6 fail
	check 'plan' hcctl tree find fabric t apply
}

a_reduction() { check 'reduce' hcctl run reduce t op sum type i64 count "${1:-1000}" verify; }

# dot_sum ATTRIBUTE: of all edges of the picture
dot_sum() { grep -oE "$1=[0-9]+" "$scratch/t.dot" | awk -F= "{ n += \$2 } END { print n }"; }

pictures_show_faults_and_traffic() {
	a_fabric 3
	a_reduction
	check 'svg' hcctl plot t -o "$scratch/t.svg"
	equal 'faults' '[1,1,"tree"]' \
		"$(json '[.faulty_links, .failed_nodes, .kind]' plot t -o "$scratch/t.dot")"
	equal 'bytes' "$(json .tx_bytes stats t)" "$(dot_sum bytes)"
	equal 'links' 12 "$(grep -c 'dir=none' "$scratch/t.dot")"
	grep -q '</svg>' "$scratch/t.svg" || fault 'the picture has no end'
	refused 'another plan' 'no tree is installed as plan 9' hcctl plot t plan 9 -o "$scratch/t.svg"
	refused 'another fabric' 'fabric' hcctl plot none -o "$scratch/t.svg"
	check 'a matrix' hcctl fabric add u dim 8
	equal 'a matrix' fabric "$(json .kind plot u -o "$scratch/u.svg")"
}

run_tests pictures_show_faults_and_traffic
