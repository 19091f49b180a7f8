#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0
#
# Tests how hcctl reads and writes files: wrong files, pipes, symbolic links, full disks and closed streams.
# Prints TAP. Needs neither root nor the module.
#	cli_files_test.sh HCCTL
#
# The scripts in single quotes are run by shell(), in another shell; so their variables are not expanded here.
# shellcheck disable=SC2016

# shellcheck source=ctl/tests/cli.sh
. "$(dirname "${BASH_SOURCE[0]}")/cli.sh"

# holds NAME COMMAND..: a test named NAME, passed if COMMAND exits with status 0
holds() {
	local name=$1
	shift
	"$@" >out 2>err </dev/null
	result $? "$name"
}

# shell NAME SCRIPT: a test named NAME, passed if this script of bash exits with status 0; it may use $hcctl
shell() { holds "$1" env hcctl="$hcctl" bash -c "$2"; }

# --- faults -----------------------------------------------------------------

# faults TEXT STDERR: as a file of faults, TEXT must be refused with an error that matches STDERR
faults() {
	printf '%b' "$1" >bad
	try 2 - "$2" tree find dim 3 faults bad
}
faults '{"nodes": [4294967299]}' '^hcctl: bad: nodes: invalid element \[0\] "4294967299": a number from 0 to 65535'
faults '{"nodes": [-1]}' 'invalid element \[0\] "-1"'
faults '{"nodes": [1.0]}' 'invalid element \[0\] "1.0"'
faults '{"nodes": [99999999999999999999]}' 'invalid element \[0\]'
faults '{"nodes": 3}' 'invalid nodes "3": an array is wanted'
faults '{"nodes": null}' 'invalid nodes'
faults '{"links": [{"node": 0, "dim": 4294967296}]}' '^hcctl: bad: links\[0\] in line 1: invalid dim'
faults '{"links": [\n{"node": 0, "dims": 1}]}' '^hcctl: bad: links\[0\] in line 2: invalid key "dims"'
faults '{"links": [[0,1]]}' 'an object is wanted'
faults '{}' '^hcctl: bad: neither "links" nor "nodes"'
faults '{"node": [3]}' '^hcctl: bad: invalid key "node"'
faults '{"nodes": [1],\n "nodes": [2]}' '^hcctl: bad:2: the key "nodes" is given twice in one object$'
faults '{"nodes": [1]} {}' '^hcctl: bad:1: something follows'
faults '{"nodes": [1],}' '^hcctl: bad:1: not JSON'
faults '{"nodes": [1] /* two */}' '^hcctl: bad:1: not JSON'
faults '{"nodes": [1], "fabric": "\xff"}' '^hcctl: bad:1: not JSON: invalid utf-8'
faults '[3]' '^hcctl: bad: invalid value "\[3\]": an object is wanted'
faults '' '^hcctl: bad is empty'
faults ' \n\n' '^hcctl: bad is empty'
faults 'node 1\nnode 2\0 3\n' '^hcctl: bad:2: not text: a byte is 0$'
faults 'node 1 2\n' '^hcctl: bad:1: invalid word "2"'
"$hcctl" -j tree find dim 3 fail-node 3 >bad
try 2 - '^hcctl: bad: invalid key "dim"|^hcctl: bad: invalid key' tree find dim 3 faults bad
echo '# none' >none
json '.fail_nodes == []' tree find dim 3 faults none
printf '{"fabric":"a","dim":3,"nodes":[3],"links":[{"node":0,"dim":1,"state":["down"]}]}\n' >shown
json '.fail_nodes == [3] and .fail_links == [{"node":0,"dim":1}]' tree find dim 3 faults shown
try 1 - '^hcctl: cannot read \.: Is a directory' tree find dim 3 faults .
shell 'faults from a pipe' '"$hcctl" -j tree find dim 3 faults <(echo node 3) | jq -e ".fail_nodes == [3]"'
shell 'in JSON' '"$hcctl" -j tree find dim 3 faults <(cat shown) | jq -e ".fail_nodes == [3]"'
shell 'from standard input' 'echo node 3 | "$hcctl" -j tree find dim 3 faults - | jq -e ".fail_nodes == [3]"'
shell 'from its name' 'echo node 3 | "$hcctl" -j tree find dim 3 faults /dev/stdin | jq -e ".fail_nodes == [3]"'

# --- networks ---------------------------------------------------------------

