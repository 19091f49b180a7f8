# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions that all test scripts share. A test is a function of a script whose name begins with
# test_ and goes on as a sentence. run_tests runs all tests and prints KTAP, a line for each test. A
# test fails if one of its checks fails.

# What the kernel logs when it finds a fault in itself, as an extended regular expression
# shellcheck disable=SC2034
trouble='BUG:|kernel BUG at|WARNING:|KASAN|UBSAN:|Oops|general protection|double fault|Kernel panic'
trouble+='|refcount_t:|ODEBUG:|possible (circular|recursive|irq)|inconsistent .* lock|suspicious RCU'
trouble+='|sleeping function called|scheduling while atomic|blocked for more than|soft lockup'
trouble+='|hard LOCKUP|workqueue lockup|detected stall|unregister_netdevice: waiting|ref_tracker:'
trouble+='|Objects remaining|oom-kill:|Out of memory:'

# slow: how many times longer than a usual kernel this kernel takes. stride: from a long list of
# cases, a kernel with debugging tests only each stride-th case.
debug='' slow=1 stride=1
if [[ -e /sys/kernel/debug/kmemleak || -e /sys/kernel/debug/kcsan ]]; then debug=yes slow=6 stride=5; fi
: "${HC_SCALE:=$([[ $debug ]] && echo 10 || echo 100)}"
# brief: set in a short run (HC_SCALE below 50), for which a person waits: some fabrics are smaller
# then, and some traffic lasts half as long.
brief=''
[[ $debug ]] || ((HC_SCALE >= 50)) || brief=yes
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# The file in which the Makefile collects the "Scheduling:" lines of all programs
: "${HC_SCHEDULE:=$here/schedule}"

# scheduled WORD: prints the programs that have this keyword after "Scheduling:", or all programs if
# WORD is empty; those with the keyword "long" first
scheduled() {
	awk -v word="$1" '!word || $0 " " ~ " " word " " { print !/ long/, $1 }' "$HC_SCHEDULE" |
		LC_ALL=C sort | cut -d ' ' -f 2
}

# listed: prints all programs, those without a suffix first
listed() { scheduled '' | LC_ALL=C sort -t. -k2,2 -k1,1; }

# scaled N: prints how many of N rounds a test runs on this kernel, at least 1
scaled() {
	local n=$(($1 * HC_SCALE / 100))
	echo $((n > 0 ? n : 1))
}

# log TEXT: prints TEXT as a KTAP comment; fault TEXT: also makes the test fail
log() { printf '# %s\n' "$*"; }
fault() {
	log "$*"
	bad=yes
}
# skip REASON: marks the test as skipped, as it cannot run on this machine
skip() { skipped=" # SKIP $*"; }

# check WHAT COMMAND..: checks that COMMAND succeeds; WHAT begins the message if it does not
check() {
	local what=$1 said
	shift
	said=$("$@" 2>&1) || fault "$what: \"$*\" failed: $said"
}

# says TEXT PATTERN: does a line of TEXT match the extended regular expression PATTERN, in upper or
# lower case? It does not use grep, as starting a process takes a while in an emulated machine.
says() {
	local line status=1
	shopt -s nocasematch
	while IFS= read -r line || [[ $line ]]; do
		[[ ! $line =~ $2 ]] || { status=0; break; }
	done <<<"$1"
	shopt -u nocasematch
	return "$status"
}

# refused WHAT PATTERN COMMAND..: checks that COMMAND fails, and that its output has a line that
# matches PATTERN
refused() {
	local what=$1 pattern=$2 said
	shift 2
	if said=$("$@" 2>&1); then
		fault "$what: \"$*\" was not refused: $said"
	elif ! says "$said" "$pattern"; then
		fault "$what: \"$*\" said \"$said\", not \"$pattern\""
	fi
}

# equal WHAT WANTED SEEN: checks that the strings WANTED and SEEN are equal
equal() { [[ $2 == "$3" ]] || fault "$1: \"$3\", not \"$2\""; }

# nap SECONDS: sleeps without starting a process, by a read from a pipe to which nothing is written
exec {never}<> <(:)
nap() { read -rt "$1" -u "$never" || return 0; }

# busywait SECONDS COMMAND..: repeats COMMAND until it succeeds; false if it has not succeeded after
# SECONDS, or after ten seconds if SECONDS is less, as other tests may run at the same time. After
# ten attempts the pauses between attempts are longer, which leaves the processor to the other
# tests.
busywait() {
	local end=$((SECONDS + ($1 > 10 ? $1 : 10) * slow)) tries=0
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS <= end)) || return 1
		nap "0.0$((++tries < 10 ? 2 : 8))"
	done
}

# In an emulated machine gojq starts in a third of the time of jq. It prints the names of an object
# sorted.
if command -v gojq >/dev/null; then
	jq() { command gojq "$@"; }
	export -f jq
fi

