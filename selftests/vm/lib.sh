# SPDX-License-Identifier: GPL-2.0
# shellcheck shell=bash
#
# Shared by the scripts of this folder. The sourcing script sets $me, its name in messages.

export LC_ALL=C.UTF-8
# These scripts call make for other trees; options of a make that runs this script are not for
# those.
unset MAKEFLAGS MAKELEVEL MAKEOVERRIDES MFLAGS
cache=${HYPERCUBE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hypercube}

say() { echo "${me:?}: $*" >&2; }
die() { say "$*"; exit 1; }

# with_lock NAME: only one process at a time makes a thing; the lock is held until exit
with_lock() {
	mkdir -p "$cache"
	exec 9>"$cache/$1.lock"
	flock -n 9 && return
	say "waiting: another process prepares $1"
	flock 9
}

# add_file ROOT FILE DEST: FILE becomes ROOT/DEST, with the shared libraries that it needs.
add_file() {
	mkdir -p "$1/$(dirname "$3")"
	cp -rL --preserve=mode,timestamps "$2" "$1/$3"
	add_libraries "$1" "$1/$3"
}

# each_need PATH: prints those of the programs at or below it that need a library which no program
# before them needs. Most need the same ones, and the loader takes a while to find them.
each_need() {
	find "$1" -type f -perm -u+x -print0 | { xargs -0r readelf -d /dev/null 2>/dev/null || true; } |
		sed -nE 's/^File: (.*)/F\1/p; s/.*\(NEEDED\).*\[(.*)\]$/N\1/p' |
		awk '/^F/ { file = substr($0, 2); next } !seen[$0]++ && file != last { print last = file }'
}

# add_libraries ROOT PATH: adds the libraries that programs at or below PATH need, where the loader
# looks for them. In ROOT /lib and /lib64 are links into /usr, as in Debian; libraries of other
# folders go to /usr/lib.
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

# pack ROOT FILE: an uncompressed archive (emulation would decompress slowly), all of it root's.
# Archives can be joined with cat, and later ones win.
pack() { (cd "$1" && find . -mindepth 1 -print0 | sort -z | cpio --quiet -0 -o -H newc -R 0:0) >"$2"; }

# misread_breakpoint: is the first Oops of a log one at a breakpoint that is not in memory, i.e. no
# cc precedes the byte at which the processor stopped? QEMU's processors may translate code while
# another one patches it, and keep a breakpoint that was there only meanwhile.
misread_breakpoint() {
	awk '/Oops: int3/ { oops = 1 } oops && !code && /Code: / { code = $0 }
		END { exit !(code && code !~ /(^| )cc </) }'
}
