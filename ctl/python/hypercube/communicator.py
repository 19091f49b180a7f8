# SPDX-License-Identifier: GPL-2.0
"""Communicators: lists of nodes whose processes take part in collectives, in the order of their ranks."""

from ctypes import byref, c_uint32, c_void_p

import numpy as np

from . import _arrays, _native
from ._arrays import milliseconds, number
from ._handle import Single, name_of
from ._native import lib
from .errors import error
from .names import Type
from .node import Node

NO_PART = -1


def _call(function, *arguments):
    status = function(*arguments)
    if status < 0:
        raise error(status, _native.sentence(lib.hcl_comm_explain))


class _Borrowed(c_void_p):
    """The handle of a communicator. The library closes it, not this object."""

    def close(self):
        pass


class _Shared(Node):
    """The Node of a communicator, and of the communicators that are made from it. The last of them closes it."""

    def __init__(self, fabric, node, handle):
        self._begin()
        self._name(fabric, node)
        self._handle = _Borrowed(handle)
        self._handle.arrays = self._posted
        self.users = 0


class Communicator(Single):
    """A list of nodes of a fabric, in the order of their ranks.

    A process at each of the nodes calls Communicator(fabric, node, nodes, plan), with the same nodes and
    the same id of a plan, which must not be in use. Rank 0 installs the plan, for which it needs
    CAP_NET_ADMIN; the others wait for the plan for at most wait seconds. guard: the plan is guarded, and
    after a fault its members wait for the next epoch for that many seconds; see hcctl-guard(8).

    split(), dup() and free() must be called by all processes of the communicator. They wait in C code,
    which Ctrl-C does not end. at is the communicator's Node, for collectives over plan for which this class
    has no method.
    """

    def __init__(self, fabric, node, nodes, plan, *, guard=0, wait=10):
        numbers = [number(n, 'node') for n in nodes]
        group = _native.Group(name_of(fabric), (c_uint32 * len(numbers))(*numbers), len(numbers),
                              number(plan, "a plan's id", least=1), milliseconds(guard, 'a guard') if guard else 0,
                              milliseconds(wait, 'a time limit'))
        raw = c_void_p()
        _call(lib.hcl_comm_create, byref(raw), byref(group), number(node, 'node'))
        self._set(raw, _Shared(fabric, node, lib.hcl_comm_handle(raw)))

    def _set(self, raw, at):
        self._raw = raw
        self.at = at
        at.users += 1
        self.rank = lib.hcl_comm_rank(raw)
        self.size = lib.hcl_comm_size(raw)
        self.plan = lib.hcl_comm_plan(raw)
        self.nodes = [lib.hcl_comm_node(raw, r) for r in range(self.size)]

    def _open(self):
        if self._raw is None:
            raise ValueError('the communicator is freed')
        return self._raw

    def _made(self, function, *arguments):
        raw = c_void_p()
        with self.at._mine():
            _call(function, self._open(), *arguments, byref(raw))
        if not raw:
            return None
        made = Communicator.__new__(type(self))
        made._set(raw, self.at)
        return made

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        # After an exception, the other processes may never call free(), for which this one would wait.
        if kind is None:
            self.free()

    def split(self, color, key=0):
        """Make a communicator of the processes with the same color, in the order of their keys.

        A process with the color None is in none of them, and gets None.
        """
        color = NO_PART if color is None else number(color, 'a color', most=0x7fffffff)
        return self._made(lib.hcl_comm_split, color, key)

    def dup(self):
        """Make another communicator of the same nodes."""
        return self._made(lib.hcl_comm_dup)

    def free(self):
        """Free the communicator, when all its processes have called this. Further calls do nothing."""
        if self._raw is None:
            return
        with self.at._mine():
            raw, self._raw = self._raw, None
            lib.hcl_comm_free(raw)
            self.at.users -= 1
        if not self.at.users:
            self.at.close()

    def allreduce(self, data, op, *, out=None):
        """Reduce the data of all ranks. All ranks get the same result, bit by bit."""
        self._open()
        return self.at.allreduce(data, op, self.plan, out=out)

    def mean(self, data, *, out=None):
        """The mean of the floats of all ranks: their sum, divided by their number. All ranks get the same bits."""
        data = _arrays.readable(data)
        kind, _ = _arrays.type_of(data.dtype)
        if kind not in (Type.F16, Type.BF16, Type.F32, Type.F64):
            raise TypeError(f'there is a mean of floats, not of {data.dtype}')
        total = self.allreduce(data, 'sum', out=out)
        lib.hcl_divide(kind, total.ctypes.data, total.nbytes, self.size)
        return total

    def barrier(self):
        """Wait until all ranks have entered the barrier."""
        self._open()
        self.at.barrier(self.plan)

    def bcast(self, data, root=0):
        """Send the data of the root to all ranks, whose data has the same size and is filled. Returns data."""
        root = number(root, 'a rank', most=self.size - 1)
        rooted = root == self.rank
        data = _arrays.readable(data) if rooted else _arrays.writable(data, 'data')
        got = self.at.allreduce(self._bytes(data) if rooted else np.zeros(data.nbytes, 'u1'), 'or', self.plan)
        if not rooted:
            self._bytes(data)[:] = got
        return data

    def allgather(self, data, *, out=None):
        """Gather the data of all ranks, of the same size. Returns an array with an additional first axis."""
        self._open()
        data = _arrays.readable(data)
        if out is None:
            out = np.empty((self.size, *data.shape), data.dtype)
        give = np.zeros((self.size, data.nbytes), 'u1')
        give[self.rank] = self._bytes(data)
        self._bytes(_arrays.writable(out))[:] = self.at.allreduce(give.reshape(-1), 'or', self.plan)
        return out

    @staticmethod
    def _bytes(array):
        return array.reshape(-1).view('u1')
