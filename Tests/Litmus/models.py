"""All executions of small programs on shared memory, in three models of memory.

A thread is a generator: it yields operations, is sent what they read, and returns what a test looks
at. A candidate execution picks for each read the write that it reads (`rf`), and for each location
an order of its writes (`co`). All candidates are made; a model says which can happen:

- C11: the language's, as repaired by Lahav and others ("RC11", PLDI 2017). Its verdicts hold for
  whatever a compiler and a processor make of the source. A thread's later writes to a location
  continue a release, as up to C++17; C++20 dropped that, but no processor did.
- ARM: Armv8's, as in its manual's chapter on the memory model: accesses may take effect in any
  order that no barrier, release or acquire forbids. No dependency between instructions is counted
  on, and `.acquiring` is taken for the weaker of the two instructions that it may become (LDAPR).
- x86: total store order: a write may take effect after later reads of its thread.

In all of them each location by itself has one order of writes that no thread contradicts.
"""

import functools
import itertools
import operator

MODELS = ("C11", "ARM", "x86")


# -- What a thread may yield: `order` is "plain", "relaxed", "acquire", "release", "acq_rel" or
# "sc"; a fence without one is none

def read(place, order="plain"):
    return ("read", place, order)


def write(place, value, order="plain"):
    return ("write", place, value, order)


def exchange(place, old, new, order, failure="relaxed"):
    """Compares and exchanges; what is sent back is the value found."""
    return ("exchange", place, old, new, order, failure)


def fence(order="sc"):
    return ("fence", order)


def barrier_in_all_threads(order="sc"):
    """What membarrier(2) does: every other thread passes a full fence, somewhere in between."""
    return ("membarrier", order)


class Event:
    __slots__ = ("thread", "kind", "place", "value", "order", "partner", "source")

    def __init__(self, thread, kind, place=None, value=None, order="plain"):
        self.thread, self.kind, self.place = thread, kind, place
        self.value, self.order, self.partner = value, order, None

    acquires = property(lambda self: self.order in ("acquire", "acq_rel", "sc"))
    releases = property(lambda self: self.order in ("release", "acq_rel", "sc"))
    is_sc = property(lambda self: self.order == "sc")


# -- All paths of one thread

def paths(make, values):
    """Each way through a thread: its operations with the values found, and its result."""
    found, pending = [], [()]
    while pending:
        choices = pending.pop()
        thread, steps, reads = make(), [], 0
        try:
            operation = next(thread)
            while True:
                sent = None
                if operation[0] in ("read", "exchange"):
                    if reads == len(choices):
                        pending += [choices + (value,) for value in values[operation[1]]]
                        break
                    sent = choices[reads]
                    reads += 1
                steps.append((operation, sent))
                operation = thread.send(sent)
        except StopIteration as end:
            found.append((steps, end.value or {}))
    return found


def written(operation, sent):
    if operation[0] == "write":
        return operation[2]
    return operation[3] if operation[0] == "exchange" and sent == operation[2] else None


def possible_values(threads, start):
    """What each location may hold, as far as any path of any thread writes it."""
    values = {place: {value} for place, value in start.items()}
    while True:
        size = sum(map(len, values.values()))
        for thread in threads:
            for steps, _ in paths(thread, values):
                for operation, sent in steps:
                    new = written(operation, sent)
                    if new is not None:
                        values[operation[1]].add(new)
        if size == sum(map(len, values.values())):
            return values


def events_of(thread, steps):
    events = []
    for operation, sent in steps:
        kind = operation[0]
        if kind == "fence":
            events += [Event(thread, "fence", order="sc")] if operation[1] else []
        elif kind == "membarrier":
            names = ("before", "after") if operation[1] else ()
            events += [Event(thread, name, order="sc") for name in names]
        elif kind == "read":
            events.append(Event(thread, "read", operation[1], sent, operation[2]))
        elif kind == "write":
            events.append(Event(thread, "write", operation[1], operation[2], operation[3]))
        elif sent != operation[2]:
            events.append(Event(thread, "read", operation[1], sent, operation[5]))
        else:
            events.append(Event(thread, "read", operation[1], sent, operation[4]))
            events.append(Event(thread, "write", operation[1], operation[3], operation[4]))
            events[-2].partner, events[-1].partner = events[-1], events[-2]
    return events


