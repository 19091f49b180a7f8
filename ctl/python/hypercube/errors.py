# SPDX-License-Identifier: GPL-2.0
"""How operations end: results, and exceptions that carry their cause."""

import errno
from typing import NamedTuple, Optional

from . import _native
from .names import Collective

_NO_OPERATION = 0xffffffffffffffff


def known(number):
    """A node or a dimension, or None."""
    return None if number == _native.NONE else number


class Result(NamedTuple):
    """How an operation ended; str() says it in words."""
    status: int                 # 0 or a negative errno
    plan: int
    operation: Optional[int]    # its number within the plan
    cookie: int                 # that of the Request
    bytes: int                  # of the whole result
    steps: int                  # parallel steps
    clock: int                  # length of the longest chain of frames
    time: int                   # ns, modelled
    node: Optional[int]         # where the cause of a failure lies
    dimension: Optional[int]    # of the faulty link
    collective: Optional[Collective]
    places: tuple = ()          # the nodes whose blocks an allgather has brought, if not those of all members
    restarts: int = 0           # how often it was begun again, in another epoch of a guarded plan

    @classmethod
    def of(cls, raw, places=()):
        """From a struct hypercube_result."""
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
    """What the library or the kernel refused, or how an operation failed.

    errno and strerror are those of every OSError; strerror says in words what is known.

    status      the negative errno, as the library has it
    node        where the cause lies, or None
    dimension   the cause is this link of the node, or None
    plan        id of the plan, or None
    collective  a Collective, or None
    missing     the nodes that are gone whose blocks the result of an allgather lacks, a list
    places      all nodes for whose blocks it has places, in their order; [] if none are missing
    over        False: a time limit has ended a call, but the operation goes on
    request     that operation, or None
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
        # A request belongs to this process.
        return type(self), (self.errno, self.strerror), {**self.__dict__, 'request': None}


class Timeout(Error, TimeoutError):
    """A time limit, or a member that did not answer (over tells them apart)."""


class Denied(Error, PermissionError):
    """The rights do not suffice."""


_CLASSES = {errno.ETIMEDOUT: Timeout, errno.EACCES: Denied, errno.EPERM: Denied}


def error(status, words, result=None):
    """The exception for a negative errno."""
    return _CLASSES.get(-status, Error)(-status, words, result)
