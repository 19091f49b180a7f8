# SPDX-License-Identifier: GPL-2.0
"""Finding and installing plans around the faults of a fabric, and waiting for plans."""

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
    """The state of a plan when it was installed or read. Later changes of the plan do not change the object."""

    fabric: str
    id: int
    type: PlanType
    epoch: int                  # another number each time that a plan is installed under this id
    dim: int                    # dimension of the fabric
    root: int                   # sink or source; of recursive doubling, the lowest node
    count: int                  # number of members
    broken: bool                # a fault has broken it
    node: Optional[int]         # node of that fault
    dimension: Optional[int]    # dimension of the faulty link

    @classmethod
    def _of(cls, fabric, raw):
        return cls(fabric, raw.id, PlanType.of(raw.type), raw.epoch, raw.dim, raw.root, raw.members,
                   bool(raw.broken), known(raw.cause_node), known(raw.cause_dim))

    @classmethod
    def install(cls, fabric, id, type='tree', root=None):
        """Find a plan around the present faults, and install it. It replaces a plan of the same id.

        type is "tree", "bcast", "doubling" or "ring". root is the sink of a tree (None: the best
        one) or the source of a broadcast. The process needs CAP_NET_ADMIN.
        """
        type = PlanType.parse(type, 'type of plan')
        raw = _native.Plan()
        _call(lib.hcl_plan_install, name_of(fabric), number(id, "a plan's id", least=1), type,
              _native.NONE if root is None else number(root, 'the root'), byref(raw))
        return cls._of(fabric, raw)

    @classmethod
    def get(cls, fabric, id):
        """The installed plan that has this id."""
        raw = _native.Plan()
        _call(lib.hcl_plan_get, name_of(fabric), number(id, "a plan's id", least=1), byref(raw))
        return cls._of(fabric, raw)

    @classmethod
    def wait(cls, fabric, id, epoch=0, timeout=None):
        """Wait until another process has installed the plan, for at most timeout seconds (None: no limit).

        The plan must have another epoch than epoch (0: any epoch), and must not be broken.
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
        """Install a new plan with the same id, type and root, around the present faults."""
        return self.install(self.fabric, self.id, self.type,
                            self.root if self.type in (PlanType.TREE, PlanType.BCAST) else None)

    def next(self, timeout=None):
        """Wait until another process has installed the next epoch of this plan."""
        return self.wait(self.fabric, self.id, self.epoch, timeout)

    def members(self):
        """The members of the plan that has this id at present, ascending. Blocks are in this order."""
        nodes = (c_uint32 * (1 << DIM_MAX))()
        count = _call(lib.hcl_plan_members, name_of(self.fabric), self.id, nodes, len(nodes))
        return nodes[:count]

    def remove(self):
        """Remove the plan. Pending operations fail with ESTALE. The process needs CAP_NET_ADMIN."""
        _call(lib.hcl_plan_remove, name_of(self.fabric), self.id)
