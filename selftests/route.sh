#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Fault-tolerant unicast: a frame arrives if there is a healthy path, and takes a shortest healthy
# path once the nodes know all faults. The tool computes the shortest paths independently.
#
# Scheduling: shared second

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# Counts the JSON objects that have "reached" and those of them that are wrong, and prints three of
# the wrong ones. With jq this would take half of the test's time.
# shellcheck disable=SC2016
reckon='
function value(name,	at, rest) {
	at = index($0, "\"" name "\":")
	rest = at ? substr($0, at + length(name) + 3) : ""
	sub(/[,}].*/, "", rest)
	return rest
}
/"reached":/ {
	n++
	if (value("reached") != value("reachable") || value("hops") != value("optimum")) {
		wrong++
		if (wrong <= 3)
			which = which $0 "}"
	}
}
END { print n + 0; print wrong + 0; print which }'

# judge WHAT FILE [OPTION]: runs the hcctl commands in FILE, one per line, and checks the routes
# that all of them print
judge() {
	local seen
	hcctl ${3:+"$3"} -j -b "$2" >"$scratch/ways" 2>"$scratch/said" || [[ ${3-} ]] ||
		{ fault "$1: $(<"$scratch/said")"; return; }
	mapfile -t seen < <(awk -v RS='}' "$reckon" "$scratch/ways")
	log "$1: ${seen[0]} ways"
	((seen[0] > 0)) || fault "$1: no ways"
	((seen[1] == 0)) || fault "$1: ${seen[1]} wrong: ${seen[2]}"
}

links=(0:0 2:0 4:0 6:0 0:1 1:1 4:1 5:1 0:2 1:2 2:2 3:2)

test_routes_are_shortest_with_any_faults_of_up_to_three_links() {
	local a b c n=12 f=$scratch/batch
	check 'add' hcctl fabric add t dim 3
	{
		echo 'route show t'
		for ((a = 0; a < n; a++)); do
			printf 'link set t %s down\nroute show t\n' "${links[a]}"
			for ((b = a + 1; b < n; b++)); do
				printf 'link set t %s down\nroute show t\n' "${links[b]}"
				[[ $debug ]] || for ((c = b + 1; c < n; c++)); do
					printf 'link set t %s down\nroute show t\n' "${links[c]}"
					printf 'link set t %s up\n' "${links[c]}"
				done
				printf 'link set t %s up\n' "${links[b]}"
			done
			printf 'link set t %s up\n' "${links[a]}"
		done
		echo 'route show t'
	} >"$f"
	judge 'three links' "$f"
}

test_routes_are_shortest_with_random_faults_to_dimension_6() {
	local dim i f=$scratch/batch
	for dim in 4 5 6; do
		check 'add' hcctl fabric add t dim $dim
		: >"$f"
		for ((i = 1; i <= $(scaled 12); i++)); do
			{
				echo "fault random t links $((i * dim / 2)) nodes $((i % 4)) seed $i"
				for _ in 1 2 3 4; do echo "route show t $((RANDOM % (1 << dim)))"; done
				((i % 3)) || echo 'fault clear t'
			} >>"$f"
		done
		sed -i '/nodes 0/s/ nodes 0//' "$f"
		# Some commands fail: a failed node refuses requests, and the number of faults is
		# limited.
		judge "dimension $dim" "$f" -f
		check 'del' hcctl fabric del t
	done
}

test_rejoined_components_learn_faults_of_each_other() {
	local f=$scratch/batch
	check 'add' hcctl fabric add t dim 4
	# While the two halves of the cube are separated, links in both halves fail; then one link
	# connects the halves, and each must learn the faults of the other half.
	cat >"$f" <<-'END'
		link set t 0:3,1:3,2:3,3:3,4:3,5:3,6:3,7:3 down
		link set t 0:0,2:1 down
		link set t 8:0,12:1,9:2 down
		route show t
		link set t 5:3 up
		route show t
		link set t 0:0,8:0 up
		route show t
		link set t 0:3,1:3,2:3,3:3,4:3,6:3,7:3 up
		route show t
		node set t 6 fail
		route show t
		node set t 6 ok
		route show t
	END
	judge 'apart and together' "$f"
}

# words COMMAND..: prints the output of COMMAND on one line
words() { "$@" | xargs; }

test_route_show_prints_path_or_no_healthy_path_as_text() {
	check 'add' hcctl fabric add t dim 3
	equal 'healthy' 'SRC DST HOPS LEAST PATH 0 3 2 2 0,1,3' "$(words hcctl route show t 0 3)"
	check 'down' hcctl link set t 3:0,3:1 down
	equal 'around' 4 "$(json '.[0].hops' route show t 0 3)"
	check 'cut off' hcctl link set t 3:2 down
	equal 'no way' 'SRC DST HOPS LEAST PATH 0 3 - - no healthy path' "$(words hcctl route show t 0 3)"
	refused 'no such node' 'invalid node "8": the fabric has nodes 0 to 7' hcctl route show t 0 8
	check 'fail' hcctl node set t 1 fail
	refused 'from a failed node' 'has failed' hcctl route show t 1 0
}

run_tests
