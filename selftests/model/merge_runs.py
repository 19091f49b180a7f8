#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Simulate reductions of sorted runs over random trees, and look for a deadlock.

Usage: merge_runs.py [--turn] [--window N] [--dim N] [--faults N] [--trials N]

Each trial draws a cube with faulty links, the tree of its nodes with a random order of the stages,
and a sorted run for each node. The members act in a random order, by the rules of
module/coll/algo/merge.c: a member merges the least element that it has, unless an input that is
empty may still bring a smaller one; a blocked sender deals its segments to its effective helpers;
a member sends only as long as the receiver has consumed all but WINDOW segments. With --turn a
dealer waits for the helper whose turn it is, which deadlocks. The status is 1 if a trial
deadlocked, or if its result is not the sorted data of all nodes.
"""

import argparse
import random
import sys

SEGMENT = 3		# elements of a full segment


def random_tree(rng, dim, faults):
    """Return the destinations of each node, or None if a blocked sender has no effective helper."""
    nodes = 1 << dim
    links = [(u, d) for u in range(nodes) for d in range(dim) if not u >> d & 1]
    bad = set(rng.sample(links, faults))
    order = list(range(dim))
    rng.shuffle(order)

    def is_bad(u, d):
        return (u & ~(1 << d), d) in bad

    to = [[]]
    for u in range(1, nodes):
        stage = next(i for i in range(dim) if u >> order[i] & 1)
        up = order[stage]
        if is_bad(u, up):
            to.append([u ^ 1 << d for d in order[stage + 1:]
                       if not is_bad(u, d) and not is_bad(u ^ 1 << d, up)])
        else:
            to.append([u ^ 1 << up])
        if not to[u]:
            return None
    return to


def random_run(rng):
    """Return the sorted contribution of a node."""
    low = rng.choice([0, 0, 200, 500])
    high = low + rng.choice([20, 300, 1000])
    return sorted(rng.randint(low, high) for _ in range(rng.choice([0, 3, 10, 40, 100])))


class Edge:
    """The segments from a member to one of its destinations."""

    def __init__(self):
        self.sent = []		# segments that have not arrived yet
        self.queue = []		# segments that have arrived
        self.flight = 0		# segments that have not been consumed
        self.bound = None	# the last element that was merged
        self.ended = False

    def is_dry(self):
        return not self.queue and not (self.ended and not self.sent)


class Member:
    def __init__(self, own, window, turn_only):
        self.own = own
        self.ins = []
        self.outs = []
        self.filled = []	# the segment that is being filled
        self.turn = 0
        self.done = False
        self.window = window
        self.turn_only = turn_only
        self.result = []	# at the root

    def next_out(self):
        """Return the index of the destination of the next segment, or None if none has room."""
        for k in range(1 if self.turn_only else len(self.outs)):
            i = (self.turn + k) % len(self.outs)
            if self.outs[i].flight < self.window:
                return i
        return None

    def may_send(self):
        return not self.outs or self.next_out() is not None

    def flush(self):
        if self.outs:
            i = self.next_out()
            self.outs[i].sent.append(self.filled)
            self.outs[i].flight += 1
            self.turn = (i + 1) % len(self.outs)
        else:
            self.result += self.filled
        self.filled = []

    def wait_dry(self):
        """Pass on what has been merged, before waiting for a dry input."""
        if not self.filled or not self.may_send():
            return False
        self.flush()
        return True

    def take(self, element, edge):
        self.filled.append(element)
        if edge is None:
            self.own.pop(0)
            return
        edge.queue[0].pop(0)
        edge.bound = element
        if not edge.queue[0]:
            edge.queue.pop(0)
            edge.flight -= 1

    def end(self):
        if self.filled:
            if not self.may_send():
                return False
            self.flush()
        for edge in self.outs:
            edge.ended = True
        self.done = True
        return True

    def poll(self):
        """Return whether the member could proceed."""
        moved = False
        while not self.done:
            heads = [(e.queue[0][0], e) for e in self.ins if e.queue]
            heads += [(self.own[0], None)] if self.own else []
            dry = [e for e in self.ins if e.is_dry()]
            if not heads and not dry:
                return self.end() or moved
            least, edge = min(heads, key=lambda h: h[0]) if heads else (None, None)
            if any(not heads or e.bound is None or e.bound < least for e in dry):
                return self.wait_dry() or moved
            if len(self.filled) == SEGMENT or not self.filled:
                if not self.may_send():
                    return moved
                if self.filled:
                    self.flush()
            self.take(least, edge)
            moved = True
        return moved


def trial(rng, to, window, turn_only):
    """Return why the reduction is wrong, or None."""
    members = [Member(random_run(rng), window, turn_only) for _ in to]
    data = sorted(e for m in members for e in m.own)
    edges = []
    for u, destinations in enumerate(to):
        for v in destinations:
            edges.append(Edge())
            members[u].outs.append(edges[-1])
            members[v].ins.append(edges[-1])

    def arrive(edge):
        edge.queue.append(edge.sent.pop(0))
        return True

    moved = True
    while moved:
        moved = False
        steps = [m.poll for m in members if not m.done]
        steps += [lambda e=e: arrive(e) for e in edges if e.sent]
        rng.shuffle(steps)
        for step in steps:
            moved |= step()
            if moved and rng.random() < .7:
                break
    if not members[0].done:
        return 'deadlock'
    return None if members[0].result == data else 'the result is wrong'


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--turn', action='store_true')
    for name, default in (('window', 4), ('dim', 5), ('faults', 8), ('trials', 300)):
        parser.add_argument('--' + name, type=int, default=default)
    args = parser.parse_args()
    drawn = 0
    for seed in range(args.trials):
        rng = random.Random(seed)
        to = random_tree(rng, args.dim, args.faults)
        if not to:
            continue
        drawn += 1
        why = trial(rng, to, args.window, args.turn)
        if why:
            print(f'trial {seed}: {why}')
            return 1
    print(f'{drawn} trees: all results are right')
    return not drawn


if __name__ == '__main__':
    sys.exit(main())
