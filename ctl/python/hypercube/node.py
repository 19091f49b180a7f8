# SPDX-License-Identifier: GPL-2.0
"""Contributing to collectives at a node: posting operations and making progress."""

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
    """A posted operation: its arrays, which the library uses, and the number that the library has given it."""

    def __init__(self, data, out, part):
        self.arrays = data, out, part
        self.cookie = c_uint64()
        self._request = lambda: None

    def request(self, node, token):
        """The Request, made again if it was freed: the reference to it is weak, because it refers to the node."""
        request = self._request()
        if request is None:
            request = Request(node, self.cookie, token, *self.arrays[1:])
            self._request = weakref.ref(request)
        return request


class Node(Collectives, Handle):
    """A node of a fabric at which this process contributes.

    Node(fabric, node, plan) serves one plan. Node(fabric, node) serves all plans that have no handle
    of their own at this node. plan is a Plan or its id, here and in the calls. A Plan has a root and
    a number of members; if only the id is given, the calls need them as arguments.

    data is a numpy array that is contiguous and in the machine's byte order. If a call returns an
    array, that is out if out was given; out may be data itself. Each call waits until the operation
    is complete. The call whose name has an "i" before it returns a Request at once instead.
    """

    def __init__(self, fabric, node, plan=None):
        self._begin()
        if plan is None:
            super().__init__(fabric, node, 'hcl_open')
        else:
            super().__init__(fabric, node, 'hcl_open_plan', self._id(plan, fabric))
        self._handle.arrays = self._posted

    def _begin(self):
        # Operations that are not complete, with the arrays that the library reads and fills: a _Posted by token
        self._posted = {}
        self._tokens = itertools.count()
        # Tokens of the operations that are forgotten as soon as their data is sent, oldest first
        self._unwaited = collections.deque()
        # By plan: the Request of a call of bcast() that has ended before the message arrived
        self._stalled = {}
        self.result = None      # Result of the latest call that has waited

    def close(self):
        """Close the node. Contributions that the kernel has accepted in full are still sent; see flush()."""
        super().close()
        self._posted = {}
        self._unwaited.clear()
        self._stalled.clear()

    def progress(self, timeout=0):
        """Send and receive what is possible, and wait for at most timeout seconds (None: no limit).

        Returns True if something was sent or received.
        """
        ms = None if timeout is None else milliseconds(timeout, 'a time')
        while ms is None or ms > SLICE:
            if self._call(lib.hcl_progress, SLICE):
                return True
            ms = None if ms is None else ms - SLICE
        return bool(self._call(lib.hcl_progress, ms))

    def events(self):
        """The events for which to poll fileno() before progress(): select.POLLIN, perhaps with POLLOUT."""
        with self._mine() as handle:
            return lib.hcl_events(handle)

    def flush(self):
        """Wait until the data of all posted operations is sent."""
        stuck = not self._until(lambda: not self.events() & select.POLLOUT, self._limit)
        with self._mine() as handle, self._hurried(handle, stuck):
            status = lib.hcl_flush(handle)
            if status < 0:
                raise self._error(status, handle, self._limit if stuck else None)

    def requests(self):
        """The Requests of all posted operations that are not complete, oldest first.

        They include those whose calls a signal has ended before they could return the Request.
        """
        with self._mine() as handle:
            self._forget_sent(handle)
            return [posted.request(self, token) for token, posted in list(self._posted.items())
                    if posted.cookie.value]

    @property
    def failure(self):
        """The Result of the latest failure, or None."""
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
                # Record the operation before the library begins it. A signal may end this function
                # at any time, and requests() must find the operation nevertheless.
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
        """Forget operations whose data is sent, if no call has to wait for their results."""
        while self._unwaited:
            token = self._unwaited[0]
            posted = self._posted.get(token)
            if posted is not None and not (posted.cookie.value and lib.hcl_test(handle, posted.cookie.value)):
                break
            self._forget(token)
            self._unwaited.popleft()

    def _until(self, over, limit):
        """Make progress until over() is true. Returns False if nothing was sent or received for limit seconds."""
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
