# SPDX-License-Identifier: GPL-2.0
"""Tasks: producers put them into the queue of a node, and workers take them."""

import errno
import select
from ctypes import byref, create_string_buffer
from typing import NamedTuple

from ._arrays import address, number, readable
from ._handle import Handle
from ._native import TaskId, lib
from .names import TASK_IDEMPOTENT, TASK_MAX, TASK_REDELIVERED, TASK_REPLICATED


class Task(NamedTuple):
    """A task that a worker has taken. node and number together identify it."""
    node: int           # node at which the task was put
    number: int
    idempotent: bool    # the producer allows that the task is executed again
    redelivered: bool   # another worker may have had the task, and has not completed it
    replicated: bool    # a second node has a replica
    data: bytes


class Tasks(Handle):
    """Puts tasks into the queue of a node, and takes them as a worker. When it is closed, tasks that it has taken
    and not completed return to the queue if they are idempotent; the others are lost."""

    def __init__(self, fabric, node):
        super().__init__(fabric, node, 'hcl_task_open')

    def put(self, data, idempotent=False, replicated=False):
        """Put bytes, or an array, into the queue. Returns the node and the number of the task.

        idempotent: the task is executed again if its worker ends before the task is done. replicated: a second
        node also has a replica of the task; this implies idempotent.
        """
        data = readable(data)
        flags = TASK_IDEMPOTENT | TASK_REPLICATED if replicated else TASK_IDEMPOTENT if idempotent else 0
        task = TaskId()
        self._soon(select.POLLOUT, 'there was no room for a task', lib.hcl_task_put, address(data), data.nbytes,
                   flags, byref(task))
        return task.node, task.nr

    def take(self, size=TASK_MAX):
        """Take the next task, which may have at most size bytes."""
        size = number(size, 'a size', most=0x7fffffff)
        buffer = create_string_buffer(size or 1)
        task = TaskId()
        length = self._soon(select.POLLIN, 'no task came', lib.hcl_task_take, buffer, size, byref(task))
        return Task(task.node, task.nr, bool(task.flags & TASK_IDEMPOTENT), bool(task.flags & TASK_REDELIVERED),
                    bool(task.flags & TASK_REPLICATED), buffer.raw[:length])

    def done(self, task):
        """Report that a task that was taken here is done, so that no worker executes it again."""
        self._call(lib.hcl_task_done, byref(TaskId(node=task.node, nr=task.number)))

    def _soon(self, event, what, function, *arguments):
        """Call a function when it can succeed, and wait again if another process was faster."""
        while True:
            self._ready(event, what)
            with self._mine() as handle, self._hurried(handle):
                status = function(handle, *arguments)
                if status >= 0:
                    return status
                if status != -errno.ETIMEDOUT:
                    raise self._error(status, handle)
