"""Rules of the trace-event format, checked event by event."""

from collections import defaultdict
from itertools import pairwise

NEEDS = {
    "M": {"name", "args"},
    "X": {"name", "ts", "dur", "tid"},
    "s": {"name", "cat", "id", "ts", "tid"},
    "f": {"name", "cat", "id", "ts", "tid"},
    "b": {"name", "cat", "id", "ts"},
    "e": {"name", "cat", "id", "ts"},
    "C": {"name", "ts", "args"},
}
"""Members of each kind of event, beside ``ph`` and ``pid``."""


def require_trace(trace):
    """Assert that a trace keeps the format's rules."""
    assert isinstance(trace["traceEvents"], list)
    slices, flows, open_ = defaultdict(list), defaultdict(list), defaultdict(list)
    for event in trace["traceEvents"]:
        assert event.keys() >= NEEDS[event["ph"]] | {"pid"}, event
        assert isinstance(event["pid"], int)
        assert event.get("ts", 0) >= 0
        if event["ph"] == "X":
            assert event["dur"] > 0
            slices[event["pid"], event["tid"]].append((event["ts"], event["ts"] + event["dur"]))
        elif event["ph"] in "sf":
            flows[event["cat"], event["id"]].append(event)
        elif event["ph"] in "be":
            open_[event["cat"], event["id"]].append(event)
    for lane in slices.values():  # slices of a thread nest; here they stand side by side
        lane.sort()
        for (_, end), (begin, _) in pairwise(lane):
            assert end <= begin
    for begin, end in flows.values():
        assert (begin["ph"], end["ph"]) == ("s", "f")
        assert begin["ts"] <= end["ts"]
        for event in (begin, end):
            lane = slices[event["pid"], event["tid"]]
            assert any(first <= event["ts"] < last for first, last in lane)
    for events in open_.values():  # each end closes the last begin of its name
        stack = []
        for event in events:
            if event["ph"] == "b":
                assert not stack or event["ts"] >= stack[-1]["ts"]
                stack.append(event)
            else:
                begin = stack.pop()
                assert begin["name"] == event["name"]
                assert begin["ts"] <= event["ts"]
        assert not stack
