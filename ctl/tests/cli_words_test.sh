#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests the words of hcctl: its help, manual pages, abbreviations and completions must agree. Prints TAP.
# Needs neither root nor the module.
#	cli_words_test.sh HCCTL

# shellcheck source=ctl/tests/cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

# --- the words agree everywhere ---------------------------------------------

man=$here/../../Documentation/man
"$hcctl" -j help >help.json
for object in $(jq -r '.objects[]' help.json); do
	: >err
	[[ -f $man/hcctl-$object.8 ]] || echo "no hcctl-$object(8)" >>err
	# Some objects have a second page, hcctl-OBJECT-*.8, for the commands that need no fabric.
	page=$(cat "$man/hcctl-$object".8 "$man/hcctl-$object"-*.8 2>/dev/null | sed 's/\\-/-/g; s/\\f[BIPR]/ /g')
	for word in $("$hcctl" -j "$object" help | jq -r '.usage[]' | grep -oE '\b[a-z][a-z-]+\b' | sort -u); do
		[[ $word != hcctl && $word != "$object" ]] || continue
		grep -qwF -- "$word" <<<"$page" ||
			echo "$word is not in hcctl-$object(8)" >>err
	done
	[[ ! -s err ]]
	result $? "help and manual of $object agree"
done

# All ways to ask for the help of a command must print the same text, and it must begin with the usage.
: >err
while IFS=$'\t' read -r object command; do
	want=$("$hcctl" help "$object" ${command:+"$command"})
	for words in "$object $command --help" "$object $command x --help" "$object $command -h x" "--help $object $command"; do
		# shellcheck disable=SC2086
		[[ $("$hcctl" $words) == "$want" ]] || echo "\"hcctl $words\" says something else" >>err
	done
	[[ $want == "Usage: hcctl $object${command:+ $command}"* ]] || echo "no usage of $object $command" >>err
	[[ $("$hcctl" "$object" --help) == "$("$hcctl" help "$object")" ]] || echo "--help of $object" >>err
	(($(wc -L <<<"$want") <= 80)) || echo "long lines of $object $command" >>err
done < <(jq -r '.commands[] | [.object, .command] | @tsv' help.json)
[[ ! -s err ]]
result $? 'every command has help'

# These abbreviations must always keep their meaning, also if objects and commands are added.
: >err
while read -r short long; do
	[[ $("$hcctl" help "$short") == "Usage: hcctl $long"* ]] || echo "$short is not $long" >>err
done <<'END'
f fabric
n node
l link
fau fault
d detect
r route
t tree
b bcast
do doubling
ri ring
ba balance
p plan
m mfi
ru run
o op
mo monitor
s stats
plo plot
tra trace
END
while read -r object short long; do
	[[ $("$hcctl" help "$object" "$short") == "Usage: hcctl $object $long"* ]] || echo "$object $short is not $long" >>err
done <<'END'
fabric a add
fabric d del
fabric s set
fabric sh show
fabric l show
fabric list show
fabric ls show
fabric lst show
fault r random
fault c clear
tree f find
tree s show
run r reduce
run a allreduce
run allg allgather
run allt alltoall
run reduce_ reduce_scatter
run b bcast
run ba barrier
run g gather
run s scatter
END
[[ ! -s err ]]
result $? 'abbreviations stand for the same for ever'

# --- completion -------------------------------------------------------------

: >err
for file in "$here"/../hcctl.{bash,zsh}-completion; do
	cp "$file" words
	"$here/../completion" "$hcctl" words 2>>err
	cmp -s words "$file" || echo "try: make -C ctl completion" >>err
done
[[ ! -s err ]]
result $? 'the completions have the words of the help'

# offers: print a script for bash, which is run together with the completion file. It calls "want WHAT WORD.." for
# all words of the help: this prints a complaint unless the completion offers WHAT in the place of the last WORD.
# "offered WORD.." prints what is offered. A function named hcctl answers instead of the program.
offers() {
	cat <<'END'
hcctl() {
	case $* in
	'-n other -j fabric show') echo '[{"name":"far0"}]' ;;
	'-n other -j plan show far0') echo '[{"plan":77}]' ;;
	*) echo '[{"name":"hc0"},{"name":"hc1"}]' ;;
	esac
}
offered() {
	COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
	_hcctl
	printf '%s\n' "${COMPREPLY[@]}"
}
want() {
	local words=("${@:2}") got
	got=$(offered "${words[@]}")
	[[ $'\n'$got$'\n' == *$'\n'"$1"$'\n'* ]] || echo "\"${words[*]}\" does not offer $1"
}
END
	jq -r '(.objects[], "help" | "want \(.) hcctl \"\""),
		(.options[] | "want \(.long) hcctl -"),
		(.objects[] | "want \(.) hcctl help \"\""),
		(.commands[] | select(.command != "") | "want \(.command) hcctl \(.object) \"\"\nwant \(.command) hcctl help \(.object) \"\""),
		(.commands[] | "hcctl \(.object) \(.command)" as $c | ((.places | length) == 0) as $free |
			(if $free then $c else $c + " hc0" end) as $c |
			.words[] | "want \(.word | @sh) \($c) \"\"", (.word as $w | .values[] | select(test("^[a-z]")) | "want \(@sh) \($c) \($w) \"\""))' help.json
	cat <<'END'
want hc1 hcctl fabric show ''
want hc0 hcctl f l h
want hc0 hcctl tree find fabric ''
want hc1 hcctl -n x node show ''
want minloc hcctl ru a hc0 op min
want plan.json hcctl plot ''
want file hcctl tree find dim 3 faults ''
want file hcctl -b ''
want exact hcctl t f dim 3 method e
want file hcctl -a ''
want file hcctl -jb ''
want all hcctl link set hc0 ''
for option in '-n other' '-netns other' '--netns other' -nother '-jn other' '-j -n other' '-p -jnother' '-b x -n other'; do
	set -- $(printf %s "$option")
	want far0 hcctl "$@" fabric show ''
	want 77 hcctl "$@" run reduce far0 plan ''
	want fabric hcctl "$@" ''
	[[ $(offered hcctl "$@" fabric show '') != *hc0* ]] || echo "$option offers what is in this namespace"
done
[[ $(offered hcctl fabric add '') != *hc0* ]] || echo 'the name of a new fabric is offered'
END
}
touch plan.json file
{ cat "$here/../hcctl.bash-completion"; offers; } >script
bash script >err 2>&1
[[ ! -s err ]]
result $? 'bash completes all words'

# The same script is run in zsh, with the completion file for zsh. compadd and the other functions that would offer
# words are replaced; they print the words instead.
if command -v zsh >/dev/null; then
	{
		# shellcheck disable=SC2016
		echo 'compadd() { print -rl -- "$@"; }; _describe() { print -rl -- ${(P)2%%:*}; }; _files() { print -rl -- *(N); }; compdef() { }'
		sed 's/^_hcctl "\$@"$//' "$here/../hcctl.zsh-completion"
		# shellcheck disable=SC2016
		offers | sed 's/^\tCOMP_WORDS=.*/\twords=("$@") CURRENT=$#/; /COMPREPLY/d'
	} >script
	zsh -f script >err 2>&1
	[[ ! -s err ]]
	result $? 'zsh completes all words'
fi

echo "1..$nr"
((failed == 0))
