#!/usr/bin/env python3
"""What threads and processes agree on without a lock, as small programs that must never go wrong.

Each protocol names its orderings as the source has them. It must never end badly: not in the
language's model of memory, nor in Armv8's or x86's. Then each ordering is weakened alone, and who
allows a bad end then must be what is written here: so that none is there without a reason, and the
models are known to find what they are there for. What they say of the textbooks' examples comes
first.

Run it without arguments; models.py says what is counted, and what the models leave out.
"""

import sys

from classics import CLASSICS, START
from models import MODELS, barrier_in_all_threads, candidates, exchange, executions, fence
from models import read, write

def reclaiming(o):
    """A writer unlinks object 0, and frees it once the reader was seen outside, or seen to move."""
    def reader():
        bad = False
        for count in (1, 3):
            yield write("count", count, "relaxed")
            place = yield read("current", o["load"])
            bad = bad or (yield read(f"object {place}")) != 1
            yield write("count", count + 1, o["leave"])
        return {"bad": bad}

    def writer():
        yield write("object 1", 1)
        yield write("current", 1, o["publish"])
        yield barrier_in_all_threads(o["barrier"])
        seen = yield read("count", o["look"])
        if seen % 2 == 1 and (yield read("count", o["look"])) == seen:
            return
        yield write("object 0", 2)
    return [reader, writer]


def changing_to_barriers(o):
    """Each read has a fence, until a thread has had the kernel make barriers in all threads."""
    def reader():
        yield write("count", 1, "relaxed")
        if (yield read("needs fence", o["see"])) == 1:
            yield fence(o["reader"])
        place = yield read("current", "acquire")
        if (yield read(f"object {place}")) != 1:
            return {"bad": True}
        yield write("count", 2, "release")

    def writer():
        yield write("object 1", 1)
        yield write("current", 1, "release")
        yield fence(o["writer"])
        if (yield read("has barriers", "relaxed")) == 1:
            yield barrier_in_all_threads(o["barrier"])
        if (yield read("count", "acquire")) % 2 == 0:
            yield write("object 0", 2)

    def asker():
        yield write("has barriers", 1, "relaxed")
        yield fence(o["asked"])
        yield write("needs fence", 0, "relaxed")
    return [reader, writer, asker]


def first_reader(o):
    """A writer that knows of no other reader frees at once; a thread becomes one at that moment."""
    def reader():
        yield exchange("first", 0, 1, "acq_rel")
        yield fence(o["register"])
        place = yield read("current", "acquire")
        if (yield read(f"object {place}")) != 1:
            return {"bad": True}

    def writer():
        yield write("object 1", 1)
        yield write("current", 1, "release")
        yield fence(o["is_alone"])
        if (yield read("first", "acquire")) == 0:
            yield write("object 0", 2)
    return [reader, writer]


def reused_record(o):
    """A thread ends, and another takes its record: it must go on from an even count."""
    def ended():
        yield write("count", 1, "relaxed")
        yield write("count", 2, "release")
        yield write("taken", 0, o["leave"])

    def new():
        if (yield exchange("taken", 0, 2, o["take"])) != 0:
            return {}
        return {"bad": (yield read("count", "relaxed")) != 2}
    return [ended, new]


def table(o):
    """Another process commits; a thread takes that into the table; another one reads that."""
    def process():
        yield write("record", 1)
        yield exchange("word", 0, 1, o["commit"])

    def follower():
        if (yield read("word", o["follow"])) != 1:
            return {}
        if (yield read("record")) != 1:
            return {"bad": True}
        yield write("entry", 1)
        yield write("slot", 1, o["put"])
        yield write("applied", 1, o["applied"])

    def reader():
        word = yield read("word", "acquire")
        if (yield read("applied", o["load applied"])) != word:
            return {}
        found = yield read("slot", o["find"])
        if found == 1 and (yield read("entry")) != 1:
            return {"bad": True}
        return {"bad": word == 1 and found == 0}
    return [process, follower, reader]


