#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# The tool with a live module. Its JSON is valid and has the content of the text; its error messages
# give the error and its cause; its exit status distinguishes refusal from misuse; and after an
# error a batch goes on or stops, as requested.
#
# Scheduling: shared long

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/lib.sh"

# status WANTED COMMAND..: checks that COMMAND ends with this status
status() {
	local seen=0
	"${@:2}" >/dev/null 2>&1 || seen=$?
	equal "status of \"${*:2}\"" "$1" "$seen"
}

test_json_output_of_commands_is_valid() {
	local command files=() i=0
	check 'add' hcctl fabric add t dim 3
	check 'down' hcctl link set t 0:0 down
	check 'plan' hcctl tree find fabric t apply
	for command in 'fabric show' 'fabric show t' 'fabric save t' 'node show t' 'node show t 3' 'link show t' \
		'link show t 1:2' 'fault show t' 'tree show t' 'plan show t' 'plan show t 1' 'op show t' 'stats t' 'detect t' \
		'tree find fabric t' 'doubling plan fabric t' 'doubling rule' 'doubling rule dim 4 bytes 9' 'bcast plan fabric t source 1 apply' 'tree show t' 'fault random t links 1 seed 3' \
		'run reduce t op max type f32 count 5 verify' 'run allreduce t op sum type u8' \
		'run bcast t type record:3 verify' 'run barrier t'; do
		((i++ % stride == 0)) || continue
		# shellcheck disable=SC2086
		{ hcctl -j $command; echo; hcctl -j -p $command; } >"$scratch/$i-${command// /_}.json"
		files+=("$scratch/$i-${command// /_}.json")
		# shellcheck disable=SC2086
		[[ $(hcctl $command) ]] || fault "\"hcctl $command\" says nothing"
	done
	# Check all files in one call, as jq takes long to start.
	equal 'files of two JSON texts, and others' "[${#files[@]},[]]" \
		"$(jq -nc '[inputs | input_filename] | group_by(.) | [length, map(select(length != 2)[0])]' "${files[@]}" 2>&1)"
}

test_errors_are_valid_json() {
	local said
	said=$(hcctl -j fabric del nosuch 2>&1)
	jq -e .error <<<"$said" >/dev/null || fault "an error: $said"
	said=$(hcctl -j fabric 2>&1)
	jq -e . <<<"$said" >/dev/null || fault "a usage error: $said"
}

test_stall_timeout_is_set_and_shown() {
	check 'add' hcctl fabric add t dim 1
	equal 'stall-timeout at first' 10000 "$(json '.[0].stall_timeout' fabric show t)"
	check 'set' hcctl fabric set t stall-timeout 2.5s
	equal 'stall timeout' 2500 "$(json '.[0].stall_timeout' fabric show t)"
	check 'set' hcctl fabric set t stall-timeout 1ms
	equal 'the least stall timeout' 1 "$(json '.[0].stall_timeout' fabric show t)"
	check 'set' hcctl fabric set t stall-timeout forever
	equal 'no limit' 0 "$(json '.[0].stall_timeout' fabric show t)"
	hcctl fabric show t | grep -qw forever || fault 'the text does not say forever'
	status 2 hcctl fabric set t stall-timeout 100us
	check 'set' hcctl fabric set t stall-timeout 0
	equal 'no limit' 0 "$(json '.[0].stall_timeout' fabric show t)"
}

# protocol COLUMN: prints this column of the row for AF_HYPERCUBE in /proc/net/protocols
protocol() { awk -v column="$1" '$1 == "HYPERCUBE" { print $column }' /proc/self/net/protocols; }
sockets_are() { [[ $(protocol 3) == "$1" ]]; }

test_proc_net_protocols_counts_sockets() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply sink 0
	equal 'module' hypercube "$(protocol 8)"
	check 'reduce' hcctl run reduce t op sum type u8 count 1 verify
	equal 'all sockets are closed' 0 "$(protocol 3)"
	background "$here/hc_load" hold t 1 2 4 7
	check 'a socket for each node' busywait 5 sockets_are 3
	stop "$pid"
	check 'they are closed' busywait 5 sockets_are 0
}

test_checked_run_locates_byzantine_node() {
	local collective liar
	check 'add' hcctl fabric add t dim 3
	for collective in 'reduce t' 'allreduce t op max type f32' 'bcast t source 3'; do
		# shellcheck disable=SC2086
		check 'all are honest' hcctl run $collective checked verify
	done
	for liar in 1 5 6; do
		check 'it lies' hcctl node set t $liar byzantine 100% seed 3
		for collective in 'reduce t' 'allreduce t op xor' 'bcast t source 3'; do
			# shellcheck disable=SC2086
			refused 'results differ' "node $liar lies, if only one node does" hcctl run $collective checked
		done
		check 'no more' hcctl node set t $liar byzantine 0
	done
	equal 'plans left' 0 "$(json length plan show t)"
	check 'trees' hcctl checked plan fabric t apply plan 30 rotated
	equal 'two for the pair, and two for each dimension' 8 "$(json length plan show t)"
	check 'faults' hcctl link set t 0:0,3:1 down
	check 'around them' hcctl run allreduce t checked verify
	equal 'who could lie unseen is told' true \
		"$(json '.checked.unseen != [] and .checked.agreed' run allreduce t checked)"
}

