# SPDX-License-Identifier: GPL-2.0
"""How operations end: results, and exceptions that carry their cause."""

import errno
from typing import NamedTuple, Optional

from . import _native
from .names import Collective

_NO_OPERATION = 0xffffffffffffffff


def known(number):
    """The number of a node or of a dimension, or None if it is unknown."""
    return None if number == _native.NONE else number


class Result(NamedTuple):
    """The outcome of an operation. str() describes it in a sentence."""
    status: int                 # 0 or a negative errno
    plan: int
    operation: Optional[int]    # number of the operation within the plan
    cookie: int                 # id of the Request
    bytes: int                  # length of the whole result
    steps: int                  # parallel steps
    clock: int                  # number of frames in the longest chain of dependent frames
    time: int                   # time in the time model, ns
    node: Optional[int]         # node of the fault that caused a failure
    dimension: Optional[int]    # dimension of the faulty link
    collective: Optional[Collective]
    places: tuple = ()          # nodes whose blocks the result of an allgather has, if some members' blocks are missing
    restarts: int = 0           # how often the operation began again, in another epoch of a guarded plan

    @classmethod
    def of(cls, raw, places=()):
        """Convert a struct hypercube_result."""
        return cls(raw.status, raw.plan, None if raw.op == _NO_OPERATION else raw.op, raw.cookie,
                   raw.bytes, raw.steps, raw.clock, raw.time, known(raw.cause_node),
                   known(raw.cause_dim), Collective.of(raw.collective) if raw.collective else None, tuple(places),
                   raw.restarts)

    def __str__(self):
        none = _native.NONE
        raw = _native.Result(status=self.status, steps=self.steps, time=self.time,
                             cause_node=none if self.node is None else self.node,
                             cause_dim=none if self.dimension is None else self.dimension)
        return _native.sentence(_native.lib.hcl_describe, raw)


class Error(OSError):
    """A call that the library or the kernel refused, or an operation that failed.

    errno and strerror are as in every OSError; strerror describes the failure in a sentence.

    status      the negative errno that the library returned
    node        node of the fault that is the cause, or None
    dimension   dimension of the node's link that is the cause, or None
    plan        id of the plan, or None
    collective  a Collective, or None
    missing     list of the nodes that have left and whose blocks the result of an allgather lacks
    places      all nodes for whose blocks that result has places, in order; [] if none are missing
    over        False: a time limit has ended the call, but the operation continues
    request     the Request of the operation that continues, or None
    """

    def __init__(self, number, words, result=None):
        super().__init__(number, words)
        self.status = -number
        self.node = result.node if result else None
        self.dimension = result.dimension if result else None
        self.plan = (result.plan or None) if result else None
        self.collective = result.collective if result else None
        self.missing = []
        self.places = []
        self.over = True
        self.request = None

    def __str__(self):
        return str(self.strerror)

    def __reduce__(self):
        # The Request is left out, because it belongs to this process.
        return type(self), (self.errno, self.strerror), {**self.__dict__, 'request': None}


class Timeout(Error, TimeoutError):
    """A time limit has ended the call (over is False), or a member did not answer (over is True)."""


class Denied(Error, PermissionError):
    """The process does not have the necessary rights."""


_CLASSES = {errno.ETIMEDOUT: Timeout, errno.EACCES: Denied, errno.EPERM: Denied}


def error(status, words, result=None):
    """The exception for a negative errno; words is its message."""
    return _CLASSES.get(-status, Error)(-status, words, result)