def with_fences(rows):
    """The threads' events, with what a barrier in all threads adds at each place in the others."""
    callers = {event.thread for row in rows for event in row if event.kind == "before"}
    if not callers:
        yield rows
        return
    choices = []
    for thread, row in enumerate(rows):
        ways = [row]
        for caller in callers - {thread}:
            ways = [
                way[:place] + [Event(thread, "forced", caller, order="sc")] + way[place:]
                for way in ways for place in range(len(way) + 1)
                if not (0 < place < len(way) and way[place].partner is way[place - 1])]
        choices.append(ways)
    yield from itertools.product(*choices)


# -- Candidates

def candidates(threads, start):
    """Each candidate execution, with the threads' results."""
    values = possible_values(threads, start)
    for combination in itertools.product(*(paths(thread, values) for thread in threads)):
        rows = [events_of(number, steps) for number, (steps, _) in enumerate(combination)]
        yield [result for _, result in combination], rows


def executions(rows, start):
    for chosen in with_fences(rows):
        first = [Event(-1, "write", place, value) for place, value in start.items()]
        yield from wirings(first + [event for row in chosen for event in row], len(start))


def wirings(events, start_count):
    """Each choice of `rf` and `co` that no location by itself forbids."""
    places = {}
    for number, event in enumerate(events):
        if event.place is not None and event.kind in ("read", "write"):
            places.setdefault(event.place, []).append(number)
    options = []
    for numbers in places.values():
        options.append(list(orders(events, numbers)))
        if not options[-1]:
            return
    for choice in itertools.product(*options):
        yield Execution(events, start_count, choice)


def orders(events, numbers):
    """For one location: each order of writes and source of each read that all can believe."""
    writes = [number for number in numbers if events[number].kind == "write"]
    reads = [number for number in numbers if events[number].kind == "read"]
    for rest in itertools.permutations(writes[1:]):
        order = writes[:1] + list(rest)
        rank = {number: place for place, number in enumerate(order)}
        if not all(rank[a] < rank[b] for a, b in itertools.combinations(writes[1:], 2)
                   if events[a].thread == events[b].thread):
            continue
        sources = [[w for w in order if events[w].value == events[r].value] for r in reads]
        for found in itertools.product(*sources):
            if is_believable(events, numbers, rank, dict(zip(reads, found))):
                yield order, dict(zip(reads, found))


def is_believable(events, numbers, rank, source):
    last = {}
    for number in numbers:
        event = events[number]
        if event.kind == "read":
            at = rank[source[number]]
            if events[source[number]].thread == event.thread and source[number] > number:
                return False
            if event.partner and rank[number + 1] != at + 1:
                return False
        else:
            at = rank[number]
        if at < last.get(event.thread, -1):
            return False
        last[event.thread] = at
    return True


# -- Relations, as one row of bits per event

def closed(rows):
    rows = list(rows)
    for middle in range(len(rows)):
        bit, through = 1 << middle, rows[middle]
        for number, row in enumerate(rows):
            if row & bit:
                rows[number] |= through
        through = rows[middle]
    return rows


def is_acyclic(rows):
    return all(not row >> number & 1 for number, row in enumerate(closed(rows)))


def union(*relations):
    return [functools.reduce(operator.or_, rows) for rows in zip(*relations)]


def then(left, right):
    result = []
    for row in left:
        found = 0
        while row:
            low = row & -row
            found |= right[low.bit_length() - 1]
            row ^= low
        result.append(found)
    return result


