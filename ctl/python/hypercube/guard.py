# SPDX-License-Identifier: GPL-2.0
"""Guards of plans: when a fault breaks a plan, its guard makes and installs the next epoch."""

import os
from ctypes import byref, c_void_p

from . import _native
from ._arrays import number
from ._handle import Single, name_of
from ._native import lib
from .errors import error
from .plan import Plan


class Guard(Single):
    """Guards a plan until end(), the end of a with block, or the end of this program.

    Guard(fabric, plan) starts "hcctl guard" as a child process, see hcctl-guard(8). The plan must be
    a guarded plan ("hcctl tree find .. guard 5s"). When a fault breaks it, its members wait until the
    guard has computed and installed the next epoch. The process needs CAP_NET_ADMIN, or its user must be
    the one who may guard the plan ("hcctl plan set .. guard-uid").
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
        """A descriptor for select or poll. It is readable when the guard has printed a line or has ended."""
        if self._raw is None:
            raise ValueError('the guard has ended')
        return lib.hcl_guard_fd(self._raw)

    def complaints(self):
        """The lines that the guard has printed since the last call: why no next epoch is possible at present."""
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
        """End the guard. The plan is unchanged. Further calls do nothing.

        Raises Error with ECHILD if the guard had already ended, because the fabric was removed or the guard was killed.
        """
        status = self._end()
        if status < 0:
            raise error(status, _native.sentence(lib.hcl_plan_explain))

    def _end(self):
        raw, self._raw = self._raw, None
        # The guard is a child of the process that has started it. A process that was forked later cannot wait for it.
        return lib.hcl_guard_end(raw) if raw and self._pid == os.getpid() else 0

    __del__ = _end