test_module_and_tool_have_same_version() {
	local version
	version=$(hcctl -V)
	version=${version#hcctl }
	check 'add' hcctl fabric add t dim 1
	equal 'module' "$version" "$(</sys/module/hypercube/version)"
	equal 'ethtool' "version: $version" "$(ethtool -i tn0 | grep '^version: ')"
	check 'driver' grep -q '^driver: hypercube$' <(ethtool -i tn0)
	check 'bus' grep -q '^bus-info: t/0$' <(ethtool -i tn0)
}

test_exit_status_is_1_for_refusal_and_2_for_misuse() {
	check 'add' hcctl fabric add t dim 3
	status 0 hcctl fabric show
	status 0 hcctl help
	status 0 hcctl fabric help
	status 0 hcctl -V
	status 1 hcctl fabric add t dim 3
	status 1 hcctl fabric del nosuch
	status 1 hcctl fabric set nosuch stall-timeout 1s
	status 2 hcctl fabric set t
	status 2 hcctl fabric set t stall-timeout 25h
	status 2 hcctl fabric set t stall-timeout 1
	status 1 hcctl node show t 9
	status 1 hcctl -n nosuch fabric show
	status 2 hcctl
	status 2 hcctl nosuch
	status 2 hcctl -x
	status 2 hcctl fabric nosuch
	status 2 hcctl fabric add
	status 2 hcctl fabric add u
	status 2 hcctl fabric add u dim
	status 2 hcctl fabric add u dim 0
	status 2 hcctl fabric add u dim 13
	status 2 hcctl fabric add u dim 3 dim 3
	status 2 hcctl fabric add u dim 3x
	status 2 hcctl fabric add u dim 3 nosuch
	status 2 hcctl link set t 1:9x down
	status 2 hcctl link set t x down
	status 2 hcctl link set t 1
	status 2 hcctl link set t 1:1
	status 2 hcctl link set t 1:1 loss 101
	status 2 hcctl node set t 1 nosuch
	status 2 hcctl node set t 1 byzantine
	status 2 hcctl node set t 1 byzantine 101%
	status 2 hcctl node set t 1 byzantine 5% seed
	status 2 hcctl node set t 1 byzantine 5% at 3
	status 2 hcctl node set t 1 byzantine-at 0
	status 2 hcctl node set t 1 byzantine-at 3,3
	status 2 hcctl node set t 1 byzantine-at 1,,2
	status 2 hcctl node set t 1 byzantine-at "$(seq -s , 33)"
	status 2 hcctl tree find fabric t method nosuch
	status 2 hcctl run reduce t op nosuch
	status 2 hcctl run reduce t op and type f32
	status 2 hcctl run bcast t op sum
	status 2 hcctl run barrier t count 1
}

test_error_messages_name_object_and_reason() {
	check 'add' hcctl fabric add t dim 3
	refused 'a fabric twice' 'exists' hcctl fabric add t dim 3
	refused 'no such node' '(node|9)' hcctl node set t 9 fail
	refused 'no such dimension' 'dimension|1:3' hcctl link set t 1:3 down
	refused 'no plan' 'plan' hcctl run reduce t op sum type u8 count 1 plan 9
	refused 'no broadcast plan' 'broadcast plan 9' hcctl run bcast t plan 9
	check 'a broadcast plan' hcctl bcast plan fabric t source 3 apply plan 7
	refused 'another source' 'source of plan 7 is node 3' hcctl run bcast t plan 7 source 2
	refused 'a tree for a broadcast' 'no tree plan 7' hcctl run barrier t plan 7
	refused 'no such source' '8' hcctl run bcast t source 8
	check 'cut all' hcctl node set t 0 fail
	refused 'a failed source' '0.*failed' hcctl run bcast t source 0
	refused 'a failed sink' '0|fail|sink' hcctl tree find fabric t sink 0
	refused 'a typing error' 'nosuch' hcctl fabric nosuch
	refused 'a missing word' 'dim' hcctl fabric add u
}

# unknown PATTERN WORD..: checks that the kernel refuses the command, and that the message matches
# PATTERN, which has the name of the object that does not exist
unknown() {
	local said seen=0
	said=$(timeout 10 hcctl "${@:2}" 2>&1) || seen=$?
	equal "status of \"${*:2}\"" 1 "$seen"
	says "$said" "$1" || fault "\"${*:2}\" said \"$said\", not \"$1\""
}

test_error_message_names_unknown_object() {
	local command i=0
	check 'add' hcctl fabric add t dim 3
	for command in 'fabric show nope' 'fabric save nope' 'fabric del nope' 'node show nope' 'node show nope 1' 'node set nope 1 fail' \
		'node set nope 1 owner 0' 'node set nope 1 netns 1' 'link show nope' 'link show nope 0:1' 'link set nope 0:1 down' \
		'fault show nope' 'fault clear nope' 'fault random nope links 1 seed 1' 'detect nope' 'route show nope' \
		'route show nope 0 1' 'tree find fabric nope' 'tree show nope' 'tree del nope' 'plan show nope' 'plan show nope 1' 'plan del nope' 'plan del nope 1' 'bcast plan fabric nope source 1' \
		'bcast plan fabric nope all' 'doubling plan fabric nope' 'op show nope' 'stats nope' 'monitor fabric nope' \
		'plot nope -o x.svg' 'trace nope -o x.json duration 1ms' 'run reduce nope' 'run allreduce nope' 'run bcast nope' \
		'run gather nope' 'run scatter nope' 'run barrier nope'; do
		((i++ % stride == 0)) || continue
		# shellcheck disable=SC2086
		unknown 'fabric nope: no such fabric' $command
	done
	for command in 'node show t 99' 'node set t 99 fail' 'node set t 99 netns 1' 'link show t 99:1' 'link set t 99:1 down' \
		'link set t 0:0,99:1 up'; do
		# shellcheck disable=SC2086
		unknown 'fabric t: .*node: 99' $command
	done
	unknown 'fabric t: .*dimension: 7' link show t 2:7
	unknown 'fabric t: .*dimension: 7' link set t 2:7 down
	unknown 'fabric t: .*plan.*: 9' tree del t plan 9
	unknown 'fabric t: .*plan.*: 9' plan del t 9
	unknown 'fabric t: .*plan.*: 9' plan show t 9
	unknown 'plan 9 of fabric "t"' plot t plan 9 -o x.svg
	unknown 'node 99' bcast plan fabric t source 99
	unknown 'sink 99' tree find fabric t sink 99
	for command in reduce allreduce bcast gather scatter barrier; do
		unknown 't has no .* plan 9' run $command t plan 9
	done
	refused 'the first node of a route' 'node "99"' hcctl route show t 99
	refused 'its last node' 'node "99"' hcctl route show t 0 99
	[[ $(hcctl -j link show nope 2>&1) == '{"error":"fabric nope: No such fabric'* ]] || fault 'no name in JSON'
}

# The message has the refused value, its keyword, and the limits that the kernel's policy sets.
test_value_out_of_range_is_refused_with_its_limits() {
	check 'add' hcctl fabric add t dim 3
	unknown '^hcctl: fabric t: delay 2s: 0 to 1s is allowed \(' link set t 0:0 delay 2s
	unknown '^hcctl: fabric t: model-latency 2000s: 0 to 1000s is allowed \(' link set t 0:0 model-latency 2000s
	unknown '^hcctl: fabric t: flap 1001s: 0 to 1000s is allowed \(' link set t 0:0 flap 1s/1001s
	unknown '^hcctl: fabric u: segment 100: 256 to 32768 is allowed \(' fabric add u dim 3 segment 100
	unknown '^hcctl: fabric u: segment 32769: 256 to 32768 is allowed \(' fabric add u dim 3 segment 32769
	unknown '^hcctl: fabric t: timeout 10001: 0 to 10000 is allowed \(' detect t timeout 10001
	unknown '^hcctl: fabric t: node 4096: 0 to 4095 is allowed \(' node show t 4096
	unknown '^hcctl: fabric t: .* 256 kbit/s .*: 8bit ' link set t 0:0 rate 1bps
	unknown '^hcctl: fabric t: node 1: No such network namespace: 4194305 ' node set t 1 netns 4194305
	refused 'in JSON, too' '^\{"error":"fabric t: delay 2s: 0 to 1s is allowed ' hcctl -j link set t 0:0 delay 2s
}

test_link_that_delivers_no_frames_is_spent() {
	check 'add' hcctl fabric add t dim 2
	check 'a tree' hcctl tree find fabric t sink 0 apply
	check 'nothing comes through' hcctl link set t 0:0 loss 100%
	refused 'a reduction' 'link [01]:0 .*: it is spent, for too many attempts' hcctl run reduce t
	equal 'at one end' '["spent"]' "$(json '.[0].state' link show t 0:0)"
	busywait 2 json_is '["spent"]' '.[0].state' link show t 1:0 || fault 'not at the other one'
	(($(json '[.[].replays] | add' link show t 0:0,1:0) >= 64)) || fault 'no replays'
	check 'replays' grep -q 'replays [0-9]' <(hcctl link show t 0:0,1:0)
	check 'ethtool has them' grep -q 'link_replays: [1-9]' <(ethtool -S tn0; ethtool -S tn1)
	check 'another way' hcctl route show t 0 1
	check 'new settings' hcctl link set t 0:0 loss 10%
	equal 'are new attempts' '[]' "$(json '.[0].state' link show t 1:0)"
	check 'a tree' hcctl tree find fabric t apply
	check 'a reduction' hcctl run reduce t op sum type u32 count 1000 verify
}

test_numbers_may_be_decimal_hexadecimal_or_binary() {
	check 'add' hcctl fabric add t dim 0x4
	equal 'dimension' 4 "$(json '.[0].dim' fabric show t)"
	check 'down' hcctl link set t 0b1010:0x1 down
	equal 'the link' '[{"node":8,"dim":1,"state":["down"]}]' "$(json .links fault show t)"
	refused 'no number' . hcctl node set t 0b2 fail
}

test_node_in_link_list_stands_for_all_its_links() {
	check 'add' hcctl fabric add t dim 3
	check 'down' hcctl link set t 5,0:1 down
	equal 'faults' '[[0,1],[1,2],[4,0],[5,1]]' "$(json '[.links[] | [.node, .dim]]' fault show t)"
	equal 'links of nodes' '[[5,0],[5,1],[5,2],[2,1]]' "$(json '[.[] | [.node, .dim]]' link show t 5,2:1)"
	check 'up again' hcctl link set t 5 0:1 up
	equal 'no faults' '[]' "$(json .links fault show t)"
	echo 'link 6' >"$scratch/faults"
	check 'load' hcctl fault load t "$scratch/faults"
	equal 'of a file' '[[2,2],[4,1],[6,0]]' "$(json '[.links[] | [.node, .dim]]' fault show t)"
	check 'fail' hcctl node set t 1,0x2 fail
	equal 'failed' '[1,2]' "$(json .nodes fault show t)"
	equal 'shown' '[[2,true],[0,false]]' "$(json '[.[] | [.node, .failed]]' node show t 2,0)"
	check 'ok' hcctl node set t 1,2 ok
	refused 'one that is not there' '^hcctl: node 9, number 2 of 3: fabric t: .*node: 9' hcctl node set t 3,9,4 fail
	equal 'those before it' '[3]' "$(json .nodes fault show t)"
	refused 'its links' '^hcctl: link 9:0, number 1 of 3: fabric t: .*node: 9' hcctl link set t 9 down
}

test_delays_rates_and_timeouts_are_shown_as_set() {
	local value
	check 'add' hcctl fabric add t dim 1
	for value in 5ms 2.5ms 1001us 100ns 1s 12.5us; do
		check 'set' hcctl link set t 0:0 delay "$value" model-latency "$value"
		hcctl link show t 0:0 | grep -q "delay $value .*model-latency $value\b" || fault "$value: $(hcctl link show t 0:0)"
	done
	for value in 256kbit 1.5mbit 10gbit 1001kbit; do
		check 'set' hcctl link set t 0:0 rate "$value" model-bandwidth "$value"
		hcctl link show t 0:0 | grep -q "rate $value .*model-bandwidth $value\b" || fault "$value: $(hcctl link show t 0:0)"
	done
	for value in 5ms 2.5s 1s; do
		check 'set' hcctl fabric set t stall-timeout "$value"
		hcctl fabric show t | grep -qE " $value( |$)" || fault "$value: $(hcctl fabric show t)"
	done
}

# one_line WORD..: checks that the command is refused with an error message of exactly one line
one_line() {
	local said
	said=$(hcctl "$@" 2>&1 >/dev/null) && fault "\"$*\" was not refused"
	equal "lines of \"$*\"" 1 "$(wc -l <<<"$said")"
}

test_error_message_has_one_line() {
	check 'add' hcctl fabric add t dim 3
	one_line link set t 0:0,99:1 down
	one_line -j link set t 0:0,99:1 down
	unknown '^hcctl: link 99:1, number 2 of 3: fabric t: .*node: 99' link set t 0:0,99:1,5:1 down
	equal 'those before it are set' '[{"node":0,"dim":0,"state":["down"]}]' "$(json .links fault show t)"
	printf 'fabric add t dim 3\n' >"$scratch/batch"
	one_line -b "$scratch/batch"
	one_line -j -b "$scratch/batch"
}

test_control_characters_in_names_are_escaped() {
	local name=$'x\e[31m\ny'
	check 'add' hcctl fabric add t dim 1
	check 'rename' ip link set dev tn1 name $'x\e[31m'
	# shellcheck disable=SC1003
	equal 'name in a table' 'x\033[31m' "$(hcctl node show t 1 | awk 'NR == 2 { for (i = 1; i <= NF; i++) if ($i ~ /^x/) print $i }')"
	equal 'name in JSON' '"x\u001b[31m"' "$(hcctl -j node show t 1 | jq -c '.[0].ifname')"
	equal 'an error' 'hcctl: what is "x\033[31m\012y"? try: hcctl help' "$(hcctl "$name" 2>&1)"
}

test_error_message_of_trace_has_one_line() {
	[[ -d /sys/kernel/tracing/events/hypercube ]] || { skip 'no tracepoints'; return; }
	one_processor
	check 'add' hcctl fabric add t dim 3
	one_line trace t -o "$scratch/t.json" -- /nonexistent
	[[ ! -e $scratch/t.json ]] || fault 'there is a time line of nothing'
	one_line -j trace t -o "$scratch/t.json" -- "$scratch"
	check 'a command' hcctl trace t -o "$scratch/t.json" -- true
	status 1 hcctl trace t -o "$scratch/t.json" -- false
}

test_batch_stops_at_first_error() {
	cat >"$scratch/batch" <<'END'
# a comment
fabric add a dim 2

fabric add b \
	dim 3
fabric add a dim 2
fabric add c dim 1
END
	refused 'the batch' 'batch:6' hcctl -b "$scratch/batch"
	equal 'fabrics' 'a b' "$(json '[.[].name] | sort | join(" ")' fabric show)"
}

test_forced_batch_continues_after_error() {
	printf 'fabric add a dim 2\nfabric add a dim 2\nfabric add b dim 1\n' >"$scratch/batch"
	status 1 hcctl -f -b "$scratch/batch"
	equal 'fabrics' 'a b' "$(json '[.[].name] | sort | join(" ")' fabric show)"
	printf 'fabric del a\nfabric del b\n' | hcctl -b - || fault 'a batch from standard input failed'
	equal 'fabrics' '[]' "$(hcctl -j fabric show)"
}

test_reduction_takes_planned_number_of_steps() {
	local seed promised taken
	check 'add' hcctl fabric add t dim 4
	for ((seed = 1; seed <= $(scaled 6); seed++)); do
		check 'faults' hcctl fault random t links 4 seed $seed
		promised=$(json .steps tree find fabric t apply)
		taken=$(json 'select(.verified) | .steps' run reduce t op sum type i64 count 7 verify)
		equal "steps around the faults of seed $seed" "$promised" "$taken"
		check 'clear' hcctl fault clear t
	done
}

# truth COLLECTIVE WORD..: runs the collective, and prints its steps if the result is right, and the
# steps are neither below the optimum nor above the number that the plan promises
truth() {
	json 'select(.verified and .optimum <= .steps and .steps <= .promise) | .steps' \
		run "$1" t "${@:2}" verify
}

test_steps_around_faults_are_between_optimum_and_promise() {
	local seed steps
	check 'add' hcctl fabric add t dim 4
	equal 'steps of a reduction' 4 "$(truth reduce count 9)"
	equal 'steps of an allreduce' 8 "$(truth allreduce method tree op prod type f32 count 9000)"
	equal 'steps of a broadcast' 4 "$(truth bcast source 6 count 20000 iterations 3)"
	equal 'steps of a gather' 4 "$(truth gather type record:9 count 700 iterations 2)"
	equal 'steps of a scatter' 8 "$(truth scatter type u16 count 5000 iterations 2)"
	equal 'frames one after the other' 4 "$(json .clock run bcast t source 6 count 1)"
	equal 'steps of a barrier' 8 "$(truth barrier method tree iterations 5)"
	for ((seed = 1; seed <= $(scaled 2); seed++)); do
		check 'faults' hcctl fault random t links 4 nodes 1 seed $seed
		steps=$(truth reduce op max type i16 count 30)
		equal "steps of an allreduce, seed $seed" $((2 * steps)) "$(truth allreduce type f64 count 1)"
		equal "steps of a barrier, seed $seed" $((2 * steps)) "$(truth barrier)"
		equal "steps of a gather, seed $seed" "$steps" "$(truth gather count 100)"
		equal "steps of a scatter, seed $seed" $((2 * steps)) "$(truth scatter count 100)"
		[[ $(truth bcast source 0 type record:7 count 3000) ]] ||
			fault "a broadcast, seed $seed: not as promised"
		# In dimension 4 the planner tries all sequences, so it finds a plan of the optimum
		# length.
		check 'the shortest' hcctl bcast plan fabric t source 0 method minimal apply plan 5
		equal "the shortest, seed $seed" '["exact",true,true]' \
			"$(json '[.optimum_is, .steps == .optimum, .promise == .optimum]' run bcast t plan 5 verify)"
		check 'del' hcctl tree del t plan 5
		check 'clear' hcctl fault clear t
	done
}

# Where a whole stage has no sender, the stage takes a step on the way up, but none on the way down.
test_steps_around_failed_nodes_are_as_promised() {
	local kind
	check 'add' hcctl fabric add t dim 2
	check 'faults' hcctl node set t 1,3 fail
	check 'a plan' hcctl tree find fabric t sink 0 apply
	for kind in allreduce barrier reduce_scatter allgather scatter; do
		equal "$kind" '[true,3,3,3,"exact"]' \
			"$(json '[.verified,.steps,.promise,.optimum,.optimum_is]' run "$kind" t plan 1 verify)"
	done
	equal 'up alone' '[2,2,2,"exact"]' "$(json '[.steps,.promise,.optimum,.optimum_is]' run reduce t verify)"
	# A plan that was made while a node was missing must not promise its number of steps once
	# the node is back.
	check 'a node is back' hcctl node set t 1 ok
	equal 'of other members' '[3,"lower bound"]' \
		"$(json 'select(.steps >= .optimum) | [.optimum,.optimum_is]' run barrier t plan 1 verify)"
}

# Rings take the planned number of steps, in whichever order frames arrive.
test_trees_of_rings_take_planned_steps() {
	local dim width planned
	for dim in 3 4; do
		check 'add' hcctl fabric add t dim "$dim"
		check 'a fault' hcctl link set t 5:1 down
		for width in 2 3 5; do
			planned=$(json .deliver ring plan fabric t method vrt width "$width" apply plan 5)
			equal "dim $dim, width $width" "[true,$planned,$planned]" \
				"$(json '[.verified,.steps,.promise]' run allgather t plan 5 type u8 count 7 iterations 3 verify)"
		done
		check 'a plan' hcctl ring plan fabric t method vrt width 3 repair apply plan 6
		check 'another fault' hcctl link set t "$(json '.[] | select(.plan == 6) | .rings[0].nodes[0:2] |
			"\(.[0]):\([.[0],.[1]] | max - min | log2)"' plan show t)" down
		busywait 10 json_is false '.[] | select(.plan == 6) | .broken' plan show t ||
			fault 'the plan stays broken'
		equal 'mended' '[true,true]' \
			"$(json '[.verified,.steps == .promise]' run allgather t plan 6 type u8 count 7 verify)"
		check 'del' hcctl fabric del t
	done
}

test_recursive_doubling_is_chosen_planned_and_verified() {
	check 'add' hcctl fabric add t dim 4
	equal 'steps' 4 "$(truth allreduce method doubling op sum type f64 count 9000 iterations 2)"
	equal 'steps of a barrier' 4 "$(truth barrier method doubling iterations 3)"
	equal 'nothing is left' 0 "$(json length tree show t)"
	equal 'the same bits as a tree to node 0' \
		"$(json .digest run allreduce t method doubling type f32 count 3000)" \
		"$(hcctl tree find fabric t sink 0 apply plan 1 >/dev/null &&
			json .digest run allreduce t method tree plan 1 type f32 count 3000)"
	# Without the option "method", "hcctl run" uses the method that "hcctl doubling rule" gives.
	equal 'the rule' "$(json '[.method, true]' doubling rule dim 4 bytes 800)" \
		"$(json '[.method, (.rule.bytes >= 800)]' run allreduce t count 100)"
	equal 'merging' tree "$(json .method run allreduce t op merge count 100)"
	check 'down' hcctl link set t 9:3 down
	refused 'doubling over a fault' 'link of the subcube is faulty: 1:3' hcctl run barrier t method doubling
	equal 'auto goes around' tree "$(json .method run barrier t)"
	equal 'the largest subcube' '["0XXX",3]' "$(json '[.subcube, .plan]' doubling plan fabric t apply)"
	equal 'it is installed' '["doubling",0,8]' \
		"$(json '.[] | select(.plan == 3) | [.type, .base, (.members | length)]' tree show t)"
	equal 'a run in it' '["doubling",8,3,true]' \
		"$(json '[.method, .members, .steps, .verified]' run allreduce t plan 3 verify)"
	refused 'a tree by a doubling' 'no tree plan 3' hcctl run allreduce t plan 3 method tree
	refused 'a reduction by it' 'no tree plan 3' hcctl run reduce t plan 3
	check 'another' hcctl link set t 4:1 down
	refused 'a broken plan' 'plan 3 is broken; try: hcctl doubling plan' hcctl run barrier t plan 3
}