def replaced_view(o):
    """A table grows: entries move to new slots, and the view that leads there is published."""
    def writer():
        yield write("slot", 1, "relaxed")
        yield write("mask", 1)
        yield write("current", 1, o["publish"])

    def reader():
        if (yield read("current", o["load"])) == 0:
            return {}
        mask = yield read("mask")
        return {"bad": mask == 0 or (yield read("slot", "acquire")) == 0}
    return [writer, reader]


def completeness(o):
    """A key that the property list has comes into the table, which is then complete: a read that
    does not find the key must not take the table for one that was complete before."""
    def writer():
        yield write("slot", 1, "release")
        yield write("complete", 1, o["complete"])

    def reader():
        complete = (yield read("complete", o["ask"])) if o["ask first"] else None
        found = yield read("slot", "acquire")
        if complete is None:
            complete = yield read("complete", o["ask"])
        return {"bad": found == 0 and complete == 1}
    return [writer, reader]


def appending(o):
    """A record is written, marked and committed; a process that waited makes it void, or commits
    what is marked. Words: 0 free, 1 reserved, 2 past it. Marks: 0, 1 counts, 2 void."""
    def writer():
        if (yield exchange("word", 0, 1, o["reserve"])) != 0:
            return {}
        yield write("record", 1)
        counts = (yield exchange("mark", 0, 1, o["mark"])) == 0
        yield exchange("word", 1, 2, o["commit"])
        return {"counts": counts}

    def helper():
        if (yield read("word", "acquire")) != 1:
            return {}
        mark = yield read("mark", o["see mark"])
        if mark == 0:
            yield exchange("mark", 0, 2, o["mark"], o["mark taken"])
        yield exchange("word", 1, 2, o["help"])

    def reader():
        if (yield read("word", o["follow"])) != 2:
            return {}
        mark = yield read("mark")
        if mark == 1 and (yield read("record")) != 1:
            return {"bad": True}
        return {"bad": mark == 0, "mark": mark}
    return [writer, helper, reader]


def disagree(results):
    return results[0].get("counts") is True and results[2].get("mark") == 2 or \
        results[0].get("counts") is False and results[2].get("mark") == 1


def announcing(o):
    """A checkpoint is announced in a journal while that is retired: one of the two must see the
    other, and so must who finds it retired and goes on in place of one who stopped."""
    def announcer():
        yield write("intent", 1)
        yield fence(o["announce"])
        return {"word": (yield read("word", "acquire"))}

    def retirer():
        yield exchange("word", 0, 1, "sc")
        yield fence(o["retire"])
        return {"intent": (yield read("intent"))}

    def successor():
        word = yield read("word", "acquire")
        if word == 0:
            return {}
        yield fence(o["find retired"])
        return {"intent": (yield read("intent"))}
    return [announcer, retirer, successor]


def unseen(results):
    return results[0]["word"] == 0 and any(found.get("intent") == 0 for found in results[1:])


def synchronizing(o):
    """The same for the length that is durable, which the successor must make durable, too."""
    def syncer():
        yield exchange("synced", 0, 1, "sc")
        yield fence(o["sync"])
        return {"word": (yield read("word", "acquire"))}

    def retirer():
        yield exchange("word", 0, 1, "sc")
        yield fence(o["retire"])
        return {"intent": (yield read("synced", "acquire"))}
    return [syncer, retirer]


def watching(o):
    """A process begins to watch while another commits: it is woken, or sees what was committed.
    Its look at the journal comes after the count. Observers of one process do the same."""
    def writer():
        yield exchange("word", 0, 1, o["commit"])
        return {"watchers": (yield read("watchers", o["ask"]))}

    def watcher():
        yield exchange("watchers", 0, 1, "sc")
        yield fence(o["count"])
        return {"word": (yield read("word", "acquire"))}
    return [writer, watcher]


