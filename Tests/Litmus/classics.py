"""What every text on memory models begins with, and its verdicts: they test models.py."""

from models import exchange, fence, read, write


def thread(*operations):
    """A thread without branches; its reads are numbered."""
    def body():
        seen = []
        for operation in operations:
            value = yield operation
            if operation[0] == "read":
                seen.append(value)
        return {"seen": seen}
    return body


def buffers(order, between=None):
    return [thread(write("x", 1, order), fence(between), read("y", order)),
            thread(write("y", 1, order), fence(between), read("x", order))]


def messages(to, by):
    return [thread(write("x", 1), write("y", 1, to)), thread(read("y", by), read("x"))]


def loads(order):
    return [thread(read("x", order), write("y", 1, "relaxed")),
            thread(read("y", order), write("x", 1, "relaxed"))]


def independent(order, to):
    return [thread(write("x", 1, to)), thread(write("y", 1, to)),
            thread(read("x", order), read("y", order)), thread(read("y", order), read("x", order))]


def three(last):
    return [thread(write("x", 1), fence(), read("y", "relaxed")), thread(write("y", 1, "release")),
            thread(read("y", "acquire"), fence(last), read("x"))]


def seen(*values):
    return lambda results: tuple(tuple(result["seen"]) for result in results) == values


START = {"x": 0, "y": 0}
IRIW = seen((), (), (1, 0), (1, 0))
# The name, the threads, the end that is asked for, and who allows it.
CLASSICS = [
    ("SB", buffers("relaxed"), seen((0,), (0,)), {"C11", "ARM", "x86"}),
    ("SB, release and acquire", buffers("acq_rel"), seen((0,), (0,)), {"C11", "ARM", "x86"}),
    ("SB, fences", buffers("relaxed", "sc"), seen((0,), (0,)), set()),
    ("SB, sequentially consistent", buffers("sc"), seen((0,), (0,)), set()),
    ("MP", messages("relaxed", "relaxed"), seen((), (1, 0)), {"C11", "ARM"}),
    ("MP, release only", messages("release", "relaxed"), seen((), (1, 0)), {"C11", "ARM"}),
    ("MP, release and acquire", messages("release", "acquire"), seen((), (1, 0)), set()),
    ("LB", loads("relaxed"), seen((1,), (1,)), {"ARM"}),
    ("LB, acquire", loads("acquire"), seen((1,), (1,)), set()),
    ("IRIW", independent("relaxed", "relaxed"), IRIW, {"C11", "ARM"}),
    ("IRIW, release and acquire", independent("acquire", "release"), IRIW, {"C11"}),
    ("IRIW, sequentially consistent", independent("sc", "sc"), IRIW, set()),
    ("RWC, acquire", three(None), seen((0,), (), (1, 0)), {"C11"}),
    ("RWC, fence", three("sc"), seen((0,), (), (1, 0)), set()),
    ("CoRR", [thread(write("x", 1)), thread(read("x"), read("x"))], seen((), (1, 0)), set()),
    ("two exchanges", [thread(exchange("x", 0, 1, "relaxed"), read("x")),
                       thread(exchange("x", 0, 2, "relaxed"), read("x"))], seen((1,), (2,)), set()),
]
