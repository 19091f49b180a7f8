#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests of the Python package over a fabric: results must be those of numpy. Prints TAP."""

import concurrent.futures
import copy
import errno
import json
import os
import select
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '../lib'))

import numpy as np

import hypercube
from hypercube import Communicator, Denied, Error, Guard, Messages, Node, Plan, PlanType, Tasks, Timeout
from python_tap import main

NODES = 8
INTEGERS = ['u1', 'u2', 'u4', 'u8', 'i1', 'i2', 'i4', 'i8']
FLOATS = ['f2', 'f4', 'f8']
# Time limit in seconds; on a machine that other processes use, operations take long.
PATIENCE = 60


def until(condition):
    """Waits until condition() is true; fails after PATIENCE seconds."""
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            raise AssertionError('it does not come')


def tool(*words):
    """Runs hcctl with these arguments, which must succeed."""
    subprocess.run(['hcctl', *words], check=True, stdout=subprocess.DEVNULL)


class Fabric(unittest.TestCase):
    """A cube of eight nodes, with this process at each of them."""

    def setUp(self):
        tool('fabric', 'add', 't', 'dim', '3')
        self.addCleanup(subprocess.run, ['hcctl', 'fabric', 'del', 't'], check=False)
        self.tree = Plan.install('t', 1, root=0)
        self.nodes = [Node('t', u) for u in range(NODES)]
        for node in self.nodes:
            self.addCleanup(node.close)
            node.timeout = PATIENCE

    def all(self, begin):
        """Returns the results of small operations: begin() posts one at each node in turn."""
        return [request.wait() for request in [begin(node) for node in self.nodes]]

    def together(self, function):
        """Calls a function of a node at all nodes at once; returns what each returns or raises."""
        def run(node):
            try:
                return function(node)
            except OSError as error:
                return error
        with concurrent.futures.ThreadPoolExecutor(NODES) as threads:
            return list(threads.map(run, self.nodes))

    def alike(self, seen, wanted):
        """Checks that all arrays in seen have the type, shape and elements of the array wanted."""
        for one in seen:
            self.assertEqual((one.dtype, one.shape), (wanted.dtype, wanted.shape))
            self.assertEqual(one.tobytes(), wanted.tobytes())


