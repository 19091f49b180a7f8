# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash disable=SC2154
#
# Measures allgather, alltoall and reduce_scatter over all plan types that support them, over Open
# MPI, and with plain shared memory (the floor). Sourced by guest.sh, after collectives.sh.

# Open MPI over shared memory, with the fastest of its algorithms in each case (mpi_ways.c): with
# direct copies ("shm" of collectives.sh), and here without them. coll/sm has none of these
# collectives.
copies=(chrt -r 1 "${mpi[@]}" --mca btl 'self,vader' --mca btl_vader_single_copy_mechanism none)
# Names of the plans that peers_set_up() makes, by plan id
plans='[null, "tree", null, "doubling", "ring"]'
exchanged=(allgather alltoall reduce_scatter)
# Sizes of a block in bytes
block_sizes=(8 512 4096 16384 65536)
# Limit for the bytes of all contributions to an operation, as longer operations take seconds
most=$((32 << 20))

# one_way PROCS OPTION..: measures allgathers over rings in which messages travel in one direction
# only, as in rings with REPAIR
one_way() {
	hcctl ring plan fabric "bench$1" apply plan 5 repair >/dev/null || die 'no rings that repair themselves'
	"$here/measure_fabric" "${@:2}" 5 2 one-way || die 'measure_fabric failed'
	hcctl plan del "bench$1" 5
}

# exchange BACKEND PROCS WHAT MS: measures this operation with all sizes
exchange() {
	local IFS=,
	local options=(-b "$4" -l "$most") all="${exchanged[*]}" sizes="${block_sizes[*]}"
	local fabric=("$2" "$sizes" "bench$2")
	local peer=(-n "$2" "$here/measure_mpi" "${options[@]}" -w "$all" "$2" "$sizes" "$1" /dev/shm/bench best)
	local rules=(--mca coll_tuned_use_dynamic_rules 1)
	rm -f /dev/shm/bench
	case $1 in
	tree) "$here/measure_fabric" "${options[@]}" -w allgather,reduce_scatter "${fabric[@]}" 1 2 tree ;;
	doubling) "$here/measure_fabric" "${options[@]}" -w "$all" "${fabric[@]}" 3 2 doubling ;;
	ring) "$here/measure_fabric" "${options[@]}" -w allgather,alltoall "${fabric[@]}" 4 2 ring ;;
	one-way) one_way "$2" "${options[@]}" -w allgather "${fabric[@]}" ;;
	floor) "$here/measure_floor" "${options[@]}" -w "$all" "$2" "$sizes" ;;
	mpi-shm) timeout 600 "${shm[@]}" "${rules[@]}" "${peer[@]}" ;;
	mpi-copies) timeout 600 "${copies[@]}" "${rules[@]}" "${peer[@]}" ;;
	mpi-tcp) timeout 600 "${tcp[@]}" "${peer[@]::${#peer[@]} - 1}" ;;
	esac
}

# choices PROCS: prints, for each operation and size, the plan that "hcctl run" chooses, its number
# of steps, and the lower bound for the steps
choices() {
	local what bytes
	for what in "${exchanged[@]}"; do
		for bytes in "${block_sizes[@]}"; do
			[[ $what == allgather ]] || (($1 * $1 * bytes <= most)) || continue
			hcctl -j run "$what" "bench$1" type u64 count $((bytes / 8)) verify |
				jq -c --argjson names "$plans" --argjson procs "$1" --argjson block "$bytes" \
					'{ what: "choice", of: .collective, procs: $procs, bytes: $block, plan: $names[.plan], why,
					   steps, optimum, optimum_is }' || die "hcctl run $what failed"
		done
	done
}

# rings PROCS: prints the numbers of steps over rings, and the lower bounds for them
rings() {
	local dim=0
	while ((1 << dim < $1)); do dim=$((dim + 1)); done
	hcctl -j ring plan dim $dim | jq -c --argjson procs "$1" \
		'{ what: "rings", procs: $procs, method, deliver, steps, least_deliver, least_steps, ports, least_ports }'
}

exchanges() {
	# shellcheck disable=SC2034
	local backends=(ring one-way doubling tree floor mpi-shm mpi-copies mpi-tcp) p
	peers_set_up
	for p in "${procs[@]}"; do
		rings "$p"
		choices "$p"
	done
	peers exchanges "$([[ $mode == full ]] && echo 2 || echo 1)" "$([[ $mode == full ]] && echo 150 || echo 100)" exchange
	peers_tear_down
}
