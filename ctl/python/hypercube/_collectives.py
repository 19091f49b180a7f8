# SPDX-License-Identifier: GPL-2.0
"""The collectives of a Node: what goes where, and how big it is."""

import errno

import numpy as np

from . import _arrays
from ._arrays import number
from .errors import error
from .names import Collective, Oper
from .plan import Plan


class Collectives:
    """See Node."""

    def reduce(self, data, op, plan, *, root=None, out=None, notify=False):
        """Reduce to the root, which gets the result.

        The others get None, as soon as the kernel has their data, or, with notify, when the root
        has completed.  op: "sum", "prod", "min", "max", "and", "or", "xor", "minloc", "maxloc", or
        "merge" of sorted runs, whose root gives out with room for all.
        """
        return self._done(self.ireduce(data, op, plan, root=root, out=out, notify=notify))

    def ireduce(self, data, op, plan, *, root=None, out=None, notify=False):
        """Begin a reduction; a Request."""
        return self._reduction(Collective.REDUCE, data, op, plan, out, self._root(plan, root), notify)

    def allreduce(self, data, op, plan, *, out=None):
        """Reduce; every member gets the result, the same bits everywhere."""
        return self._done(self.iallreduce(data, op, plan, out=out))

    def iallreduce(self, data, op, plan, *, out=None):
        """Begin an allreduce; a Request."""
        return self._reduction(Collective.ALLREDUCE, data, op, plan, out, self.node)

    def barrier(self, plan):
        """Wait until all members have called this."""
        self._done(self.ibarrier(plan))

    def ibarrier(self, plan):
        """Begin a barrier; a Request."""
        return self._post(Collective.BARRIER, plan, None, None, waited=True)

    def bcast(self, data, plan, *, source=None, notify=False):
        """Broadcast the source's data, which the others receive in theirs.

        The source returns when the kernel has all of it, or, with notify, when all members have.
        Returns data, or the part of it that the message fills.
        """
        if self._root(plan, source, 'source') == self.node:
            self._done(self.ibcast(data, plan, source=source, notify=notify))
            return data
        number_of_plan = self._id(plan, self.fabric)
        stalled = self._stalled_at(number_of_plan)
        request = stalled or self.ibcast(data, plan, source=source)
        try:
            got = self._done(request)
        except BaseException:
            # The next call is to receive what this one has waited for.
            if not self.closed and not request._waited:
                self._stalled[number_of_plan] = request
            raise
        return self._moved(got, _arrays.writable(data, 'data')) if stalled else got

    def ibcast(self, data, plan, *, source=None, notify=False):
        """Begin a broadcast, or receive one; a Request."""
        if self._root(plan, source, 'source') == self.node:
            return self._post(Collective.BCAST, plan, _arrays.readable(data), None, notify, waited=notify)
        return self._post(Collective.BCAST, plan, None, _arrays.writable(data, 'data'), waited=True)

    def gather(self, data, plan, *, root=None, out=None, notify=False):
        """Bring the data of all members, of one size, to the root.

        It gets an array with one axis more, the first one, in the order of the nodes; the others None.
        """
        return self._done(self.igather(data, plan, root=root, out=out, notify=notify))

    def igather(self, data, plan, *, root=None, out=None, notify=False):
        """Begin a gather; a Request."""
        data = _arrays.readable(data)
        if self._root(plan, root) == self.node:
            out = self._blocks(plan, data, out)
        elif out is not None:
            raise ValueError('out is for the root only')
        return self._post(Collective.GATHER, plan, data, out, notify, waited=out is not None or notify)

    def scatter(self, data, plan, *, root=None, out=None):
        """Give each member a block of the root's data.

        Its first axis is the members, in the order of the nodes.  The others give None, and out with
        room for theirs.
        """
        return self._done(self.iscatter(data, plan, root=root, out=out))

    def iscatter(self, data, plan, *, root=None, out=None):
        """Begin a scatter; a Request."""
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
        """Bring the data of all members, of one size, to all of them, over a tree, doubling or rings.

        As gather() at the root.  With notify, in rings, it waits until all members have these data, too.
        """
        return self._done(self.iallgather(data, plan, out=out, notify=notify))

    def iallgather(self, data, plan, *, out=None, notify=False):
        """Begin an allgather; a Request."""
        data = _arrays.readable(data)
        return self._post(Collective.ALLGATHER, plan, data, self._blocks(plan, data, out), notify, waited=True)

    def alltoall(self, data, plan, *, out=None):
        """Give each member a block, and get one of each, over a plan for recursive doubling, or of rings.

        The first axis of data, and of what comes back, is the members, in the order of the nodes.
        """
        return self._done(self.ialltoall(data, plan, out=out))

    def ialltoall(self, data, plan, *, out=None):
        """Begin an alltoall; a Request."""
        data = self._divided(plan, _arrays.readable(data))
        out = np.empty_like(data, subok=False) if out is None else _arrays.writable(out)
        if out.nbytes != data.nbytes:
            raise ValueError(f'out has {out.nbytes} bytes, data has {data.nbytes}')
        return self._post(Collective.ALLTOALL, plan, data, out, waited=True)

    def reduce_scatter(self, data, op, plan, *, counts=None, rank=None, out=None):
        """Reduce, and give each member its block of the result, over a tree, or a plan for recursive doubling.

        The first axis of data is the members, in the order of the nodes.  With counts, the same at all
        members, the blocks have that many elements of this axis instead, one block behind the other;
        rank is the place of this node among the members, which is only needed if plan is an id.
        The bits are those that allreduce() has there.  op: as with reduce(), but not "merge".
        """
        return self._done(self.ireduce_scatter(data, op, plan, counts=counts, rank=rank, out=out))

    def ireduce_scatter(self, data, op, plan, *, counts=None, rank=None, out=None):
        """Begin a reduce_scatter; a Request."""
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
        """Sort the elements of all members; the root gets them, the others None.

        Each sorts its own, and the runs are merged on their way.  total: how many there are in all;
        otherwise they are counted first, for which all have to leave it out.  Floats come in the
        total order of IEEE 754: -0.0 before 0.0, and NaN by its sign at an end.
        """
        return self._sort(Collective.REDUCE, data, plan, self._root(plan, root), total)

    def allsort(self, data, plan, *, total=None):
        """As sort(), with the elements at every member."""
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
        # It complains before anything is sent.
        data, _, _ = _arrays.contribution(data, Oper.MERGE)
        run = _arrays.ascending(data)
        if total is None:
            total = int(self.allreduce(np.array(run.size, np.uint64), 'sum', plan))
        total = number(total, 'total', least=run.size, most=(1 << 62) // run.itemsize)
        out = np.empty(total, run.dtype) if root == self.node else None
        return self._done(self._reduction(collective, run, Oper.MERGE, plan, out, root))

    @staticmethod
    def _divided(plan, data):
        """The same data, which have a block for each member."""
        if data.ndim == 0:
            raise ValueError('data has no axis for the members')
        if isinstance(plan, Plan) and len(data) != plan.count:
            raise ValueError(f'data has {len(data)} blocks, there are {plan.count} members')
        return data

    def _rank(self, plan, rank):
        """How many members have lower numbers."""
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
        """Blocks of different lengths, each padded with zeros to the longest one; and one as it was."""
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
        """Where a block of each member finds room."""
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
        """The Request that has waited in vain for a broadcast of this plan, if it may still come."""
        stalled = self._stalled.pop(plan, None)
        try:
            if stalled is not None and stalled.test():
                stalled.wait()
        except OSError:
            return None
        return stalled

    @staticmethod
    def _moved(got, data):
        """A message that another array has received."""
        if got.nbytes > data.nbytes:
            raise error(-errno.EMSGSIZE,
                        f'the result has {got.nbytes} bytes, more than the room for {data.nbytes}')
        _arrays.flat(data).view(np.uint8)[:got.nbytes] = _arrays.flat(got).view(np.uint8)
        return _arrays.filled(data, got.nbytes)
