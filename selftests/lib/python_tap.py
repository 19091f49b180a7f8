# SPDX-License-Identifier: GPL-2.0
"""Runs the tests of a unittest program, and prints TAP."""

import sys
import traceback
import unittest


class _Tap(unittest.TestResult):
    """Prints a line of TAP for each test."""

    def __init__(self):
        super().__init__()
        self._bad, self._why = False, ''

    def startTest(self, test):
        super().startTest(test)
        self._bad, self._why = False, ''

    def stopTest(self, test):
        words = test.id().split('.')[-1].removeprefix('test_').replace('_', ' ')
        skip = f' # SKIP {self._why}' if self._why else ''
        print(f'{"not ok" if self._bad else "ok"} {self.testsRun} {words}{skip}', flush=True)
        super().stopTest(test)

    def _fault(self, error):
        self._bad = True
        for line in ''.join(traceback.format_exception(*error)).splitlines():
            print(f'# {line}')

    def addError(self, test, err):
        super().addError(test, err)
        self._fault(err)

    def addFailure(self, test, err):
        super().addFailure(test, err)
        self._fault(err)

    def addSubTest(self, test, subtest, err):
        super().addSubTest(test, subtest, err)
        if err:
            print(f'# {subtest}')
            self._fault(err)

    def addSkip(self, test, reason):
        super().addSkip(test, reason)
        self._why = reason


def main():
    """Runs all tests of the program, or only those that its arguments name."""
    tests = unittest.defaultTestLoader.loadTestsFromModule(sys.modules['__main__'])
    tests = [test for suite in tests for test in suite
             if len(sys.argv) == 1 or test.id().split('.')[-1].removeprefix('test_') in sys.argv[1:]]
    print(f'TAP version 13\n1..{len(tests)}')
    result = _Tap()
    unittest.TestSuite(tests).run(result)
    sys.exit(not result.wasSuccessful() or not tests)
