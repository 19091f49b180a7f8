# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Functions that the scripts of this folder share. The sourcing script sets $me to its name in
# messages.

export LC_ALL=C.UTF-8
# These scripts call make for other trees. The options of a make that runs this script must not
# affect those calls.
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS
cache=${HYPERCUBE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hypercube}

say() { echo "${me:?}: $*" >&2; }
die() { say "$*"; exit 1; }

# with_lock NAME: takes a lock, which is held until this script exits, so that only one process at a
# time makes a file or folder of the cache
with_lock() {
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock"
	flock -n 9 && return
	say "waiting: another process prepares $1"
	flock 9
}

# add_file ROOT FILE DEST: copies FILE to ROOT/DEST, with the shared libraries that it needs
add_file() {
	mkdir -p "$1/$(dirname "$3")"
	cp -rL --preserve=mode,timestamps "$2" "$1/$3"
	add_libraries "$1" "$1/$3"
}

# each_need PATH: prints programs at or below PATH; a program is omitted if it needs only libraries
# that programs before it need, too. Most programs need the same libraries, and running the loader
# for each takes a while.
each_need() {
	find "$1" -type f -perm -u+x -print0 | { xargs -0r readelf -d /dev/null 2>/dev/null || true; } |
		sed -nE 's/^File: (.*)/F\1/p; s/.*\(NEEDED\).*\[(.*)\]$/N\1/p' |
		awk '/^F/ { file = substr($0, 2); next } !seen[$0]++ && file != last { print last = file }'
}

# add_libraries ROOT PATH: copies the libraries that the programs at or below PATH need to the
# places where the loader searches for them. In ROOT, /lib and /lib64 are links into /usr, as in
# Debian. Libraries of other folders are copied to /usr/lib.
add_libraries() {
	local file library dest
	each_need "$2" | while IFS= read -r file; do
		ldd "$file" 2>/dev/null | grep -oE '/[^ )]+' | while IFS= read -r library; do
			case $library in
			/usr/* | /lib*) library=/usr/${library#/usr/} dest=$1$library ;;
			*) dest=$1/usr/lib/${library##*/} ;;
			esac
			[[ ! -e $dest && -e $library ]] || continue
			mkdir -p "$(dirname "$dest")"
			cp -L "$library" "$dest"
		done || true
	done
}

# pack ROOT FILE: makes an archive of ROOT whose files belong to root. It is not compressed, as
# decompressing is slow in an emulated machine. Archives can be joined with cat; a file of a later
# archive replaces that of an earlier one.
pack() { (cd "$1" && find . -mindepth 1 -print0 | sort -z | cpio --quiet -0 -o -H newc -R 0:0) >"$2"; }

# misread_breakpoint: does the log's first Oops report a breakpoint that is not in memory? Then no
# byte cc precedes the byte at which the processor has stopped. One of QEMU's processors may
# translate code while another one patches it, and keep a breakpoint that was in memory only for
# that time.
misread_breakpoint() {
	awk '/Oops: int3/ { oops = 1 } oops && !code && /Code: / { code = $0 }
		END { exit !(code && code !~ /(^| )cc </) }'
}