class Reductions(Fabric):
    """Collectives with a reduction operator."""

    OPERATORS = {'sum': np.add, 'prod': np.multiply, 'min': np.minimum, 'max': np.maximum,
                 'and': np.bitwise_and, 'or': np.bitwise_or, 'xor': np.bitwise_xor}

    def test_operators_and_types(self):
        random = np.random.default_rng(5)
        for dtype in INTEGERS + FLOATS:
            if dtype in FLOATS:
                # The sums and products are exact, so their order does not matter.
                data = 2.0 ** random.integers(-1, 2, (NODES, 3, 5)).astype(dtype)
            else:
                data = random.integers(0, 256, (NODES, 15 * np.dtype(dtype).itemsize), 'u1')
                data = data.view(dtype).reshape(NODES, 3, 5)
            for name, ufunc in self.OPERATORS.items():
                if dtype in FLOATS and name in ('and', 'or', 'xor'):
                    continue
                wanted = ufunc.reduce(data, axis=0, dtype=dtype)
                with self.subTest(f'{name} {dtype}'):
                    self.alike(self.all(lambda node: node.iallreduce(data[node.node], name, self.tree)), wanted)
                    got = self.all(lambda node: node.ireduce(data[node.node], name, self.tree))
                    self.alike(got[:1], wanted)
                    self.assertEqual(got[1:], [None] * 7)

    def test_places_of_extremes(self):
        values = np.array([[3, 7, -1], [3, 9, -1], [2, 9, 5]], 'i2')[[0, 1, 2, 0, 1, 2, 0, 1]]
        pairs = [hypercube.loc(values[u], np.arange(3) + 10 * u) for u in range(NODES)]
        for got in self.all(lambda node: node.iallreduce(pairs[node.node], 'minloc', self.tree)):
            self.assertEqual([got['value'].tolist(), got['index'].tolist()], [[2, 7, -1], [20, 1, 2]])
        for got in self.all(lambda node: node.iallreduce(pairs[node.node], 'maxloc', self.tree)):
            self.assertEqual([got['value'].tolist(), got['index'].tolist()], [[3, 9, 5], [0, 11, 22]])

    def test_much_in_place(self):
        data = np.arange(NODES * 50000, dtype='f8').reshape(NODES, -1)
        wanted = data.sum(axis=0)
        mine = [row.copy() for row in data]
        got = self.together(lambda node: node.allreduce(mine[node.node], 'sum', self.tree, out=mine[node.node]))
        self.alike(got, wanted)
        self.assertTrue(all(a is b for a, b in zip(got, mine)))
        self.assertGreater(self.nodes[3].result.steps, 0)

    def test_records_and_nothing(self):
        words = np.array([[b'ab', b'z'], [b'a', b'zz']], 'S7')[[0, 1] * 4]
        self.alike(self.all(lambda node: node.iallreduce(words[node.node], 'max', self.tree)),
                   np.array([b'ab', b'zz'], 'S7'))
        nothing = np.zeros((0, 3), 'u4')
        self.alike(self.all(lambda node: node.iallreduce(nothing, 'sum', self.tree)), nothing)

    def test_sorting(self):
        random = np.random.default_rng(6)
        special = np.array([np.nan, -np.nan, 0.0, -0.0, np.inf, -np.inf])
        runs = [np.concatenate([random.normal(size=200 * u), special]).reshape(2, -1) for u in range(NODES)]
        wanted = np.sort(np.concatenate([run.reshape(-1) for run in runs]))
        got = self.together(lambda node: node.sort(runs[node.node], self.tree))
        self.assertEqual(got[1:], [None] * 7)
        self.assertEqual(got[0].size, wanted.size)
        # numpy sorts NaNs of both signs to the end, and treats the two zeros as equal.
        self.assertTrue(np.all(np.isnan(got[0][:8])) and np.all(np.isnan(got[0][-8:])))
        np.testing.assert_array_equal(got[0][8:-8], wanted[:-16])
        zeros = np.signbit(got[0][got[0] == 0]).tolist()
        self.assertEqual(zeros, sorted(zeros, reverse=True))
        total = sum(run.size for run in runs)
        for everywhere in self.together(lambda node: node.allsort(runs[node.node], self.tree, total=total)):
            self.assertEqual(everywhere.tobytes(), got[0].tobytes())

    def test_merging_records(self):
        words = np.array([f'{7919 * i % 1000:03}'.encode() for i in range(80)], 'V3').reshape(NODES, 10)
        got = self.together(lambda node: node.sort(words[node.node], self.tree))
        self.assertEqual(got[0].tobytes(), b''.join(sorted(word.tobytes() for word in words.reshape(-1))))

    def test_too_little_room(self):
        run = np.arange(4)
        out = np.empty(20, run.dtype)
        requests = [node.ireduce(run, 'merge', self.tree, out=None if node.node else out) for node in self.nodes]
        with self.assertRaisesRegex(Error, '256 bytes, more than the room for 160') as caught:
            requests[0].wait()
        self.assertEqual(caught.exception.errno, errno.EMSGSIZE)

    def test_another_length(self):
        said = self.together(lambda node: node.allreduce(np.zeros(4 if node.node == 3 else 5), 'sum', self.tree))
        for error in said:
            self.assertIsInstance(error, Error)
            self.assertEqual(error.errno, errno.EPROTO)
            self.assertIn('contributed with other parameters', str(error))
            self.assertIsNotNone(error.node)


