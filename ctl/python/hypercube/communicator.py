# SPDX-License-Identifier: GPL-2.0
"""Communicators: sets of nodes whose programs do collectives together, in the order of ranks."""

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
    """The handle of a communicator, which the library closes."""

    def close(self):
        pass


class _Shared(Node):
    """The Node of a communicator and of those that are made of it: the last one of these closes it."""

    def __init__(self, fabric, node, handle):
        self._begin()
        self._name(fabric, node)
        self._handle = _Borrowed(handle)
        self._handle.arrays = self._posted
        self.users = 0


class Communicator(Single):
    """Some nodes of a fabric, in the order of their ranks.

    Communicator(fabric, node, nodes, plan) is made by a process at each of the nodes, with the same
    nodes and the same id of a plan, which nothing else has.  Rank 0 installs it, which needs
    CAP_NET_ADMIN; the others wait for it, at most wait seconds.  guard: the plan is guarded, and its
    members wait so many seconds for each other after faults; see hcctl-guard(8).

    All its processes call split(), dup() and free() together.  These wait in C, where Ctrl-C does not
    end them.  at is its Node, for collectives over plan that have no name here.
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
        # The others may never come to where they would free it, too.
        if kind is None:
            self.free()

    def split(self, color, key=0):
        """A communicator of those that say the same color, in the order of keys; None: no part."""
        color = NO_PART if color is None else number(color, 'a color', most=0x7fffffff)
        return self._made(lib.hcl_comm_split, color, key)

    def dup(self):
        """Another communicator of the same nodes."""
        return self._made(lib.hcl_comm_dup)

    def free(self):
        """Release it, when all its processes are here; once more does nothing."""
        if self._raw is None:
            return
        with self.at._mine():
            raw, self._raw = self._raw, None
            lib.hcl_comm_free(raw)
            self.at.users -= 1
        if not self.at.users:
            self.at.close()

    def allreduce(self, data, op, *, out=None):
        """Reduce; every rank gets the result, the same bits everywhere."""
        self._open()
        return self.at.allreduce(data, op, self.plan, out=out)

    def mean(self, data, *, out=None):
        """The mean of the floats of all ranks, which is their sum, divided by how many they are; the same bits everywhere."""
        data = _arrays.readable(data)
        kind, _ = _arrays.type_of(data.dtype)
        if kind not in (Type.F16, Type.BF16, Type.F32, Type.F64):
            raise TypeError(f'there is a mean of floats, not of {data.dtype}')
        total = self.allreduce(data, 'sum', out=out)
        lib.hcl_divide(kind, total.ctypes.data, total.nbytes, self.size)
        return total

    def barrier(self):
        """Wait until all ranks have called this."""
        self._open()
        self.at.barrier(self.plan)

    def bcast(self, data, root=0):
        """The root's data to all, whose data has the same size and is filled; returns data."""
        root = number(root, 'a rank', most=self.size - 1)
        rooted = root == self.rank
        data = _arrays.readable(data) if rooted else _arrays.writable(data, 'data')
        got = self.at.allreduce(self._bytes(data) if rooted else np.zeros(data.nbytes, 'u1'), 'or', self.plan)
        if not rooted:
            self._bytes(data)[:] = got
        return data

    def allgather(self, data, *, out=None):
        """The data of all ranks, of one size: an array with one axis more, the first one."""
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
