#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Tests the pages of plans in a browser: what they show, and how they react to the user. Prints TAP.

    page_browser.py HCCTL [FOLDER]	saves screenshots in FOLDER, if it is given

The upper-case strings are expressions of JavaScript, which are evaluated in the page. The docstrings of some test
functions are the names of the tests.
"""

import itertools
import json
import os
import subprocess
import sys
import tempfile
import traceback

from browser import Browser, Failure

NODES = "document.querySelectorAll('#nodes .node').length"
LINKS = "document.querySelectorAll('#links .link').length"
EDGES = "document.querySelectorAll('#edges .edge').length"
SHOWN = "document.querySelectorAll('#edges .edge:not(.gone)').length"
ROWS = "document.querySelectorAll('#key button.row').length"
POS = 'document.body.dataset.pos'
DRAWN = "document.getElementById('picture').outerHTML"
PLACES = "[...document.querySelectorAll('#nodes .node')].map((n) => n.dataset.node + n.getAttribute('transform')).sort()"
# The position of a node in the window
WHERE = """(() => { const b = document.querySelector('.node[data-node="%d"] .skin').getBoundingClientRect();
    return [b.x + b.width / 2, b.y + b.height / 2]; })()"""
# The number of nodes that are outside of the picture or have no position
LOST = """(() => { const s = document.getElementById('picture').getBoundingClientRect();
    return [...document.querySelectorAll('#nodes .skin')].filter((n) => { const b = n.getBoundingClientRect();
    return !(b.left >= s.left - 1 && b.right <= s.right + 1 && b.top >= s.top - 1 && b.bottom <= s.bottom + 1); }).length; })()"""
ODD = 'document.getElementById("picture").innerHTML.match(/NaN|undefined|null|Infinity/)'
PLANS = {
    'square': 'tree find dim 2',
    'helpers': 'tree find dim 3 sink 0 fail-link 2:2,4:0,1:1',
    'detour': 'tree find dim 4 sink 0 fail-link 2:3,3:2,10:2,2:0,1:1,8:1 fail-node 13',
    'broadcast': 'bcast plan dim 6 source 9 fail-node 5,6,17 fail-link 0:3',
    'large': 'tree find dim 8 fail-node 77,9 fail-link 3:1,64:2,1:0',
    'larger': 'tree find dim 10',
    'doubling': 'doubling plan dim 4 fail-node 3',
    'rings': 'ring plan dim 4 fail-node 5 fail-link 0:0',
    'topology': 'balance topology dim 4 fail-node 5,6,8,10',
}


class Pages:
    """Makes pages of plans in a folder."""

    def __init__(self, hcctl, folder):
        self.hcctl, self.folder = os.path.abspath(hcctl), folder

    def make(self, name, words, fabric=None, more=()):
        """Make a page of the plan that "hcctl WORDS" prints. Returns its file, and the model that it contains (the
        JSON from which its script draws). more: further words for "hcctl plot"."""
        plan = json.loads(subprocess.run([self.hcctl, '-j', *words.split()], capture_output=True, check=True).stdout)
        if fabric:
            plan['fabric'] = fabric
        file = os.path.join(self.folder, name + '.html')
        subprocess.run([self.hcctl, 'plot', '-', *more, '-o', file], input=json.dumps(plan).encode(), check=True,
                       stdout=subprocess.DEVNULL)
        with open(file, encoding='utf-8') as page:
            text = page.read()
        return file, json.loads(text.split('id="model">')[1].split('</script>')[0])


def equal(got, wanted, what):
    """Fail if got is not as wanted, and print both."""
    if got != wanted:
        raise Failure(f'{what}: {str(got)[:400]}, not {str(wanted)[:400]}')


def differ(one, other, what):
    """Fail if nothing has changed, that is if both are equal."""
    if one == other:
        raise Failure(f'{what} changes nothing')


def shows(b, pages, name):
    """Open the page of a plan. Check that all its nodes, links, transfers and phases are there and can be seen.
    Returns the model."""
    file, model = pages.make(name, PLANS[name])
    b.size(1280, 860, still=True)
    b.open(file)
    equal(b.run(NODES), model['nodes'], 'nodes')
    equal(b.run(LINKS), model['nodes'] * model['dim'] // 2, 'links')
    equal(b.run(EDGES), len(model['transfers']), 'transfers')
    equal(b.run(ROWS), len(model['phases']), 'phases in the key')
    equal(b.run("document.querySelectorAll('#crosses path').length"), len(model['fail_links']), 'crosses')
    equal(b.run("document.querySelectorAll('#nodes .dead').length"), len(model['fail_nodes']), 'failed nodes')
    key = b.run("document.getElementById('key').innerText")
    equal('faulty' in key, bool(model['fail_links']), 'the key has faulty links')
    equal('failed\n' in key, bool(model['fail_nodes']), 'the key has failed nodes')
    equal(b.run(LOST), 0, 'nodes outside')
    equal(b.run(ODD), None, 'odd numbers')
    return model


def steps(b, pages, name):
    """Go through the phases of a plan, forward and back. Check what is shown at each position, and that the way back
    shows the same pictures."""
    model = shows(b, pages, name)
    done = list(itertools.accumulate((sum(t['phase'] == i for t in model['transfers'])
                                      for i in range(len(model['phases']))), initial=0))
    equal(b.run(POS), 'all', 'position')
    b.key('Home')
    pictures = [b.run(DRAWN)]
    for pos in range(1, len(done)):
        b.key('.')
        pictures.append(b.run(DRAWN))
        equal(b.run(POS), str(pos), 'position')
        equal(b.run(SHOWN), done[pos], f'transfers at {pos}')
        differ(pictures[-1], pictures[-2], f'step {pos}')
        if str(model['phases'][pos - 1]['number']) not in b.run("document.getElementById('says').innerText"):
            raise Failure('it is not said which phase this is')
    b.key('.')
    equal(b.run(POS), str(len(done) - 1), 'position behind the end')
    for pos in reversed(range(len(done) - 1)):
        b.key(',')
        equal(b.run(DRAWN), pictures[pos], f'the picture at {pos} on the way back')
    b.key('a')
    equal(b.run(SHOWN), len(model['transfers']), 'all of them')


def plays(b, pages):
    """Play, pause, backward, slider and rows of the key."""
    file, model = pages.make('play', PLANS['broadcast'])
    end = str(len(model['phases']))
    b.size(1280, 860)
    b.open(file)
    b.run("const speed = document.getElementById('speed'); speed.value = '2'; speed.dispatchEvent(new Event('change'))")
    b.click('#play')
    b.until(f"document.querySelectorAll('#tokens .token[display=inline]').length && {POS} > 1 && {POS} % 1")
    equal(b.run("document.querySelector('#play').getAttribute('aria-pressed')"), 'true', 'playing')
    b.click('#play')
    held = b.run(POS)
    b.settle()
    equal(b.run(POS), held, 'position while it pauses')
    b.click('#play')
    b.until(f"{POS} === '{end}' && document.querySelector('#play').getAttribute('aria-pressed') === 'false'")
    b.click('#rewind')
    b.until(f"{POS} === '0'")
    b.click('#forward')
    b.until(f"{POS} === '1'")
    b.click('#back')
    b.until(f"{POS} === '0'")
    b.click('#key button:nth-of-type(3)')
    equal(b.run(POS), '3', 'position after a click into the key')
    b.run("const s = document.getElementById('slider'); s.value = '5'; s.dispatchEvent(new Event('input')); "
          "s.dispatchEvent(new Event('change'))")
    equal(b.run(POS), '5', "the slider's position")
    b.click('#first')
    equal(b.run(POS), '0', 'the first')
    b.click('#last')
    equal(b.run(POS), end, 'the last')


def turns(b, pages):
    """Mouse, keys, wheel and fingers move it, and 0 takes it back."""
    shows(b, pages, 'detour')
    first = b.run(PLACES)
    moves = {
        'dragging': lambda: b.drag(500, 720, 60, 30),
        'an arrow key': lambda: b.key('ArrowLeft'),
        'another': lambda: b.key('ArrowUp', 2),
        'the wheel': lambda: b.wheel(500, 400, -240),
        'a key that zooms': lambda: b.key('+'),
        'a finger': lambda: b.touch([(500, 400), (530, 420), (560, 430)]),
        'two fingers': lambda: b.touch([(450, 400), (430, 400), (400, 400)], [(550, 400), (570, 400), (600, 400)]),
    }
    for what, move in moves.items():
        before = b.run(PLACES)
        move()
        differ(b.run(PLACES), before, what)
        equal(b.run(ODD), None, 'odd numbers')
    b.key('0')
    equal(b.run(PLACES), first, 'as it was')
    for _ in range(24):
        b.key('ArrowRight')
        b.key('ArrowDown')
        equal(b.run(LOST), 0, 'nodes outside')


def tells(b, pages):
    """Who is pointed at is explained; small nodes have labels only then."""
    label = "document.querySelector('.node[data-node=\"100\"] text').getAttribute('display')"
    shows(b, pages, 'large')
    equal(b.run(label), 'none', 'the label of a small node')
    b.point(*b.run(WHERE % 100))
    equal(b.run(label), 'inline', 'the label under the pointer')
    tip = b.run("document.getElementById('tip').innerText")
    if not tip.startswith('node 100 (01100100)') or 'stage' not in tip:
        raise Failure('the tip says ' + tip)
    b.point(1270, 10)
    equal(b.run("document.getElementById('tip').hidden"), True, 'no tip elsewhere')
    b.key('+', 14)
    b.run('page.view.moved = [0, 0]; page.redraw()')
    b.settle()
    if not b.run("[...document.querySelectorAll('#nodes text')].some((t) => t.getAttribute('display') === 'inline')"):
        raise Failure('no labels when one comes near')
    shows(b, pages, 'detour')
    b.point(*b.run(WHERE % 13))
    tip = b.run("document.getElementById('tip').innerText")
    equal(tip.startswith('node 13 (1101), failed'), True, tip)


def fits(b, pages):
    """Small screens, dark ones."""
    file, _ = pages.make('fits', PLANS['broadcast'])
    b.size(1280, 860)
    b.open(file)
    light = b.run('getComputedStyle(document.body).backgroundColor')
    b.size(1280, 860, 'dark')
    differ(b.run('getComputedStyle(document.body).backgroundColor'), light, 'dark')
    for width, height in ((390, 800), (700, 400), (2560, 1400)):
        b.size(width, height)
        b.settle()
        b.settle()
        equal(b.run('document.documentElement.scrollWidth <= innerWidth'), True, f'width at {width}')
        equal(b.run(LOST), 0, f'nodes outside at {width}')
        equal(b.run("document.getElementById('picture').getBoundingClientRect().height > 120"), True,
              f'room at {width}x{height}')


def odd_names(b, pages):
    """Text stays text."""
    for i, name in enumerate(('</script><script>alert(1)', '<img src=x onerror=alert(1)>', '<!--<script>')):
        file, _ = pages.make(f'odd{i}', PLANS['helpers'], name)
        b.open(file)
        equal(b.run("document.querySelector('h1').textContent").startswith(name + ': '), True, 'the heading')
        equal(b.run('document.scripts.length'), 2, 'scripts')
        equal(b.run(NODES), 8, 'nodes')


def network(b, pages):
    """A network that is no cube."""
    file = os.path.join(pages.folder, 'net')
    with open(file, 'w', encoding='ascii') as net:
        net.write('0 1\n1 2\n2 0\n2 3\n3 4\n9\n')
    page, model = pages.make('network', f'ring plan graph {file}')
    b.open(page)
    equal(b.run(NODES), len(model['members']), 'nodes')
    equal(b.run(EDGES), len(model['transfers']), 'transfers')
    equal(b.run(ROWS), 2, 'rings')
    equal(b.run(ODD), None, 'odd numbers')
    page, model = pages.make('span', 'span plan torus 5x5')
    b.open(page)
    equal(b.run(NODES), 25, 'nodes')
    equal(b.run(EDGES), 24, 'transfers')
    equal(b.run(ROWS), model['steps'], 'steps')
    equal(b.run(ODD), None, 'odd numbers')


def recorded(b, pages):
    """What was recorded is played, and back to the plan"""
    trace = os.path.join(pages.folder, 'trace.json')
    events = []
    for nr, (node, dim, begin, end, lost) in enumerate(((1, 0, 10, 20, False), (5, 1, 15, 25, True), (3, 0, 30, 40, False)), 1):
        one = {'cat': 'hop', 'id': f'h{nr}', 'pid': node + 1}
        events.append({**one, 'ph': 'b', 'ts': begin, 'name': 'data to x', 'args': {'dim': dim}})
        events.append({**one, 'ph': 'e', 'ts': end, 'name': '', 'args': {'lost': lost}})
    with open(trace, 'w', encoding='ascii') as file:
        json.dump({'traceEvents': events}, file)
    file, model = pages.make('recorded', PLANS['helpers'], more=('trace', trace))
    key = "document.getElementById('key').innerText"
    on_way = "document.querySelectorAll('#hops .hop').length"
    said = "document.getElementById('says').innerText"
    b.size(1280, 860, still=True)
    b.open(file)
    equal('one that is lost\n1' in b.run(key), True, 'the key counts what is lost')
    equal(b.run(on_way), 0, 'frames over the plan')
    b.click('#recorded')
    equal(b.run(SHOWN), 0, 'transfers under the frames')
    pictures = [b.run(DRAWN)]
    counts = [b.run(on_way)]
    for _ in range(5):
        b.key('.')
        counts.append(b.run(on_way))
        pictures.append(b.run(DRAWN))
        differ(pictures[-1], pictures[-2], 'a step')
    equal(counts, [1, 2, 1, 0, 1, 0], 'frames under way')
    equal(b.run(said), '30.0 \u00b5s: 0 frames under way, 2 arrived, 1 lost', 'what is said')
    for picture in reversed(pictures[:-1]):
        b.key(',')
        equal(b.run(DRAWN), picture, 'the picture on the way back')
    b.size(1280, 860)
    b.key(' ')
    b.until(f"{POS} === '5' && {said}.startsWith('30.0')")
    b.key('a')
    equal(b.run(SHOWN), len(model['transfers']), "the plan's transfers")
    equal(b.run(on_way), 0, 'frames over the plan')
    equal(b.run(ODD), None, 'odd numbers')


def shots(b, pages, folder):
    """Save screenshots of all plans in a folder, to be looked at."""
    for name, scheme in itertools.product(PLANS, ('light', 'dark')):
        file, model = pages.make(name, PLANS[name])
        b.size(1280, 860, scheme, still=True)
        b.open(file)
        b.picture(os.path.join(folder, f'{name}-{scheme}.png'))
        for _ in range(len(model['phases']) // 2 + 1):
            b.key('.')
        b.picture(os.path.join(folder, f'{name}-{scheme}-step.png'))


def main(hcctl, folder=None):
    """Run all tests."""
    tests = [(f'{name}: it is all there, steps go on and back', lambda b, p, name=name: steps(b, p, name))
             for name in PLANS]
    tests += [(test.__doc__.strip('.'), test) for test in (plays, turns, tells, fits, odd_names, network, recorded)]
    if folder:
        os.makedirs(folder, exist_ok=True)
        tests.append(('screenshots', lambda b, p: shots(b, p, folder)))
    failed = 0
    with tempfile.TemporaryDirectory() as temporary, Browser() as b:
        pages = Pages(hcctl, temporary)
        for nr, (name, test) in enumerate(tests, 1):
            b.complaints.clear()
            try:
                test(b, pages)
                equal(b.complaints, [], 'complaints of the browser')
                print(f'ok {nr} - {name}', flush=True)
            except (Failure, subprocess.CalledProcessError):
                failed += 1
                print(f'not ok {nr} - {name}')
                print(''.join('# ' + line + '\n' for line in traceback.format_exc().splitlines()[-6:]), end='', flush=True)
    print(f'1..{len(tests)}')
    return bool(failed)


sys.exit(main(*sys.argv[1:]))
