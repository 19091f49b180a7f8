# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the scripts. A test script defines functions whose names begin with test_ and go on as sentences; run_tests
# finds them: KTAP, a line for each. A test fails if one of its checks does.

# shellcheck disable=SC2034
trouble='BUG:|kernel BUG at|WARNING:|KASAN|UBSAN:|Oops|general protection|double fault|Kernel panic'
trouble+='|refcount_t:|ODEBUG:|possible (circular|recursive|irq)|inconsistent .* lock|suspicious RCU'
trouble+='|sleeping function called|scheduling while atomic|blocked for more than|soft lockup'
trouble+='|hard LOCKUP|workqueue lockup|detected stall|unregister_netdevice: waiting|ref_tracker:'
trouble+='|Objects remaining|oom-kill:|Out of memory:'

# A kernel with debugging takes each stride-th member of a long list.
debug='' slow=1 stride=1
if [[ -e /sys/kernel/debug/kmemleak || -e /sys/kernel/debug/kcsan ]]; then debug=yes slow=6 stride=5; fi
: "${HC_SCALE:=$([[ $debug ]] && echo 10 || echo 100)}"
# Somebody waits for this run, so some fabrics are smaller and some traffic lasts half as long.
brief=''
[[ $debug ]] || ((HC_SCALE >= 50)) || brief=yes
here=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)

# What the Makefile has gathered of how each program is run
: "${HC_SCHEDULE:=$here/schedule}"

# scheduled WORD: prints the programs with this word behind "Scheduling:" (all if empty), those that
# begin early first
scheduled() {
	awk -v word="$1" '!word || $0 " " ~ " " word " " { print !/ long/, $1 }' "$HC_SCHEDULE" |
		LC_ALL=C sort | cut -d ' ' -f 2
}

# listed: prints all programs, those without a suffix first
listed() { scheduled '' | LC_ALL=C sort -t. -k2,2 -k1,1; }

# scaled N: of N rounds, those that this kernel has time for
scaled() {
	local n=$(($1 * HC_SCALE / 100))
	echo $((n > 0 ? n : 1))
}

log() { printf '# %s\n' "$*"; }
fault() {
	log "$*"
	bad=yes
}
# skip REASON: the test cannot run here
skip() { skipped=" # SKIP $*"; }

# check WHAT COMMAND..: the command must succeed
check() {
	local what=$1 said
	shift
	said=$("$@" 2>&1) || fault "$what: \"$*\" failed: $said"
}

# says TEXT PATTERN: does a line fit the extended regular expression, whatever the case? grep has to be started, which
# takes a while in an emulated machine.
says() {
	local line status=1
	shopt -s nocasematch
	while IFS= read -r line || [[ $line ]]; do
		[[ ! $line =~ $2 ]] || { status=0; break; }
	done <<<"$1"
	shopt -u nocasematch
	return "$status"
}

# refused WHAT PATTERN COMMAND..: the command must fail, and say something like PATTERN
refused() {
	local what=$1 pattern=$2 said
	shift 2
	if said=$("$@" 2>&1); then
		fault "$what: \"$*\" was not refused: $said"
	elif ! says "$said" "$pattern"; then
		fault "$what: \"$*\" said \"$said\", not \"$pattern\""
	fi
}

# equal WHAT WANTED SEEN
equal() { [[ $2 == "$3" ]] || fault "$1: \"$3\", not \"$2\""; }

# nap SECONDS: what never comes is waited for; sleep would have to be started
exec {never}<> <(:)
nap() { read -rt "$1" -u "$never" || return 0; }

# busywait SECONDS COMMAND..: until it succeeds; ten seconds at least, for others may run beside it. Who has waited for
# long waits a while longer, and leaves them the processor.
busywait() {
	local end=$((SECONDS + ($1 > 10 ? $1 : 10) * slow)) tries=0
	shift
	until "$@" >/dev/null 2>&1; do
		((SECONDS <= end)) || return 1
		nap "0.0$((++tries < 10 ? 2 : 8))"
	done
}

# It begins three times as soon as jq in an emulated machine; it sorts the names of objects.
if command -v gojq >/dev/null; then
	jq() { command gojq "$@"; }
	export -f jq
fi

# pick FILTER: what jq makes of JSON. Most filters are mere paths, for which there is a program that starts faster.
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

# json FILTER COMMAND..: what pick makes of hcctl's JSON
json() {
	if has_path "$1"; then
		hcctl -j "${@:2}" | "$here/hc_json" "${BASH_REMATCH[1]}" "${BASH_REMATCH[-1]:-null}"
	else
		hcctl -j "${@:2}" | jq -rc "$1"
	fi
}

# json_is WANTED FILTER COMMAND..
json_is() { [[ $(json "${@:2}") == "$1" ]]; }

