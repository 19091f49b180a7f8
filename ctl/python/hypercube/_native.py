# SPDX-License-Identifier: GPL-2.0
"""The interface to the libraries, by ctypes: their structures, and the prototypes of their functions."""

import ctypes
from ctypes import (POINTER, c_char_p, c_int, c_int32, c_long, c_short, c_size_t, c_uint, c_uint8,
                    c_uint32, c_uint64, c_void_p)

from .names import DIM_MAX

# An unknown node or dimension; as the root of a plan: HCL_PLAN_ANY
NONE = 0xffffffff
# Size of the buffer for a sentence, in bytes
SENTENCE = 256
# Maximum number of sets of nodes in a struct hcl_suspects
SUSPECTS_MAX = 32

_HANDLE = c_void_p
_COMM = c_void_p
_GUARD = c_void_p
_NODES = POINTER(c_uint32)


class Params(ctypes.Structure):
    """struct hcl_params"""
    _fields_ = [('plan', c_uint32), ('oper', c_uint8), ('type', c_uint8), ('flags', c_uint8),
                ('collective', c_uint8), ('width', c_uint32)]


class Result(ctypes.Structure):
    """struct hypercube_result"""
    _fields_ = [('status', c_int32), ('plan', c_uint32), ('op', c_uint64), ('cookie', c_uint64),
                ('bytes', c_uint64), ('steps', c_uint32), ('clock', c_uint32), ('time', c_uint64),
                ('cause_node', c_uint32), ('cause_dim', c_uint32), ('collective', c_uint32),
                ('restarts', c_uint32)]


class Vote(ctypes.Structure):
    """struct hypercube_vote"""
    _fields_ = [('outcome', c_uint32), ('copies', c_uint32), ('mismatch', c_uint32),
                ('missing', c_uint32), ('nr', c_uint64)]


class Path(ctypes.Structure):
    """struct hypercube_path"""
    _fields_ = [('copy', c_uint8), ('hops', c_uint8), ('mismatch', c_uint8),
                ('reserved', c_uint8), ('dim', c_uint8 * 64)]


class Told(ctypes.Structure):
    """struct hcl_vote"""
    _fields_ = [('vote', Vote), ('npaths', c_uint), ('path', Path * 12)]


class Group(ctypes.Structure):
    """struct hcl_comm_group"""
    _fields_ = [('fabric', c_char_p), ('nodes', POINTER(c_uint32)), ('n', c_uint32), ('plan', c_uint32),
                ('guard_ms', c_uint), ('wait_ms', c_uint)]


class TaskId(ctypes.Structure):
    """struct hypercube_task"""
    _fields_ = [('node', c_uint32), ('flags', c_uint32), ('nr', c_uint64)]


class Plan(ctypes.Structure):
    """struct hcl_plan"""
    _fields_ = [('id', c_uint32), ('type', c_uint32), ('epoch', c_uint32), ('dim', c_uint32),
                ('root', c_uint32), ('members', c_uint32), ('broken', c_uint32),
                ('cause_node', c_uint32), ('cause_dim', c_uint32)]


class Pair(ctypes.Structure):
    """struct hcl_pair"""
    _fields_ = [('plan', c_uint32 * 2), ('dim', c_uint32), ('segment', c_uint32),
                ('relays', _NODES * 2)]


class Check(ctypes.Structure):
    """struct hcl_check"""
    _fields_ = [('segments', c_uint64), ('offset', c_uint64), ('length', c_uint64),
                ('wrong', c_uint32), ('res', Result * 2)]


class Suspects(ctypes.Structure):
    """struct hcl_suspects"""
    _fields_ = [('byzantine', c_uint32), ('n', c_uint32), ('others', c_uint32),
                ('node', c_uint32 * (2 * SUSPECTS_MAX)), ('agreed', c_uint32),
                ('npairs', c_uint32), ('digest', c_uint64 * (2 * DIM_MAX))]


