# SPDX-License-Identifier: GPL-2.0
"""A browser without a window, as far as tests need one.

Chromium listens on a pipe: requests and answers are JSON with a NUL behind each.
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
    """One page of one browser; what the page complains about is in .complaints"""

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
        """Calls a method of the protocol."""
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
        """Sets what the page believes of its window and its reader."""
        self.ask('Emulation.setDeviceMetricsOverride', width=width, height=height, deviceScaleFactor=1,
                 mobile=False)
        self.ask('Emulation.setEmulatedMedia', features=[
            {'name': 'prefers-color-scheme', 'value': scheme},
            {'name': 'prefers-reduced-motion', 'value': 'reduce' if still else 'no-preference'}])

    def open(self, file):
        """Opens a file, and waits until its scripts have run."""
        self.events.clear()
        self.ask('Page.navigate', url='file://' + os.path.abspath(file))
        until = time.monotonic() + WAIT
        while 'Page.loadEventFired' not in self.events:
            answer = self._receive(until)
            if 'method' in answer:
                self._note(answer)
        self.settle()

    def settle(self):
        """Waits for the next two frames."""
        self.run('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))')

    def run(self, script):
        """The value of an expression in the page."""
        said = self.ask('Runtime.evaluate', expression=script, awaitPromise=True, returnByValue=True)
        if 'exceptionDetails' in said:
            raise Failure(said['exceptionDetails'].get('exception', {}).get('description', script))
        return said['result'].get('value')

    def until(self, script, seconds=20):
        """Waits for an expression to become true."""
        end = time.monotonic() + seconds
        while not self.run(script):
            if time.monotonic() > end:
                raise Failure('never: ' + script)
            time.sleep(.05)

    def key(self, key, times=1):
        """Presses a key."""
        for _ in range(times):
            for kind in ('keyDown', 'keyUp'):
                self.ask('Input.dispatchKeyEvent', type=kind, key=key,
                         text=key if kind == 'keyDown' and len(key) == 1 else '')
        self.settle()

    def drag(self, x, y, dx, dy):
        """Drags with the mouse."""
        mouse = {'button': 'left', 'clickCount': 1}
        self.ask('Input.dispatchMouseEvent', type='mousePressed', x=x, y=y, **mouse)
        for part in (.5, 1):
            self.ask('Input.dispatchMouseEvent', type='mouseMoved', x=x + dx * part, y=y + dy * part,
                     buttons=1, **mouse)
        self.ask('Input.dispatchMouseEvent', type='mouseReleased', x=x + dx, y=y + dy, **mouse)
        self.settle()

    def point(self, x, y):
        """Moves the mouse, nothing pressed."""
        self.ask('Input.dispatchMouseEvent', type='mouseMoved', x=x, y=y)
        self.settle()

    def wheel(self, x, y, delta):
        """Turns the wheel."""
        self.ask('Input.dispatchMouseEvent', type='mouseWheel', x=x, y=y, deltaX=0, deltaY=delta)
        self.settle()

    def touch(self, *moves):
        """Fingers, each a list of points, go along them at the same time."""
        for i, points in enumerate(zip(*moves)):
            self.ask('Input.dispatchTouchEvent', type='touchMove' if i else 'touchStart',
                     touchPoints=[{'x': x, 'y': y, 'id': n} for n, (x, y) in enumerate(points)])
        self.ask('Input.dispatchTouchEvent', type='touchEnd', touchPoints=[])
        self.settle()

    def click(self, selector):
        """Clicks in the middle of an element."""
        x, y = self.run(f'(() => {{ const b = document.querySelector({json.dumps(selector)})'
                        '.getBoundingClientRect(); return [b.x + b.width / 2, b.y + b.height / 2]; })()')
        for kind in ('mousePressed', 'mouseReleased'):
            self.ask('Input.dispatchMouseEvent', type=kind, x=x, y=y, button='left', clickCount=1)
        self.settle()

    def picture(self, file):
        """A screenshot."""
        with open(file, 'wb') as out:
            out.write(base64.b64decode(self.ask('Page.captureScreenshot', format='png')['data']))
