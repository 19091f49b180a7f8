# SPDX-License-Identifier: GPL-2.0
"""Collectives over a fabric of the hypercube kernel module, with numpy arrays.

    import numpy, hypercube

    plan = hypercube.Plan.install('hc0', 1)
    with hypercube.Node('hc0', 3) as node:
        total = node.allreduce(numpy.arange(4.0), 'sum', plan)

Node contributes at a node of a fabric, Request is an operation that it has begun, Plan finds and
installs plans around faults, Guard installs them again, Communicator is some nodes, each with a rank, Messages go from node to node,
Tasks wait at nodes for workers.  What fails raises Error, which names the cause.  The libraries underneath
are libhypercube(3) and libhypercube-plan(3).
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