test_plans_of_all_types_are_shown_and_removed() {
	check 'add' hcctl fabric add t dim 3
	refused 'there is none' 'has no plan' hcctl plan del t
	check 'a tree' hcctl tree find fabric t sink 5 apply
	check 'a broadcast' hcctl bcast plan fabric t source 6 apply
	check 'a doubling' hcctl doubling plan fabric t subcube 1XX apply
	equal 'all of them' '[[1,"tree",5],[2,"bcast",6],[3,"doubling",4]]' \
		"$(json '[.[] | [.plan, .type, .sink // .source // .base]] | sort' plan show t)"
	equal 'as the older word has them' "$(hcctl -j tree show t)" "$(hcctl -j plan show t)"
	equal 'in text too' "$(hcctl tree show t)" "$(hcctl plan show t)"
	equal 'one of them' "$(json '[.[] | select(.plan == 2)]' plan show t)" "$(json '[.[] | select(.plan == 2)]' plan show t 2)"
	equal 'its text' "$(hcctl plan show t | grep -E '^ +2  bcast ' | tr -s ' ')" "$(hcctl plan show t 2 | tail -n +2 | tr -s ' ')"
	refused 'which one' 'has 3 plans' hcctl plan del t
	check 'the broadcast goes' hcctl plan del t 2
	refused 'it is gone' 'no such plan: 2' hcctl plan show t 2
	check 'the tree goes by the older words' hcctl tree del t
	equal 'what is left' '[3]' "$(json '[.[].plan]' plan show t)"
	check 'the only one goes' hcctl plan del t
	equal 'nothing is left' '[]' "$(hcctl -j plan show t)"
}

