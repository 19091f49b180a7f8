# SPDX-License-Identifier: GPL-2.0
"""The base class of all objects that have a handle of the library: opening, closing, calls, time limits."""

import contextlib
import errno
import select
import threading
from ctypes import byref, c_void_p

from . import _native
from ._arrays import milliseconds, number
from ._native import lib
from .errors import Result, error

# While a call waits, Python handles signals at this interval, in ms.
SLICE = 200


def name_of(fabric):
    """The name of a fabric as bytes, for the library."""
    if not isinstance(fabric, str):
        raise TypeError(f'the name of a fabric is a str, not {type(fabric).__name__}')
    if '\0' in fabric:
        raise ValueError('the name of a fabric has a NUL in it')
    return fabric.encode('utf-8', 'surrogateescape')


class Single:
    """An object that cannot be copied, because two copies would close the same handle twice."""

    def __reduce_ex__(self, _):
        raise TypeError(f'a {type(self).__name__} belongs to one process, and cannot be copied or pickled')


class _Open(Single, c_void_p):
    """The library's handle. It is closed only after the last call that uses it."""

    arrays = None       # the arrays that the library reads and fills

    def close(self):
        handle, self.value = self.value, None
        if handle is not None:
            lib.hcl_close(c_void_p(handle))

    __del__ = close


class Handle(Single):
    """An open handle. Only one thread at a time may use it; a second thread gets RuntimeError."""

    _handle = None

    def __init__(self, fabric, node, function, *arguments):
        self._name(fabric, node)
        handle = _Open()
        status = getattr(lib, function)(byref(handle), name_of(fabric), self.node, *arguments)
        if status < 0:
            raise self._error(status, None)
        self._handle = handle

    def _name(self, fabric, node):
        self._owner = {}        # entry 0: the thread that is in a call, as the only entry of a list
        self._limit = None
        self.fabric = fabric
        self.node = number(node, 'node')

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __repr__(self):
        return f'<{type(self).__name__} {self.node} of {self.fabric}{", closed" if self.closed else ""}>'

    def close(self):
        """Close the handle, and forget the operations that were posted. Further calls do nothing."""
        if self._handle is None:
            return
        # If this call is in a signal handler, the interrupted call of the same thread closes the handle at its end.
        within = self._owner.get(0) == [threading.get_ident()]
        with self._mine(closing=True) as handle:
            self._handle = None
            if handle is not None and not within:
                handle.close()

    @property
    def closed(self):
        """True if close() was called."""
        return self._handle is None

    def fileno(self):
        """A descriptor for select or poll. It is readable when progress may be possible."""
        return self._call(lib.hcl_fd)

    @property
    def timeout(self):
        """The time, in seconds, after which a call fails if nothing was sent or received; None: no limit."""
        return self._limit

    @timeout.setter
    def timeout(self, seconds):
        if seconds is not None and not milliseconds(seconds, 'a time limit'):
            raise ValueError('a time limit of 0 s: None is none')
        self._limit = seconds

    def set_buffers(self, send=0, receive=0):
        """Set the sizes of the sockets' buffers, in bytes; 0: do not change the size."""
        self._call(lib.hcl_set_buffers, number(send, 'a buffer', most=0x7fffffff),
                   number(receive, 'a buffer', most=0x7fffffff))

    # --- within ---------------------------------------------------------------------------

    @contextlib.contextmanager
    def _mine(self, closing=False):
        """Reserve the handle for this thread, for a call and for reading the reason of its failure."""
        mine = [threading.get_ident()]
        try:
            # setdefault() tests and sets the owner in one step. A signal handler of the thread that is the
            # owner may use the handle. So may the thread itself, if a signal has ended this function after it
            # had set the owner.
            if self._owner.setdefault(0, mine) != mine:
                raise RuntimeError(f'{self!r} is in use by another thread')
            if self._handle is None and not closing:
                raise ValueError(f'node {self.node} of {self.fabric} is closed')
            yield self._handle
        finally:
            if self._owner.get(0) is mine:
                self._owner.clear()

    @staticmethod
    @contextlib.contextmanager
    def _hurried(handle, yes=True):
        """Make the library's calls wait for at most 1 ms. The time limit of this object has passed or is observed
        by the caller; the library does not know it."""
        if yes:
            lib.hcl_set_timeout(handle, 1)
        try:
            yield
        finally:
            if yes:
                lib.hcl_set_timeout(handle, 0)

    @staticmethod
    def _error(status, handle, limit=None):
        """The exception for a status that a call has returned. limit: the time limit that has passed, if any."""
        raw = lib.hcl_failure(handle).contents
        words = _native.sentence(lib.hcl_explain, handle)
        if limit is not None:
            words = words.replace('within 1 ms', f'within {milliseconds(limit, "")} ms', 1)
        return error(status, words, Result.of(raw) if raw.status else None)

    def _call(self, function, *arguments):
        """Call a function of the library. Returns its status, or raises Error."""
        with self._mine() as handle:
            status = function(handle, *arguments)
            if status < 0:
                raise self._error(status, handle)
            return status

    def _ready(self, event, what):
        """Wait until the descriptor has the event, by poll(), which signals can interrupt."""
        poll = select.poll()
        poll.register(self.fileno(), event)
        ms = None if self._limit is None else milliseconds(self._limit, '')
        if not poll.poll(ms):
            raise error(-errno.ETIMEDOUT, f'{what} within {ms} ms')