class Checked(ctypes.Structure):
    """struct hcl_checked"""
    _fields_ = [('best', Pair), ('members', c_uint32), ('nunseen', c_uint32), ('unseen', _NODES),
                ('npairs', c_uint32), ('pair', Pair * DIM_MAX), ('dimension', c_uint32 * DIM_MAX)]


# For each library: its functions, with the types of their results and arguments
PROTOTYPES = {
    'libhypercube.so.0': {
        'hcl_open': (c_int, [POINTER(_HANDLE), c_char_p, c_uint32]),
        'hcl_open_plan': (c_int, [POINTER(_HANDLE), c_char_p, c_uint32, c_uint32]),
        'hcl_open_plans': (c_int, [POINTER(_HANDLE), c_char_p, c_uint32, c_uint32]),
        'hcl_close_plan': (c_int, [_HANDLE, c_uint32]),
        'hcl_open_dgram': (c_int, [POINTER(_HANDLE), c_char_p, c_uint32]),
        'hcl_close': (None, [_HANDLE]),
        'hcl_fd': (c_int, [_HANDLE]),
        'hcl_set_buffers': (c_int, [_HANDLE, c_int, c_int]),
        'hcl_set_timeout': (c_int, [_HANDLE, c_uint]),
        'hcl_post': (c_int, [_HANDLE, POINTER(Params), c_void_p, c_size_t, c_void_p, c_size_t,
                             POINTER(c_uint64)]),
        'hcl_progress': (c_int, [_HANDLE, c_int]),
        'hcl_events': (c_short, [_HANDLE]),
        'hcl_test': (c_int, [_HANDLE, c_uint64]),
        'hcl_wait': (c_int, [_HANDLE, c_uint64, POINTER(Result)]),
        'hcl_pending_members': (c_int, [_HANDLE, c_uint64, _NODES, c_size_t]),
        'hcl_result_members': (c_int, [_HANDLE, c_uint64, _NODES, c_size_t]),
        'hcl_flush': (c_int, [_HANDLE]),
        'hcl_failure': (POINTER(Result), [_HANDLE]),
        'hcl_explain': (c_char_p, [_HANDLE, c_void_p, c_size_t]),
        'hcl_send': (c_int, [_HANDLE, c_uint32, c_void_p, c_size_t]),
        'hcl_recv': (c_long, [_HANDLE, _NODES, c_void_p, c_size_t]),
        'hcl_recv_vote': (c_long, [_HANDLE, _NODES, c_void_p, c_size_t, POINTER(Told)]),
        'hcl_set_copies': (c_int, [_HANDLE, c_uint, c_uint]),
        'hcl_set_deliver': (c_int, [_HANDLE, c_uint, c_uint]),
        'hcl_paths': (c_int, [_HANDLE, c_uint32]),
        'hcl_task_open': (c_int, [POINTER(_HANDLE), c_char_p, c_uint32]),
        'hcl_task_put': (c_int, [_HANDLE, c_void_p, c_size_t, c_uint, POINTER(TaskId)]),
        'hcl_task_take': (c_long, [_HANDLE, c_void_p, c_size_t, POINTER(TaskId)]),
        'hcl_task_done': (c_int, [_HANDLE, POINTER(TaskId)]),
        'hcl_checked_allreduce': (c_int, [_HANDLE, POINTER(Params), POINTER(Pair), c_void_p, c_size_t,
                                          c_void_p, POINTER(Check)]),
        'hcl_checked_reduce': (c_int, [_HANDLE, POINTER(Params), POINTER(Pair), c_void_p, c_size_t,
                                       c_void_p, POINTER(Check)]),
        'hcl_checked_bcast': (c_int, [_HANDLE, POINTER(Pair), c_uint32, c_void_p, c_size_t,
                                      POINTER(Check)]),
        'hcl_checked_locate': (c_int, [_HANDLE, POINTER(Params), POINTER(Pair), c_uint, c_void_p,
                                       c_size_t, POINTER(Suspects)]),
        'hcl_checked_locate_of': (c_int, [POINTER(Pair), c_uint, POINTER(Suspects), c_uint,
                                    POINTER(Suspects)]),
        'hcl_checked_describe': (c_char_p, [POINTER(Suspects), c_void_p, c_size_t]),
        'hcl_describe': (c_char_p, [POINTER(Result), c_void_p, c_size_t]),
        'hcl_elem_size': (c_int, [c_uint, c_uint, c_uint]),
        'hcl_divide': (c_int, [c_uint, c_void_p, c_size_t, c_uint32]),
    },
    'libhypercube-plan.so.0': {
        'hcl_plan_install': (c_int, [c_char_p, c_uint32, c_uint32, c_uint32, POINTER(Plan)]),
        'hcl_plan_install_members': (c_int, [c_char_p, c_uint32, _NODES, c_size_t, c_uint, POINTER(Plan)]),
        'hcl_plan_get': (c_int, [c_char_p, c_uint32, POINTER(Plan)]),
        'hcl_plan_await': (c_int, [c_char_p, c_uint32, c_uint32, c_uint, POINTER(Plan)]),
        'hcl_plan_members': (c_int, [c_char_p, c_uint32, _NODES, c_size_t]),
        'hcl_plan_remove': (c_int, [c_char_p, c_uint32]),
        'hcl_guard': (c_int, [POINTER(_GUARD), c_char_p, c_uint32]),
        'hcl_guard_fd': (c_int, [_GUARD]),
        'hcl_guard_end': (c_int, [_GUARD]),
        'hcl_checked_install': (c_int, [c_char_p, c_uint32, c_uint32, POINTER(POINTER(Checked))]),
        'hcl_checked_get': (c_int, [c_char_p, c_uint32, POINTER(POINTER(Checked))]),
        'hcl_checked_free': (None, [POINTER(Checked)]),
        'hcl_checked_remove': (c_int, [c_char_p, POINTER(Checked)]),
        'hcl_comm_create': (c_int, [POINTER(_COMM), POINTER(Group), c_uint32]),
        'hcl_comm_split': (c_int, [_COMM, c_int32, c_int32, POINTER(_COMM)]),
        'hcl_comm_dup': (c_int, [_COMM, POINTER(_COMM)]),
        'hcl_comm_free': (None, [_COMM]),
        'hcl_comm_handle': (_HANDLE, [_COMM]),
        'hcl_comm_plan': (c_uint32, [_COMM]),
        'hcl_comm_size': (c_uint32, [_COMM]),
        'hcl_comm_rank': (c_uint32, [_COMM]),
        'hcl_comm_node': (c_uint32, [_COMM, c_uint32]),
        'hcl_comm_explain': (c_char_p, [c_void_p, c_size_t]),
        'hcl_plan_explain': (c_char_p, [c_void_p, c_size_t]),
    },
}


def load(prototypes):
    """Load the libraries. Returns an object that has their functions as attributes."""
    functions = type('functions', (), {})()
    for library, its in prototypes.items():
        try:
            loaded = ctypes.CDLL(library)
        except OSError as error:
            raise ImportError(f'{error}; the loader looks where ldconfig and LD_LIBRARY_PATH say') from error
        for name, (returns, takes) in its.items():
            try:
                function = getattr(loaded, name)
            except AttributeError:
                raise ImportError(f'{library} has no {name}: it is older than this package') from None
            function.restype, function.argtypes = returns, takes
            setattr(functions, name, function)
    return functions


lib = load(PROTOTYPES)


def sentence(function, *arguments):
    """Call a function whose last arguments are a buffer and its size. Returns the text that it writes."""
    buffer = ctypes.create_string_buffer(SENTENCE)
    function(*arguments, buffer, SENTENCE)
    return buffer.value.decode(errors='replace')