test_failed_run_names_link_and_leaves_no_plan() {
	check 'add' hcctl fabric add t dim 3
	check 'plan' hcctl tree find fabric t apply
	hcctl run allreduce t count 100000 iterations 100000 >"$scratch/out" 2>&1 &
	jobs+=($!)
	busywait 10 json_is true 'any(.[]; .op > 3)' op show t || fault 'no allreduce runs'
	check 'down' hcctl link set t 2:0 down
	wait $! && fault 'the allreduce did not fail'
	grep -qE 'link (2|3):0' "$scratch/out" || fault "no link is named: $(cat "$scratch/out")"
	hcctl run bcast t count 100000 iterations 100000 source 4 >"$scratch/out" 2>&1 &
	jobs+=($!)
	busywait 10 json_is 2 length tree show t || fault 'no broadcast runs'
	check 'a signal' kill -TERM $!
	wait $! && fault 'the broadcast did not end'
	equal 'plans left' 1 "$(json length tree show t)"
	# Background jobs of a script would ignore SIGQUIT.
	(ulimit -c 0 && exec env --default-signal=QUIT hcctl run bcast t count 100000 iterations 100000 source 4) \
		>"$scratch/out" 2>&1 &
	jobs+=($!)
	busywait 10 json_is 2 length tree show t || fault 'no broadcast runs'
	check 'another signal' kill -QUIT $!
	wait $! && fault 'the broadcast did not end'
	equal 'plans left' 1 "$(json length tree show t)"
}

