#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# A fabric that spans machines, configured from one file. Machines are network namespaces here.
#
# The tool brings up the fabric, finds missing pieces of it and makes them again, and takes it down.
# Trunks use TLS: a peer without a valid certificate is refused, and a TLS record other than data
# ends the trunk.
#
# Scheduling: shared long cluster

# shellcheck source=selftests/lib/machines.sh
. "$(dirname "${BASH_SOURCE[0]}")/lib/machines.sh"

# GnuTLS searches this folder for libraries that statically linked programs do not have.
PATH=/usr/lib/hypercube:$PATH

a='' b='' c='' d='' file=''

# two [MEMBERS [HOST-MEMBERS]]: makes machines a and b, and writes a cluster file for them; MEMBERS
# and HOST-MEMBERS are further JSON members of the file and of each host
two() {
	parameter trunks Y
	namespace a && namespace b || return
	all=("$a" "$b")
	wire "$a" "$b" 1
	file=$scratch/two.json
	cat >"$file" <<-END
		{ "format": "hypercube-cluster", "version": 1, "name": "t", "dim": 3,
		  "hosts": [
			{ "host": "one", "netns": "$a", "address": "10.9.1.1"${2:+, $2} },
			{ "host": "other", "netns": "$b", "address": "10.9.1.2"${2:+, $2} }
		  ]${1:+, $1} }
	END
}

plans='"plans": [{ "plan": 1, "type": "tree", "with": "sink 5" }, { "plan": 2, "type": "doubling" }]'

# four: makes four machines in a ring, as in multihost_plans.sh; the tool reaches one of them by the
# script that replaces ssh
four() {
	parameter trunks Y
	namespace a && namespace b && namespace c && namespace d || return
	all=("$a" "$b" "$c" "$d")
	wire "$a" "$b" 1
	wire "$c" "$d" 2
	wire "$a" "$c" 3
	wire "$b" "$d" 4
	file=$scratch/four.json
	cat >"$file" <<-END
		{ "format": "hypercube-cluster", "version": 1, "name": "t", "dim": 4,
		  "hosts": [
			{ "host": "$a" }, { "host": "two", "ssh": "root@$b" }, { "host": "$c" }, { "host": "$d" }
		  ],
		  "keepalive_ms": 3000,
		  "trunks": [
			{ "dim": 2, "listen": "$a", "connect": "two", "address": "10.9.1.1" },
			{ "dim": 2, "listen": "$c", "connect": "$d", "address": "10.9.2.1:4000" },
			{ "dim": 3, "listen": "$c", "connect": "$a", "address": "10.9.3.2" },
			{ "dim": 3, "listen": "two", "connect": "$d", "address": "10.9.4.1" }
		  ],
		  "plans": [{ "plan": 1, "type": "tree" }] }
	END
	elsewhere
}

# elsewhere [COMMAND]: makes a script that replaces ssh. The last two arguments of the script are
# the machine and the command to run there.
elsewhere() {
	cat >"$scratch/ssh" <<-END
		#!/bin/bash
		[[ \$* != *-Oexit* ]] || exit 0
		${1-}
		whom=\${*: -2:1}
		exec ip netns exec "\${whom#root@}" sh -c "\${*: -1}"
	END
	chmod 755 "$scratch/ssh"
	export HCCTL_SSH=$scratch/ssh
}

up() { hcctl cluster up "$file"; }
# leave: takes the cluster down at the end of a test, as background processes hold their namespaces
leave() {
	check 'down' hcctl cluster down "$file"
	busywait 10 nobody || fault "somebody is left: $(ls /run/hcctl)"
	unset HCCTL_SSH
}
# nobody: is there no background process any more that serves a trunk?
nobody() { ! grep -lz '^background$' /proc/[0-9]*/cmdline; }

# as_wanted: checks that "up" finds nothing to do, and "check" no difference
as_wanted() {
	equal 'what is done once more' 'cluster t: nothing to do' "$(up 2>&1)"
	equal 'differences' '[]' "$(json .changes cluster check "$file")"
}

# differs LINE..: checks that "check" prints exactly these differences
differs() {
	local said
	! said=$(hcctl cluster check "$file" 2>&1) || fault 'check finds nothing'
	equal 'what check says' "$(printf '%s\n' "$@")" "$said"
}

