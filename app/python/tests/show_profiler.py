"""Shows what a profiler recorded and ends at once; prints the number of the process that the window belongs to."""

import sys

import syncline
from test_syncline import FakeProfiler

profiler = FakeProfiler()
profiler.is_finished = True
window = syncline.show(profiler)
assert window.is_open
print(window._process.pid)
sys.stdout.flush()
