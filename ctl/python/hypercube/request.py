# SPDX-License-Identifier: GPL-2.0
"""Operations that were posted and for which a program can wait."""

import errno
from ctypes import byref, c_uint32

from . import _native
from ._arrays import filled, flat
from ._handle import Single
from ._native import lib
from .errors import Result, error
from .names import DIM_MAX, Collective


class Request(Single):
    """An operation that is under way. Its arrays are in use until it is complete."""

    def __init__(self, node, cookie, token, out, part=None):
        self.node = node
        self.result = None      # a Result, after wait() has returned
        self._cookie = cookie   # 0 before the library has begun the operation
        self._token = token
        self._out = out
        self._part = part       # if out is padded: the array that gets the beginning of out
        # The outcome. The library returns it only once, and a signal may end wait() after that.
        self._raw = _native.Result()
        self._error = None
        self._waited = False

    def __repr__(self):
        return f'<Request {self.id} at {self.node!r}>'

    @property
    def id(self):
        """The number that the library has given to the operation: the cookie of its Result."""
        return self._cookie.value

    @property
    def over(self):
        """True if wait() would return at once. Unlike test(), this makes no progress."""
        return self._waited or bool(self.node._call(lib.hcl_test, self.id))

    def test(self):
        """Make progress without waiting. Returns True if wait() would return at once."""
        if not self.over:
            self.node.progress(0)
        return self.over

    def wait(self, timeout=...):
        """Wait until the operation is complete.

        Returns the array with the result, or if the result is shorter than the array, the part of the
        array that is filled; None if this member gets no result. Raises Error if the operation has
        failed. Raises Timeout if no data was sent or received for timeout seconds (None: no limit; by
        default the node's time limit); after that, wait() may be called again.
        """
        if not self._waited:
            self._finish(self.node.timeout if timeout is ... else timeout)
        if self._error is not None:
            raise self._error
        if self._part is not None:
            return self._part
        return None if self._out is None else filled(self._out, self.result.bytes)

    def missing(self):
        """A list of the members that have not begun to contribute.

        After wait(): the members whose blocks the result lacks.
        """
        if self._waited:
            return self._error.missing if self._error else []
        return self._nodes(lib.hcl_pending_members)

    def _nodes(self, function):
        nodes = (c_uint32 * (1 << DIM_MAX))()
        count = self.node._call(function, self.id, nodes, len(nodes))
        return nodes[:count]

    def _finish(self, limit):
        stuck = not self.node._until(lambda: self.over, limit)
        # If the time limit has passed, hcl_wait() is only called for its error, which names the cause.
        raw = _native.Result() if stuck else self._raw
        with self.node._mine() as handle, self.node._hurried(handle, stuck):
            # The collective is set if a signal has ended an earlier wait() after hcl_wait() had filled in the result.
            if raw.collective:
                failure = error(raw.status, str(Result.of(raw)), Result.of(raw)) if raw.status < 0 else None
            else:
                status = lib.hcl_wait(handle, self.id, byref(raw))
                failure = self.node._error(status, handle, limit if stuck else None) if status < 0 else None
            # hcl_test() returns 1 if the library has forgotten the operation, so it is complete.
            forgotten = bool(lib.hcl_test(handle, self.id))
        if not forgotten:
            failure.over = failure.errno != errno.ETIMEDOUT
            failure.request = self
            raise failure
        if failure is not None and failure.errno == errno.EHOSTUNREACH:
            failure.missing, failure.places = self._nodes(lib.hcl_pending_members), self._nodes(lib.hcl_result_members)
        if failure is None and self._part is not None:
            failure = self._cut(Result.of(raw))
        few = failure is None and raw.collective == Collective.ALLGATHER
        result = Result.of(raw, self._nodes(lib.hcl_result_members) if few else ())
        self.result, self._error, self._waited = result, failure, True
        self.node._forget(self._token)

    def _cut(self, result):
        """Copy the beginning of the padded block to self._part. Returns an error if the block has another length."""
        if result.bytes != self._out.nbytes:
            return error(-errno.EPROTO, 'the plan has another number of members than counts has blocks', result)
        flat(self._part)[:] = flat(self._out)[:self._part.size]
        return None
