# SPDX-License-Identifier: GPL-2.0
"""Collectives over a fabric of the hypercube kernel module, with numpy arrays.

    import numpy, hypercube

    plan = hypercube.Plan.install('hc0', 1)
    with hypercube.Node('hc0', 3) as node:
        total = node.allreduce(numpy.arange(4.0), 'sum', plan)

A Node contributes to collectives at a node of a fabric. A Request is an operation that a Node has begun.
Plan finds and installs plans around faults. A Guard installs a plan again when a fault breaks it. A
Communicator is a list of nodes, each of which has a rank. Messages sends messages from node to node. Tasks
puts tasks into the queue of a node, and takes them as a worker. A call that fails raises Error, which names
the cause. The package is based on libhypercube(3) and libhypercube-plan(3).
"""

from ._arrays import loc, loc_dtype
from ._version import __version__
from .communicator import Communicator
from .errors import Denied, Error, Result, Timeout
from .guard import Guard
from .messages import Messages, Vote
from .names import Collective, Deliver, Outcome, Oper, PlanType, Type
from .node import Node
from .plan import Plan
from .request import Request
from .tasks import Task, Tasks

__all__ = ['Collective', 'Communicator', 'Deliver', 'Denied', 'Error', 'Guard', 'Outcome', 'Messages', 'Node', 'Oper', 'Plan',
           'PlanType', 'Request', 'Result', 'Task', 'Tasks', 'Timeout', 'Type', 'Vote', '__version__', 'loc', 'loc_dtype']