test_run_reads_data_from_pipes() {
	local said
	check 'add' hcctl fabric add t dim 2
	said=$(hcctl -j run reduce t type u32 op sum data <(head -c 64 /dev/zero) verify) || fault 'no data from a pipe'
	equal 'elements' '[4,true]' "$(pick '[.count,.verified]' <<<"$said")"
	check 'standard input' sh -c 'head -c 64 /dev/zero | hcctl run reduce t type u32 op sum data /dev/stdin verify'
	check 'by its other name' sh -c 'head -c 64 /dev/zero | hcctl run reduce t type u32 op sum data - verify'
	check 'as much as is wanted' hcctl run reduce t type u32 op sum count 4 data /dev/zero verify
	refused 'too little' '63 bytes: 3 elements of 4 bytes for each of 4 members' \
		sh -c 'head -c 63 /dev/zero | hcctl run reduce t type u32 op sum data -'
	refused 'a folder' 'cannot read /: Is a directory' hcctl run reduce t data /
	equal 'plans left' 0 "$(json length plan show t)"
}

test_lists_accept_ranges_and_keyword_all() {
	check 'add' hcctl fabric add t dim 3
	check 'all links' hcctl link set t all loss 1%
	equal 'ends with loss' 24 "$(json '[.[] | select(.loss_ppm == 10000)] | length' link show t)"
	equal 'all links are shown' 24 "$(json length link show t all)"
	check 'all of a dimension' hcctl link set t all:1 loss 2%
	equal 'ends with more' '[8,[1]]' "$(json '[.[] | select(.loss_ppm == 20000).dim] | [length, unique]' link show t)"
	check 'a range' hcctl link set t 0-3:2 loss 3% one-way
	equal 'ends of that' '[0,1,2,3]' "$(json '[.[] | select(.loss_ppm == 30000).node]' link show t)"
	check 'of dimensions' hcctl link set t 7:0-1 loss 0
	equal 'ends without loss' 4 "$(json '[.[] | select((.loss_ppm // 0) == 0)] | length' link show t)"
	check 'each end' hcctl link set t all loss 4% one-way
	equal 'ends with that' 24 "$(json '[.[] | select(.loss_ppm == 40000)] | length' link show t)"
	check 'several' hcctl link set t 0 2-3 all:0 loss 0
	check 'nodes' hcctl node set t 2-3,5 fail
	equal 'nodes that have failed' '[2,3,5]' "$(json '[.[] | select(.failed).node]' node show t all)"
	check 'all nodes' hcctl node set t all ok
	equal 'none has failed' 0 "$(json '.[0].nodes_failed' fabric show t)"
	equal 'some' '[1,2,3]' "$(json 'map(.node)' node show t 1-3)"
	refused 'beyond the fabric' '^hcctl: .*8' hcctl node set t 6-8 fail
	echo 'link all:2' >"$scratch/faults"
	check 'faults' hcctl fault load t "$scratch/faults"
	equal 'links that are down' 4 "$(json '.links | length' fault show t)"
	hcctl fault load t /dev/stdin <<<'node 1' >"$scratch/out" 2>&1 || fault "faults from a pipe: $(<"$scratch/out")"
	equal 'faults' '[[1],[]]' "$(json '[.nodes,.links]' fault show t)"
	refused 'no faults' 'is empty' hcctl fault load t /dev/null
	equal 'the same faults' '[[1],[]]' "$(json '[.nodes,.links]' fault show t)"
	check 'a part' hcctl fabric add p dim 3 nodes 0XX
	refused 'ends elsewhere' 'link 0:2, number 3 of 8: .*that end lives on another machine' hcctl link set p all loss 1%
	check 'all ends here' hcctl link set p all loss 1% one-way
	equal 'ends here' '[12,4]' "$(json '[length, (map(select(.dim == 2)) | length)]' link show p all)"
	equal 'all have it' '[10000]' "$(json 'map(.loss_ppm) | unique' link show p all)"
	check 'all links go down' hcctl link set p all down
	check 'all nodes here' hcctl node set p all fail
}

