# SPDX-License-Identifier: GPL-2.0
"""Runs Chromium without a window, for tests of pages.

The browser is controlled over a pipe, by the DevTools protocol: each request and each answer is JSON, followed by
a NUL byte.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

WAIT = 60


class Failure(Exception):
    """The page or the browser did not do what was asked."""


class Browser:
    """A browser with one page. The errors and warnings of the page are in the list .complaints."""

    def __init__(self, width=1280, height=860):
        program = shutil.which('chromium') or shutil.which('chromium-browser')
        if not program:
            raise Failure('no chromium: selftests/vm/deps browser')
        self.folder = tempfile.mkdtemp()
        self.serial = 0
        self.read = b''
        self.events = []
        self.complaints = []
        from_us, self.to_browser = os.pipe()
        self.from_browser, to_us = os.pipe()
        self.process = subprocess.Popen(
            ['sh', '-c', f'exec "$@" 3<&{from_us} 4>&{to_us}', 'sh', program, '--headless=new', '--no-sandbox',
             '--disable-gpu', '--disable-dev-shm-usage', '--remote-debugging-pipe', '--no-first-run',
             '--hide-scrollbars', f'--user-data-dir={self.folder}', 'about:blank'],
            pass_fds=(from_us, to_us), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(from_us)
        os.close(to_us)
        self.session = None
        target = next(t for t in self.ask('Target.getTargets')['targetInfos'] if t['type'] == 'page')
        self.session = self.ask('Target.attachToTarget', targetId=target['targetId'], flatten=True)['sessionId']
        for domain in ('Page', 'Runtime', 'Log', 'Network'):
            self.ask(domain + '.enable')
        self.size(width, height)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.session = None
        try:
            self.ask('Browser.close')
            self.process.wait(20)
        except (Failure, OSError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _receive(self, until):
        while b'\0' not in self.read:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.from_browser], [], [], left)[0]:
                raise Failure('the browser does not answer')
            got = os.read(self.from_browser, 1 << 20)
            if not got:
                raise Failure('the browser has ended')
            self.read += got
        text, self.read = self.read.split(b'\0', 1)
        return json.loads(text)

    def _note(self, event):
        method, said = event['method'], event.get('params', {})
        if method == 'Runtime.exceptionThrown':
            details = said['exceptionDetails']
            self.complaints.append(details.get('exception', {}).get('description', details['text']))
        elif method == 'Log.entryAdded' and said['entry']['level'] in ('error', 'warning'):
            self.complaints.append(said['entry']['text'])
        elif method == 'Runtime.consoleAPICalled' and said['type'] in ('error', 'warning', 'assert'):
            self.complaints.append(str([a.get('value') for a in said['args']]))
        elif method == 'Network.requestWillBeSent':
            url = said['request']['url']
            if not url.startswith(('file:', 'about:')):
                self.complaints.append('fetches ' + url[:100])
        self.events.append(method)

    def ask(self, method, **params):
        """Call a method of the protocol. Returns its result."""
        self.serial += 1
        request = {'id': self.serial, 'method': method, 'params': params}
        if self.session:
            request['sessionId'] = self.session
        os.write(self.to_browser, json.dumps(request).encode() + b'\0')
        until = time.monotonic() + WAIT
        while True:
            answer = self._receive(until)
            if answer.get('id') == self.serial:
                if 'error' in answer:
                    raise Failure(f"{method}: {answer['error']['message']}")
                return answer['result']
            if 'method' in answer:
                self._note(answer)

    def size(self, width, height, scheme='light', still=False):
        """Set the size of the window, the colour scheme that the user prefers, and with still, that the user wants
        no animations."""
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1,
                 mobile=False)
        self.ask('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': scheme},
            {'name': 'prefers-reduced-motion', 'value': 'reduce' if still else 'no-preference'}])

    def open(self, file):
        """Open a file, and wait until its scripts have run."""
        self.events.clear()
        self.ask('Page.navigate', url='file://' + os.path.abspath(file))
        until = time.monotonic() + WAIT
        while 'Page.loadEventFired' not in self.events:
            answer = self._receive(until)
            if 'method' in answer:
                self._note(answer)
        self.settle()

    def settle(self):
        """Wait until the page has been drawn twice."""
        self.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))')

    def run(self, script):
        """Evaluate an expression of JavaScript in the page. Returns its value."""
        said = self.ask('Runtime.evaluate', expression=script, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in said:
            raise Failure(said['exceptionDetails'].get('exception', {}).get('description', script))
        return said['result'].get('value')

    def until(self, script, seconds=20):
        """Wait until an expression of JavaScript is true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise Failure('never: ' + script)
            time.sleep(.05)

    def key(self, key, times=1):
        """Press and release a key."""
        for _ in range(times):
            for kind in ('keyDown', 'keyUp'):
                self.ask('Input.dispatchKeyEvent', type=kind, key=key,
                         text=key if kind == 'keyDown' and len(key) == 1 else '')
        self.settle()

    def drag(self, x, y, dx, dy):
        """Drag with the mouse, from x, y, by dx, dy."""
        mouse = {'button': 'left', 'clickCount': 1}
        self.ask('Input.dispatchMouseEvent', type='mousePressed', x=x, y=y, **mouse)
        for part in (.5, 1):
            self.ask('Input.dispatchMouseEvent', type='mouseMoved', x=x + dx * part, y=y + dy * part,
                     buttons=1, **mouse)
        self.ask('Input.dispatchMouseEvent', type='mouseReleased', x=x + dx, y=y + dy, **mouse)
        self.settle()

    def point(self, x, y):
        """Move the mouse without pressing a button."""
        self.ask('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)
        self.settle()

    def wheel(self, x, y, delta):
        """Turn the mouse wheel at x, y."""
        self.ask('Input.dispatchMouseEvent', type='mouseWheel', x=x, y=y, deltaX=0, deltaY=delta)
        self.settle()

    def touch(self, *moves):
        """Move fingers on a touch screen at the same time. moves: for each finger, the list of points of its way."""
        for i, points in enumerate(zip(*moves)):
            self.ask('Input.dispatchTouchEvent', type='touchMove' if i else 'touchStart',
                     touchPoints=[{'x': x, 'y': y, 'id': n} for n, (x, y) in enumerate(points)])
        self.ask('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])
        self.settle()

    def click(self, selector):
        """Click in the middle of the element that a CSS selector finds."""
        x, y = self.run(f'(() => {{ const b = document.querySelector({json.dumps(selector)})'
                        '.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()')
        for kind in ('mousePressed', 'mouseReleased'):
            self.ask('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
        self.settle()

    def picture(self, file):
        """Save a screenshot in a file, as PNG."""
        with open(file, 'wb') as out:
            out.write(base64.b64decode(self.ask('Page.captureScreenshot', format='png')['data']))
