# SPDX-License-Identifier: GPL-2.0
"""Checks the page of a plan: it is complete, loads nothing from elsewhere, and the model in it agrees with the plan.

    page_check.py PAGE.html PLAN.json SAID.json	SAID.json: what "hcctl -j plot" has printed

The model is the JSON in the page from which its script draws the plan. An assertion fails if something is wrong.
"""

import html.parser
import json
import re
import sys

VOID = {'meta', 'input', 'br', 'hr', 'img', 'link'}
# Expressions in scripts and styles with which a page can load something
OUTSIDE = re.compile(r'url\(|@import|\bfetch\(|XMLHttpRequest|WebSocket|EventSource|importScripts|\bimport\b|'
                     r'sendBeacon|\.src\b|https?:')
NAMESPACE = 'http://www.w3.org/2000/svg'


class Page(html.parser.HTMLParser):
    """Parses a page: checks its elements and attributes, and keeps the ids, and the texts of the elements by tag."""

    def __init__(self, text):
        super().__init__()
        self.open, self.ids, self.texts, self.policy = [], [], {}, None
        self.feed(text)
        self.close()
        assert not self.open, f'not closed: {self.open}'

    def handle_starttag(self, tag, attrs):
        """Check the attributes of an element that begins, and note its id."""
        given = dict(attrs)
        assert len(given) == len(attrs), f'attribute twice in {tag}'
        for name in ('src', 'href', 'srcset', 'action', 'data', 'style') + tuple(n for n in given if n[:2] == 'on'):
            assert name not in given, f'{tag} has {name}'
        if given.get('http-equiv') == 'Content-Security-Policy':
            self.policy = given['content']
        if 'id' in given:
            self.ids.append(given['id'])
        name = tag + (':model' if given.get('type') == 'application/json' else '')
        self.texts.setdefault(name, []).append('')
        if tag not in VOID:
            self.open.append((tag, name))

    def handle_startendtag(self, tag, attrs):
        """Handle an element that is closed by its own tag (<path/>), as in SVG."""
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        """Close the element that was opened last, which must be of this tag."""
        assert self.open and self.open[-1][0] == tag, f'</{tag}> closes {self.open[-1:]}'
        self.open.pop()

    def handle_data(self, data):
        """Add the text to the innermost element."""
        if self.open:
            self.texts[self.open[-1][1]][-1] += data


def alone(page):
    """Check that the page stands alone: it loads nothing."""
    assert page.policy and "default-src 'none'" in page.policy, 'no policy'
    assert len(page.ids) == len(set(page.ids)), 'an id is there twice'
    assert [len(page.texts[name]) for name in ('script', 'script:model', 'style')] == [1, 1, 1]
    for text in page.texts['script'] + page.texts['style']:
        found = OUTSIDE.search(text.replace(NAMESPACE, ''))
        assert not found, f'the page wants {found.group()}'
    assert 'prefers-color-scheme:dark' in page.texts['style'][0]


def links(faults):
    """The faulty links as a set of pairs (node, dimension)."""
    return {(f['node'], f['dim']) for f in faults}


def same_faults(model, plan):
    """Check that the model has the dimension and the faults of the plan."""
    assert model['dim'] == plan['dim']
    assert links(model['fail_links']) == links(plan.get('fail_links', [])), 'other links'
    assert set(model['fail_nodes']) == set(plan.get('fail_nodes', [])), 'other nodes'


def hops(model, phase):
    """The pairs (sender, receiver) of a phase."""
    return [(t['from'], t['to']) for t in model['transfers'] if t['phase'] == phase]


def along(model):
    """Check each transfer: its nodes have not failed, and unless it is a detour, it takes a healthy link. If it is
    direct, and its phase has a dimension, the link is along this dimension.
    """
    bad = links(model['fail_links'])
    for t in model['transfers']:
        d = (t['from'] ^ t['to']).bit_length() - 1
        assert not {t['from'], t['to']} & set(model['fail_nodes'])
        if t['how'] == 'detour':
            continue
        assert t['from'] ^ t['to'] == 1 << d and (min(t['from'], t['to']), d) not in bad, t
        if t['how'] == 'direct' and 'dim' in model['phases'][t['phase']]:
            assert model['phases'][t['phase']]['dim'] == d, t


