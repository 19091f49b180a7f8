# SPDX-License-Identifier: GPL-2.0
"""The collectives of a Node: their arguments, and the sizes of data and results."""

import errno

import numpy as np

from . import _arrays
from ._arrays import number
from .errors import error
from .names import Collective, Oper
from .plan import Plan


class Collectives:
    """The part of the class Node that has the collectives."""

    def reduce(self, data, op, plan, *, root=None, out=None, notify=False):
        """Reduce the data of all members. The root gets the result.

        At the other members, the call returns None as soon as the kernel has their data, or with notify,
        when the root has the result. op: "sum", "prod", "min", "max", "and", "or", "xor", "minloc",
        "maxloc", or "merge" of sorted runs, for which the root needs out with room for all elements.
        """
        return self._done(self.ireduce(data, op, plan, root=root, out=out, notify=notify))

    def ireduce(self, data, op, plan, *, root=None, out=None, notify=False):
        """Begin a reduction. Returns a Request."""
        return self._reduction(Collective.REDUCE, data, op, plan, out, self._root(plan, root), notify)

    def allreduce(self, data, op, plan, *, out=None):
        """Reduce the data of all members. All members get the same result, bit by bit."""
        return self._done(self.iallreduce(data, op, plan, out=out))

    def iallreduce(self, data, op, plan, *, out=None):
        """Begin an allreduce. Returns a Request."""
        return self._reduction(Collective.ALLREDUCE, data, op, plan, out, self.node)

    def barrier(self, plan):
        """Wait until all members have entered the barrier."""
        self._done(self.ibarrier(plan))

    def ibarrier(self, plan):
        """Begin a barrier. Returns a Request."""
        return self._post(Collective.BARRIER, plan, None, None, waited=True)

    def bcast(self, data, plan, *, source=None, notify=False):
        """Broadcast the data of the source. The other members receive it in their data.

        At the source, the call returns when the kernel has all data, or with notify, when all members
        have it. Returns data, or the part of it that the message has filled.
        """
        if self._root(plan, source, 'source') == self.node:
            self._done(self.ibcast(data, plan, source=source, notify=notify))
            return data
        number_of_plan = self._id(plan, self.fabric)
        # A receiver's call of bcast() may have ended, by its time limit or by a signal, before the message arrived.
        # The request of that call still receives the next message, in the array of that call.
        stalled = self._stalled_at(number_of_plan)
        request = stalled or self.ibcast(data, plan, source=source)
        try:
            got = self._done(request)
        except BaseException:
            # Keep the request for the next call.
            if not self.closed and not request._waited:
                self._stalled[number_of_plan] = request
            raise
        return self._moved(got, _arrays.writable(data, 'data')) if stalled else got

    def ibcast(self, data, plan, *, source=None, notify=False):
        """Begin to send or to receive a broadcast. Returns a Request."""
        if self._root(plan, source, 'source') == self.node:
            return self._post(Collective.BCAST, plan, _arrays.readable(data), None, notify, waited=notify)
        return self._post(Collective.BCAST, plan, None, _arrays.writable(data, 'data'), waited=True)

    def gather(self, data, plan, *, root=None, out=None, notify=False):
        """Gather the data of all members, which must have the same size, at the root.

        The root gets an array with an additional first axis for the members, in the order of the nodes.
        The other members get None.
        """
        return self._done(self.igather(data, plan, root=root, out=out, notify=notify))

    def igather(self, data, plan, *, root=None, out=None, notify=False):
        """Begin a gather. Returns a Request."""
        data = _arrays.readable(data)
        if self._root(plan, root) == self.node:
            out = self._blocks(plan, data, out)
        elif out is not None:
            raise ValueError('out is for the root only')
        return self._post(Collective.GATHER, plan, data, out, notify, waited=out is not None or notify)

    def scatter(self, data, plan, *, root=None, out=None):
        """Send each member a block of the root's data.

        The first axis of data is for the members, in the order of the nodes. At the other members, data
        is None, and out has room for a block.
        """
        return self._done(self.iscatter(data, plan, root=root, out=out))

    def iscatter(self, data, plan, *, root=None, out=None):
        """Begin a scatter. Returns a Request."""
        if self._root(plan, root) == self.node:
            data = self._divided(plan, _arrays.readable(data))
            if out is None:
                out = np.empty(data.shape[1:], data.dtype)
        elif data is not None:
            raise ValueError('data is for the root only: the others give None')
        elif out is None:
            raise TypeError('out= is needed where node is not the root, with room for a block')
        return self._post(Collective.SCATTER, plan, data, _arrays.writable(out), waited=True)

    def allgather(self, data, plan, *, out=None, notify=False):
        """Gather the data of all members, which must have the same size, at all members.

        The plan is a tree, recursive doubling or rings. The result is as that of gather() at the root. With
        notify, over rings, the call waits until all members have the data of this one.
        """
        return self._done(self.iallgather(data, plan, out=out, notify=notify))

    def iallgather(self, data, plan, *, out=None, notify=False):
        """Begin an allgather. Returns a Request."""
        data = _arrays.readable(data)
        return self._post(Collective.ALLGATHER, plan, data, self._blocks(plan, data, out), notify, waited=True)

    def alltoall(self, data, plan, *, out=None):
        """Send each member a block, and receive a block of each. The plan is recursive doubling or rings.

        The first axis of data and of the result is for the members, in the order of the nodes.
        """
        return self._done(self.ialltoall(data, plan, out=out))

    def ialltoall(self, data, plan, *, out=None):
        """Begin an alltoall. Returns a Request."""
        data = self._divided(plan, _arrays.readable(data))
        out = np.empty_like(data, subok=False) if out is None else _arrays.writable(out)
        if out.nbytes != data.nbytes:
            raise ValueError(f'out has {out.nbytes} bytes, data has {data.nbytes}')
        return self._post(Collective.ALLTOALL, plan, data, out, waited=True)

    def reduce_scatter(self, data, op, plan, *, counts=None, rank=None, out=None):
        """Reduce the data of all members. Each member gets its block of the result.

        The plan is a tree or recursive doubling. The first axis of data is for the members, in the order of
        the nodes. With counts, which must be the same at all members, the blocks follow one another on this
        axis, and block i has counts[i] elements; rank is the index of this node among the members, and is
        only needed if plan is an id. The block has the same bits as in the result of allreduce(). op: as
        for reduce(), but not "merge".
        """
        return self._done(self.ireduce_scatter(data, op, plan, counts=counts, rank=rank, out=out))

    def ireduce_scatter(self, data, op, plan, *, counts=None, rank=None, out=None):
        """Begin a reduce_scatter. Returns a Request."""
        oper = Oper.parse(op, 'operator')
        if oper == Oper.MERGE:
            raise TypeError('operator merge is not for reduce_scatter: sorted runs have no blocks')
        data, kind, width = _arrays.contribution(data, oper)
        part = None
        if counts is None:
            data = self._divided(plan, data)
            if out is None:
                out = np.empty(data.shape[1:], data.dtype)
            _arrays.like(out, data[:1], oper, 'a block')
        else:
            rank = self._rank(plan, rank)
            data, mine = self._padded(plan, data, counts, rank)
            part = np.empty(mine.shape, data.dtype) if out is None else _arrays.like(out, mine, oper, 'the block')
            out = np.empty(data.shape[1:], data.dtype)
        return self._post(Collective.REDUCE_SCATTER, plan, data, out, waited=True, part=part,
                          oper=oper, type=kind, width=width)

    def sort(self, data, plan, *, root=None, total=None):
        """Sort the elements of all members. The root gets them, the other members None.

        Each member sorts its own elements, and the plan merges the sorted runs. total: the number of
        elements of all members; if all members leave it out, the elements are counted first. Floats are
        in the total order of IEEE 754: -0.0 is before 0.0, and a NaN is at the beginning or at the end,
        according to its sign.
        """
        return self._sort(Collective.REDUCE, data, plan, self._root(plan, root), total)

    def allsort(self, data, plan, *, total=None):
        """As sort(), but all members get the elements."""
        return self._sort(Collective.ALLREDUCE, data, plan, self.node, total)

    # --- within ---------------------------------------------------------------------------

    @staticmethod
    def _root(plan, root, word='root'):
        if root is not None:
            return number(root, f'the {word}')
        if isinstance(plan, Plan):
            return plan.root
        raise TypeError(f'{word}= is needed where the plan is given by its id')

    def _reduction(self, collective, data, op, plan, out, root, notify=False):
        oper = Oper.parse(op, 'operator')
        data, kind, width = _arrays.contribution(data, oper)
        if root != self.node and out is not None:
            raise ValueError('out is for the root only')
        if root == self.node and out is None:
            if oper == Oper.MERGE:
                raise TypeError('out= is needed to merge, with room for the elements of all members')
            out = np.empty_like(data, subok=False)
        if out is not None:
            _arrays.like(out, data, oper)
        return self._post(collective, plan, data, out, notify, waited=out is not None or notify,
                          oper=oper, type=kind, width=width)

    def _sort(self, collective, data, plan, root, total):
        # Check the data before anything is sent.
        data, _, _ = _arrays.contribution(data, Oper.MERGE)
        run = _arrays.ascending(data)
        if total is None:
            total = int(self.allreduce(np.array(run.size, np.uint64), 'sum', plan))
        total = number(total, 'total', least=run.size, most=(1 << 62) // run.itemsize)
        out = np.empty(total, run.dtype) if root == self.node else None
        return self._done(self._reduction(collective, run, Oper.MERGE, plan, out, root))

    @staticmethod
    def _divided(plan, data):
        """Check that data has a block for each member. Returns data."""
        if data.ndim == 0:
            raise ValueError('data has no axis for the members')
        if isinstance(plan, Plan) and len(data) != plan.count:
            raise ValueError(f'data has {len(data)} blocks, there are {plan.count} members')
        return data

    def _rank(self, plan, rank):
        """The rank of this node: the number of members with lower numbers."""
        if rank is not None:
            return number(rank, 'the rank')
        if not isinstance(plan, Plan):
            raise TypeError('rank= is needed where the plan is given by its id')
        members = plan.members()
        if self.node not in members:
            raise ValueError(f'node {self.node} is no member of plan {plan.id}')
        return members.index(self.node)

    @staticmethod
    def _padded(plan, data, counts, rank):
        """Split data into blocks by counts. Returns the blocks, padded with zeros to the same length, and the
        block of this rank without padding."""
        if data.ndim == 0:
            raise ValueError('data has no axis for the blocks')
        counts = [number(count, 'a count') for count in counts]
        if isinstance(plan, Plan) and len(counts) != plan.count:
            raise ValueError(f'counts has {len(counts)} blocks, there are {plan.count} members')
        if sum(counts) != len(data):
            raise ValueError(f'the counts add up to {sum(counts)}, data has {len(data)}')
        if rank >= len(counts):
            raise ValueError(f'there is no rank {rank} among {len(counts)} members')
        blocks = np.split(np.asarray(data), np.cumsum(counts)[:-1])
        padded = np.zeros((len(counts), max(counts), *data.shape[1:]), data.dtype)
        for room, block in zip(padded, blocks):
            room[:len(block)] = block
        return padded, blocks[rank]

    @staticmethod
    def _blocks(plan, data, out):
        """The array for the blocks of all members: out, or a new one."""
        if not isinstance(plan, Plan):
            if out is None:
                raise TypeError('out= is needed where the plan is given by its id')
            if data.nbytes and _arrays.writable(out).nbytes % data.nbytes:
                raise ValueError(f'out has {out.nbytes} bytes, which are no blocks of {data.nbytes}')
            return _arrays.writable(out)
        if out is None:
            return np.empty((plan.count, *data.shape), data.dtype)
        if _arrays.writable(out).nbytes != data.nbytes * plan.count:
            raise ValueError(f'out has {out.nbytes} bytes, {plan.count} members with {data.nbytes} each '
                             f'have {data.nbytes * plan.count}')
        return out

    def _done(self, request):
        got = request.wait()
        self.result = request.result
        return got

    def _stalled_at(self, plan):
        """The Request of an earlier call of bcast() for this plan that has ended before the message arrived, or
        None."""
        stalled = self._stalled.pop(plan, None)
        try:
            if stalled is not None and stalled.test():
                stalled.wait()
        except OSError:
            return None
        return stalled

    @staticmethod
    def _moved(got, data):
        """Copy a message that was received in another array to data."""
        if got.nbytes > data.nbytes:
            raise error(-errno.EMSGSIZE,
                        f'the result has {got.nbytes} bytes, more than the room for {data.nbytes}')
        _arrays.flat(data).view(np.uint8)[:got.nbytes] = _arrays.flat(got).view(np.uint8)
        return _arrays.filled(data, got.nbytes)