test_cluster_up_configures_two_machines_from_file() {
	two "$plans"
	differs 'one: + fabric t dim 3 nodes 0XX' 'other: + fabric t dim 3 nodes 1XX' \
		'+ trunk one other dim 2' '+ plan 1 tree' '+ plan 2 doubling'
	equal 'what is made' 'one: + fabric t dim 3 nodes 0XX
other: + fabric t dim 3 nodes 1XX
+ trunk one other dim 2
+ plan 1 tree
+ plan 2 doubling' "$(up 2>&1)"
	as_wanted
	equal 'the sink' 5 "$(json_at "$b" '.[0].sink' plan show t 1)"
	equal 'members' 8 "$(json_at "$b" '.[0].members | length' plan show t 1)"
	all_do sums 1 10 1000
	all_do sums 2 10 1000
	equal 'what is shown' '[["one","0XX","up",1,1,2],["other","1XX","up",1,1,2]]' \
		"$(json 'map([.host,.subcube,.state,.trunks,.trunks_wanted,.plans])' cluster show "$file")"
	check 'all hosts' hcctl --all-hosts "$file" fabric show
	equal 'both' '["one",2,"other",2]' "$(json 'map(.host, (.value | length)) ' -a "$file" plan show t)"
	equal 'in text' 9 "$(hcctl -a "$file" node show t | grep -c '^other: ')"
	refused 'what they do not know' '^hcctl: one: fabric t: no such plan' hcctl -a "$file" plan show t 9
	leave
	equal 'once more' 'cluster t: there is nothing of it' "$(hcctl cluster down "$file" 2>&1)"
	equal 'fabrics' 0 "$(json_at "$a" length fabric show)"
}

test_cluster_check_finds_differences_that_cluster_up_repairs() {
	two "$plans, \"links\": [{ \"node\": 0, \"dim\": 0, \"down\": true }]"
	check 'up' up
	check 'a link' at "$a" hcctl link set t 0:0 up
	check 'a node' at "$b" hcctl node set t 6 fail
	check 'a plan' at "$b" hcctl plan del t 1 local
	differs 'one: + link 0:0 down' 'other: - node 6 failed' '+ plan 1 tree' '+ plan 2 doubling'
	check 'mended' up
	as_wanted
	equal 'members' 8 "$(json_at "$b" '.[0].members | length' plan show t 1)"
	all_do sums 1 10 100
	check 'a fabric' at "$b" hcctl fabric del t
	busywait 10 is_at 5 "$a" '.[0].links_down' fabric show t || fault 'links are up'
	differs 'other: + fabric t dim 3 nodes 1XX' '+ trunk one other dim 2' '+ plan 1 tree' '+ plan 2 doubling'
	check 'mended' up
	all_do sums 1 10 100
	check 'a trunk' at "$a" hcctl trunk del t 1
	busywait 10 is_at 1 "$a" '.[0].links_down' fabric show t || fault 'links stay down'
	check 'plans' up
	equal 'what check says' 'cluster t: as the file has it' "$(hcctl cluster check "$file" 2>&1)"
	all_do sums 1 10 100
	leave
}

test_cluster_of_four_ssh_hosts_comes_up() {
	four
	check 'up' up
	as_wanted
	all_do sums 1 10 1000
	equal 'trunks' '[2,2,2,2]' "$(json 'map(.trunks)' cluster show "$file")"
	equal 'stall timeout' '[3000,3000]' "$(json_at "$d" 'map(.keepalive_ms)' trunk show t)"
	equal 'all' "$a two $c $d" "$(json 'map(.host) | join(" ")' -a "$file" plan show t)"
	leave
}

