# SPDX-License-Identifier: GPL-2.0
"""Messages from node to node."""

import errno
import select
from collections import namedtuple
from ctypes import byref, c_uint32, create_string_buffer

from ._arrays import address, number, readable
from ._handle import Handle
from ._native import Told, lib
from .errors import error
from .names import SEGMENT_MAX, Deliver, Outcome

Vote = namedtuple('Vote', 'outcome copies mismatch missing nr paths')
Vote.__doc__ = """What is known of a message in copies: a Outcome, how many copies there are, the numbers of
those that say something else and of those that have not come, the number of the message, and by copy the nodes of
the paths of these."""


class Messages(Handle):
    """Sends and receives messages at a node.  They go around faults; their arrival is not confirmed."""

    def __init__(self, fabric, node):
        super().__init__(fabric, node, 'hcl_open_dgram')

    def send(self, to, data):
        """Send bytes, or an array, of at most the fabric's segment size to a node."""
        data = readable(data)
        to = number(to, 'node')
        self._ready(select.POLLOUT, 'there was no room to send')
        self._call(lib.hcl_send, to, address(data), data.nbytes)

    def recv(self, size=SEGMENT_MAX):
        """Receive a message of at most so many bytes: the node that sent it, and bytes."""
        return self._recv(lib.hcl_recv, size)

    def _recv(self, function, size, *more):
        size = number(size, 'a size', most=0x7fffffff)
        buffer = create_string_buffer(size or 1)
        sender = c_uint32()
        self._ready(select.POLLIN, 'no message came')
        length = self._call(function, byref(sender), buffer, size, *more)
        if length > size:
            raise error(-errno.EMSGSIZE, f'a message of {length} bytes from node {sender.value} '
                                         f'is more than the room for {size}')
        return sender.value, buffer.raw[:length]

    def set_copies(self, copies, least=1):
        """Send messages in so many copies over paths that share no node; receive none in fewer than least."""
        self._call(lib.hcl_set_copies, number(copies, 'a number of copies'),
                   number(least, 'a number of copies'))

    def set_deliver(self, deliver, wait=0):
        """Receive messages in copies so, a Deliver or its name; wait so many ms for copies, 0: as before."""
        self._call(lib.hcl_set_deliver, Deliver.parse(deliver, 'way to deliver'), number(wait, 'a time'))

    def paths(self, to):
        """How many paths to a node share no node, as far as faults are known."""
        return self._call(lib.hcl_paths, number(to, 'node'))

    def recv_vote(self, size=SEGMENT_MAX):
        """As recv(), and what is known of the message: a Vote, or None if it did not come in copies."""
        told = Told()
        sender, data = self._recv(lib.hcl_recv_vote, size, byref(told))
        v = told.vote
        if not v.copies:
            return sender, data, None
        return sender, data, Vote(
            Outcome.of(v.outcome), v.copies, _bits(v.mismatch), _bits(v.missing), v.nr,
            {p.copy: _nodes(sender, p) for p in told.path[:told.npaths]})


def _bits(word):
    return [i for i in range(word.bit_length()) if word >> i & 1]


def _nodes(source, path):
    nodes = [source]
    for dim in path.dim[:path.hops]:
        nodes.append(nodes[-1] ^ 1 << dim)
    return nodes
