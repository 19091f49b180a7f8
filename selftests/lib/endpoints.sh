# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A fabric t whose endpoints are each in a network namespace of their own, for scripts that check
# the traffic between endpoints.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

p=hc$$e
# shellcheck disable=SC2034
flow=$here/hc_flow
# cube DIM: makes fabric t, and a namespace for each endpoint
cube() { check 'add' hcctl fabric add t dim "$1" netns-each "$p" address 10.16.0.0/16; }
# within NODE COMMAND..: sets $command to a command that runs COMMAND in the namespace of the node's
# endpoint. Only "ip netns exec" mounts the /sys of that namespace, and this takes longer than most
# commands do, so only a COMMAND that names a file in /sys is run by it.
within() {
	command=(nsenter --net="/run/netns/$p$1" "${@:2}")
	[[ "$*" != */sys/* ]] || command=(ip netns exec "$p$1" "${@:2}")
}
# at NODE COMMAND..: runs COMMAND in the namespace of the node's endpoint
at() {
	local command
	within "$@"
	"${command[@]}"
}
# start NODE COMMAND..: runs COMMAND in the namespace of the node's endpoint, in the background
start() {
	local command
	within "$@"
	background "${command[@]}"
}
address() { echo "10.16.0.$(($1 + 1))"; }
# mac NODE: prints the MAC address of the node's endpoint
mac() { at "$1" cat "/sys/class/net/tn$1/address"; }
# hears FILE: has the listener whose output is in FILE begun to listen?
hears() {
	local said
	read -r said <"$1" && [[ $said == hears ]]
}
# reaches FROM TO [OPTION..]: does endpoint TO answer a ping from endpoint FROM? OPTIONs are those
# of ping.
reaches() { at "$1" ping -q -c 1 -W $((2 * slow)) "${@:3}" "$(address "$2")"; }
