# SPDX-License-Identifier: GPL-2.0
"""Guards of plans: a plan that a fault breaks is planned and installed again."""

import os
from ctypes import byref, c_void_p

from . import _native
from ._arrays import number
from ._handle import Single, name_of
from ._native import lib
from .errors import error
from .plan import Plan


class Guard(Single):
    """Guards a plan for as long as this program runs, or until end(), or the end of a with block.

    Guard(fabric, plan) starts "hcctl guard" as a child process; see hcctl-guard(8).  The plan must be
    a guarded one ("hcctl tree find .. guard 5s").  When a fault breaks it, its next epoch is computed
    and installed, for which its members wait.  Needs CAP_NET_ADMIN, or to be the user of the plan
    ("hcctl plan set .. guard-uid").
    """

    _raw = None

    def __init__(self, fabric, plan):
        self.fabric = fabric
        self.plan = plan.id if isinstance(plan, Plan) else number(plan, "a plan's id", least=1)
        self._said = b''
        self._pid = os.getpid()
        raw = c_void_p()
        status = lib.hcl_guard(byref(raw), name_of(fabric), self.plan)
        if status < 0:
            raise error(status, _native.sentence(lib.hcl_plan_explain))
        self._raw = raw

    def __repr__(self):
        return f'<Guard of plan {self.plan} of {self.fabric}{"" if self._raw else ", ended"}>'

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def fileno(self):
        """A descriptor for select and the like: readable when the guard has said something, or has ended."""
        if self._raw is None:
            raise ValueError('the guard has ended')
        return lib.hcl_guard_fd(self._raw)

    def complaints(self):
        """The lines that it has said since the last call: why the plan could not be planned again for now."""
        while True:
            try:
                more = os.read(self.fileno(), 4096)
            except BlockingIOError:
                break
            if not more:
                break
            self._said += more
        *lines, self._said = self._said.split(b'\n')
        return [line.decode('utf-8', 'replace') for line in lines]

    def end(self):
        """End it; the plan stays as it is.  Once more does nothing.

        Raises Error with ECHILD if it had ended before, as the fabric was removed or it was killed.
        """
        status = self._end()
        if status < 0:
            raise error(status, _native.sentence(lib.hcl_plan_explain))

    def _end(self):
        raw, self._raw = self._raw, None
        # A guard is a child of the process that has begun it, not of one that was forked from that.
        return lib.hcl_guard_end(raw) if raw and self._pid == os.getpid() else 0

    __del__ = _end
