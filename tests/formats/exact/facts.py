"""What a capture holds, in the terms in which a file and its export are compared."""

import collections

Series = list


class Facts:
    def __init__(self):
        # Of each span: process, thread, name, start, length.
        self.spans = []
        # Pairs of places in the list of spans.
        self.flows = []
        # Samples by process, name, number and field.
        self.counters = collections.OrderedDict()
        # Ends that no open span has, and begins that never end.
        self.stray = 0
        self.open = 0
        # What a file does not say: then it is not compared.
        self.unknown = set()
        # Whether all dependencies of the capture are arrows of the file, whatever their kind.
        self.all_ties = False
        # Whether launches are arrows of the file, as no number tells them.
        self.draws_launches = False

    def span(self, process, thread, name, start, end):
        self.spans.append((process, thread, name, start, max(0, end - start)))
        return len(self.spans) - 1

    def flow(self, cause, effect):
        self.flows.append((cause, effect))

    def series(self, *key):
        return self.counters.setdefault(key, Series())

    def zero(self):
        return min((it[3] for it in self.spans), default=0)