# pick FILTER: prints what jq -r prints for the JSON on standard input. Most filters are mere paths;
# for these it runs hc_json, which starts faster.
json_path='(\.[a-z0-9_]+|\.?\[([0-9]*|"[^",]+")\])+'
json_filter="^(\.|length|$json_path|(\.|$json_path) \| length|\[$json_path(, ?$json_path)*\]|map\($json_path\))( // ([0-9]+))?\$"
has_path() { [[ $1 =~ $json_filter && -x $here/hc_json ]]; }
pick() {
	if has_path "$1"; then
		"$here/hc_json" "${BASH_REMATCH[1]}" "${BASH_REMATCH[-1]:-null}"
	else
		jq -rc "$1"
	fi
}

# json FILTER COMMAND..: runs "hcctl -j COMMAND..", and prints what FILTER selects from its JSON
json() {
	if has_path "$1"; then
		hcctl -j "${@:2}" | "$here/hc_json" "${BASH_REMATCH[1]}" "${BASH_REMATCH[-1]:-null}"
	else
		hcctl -j "${@:2}" | jq -rc "$1"
	fi
}

# json_is WANTED FILTER COMMAND..: does "json FILTER COMMAND.." print WANTED?
json_is() { [[ $(json "${@:2}") == "$1" ]]; }

# Busybox's modprobe succeeds even if the kernel refuses the module, so check that the module is
# loaded.
load_module() { modprobe hypercube "$@" && loaded; }
# Open sockets hold the module until they are closed.
unload_module() { busywait 10 rmmod hypercube; }
loaded() { [[ -e /sys/module/hypercube ]]; }

# no_endpoints: is no endpoint left, neither in this namespace nor in the initial one? A removed
# namespace ends some time after its name is gone, and devices that are left in it then move into
# the initial namespace.
no_endpoints() { [[ -z $(ip -o link show type hypercube) && -z $(nsenter -t 1 -n ip -o link show type hypercube) ]]; }

namespaces=() jobs=() scratch=''
# namespace VARIABLE: makes a network namespace with a new name, which is removed at the end of the
# test, and sets VARIABLE to the name
namespace() {
	local name="hc$$-${#namespaces[@]}"
	ip netns add "$name" || return
	namespaces+=("$name")
	printf -v "$1" '%s' "$name"
}

# background COMMAND..: runs COMMAND in the background until the end of the test at the latest; sets
# $pid
background() {
	"$@" &
	pid=$!
	jobs+=("$pid")
# Tests in several processes share the module's parameters. Each test that sets parameters holds
# $parameters_lock until its end: shared if it sets only "trunks", to Y, and exclusive otherwise.
# While the lock is held shared, the file has the value of "trunks" from before.
}

parameters=/sys/module/hypercube/parameters
parameters_lock=/run/hypercube-selftests
declare -A were=()
# held: how the test holds the lock on the parameters: s (shared), x (exclusive), or empty
held=''
# hold s|x: takes the lock on the parameters, shared (s) or exclusive (x). While a test waits for
# the exclusive lock, it holds the gate's lock, so tests that come later wait, too, instead of
# overtaking it.
hold() {
	local begin=$SECONDS
	exec 7<>"$parameters_lock.gate" 8<>"$parameters_lock"
	flock 7
	flock "-$1" 8
	held=$1
	exec 7>&-
	((SECONDS - begin < 2)) || log "$((SECONDS - begin)) s of it waited for the parameters"
}

# trunks_back: sets the parameter "trunks" to the value that the lock's file has saved; the caller
# holds the lock exclusively
trunks_back() {
	[[ ! -s $parameters_lock ]] || cat "$parameters_lock" >"$parameters/trunks"
	: >"$parameters_lock"
}

# parameters_alone: takes the lock exclusively; for a test that sets "trunks" first and another
# parameter later
parameters_alone() {
	[[ $held == x ]] && return
	[[ ! $held ]] || fault 'others use the parameters already'
	hold x
	trunks_back
}

# parameter NAME VALUE: sets a parameter of the module until the end of the test. Tests that set
# only "trunks" to Y run at the same time; a test that sets anything else waits until no other test
# has set a parameter.
parameter() {
	if [[ "$1 $2" == 'trunks Y' && $held != x ]]; then
		[[ $held ]] || hold s
		[[ -s $parameters_lock ]] || cat "$parameters/trunks" >"$parameters_lock"
		echo Y >"$parameters/trunks"
		return
	fi
	parameters_alone
	[[ ${were[$1]+set} ]] || were[$1]=$(<"$parameters/$1")
	echo "$2" >"$parameters/$1"
# parameters_back: restores the parameters that the test has set, and releases the lock
}

parameters_back() {
	local name
	for name in "${!were[@]}"; do echo "${were[$name]}" >"$parameters/$name"; done
	were=()
	[[ $held ]] || return
	# The last holder of the shared lock restores "trunks". If a test that waits for the
	# exclusive lock gets it first, that test does so (parameters_alone).
	[[ $held == x ]] || ! flock -xn 8 || trunks_back
	flock -u 8
	held=''
}

