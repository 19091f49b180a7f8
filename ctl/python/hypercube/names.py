# SPDX-License-Identifier: GPL-2.0
"""Names for the numbers of linux/hypercube.h that programs use."""

import enum


class _Named(enum.IntEnum):
    """An enumeration whose members can be found by number, or by the name that hcctl(8) uses."""

    @classmethod
    def parse(cls, value, what):
        """The member that value is, or whose number or name it is. ValueError lists the members."""
        try:
            return cls[value.upper()] if isinstance(value, str) else cls(value)
        except (KeyError, ValueError):
            names = ' '.join(member.name.lower() for member in cls)
            raise ValueError(f'there is no {what} {value!r}: {names}') from None

    @classmethod
    def of(cls, number):
        """The member with this number; the number itself if only a newer module has such a member."""
        return number if number not in list(cls) else cls(number)


class Collective(_Named):
    """Collectives."""
    REDUCE = 1
    BCAST = 2
    ALLREDUCE = 3
    BARRIER = 4
    GATHER = 5
    SCATTER = 6
    ALLGATHER = 7
    ALLTOALL = 8
    REDUCE_SCATTER = 9


class Deliver(_Named):
    """Which of the messages that were sent in copies a node receives."""
    AGREED = 0
    MAJORITY = 1
    REPORT = 2


class Outcome(_Named):
    """Results of the vote on the copies of a message."""
    AGREED = 1
    INCOMPLETE = 2
    OUTVOTED = 3
    UNDECIDED = 4


class Oper(_Named):
    """Operators of reductions."""
    SUM = 1
    PROD = 2
    MIN = 3
    MAX = 4
    AND = 5
    OR = 6
    XOR = 7
    MINLOC = 8
    MAXLOC = 9
    MERGE = 10


class Type(_Named):
    """Types of elements."""
    U8 = 1
    U16 = 2
    U32 = 3
    U64 = 4
    I8 = 5
    I16 = 6
    I32 = 7
    I64 = 8
    F32 = 9
    F64 = 10
    RECORD = 11
    F16 = 12
    BF16 = 13


class PlanType(_Named):
    """Types of plans."""
    TREE = 1
    BCAST = 2
    DOUBLING = 3
    RING = 4
    SPAN = 5


# Flags of operations and of tasks, and limits
F_NOTIFY = 1
TASK_MAX = 65536
TASK_IDEMPOTENT = 1
TASK_REDELIVERED = 2
TASK_REPLICATED = 4
RECORD_MAX = 256
SEGMENT_MAX = 32768
DIM_MAX = 12
