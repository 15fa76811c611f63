import copy
import json
from pathlib import Path

import pytest
from helpers.trace_events import require_trace
from knotwork import Network
from knotwork_sim.check.simulate import simulate
from knotwork_sim.trace.chrome import CHANNELS, chrome_trace
from knotwork_sim.traffic.keys import Traffic


@pytest.fixture(scope="module")
def made():
    network = Network.from_word("tcpg:k=1,m=1")
    traffic = Traffic(packets=100, rate=0.5, length=(1, 3), broadcast_share=0.1)
    result = simulate(network, traffic, engine="model", trace_file=Path("a.json"))
    return result, json.loads(chrome_trace(network, result, command="knotwork simulate"))


def test_a_trace_keeps_the_rules_of_its_format(made):
    require_trace(made[1])


@pytest.mark.parametrize(
    "spoil",
    [
        lambda event: event["ph"] == "X" and event.update(dur=10**6),
        lambda event: event["ph"] == "f" and event.update(ts=10**6),
        lambda event: event["ph"] == "e" and event.update(name="other"),
        lambda event: event["ph"] == "b" and event.pop("id"),
    ],
)
def test_a_broken_trace_is_seen(made, spoil):
    trace = copy.deepcopy(made[1])
    spoilt = [event for event in trace["traceEvents"] if spoil(event) is not False]
    assert spoilt
    with pytest.raises((AssertionError, KeyError)):
        require_trace(trace)


def test_slices_are_the_visits_and_packets_last_as_long_as_their_latency(made):
    result, trace = made
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
