# SPDX-License-Identifier: GPL-2.0
"""Plans around the faults of a fabric: found, installed, waited for."""

import time
from ctypes import byref, c_uint32
from dataclasses import dataclass
from typing import Optional

from . import _native
from ._arrays import milliseconds, number
from ._handle import SLICE, name_of
from ._native import lib
from .errors import error, known
from .names import DIM_MAX, PlanType


def _call(function, *arguments):
    status = function(*arguments)
    if status < 0:
        raise error(status, _native.sentence(lib.hcl_plan_explain))
    return status


@dataclass(frozen=True)
class Plan:
    """A plan as it was when it was installed or found; the object does not follow later changes."""

    fabric: str
    id: int
    type: PlanType
    epoch: int                  # each that is installed has another
    dim: int                    # of the fabric
    root: int                   # sink, source, or the lowest node
    count: int                  # of members
    broken: bool                # a fault has broken it
    node: Optional[int]         # where that fault lies
    dimension: Optional[int]

    @classmethod
    def _of(cls, fabric, raw):
        return cls(fabric, raw.id, PlanType.of(raw.type), raw.epoch, raw.dim, raw.root, raw.members,
                   bool(raw.broken), known(raw.cause_node), known(raw.cause_dim))

    @classmethod
    def install(cls, fabric, id, type='tree', root=None):
        """Find a plan around the present faults and install it, in place of one of this id.

        type is "tree", "bcast", "doubling" or "ring".  root is the sink of a tree (None: the best
        one) or the source of a broadcast.  Needs CAP_NET_ADMIN.
        """
        type = PlanType.parse(type, 'type of plan')
        raw = _native.Plan()
        _call(lib.hcl_plan_install, name_of(fabric), number(id, "a plan's id", least=1), type,
              _native.NONE if root is None else number(root, 'the root'), byref(raw))
        return cls._of(fabric, raw)

    @classmethod
    def get(cls, fabric, id):
        """The plan that is installed under this id."""
        raw = _native.Plan()
        _call(lib.hcl_plan_get, name_of(fabric), number(id, "a plan's id", least=1), byref(raw))
        return cls._of(fabric, raw)

    @classmethod
    def wait(cls, fabric, id, epoch=0, timeout=None):
        """Wait for a plan that somebody else installs, at most so many seconds (None: for ever).

        It has another epoch than this one (0: any epoch), and no fault has broken it.
        """
        raw = _native.Plan()
        name, id, epoch = name_of(fabric), number(id, "a plan's id", least=1), number(epoch, 'an epoch')
        end = None if timeout is None else time.monotonic() + milliseconds(timeout, 'a time limit') / 1000
        while True:
            left = SLICE if end is None else max(int((end - time.monotonic()) * 1000), 0)
            try:
                _call(lib.hcl_plan_await, name, id, epoch, min(left, SLICE), byref(raw))
                return cls._of(fabric, raw)
            except TimeoutError as late:
                if end is not None and left <= SLICE:
                    whole = f'within {milliseconds(timeout, "")} ms'
                    raise error(late.status, late.strerror.replace(f'within {left} ms', whole)) from None

    def replace(self):
        """Install a new one of this id, type and root around the present faults."""
        return self.install(self.fabric, self.id, self.type,
                            self.root if self.type in (PlanType.TREE, PlanType.BCAST) else None)

    def next(self, timeout=None):
        """Wait for the one that somebody else installs in its place."""
        return self.wait(self.fabric, self.id, self.epoch, timeout)

    def members(self):
        """The nodes of the plan that has this id now, ascending: the order of blocks."""
        nodes = (c_uint32 * (1 << DIM_MAX))()
        count = _call(lib.hcl_plan_members, name_of(self.fabric), self.id, nodes, len(nodes))
        return nodes[:count]

    def remove(self):
        """Remove it; pending operations end with ESTALE.  Needs CAP_NET_ADMIN."""
        _call(lib.hcl_plan_remove, name_of(self.fabric), self.id)
