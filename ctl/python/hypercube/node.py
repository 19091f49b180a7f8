# SPDX-License-Identifier: GPL-2.0
"""The one who contributes to collectives at a node: what is posted, and what moves."""

import collections
import itertools
import select
import time
from ctypes import byref, c_uint64

from . import _arrays, _native
from ._arrays import address, milliseconds, number
from ._collectives import Collectives
from ._handle import SLICE, Handle
from ._native import lib
from .errors import Result
from .names import F_NOTIFY
from .plan import Plan
from .request import Request


class Node(Collectives, Handle):
    """A node of a fabric, with this process as the one who contributes there.

    Node(fabric, node) serves all plans that have no handle of their own at this node,
    Node(fabric, node, plan) that one.  plan is a Plan or its id, and so with the calls, where a
    Plan knows its root and how many members it has; with an id those are to be given.

    data is a numpy array: contiguous, of the machine's byte order.  Where a call returns an array
    it is out, if that was given; out may be data itself.  Each call waits; the same with an "i"
    before it returns a Request at once.
    """

    def __init__(self, fabric, node, plan=None):
        # The arrays of operations that are not over, which the library reads and fills
        self._posted = {}
        self._tokens = itertools.count()
        # Those that are forgotten when they are sent, oldest first: cookie and token
        self._unwaited = collections.deque()
        # Receivers of broadcasts that have run into a time limit, by plan
        self._stalled = {}
        self.result = None      # the Result of the latest call that waited
        if plan is None:
            super().__init__(fabric, node, 'hcl_open')
        else:
            super().__init__(fabric, node, 'hcl_open_plan', self._id(plan, fabric))
        self._handle.arrays = self._posted

    def close(self):
        """Close it.  What was accepted in full still counts; see flush()."""
        super().close()
        self._posted = {}
        self._unwaited.clear()
        self._stalled.clear()

    def progress(self, timeout=0):
        """Send and receive what is possible, waiting for at most so many seconds (None: for ever).

        Returns whether something moved.
        """
        ms = None if timeout is None else milliseconds(timeout, 'a time')
        while ms is None or ms > SLICE:
            if self._call(lib.hcl_progress, SLICE):
                return True
            ms = None if ms is None else ms - SLICE
        return bool(self._call(lib.hcl_progress, ms))

    def events(self):
        """What to poll fileno() for before progress(): select.POLLIN, perhaps with POLLOUT."""
        with self._mine() as handle:
            return lib.hcl_events(handle)

    def flush(self):
        """Wait until all that was posted is sent."""
        stuck = not self._until(lambda: not self.events() & select.POLLOUT, self._limit)
        with self._mine() as handle, self._hurried(handle, stuck):
            status = lib.hcl_flush(handle)
            if status < 0:
                raise self._error(status, handle, self._limit if stuck else None)

    @property
    def failure(self):
        """The latest failure as a Result, or None."""
        with self._mine() as handle:
            raw = lib.hcl_failure(handle).contents
            return Result.of(raw) if raw.status else None

    # --- within ---------------------------------------------------------------------------

    @staticmethod
    def _id(plan, fabric):
        if isinstance(plan, Plan):
            if plan.fabric != fabric:
                raise ValueError(f'plan {plan.id} is one of {plan.fabric}, not of {fabric}')
            return plan.id
        return number(plan, "a plan's id", least=1)

    def _post(self, collective, plan, data, out, notify=False, *, waited, **params):
        if data is not None:
            data = _arrays.apart(data, out)
        params = _native.Params(plan=self._id(plan, self.fabric), collective=collective,
                                flags=F_NOTIFY if notify else 0, **params)
        cookie, token = c_uint64(), next(self._tokens)
        with self._mine() as handle:
            # Before the library has them: a signal may end this function at any time.
            self._posted[token] = data, out
            status = lib.hcl_post(handle, byref(params), address(data), 0 if data is None else data.nbytes,
                                  address(out), 0 if out is None else out.nbytes, byref(cookie))
            if status < 0:
                self._forget(token)
                raise self._error(status, handle)
            while self._unwaited and lib.hcl_done(handle, self._unwaited[0][0]):
                self._forget(self._unwaited.popleft()[1])
        if not waited:
            self._unwaited.append((cookie.value, token))
        return Request(self, cookie.value, token, out)

    def _forget(self, token):
        self._posted.pop(token, None)

    def _until(self, over, limit):
        """Let things move until it is over; False: nothing has moved for so many seconds."""
        if limit is not None:
            milliseconds(limit, 'a time limit')
        moved = time.monotonic()
        while not over():
            left = SLICE if limit is None else int((moved + limit - time.monotonic()) * 1000) + 1
            if limit is not None and moved + limit <= time.monotonic():
                return False
            if self._call(lib.hcl_progress, max(0, min(SLICE, left))):
                moved = time.monotonic()
        return True
