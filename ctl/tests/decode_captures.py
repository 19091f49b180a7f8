#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
#
# Writes a changed copy of a capture file (pcap) for decode_test.sh:
#	decode_captures.py CAPTURE KIND >OUT
#	decode_captures.py CAPTURE mutated NUMBER	(writes the files mutated.1 to mutated.NUMBER)
# The kinds:
#	swapped		the headers are in the other byte order
#	nanoseconds	the times are in nanoseconds
#	other		all frames have another EtherType, so none is a frame of a fabric
#	mixed		every second frame has another EtherType
#	cooked		the file says that its frames are not of Ethernet, but of another type of link
#	short		only the first 60 bytes of each frame were captured
#	mutated		bytes are changed at random, and some files are cut off

import random
import struct
import sys


def read(path):
    data = open(path, 'rb').read()
    assert data[:4] == b'\xd4\xc3\xb2\xa1', 'this is no capture in this byte order'
    at, frames = 24, []
    while at < len(data):
        sec, usec, captured, length = struct.unpack_from('<IIII', data, at)
        frames.append([sec, usec, length, data[at + 16:at + 16 + captured]])
        at += 16 + captured
    return frames


def write(frames, order='<', magic=0xa1b2c3d4, link=1):
    out = struct.pack(order + 'IHHiIII', magic, 2, 4, 0, 0, 262144, link)
    for sec, part, length, data in frames:
        out += struct.pack(order + 'IIII', sec, part, len(data), length) + data
    return out


def foreign(frame):
    return frame[:3] + [frame[3][:12] + b'\x08\x00' + frame[3][14:]]


def mutated(frames, seed):
    rng = random.Random(seed)
    out = bytearray(write(frames))
    for _ in range(rng.choice((1, 1, 3, 30))):
        out[rng.randrange(len(out))] = rng.choice((0, 1, 0x7f, 0xff, rng.randrange(256)))
    if rng.random() < 0.3:
        del out[rng.randrange(len(out)):]
    return bytes(out)


def main():
    frames, kind = read(sys.argv[1]), sys.argv[2]
    if kind == 'swapped':
        out = write(frames, order='>')
    elif kind == 'nanoseconds':
        out = write([[s, us * 1000 + 7, n, d] for s, us, n, d in frames], magic=0xa1b23c4d)
    elif kind == 'other':
        out = write([foreign(f) for f in frames])
    elif kind == 'mixed':
        out = write([foreign(f) if i % 2 else f for i, f in enumerate(frames)])
    elif kind == 'cooked':
        out = write(frames, link=113)
    elif kind == 'short':
        out = write([[s, us, n, d[:60]] for s, us, n, d in frames])
    else:
        for seed in range(1, int(sys.argv[3]) + 1):
            with open(f'mutated.{seed}', 'wb') as f:
                f.write(mutated(frames, seed))
        return
    sys.stdout.buffer.write(out)


main()
