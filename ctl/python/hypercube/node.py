# SPDX-License-Identifier: GPL-2.0
"""Contributing to collectives at a node: what is posted, and what moves."""

import collections
import itertools
import select
import time
import weakref
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


class _Posted:
    """What the library has of an operation: its arrays, and the number that it has given it."""

    def __init__(self, data, out, part):
        self.arrays = data, out, part
        self.cookie = c_uint64()
        self._request = lambda: None

    def request(self, node, token):
        """The Request, which may be gone, and is not kept here: it keeps the node."""
        request = self._request()
        if request is None:
            request = Request(node, self.cookie, token, *self.arrays[1:])
            self._request = weakref.ref(request)
        return request


class Node(Collectives, Handle):
    """A node of a fabric at which this process contributes.

    Node(fabric, node) serves all plans that have no handle of their own at this node,
    Node(fabric, node, plan) that one.  plan is a Plan or its id, here and in the calls.  A Plan
    knows its root and how many members it has; with an id those have to be given.

    data is a numpy array: contiguous, of the machine's byte order.  Where a call returns an array
    it is out, if that was given; out may be data itself.  Each call waits; the same with an "i"
    before it returns a Request at once.
    """

    def __init__(self, fabric, node, plan=None):
        self._begin()
        if plan is None:
            super().__init__(fabric, node, 'hcl_open')
        else:
            super().__init__(fabric, node, 'hcl_open_plan', self._id(plan, fabric))
        self._handle.arrays = self._posted

    def _begin(self):
        # Operations that are not over, with the arrays that the library reads and fills: _Posted by token
        self._posted = {}
        self._tokens = itertools.count()
        # The tokens of those that are forgotten when they are sent, oldest first
        self._unwaited = collections.deque()
        # Receivers of broadcasts that have run into a time limit, by plan
        self._stalled = {}
        self.result = None      # the Result of the latest call that waited

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

    def requests(self):
        """The Requests of all operations that are posted and not over, oldest first.

        One is among them even if a signal has ended the call that was to return it.
        """
        with self._mine() as handle:
            self._forget_sent(handle)
            return [posted.request(self, token) for token, posted in list(self._posted.items())
                    if posted.cookie.value]

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

    def _post(self, collective, plan, data, out, notify=False, *, waited, part=None, **params):
        if data is not None:
            data = _arrays.apart(data, out)
        params = _native.Params(plan=self._id(plan, self.fabric), collective=collective,
                                flags=F_NOTIFY if notify else 0, **params)
        token = next(self._tokens)
        posted = _Posted(data, out, part)
        request = posted.request(self, token)
        with self._mine() as handle:
            try:
                # Before the library has it: a signal may end this function at any time, and the
                # request is found by requests() then.
                self._posted[token] = posted
                if not waited:
                    self._unwaited.append(token)
                status = lib.hcl_post(handle, byref(params), address(data), 0 if data is None else data.nbytes,
                                      address(out), 0 if out is None else out.nbytes, byref(posted.cookie))
                if status < 0:
                    raise self._error(status, handle)
            except BaseException:
                if not posted.cookie.value:
                    self._forget(token)
                raise
            self._forget_sent(handle)
        return request

    def _forget(self, token):
        self._posted.pop(token, None)

    def _forget_sent(self, handle):
        """Forgets the operations that nobody has to wait for, as far as they are sent."""
        while self._unwaited:
            token = self._unwaited[0]
            posted = self._posted.get(token)
            if posted is not None and not (posted.cookie.value and lib.hcl_test(handle, posted.cookie.value)):
                break
            self._forget(token)
            self._unwaited.popleft()

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