# server: runs dropbear at machine b, which accepts $scratch/key, and configures ssh for both
server() {
	ssh-keygen -q -t ed25519 -N '' -f "$scratch/key" || return
	cat >"$scratch/config" <<-END
		Host *
		IdentityFile $scratch/key
		IdentitiesOnly yes
		StrictHostKeyChecking no
		UserKnownHostsFile /dev/null
		LogLevel ERROR
	END
	printf '#!/bin/sh\nexec ssh -F %s "$@"\n' "$scratch/config" >"$scratch/ssh"
	chmod 755 "$scratch/ssh"
	export HCCTL_SSH=$scratch/ssh
	# The files that dropbear reads below /etc, and in root's home, are mounted in its own mount
	# namespace.
	there "$b" unshare -m sh -c "key=\$(cat '$scratch/key.pub') && mount -t tmpfs -o mode=700 none /root &&
		mkdir -m 700 /root/.ssh && echo \"\$key\" >/root/.ssh/authorized_keys &&
		cp -a /etc /root/etc && mount --bind /root/etc /etc && mkdir -p /etc/dropbear && echo /bin/bash >>/etc/shells &&
		exec dropbear -RFEesm -P '' -p 10.9.1.2:22" 2>"$scratch/server"
	busywait 10 served
}
served() { at "$b" ss -Hltn | grep -q :22; }

# ssh quotes arguments in its own way, and the tool uses one ssh connection to a machine for all
# requests of a command.
test_cluster_command_uses_one_ssh_connection_to_a_machine() {
	local out
	type -P dropbear ssh ssh-keygen >/dev/null || { skip 'there is no ssh, or no dropbear'; return; }
	two "$plans"
	sed -i -e "s|\"netns\": \"$a\"|\"local\": true|" -e "s|\"netns\": \"$b\"|\"ssh\": \"root@10.9.1.2\"|" "$file"
	server || { fault "no server: $(<"$scratch/server")"; return; }
	check 'up' at "$a" hcctl cluster up "$file"
	check 'as the file has it' at "$a" hcctl cluster check "$file"
	equal 'plans there' '[1,2]' "$(json_at "$b" 'map(.plan)' plan show t)"
	all_do sums 1 5 1000
	equal 'of all' 'one other' "$(json_at "$a" 'map(.host) | join(" ")' -a "$file" plan show t)"
	check 'a node' at "$a" hcctl node set t 1 fail
	out=$(at "$a" hcctl cluster check "$file") && fault 'a failed node is as the file has it'
	[[ $out == *'one: - node 1 failed'* ]] || fault "$out"
	check 'mended' at "$a" hcctl cluster up "$file"
	check 'down' at "$a" hcctl cluster down "$file"
	equal 'fabrics there' 0 "$(json_at "$b" length fabric show)"
	equal 'connections' 6 "$(grep -c 'Child connection' "$scratch/server")"
	: >"$scratch/config"
	refused 'a host that is not known' 'other: Host key verification failed' at "$a" hcctl cluster check "$file"
	busywait 10 nobody || fault 'somebody is left'
	unset HCCTL_SSH
}