# busybox's modprobe succeeds even if the kernel refuses the module.
load_module() { modprobe hypercube "$@" && loaded; }
# Open sockets hold the module until they are closed.
unload_module() { busywait 10 rmmod hypercube; }
loaded() { [[ -e /sys/module/hypercube ]]; }

# no_endpoints: a namespace ends some time after its name was removed; devices that are left then move into the initial
# namespace.
no_endpoints() { [[ -z $(ip -o link show type hypercube) && -z $(nsenter -t 1 -n ip -o link show type hypercube) ]]; }

namespaces=() jobs=() scratch=''
# namespace VARIABLE: makes a network namespace of a new name
namespace() {
	local name="hc$$-${#namespaces[@]}"
	ip netns add "$name" || return
	namespaces+=("$name")
	printf -v "$1" '%s' "$name"
}

# background COMMAND..: sets $pid; killed at the end of the test
background() {
	"$@" &
	pid=$!
	jobs+=("$pid")
}

parameters=/sys/module/hypercube/parameters
parameters_lock=/run/hypercube-selftests
declare -A were=()
# held: how the test holds the lock on the parameters: s (shared), x (exclusive), or empty
held=''
# hold s|x: takes the lock on the parameters, shared or exclusive. While a test waits for the exclusive lock, the gate keeps
# later tests from overtaking it.
hold() {
	local begin=$SECONDS
	exec 7<>"$parameters_lock.gate" 8<>"$parameters_lock"
	flock 7
	flock "-$1" 8
	held=$1
	exec 7>&-
	((SECONDS - begin < 2)) || log "$((SECONDS - begin)) s of it waited for the parameters"
}

# trunks_back: as they were before the first of those who had the parameters together, if all of these are gone
trunks_back() {
	[[ ! -s $parameters_lock ]] || cat "$parameters_lock" >"$parameters/trunks"
	: >"$parameters_lock"
}

# parameters_alone: for a test that wants trunks first, and then what others do not
parameters_alone() {
	[[ $held == x ]] && return
	[[ ! $held ]] || fault 'others use the parameters already'
	hold x
	trunks_back
}

# parameter NAME VALUE: of the module, until the end of the test. Tests that want trunks, and nothing else, run at the
# same time; one that sets anything else waits for all others that set some.
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
}

parameters_back() {
	local name
	for name in "${!were[@]}"; do echo "${were[$name]}" >"$parameters/$name"; done
	were=()
	[[ $held ]] || return
	# If somebody else waits to be alone, he does it.
	[[ $held == x ]] || ! flock -xn 8 || trunks_back
	flock -u 8
	held=''
}

# one_processor: until the end of the test. QEMU 7.2 may keep a breakpoint of the kernel's text patching in the
# translation of a function that another processor runs meanwhile: int3 where the text has none, or a loop. Each
# tracepoint that is switched patches text.
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

# unprivileged Y|N: may users make fabrics in namespaces of theirs?
unprivileged() { parameter unprivileged "$1"; }

# as UID COMMAND..
as() { setpriv --reuid "$1" --regid "$1" --clear-groups "${@:2}"; }

# as_user UID COMMANDS: root of a new namespace of users and network
# Objects that a namespace held count until it has ended, which may take a while: so each has a user of its own where
# that matters.
as_user() { as "$1" unshare -Urn bash -c "$2"; }

# stop PID: kills a job and waits for it
stop() {
	kill -KILL "$1"
	wait "$1"
} 2>/dev/null

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

# skip_all REASON
skip_all() {
	echo "1..0 # SKIP $*"
	exit 4
}

# Tests that a script gives here look at the clock, at memory or at the initial namespace, or trace: in a turn of their
# own, if there are turns (run.sh)
alone=()
# in_turn FUNCTION: does the test belong to the turn HC_TURN, beside others or alone?
in_turn() {
	case ${HC_TURN-} in
	beside) [[ " ${alone[*]} " != *" $1 "* ]] ;;
	alone) [[ " ${alone[*]} " == *" $1 "* ]] ;;
	esac
}

# spent VARIABLE: processor time of this process and of those that it has waited for, in ms, in steps of ten
spent() {
	local stat
	read -ra stat <"/proc/$BASHPID/stat"
	printf -v "$1" %d $(((stat[13] + stat[14] + stat[15] + stat[16]) * 10))
}

# functions_of_tests: those of the script, in its order
functions_of_tests() {
	local name
	shopt -s extdebug
	for name in $(compgen -A function test_); do
		declare -F "$name"
	done | sort -s -k 2,2n | cut -d ' ' -f 1
}

# run_tests: all of the turn, or those of it whose name behind test_ fits the regular expression HC_ONLY
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