class Blocks(Fabric):
    """Collectives without a reduction operator."""

    def test_gather_and_scatter(self):
        data = np.arange(NODES * 6, dtype='i4').reshape(NODES, 2, 3)
        got = self.all(lambda node: node.igather(data[node.node], self.tree))
        self.alike(got[:1], data)
        self.assertEqual(got[1:], [None] * 7)
        back = self.all(lambda node: node.iscatter(data if node.node == 0 else None, self.tree,
                                                   out=None if node.node == 0 else np.zeros((2, 3), 'i4')))
        for u, block in enumerate(back):
            self.alike([block], data[u])

    def test_gather_of_those_that_are_left(self):
        tool('node', 'set', 't', '5', 'fail')
        plan = Plan.install('t', 2, root=0)
        self.assertEqual((plan.count, plan.members()), (7, [0, 1, 2, 3, 4, 6, 7]))
        members = plan.members()
        requests = [self.nodes[u].igather(np.array([u, -u]), plan) for u in members]
        self.assertEqual(requests[0].wait().tolist(), [[u, -u] for u in members])

    def test_allgather(self):
        rings = Plan.install('t', 2, 'ring')
        self.assertEqual(rings.type, PlanType.RING)
        data = np.arange(NODES * 3, dtype='f4').reshape(NODES, 3)
        self.alike(self.all(lambda node: node.iallgather(data[node.node], rings)), data)
        self.alike(self.together(lambda node: node.allgather(data[node.node], 2, out=np.zeros((NODES, 3), 'f4'),
                                                             notify=True)), data)

    def test_alltoall(self):
        data = np.arange(NODES * NODES * 3, dtype='i2').reshape(NODES, NODES, 3)
        wanted = data.swapaxes(0, 1)
        for plan in (Plan.install('t', 2, 'doubling'), Plan.install('t', 3, 'ring')):
            for u, got in enumerate(self.all(lambda node: node.ialltoall(data[node.node], plan))):
                self.alike([got], wanted[u])
        # These blocks are much longer than a handle takes at once. The call is in place, and names
        # the plan by its id.
        much = np.random.default_rng(7).integers(0, 256, (NODES, NODES, 30000), 'u1')
        mine = much.copy()
        got = self.together(lambda node: node.alltoall(mine[node.node], 2, out=mine[node.node]))
        self.assertTrue(all(isinstance(one, np.ndarray) for one in got), got)
        self.assertTrue((mine == much.swapaxes(0, 1)).all())

    def test_reduce_scatter(self):
        random = np.random.default_rng(8)
        data = random.normal(size=(NODES, NODES, 5, 2))
        for plan in (self.tree, Plan.install('t', 2, 'doubling')):
            # Sums of floats depend on the order of the additions, so compare with an allreduce over
            # the same plan.
            whole = self.all(lambda node: node.iallreduce(data[node.node], 'sum', plan))[0]
            np.testing.assert_allclose(whole, data.sum(axis=0))
            for u, got in enumerate(self.all(lambda node: node.ireduce_scatter(data[node.node], 'sum', plan))):
                self.alike([got], whole[u])
        numbers = random.integers(0, 1 << 20, (NODES, NODES, 5000), 'u4')
        got = self.together(lambda node: node.reduce_scatter(numbers[node.node], 'max', 2, out=np.zeros(5000, 'u4')))
        for u, block in enumerate(got):
            self.alike([block], numbers[:, u].max(axis=0))

    def test_reduce_scatter_of_different_lengths(self):
        random = np.random.default_rng(9)
        counts = [3, 0, 1, 700, 2, 2, 0, 5]
        ends = np.cumsum(counts)
        data = random.normal(size=(NODES, int(ends[-1]), 2))
        for plan in (self.tree, Plan.install('t', 2, 'doubling')):
            whole = self.all(lambda node: node.iallreduce(data[node.node], 'sum', plan))[0]
            got = self.together(lambda node: node.reduce_scatter(data[node.node], 'sum', plan, counts=counts))
            for u, block in enumerate(got):
                self.alike([block], whole[ends[u] - counts[u]:ends[u]])
        # The plan is named by its id. The second call has one block too many, so the kernel cannot
        # divide the length among the members.
        got = self.together(lambda node: node.reduce_scatter(data[node.node], 'sum', 2, counts=counts, rank=node.node))
        self.assertEqual([len(block) for block in got], counts)
        failed = self.together(lambda node: self.errno_of(lambda: node.reduce_scatter(
            np.ones(16, 'u1'), 'sum', 2, counts=[1] * 16, rank=node.node)))
        self.assertEqual(failed, [errno.EMSGSIZE] * NODES)

    @staticmethod
    def errno_of(call):
        try:
            call()
        except Error as error:
            return error.errno
        return 0

    def test_parts_of_those_that_are_left(self):
        tool('node', 'set', 't', '5', 'fail')
        rings, tree = Plan.install('t', 2, 'ring'), Plan.install('t', 3)
        members = rings.members()
        self.assertEqual((members, tree.members()), ([0, 1, 2, 3, 4, 6, 7],) * 2)
        data = np.arange(49).reshape(7, 7)
        requests = [self.nodes[u].ialltoall(data[i], rings) for i, u in enumerate(members)]
        self.assertEqual([request.wait().tolist() for request in requests], data.T.tolist())
        requests = [self.nodes[u].ireduce_scatter(data[i], 'sum', tree) for i, u in enumerate(members)]
        self.assertEqual([int(request.wait()) for request in requests], data.sum(axis=0).tolist())
        # The id of a plan does not tell the number of members, which alltoall needs.
        with self.assertRaises(Error) as caught:
            self.nodes[0].alltoall(np.zeros(8, 'u1'), 2)
        self.assertEqual(caught.exception.errno, errno.EINVAL)

    def test_bcast(self):
        plan = Plan.install('t', 2, 'bcast', 5)
        message = np.arange(100000, dtype='u2')
        got = self.together(lambda node: node.bcast(message if node.node == 5 else np.zeros_like(message), plan,
                                                    notify=True))
        self.alike(got, message)
        got = self.all(lambda node: node.ibcast(b'few' if node.node == 5 else np.zeros(9, 'u1'), plan))
        self.assertEqual([x is None if u == 5 else x.tobytes() == b'few' for u, x in enumerate(got)], [True] * NODES)

    def test_bcast_that_is_late(self):
        plan = Plan.install('t', 2, 'bcast', 5)
        self.nodes[1].timeout = 0.3
        with self.assertRaisesRegex(Timeout, 'within 300 ms: node 5 has not sent') as caught:
            self.nodes[1].bcast(np.zeros(8, 'u1'), plan)
        self.assertEqual((caught.exception.node, caught.exception.over), (5, False))
        self.assertEqual(caught.exception.request.missing(), [5])
        self.nodes[5].bcast(b'one', plan)
        self.nodes[5].bcast(b'two', plan)
        self.nodes[1].timeout = PATIENCE
        said = [self.nodes[1].bcast(np.zeros(8, 'u1'), plan).tobytes() for _ in range(2)]
        self.assertEqual(said, [b'one', b'two'])

    def test_barrier(self):
        arrived = []

        def meet(node):
            arrived.append(node.node)
            node.barrier(self.tree)
            return len(arrived)
        self.assertEqual(self.together(meet), [NODES] * NODES)

    def test_doubling(self):
        plan = Plan.install('t', 2, 'doubling')
        got = self.all(lambda node: node.iallreduce(np.array([1, node.node]), 'sum', plan))
        self.alike(got, np.array([8, 28]))
        self.assertEqual({node.node for node in self.nodes}, set(plan.members()))