test_cluster_up_configures_endpoints_and_down_removes_netns() {
	two "\"nodes\": [{ \"node\": 0, \"netns\": \"e0-$$\", \"up\": true, \"addresses\": [\"10.77.0.1/24\"] },
		{ \"node\": 7, \"netns\": \"e7-$$\", \"up\": true, \"addresses\": [\"10.77.0.8/24\"] }],
		\"links\": [{ \"node\": 1, \"dim\": 2, \"delay_ns\": 1000000 }]"
	check 'up' up
	as_wanted
	check 'ping' at "e0-$$" ping -c 2 -i 0.2 -W 5 10.77.0.8
	equal 'a delay, of both ends' '[1000000,1000000]' "[$(json_at "$a" '.[0].delay_ns' link show t 1:2),$(json_at "$b" '.[0].delay_ns' link show t 5:2)]"
	leave
	[[ ! -e /run/netns/e0-$$ ]] || fault 'a namespace is left'
}

test_cluster_does_not_change_foreign_fabric_of_same_name() {
	two
	check 'a fabric' at "$a" hcctl fabric add t dim 2
	refused 'up' 'one: .*dim 3 is wanted' up
	refused 'down' 'one: fabric t has not the nodes that the file names: it stays' hcctl cluster down "$file"
	equal 'it stays' 2 "$(json_at "$a" '.[0].dim' fabric show t)"
	equal 'the other one does not' 0 "$(json_at "$b" length fabric show)"
}

test_unreachable_host_is_reported_and_added_by_later_up() {
	two
	sed -i "s/$b/no-such/" "$file"
	refused 'up' '^hcctl: other: .*no-such' up
	refused 'the rest' '0 of 1 trunks' up
	equal 'what is shown' '["up","unreachable"]' "$(hcctl -j cluster show "$file" 2>/dev/null | pick 'map(.state)')"
	sed -i "s/no-such/$b/" "$file"
	check 'later' up
	leave
}

# A signal ends the command only after the current step is complete, so nothing is left half done.
test_signal_ends_cluster_up_after_the_current_step() {
	two
	sed -i 's/"netns"/"ssh"/' "$file"
	elsewhere 'sleep 1'
	background hcctl cluster up "$file" >"$scratch/said" 2>&1
	sleep 0.5
	kill -TERM "$pid"
	busywait 10 grep -q 'a signal came' "$scratch/said" || fault "it goes on: $(<"$scratch/said")"
	grep -q 'go on with: hcctl cluster up' "$scratch/said" || fault "it does not say what stands: $(<"$scratch/said")"
	equal 'fabrics' 2 "$(grep -c '+ fabric t' "$scratch/said")"
	elsewhere
	check 'up' up
	leave
}

# --- TLS --------------------------------------------------------------------

# authority NAME, certificate NAME AUTHORITY: make a certificate authority, or a certificate that it
# has signed, as files in $scratch
authority() {
	cat >"$scratch/openssl.conf" <<-'END'
		[req]
		distinguished_name = name
		[name]
		[ca]
		basicConstraints = critical, CA:true
	END
	export OPENSSL_CONF=$scratch/openssl.conf
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj "/CN=$1" \
		-extensions ca -keyout "$scratch/$1.key" -out "$scratch/$1.pem" 2>/dev/null
}

certificate() {
	openssl req -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -subj "/CN=$1" \
		-keyout "$scratch/$1.key" -out "$scratch/$1.csr" 2>/dev/null
	openssl x509 -req -in "$scratch/$1.csr" -CA "$scratch/$2.pem" -CAkey "$scratch/$2.key" -days 2 \
		-out "$scratch/$1.pem" 2>/dev/null
}

# tls NAME AUTHORITY: prints the argument of the keyword "tls": certificate, key, and the
# authority's certificate
tls() { echo "$scratch/$1.pem,$scratch/$1.key,$scratch/$2.pem"; }

has_tls() { modprobe -q tls; [[ -e /proc/net/tls_stat ]]; }

test_trunks_carry_data_over_kernel_tls() {
	if ! { authority ca && certificate one ca; }; then skip 'there is no openssl'; return; fi
	two "$plans" "\"tls\": \"$(tls one ca)\""
	if ! has_tls; then
		refused 'without it' 'this kernel has none' up
		leave
		return
	fi
	check 'up' up
	as_wanted
	all_do sums 1 10 1000
	all_do sums 2 10 30000
	equal 'in the kernel' 2 "$(awk '$1 == "TlsCurrTxSw" { print $2 }' <(at "$a" cat /proc/net/tls_stat) <(at "$b" cat /proc/net/tls_stat) | awk '{ n += $1 } END { print n }')"
	check 'del' at "$a" hcctl trunk del t 1
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links stay down'
	leave
}

# parts: makes the partition of the fabric at each machine, without a trunk
parts() {
	two
	check 'the one part' at "$a" hcctl fabric add t dim 3 nodes 0XX
	check 'the other' at "$b" hcctl fabric add t dim 3 nodes 1XX
}

# meets LISTEN-WORDS CONNECT-WORDS HERE THERE: machine b connects to machine a with these options of
# the two commands; checks that both ends refuse the connection, with messages that match HERE at
# the listener and THERE at the connecting end
meets() {
	# shellcheck disable=SC2086
	there "$a" hcctl trunk listen t 10.9.1.1 $1 2>"$scratch/heard"
	local listener=$pid
	busywait 10 port_open || fault 'nobody listens'
	# shellcheck disable=SC2086
	refused "\"$2\" meets \"$1\"" "$4" at "$b" hcctl trunk connect t 2 10.9.1.1 $2
	busywait 10 grep -q . "$scratch/heard"
	grep -qE "$3" "$scratch/heard" || fault "the listener says: $(<"$scratch/heard")"
	equal 'trunks' 0 "$(json_at "$b" length trunk show t)"
	stop "$listener"
}
port_open() { at "$a" ss -Hltn | grep -q :26723; }

test_trunk_with_tls_refuses_peer_without_valid_certificate() {
	if ! { authority ca && authority other && certificate one ca && certificate two ca &&
		certificate stranger other; }; then
		skip 'there is no openssl'
		return
	fi
	parts
	refused 'no files' 'three files are wanted' at "$a" hcctl trunk listen t 10.9.1.1 tls a,b
	refused 'no name' 'three files are wanted' at "$a" hcctl trunk listen t 10.9.1.1 tls a,b,c,
	refused 'no certificate' 'no certificate of' at "$a" hcctl trunk listen t 10.9.1.1 tls /nowhere,/nowhere,/nowhere
	has_tls || { skip 'the kernel has no TLS'; return; }
	meets "tls $(tls one ca)" '' 'the other end speaks no TLS' 'the other end refuses: TLS is wanted'
	meets '' "tls $(tls one ca)" 'wants TLS|TLS is wanted' 'the other end speaks no TLS'
	meets "tls $(tls one ca)" "tls $(tls stranger ca)" "the other end has no certificate of an authority" 'it wants a certificate'
	meets "tls $(tls one ca)" "tls $(tls one other)" 'the other end refuses' "the other end's certificate is refused"
	meets "tls $(tls one ca)" "tls $(tls two ca),three" 'the other end refuses' 'refused: .* name'
	meets "tls $(tls one ca),three" "tls $(tls two ca)" 'refused: .* name' 'it refuses our certificate'
	there "$a" hcctl trunk listen t 10.9.1.1 tls "$(tls one ca),two"
	busywait 10 port_open || fault 'nobody listens'
	check 'names that are right' at "$b" hcctl trunk connect t 2 10.9.1.1 tls "$(tls two ca),one"
	busywait 10 is_at 0 "$a" '.[0].links_down' fabric show t || fault 'links stay down'
	there "$a" hcctl trunk listen t "unix:$scratch/socket" 2>"$scratch/heard"
	busywait 10 test -S "$scratch/socket"
	refused 'another stream' 'it needs a connection of TCP' \
		at "$b" hcctl trunk connect t 2 "unix:$scratch/socket" tls "$(tls one ca)"
}

# TLS has records other than data, for example one with new keys. The kernel does not accept these:
# they end the trunk, although they would not end the TLS connection.
test_tls_record_other_than_data_ends_the_trunk() {
	if ! { authority ca && certificate one ca; }; then skip 'there is no openssl'; return; fi
	has_tls || { skip 'the kernel has no TLS'; return; }
	parts
	there "$a" hcctl -j monitor fabric t >"$scratch/events"
	there "$a" hcctl trunk listen t 10.9.1.1 tls "$(tls one ca)"
	busywait 10 port_open
	mkfifo "$scratch/in"
	exec 7<>"$scratch/in"
	there "$b" bash -c "exec openssl s_client -quiet -no_ign_eof -connect 10.9.1.1:26723 -cert $scratch/one.pem \
		-key $scratch/one.key -CAfile $scratch/ca.pem <$scratch/in" >"$scratch/said" 2>"$scratch/complaints"
	busywait 10 grep -q 'hypercube-trunk 1 t' "$scratch/said" || fault "no greeting: $(cat "$scratch/said" "$scratch/complaints")"
	sed -n '/^hypercube-trunk/s/- 0XX/2 1XX/p' "$scratch/said" >&7
	echo ok >&7
	busywait 10 is_at 1 "$a" length trunk show t || fault 'there is no trunk'
	sleep 0.5
	equal 'trunks' 1 "$(json_at "$a" length trunk show t)"
	echo K >&7
	busywait 10 is_at 0 "$a" length trunk show t || fault 'new keys do not end it'
	busywait 5 grep -q '"trunk-del".*Input/output error' "$scratch/events" || fault "another cause: $(<"$scratch/events")"
	exec 7>&-
}

run_tests