test_method_is_chosen_by_block_length_and_faults() {
	local kind other second
	check 'add' hcctl fabric add t dim 3
	equal 'short blocks' '["doubling",true,3]' "$(json '[.method,.verified,.steps]' run alltoall t count 7 verify)"
	equal 'long blocks' '["doubling",true,3]' "$(json '[.method,.verified,.steps]' run alltoall t count 9000 verify)"
	equal 'rings' '["ring","one way",true]' \
		"$(json '[.method,.way,.verified]' run alltoall t count 513 method ring verify)"
	equal 'short blocks for all' '["tree",true,6,6]' \
		"$(json '[.method,.verified,.steps,.promise]' run allgather t count 1023 verify)"
	equal 'long blocks for all' '["doubling",true,3,3]' \
		"$(json '[.method,.verified,.steps,.promise]' run allgather t count 1024 verify)"
	equal 'rings for all' '["ring","both ways",true,4,4]' \
		"$(json '[.method,.way,.verified,.steps,.promise]' run allgather t count 1025 method ring verify)"
	equal 'a reduction' '["tree",true,6]' "$(json '[.method,.verified,.steps]' run reduce_scatter t verify)"
	equal 'allgather by a tree' '["tree","as asked for",true]' \
		"$(json '[.method,.reason,.verified]' run allgather t count 1025 method tree verify)"
	refused 'alltoall by a tree' 'invalid method "tree"' hcctl run alltoall t method tree
	for kind in allgather:ring alltoall:ring reduce_scatter:tree; do
		second=${kind#*:} kind=${kind%:*}
		for other in doubling "$second"; do
			equal "$kind by $other" "[\"$other\",\"as asked for\",true]" \
				"$(json '[.method,.reason,.verified]' run "$kind" t count 700 method "$other" verify)"
		done
		[[ $kind != allgather ]] || continue
		head -c 64 /dev/urandom >"$scratch/data"
		check "$kind of a file" hcctl run "$kind" t type u8 data "$scratch/data" verify
		head -c 63 /dev/urandom >"$scratch/data"
		refused "$kind of too short a file" '63 bytes: 0 elements of 1 bytes for each of 8 members are wanted, from each' \
			hcctl run "$kind" t type u8 data "$scratch/data"
	done
	refused 'merge' 'invalid op "merge": sorted runs have no parts' hcctl run reduce_scatter t op merge
	refused 'too many' '1073741824 elements for each of 8 members are more than' hcctl run alltoall t count 1073741824
	check 'loss' hcctl link set t 0:0 down
	equal 'alltoall around a fault' '["ring","faults in the fabric, which only rings go around",true]' \
		"$(json '[.method,.reason,.verified]' run alltoall t count 8 verify)"
	equal 'allgather around a fault' '["tree","as measured, a tree takes the fewest frames",true]' \
		"$(json '[.method,.reason,.verified]' run allgather t count 8 verify)"
	equal 'long allgather around a fault' '["ring","as measured, rings copy less of such long blocks",true]' \
		"$(json '[.method,.reason,.verified]' run allgather t count 2000 verify)"
	equal 'reduce_scatter around a fault' '["tree",true]' "$(json '[.method,.verified]' run reduce_scatter t verify)"
	refused 'doubling at a fault' 'no doubling: a link of the subcube is faulty' hcctl run alltoall t method doubling
	equal 'plans left' 0 "$(json length plan show t)"
}

test_all_types_and_operators_are_verified() {
	local op type
	check 'add' hcctl fabric add t dim 2
	check 'plan' hcctl tree find fabric t apply
	for op in sum prod min max and or xor minloc maxloc merge; do
		for type in u8 i32 f64; do
			[[ $type == f64 && $op =~ ^(and|or|xor)$ ]] ||
				check "$op of $type" hcctl run reduce t op $op type $type count 33 verify
		done
	done
	check 'records' hcctl run reduce t op merge type record:9 count 33 verify
}

test_run_without_plan_makes_and_removes_its_own() {
	local kind
	check 'add' hcctl fabric add t dim 3
	for kind in reduce allreduce bcast gather scatter allgather barrier alltoall reduce_scatter; do
		check "$kind" hcctl run $kind t verify
		equal "plans that $kind left" 0 "$(json length plan show t)"
	done
}

test_sweep_has_one_line_for_each_size() {
	local kind
	check 'add' hcctl fabric add t dim 3
	for kind in reduce allreduce bcast gather scatter allgather alltoall reduce_scatter; do
		hcctl -j run $kind t sweep from 3 to 64 iterations 2 verify >"$scratch/$kind" || fault "$kind failed"
		equal "$kind: sizes" '[8,16,32,64]' "$(jq -c '[.sizes[].bytes]' "$scratch/$kind")"
		# The clock of a kernel with debugging may count in ticks, and some operations begin
		# and end in one tick.
		# shellcheck disable=SC2016
		check "$kind: times" jq -e --arg debug "$debug" 'all(.sizes[]; (.min_ns > 0 or $debug != "") and
			.min_ns <= .avg_ns and .avg_ns <= .max_ns and .verified and .members == 8 and
			(.avg_ns == 0 or (.bytes * 1000 / .avg_ns - .megabytes_per_second | fabs) < 0.01))' \
			"$scratch/$kind"
	done
	equal 'plans left' 0 "$(json length plan show t)"
	hcctl run bcast t type record:24 sweep to 200 >"$scratch/text" || fault 'a text failed'
	equal 'sizes of whole elements' '24 48 120' "$(awk '!/^#/ { printf "%s%s", sep, $1; sep = " " }' "$scratch/text")"
	equal 'columns' 5 "$(awk '!/^#/ { print NF }' "$scratch/text" | sort -u)"
	refused 'no size' 'no power of two from 9 to 15 ' hcctl run reduce t sweep from 9 to 15
	check 'loss' hcctl link set t 0:0 down
	check 'around a fault' hcctl run allreduce t sweep to 64 iterations 2 verify
	equal 'by a tree' '"tree"' "$(hcctl -j run allreduce t sweep to 64 iterations 2 | jq -c '.sizes[].plan_type' | sort -u)"
}

