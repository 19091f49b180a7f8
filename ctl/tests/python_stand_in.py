# SPDX-License-Identifier: GPL-2.0
"""A substitute for the functions of libhypercube, so that the Python package is tested without the kernel module.

It records the arguments of the calls. An operation is complete at once, and its result is the data that was given
to it, unless the test sets something else.
"""

import ctypes
import errno
import select
import socket
from unittest import mock

from hypercube import _native, names

NONE = _native.NONE


class StandIn:
    """Replaces the functions of the library, until the test ends, by the methods of this class with the same names.

    A test sets the attributes to choose how operations proceed.
    """

    def __init__(self, test):
        self.posted = []        # for each operation: collective, Params, size of data, size of out, their addresses
        self.closed = 0         # number of handles that were closed
        self.misused = []       # functions that were called with a handle that is closed
        self.message = b''      # what members receive by a broadcast
        self.blocks = 1         # number of blocks in the data of a reduce_scatter; the result is the first
        self.places = 3         # number of members that have a block in the result of an allgather
        self.silent = False     # no operation that must be waited for is completed
        self.sends = True       # the data of operations is sent
        self.failure = None     # the operations fail: (status, node, dimension)
        self.instead_of_progress = None     # a function that is called by hcl_progress()
        self.interrupts = False # each wait is ended by a signal as soon as the operation is complete
        self._handles, self._open = 0, set()
        self._waiting = {}      # by cookie: Params, data, address and size of out of operations that are not complete
        self._said, self._latest = b'', _native.Result()
        self._ends = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
        for end in self._ends:
            test.addCleanup(end.close)
        for name in [name for name in dir(self) if name.startswith('hcl_')]:
            patch = mock.patch.object(_native.lib, name, self._watched(name))
            patch.start()
            test.addCleanup(patch.stop)

    # --- for the tests --------------------------------------------------------------------

    def said(self):
        """The latest operation: collective, operator, type, flags, width, size of the data, size of the result."""
        collective, params, size, room, _ = self.posted[-1]
        return (collective.name, names.Oper(params.oper).name if params.oper else 0,
                names.Type(params.type).name if params.type else 0, params.flags, params.width, size, room)

    @property
    def addresses(self):
        """The addresses of the data and of the result of the latest operation."""
        return self.posted[-1][4]

    def waiting(self, cookie):
        """The data of an operation that is not complete."""
        return self._waiting[cookie][1]

    def only(self, name):
        """Check that exactly one operation was posted, and that it is of this collective."""
        assert [posted[0].name for posted in self.posted] == [name], self.posted

    # --- the functions of the library -----------------------------------------------------

    def _watched(self, name):
        function = getattr(self, name)

        def call(handle, *arguments):
            if handle is not None and '_open' not in name and handle.value not in self._open:
                self.misused.append(name)
            return function(handle, *arguments)
        return call

    def _opened(self, handle, *_):
        self._handles += 1
        self._open.add(self._handles)
        handle._obj.value = self._handles
        return 0

    hcl_open = hcl_open_plan = hcl_open_dgram = hcl_task_open = _opened

    def hcl_close(self, handle):
        self._open.discard(handle.value)
        self.closed += 1

    def hcl_fd(self, _):
        return self._ends[0].fileno()

    def hcl_set_timeout(self, _, __):
        return 0

    def hcl_set_buffers(self, *_):
        return 0

    def hcl_post(self, _, params, data, size, out, room, cookie):
        params = _native.Params.from_buffer_copy(params._obj)
        collective = names.Collective(params.collective)
        self.posted.append((collective, params, size, None if out is None else room, (data, out)))
        cookie._obj.value = len(self.posted)
        self._waiting[len(self.posted)] = params, ctypes.string_at(data, size) if size else b'', out, room
        return 0

    def hcl_test(self, _, cookie):
        if cookie not in self._waiting:
            return 1
        params, _, out, _ = self._waiting[cookie]
        waited = out is not None or params.flags or params.collective == names.Collective.BARRIER
        return int(self.sends and not (waited and self.silent))

    def hcl_progress(self, _, __):
        if self.instead_of_progress:
            return self.instead_of_progress()
        return 0

    def hcl_events(self, _):
        return select.POLLIN | (0 if self.sends else select.POLLOUT)

    def hcl_flush(self, _):
        return 0

    def hcl_wait(self, handle, cookie, result):
        status = self._ended(handle, cookie, result)
        if self.interrupts:
            raise KeyboardInterrupt
        return status

    def _ended(self, handle, cookie, result):
        params, data, out, room = self._waiting.get(cookie, (None, b'', None, 0))
        result = result._obj
        ctypes.memset(ctypes.addressof(result), 0, ctypes.sizeof(result))
        if params is None:
            return 0
        result.cookie, result.plan, result.collective = cookie, params.plan, params.collective
        result.cause_node = result.cause_dim = NONE
        if not self.hcl_test(handle, cookie):
            result.status, result.cause_node = -errno.ETIMEDOUT, 6
            self._said = b'nothing moved within 1 ms: node 6 has not contributed'
            self._latest = result
            return result.status
        del self._waiting[cookie]
        if self.failure:
            result.status, result.cause_node, result.cause_dim = self.failure
            self._said = b''
            self._latest = result
            return result.status
        if params.collective == names.Collective.BCAST and out is not None:
            data = self.message
        if params.collective == names.Collective.REDUCE_SCATTER:
            data = data[:len(data) // self.blocks]
        result.bytes, result.steps, result.time = len(data), 3, 500000
        if out is not None:
            ctypes.memmove(out, data, min(len(data), room))
        return 0

    def hcl_pending_members(self, _, cookie, nodes, __):
        nodes[0], nodes[1] = 5, 6
        return 2

    def hcl_result_members(self, _, cookie, nodes, __):
        nodes[0], nodes[1], nodes[2] = 4, 5, 6
        return self.places

    def hcl_failure(self, _):
        return ctypes.pointer(self._latest)

    def hcl_explain(self, _, buffer, size):
        if not self._said:
            return _native.lib.hcl_describe(self._latest, buffer, size)
        ctypes.memmove(buffer, self._said + b'\0', len(self._said) + 1)
        return self._said

    def hcl_send(self, _, to, data, size):
        self._ends[1].send(bytes([to]) + (ctypes.string_at(data, size) if size else b''))
        return 0

    def hcl_recv(self, _, sender, buffer, room):
        message = self._ends[0].recv(1 << 16)
        sender._obj.value = message[0]
        ctypes.memmove(buffer, message[1:], min(len(message) - 1, room))
        return len(message) - 1