printf '# both\n0 1\nlink 1 2,3 # x\nnode 5\n7\nenv 0 3\n' >net
json '.nodes == [0,1,2,3,5,7] and .links == [[0,1],[1,2],[1,3]]' ring plan graph net
json '.processors == 6 and .pattern == "listed"' mfi graph net
json '.processors == 6 and .pattern == "star"' mfi graph net pattern star
printf 'env 0 1,2\nenv 1 2\ntg 2 0\n' >tgs
json '.tg == 1 and .tg_of == [2,1,1] and .mfi == 2' mfi graph tgs
json '.tg == 2 and .tg_of == null and .set == [0,1]' mfi graph tgs tg 2
json '.pattern == "listed" and .tg_of == [2,1,1]' mfi mesh 1x3 envs tgs
printf 'tg 2 1\n' >tgs
json '.pattern == "star" and .tg_of == [1,2,1]' mfi mesh 1x3 envs tgs
for command in 'ring plan graph' 'mfi graph'; do
	printf 'link 4 4\n' >bad
	# shellcheck disable=SC2086
	try 2 - '^hcctl: bad:1: invalid link "4": it joins a node with itself' $command bad
	printf '0 1\nedge 1 2\n' >bad
	# shellcheck disable=SC2086
	try 2 - '^hcctl: bad:2: invalid line "edge": "link A B' $command bad
done
printf '<graphml><graph><node id="a"/><edge source="a" target="b"/><edge source="c" target="b"/></graph></graphml>' >net.graphml
json '.nodes == [0,1,2] and .links == [[0,1],[1,2]]' ring plan graph net.graphml
printf '<gxl><graph><edge from="a" to="b"/><node id="c"/><edge to="c" from="a"/></graph></gxl>' >net.gxl
json '.nodes == [0,1,2] and .links == [[0,1],[0,2]]' ring plan graph net.gxl
printf '<graph><edge source="a" target="a"/></graph>' >bad.xml
try 2 - '^hcctl: bad.xml: invalid edge "a": it joins a node with itself' ring plan graph bad.xml
printf '<graph><edge source="a"/></graph>' >bad.xml
try 2 - '^hcctl: bad.xml: invalid element "edge": ' ring plan graph bad.xml
printf '<graph><node' >bad.xml
try 2 - '^hcctl: bad.xml: invalid graph "bad.xml": GraphML or GXL is wanted' ring plan graph bad.xml
try 1 - '^hcctl: cannot read no.graphml' ring plan graph no.graphml
shell 'a network from a pipe' '"$hcctl" ring plan graph <(cat net)'
shell 'and for the other command' '"$hcctl" mfi graph <(cat net)'

# --- plans and commands -----------------------------------------------------

"$hcctl" -j tree find dim 3 sink 0 fail-node 3 >plan.json
jq '.fail_node = .fail_nodes | del(.fail_nodes)' plan.json >bad.json
try 2 - '^hcctl: invalid plan bad.json: no plan has a key "fail_node"' plot bad.json -o x.svg
jq '.fail_nodes = 3' plan.json >bad.json
try 2 - '^hcctl: invalid plan bad.json: a fault is not' plot bad.json -o x.svg
sed 's/{/{"dim":2,/' plan.json >bad.json
try 2 - '^hcctl: bad.json:1: the key "dim" is given twice' plot bad.json -o x.svg
try 1 - '^hcctl: Command failed \.:1: cannot read: Is a directory' -b .
printf 'help\0\n' >bad
try 1 - '^hcctl: Command failed bad:1: cannot read: not text' -b bad
shell 'a line without an end' \
	'yes | tr -d "\n" | "$hcctl" -b - 2>err; test $? = 1 && grep -q "a line is longer" err'
printf 'tree find \\\n dim \\\n2 sink 0\n\nfoo\n' >commands
try 2 '^dim 2' '^hcctl: Command failed commands:5: what is "foo"' -b commands
printf 'tree find dim 2 sink 0' >commands
try 0 '^dim 2' - -b commands

# --- what is written --------------------------------------------------------

nothing_beside() {
	[[ ! $(find . -name '.hcctl-*') ]]
	result $? 'nothing is left beside'
}

holds 'a picture' "$hcctl" plot plan.json -o a.svg
cp a.svg old.svg
"$hcctl" -j tree find dim 6 >large.json 2>err
shell 'a full disk costs no old picture' 'trap "" XFSZ; ulimit -f 4
	"$hcctl" plot large.json -o a.svg 2>err; test $? = 1 && grep -q "cannot write a.svg" err && cmp a.svg old.svg'
shell 'nor does a signal' 'ulimit -f 4; ulimit -c 0
	"$hcctl" plot large.json -o a.svg; test $? -gt 128 && cmp a.svg old.svg'
shell 'a full disk leaves no picture' 'trap "" XFSZ; ulimit -f 4
	! "$hcctl" plot large.json -o new.svg && test ! -e new.svg'
shell 'nor one of processors' 'cp old.svg m.svg; trap "" XFSZ; ulimit -f 4
	! "$hcctl" mfi torus 20x20 limit 10ms plot m.svg && cmp m.svg old.svg'