class Waiting(Fabric):
    """Posted operations, time limits, signals."""

    def test_posted(self):
        out = [np.zeros(2) for _ in range(NODES)]
        first = [node.iallreduce(np.ones(2), 'sum', self.tree, out=out[node.node]) for node in self.nodes[:7]]
        self.assertFalse(any(request.test() for request in first))
        last = self.nodes[7].iallreduce(np.ones(2), 'sum', self.tree)
        poll = select.poll()
        poll.register(self.nodes[0], self.nodes[0].events())
        while not first[0].test():
            self.assertTrue(poll.poll(PATIENCE * 1000))
        for request in first + [last]:
            self.assertEqual(request.wait().tolist(), [8, 8])
            self.assertTrue(request.over and request.test())
            self.assertEqual((request.result.status, request.result.cookie), (0, request.id))
        self.assertEqual(out[6].tolist(), [8, 8])

    def test_nobody_waits(self):
        for count in range(40):
            self.all(lambda node: node.ireduce(np.array([count]), 'sum', self.tree))
        for node in self.nodes:
            node.flush()
        got = self.together(lambda node: node.reduce(np.array([1]), 'sum', self.tree, notify=True))
        self.assertEqual((got[0].tolist(), got[1:]), ([8], [None] * 7))
        self.assertEqual({node.result.status for node in self.nodes}, {0})

    def test_who_is_missing(self):
        requests = [node.iallreduce(np.ones(1), 'sum', self.tree) for node in self.nodes if node.node not in (3, 6)]
        until(lambda: requests[0].missing() == [3, 6])
        requests.append(self.nodes[3].iallreduce(np.ones(1), 'sum', self.tree))
        until(lambda: requests[0].missing() == [6])
        with self.assertRaisesRegex(Timeout, 'nothing moved within 300 ms: node 6 has not contributed') as caught:
            requests[1].wait(0.3)
        error = caught.exception
        self.assertEqual((error.node, error.over, error.request), (6, False, requests[1]))
        requests.append(self.nodes[6].iallreduce(np.ones(1), 'sum', self.tree))
        self.assertEqual([request.wait().tolist() for request in requests], [[8]] * 8)
        self.assertEqual(requests[0].missing(), [])

    def test_whose_blocks_are_missing(self):
        tool('ring', 'plan', 'fabric', 't', 'apply', 'plan', '2', 'repair')
        members = [node for node in self.nodes if node.node != 3]
        out = [np.zeros(NODES) for _ in members]
        requests = [node.iallgather(np.array(float(node.node)), 2, out=out[i]) for i, node in enumerate(members)]
        tool('node', 'set', 't', '3', 'fail')
        for i, request in enumerate(requests):
            with self.assertRaises(Error) as caught:
                request.wait()
            error = caught.exception
            self.assertEqual((error.errno, error.missing, error.places), (errno.EHOSTUNREACH, [3], list(range(NODES))))
            self.assertEqual((request.missing(), out[i].tolist()), ([3], [0, 1, 2, 0, 4, 5, 6, 7]))
        requests = [node.iallgather(np.array(float(node.node)), 2, out=out[i]) for i, node in enumerate(members)]
        for request in requests:
            self.assertEqual((request.wait().tolist(), request.missing()), ([0, 1, 2, 4, 5, 6, 7], []))
            self.assertEqual(request.result.places, (0, 1, 2, 4, 5, 6, 7))

    def test_signals(self):
        class Alarm(Exception):
            """Raised by the signal handler."""

        def ring(*_):
            raise Alarm
        self.addCleanup(signal.signal, signal.SIGALRM, signal.signal(signal.SIGALRM, ring))
        end = Messages('t', 2)
        self.addCleanup(end.close)
        for wait in (lambda: self.nodes[0].barrier(self.tree), end.recv,
                     lambda: Plan.wait('t', 99), lambda: self.nodes[1].progress(None)):
            with self.assertRaises(Alarm):
                # Set the alarm within this block, as it may go off before the call begins.
                signal.setitimer(signal.ITIMER_REAL, 0.3)
                wait()

    def test_a_handler_closes(self):
        self.addCleanup(signal.signal, signal.SIGALRM,
                        signal.signal(signal.SIGALRM, lambda *_: self.nodes[0].close()))
        request = self.nodes[0].iallreduce(np.ones(1), 'sum', self.tree)
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with self.assertRaisesRegex(ValueError, 'node 0 of t is closed'):
            request.wait()
        with Node('t', 0):
            self.assertTrue(self.nodes[0].closed)

    def test_time_limit_of_a_plan(self):
        with self.assertRaises(Timeout):
            Plan.wait('t', 99, timeout=0.3)
        with self.assertRaises(Timeout):
            self.tree.next(0)


