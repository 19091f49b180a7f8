# SPDX-License-Identifier: GPL-2.0
"""Tasks of a node: producers put them, workers take them."""

import errno
import select
from ctypes import byref, create_string_buffer
from typing import NamedTuple

from ._arrays import address, number, readable
from ._handle import Handle
from ._native import TaskId, lib
from .names import TASK_IDEMPOTENT, TASK_MAX, TASK_REDELIVERED, TASK_REPLICATED


class Task(NamedTuple):
    """One that a worker has taken; node and number tell it from all others."""
    node: int           # where it was put
    number: int
    idempotent: bool    # its producer allows that it is executed again
    redelivered: bool   # a worker may have had it, and was not done
    replicated: bool    # a second node keeps it
    data: bytes


class Tasks(Handle):
    """Puts tasks into the queue of a node, and takes them.  What it holds when it is closed goes back to the
    queue if it may be repeated, and is lost otherwise."""

    def __init__(self, fabric, node):
        super().__init__(fabric, node, 'hcl_task_open')

    def put(self, data, idempotent=False, replicated=False):
        """Put bytes, or an array, into the queue: the node and the number of this task.

        With idempotent it is executed again if its worker ends before it is done, with replicated a second node
        keeps it, too, which says idempotent as well.
        """
        data = readable(data)
        flags = TASK_IDEMPOTENT | TASK_REPLICATED if replicated else TASK_IDEMPOTENT if idempotent else 0
        task = TaskId()
        self._soon(select.POLLOUT, 'there was no room for a task', lib.hcl_task_put, address(data), data.nbytes,
                   flags, byref(task))
        return task.node, task.nr

    def take(self, size=TASK_MAX):
        """Take the next task, of at most so many bytes."""
        size = number(size, 'a size', most=0x7fffffff)
        buffer = create_string_buffer(size or 1)
        task = TaskId()
        length = self._soon(select.POLLIN, 'no task came', lib.hcl_task_take, buffer, size, byref(task))
        return Task(task.node, task.nr, bool(task.flags & TASK_IDEMPOTENT), bool(task.flags & TASK_REDELIVERED),
                    bool(task.flags & TASK_REPLICATED), buffer.raw[:length])

    def done(self, task):
        """A task that was taken here is done: nobody executes it again."""
        self._call(lib.hcl_task_done, byref(TaskId(node=task.node, nr=task.number)))

    def _soon(self, event, what, function, *arguments):
        """Others may be faster."""
        while True:
            self._ready(event, what)
            with self._mine() as handle, self._hurried(handle):
                status = function(handle, *arguments)
                if status >= 0:
                    return status
                if status != -errno.ETIMEDOUT:
                    raise self._error(status, handle)