test_balance_show_watch_prints_loads_and_rounds() {
	local text=$scratch/text
	check 'add' hcctl fabric add t dim 3
	check 'a failed node' hcctl node set t 6 fail
	check 'tasks' "$here/hc_load" tasks t 5 50
	check 'others' "$here/hc_load" tasks t 1 7
	hcctl balance show t --watch interval 20ms >"$text" || fault 'no picture'
	grep -q '^waiting 57, at a node 0 to 50, mean 8.1; held by workers 0; moving 0$' "$text" || fault "sums: $(<"$text")"
	equal 'bars' 2 "$(grep -cE '^ +5 +50 #{50}$|^ +1 +7 #{7}$' "$text")"
	grep -qE '^ +6  failed$' "$text" || fault "of the failed node: $(<"$text")"
	grep -q $'\e' "$text" && fault 'a pipe gets escape sequences'
	check 'a round' hcctl balance run t method dem node 0
	hcctl balance show t --watch interval 20ms count 2 >"$text" || fault 'no pictures'
	equal 'pictures with the round' 2 "$(grep -c '^round 1 of node 0, dem by command: 7 nodes, ' "$text")"
	grep -qE '^ +5 +50' "$text" && fault 'it shows loads of before the round'
	hcctl -j balance show t >"$scratch/once"
	hcctl -j balance show t --watch interval 20ms count 3 >"$scratch/lines"
	equal 'lines' 3 "$(wc -l <"$scratch/lines")"
	equal 'each line is what show prints' "$(<"$scratch/once")" "$(uniq "$scratch/lines")"
	check 'its tasks are lost' hcctl node set t 5 fail
	hcctl balance show t --watch interval 20ms | grep -qE '^done 0, redelivered 0, lost [1-9][0-9]*, unresolved 0; replicated 0, recovered 0$' ||
		fault 'the losses are not there'
}