class Execution:
    def __init__(self, events, start_count, choice):
        self.events, self.count = events, len(events)
        every = range(self.count)
        self.po = self.relation(
            (a, b) for a in every for b in range(a + 1, self.count)
            if events[a].thread == events[b].thread or events[a].thread == -1)
        self.rf = self.relation((w, r) for _, source in choice for r, w in source.items())
        self.co = self.relation(
            pair for order, _ in choice for pair in itertools.combinations(order, 2))
        self.fr = self.relation(
            (r, later) for order, source in choice for r, w in source.items()
            for later in order[order.index(w) + 1:] if later != r)
        self.forced = self.relation(
            pair for a in every if events[a].kind == "forced" for b in every
            if events[b].thread == events[a].place
            for pair in ([(b, a)] if events[b].kind == "before" else
                         [(a, b)] if events[b].kind == "after" else []))

    def relation(self, pairs):
        rows = [0] * self.count
        for a, b in pairs:
            rows[a] |= 1 << b
        return rows

    def where(self, rows, test):
        """The pairs of a relation that pass a test of their two events."""
        events = self.events
        return [sum(1 << b for b in range(self.count)
                    if row >> b & 1 and test(events[a], events[b])) for a, row in enumerate(rows)]

    def only(self, test):
        return [1 << n if test(event) else 0 for n, event in enumerate(self.events)]

    def is_allowed(self, model):
        return {"C11": self.is_c11, "ARM": self.is_arm, "x86": self.is_x86}[model]()

    fences = property(lambda self: self.only(
        lambda e: e.kind in ("fence", "forced", "before", "after")))

    def is_c11(self):
        every = self.only(lambda e: True)
        fences, po = self.fences, self.po
        same = lambda a, b: a.place == b.place and a.kind != "fence" and b.kind in ("read", "write")
        writes = self.only(lambda e: e.kind == "write")
        reads = self.only(lambda e: e.kind == "read")
        rmw = self.where(po, lambda a, b: a.partner is b)
        continued = union(writes, self.where(then(writes, po), lambda a, b: (
            same(a, b) and b.kind == "write" and a.thread == b.thread)))
        chain = union(every, closed(then(self.rf, rmw)))
        release = then(union(self.only(lambda e: e.kind == "write" and e.releases),
                             then(then(fences, po), writes)), then(continued, chain))
        acquire = union(self.only(lambda e: e.kind == "read" and e.acquires),
                        then(then(reads, po), fences))
        sw = then(then(release, self.rf), acquire)
        hb = closed(union(po, sw, self.forced))
        eco = closed(union(self.rf, self.co, self.fr))
        if any((row | part) >> n & 1 for n, (row, part) in enumerate(zip(hb, then(hb, eco)))):
            return False
        if not is_acyclic(union(po, self.rf)):
            return False
        other = self.where(po, lambda a, b: not same(a, b))
        scb = union(po, then(then(other, hb), other), self.where(hb, same), self.co, self.fr)
        sc, hbq = self.only(lambda e: e.kind in ("read", "write") and e.is_sc), union(every, hb)
        base = then(then(union(sc, then(fences, hbq)), scb), union(sc, then(hbq, fences)))
        between = then(then(fences, union(hb, then(then(hb, eco), hb))), fences)
        return is_acyclic(union(base, between))

    def is_arm(self):
        po, fences = self.po, self.fences
        apart = lambda rows: self.where(rows, lambda a, b: a.thread != b.thread)
        accesses = lambda e: e.kind in ("read", "write")
        release = self.only(lambda e: e.kind == "write" and e.releases)
        # LDAR; what only acquires may be LDAPR, which a release before it does not hold back.
        strong = self.only(lambda e: e.kind == "read" and (
            e.is_sc or e.partner is not None and e.acquires))
        acquire = self.only(lambda e: e.kind == "read" and e.acquires)
        bob = union(then(then(po, fences), po), then(po, fences), then(fences, po),
                    then(then(release, po), strong), then(acquire, po), then(po, release))
        lws = self.where(po, lambda a, b: a.place == b.place and accesses(a) and b.kind == "write")
        rmw = self.where(po, lambda a, b: a.partner is b)
        forwarded = self.where(self.rf, lambda a, b: a.thread == b.thread and a.partner is not None
                               and b.acquires)
        return is_acyclic(union(apart(self.rf), apart(self.co), apart(self.fr), bob, lws, rmw,
                                forwarded, self.forced))

    def is_x86(self):
        locked = lambda e: e.partner is not None or e.kind == "write" and e.is_sc
        kept = self.where(self.po, lambda a, b: not (a.kind == "write" and b.kind == "read")
                          or locked(a) or locked(b))
        apart = self.where(self.rf, lambda a, b: a.thread != b.thread)
        return is_acyclic(union(kept, apart, self.co, self.fr, self.forced))