class Failures(Fabric):
    """Faults, refused calls, missing rights."""

    def test_a_link_fails(self):
        requests = [node.iallreduce(np.ones(1), 'sum', self.tree) for node in self.nodes[:7]]
        tool('link', 'set', 't', '6:1', 'down')
        for request in requests:
            with self.assertRaisesRegex(Error, 'link [46]:1 went down') as caught:
                request.wait()
            error = caught.exception
            self.assertEqual((error.errno, error.dimension, error.plan, error.over), (errno.ENOLINK, 1, 1, True))
            self.assertIn(error.node, (4, 6))
            self.assertEqual(request.result.status, -errno.ENOLINK)
        broken = Plan.get('t', 1)
        self.assertTrue(broken.broken and broken.dimension == 1 and broken.node in (4, 6))
        new = broken.replace()
        self.assertEqual((new.root, new.id, new.broken), (0, 1, False))
        self.assertNotEqual(new.epoch, self.tree.epoch)
        self.assertEqual(self.tree.next(PATIENCE), new)
        self.alike(self.all(lambda node: node.iallreduce(np.ones(1), 'sum', new)), np.array([8.0]))

    def test_a_node_leaves(self):
        requests = [node.iallreduce(np.ones(1), 'sum', self.tree) for node in self.nodes[:7]]
        self.nodes[7].close()
        for request in requests:
            with self.assertRaisesRegex(Error, 'node 7 left') as caught:
                request.wait()
            self.assertEqual((caught.exception.errno, caught.exception.node), (errno.ECONNRESET, 7))

    def test_another_collective(self):
        requests = [node.iallreduce(np.ones(1), 'sum', self.tree) for node in self.nodes[:7]]
        self.nodes[7].ireduce(np.ones(1), 'sum', self.tree)
        for request in requests:
            with self.assertRaises(Error) as caught:
                request.wait()
            self.assertEqual(caught.exception.errno, errno.EPROTO)
            self.assertIsNotNone(caught.exception.node)

    def test_what_the_kernel_refuses(self):
        data = np.ones(1)
        for call, number, words in (
                (lambda: Node('t', 3), errno.EADDRINUSE, 'somebody is bound to it'),
                (lambda: Node('t', 8), errno.EADDRNOTAVAIL, 'there is no such node'),
                (lambda: Node('nosuch', 0), errno.ENODEV, 'no such fabric here'),
                (lambda: self.nodes[0].allreduce(data, 'sum', 99), errno.ENOENT, 'there is no such plan'),
                (lambda: self.nodes[0].alltoall(np.zeros(8), 1), errno.EPROTOTYPE,
                 'plan is of another type'),
                (lambda: Plan.install('t', 1, root=8), errno.ERANGE, 'fabric t'),
                (lambda: Plan.install('t', 1, 'bcast'), errno.EINVAL, 'needs a source'),
                (lambda: Plan.install('t', 1, 'ring', 0), errno.EINVAL, 'no root to choose'),
                (lambda: Plan.get('t', 99), errno.ENOENT, 'fabric t'),
                (lambda: Plan.get('nosuch', 1), errno.ENODEV, 'fabric nosuch')):
            with self.subTest(words), self.assertRaisesRegex(Error, words) as caught:
                call()
            self.assertEqual(caught.exception.errno, number)
        self.assertEqual(self.nodes[0].failure.status, -errno.EPROTOTYPE)

    def test_plans_have_handles_of_their_own(self):
        other = Plan.install('t', 2)
        with Node('t', 3, other) as own:
            with self.assertRaisesRegex(Error, 'another socket is connected to the plan'):
                Node('t', 3, 2)
            requests = [node.iallreduce(np.ones(1), 'sum', other) for node in self.nodes if node.node != 3]
            self.assertEqual(own.allreduce(np.ones(1), 'sum', other).tolist(), [8])
            self.assertEqual([request.wait().tolist() for request in requests], [[8]] * 7)
            with self.assertRaisesRegex(Error, 'the handle is for another plan'):
                own.barrier(self.tree)
        other.remove()
        with self.assertRaisesRegex(Error, 'no such plan|No such'):
            other.members()

    def test_rights(self):
        child = os.fork()
        if not child:
            status = 1
            try:
                os.setuid(65534)
                for call in (lambda: Plan.install('t', 2), self.tree.remove, lambda: Messages('t', 3)):
                    with self.assertRaises(Denied):
                        call()
                status = 0 if Plan.get('t', 1) == self.tree else 2
            finally:
                os._exit(status)
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_messages(self):
        with Messages('t', 2) as here, Messages('t', 7) as there:
            here.timeout = there.timeout = PATIENCE
            here.send(7, np.arange(3, dtype='u2'))
            there.send(2, b'')
            self.assertEqual(there.recv(), (2, np.arange(3, dtype='u2').tobytes()))
            self.assertEqual(here.recv(), (7, b''))
            for to, size, words in ((8, 1, 'fabric t has no node 8'), (7, 1 << 20, 'more than the fabric.s segment')):
                with self.assertRaisesRegex(Error, words):
                    here.send(to, bytes(size))
            here.send(7, b'hello')
            with self.assertRaisesRegex(Error, 'a message of 5 bytes from node 2 is more than the room for 4'):
                there.recv(4)
            there.timeout = 0.2
            with self.assertRaisesRegex(Timeout, 'no message came within 200 ms'):
                there.recv()

    def test_votes_on_messages_in_copies(self):
        tool('fabric', 'add', 'g', 'torus', '3x4')
        self.addCleanup(tool, 'fabric', 'del', 'g')
        tool('node', 'set', 'g', '1', 'byzantine', '100%')
        shown = subprocess.run(['hcctl', '-j', 'link', 'show', 'g'], check=True, stdout=subprocess.PIPE)
        peers = {}
        for link in json.loads(shown.stdout):
            peers[link['node'], link['dim']] = link['peer']
            peers[link['peer'], link['dim']] = link['node']
        with Messages('g', 0) as here, Messages('g', 6) as there:
            here.timeout = there.timeout = PATIENCE
            here.set_copies(here.paths(6))
            there.set_deliver('report')
            here.send(6, b'hello')
            sender, data, vote = there.recv_vote()
        self.assertEqual((sender, data, vote.copies, vote.missing), (0, b'hello', 4, []))
        self.assertEqual(list(vote.paths), vote.mismatch)
        self.assertEqual(len(vote.mismatch), 1)
        # The one copy that mismatches has passed node 1.
        nodes = [0]
        for port in vote.paths[vote.mismatch[0]]:
            nodes.append(peers[nodes[-1], port])
        self.assertIn(1, nodes)
        self.assertEqual(nodes[-1], 6)

    def test_tasks(self):
        with Tasks('t', 2) as producer, Tasks('t', 2) as worker:
            worker.timeout = PATIENCE
            ids = [producer.put(b'once'), producer.put(np.arange(2, dtype='u2'), idempotent=True),
                   producer.put(b'', replicated=True)]
            self.assertEqual(ids, [(2, 1), (2, 2), (2, 3)])
            tasks = [worker.take() for _ in ids]
            self.assertEqual(tasks, [(2, 1, False, False, False, b'once'),
                                     (2, 2, True, False, False, b'\0\0\1\0'), (2, 3, True, False, True, b'')])
            worker.done(tasks[0])
            with self.assertRaises(Error) as caught:
                worker.done(tasks[0])
            self.assertEqual(caught.exception.errno, errno.ENOENT)
            worker.done(tasks[2])
            worker.timeout = 0.2
            with self.assertRaisesRegex(Timeout, 'no task came within 200 ms'):
                worker.take()
            with self.assertRaises(Error):
                producer.put(bytes(70000))
        with Tasks('t', 2) as worker:
            worker.timeout = PATIENCE
            self.assertEqual(worker.take(), tasks[1]._replace(redelivered=True))
            producer = Tasks('t', 2)
            self.addCleanup(producer.close)
            producer.put(b'long')
            with self.assertRaises(Error):
                worker.take(3)
            self.assertEqual(worker.take(4).data, b'long')


