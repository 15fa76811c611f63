"""Traces of packets, in Chrome's format and as a page that Chromium shows."""

import copy
import json
import re
from collections import defaultdict
from itertools import pairwise
from pathlib import Path

import pytest
from helpers.chromium import PHONE, looking_at, require_phone_page
from knotwork import Network
from knotwork_sim.check.simulate import simulate
from knotwork_sim.trace.chrome import CHANNELS, chrome_trace
from knotwork_sim.trace.document import write_trace
from knotwork_sim.traffic.keys import Traffic

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


COMMAND = "knotwork simulate </script> --trace a.html"


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    network = Network.from_word("hypercube:n=3")
    traffic = Traffic(packets=120, rate=0.6, length=(1, 3))
    result = simulate(network, traffic, engine="model", trace_file=Path("a.html"))
    path = tmp_path_factory.mktemp("trace") / "a.html"
    for each in (path, path.with_suffix(".json")):
        write_trace(each, network, result, command=COMMAND)
    return path, result


def test_the_ending_chooses_json_or_a_page_that_loads_nothing(made):
    events = json.loads(made[0].with_suffix(".json").read_text())
    assert events["otherData"]["command"] == COMMAND
    page = made[0].read_text()
    assert page.startswith("<!DOCTYPE html>")
    assert not re.search(r"""(?:src|href)="(?!data:)""", page)
    assert "default-src 'none'" in page
    assert "{{" not in page
    assert len(page) < 200_000
    assert page.count("<script") == 2


def test_a_packets_way_adds_up_and_lights_up(made, chromium):
    path, result = made
    crossings = result.crossings
    slow = int(crossings.packet[crossings.wait.argmax()])
    with looking_at(chromium, path) as page:
        page.wait_for_selector(".heat path", state="attached")
        field = page.get_by_label("packet", exact=True)
        field.fill(str(slow))
        field.press("Enter")
        page.locator(".answer .sum").wait_for()
        rows = page.locator(".answer tbody tr").all()
        told = [row.locator("th, td").all_inner_texts() for row in rows]
        here = crossings.packet == slow
        assert [int(cells[0]) for cells in told[2:-1]] == crossings.head[here].tolist()
        assert [int(cells[2]) for cells in told[2:-1]] == crossings.wait[here].tolist()
        latency = result.packets.rows()[slow]["latency"]
        assert page.locator(".answer .sum").inner_text().startswith(f"Latency {latency} cycles")
        assert page.locator(".lit .way").count() == (crossings.to[here] >= 0).sum()
        page.get_by_label("Next packet").click()
        assert field.input_value() == str(slow + 1)
        page.get_by_role("button", name="Packets", exact=True).click()
        box = page.locator(".lanes").bounding_box()
        page.mouse.click(box["x"] + 30, box["y"] + 22 + 9)
        assert int(field.input_value()) < 120
        page.locator(".lanes").press("Escape")
        assert field.input_value() == ""
        field.fill("<b>")
        field.press("Enter")
        line = page.locator(".answer .reason").inner_text()
        assert line == "packet must be an integer in 0..119, not '<b>'"


def test_the_heat_is_of_the_cycles_that_are_seen(made, chromium):
    path, result = made
    with looking_at(chromium, path) as page:
        page.wait_for_selector(".heat path", state="attached")
        page.get_by_label("Show all cycles").click()
        text = re.compile(r"cycles 0 to (\d+),")
        page.locator(".note", has_text=text).wait_for()
        used = (result.links.flits > 0).sum()
        assert page.locator(".heat path").count() == used
        note = page.locator(".note", has_text=text).inner_text()
        most = float(re.search(r"([\d.]+) flits per cycle at most", note)[1])
        assert most == pytest.approx(result.links.max, rel=0.05)


def test_a_phone_scrolls_no_way_but_down(made, chromium):
    with looking_at(chromium, made[0], viewport=PHONE) as page:
        page.wait_for_selector(".heat path", state="attached")
        require_phone_page(page, "light")


@pytest.fixture(scope="module")
def traced():
    """A run with broadcasts, and its trace in Chrome's format."""
    network = Network.from_word("tcpg:k=1,m=1")
    traffic = Traffic(packets=100, rate=0.5, length=(1, 3), broadcast_share=0.1)
    result = simulate(network, traffic, engine="model", trace_file=Path("a.json"))
    return result, json.loads(chrome_trace(network, result, command=COMMAND))


def test_a_trace_keeps_the_rules_of_its_format_and_packets_last_as_long_as_their_latency(traced):
    require_trace(traced[1])
    result, trace = traced
    events, crossings = trace["traceEvents"], result.crossings
    slices = [event for event in events if event["ph"] == "X"]
    assert {event["pid"] for event in slices} == {CHANNELS}
    assert [event["ts"] for event in slices] == crossings.head.tolist()
    assert sum(event["args"]["flits"] for event in slices) == crossings.flits.sum()
    lasts = {}
    for event in events:
        if event["ph"] in "be" and event["name"].startswith("packet"):
            lasts.setdefault(event["id"], []).append(event["ts"])
    latest = {}
    for row in result.packets.rows():
        latest[row["packet"]] = max(latest.get(row["packet"], 0), row["latency"])
    assert {number: end - begin - 1 for number, (begin, end) in lasts.items()} == latest
    assert trace["otherData"]["mismatches"] is None


@pytest.mark.parametrize(
    "spoil",
    [
        lambda event: event["ph"] == "X" and event.update(dur=10**6),
        lambda event: event["ph"] == "f" and event.update(ts=10**6),
        lambda event: event["ph"] == "e" and event.update(name="other"),
        lambda event: event["ph"] == "b" and event.pop("id"),
    ],
)
def test_a_broken_trace_is_seen(traced, spoil):
    trace = copy.deepcopy(traced[1])
    spoilt = [event for event in trace["traceEvents"] if spoil(event) is not False]
    assert spoilt
    with pytest.raises((AssertionError, KeyError)):
        require_trace(trace)
