# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# A fabric t whose endpoints are each in a namespace of their own, for scripts that look at traffic.

# shellcheck source=selftests/lib/lib.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib.sh"

p=hc$$e
# shellcheck disable=SC2034
flow=$here/hc_flow
# cube DIM: makes it
cube() { check 'add' hcctl fabric add t dim "$1" netns-each "$p" address 10.16.0.0/16; }
# within NODE COMMAND..: sets $command. What asks for no file in /sys is spared what ip does for those, which takes longer
# than most commands do.
within() {
	command=(nsenter --net="/run/netns/$p$1" "${@:2}")
	[[ "$*" != */sys/* ]] || command=(ip netns exec "$p$1" "${@:2}")
}
# at NODE COMMAND..: in the namespace of its endpoint
at() {
	local command
	within "$@"
	"${command[@]}"
}
# start NODE COMMAND..: there, in the background
start() {
	local command
	within "$@"
	background "${command[@]}"
}
address() { echo "10.16.0.$(($1 + 1))"; }
mac() { at "$1" cat "/sys/class/net/tn$1/address"; }
# hears FILE: is the listener there that says so in it?
hears() {
	local said
	read -r said <"$1" && [[ $said == hears ]]
}
# reaches FROM TO [OPTION..]
reaches() { at "$1" ping -q -c 1 -W $((2 * slow)) "${@:3}" "$(address "$2")"; }