class Guards(Fabric):
    """Guarded plans, whose next epoch a Guard installs when a fault breaks them."""

    def setUp(self):
        super().setUp()
        tool('tree', 'find', 'fabric', 't', 'sink', '0', 'apply', 'plan', '2', 'guard', '20s')
        self.plan = Plan.get('t', 2)

    def test_operations_outlive_a_link(self):
        with Guard('t', self.plan) as guard:
            requests = [node.iallreduce(np.full(3, 2.0), 'sum', self.plan) for node in self.nodes[:7]]
            tool('link', 'set', 't', '0:0', 'down')
            requests.append(self.nodes[7].iallreduce(np.full(3, 2.0), 'sum', self.plan))
            self.alike([request.wait() for request in requests], np.full(3, 16.0))
            self.assertEqual(guard.complaints(), [])
        new = Plan.get('t', 2)
        self.assertFalse(new.broken)
        self.assertNotEqual(new.epoch, self.plan.epoch)
        tool('link', 'set', 't', '0:1', 'down')
        until(lambda: Plan.get('t', 2).broken)
        time.sleep(1)
        self.assertTrue(Plan.get('t', 2).broken, 'somebody guards it still')

    def test_what_it_says(self):
        begun, begins = os.pipe()
        child = os.fork()
        if not child:
            # This process runs as a user to whom the plan was not given.
            status = 1
            try:
                os.setuid(65534)
                guard = Guard('t', 2)
                os.write(begins, b'.')
                said = []

                def complains():
                    self.assertTrue(select.select([guard], [], [], PATIENCE)[0])
                    said.extend(guard.complaints())
                    return said
                until(complains)
                self.assertIn('plan 2', said[0])
                guard.end()
                guard.end()
                with self.assertRaises(ValueError):
                    guard.fileno()
                status = 0
            finally:
                os._exit(status)
        os.close(begins)
        self.assertEqual(os.read(begun, 1), b'.')
        os.close(begun)
        tool('link', 'set', 't', '0:0', 'down')
        self.assertEqual(os.waitpid(child, 0)[1], 0)

    def test_it_has_ended(self):
        guard = Guard('t', 2)
        tool('fabric', 'del', 't')
        self.assertTrue(select.select([guard], [], [], PATIENCE)[0])
        with self.assertRaises(Error) as caught:
            until(lambda: guard.complaints() or True)
            time.sleep(1)
            guard.end()
        self.assertEqual(caught.exception.errno, errno.ECHILD)

    def test_it_belongs_to_one_process(self):
        with Guard('t', 2) as guard:
            child = os.fork()
            if not child:
                # The guard belongs to the parent process.
                guard.end()
                del guard
                os._exit(0)
            self.assertEqual(os.waitpid(child, 0)[1], 0)
            tool('link', 'set', 't', '0:0', 'down')
            until(lambda: not Plan.get('t', 2).broken and Plan.get('t', 2).epoch != self.plan.epoch)

    def test_what_is_refused(self):
        with self.assertRaises(TypeError):
            copy.copy(Guard('t', 2))
        for plan, number in (1, errno.EINVAL), (9, errno.ENOENT):
            with self.assertRaises(Error) as caught:
                Guard('t', plan)
            self.assertEqual(caught.exception.errno, number)


