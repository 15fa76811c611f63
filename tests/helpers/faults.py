"""Faults put into emitted Verilog: a piece of text that becomes another.

A test of such faults is marked `fault`. Of its slow cases `make test` does all up to the change, so
that a text that is not there any more is found without what looks for the fault.
"""

import re
from contextlib import contextmanager

STOP = []
"""Not empty while a change of a text ends the test."""


class ChangedError(Exception):
    """A text has been changed, and the test is to go no further."""


@contextmanager
def until_changed():
    """Do what is inside up to the first change of a text; it is an error if there is none."""
    STOP.append(True)
    try:
        yield
    except ChangedError:
        return
    finally:
        STOP.pop()
    raise AssertionError("a test that is marked `fault` must change a text, and did not")


def changed(text, other):
    """Text that a fault is in, which ends a test that goes only so far."""
    assert other != text, "must change the text"
    if STOP:
        raise ChangedError
    return other


def changing_module(module, pattern, replacement, places=1):
    """A change of one module of a text, at so many places; of all, if `places` is None.

    The module is named without the network's name, or by a place of it: `router.input_dim0.buffer`
    is what the router's `input_dim0` places as its `buffer`. Without any name, the whole text is
    meant. Lines may break wherever the pattern has a space.
    """
    anywhere = re.compile(pattern.replace(" ", r"\s+"))

    def change(text):
        begin, end = 0, len(text)
        if module:
            begin, end = _placed(text, module)
        other, count = anywhere.subn(replacement, text[begin:end])
        assert count == places or (places is None and count), f"{count} places {pattern}"
        return changed(text, text[:begin] + other + text[end:])

    return change


def _placed(text, path):
    """Where the module at a place begins and ends, of which the first name is that of a module."""
    outermost, *names = path.split(".")
    begin, end = _module(text, outermost)
    for name in names:
        places = re.findall(rf"^  (\w+) {name} \($", text[begin:end], re.M)
        assert len(places) == 1, f"{len(places)} places {name} of {path}"
        begin, end = _module(text, places[0])
    return begin, end


def _module(text, name):
    """Where the only module of a name, with or without the network's, begins and ends."""
    found = [one.start() for one in re.finditer(rf"^module (?:\w+_)?{name} ", text, re.M)]
    assert len(found) == 1, f"{len(found)} modules {name}"
    return found[0], text.index("endmodule", found[0])


def changing(before, after, module="", places=1):
    """The same of a piece of text as it stands there."""
    pattern = " ".join(map(re.escape, before.split(" ")))
    return changing_module(module, pattern, lambda _: after, places)