def same_tree(model, plan):
    """A tree: all members but the sink send once, and the phases are in the order of the plan."""
    assert [p['dim'] for p in model['phases']] == plan['order'] and model['roots'] == [plan['sink']]
    senders = {t['from'] for t in model['transfers']}
    assert len(senders) == len(plan['members']) - 1 and plan['sink'] not in senders
    assert model.get('steps') == plan['steps']


def same_bcast(model, plan):
    """A broadcast: each node receives the message at most once, from a node that already has it."""
    assert [p['dim'] for p in model['phases']] == plan['sequence'] and model['roots'] == [plan['source']]
    informed = {plan['source']}
    for phase in range(len(plan['sequence'])):
        new = [to for source, to in hops(model, phase) if source in informed]
        assert len(new) == len(hops(model, phase)) and not informed & set(new)
        informed |= set(new)
    assert len(informed) == (1 << model['dim']) - len(model['fail_nodes']) - len(model['left_out'])


def same_doubling(model, plan):
    """Recursive doubling: in each phase, all members exchange with their neighbours along its dimension."""
    assert [p['dim'] for p in model['phases']] == plan['order']
    for phase, d in enumerate(plan['order']):
        pairs = hops(model, phase)
        assert len(pairs) == len(set(pairs)) == plan['members'] and all(a ^ b == 1 << d for a, b in pairs)


def same_rings(model, plan):
    """Rings: the transfers of each phase go around its ring, or once along its nodes if it goes back the same way."""
    for phase, ring in enumerate(plan['rings']):
        nodes = ring['nodes']
        around = list(zip(nodes, nodes[1:] + nodes[:1]))
        assert hops(model, phase) in (around, around[:-1]), f'ring {phase}'
        assert model['phases'][phase]['nodes'] == len(nodes) and model['phases'][phase]['level'] == ring['level']
    assert len(model['phases']) == len(plan['rings'])


def same_span(model, plan):
    """A spanning tree: each node sends to its parent in its step, and no node receives twice in one step."""
    assert model['roots'] == [plan['sink']]
    for phase in range(plan['steps']):
        pairs = {(link['node'], link['parent']) for link in plan['links'] if link['step'] == phase + 1}
        assert set(hops(model, phase)) == pairs and len({to for _, to in pairs}) == len(pairs)
    assert len(model['transfers']) == len(plan['links']) == plan['members'] - 1
    if 'dim' not in model:
        assert {m['node'] for m in model['members']} == {plan['sink']} | {link['node'] for link in plan['links']}
        assert len({(m['x'], m['y']) for m in model['members']}) == plan['members'], 'two nodes in one place'


def same_topology(model, plan):
    """A balancing topology: each transfer goes from a node to its parent."""
    assert {str(t['from']): t['to'] for t in model['transfers']} == plan['parent']


SAME = {'tree': same_tree, 'broadcast': same_bcast, 'doubling': same_doubling, 'rings': same_rings,
        'topology': same_topology, 'span': same_span}


def main(page_file, plan_file, said_file):
    """Check the page of one plan."""
    with open(page_file, encoding='utf-8') as file:
        page = Page(file.read())
    with open(plan_file, encoding='utf-8') as file:
        plan = json.load(file)
    with open(said_file, encoding='utf-8') as file:
        said = json.load(file)
    alone(page)
    model = json.loads(page.texts['script:model'][0])
    for key in ('kind', 'nodes'):
        assert model[key] == said[key], key
    assert len(model['transfers']) == said.get('transfers', len(model['transfers']))
    if 'dim' in model:
        same_faults(model, plan)
        along(model)
    else:
        assert len(model['links']) == said['links']
    assert model.get('fabric') == plan.get('fabric')
    if plan.get('fabric'):
        assert page.texts['h1'][0].startswith(plan['fabric'] + ': ')
        assert page.texts['title'][0] == page.texts['h1'][0]
    SAME[model['kind']](model, plan)


main(*sys.argv[1:])