def causality(o):
    """Who has seen a process's second set, in one domain, sees its first, in another."""
    def process():
        yield exchange("word 1", 0, 1, o["commit"])
        yield exchange("word 2", 0, 1, o["commit"])

    def other():
        second = yield read("word 2", o["read"])
        return {"bad": second == 1 and (yield read("word 1", o["read"])) == 0}
    return [process, other]


def epoch(o):
    """The first set to a domain without a journal: who sees the epoch move finds the journal."""
    def process():
        yield write("journal", 1, "relaxed")
        yield exchange("epoch", 0, 1, o["move"])

    def reader():
        seen = yield read("epoch", o["read"])
        return {"bad": seen == 1 and (yield read("journal", "relaxed")) == 0}
    return [process, reader]


def hint(o):
    """Whoever takes a hint sees what it was raised for."""
    def raiser():
        yield write("news", 1)
        yield write("raised", 1, o["raise"])

    def taker():
        if (yield read("raised", o["take"])) == 0 or \
                (yield exchange("raised", 1, 0, o["take"])) == 0:
            return {}
        return {"bad": (yield read("news")) == 0}
    return [raiser, taker]


def lock_word(o):
    """The lock of journals of version 1, and every record that is taken by an exchange."""
    def owner(number):
        def body():
            if (yield exchange("lock", 0, 1, o["take"])) != 0:
                return {}
            seen = yield read("guarded")
            yield write("guarded", number)
            yield write("lock", 0, o["give"])
            return {"seen": seen}
        return body
    return [owner(1), owner(2)]


def lost_update(results):
    return [found.get("seen") for found in results] == [0, 0]


def any_bad(results):
    return any(found.get("bad") for found in results)


A, R, X, F = ("acquire", "relaxed"), ("release", "relaxed"), ("acq_rel", "relaxed"), ("sc", None)
ALL, WEAK, LANGUAGE, SPARE = {"C11", "ARM", "x86"}, {"C11", "ARM"}, {"C11"}, set()
# The language's model, unlike Armv8's, lets no read be satisfied by what happens because of it.
HARDWARE = {"ARM"}

