# SPDX-License-Identifier: GPL-2.0
"""Messages from node to node."""

import errno
import select
from ctypes import byref, c_uint32, create_string_buffer

from ._arrays import address, milliseconds, number, readable
from ._handle import Handle
from ._native import lib
from .errors import error
from .names import SEGMENT_MAX


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
        size = number(size, 'a size', most=0x7fffffff)
        buffer = create_string_buffer(size or 1)
        sender = c_uint32()
        self._ready(select.POLLIN, 'no message came')
        length = self._call(lib.hcl_recv, byref(sender), buffer, size)
        if length > size:
            raise error(-errno.EMSGSIZE, f'a message of {length} bytes from node {sender.value} '
                                         f'is more than the room for {size}')
        return sender.value, buffer.raw[:length]

    def _ready(self, event, what):
        """Wait here, where signals are heard."""
        poll = select.poll()
        poll.register(self.fileno(), event)
        ms = None if self._limit is None else milliseconds(self._limit, '')
        if not poll.poll(ms):
            raise error(-errno.ETIMEDOUT, f'{what} within {ms} ms')
