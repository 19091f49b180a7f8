# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Two machines, which are network namespaces, and a trunk between them. A script sources this file
# instead of machines.sh.
#
#	namespace a: nodes 0XX		namespace b: nodes 1XX
#	10.9.0.1 ---- veth ---- 10.9.0.2

# shellcheck source=selftests/lib/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/machines.sh"

a='' b=''

# machines DIM PART-A PART-B: makes machines a and b, each with its partition of fabric t, and a
# veth pair between them
machines() {
	parameter trunks Y
	namespace a && namespace b || return
	ip link add "w$$" netns "$a" type veth peer name "w$$" netns "$b"
	at "$a" ip addr add 10.9.0.1/24 dev "w$$"
	at "$b" ip addr add 10.9.0.2/24 dev "w$$"
	at "$a" ip link set "w$$" up
	at "$b" ip link set "w$$" up
	at "$a" ip link set lo up
	at "$b" ip link set lo up
	check 'the one part' at "$a" hcctl fabric add t dim "$1" nodes "$2"
	check 'the other' at "$b" hcctl fabric add t dim "$1" nodes "$3"
}

# joined [OPTION..]: sets up a trunk by TCP between the machines, with these options at both ends; b
# connects to the port $by (as ":PORT"), or to the default port if $by is empty
by=''
# shellcheck disable=SC2120
joined() {
	there "$a" hcctl trunk listen t 10.9.0.1 "$@"
	busywait 5 at "$b" hcctl trunk connect t 2 "10.9.0.1$by" "$@" || { fault 'no trunk'; return; }
	up_again
}

# wired [ARGUMENT..]: sets up the trunk through the relay hc_relay, which gets these further
# arguments; sets $wire to the relay's pid: if the relay is killed, the connection is reset
# shellcheck disable=SC2034,SC2119,SC2120
wired() {
	there "$a" "$here/hc_relay" 4000 10.9.0.1 26723 "$@" >"$scratch/relay"
	wire=$pid by=:4000
	joined
	by=''
}

# up_again, down: wait until the links across the trunk are up, or down, at both machines
up_again() {
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links are down at a'
	busywait 10 is_at 0 "$b" '.[0].links_down' fabric show t || fault 'links are down at b'
}

down() {
	busywait 10 is_at 4 "$a" '.[0].links_down' fabric show t || fault 'links are up at a'
	busywait 10 is_at 4 "$b" '.[0].links_down' fabric show t || fault 'links are up at b'
}

# trees EPOCH: installs a tree with this epoch on both machines
trees() {
	check 'a tree' at "$a" hcctl tree find fabric t apply epoch "$1"
}

# members ROUNDS COUNT: runs sums over plan 1 by the members of both machines, and checks them
members() { both sums 1 "$@"; }

# both KIND PLAN ROUNDS COUNT: runs hc_member for the nodes of both machines, and checks that both
# print "right"
both() {
	there "$a" "$here/hc_member" "-$1" t "$2" 8 "$3" "$4" 0 1 2 3 >"$scratch/a"
	at "$b" timeout $((20 * slow)) "$here/hc_member" "-$1" t "$2" 8 "$3" "$4" 4 5 6 7 >"$scratch/b"
	busywait 10 grep -q . "$scratch/a"
	equal "$1 of plan $2, $3 times $4 numbers, here" right "$(<"$scratch/a")"
	equal 'there' right "$(<"$scratch/b")"
}

# ended FILE COUNT: has FILE the reports of COUNT members whose operations have failed?
ended() { (($(grep -c 'round' "$1") == $2)); }

# gone DEVICE: does this end of a veth pair not exist any more? It is removed with the namespace of
# the other end.
gone() { [[ ! -e /sys/class/net/$1 ]]; }

# sink: starts a TCP receiver at port 5001 of b, and waits until it listens
sink() {
	there "$b" "$here/hc_flow" sink 5001 >"$scratch/sink"
	busywait 5 listens "$b" || fault 'nobody listens'
}
listens() { [[ $(at "$1" ss -ltnH 'sport = :5001') ]]; }