# For each protocol: where it is, what it must not end in, what is in memory at first; and for each
# ordering what it is in the source, what is tried instead, and who allows a bad end then.
PROTOCOLS = [
    (reclaiming, "Platform/Readers.swift", any_bad,
     {"count": 0, "current": 0, "object 0": 1, "object 1": 0},
     {"load": (*A, WEAK), "leave": (*R, HARDWARE), "publish": (*R, WEAK), "look": (*A, HARDWARE),
      "barrier": (*F, ALL)}),
    (changing_to_barriers, "CStrata/readers.c", any_bad,
     {"count": 0, "current": 0, "object 0": 1, "object 1": 0, "has barriers": 0, "needs fence": 1},
     {"reader": (*F, ALL), "see": (*A, WEAK), "writer": (*F, ALL), "barrier": (*F, ALL),
      "asked": (*F, WEAK)}),
    # On x86 the exchange that registers is a fence itself.
    (first_reader, "CStrata/readers.c", any_bad,
     {"first": 0, "current": 0, "object 0": 1, "object 1": 0},
     {"register": (*F, WEAK), "is_alone": (*F, ALL)}),
    (reused_record, "CStrata/readers.c", any_bad, {"count": 0, "taken": 1},
     {"leave": (*R, WEAK), "take": (*X, WEAK)}),
    (table, "Coherence/View.swift", any_bad,
     {"record": 0, "word": 0, "entry": 0, "slot": 0, "applied": 0},
     {"commit": (*X, WEAK), "follow": (*A, WEAK), "put": (*R, WEAK), "applied": (*R, WEAK),
      "load applied": (*A, WEAK), "find": (*A, WEAK)}),
    (replaced_view, "Coherence/Table.swift", any_bad, {"slot": 0, "mask": 0, "current": 0},
     {"publish": (*R, WEAK), "load": (*A, WEAK)}),
    (completeness, "Coherence/View.swift", any_bad, {"slot": 0, "complete": 0},
     {"complete": (*R, WEAK), "ask": (*A, WEAK), "ask first": (True, False, ALL)}),
    # Nothing but the exchange itself is asked of the one that reserves.
    (appending, "Files/Journal+Appending.swift",
     lambda results: any_bad(results) or disagree(results), {"word": 0, "record": 0, "mark": 0},
     {"reserve": (*X, SPARE), "mark": (*X, WEAK), "mark taken": (*A, LANGUAGE),
      "see mark": (*A, LANGUAGE), "commit": (*X, WEAK), "help": (*X, WEAK), "follow": (*A, WEAK)}),
    (announcing, "Store/Store+Checkpoint.swift", unseen, {"word": 0, "intent": 0},
     {"announce": (*F, ALL), "retire": (*F, WEAK), "find retired": (*F, LANGUAGE)}),
    (synchronizing, "Store/Store+Flushing.swift", unseen, {"word": 0, "synced": 0},
     {"sync": (*F, WEAK), "retire": (*F, WEAK)}),
    (watching, "Store/Store+Watching.swift",
     lambda results: results[0]["watchers"] == 0 and results[1]["word"] == 0,
     {"word": 0, "watchers": 0},
     {"commit": ("sc", "acq_rel", LANGUAGE), "ask": ("sc", "acquire", WEAK), "count": (*F, WEAK)}),
    (causality, "Coherence/View.swift", any_bad, {"word 1": 0, "word 2": 0},
     {"commit": (*X, WEAK), "read": (*A, WEAK)}),
    (epoch, "Coherence/JournalEpoch.swift", any_bad, {"journal": 0, "epoch": 0},
     {"move": ("release", "relaxed", WEAK), "read": (*A, WEAK)}),
    (hint, "Coherence/ChangeHint.swift", any_bad, {"news": 0, "raised": 0},
     {"raise": (*R, WEAK), "take": (*A, WEAK)}),
    (lock_word, "Files/Journal+Version1.swift", lost_update, {"lock": 0, "guarded": 0},
     {"take": (*A, WEAK), "give": (*R, WEAK)}),
]


def bad_models(threads, start, is_bad):
    """The models that allow a bad end; and how many candidates there are, and with a bad end."""
    found, count, bad = set(), 0, 0
    for results, rows in candidates(threads, start):
        for execution in executions(rows, start):
            count += 1
            if is_bad(results):
                bad += 1
                found |= {model for model in MODELS if execution.is_allowed(model)}
    return found, count, bad


def main():
    total, failures = 0, []
    for name, threads, is_asked, expected in CLASSICS:
        found, count, _ = bad_models(threads, START, is_asked)
        total += count
        if found != expected:
            failures.append(f"{name} is allowed by {named(found)}, not by {named(expected)}")
    for make, source, is_bad, start, orders in PROTOCOLS:
        now = {name: order[0] for name, order in orders.items()}
        found, count, bad = bad_models(make(now), start, is_bad)
        total += count
        print(f"{make.__name__} ({source}): {count} candidates, {bad} end badly, "
              f"allowed by {named(found)}")
        if found:
            failures.append(f"{make.__name__} can go wrong as it is, by {named(found)}")
        for name, (_, weaker, expected) in orders.items():
            found, count, bad = bad_models(make({**now, name: weaker}), start, is_bad)
            total += count
            print(f"    without {name}: {bad} of {count} end badly, allowed by {named(found)}")
            if found != expected:
                failures.append(f"{make.__name__} without {name}: allowed by {named(found)}, "
                                f"not by {named(expected)}")
    print(f"{len(CLASSICS)} classics, {len(PROTOCOLS)} protocols, "
          f"{sum(len(row[4]) for row in PROTOCOLS)} weakened orderings, "
          f"{total} candidate executions")
    for failure in failures:
        print(failure, file=sys.stderr)
    return 1 if failures else 0


def named(models):
    return ", ".join(sorted(models)) or "none"


if __name__ == "__main__":
    sys.exit(main())