# one_processor: switches all processors but one off until the end of the test. When the kernel
# patches its text, as it does for each tracepoint that is switched on or off, it writes a
# breakpoint first. QEMU 7.2 may keep this breakpoint in the translation of a function that another
# processor runs at that time: the processor then hits an int3 that the text does not have, or
# loops.
processors=()
one_processor() {
	local online
	for online in /sys/devices/system/cpu/cpu[1-9]*/online; do
		[[ -w $online && $(<"$online") == 1 ]] || continue
		echo 0 >"$online" || continue
		processors+=("$online")
	done
}

processors_back() {
	local online
	for online in "${processors[@]}"; do echo 1 >"$online"; done
	processors=()
}

# unprivileged Y|N: sets whether users may make fabrics in namespaces of their own
unprivileged() { parameter unprivileged "$1"; }

# as UID COMMAND..: runs COMMAND as this user
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }

# as_user UID COMMANDS: runs shell commands as this user, who is root of a new user namespace and a
# new network namespace. Objects of a namespace count for their user until the namespace has ended,
# which may take a while after the commands; so tests of limits use a new UID each time.
as_user() { as "$1" unshare -Urn bash -c "$2"; }

# stop PID: kills a job and waits for it
stop() {
	kill -KILL "$1"
	wait "$1"
} 2>/dev/null

# tidy_up: removes what a test has left: processes, fabrics, namespaces, and values of parameters
# shellcheck disable=SC2317
tidy_up() {
	local name
	for name in "${jobs[@]}"; do
		stop "$name"
	done
	jobs=()
	if [[ -e /sys/module/hypercube ]] && command -v hcctl >/dev/null; then
		while read -r name _; do
			[[ $name == NAME ]] || hcctl fabric del "$name"
		done < <(hcctl fabric show)
	fi
	for name in "${namespaces[@]}"; do
		ip netns del "$name"
	done
	namespaces=()
	parameters_back
	processors_back
} 2>/dev/null

# skip_all REASON: ends the script; all its tests are skipped
skip_all() {
	echo "1..0 # SKIP $*"
	exit 4
}

# Tests that run alone: a script lists here tests that measure time, depend on free memory or on the
# initial namespace, or trace the whole machine. run.sh runs these in a turn of their own.
alone=()
# in_turn FUNCTION: does the test belong to the turn HC_TURN, which is "beside" (others) or "alone"?
# Without HC_TURN all tests do.
in_turn() {
	case ${HC_TURN-} in
	beside) [[ " ${alone[*]} " != *" $1 "* ]] ;;
	alone) [[ " ${alone[*]} " == *" $1 "* ]] ;;
	esac
}

# spent VARIABLE: sets VARIABLE to the processor time in ms, with a resolution of 10 ms, that this
# process and the children for which it has waited have used
spent() {
	local stat
	read -ra stat <"/proc/$BASHPID/stat"
	printf -v "$1" %d $(((stat[13] + stat[14] + stat[15] + stat[16]) * 10))
}

# functions_of_tests: prints the tests of the script, in the order of the script
functions_of_tests() {
	local name
	shopt -s extdebug
	for name in $(compgen -A function test_); do
		declare -F "$name"
	done | sort -s -k 2,2n | cut -d ' ' -f 1
}

# run_tests: runs the tests of the turn; with HC_ONLY, only those whose name after test_ matches
# this regular expression. Return: true if no test has failed.
run_tests() {
	local name number=0 failed=0 begin before after
	(($# == 0)) || { echo "Bail out! run_tests finds tests by their names, which begin with test_: $*"; exit 1; }
	# shellcheck disable=SC2046
	set -- $(functions_of_tests | while read -r name; do
		! in_turn "$name" || [[ ! ${name#test_} =~ ${HC_ONLY-.} ]] || echo "$name"
	done)
	((EUID == 0)) || skip_all 'this wants root'
	command -v hcctl >/dev/null || skip_all 'there is no hcctl'
	command -v jq >/dev/null || skip_all 'there is no jq'
	[[ -e /sys/module/hypercube ]] || skip_all 'the module is not loaded'
	scratch=$(mktemp -d)
	trap 'tidy_up; rm -rf "$scratch"' EXIT
	trap 'exit 143' TERM INT
	echo 'TAP version 13'
	echo "1..$#"
	for name in "$@"; do
		bad='' skipped='' begin=${EPOCHREALTIME/./}
		spent before
		"$name"
		tidy_up
		spent after
		((++number))
		log "$(((${EPOCHREALTIME/./} - begin) / 1000)) ms, and $((after - before)) ms of a processor"
		name=${name#test_}
		if [[ $bad ]]; then
			((++failed))
			echo "not ok $number ${name//_/ }"
		else
			echo "ok $number ${name//_/ }$skipped"
		fi
	done
	((failed == 0))
}