test_watched_loads_fit_terminal() {
	local seen=0 tty=$scratch/tty
	check 'add' hcctl fabric add t dim 8
	check 'tasks' "$here/hc_load" tasks t 200 90
	check 'more' "$here/hc_load" tasks t 17 1000
	"$here/hc_tty" 2000 hcctl balance show t --watch interval 200ms >"$tty" || seen=$?
	equal 'status after Ctrl-C' 0 "$seen"
	(($(grep -c $'\e\\[H\e\\[J' "$tty") >= 2)) || fault 'there are no two pictures'
	[[ $(tail -c 8 "$tty") =~ $'\e[?25h'('^C')?$ ]] || fault 'the cursor is not back'
	# Keep only the second picture that "hcctl top" has drawn on the terminal.
	awk 'BEGIN { RS = "\033\\[H\033\\[J" } NR == 3' "$tty" | tr -d '\r' | sed 's/\x1b\[[0-9;?]*[a-zA-Z]//g' >"$scratch/page"
	(($(wc -l <"$scratch/page") <= 23)) || fault "more than 23 lines: $(<"$scratch/page")"
	(($(wc -L <"$scratch/page") <= 80)) || fault "wider than 80: $(<"$scratch/page")"
	grep -qE '^ +17 +1000 #+' "$scratch/page" || fault "the fullest is not the first: $(<"$scratch/page")"
	grep -qE '^and [0-9]+ nodes more, none of which has more than 0$' "$scratch/page" || fault "who is left out: $(<"$scratch/page")"
}

alone=(test_error_message_of_trace_has_one_line)
run_tests
