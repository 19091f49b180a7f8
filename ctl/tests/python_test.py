#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests the Python package without the kernel module: what it refuses, and how it calls the library. Prints TAP.

The libraries are the real ones. In the tests that need an open handle, python_stand_in.py replaces the functions
that would talk to the kernel.
"""

import contextlib
import copy
import ctypes
import errno
import os
import pathlib
import pickle
import re
import shlex
import subprocess
import sys
import tempfile
import threading
import time
import types
import unittest
import warnings
import weakref
from unittest import mock

import numpy as np

import hypercube
from hypercube import Error, Messages, Node, Plan, Tasks, Timeout, _arrays, _native, names
from python_stand_in import StandIn
from python_tap import main

TOP = pathlib.Path(__file__).resolve().parents[2]
INCLUDES = [TOP / 'uapi', TOP / 'ctl/libhypercube']
HEADERS = [INCLUDES[1] / f'libhypercube{part}.h' for part in ('', '-checked', '-plan', '-comm')]
PLAN = Plan('t', 7, names.PlanType.TREE, 1, 3, 0, 8, False, None, None)


def stranger():
    """An array whose elements are not in the byte order of this machine."""
    return np.zeros(4, '>u4' if sys.byteorder == 'little' else '<u4')


def read_only(array):
    array.flags.writeable = False
    return array


class Headers(unittest.TestCase):
    """Compares the structures, numbers and functions in the package with the C headers."""

    def compiled(self, lines):
        """Compile and run a C program that includes the headers and has these lines in main(). Returns the words
        that it prints."""
        text = ''.join(f'#include <{path}>\n' for path in ['stdio.h', 'stddef.h', *HEADERS])
        text += 'int main(void)\n{\n' + '\n'.join(lines) + '\nreturn 0;\n}\n'
        with tempfile.TemporaryDirectory() as folder:
            program = os.path.join(folder, 'program')
            compiler = shlex.split(os.environ.get('CC', 'cc'))
            folders = [f'-I{path}' for path in INCLUDES]
            subprocess.run([*compiler, '-xc', '-', *folders, '-o', program], input=text, text=True, check=True)
            return subprocess.run([program], text=True, capture_output=True, check=True).stdout.split()

    def test_structures(self):
        lines, wanted = [], []
        for name, structure in (('hcl_params', _native.Params), ('hypercube_result', _native.Result),
                                ('hcl_plan', _native.Plan), ('hypercube_vote', _native.Vote),
                                ('hypercube_path', _native.Path), ('hcl_vote', _native.Told),
                                ('hypercube_task', _native.TaskId), ('hcl_pair', _native.Pair),
                                ('hcl_check', _native.Check), ('hcl_suspects', _native.Suspects),
                                ('hcl_checked', _native.Checked)):
            lines.append(f'printf("%zu\\n", sizeof(struct {name}));')
            wanted.append(ctypes.sizeof(structure))
            for field, _ in structure._fields_:
                lines.append(f'printf("%zu %zu\\n", offsetof(struct {name}, {field}), '
                             f'sizeof(((struct {name} *)0)->{field}));')
                wanted += [getattr(structure, field).offset, getattr(structure, field).size]
        self.assertEqual(self.compiled(lines), [str(number) for number in wanted])

    def test_numbers(self):
        lines, wanted = [], []
        for kind, prefix in ((names.Oper, ''), (names.Type, ''), (names.Collective, ''), (names.PlanType, 'PLAN_'),
                             (names.Deliver, 'DELIVER_'), (names.Outcome, 'VOTE_OUTCOME_')):
            for member in kind:
                lines.append(f'printf("%d\\n", HYPERCUBE_{prefix}{member.name});')
                wanted.append(str(int(member)))
        for name in ('F_NOTIFY', 'RECORD_MAX', 'SEGMENT_MAX', 'DIM_MAX', 'TASK_MAX', 'TASK_IDEMPOTENT',
                     'TASK_REDELIVERED', 'TASK_REPLICATED'):
            lines.append(f'printf("%d\\n", HYPERCUBE_{name});')
            wanted.append(str(getattr(names, name)))
        lines.append('printf("%d\\n", HCL_SUSPECTS_MAX);')
        wanted.append(str(_native.SUSPECTS_MAX))
        self.assertEqual(self.compiled(lines), wanted)

    def test_all_numbers_have_names(self):
        uapi = (TOP / 'uapi/linux/hypercube.h').read_text()
        for kind, name in ((names.Oper, 'oper'), (names.Type, 'type'), (names.Collective, 'collective'),
                           (names.PlanType, 'plan_type')):
            body = re.search(rf'^enum hypercube_{name} {{(.*?)^}}', uapi, re.M | re.S)[1]
            there = re.findall(r'^\tHYPERCUBE_(?:PLAN_)?(\w+)', body, re.M)
            mine = [member.name for member in kind]
            if kind is names.Collective:
                # A new collective for which the package has no call yet need not have a name.
                lacking = there[len(mine):]
                print(f'# without a call: {" ".join(lacking)}' if lacking else '# all collectives have calls')
                there = there[:len(mine)]
            self.assertEqual(there, mine)
            self.assertEqual([kind.of(1), kind.of(99)], [kind(1), 99])

    def test_what_has_a_name_has_calls(self):
        for name in (member.name.lower() for member in names.Collective):
            self.assertTrue(callable(getattr(Node, name)) and callable(getattr(Node, f'i{name}')))

    def test_functions(self):
        """The package knows each function of the headers, except some that it does not need, and calls it with the
        right number of parameters."""
        others = {'hcl_family', 'hcl_oper_parse', 'hcl_oper_name', 'hcl_type_parse', 'hcl_type_name',
                  'hcl_barrier'}
        mine = {name: its[1] for functions in _native.PROTOTYPES.values() for name, its in functions.items()}
        for path in HEADERS:
            for name, inside in re.findall(r'^[a-z][^(\n/]*\b(hcl_\w+)\(([^)]*)\);', path.read_text(), re.M):
                # The package does not call functions that wait for an operation; it uses hcl_post() instead.
                if name in others or 'struct hypercube_result *res' in inside and 'bytes' in inside:
                    continue
                count = 0 if inside.strip() == 'void' else inside.count(',') + 1
                self.assertIn(name, mine)
                self.assertEqual(len(mine.pop(name)), count, name)
        self.assertEqual(mine, {})

    def test_version(self):
        header = (TOP / 'module/lib/hc_version.h').read_text()
        self.assertEqual(hypercube.__version__, re.search(r'HC_VERSION "(.*)"', header)[1])

    def test_a_library_that_is_not_there(self):
        with self.assertRaisesRegex(ImportError, 'libnosuch.so.0.*LD_LIBRARY_PATH'):
            _native.load({'libnosuch.so.0': {}})

    def test_a_library_that_is_too_old(self):
        with self.assertRaisesRegex(ImportError, 'libhypercube.so.0 has no hcl_nosuch: it is older'):
            _native.load({'libhypercube.so.0': {'hcl_nosuch': (None, [])}})


class Arrays(unittest.TestCase):
    """Tests _arrays: types, elements, and what can be sent, filled and sorted."""

    def test_types(self):
        for dtype, wanted in (('u1', 'U8'), ('u2', 'U16'), ('u4', 'U32'), ('u8', 'U64'), ('i1', 'I8'), ('i2', 'I16'),
                              ('i4', 'I32'), ('i8', 'I64'), ('f2', 'F16'), ('f4', 'F32'), ('f8', 'F64'),
                              (np.longlong, 'I64')):
            self.assertEqual(_arrays.type_of(np.dtype(dtype)), (names.Type[wanted], 0))
        # These are the attributes of the bfloat16 of the package ml_dtypes.
        bfloat16 = types.SimpleNamespace(name='bfloat16', kind='V', itemsize=2, isnative=True)
        self.assertEqual(_arrays.type_of(bfloat16), (names.Type.BF16, 0))
        self.assertEqual(_arrays.type_of(np.dtype('S9')), (names.Type.RECORD, 9))
        self.assertEqual(_arrays.type_of(np.dtype('V256')), (names.Type.RECORD, 256))

    def test_what_has_no_type(self):
        for dtype, words in (('?', 'no type for bool; view it as uint8'),
                             ('c16', 'no type for complex128; its parts'), ('f16', 'no type for float128'),
                             ('M8[s]', 'no type for'), ('U4', 'no type for'), ('O', 'no type for object'),
                             ('S257', 'a record of 257 bytes'), ('S0', 'a record of 0 bytes'),
                             ([('a', 'u4')], 'no type for')):
            with self.subTest(dtype), self.assertRaisesRegex(TypeError, words):
                _arrays.type_of(np.dtype(dtype))
        with self.assertRaisesRegex(TypeError, 'not in the byte order of this machine'):
            _arrays.type_of(stranger().dtype)

    def test_elements(self):
        for dtype, oper, wanted in (('f8', 'SUM', 'F64'), ('u4', 'XOR', 'U32'), ('S4', 'MERGE', 'RECORD'),
                                    (hypercube.loc_dtype('f4'), 'MINLOC', 'F32')):
            self.assertEqual(_arrays.element(np.dtype(dtype), names.Oper[oper])[0], names.Type[wanted])
        nearly = [('value', 'f8'), ('index', 'u8'), ('x', 'u1')]
        for dtype, oper, words in (('f8', 'XOR', 'operator xor is not for float64'),
                                   ('S4', 'SUM', r'operator sum is not for \|S4'),
                                   ('f8', 'MINLOC', 'wants elements of loc'),
                                   (nearly, 'MAXLOC', 'wants elements of loc'),
                                   (hypercube.loc_dtype('f8'), 'SUM', 'operator sum is not for elements of loc')):
            with self.subTest(oper), self.assertRaisesRegex(TypeError, words):
                _arrays.element(np.dtype(dtype), names.Oper[oper])
        with self.assertRaisesRegex(TypeError, 'not for .*S4'):
            hypercube.loc_dtype('S4')

    def test_places(self):
        pairs = hypercube.loc(np.array([3, -1], 'i2'), [8, 9])
        self.assertEqual(pairs.tobytes(), np.array([3, 8, 0xffff, 9], 'u8').tobytes())
        # The padding between the two fields is sent as 0.
        dirty = np.full(32, 0xff, np.uint8).view(pairs.dtype)
        dirty['value'], dirty['index'] = [3, -1], [8, 9]
        self.assertNotEqual(dirty.tobytes(), pairs.tobytes())
        self.assertEqual(_arrays.contribution(dirty, names.Oper.MINLOC)[0].tobytes(), pairs.tobytes())

    def test_what_cannot_be_sent(self):
        square = np.zeros((4, 4))
        for data, kind, words in (([1, 2], TypeError, 'data is to be a numpy array, not list'),
                                  (3.0, TypeError, 'not float'), (None, TypeError, 'not NoneType'),
                                  (np.float64(3), TypeError, 'not float64'),
                                  (square[:, 1], ValueError, r'not contiguous: numpy.ascontiguousarray\(\)'),
                                  (square.T[1:], ValueError, 'not contiguous'),
                                  (square[::-1], ValueError, 'not contiguous'),
                                  (np.ma.masked_array([1, 2], [0, 1]), TypeError, 'masked array.*filled'),
                                  (np.array([None]), TypeError, 'holds Python objects'),
                                  (np.zeros(2, [('a', 'O')]), TypeError, 'holds Python objects')):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                _arrays.readable(data)
        for data, wanted in ((b'abc', b'abc'), (bytearray(b'abc'), b'abc'), (memoryview(b'a.b.')[::2], b'ab'),
                             (b'', b''), (np.array(7, 'u1'), b'\7'), (np.zeros((0, 3)), b'')):
            self.assertEqual(_arrays.readable(data).tobytes(), wanted)

    def test_what_cannot_be_filled(self):
        for out, kind, words in (([0], TypeError, 'out is to be a numpy array'), (b'abc', TypeError, 'not bytes'),
                                 (read_only(np.zeros(3)), ValueError, 'out is read-only'),
                                 (np.zeros(6)[::2], ValueError, 'not contiguous')):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                _arrays.writable(out)
        with self.assertRaisesRegex(TypeError, 'out has int64, data has float64'):
            _arrays.like(np.zeros(3, 'i8'), np.zeros(3), names.Oper.SUM)
        with self.assertRaisesRegex(ValueError, 'out has 2 elements, data has 3'):
            _arrays.like(np.zeros(2), np.zeros(3), names.Oper.SUM)

    def test_filled(self):
        out = np.arange(6, dtype='u4').reshape(2, 3)
        self.assertIs(_arrays.filled(out, 24), out)
        self.assertEqual(_arrays.filled(out, 8).tolist(), [0, 1])
        self.assertEqual(_arrays.filled(out, 5).tobytes(), out.tobytes()[:5])
        self.assertEqual(_arrays.filled(np.zeros((), 'u4'), 3).tobytes(), bytes(3))
        self.assertEqual(_arrays.filled(out, 0).size, 0)

    def test_ascending(self):
        wild = np.array([np.nan, -0.0, 0.0, -np.inf, np.inf, -np.nan, 1, -1], 'f4')
        wild[0], wild[5] = np.copysign(np.nan, 1), np.copysign(np.nan, -1)
        rising = _arrays.ascending(np.repeat(wild, 2).reshape(4, 4))
        self.assertEqual(str(rising[1:-1:2].tolist()), '[nan, -inf, -1.0, -0.0, 0.0, 1.0, inf]')
        self.assertEqual(np.signbit(rising).tolist(), [True] * 8 + [False] * 8)
        for array, wanted in ((np.array([b'b', b'\xff', b'ab'], 'S2'), [b'ab', b'b', b'\xff']),
                              (np.array([3, -2, 1], 'i1'), [-2, 1, 3]), (np.array([200, 3], 'u1'), [3, 200])):
            self.assertEqual(_arrays.ascending(array).tolist(), wanted)
        void = np.frombuffer(b'b\0a\0\xff\0a\1', 'V2')
        self.assertEqual(_arrays.ascending(void).tobytes(), b'a\0a\1b\0\xff\0')

    def test_numbers_and_times(self):
        for value, kind in (('1', TypeError), (1.0, TypeError), (None, TypeError), (-1, ValueError),
                            (1 << 32, ValueError)):
            with self.assertRaises(kind):
                _arrays.number(value, 'node')
        self.assertEqual(_arrays.number(np.uint8(3), 'node'), 3)
        for value, kind in (('x', TypeError), ([], TypeError), (-0.1, ValueError), (float('nan'), ValueError),
                            (float('inf'), ValueError), (3e6, ValueError)):
            with self.assertRaises(kind):
                _arrays.milliseconds(value, 'a time')
        self.assertEqual([_arrays.milliseconds(x, '') for x in (0, 1e-9, 0.5, np.float32(2))], [0, 1, 500, 2000])


class Refusals(unittest.TestCase):
    """Errors of the real libraries when the module is not loaded."""

    def setUp(self):
        if os.path.exists('/sys/module/hypercube'):
            self.skipTest('the module is loaded')

    def test_no_module(self):
        for open_it in (lambda: Node('t', 0), lambda: Node('t', 0, 3), lambda: Messages('t', 0)):
            with self.assertRaisesRegex(Error, 'fabric t: cannot bind to node 0: module not loaded') as caught:
                open_it()
            self.assertEqual(caught.exception.errno, errno.EAFNOSUPPORT)
            self.assertEqual(caught.exception.status, -errno.EAFNOSUPPORT)
        for ask in (lambda: Plan.install('t', 1), lambda: Plan.get('t', 1), PLAN.members, PLAN.remove, PLAN.replace,
                    lambda: PLAN.next(1)):
            with self.assertRaisesRegex(Error, 'module not loaded') as caught:
                ask()
            self.assertEqual(caught.exception.errno, errno.EIO)

    def test_names_and_numbers(self):
        for kind, words, call in ((Error, 'the name is too long', lambda: Node('a' * 999, 0)),
                                  (Error, 'the name is too long', lambda: Plan.get('a' * 999, 1)),
                                  (TypeError, 'is a str, not bytes', lambda: Node(b't', 0)),
                                  (ValueError, 'NUL', lambda: Node('t\0', 0)),
                                  (TypeError, 'node is a number', lambda: Node('t', '0')),
                                  (ValueError, 'node -1', lambda: Node('t', -1)),
                                  (ValueError, "plan's id 0", lambda: Node('t', 0, 0)),
                                  (ValueError, 'one of t, not of u', lambda: Node('u', 0, PLAN)),
                                  (ValueError, "no type of plan 'x': tree bcast", lambda: Plan.install('t', 1, 'x')),
                                  (TypeError, 'the root is a number', lambda: Plan.install('t', 1, root='0')),
                                  (ValueError, 'a time limit of -1 s', lambda: Plan.wait('t', 1, timeout=-1))):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()

    def test_time_limits_of_plans_are_told_whole(self):
        def late(_, __, ___, ms, ____):
            nonlocal said
            said = f'no new plan 1 within {ms} ms'.encode()
            time.sleep(ms / 1000)
            return -errno.ETIMEDOUT

        def explain(buffer, _):
            ctypes.memmove(buffer, said + b'\0', len(said) + 1)
        said = b''
        with mock.patch.multiple(_native.lib, hcl_plan_await=late, hcl_plan_explain=explain):
            for limit, words in ((0.25, 'no new plan 1 within 250 ms'), (0, 'no new plan 1 within 0 ms')):
                with self.subTest(limit), self.assertRaisesRegex(Timeout, f'^{words}$') as caught:
                    Plan.wait('t', 1, timeout=limit)
                self.assertEqual(caught.exception.errno, errno.ETIMEDOUT)


class Operations(unittest.TestCase):
    """Tests the calls of Node, Messages and Tasks with the functions of python_stand_in.py."""

    def setUp(self):
        self.kernel = StandIn(self)
        self.node = Node('t', 0)
        self.addCleanup(self.node.close)

    def test_parameters(self):
        node, ones = self.node, np.ones(3)
        for call, wanted in (
                (lambda: node.reduce(ones, 'sum', PLAN), ('REDUCE', 'SUM', 'F64', 0, 0, 24, 24)),
                (lambda: node.reduce(ones, 'sum', 7, root=1), ('REDUCE', 'SUM', 'F64', 0, 0, 24, None)),
                (lambda: node.reduce(ones, 'sum', 7, root=1, notify=True), ('REDUCE', 'SUM', 'F64', 1, 0, 24, None)),
                (lambda: node.allreduce(np.ones(2, 'S5'), names.Oper.MAX, 7),
                 ('ALLREDUCE', 'MAX', 'RECORD', 0, 5, 10, 10)),
                (lambda: node.barrier(7), ('BARRIER', 0, 0, 0, 0, 0, None)),
                (lambda: node.bcast(b'abc', PLAN, notify=True), ('BCAST', 0, 0, 1, 0, 3, None)),
                (lambda: node.bcast(np.zeros(4), 7, source=1), ('BCAST', 0, 0, 0, 0, 0, 32)),
                (lambda: node.gather(ones, PLAN), ('GATHER', 0, 0, 0, 0, 24, 192)),
                (lambda: node.gather(ones, 7, root=2), ('GATHER', 0, 0, 0, 0, 24, None)),
                (lambda: node.scatter(np.ones((8, 3)), PLAN), ('SCATTER', 0, 0, 0, 0, 192, 24)),
                (lambda: node.scatter(None, 7, root=1, out=ones), ('SCATTER', 0, 0, 0, 0, 0, 24)),
                (lambda: node.allgather(ones, PLAN, notify=True), ('ALLGATHER', 0, 0, 1, 0, 24, 192)),
                (lambda: node.alltoall(np.ones((8, 3)), PLAN), ('ALLTOALL', 0, 0, 0, 0, 192, 192)),
                (lambda: node.alltoall(b'abcd', 7, out=np.ones(4, 'u1')), ('ALLTOALL', 0, 0, 0, 0, 4, 4)),
                (lambda: node.reduce_scatter(np.ones((8, 3), 'i4'), 'max', PLAN),
                 ('REDUCE_SCATTER', 'MAX', 'I32', 0, 0, 96, 12)),
                (lambda: node.reduce_scatter(np.ones((4, 2), 'S5'), 'min', 7, out=np.ones(2, 'S5')),
                 ('REDUCE_SCATTER', 'MIN', 'RECORD', 0, 5, 40, 10)),
                (lambda: node.ireduce_scatter(np.ones((6, 3), 'i4'), 'max', 7, counts=(1, 4, 1), rank=2),
                 ('REDUCE_SCATTER', 'MAX', 'I32', 0, 0, 144, 48)),
                (lambda: node.sort(ones, PLAN, total=5), ('REDUCE', 'MERGE', 'F64', 0, 0, 24, 40))):
            call()
            self.assertEqual(self.kernel.said(), wanted)

    def test_refusals(self):
        node, ones = self.node, np.ones(3)
        for kind, words, call in (
                (ValueError, "no operator 'add': sum prod", lambda: node.allreduce(ones, 'add', 7)),
                (ValueError, 'no operator 99', lambda: node.allreduce(ones, 99, 7)),
                (TypeError, 'root= is needed', lambda: node.reduce(ones, 'sum', 7)),
                (TypeError, 'source= is needed', lambda: node.bcast(ones, 7)),
                (ValueError, 'the root -1', lambda: node.reduce(ones, 'sum', 7, root=-1)),
                (ValueError, "plan's id 0", lambda: node.barrier(0)),
                (TypeError, "plan's id is a number", lambda: node.barrier('7')),
                (ValueError, 'out is for the root only', lambda: node.reduce(ones, 'sum', 7, root=1, out=ones)),
                (ValueError, 'out is for the root only', lambda: node.gather(ones, 7, root=1, out=ones)),
                (TypeError, 'out= is needed to merge', lambda: node.reduce(ones, 'merge', PLAN)),
                (TypeError, 'out= is needed where the plan', lambda: node.allgather(ones, 7)),
                (ValueError, 'are no blocks of 24', lambda: node.allgather(ones, 7, out=np.ones(7))),
                (ValueError, '8 members with 24 each have 192', lambda: node.allgather(ones, PLAN, out=np.ones(9))),
                (ValueError, 'no axis', lambda: node.scatter(np.array(1.0), PLAN)),
                (ValueError, '3 blocks, there are 8', lambda: node.scatter(ones, PLAN)),
                (ValueError, 'data is for the root only', lambda: node.scatter(ones, 7, root=1, out=ones)),
                (TypeError, 'with room for a block', lambda: node.scatter(None, 7, root=1)),
                (ValueError, 'no axis', lambda: node.alltoall(np.array(1.0), 7)),
                (ValueError, '3 blocks, there are 8', lambda: node.alltoall(ones, PLAN)),
                (ValueError, 'out has 16 bytes, data has 24', lambda: node.alltoall(ones, 7, out=np.ones(2))),
                (ValueError, 'out is read-only', lambda: node.alltoall(ones, 7, out=read_only(np.ones(3)))),
                (ValueError, 'no axis', lambda: node.reduce_scatter(np.array(1.0), 'sum', 7)),
                (ValueError, '3 blocks, there are 8', lambda: node.reduce_scatter(ones, 'sum', PLAN)),
                (TypeError, 'merge is not for reduce_scatter', lambda: node.reduce_scatter(ones, 'merge', 7)),
                (TypeError, 'xor is not for float64', lambda: node.reduce_scatter(ones, 'xor', 7)),
                (TypeError, 'out has int64, data has float64',
                 lambda: node.reduce_scatter(ones, 'sum', 7, out=np.ones(1, 'i8'))),
                (ValueError, 'out has 3 elements, a block has 1',
                 lambda: node.reduce_scatter(ones, 'sum', 7, out=ones)),
                (TypeError, 'rank= is needed', lambda: node.reduce_scatter(ones, 'sum', 7, counts=[3])),
                (ValueError, 'no axis', lambda: node.reduce_scatter(np.array(1.0), 'sum', 7, counts=[1], rank=0)),
                (ValueError, 'a count -1', lambda: node.reduce_scatter(ones, 'sum', 7, counts=[4, -1], rank=0)),
                (TypeError, 'a count is a number',
                 lambda: node.reduce_scatter(ones, 'sum', 7, counts=[1.5, 1.5], rank=0)),
                (ValueError, 'add up to 4, data has 3',
                 lambda: node.reduce_scatter(ones, 'sum', 7, counts=[1, 3], rank=0)),
                (ValueError, 'no rank 2 among 2',
                 lambda: node.reduce_scatter(ones, 'sum', 7, counts=[1, 2], rank=2)),
                (ValueError, 'no rank 0 among 0',
                 lambda: node.reduce_scatter(ones[:0], 'sum', 7, counts=[], rank=0)),
                (ValueError, 'counts has 2 blocks, there are 8',
                 lambda: node.reduce_scatter(ones, 'sum', PLAN, counts=[1, 2], rank=0)),
                (ValueError, 'out has 2 elements, the block has 1',
                 lambda: node.reduce_scatter(ones, 'sum', 7, counts=[1, 2], rank=0, out=ones[:2])),
                (TypeError, 'data is to be a numpy array, not bytes', lambda: node.bcast(b'abc', 7, source=1)),
                (ValueError, 'data is read-only', lambda: node.bcast(read_only(np.ones(3)), 7, source=1)),
                (ValueError, 'total 2 is not within 3', lambda: node.sort(ones, PLAN, total=2)),
                (TypeError, 'data is to be a numpy array, not list', lambda: node.sort([1], PLAN)),
                (ValueError, 'a time limit of 0', lambda: setattr(node, 'timeout', 0)),
                (TypeError, 'in seconds, not str', lambda: setattr(node, 'timeout', '1')),
                (ValueError, 'a buffer -1', lambda: node.set_buffers(-1)),
                (TypeError, 'in seconds, not str', lambda: node.ibarrier(7).wait('x'))):
            with self.subTest(words), self.assertRaisesRegex(kind, words):
                call()
        self.kernel.only('BARRIER')

    def test_results(self):
        data = np.arange(6.0).reshape(2, 3)
        out = np.zeros((2, 3))
        got = self.node.allreduce(data, 'sum', 7)
        self.assertEqual((got.shape, got.tolist()), (data.shape, data.tolist()))
        self.assertIs(self.node.allreduce(data, 'sum', 7, out=out), out)
        self.assertEqual(out.tolist(), data.tolist())
        self.assertEqual((self.node.result.steps, self.node.result.plan, str(self.node.result)),
                         (3, 7, '3 steps, 0.5 ms modelled'))
        self.assertIsNone(self.node.reduce(data, 'sum', 7, root=3))
        self.assertIsNone(self.node.barrier(7))

    def test_in_place(self):
        data = np.arange(4.0)
        self.assertIs(self.node.allreduce(data, 'sum', 7, out=data), data)
        self.assertNotEqual(*self.kernel.addresses)
        self.assertEqual(data.tolist(), [0, 1, 2, 3])

    def test_blocks(self):
        data = np.arange(6.0).reshape(2, 3)
        got = self.node.alltoall(data, 7)
        self.assertEqual((got.shape, got.dtype, got.tolist()), (data.shape, data.dtype, data.tolist()))
        self.assertIs(self.node.alltoall(data, 7, out=data), data)
        self.assertNotEqual(*self.kernel.addresses)
        block = self.node.ireduce_scatter(data, 'sum', 7).wait()
        self.assertEqual((block.shape, block.tolist()), ((3,), [0, 1, 2]))
        # out may be a part of data.
        self.assertEqual(self.node.reduce_scatter(data, 'sum', 7, out=data[1]).tolist(), [0, 1, 2])
        self.assertEqual(data.tolist(), [[0, 1, 2]] * 2)
        self.assertEqual(self.node.reduce_scatter(np.array([5, 6]), 'sum', 7).shape, ())

    def test_blocks_of_different_lengths(self):
        data = np.arange(12, dtype='u4').reshape(6, 2)
        self.kernel.blocks = 4
        request = self.node.ireduce_scatter(data, 'sum', 7, counts=[1, 0, 3, 2], rank=0)
        sent = np.frombuffer(self.kernel.waiting(request.id), 'u4').reshape(4, 3, 2)
        self.assertEqual(sent.tolist(), [[[0, 1], [0, 0], [0, 0]], [[0, 0]] * 3, [[2, 3], [4, 5], [6, 7]],
                                         [[8, 9], [10, 11], [0, 0]]])
        self.assertEqual(request.wait().tolist(), [[0, 1]])
        # Here, too, out may be a part of data.
        with mock.patch.object(Plan, 'members', lambda _: list(range(8))):
            self.kernel.blocks = 8
            got = self.node.reduce_scatter(data, 'sum', PLAN, counts=[2, 4] + [0] * 6, out=data[2:4])
        self.assertEqual((got.tolist(), data[:4].tolist()), ([[0, 1], [2, 3]], [[0, 1], [2, 3]] * 2))
        self.kernel.blocks = 2
        self.assertEqual(self.node.reduce_scatter(data, 'sum', 7, counts=[0, 6], rank=0).shape, (0, 2))
        self.kernel.blocks = 3
        with self.assertRaisesRegex(Error, 'another number of members') as caught:
            self.node.reduce_scatter(data, 'sum', 7, counts=[3, 3], rank=1)
        self.assertEqual(caught.exception.errno, errno.EPROTO)

    def test_short_results(self):
        self.kernel.message = b'abcdef'
        room = np.zeros(4, 'u2')
        self.assertEqual(self.node.bcast(room, 7, source=1).tobytes(), b'abcdef')
        self.assertEqual(room.tobytes(), b'abcdef\0\0')

    def test_short_results_in_a_matrix(self):
        self.kernel.message = b'abcdef'
        with warnings.catch_warnings():
            # numpy warns that its matrix class should no longer be used.
            warnings.simplefilter('ignore', PendingDeprecationWarning)
            room, other = np.matrix(np.zeros((2, 4), 'u2')), np.matrix(np.zeros((2, 4), 'u2'))
            self.assertEqual(self.node.bcast(room, 7, source=1).tobytes(), b'abcdef')
            self.kernel.silent, self.node.timeout = True, 0.01
            with self.assertRaises(Timeout):
                self.node.bcast(room, 7, source=1)
            self.kernel.silent = False
            self.assertEqual(self.node.bcast(other, 7, source=1).tobytes(), b'abcdef')
        self.assertEqual(other.tobytes(), b'abcdef' + bytes(10))

    def test_arrays_live_as_long_as_they_are_used(self):
        data, out = np.ones(3), np.zeros(3)
        both = weakref.ref(data), weakref.ref(out)
        request = self.node.iallreduce(data, 'sum', 7, out=out)
        del data, out
        self.assertEqual([ref() is None for ref in both], [False, False])
        self.assertEqual(request.wait().tolist(), [1, 1, 1])
        del request
        self.assertEqual([ref() is None for ref in both], [True, True])

    def test_arrays_that_nobody_waits_for(self):
        self.kernel.sends = False
        data = np.ones(3)
        gone = weakref.ref(data)
        self.node.ireduce(data, 'sum', 7, root=1)
        del data
        self.node.ireduce(np.ones(3), 'sum', 7, root=1)
        self.assertIsNotNone(gone())
        self.kernel.sends = True
        self.node.flush()
        self.node.ireduce(np.ones(3), 'sum', 7, root=1)
        self.assertIsNone(gone())

    def test_close_frees_all(self):
        data = np.ones(3)
        gone = weakref.ref(data)
        self.kernel.silent = True
        request = self.node.iallreduce(data, 'sum', 7)
        del data
        self.node.close()
        self.assertIsNone(gone())
        for use in (request.wait, request.missing, request.test, self.node.fileno, lambda: self.node.barrier(7)):
            with self.assertRaisesRegex(ValueError, 'node 0 of t is closed'):
                use()
        self.node.close()
        self.assertEqual(self.kernel.closed, 1)

    def test_context(self):
        with Node('t', 1) as node:
            self.assertFalse(node.closed)
        self.assertTrue(node.closed)
        with self.assertRaises(KeyError), Node('t', 1) as node:
            raise KeyError
        self.assertTrue(node.closed)
        Node('t', 1)
        self.assertEqual(self.kernel.closed, 3)

    def test_a_time_limit(self):
        self.kernel.silent = True
        self.node.timeout = 0.05
        data = np.ones(3)
        with self.assertRaisesRegex(Timeout, 'nothing moved within 50 ms: node 6 has not contributed') as caught:
            self.node.allreduce(data, 'sum', 7, out=data)
        error = caught.exception
        self.assertEqual((error.node, error.dimension, error.over, error.errno), (6, None, False, errno.ETIMEDOUT))
        self.assertIsInstance(error, TimeoutError)
        self.assertEqual(error.request.missing(), [5, 6])
        self.kernel.silent = False
        self.assertEqual(error.request.wait().tolist(), [1, 1, 1])
        self.assertEqual(error.request.missing(), [])

    def test_missing_blocks(self):
        self.kernel.failure = -errno.EHOSTUNREACH, 5, _native.NONE
        request = self.node.iallgather(np.ones(1), 7, out=np.zeros(3))
        with self.assertRaises(Error) as caught:
            request.wait()
        self.assertEqual((caught.exception.missing, caught.exception.places), ([5, 6], [4, 5, 6]))
        self.assertEqual(request.missing(), [5, 6])
        self.kernel.failure = -errno.ENOLINK, 3, 1
        request = self.node.iallgather(np.ones(1), 7, out=np.zeros(3))
        with self.assertRaises(Error) as caught:
            request.wait()
        self.assertEqual((caught.exception.missing, caught.exception.places, request.missing()), ([], [], []))

    def test_whose_blocks_came(self):
        request = self.node.iallgather(np.ones(1), 7, out=np.zeros(4))
        request.wait()
        self.assertEqual((request.result.places, request.missing()), ((4, 5, 6), []))
        self.node.allgather(np.ones(1), 7, out=np.zeros(4))
        self.assertEqual(self.node.result.places, (4, 5, 6))
        self.kernel.places = 0
        self.node.allgather(np.ones(1), 7, out=np.zeros(4))
        self.assertEqual(self.node.result.places, ())
        self.kernel.places = 3
        self.node.allreduce(np.ones(1), 'sum', 7)
        self.assertEqual(self.node.result.places, ())

    def test_a_receiver_may_try_again(self):
        self.kernel.silent = True
        self.node.timeout = 0.02
        first, second = np.zeros(8, 'u1'), np.zeros(8, 'u1')
        for _ in range(2):
            with self.assertRaises(Timeout):
                self.node.bcast(first, 7, source=1)
        self.kernel.only('BCAST')
        self.kernel.silent, self.kernel.message = False, b'late'
        self.assertEqual(self.node.bcast(second, 7, source=1).tobytes(), b'late')
        self.assertEqual(second.tobytes(), b'late\0\0\0\0')
        self.kernel.silent = True
        with self.assertRaises(Timeout):
            self.node.bcast(first, 7, source=1)
        self.kernel.silent, self.kernel.message = False, b'longer'
        with self.assertRaisesRegex(Error, '6 bytes, more than the room for 3'):
            self.node.bcast(np.zeros(3, 'u1'), 7, source=1)

    def test_a_signal_ends_a_call(self):
        data = np.ones(3)
        gone = weakref.ref(data)
        self.kernel.silent, self.kernel.instead_of_progress = True, self.interrupt
        with self.assertRaises(KeyboardInterrupt):
            self.node.allreduce(data, 'sum', 7, out=data)
        del data
        self.assertIsNotNone(gone())
        self.kernel.silent, self.kernel.instead_of_progress = False, None
        self.node.barrier(7)

    def each_place(self, call, happens):
        """Run call() again and again. Each time, happens() is called at a line of the package at which it was not
        called before, until there is no such line. Returns the number of lines."""
        places = set()

        def trace(frame, event, _):
            place = frame.f_code.co_name, frame.f_lineno
            if (event == 'line' and frame.f_code.co_filename.startswith(os.path.dirname(hypercube.__file__)) and
                    place not in places):
                places.add(place)
                sys.settrace(None)
                happens()
            return trace

        before = -1
        while len(places) > before:
            before = len(places)
            sys.settrace(trace)
            try:
                call()
            finally:
                sys.settrace(None)
        return before

    @staticmethod
    def interrupt(*_):
        raise KeyboardInterrupt

    def test_a_signal_between(self):
        """Wherever in a call a signal comes, the handle can be used and closed afterwards."""
        def call():
            with contextlib.suppress(KeyboardInterrupt):
                self.node.allreduce(np.ones(3), 'sum', 7)
        self.assertGreater(self.each_place(call, self.interrupt), 50)
        self.assertEqual(self.node.allreduce(np.ones(3), 'sum', 7).tolist(), [1, 1, 1])

    def test_a_signal_loses_no_request(self):
        """Wherever in a call a signal comes, requests() finds each operation that the library has begun, once, and
        it can be waited for."""
        def call():
            before = len(self.kernel.posted)
            with contextlib.suppress(KeyboardInterrupt):
                self.node.iallreduce(np.ones(3), 'sum', 7)
                self.node.ireduce(np.ones(3), 'sum', 7, root=1)
            sys.settrace(None)
            found = self.node.requests()
            self.assertEqual([request.id for request in found if request._out is not None],
                             [at + 1 for at in range(before, len(self.kernel.posted))
                              if self.kernel.posted[at][0].name == 'ALLREDUCE'])
            for request in found:
                if request._out is not None:
                    self.assertEqual(request.wait().tolist(), [1, 1, 1])
            self.node.flush()
            self.assertEqual((self.node.requests(), self.node._posted), ([], {}))
        self.assertGreater(self.each_place(call, self.interrupt), 30)

    def test_requests(self):
        self.assertEqual(self.node.requests(), [])
        self.kernel.silent, self.kernel.sends = True, False
        requests = [self.node.iallreduce(np.ones(3), 'sum', 7), self.node.ireduce(np.ones(3), 'sum', 7, root=1)]
        self.assertEqual([id(one) for one in self.node.requests()], [id(one) for one in requests])
        self.kernel.silent, self.kernel.sends = False, True
        requests[0].wait()
        self.assertEqual(self.node.requests(), [])
        # A Node to which nothing refers any more is closed at once, although an operation is under way.
        Node('t', 1).iallreduce(np.ones(3), 'sum', 7)
        self.assertEqual(self.kernel.closed, 1)

    def interrupted(self, call):
        """Run call(), which a signal ends at the moment at which its operation is complete."""
        self.kernel.interrupts = True
        with self.assertRaises(KeyboardInterrupt):
            call()
        self.kernel.interrupts = False

    def test_a_signal_loses_no_result(self):
        request = self.node.iallreduce(np.ones(3), 'sum', 7)
        self.interrupted(request.wait)
        self.assertEqual(request.wait().tolist(), [1, 1, 1])
        self.assertEqual((request.result.cookie, request.result.bytes), (request.id, 24))

    def test_a_signal_loses_no_failure(self):
        self.kernel.failure = -errno.ENOLINK, 3, 1
        request = self.node.iallreduce(np.ones(3), 'sum', 7)
        self.interrupted(request.wait)
        with self.assertRaisesRegex(Error, '^link 3:1 went down$') as caught:
            request.wait()
        self.assertEqual((caught.exception.node, caught.exception.over), (3, True))

    def test_a_signal_loses_no_message(self):
        self.kernel.message = b'one'
        self.interrupted(lambda: self.node.bcast(np.zeros(4, 'u1'), 7, source=1))
        self.kernel.message = b'two'
        said = [self.node.bcast(np.zeros(4, 'u1'), 7, source=1).tobytes() for _ in range(2)]
        self.assertEqual(said, [b'one', b'two'])

    def test_a_handler_closes(self):
        """Wherever in a call a signal handler closes the node, its handle is not given to the library afterwards."""
        calls = 0

        def call():
            nonlocal calls
            calls += 1
            self.node = Node('t', 0)
            with contextlib.suppress(ValueError):
                self.node.allreduce(np.ones(3), 'sum', 7)
                self.node.flush()
            self.node.close()

        def handler():
            with contextlib.suppress(ValueError):
                self.node.fileno()
            self.node.close()
        self.node.close()
        self.assertGreater(self.each_place(call, handler), 50)
        self.assertEqual((self.kernel.misused, self.kernel.closed), ([], calls + 1))

    def test_failures_carry_their_cause(self):
        self.kernel.failure = -errno.ENOLINK, 3, 1
        with self.assertRaisesRegex(Error, '^link 3:1 went down$') as caught:
            self.node.allreduce(np.ones(3), 'sum', 7)
        error = caught.exception
        self.assertEqual((error.node, error.dimension, error.plan, error.collective, error.over, error.status),
                         (3, 1, 7, names.Collective.ALLREDUCE, True, -errno.ENOLINK))
        other = pickle.loads(pickle.dumps(error))
        self.assertEqual((type(other), str(other), other.node, other.errno), (Error, str(error), 3, errno.ENOLINK))
        self.kernel.failure = -errno.EACCES, _native.NONE, _native.NONE
        with self.assertRaises(PermissionError):
            self.node.barrier(7)
        self.assertEqual(self.node.failure.status, -errno.EACCES)

    def test_what_is_open_is_there_once(self):
        """Open objects cannot be copied, because a copy would close the handle a second time."""
        request = self.node.iallreduce(np.ones(3), 'sum', 7)
        with Messages('t', 1) as messages, Tasks('t', 1) as tasks:
            for one in (self.node, messages, tasks, request, self.node._handle):
                for twice in (copy.copy, copy.deepcopy, lambda it: copy.deepcopy([it]),
                              *(lambda it, p=p: pickle.dumps(it, p) for p in range(pickle.HIGHEST_PROTOCOL + 1))):
                    with self.assertRaisesRegex(TypeError, f'^a {type(one).__name__} belongs to one process, and '
                                                           'cannot be copied or pickled$'):
                        twice(one)
            self.assertEqual(self.kernel.closed, 0)
        self.assertEqual(self.kernel.closed, 2)
        self.assertEqual(request.wait().tolist(), [1, 1, 1])
        # Objects that only hold values can be copied.
        for one in (PLAN, request.result, names.Oper.SUM):
            self.assertEqual((copy.deepcopy(one), pickle.loads(pickle.dumps(one))), (one, one))

    def test_a_failure_stays(self):
        self.kernel.failure = -errno.ENOLINK, 3, 1
        request = self.node.ibarrier(7)
        for _ in range(2):
            with self.assertRaisesRegex(Error, 'link 3:1 went down'):
                request.wait()

    def test_a_second_thread(self):
        inside, leave, said = threading.Event(), threading.Event(), []

        def wait(*_):
            inside.set()
            leave.wait(10)
            return 1

        def second():
            inside.wait(10)
            for use in (lambda: self.node.barrier(7), self.node.close, lambda: self.node.timeout):
                try:
                    use()
                except RuntimeError as error:
                    said.append(str(error))
            leave.set()

        thread = threading.Thread(target=second)
        self.kernel.instead_of_progress = wait
        self.kernel.silent = True
        thread.start()
        self.node.progress(0)
        thread.join()
        self.assertEqual(said, ['<Node 0 of t> is in use by another thread'] * 2)
        self.kernel.silent, self.kernel.instead_of_progress = False, None
        self.node.barrier(7)

    def test_sorting_counts_first(self):
        self.assertEqual(self.node.sort(np.array([3, 1, 2]), PLAN).tolist(), [1, 2, 3])
        self.assertEqual([posted[0].name for posted in self.kernel.posted], ['ALLREDUCE', 'REDUCE'])
        self.assertIsNone(self.node.sort(np.array([3, 1, 2]), 7, root=1))
        self.assertEqual(self.node.allsort(np.array([3, 1, 2]), 7).tolist(), [1, 2, 3])

    def test_messages(self):
        with Messages('t', 1) as end:
            end.timeout = 0.02
            with self.assertRaisesRegex(Timeout, 'no message came within 20 ms'):
                end.recv()
            end.send(3, b'hello')
            self.assertEqual(end.recv(), (3, b'hello'))
            end.send(3, b'hello')
            with self.assertRaisesRegex(Error, 'a message of 5 bytes from node 3 is more than the room for 2'):
                end.recv(2)
            end.send(3, b'')
            self.assertEqual(end.recv(0), (3, b''))
            for kind, call in ((TypeError, lambda: end.send('3', b'')), (ValueError, lambda: end.send(-1, b'')),
                               (TypeError, lambda: end.send(3, 'hello')), (ValueError, lambda: end.recv(-1))):
                with self.assertRaises(kind):
                    call()


if __name__ == '__main__':
    main()
