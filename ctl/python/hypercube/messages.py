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
Vote.__doc__ = """The vote on a message in copies: its Outcome, the number of copies, the numbers of the copies
that mismatch and of those that are missing, the number of the message, and for each of these copies the ports (in a
hypercube: the dimensions) of the links of its path, from the sender on."""


class Messages(Handle):
    """Sends and receives messages at a node. Messages are routed around faults. Their arrival is not confirmed."""

    def __init__(self, fabric, node):
        super().__init__(fabric, node, 'hcl_open_dgram')

    def send(self, to, data):
        """Send bytes, or the bytes of an array, to a node. They must not exceed the fabric's segment size."""
        data = readable(data)
        to = number(to, 'node')
        self._ready(select.POLLOUT, 'there was no room to send')
        self._call(lib.hcl_send, to, address(data), data.nbytes)

    def recv(self, size=SEGMENT_MAX):
        """Receive a message of at most size bytes. Returns the node that sent it, and its bytes."""
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
        """Send each message in this number of copies, over paths that share no node.

        Messages that were sent in fewer than least copies are not received.
        """
        self._call(lib.hcl_set_copies, number(copies, 'a number of copies'),
                   number(least, 'a number of copies'))

    def set_deliver(self, deliver, wait=0):
        """Set which messages in copies are received: a Deliver, or its name.

        wait: how long to wait for missing copies, in ms; 0: the present time is not changed.
        """
        self._call(lib.hcl_set_deliver, Deliver.parse(deliver, 'way to deliver'), number(wait, 'a time'))

    def paths(self, to):
        """The number of paths to a node that share no node, around the faults that are known."""
        return self._call(lib.hcl_paths, number(to, 'node'))

    def recv_vote(self, size=SEGMENT_MAX):
        """As recv(), but also return a Vote, or None if the message was not sent in copies."""
        told = Told()
        sender, data = self._recv(lib.hcl_recv_vote, size, byref(told))
        v = told.vote
        if not v.copies:
            return sender, data, None
        return sender, data, Vote(
            Outcome.of(v.outcome), v.copies, _bits(v.mismatch), _bits(v.missing), v.nr,
            {p.copy: list(p.dim[:p.hops]) for p in told.path[:told.npaths]})


def _bits(word):
    return [i for i in range(word.bit_length()) if word >> i & 1]
