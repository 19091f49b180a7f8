# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Types the commands of a session on a documentation page, as selftests/tools/sessions lists them,
# and compares the output with what the page shows.

# as_shown SHOWN FILE: does FILE have the output SHOWN? A line ".." of SHOWN matches any number of
# lines, and ".." within a line matches any text.
as_shown() {
	awk '
		function fits(pattern, line) {
			gsub(/[][\\.^$*+?(){}|]/, "\\\\&", pattern)
			gsub(/\\\.\\\./, ".*", pattern)
			return line ~ ("^" pattern "$")
		}
		function follows(i, j) {
			if (i > wanted)
				return j > said
			if (shown[i] != "..")
				return j <= said && fits(shown[i], line[j]) && follows(i + 1, j + 1)
			for (; j <= said + 1; j++)
				if (follows(i + 1, j))
					return 1
			return 0
		}
		FILENAME == "-" { shown[++wanted] = $0; next }
		{ line[++said] = $0 }
		END { exit !follows(1, 1) }' - "$2" < <(printf %s "$1")
}

# listens FILE: waits until the tcpdump whose messages are in FILE listens
listens() {
	local end=$((SECONDS + 60))
	until grep -q listening "$1"; do
		((SECONDS <= end)) || return
		sleep 0.05
	done
}

# play_one COMMAND SHOWN FILE: runs COMMAND in this shell with its output in FILE, and prints what
# is wrong. A COMMAND in the background must only begin; its output is not compared.
play_one() {
	local status
	eval "$1" >"$3" 2>&1 </dev/null
	status=$?
	if [[ $1 == *'&' ]]; then
		[[ $1 != tcpdump* ]] || listens "$3" || echo "\"$1\" does not begin: $(<"$3")"
		return
	fi
	as_shown "$2" "$3" || printf '"%s" printed\n%s\nand the page shows\n%s\n' "$1" "$(<"$3")" "$2"
	((status == 0)) || [[ $2 == *'hcctl: '* ]] || echo "\"$1\" ended with status $status"
}

# play WHO FOLDER: runs the commands that the list on standard input has for WHO in one shell, with
# their outputs in FOLDER. Prints what goes wrong.
play() {
	local who=$1 folder=$2 command='' shown='' number=0 kind text
	while IFS=$'\t' read -r -u 9 kind text || [[ $command ]]; do
		if [[ $kind == = ]]; then
			shown+=$text$'\n'
			continue
		fi
		[[ ! $command ]] || play_one "$command" "$shown" "$folder/said.$((++number))"
		command='' shown=''
		[[ $kind != "$who" ]] || command=$text
	done 9<&0
	((number)) || echo 'there are no commands'
}