class Communicators(unittest.TestCase):
    """Communicators of some nodes, with a thread for each rank."""

    GROUP = [6, 0, 5, 3]

    def setUp(self):
        tool('fabric', 'add', 't', 'dim', '3')
        self.addCleanup(subprocess.run, ['hcctl', 'fabric', 'del', 't'], check=False)

    def members(self, function):
        """Returns what the function returns at each rank."""
        def run(node):
            with Communicator('t', node, self.GROUP, 9, wait=PATIENCE) as comm:
                comm.at.timeout = PATIENCE
                return function(comm)
        with concurrent.futures.ThreadPoolExecutor(len(self.GROUP)) as threads:
            return list(threads.map(run, self.GROUP))

    def test_collectives_of_any_root(self):
        def run(comm):
            seen = [comm.rank, comm.size, comm.nodes]
            text = np.frombuffer(b'from %d' % comm.rank, 'u1').copy()
            seen += [comm.bcast(text if comm.rank == r else np.zeros(6, 'u1'), r).tobytes() for r in range(4)]
            seen.append(comm.allgather(np.array([comm.rank * 1.5, -comm.rank])).tolist())
            seen.append(comm.allreduce(np.array([comm.rank + 1]), 'prod').tolist())
            comm.barrier()
            return seen
        texts = [b'from %d' % r for r in range(4)]
        blocks = [[r * 1.5, -r] for r in range(4)]
        self.assertEqual(self.members(run), [[r, 4, self.GROUP, *texts, blocks, [24]] for r in range(4)])

    def test_means_are_rounded_once(self):
        parts = [np.random.RandomState(r).standard_normal(3000) for r in range(4)]

        def run(comm):
            # The group has three ranks, since a division by a power of two hardly ever rounds.
            part = comm.split(comm.rank == 3)
            with part:
                if part.size == 1:
                    return None
                with self.assertRaises(TypeError):
                    part.mean(np.arange(3))
                return [part.mean(parts[part.rank].astype(t)) for t in ('f2', 'f4', 'f8')]
        # The expected sums are those of a tree of three of these nodes. Each quotient is rounded
        # once, from the quotient of doubles.
        got = self.members(run)
        for t, mean in zip(('f2', 'f4', 'f8'), got[0]):
            self.assertEqual(mean.dtype, np.dtype(t))
            a, b, c = (part.astype(t) for part in parts[:3])
            sums = [x + (y + z) for x, y, z in ((a, b, c), (b, a, c), (c, a, b))]
            wanted = [(s.astype('f8') / 3).astype(t).tobytes() for s in sums]
            self.assertIn(mean.tobytes(), wanted)
        self.assertEqual([m.tobytes() for m in got[0]], [m.tobytes() for m in got[1]])
        self.assertEqual([m.tobytes() for m in got[0]], [m.tobytes() for m in got[2]])

    def test_halves_are_rounded_to_nearest_even(self):
        bits = np.random.RandomState(1).randint(0, 1 << 16, (2, 20000)).astype('u2').view('f2')

        def run(comm):
            part = comm.split(comm.rank // 2)
            with part:
                return [part.allreduce(bits[part.rank], op) for op in ('sum', 'prod')]
        # numpy rounds in the same way, in software. Any NaN is accepted.
        with np.errstate(all='ignore'):
            wanted = [bits[0] + bits[1], bits[0] * bits[1]]
        for sums in self.members(run):
            for got, want in zip(sums, wanted):
                self.assertEqual(got.dtype, want.dtype)
                np.testing.assert_array_equal(got, want)
                self.assertEqual(np.signbit(got)[~np.isnan(got)].tolist(), np.signbit(want)[~np.isnan(want)].tolist())

    def test_parts_and_copies(self):
        def run(comm):
            part = comm.split(None if comm.rank == 3 else comm.rank % 2, -comm.rank)
            if part is None:
                return None
            copy = part.dup()
            part.free()
            part.free()
            with self.assertRaises(ValueError):
                part.barrier()
            with copy:
                return copy.nodes, copy.rank, copy.allreduce(np.array([1 << comm.nodes[comm.rank]]), 'sum').tolist()
        self.assertEqual(self.members(run), [([5, 6], 1, [0x60]), ([0], 0, [1]), ([5, 6], 0, [0x60]), None])

    def test_what_cannot_be(self):
        for group, plan, err in (([1, 2], 9, errno.EINVAL), ([0, 0], 9, errno.EINVAL), ([0, 8], 9, errno.ERANGE)):
            with self.assertRaises(OSError) as caught:
                Communicator('t', 0, group, plan)
            self.assertEqual(caught.exception.errno, err)
        with self.assertRaises(Timeout):
            Communicator('t', 1, [0, 1], 9, wait=0.1)


if __name__ == '__main__':
    main()