shell 'nor of a simulation' 'cp old.svg s.svg; cp old.svg s.csv; trap "" XFSZ; ulimit -f 1
	! "$hcctl" balance simulate dim 3 faults 0..3 runs 2 seed 1 -o s.svg -o s.csv && cmp s.svg old.svg &&
	cmp s.csv old.svg'
nothing_beside
mkdir to
ln -s to/real.svg link.svg
shell 'a link that leads nowhere yet' '"$hcctl" plot plan.json -o link.svg && test -L link.svg && cmp to/real.svg a.svg'
shell 'a link is followed' \
	'"$hcctl" plot large.json -o link.svg && test -L link.svg && ! cmp -s to/real.svg a.svg && test ! -L to/real.svg'
ln -s "$PWD/link.svg" second.svg
shell 'a link to a link' '"$hcctl" plot plan.json -o second.svg && test -L link.svg -a -L second.svg && cmp to/real.svg a.svg'
ln -s loop.svg loop.svg
try 1 - '^hcctl: cannot write loop.svg: Too many levels' plot plan.json -o loop.svg
ln -s /dev/full full.svg
try 1 - '^hcctl: cannot write full.svg: No space left' plot plan.json -o full.svg
[[ -L full.svg && -c /dev/full ]]
result $? 'neither the link nor the device has gone'
mkfifo pipe.svg
shell 'a pipe' 'cat pipe.svg >got.svg & "$hcctl" plot plan.json -o pipe.svg && wait && cmp got.svg a.svg && test -p pipe.svg'
mkdir folder.svg
try 1 - '^hcctl: cannot write folder.svg: Is a directory' plot plan.json -o folder.svg
shell 'the mode stays' 'chmod 640 a.svg && "$hcctl" plot large.json -o a.svg && test "$(stat -c %a a.svg)" = 640'
shell 'a new file obeys the umask' 'umask 027; "$hcctl" plot plan.json -o n.svg && test "$(stat -c %a n.svg)" = 640'
if ((UID)); then
	shell 'a file that may not be written' 'chmod 444 n.svg; ! "$hcctl" plot large.json -o n.svg 2>err && grep -q denied err'
	shell 'a folder that takes no other file' 'mkdir closed && cp old.svg closed/x.svg && chmod 555 closed
		"$hcctl" plot plan.json -o closed/x.svg && cmp closed/x.svg old.svg; rc=$?; chmod 755 closed; exit $rc'
fi
shell 'the name may be long' \
	'name=$(printf "%0250d" 0).svg; "$hcctl" plot plan.json -o "$name" && cmp "$name" old.svg'
nothing_beside

# --- streams ----------------------------------------------------------------

shell 'standard output is closed' '"$hcctl" tree find dim 2 >&- 2>err; test $? = 1 && grep -q "cannot write: Bad file" err'
shell 'in JSON' '"$hcctl" -j tree find dim 2 >&- 2>err; test $? = 1 && grep -q "{\"error\":\"cannot write: Bad file" err'
shell 'of a batch' 'echo "tree find dim 2" | "$hcctl" -b - >&- 2>err; test $? = 1'
shell 'the help' '"$hcctl" help >&- 2>err; test $? = 1'
shell 'nothing goes into another file' '"$hcctl" plot plan.json -o c.svg >&- 2>err; test $? = 1 && cmp c.svg old.svg'
shell 'all streams are closed' '"$hcctl" plot plan.json -o d.svg <&- >&- 2>&-; test $? = 1 && cmp d.svg old.svg'
shell 'errors go nowhere' '"$hcctl" foo 2>&-; test $? = 2'
shell 'standard input is closed' '"$hcctl" plot - -o e.svg <&- 2>err; test $? = 1 && grep -q "cannot read standard input: Bad" err'
shell 'and so are commands' '"$hcctl" -b - <&- 2>err; test $? = 1 && grep -q "Bad file" err'
shell 'a full disk' '"$hcctl" tree find dim 2 >/dev/full 2>err; test $? = 1 && grep -q "cannot write: No space" err'

# --- names ------------------------------------------------------------------

# valid.py FILE: exit with status 0 if FILE is JSON in UTF-8
cat >valid.py <<'END'
import json, sys
json.loads(open(sys.argv[1], "rb").read().decode("utf-8"))
END
for odd in $'\xff' $'\xed\xa0\x80' $'\xc0\xaf' $'\xf5\x80\x80\x80' $'\xe0\x80\xaf' $'a"\x01\xc3'; do
	"$hcctl" -j "$odd" 2>err >out
	python3 valid.py err 2>>out
	result $? "a complaint about $(printf %q "$odd") is JSON"
	"$hcctl" -j plot plan.json -o "$odd.svg" >out 2>err && python3 valid.py out 2>>err
	result $? 'and so is a file of that name'
done

echo "1..$nr"
((failed == 0))
