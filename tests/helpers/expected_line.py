"""The lines that the self-test must write for windows."""

GAINED = {"lost": -1, "duplicated": 1, "corrupted": 0, "misrouted": 0, "refused": -1}
"""Packets that arrive more than are sent where a fault of each kind is injected."""


def expected_line(name, window, verdict, *, sent, received, **errors):
    """Line of a window with its line end; counters of errors that are not named are 0."""
    counts = dict.fromkeys(("lost", "duplicated", "corrupted", "misrouted", "refused"), 0) | errors
    words = " ".join(f"{key}={value}" for key, value in counts.items())
    return f"{name} window={window} sent={sent} received={received} {words} {verdict}\r\n"


def expected_lines(name, sent, faults, *, start=0):
    """Lines of windows from `start` on, each with a fault of `GAINED`, or None for a sound one."""
    return [
        expected_line(name, window, "FAIL", sent=sent, received=sent + GAINED[fault], **{fault: 1})
        if fault
        else expected_line(name, window, "PASS", sent=sent, received=sent)
        for window, fault in enumerate(faults, start)
    ]
