#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests reductions along chains, in the virtual machine that `run` of this folder starts.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "$0")/../lib/lib.sh"

# Makes a cube without one node and three links; node 3 is the sink.
faulty_cube() {
	check 'add' hcctl fabric add t dim 4
	check 'a failed node' hcctl node set t 13 fail
	check 'links' hcctl link set t 3:0,10:1,2:0 down
}

# line SINK DIM..: prints the nodes of the line with these dimensions, from the sink on
line() {
	local u=$1 d
	echo "$u"
	shift
	for d in "$@"; do echo $((u ^= 1 << d)); done
}

test_chain_visits_each_member_once_over_usable_links_only() {
	local nodes dims i
	faulty_cube
	json '.[] | select(.state == []) | "\(.node):\(.dim)"' link show t >"$scratch/up"
	hcctl -j chain plan fabric t sink 3 apply >"$scratch/plan" || fault 'no chain'
	equal 'what is installed is what was planned' \
		"$(jq -c '[.plan, "chain", .sink, .sequence, .members]' "$scratch/plan")" \
		"$(json '.[] | [.plan, .type, .sink, .sequence, (.members | length)]' plan show t)"
	mapfile -t dims < <(jq '.sequence[]' "$scratch/plan")
	mapfile -t nodes < <(line 3 "${dims[@]}")
	equal 'nobody twice' '' "$(printf '%s\n' "${nodes[@]}" | sort | uniq -d)"
	equal 'the members' "$(printf '%s\n' "${nodes[@]}" | sort -n | jq -sc .)" \
		"$(json '.[].members | sort' plan show t)"
	((${#nodes[@]} > 8)) || fault "the line is short: ${nodes[*]}"
	for ((i = 0; i < ${#dims[@]}; i++)); do
		check 'a link that is up' grep -qx "${nodes[i]}:${dims[i]}" "$scratch/up"
		check 'its other end' grep -qx "${nodes[i + 1]}:${dims[i]}" "$scratch/up"
	done
	check 'its text' grep -qE '^ +4  chain ' <(hcctl plan show t)
}

# number BYTES VALUE: prints VALUE as BYTES bytes in little endian, as escapes for printf
number() {
	local i
	for ((i = 0; i < $1; i++)); do printf '\\x%02x' $(($2 >> 8 * i & 255)); done
}

# digest VALUE..: prints the FNV-1a hash of the values, as numbers of 8 bytes
digest() {
	local h=$((0xcbf29ce484222325)) v i
	for v in "$@"; do
		for ((i = 0; i < 64; i += 8)); do h=$(((h ^ (v >> i & 255)) * 0x100000001b3)); done
	done
	printf '0x%016x' "$h"
}

test_reduce_over_chain_gives_right_sums_in_planned_steps() {
	local members count=8 sums=() data='' i k value
	faulty_cube
	check 'plan' hcctl chain plan fabric t sink 3 apply
	members=$(json '.[].members | length' plan show t)
	for ((i = 0; i < members; i++)); do
		for ((k = 0; k < count; k++)); do
			value=$(((i + 1) * 0x9e3779b97f4a7c15 + k * k))
			data+=$(number 8 "$value")
			((sums[k] += value)) || true
		done
	done
	# shellcheck disable=SC2059
	printf "$data" >"$scratch/data"
	hcctl -j run reduce t plan 4 type u64 count $count data "$scratch/data" >"$scratch/out" || fault 'no reduction'
	equal 'the sums' "$(digest "${sums[@]}")" "$(jq -r .digest "$scratch/out")"
	equal 'a step for each link of the line' "[$((members - 1)),$((members - 1)),$((members - 1))]" \
		"$(jq -c '[.steps, .promise, .clock]' "$scratch/out")"
}

test_reduce_over_chain_combines_operands_in_chain_order() {
	faulty_cube
	check 'plan' hcctl chain plan fabric t sink 3 apply
	check 'floats, bit for bit' hcctl run reduce t plan 4 type f64 count 20000 verify
	check 'sorted runs' hcctl run reduce t plan 4 op merge type u32 count 3000 verify
	check 'many' hcctl run reduce t plan 4 type i32 count 10 iterations 100 verify
}

test_reduce_without_plan_uses_temporary_tree_instead_of_chain() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl chain plan fabric t apply
	equal 'a reduction' '[5,true]' "$(json '[.plan, .temporary]' run reduce t)"
	refused 'no choice' 'what is .method' hcctl run reduce t method chain
	refused 'what chains do not carry' 'has no tree plan 4' hcctl run allreduce t plan 4
	refused 'nor blocks' 'has no tree plan 4' hcctl run gather t plan 4
}

test_broken_chain_refuses_reduce_until_planned_again() {
	local link
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl chain plan fabric t sink 5 apply
	link=5:$(json '.[].sequence[0]' plan show t)
	check 'a link of it' hcctl link set t "$link" down
	busywait 10 json_is true '.[].broken' plan show t || fault 'the plan did not break'
	refused 'it is of no use' 'is broken; try: hcctl chain plan fabric t apply plan 4' hcctl run reduce t plan 4
	check 'again' hcctl chain plan fabric t apply plan 4
	check 'it goes on' hcctl run reduce t plan 4 verify
	check 'without the plan' hcctl plan del t 4
	equal 'it is gone' '[]' "$(hcctl -j plan show t)"
	refused 'and carries nothing' 'has no' hcctl run reduce t plan 4
}

test_saved_chain_is_restored_with_its_fabric() {
	faulty_cube
	check 'plan' hcctl chain plan fabric t sink 3 apply
	hcctl fabric save t >"$scratch/one" || fault 'it is not saved'
	check 'del' hcctl fabric del t
	check 'restore' hcctl fabric restore "$scratch/one"
	check 'the same' cmp "$scratch/one" <(hcctl fabric save t)
	check 'it works' hcctl run reduce t plan 4 verify
}

run_tests
