"""A wrong link makes the cocotb test itself fail, in networks of every kind."""

import dataclasses
import pickle
import re
from collections import defaultdict
from functools import partial
from typing import NamedTuple

import pytest
from helpers.faults import changed
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.emit.ports import link_members
from knotwork.errors import ToolError
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import make_job
from knotwork_sim.rtl.job import JOB_VARIABLE
from knotwork_sim.rtl.verilator import build_simulator
from knotwork_sim.rtl.wrapper import TOP, wrapper_verilog
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets


class Pin(NamedTuple):
    """Pin of a router, where its text is, and the link and member whose wire it is on."""

    text: str
    place: tuple[int, int]
    link: str
    member: str
    is_input: bool


def link_inputs(network, verilog):
    """Pins at the receiver of each link between routers, by link: all of its members."""
    members = link_members(network)
    directions = {}
    for part in re.split(r"(?=^module )", verilog, flags=re.MULTILINE)[1:]:
        name = re.match(r"module (\w+)", part)[1]
        ports = re.findall(r"^  (input|output)(?: reg)?(?: \[\d+:0\])? (\w+)", part, re.M)
        directions[name] = {port: way for way, port in ports}
    found = defaultdict(list)
    for instance in re.finditer(r"^  (\w+) router_\w+ \(\n(.*?)\n  \);", verilog, re.M | re.S):
        ports, start = directions[instance[1]], instance.start(2)
        pins = []
        for pin in re.finditer(r"\.(\w+)\((link_(?!node_)\w+)_(\w+)\)", instance[2]):
            if pin[3] in members:
                place = start + pin.start(2), start + pin.end(3)
                pins.append(Pin(pin[0], place, pin[2], pin[3], ports[pin[1]] == "input"))
        received = {pin.link for pin in pins if members[pin.member][1] and pin.is_input}
        for pin in pins:
            if pin.link in received:
                found[pin.link].append(pin)
    return dict(found)


def _replaced(verilog, edits):
    """Text with other expressions at these places."""
    for (start, end), text in sorted(edits.items(), reverse=True):
        verilog = verilog[:start] + text + verilog[end:]
    return verilog


def swapped(network, verilog):
    """The first link leads where the last one should, and the last one where the first should."""
    pins = link_inputs(network, verilog)
    one, other = min(pins), max(pins)
    edits = {}
    for here, there in ((one, other), (other, one)):
        edits |= {pin.place: f"{there}_{pin.member}" for pin in pins[here]}
    return _replaced(verilog, edits)


def _first(network, verilog, gate, payload):
    """Pins of the gate and the payload of the first link, and their bits."""
    pins, members = link_inputs(network, verilog), link_members(network)
    ends = {pin.member: pin for pin in pins[min(pins)]}
    return ends[gate], ends[payload], members[gate][0], members[payload][0]


def dropped(network, verilog, *, gate, payload):
    """About half of the flits get lost on the first link; the sender counts them as sent."""
    pin, data, width, bits = _first(network, verilog, gate, payload)
    # Part of the bits: with parity, all of them have an even sum.
    kept = f"^{data.link}_{payload}[{bits // 2}:0]"
    return _replaced(verilog, {pin.place: f"{pin.link}_{gate} & {{{width}{{{kept}}}}}"})


def flipped(network, verilog, *, payload):
    """A bit of all flits on the first link is inverted."""
    _, data, width, _ = _first(network, verilog, payload, payload)
    return _replaced(verilog, {data.place: f"{data.link}_{payload} ^ {width}'d1"})


DRAWN = {"rate": 0.4, "packets": 200, "stall": 0.2}
LONGER = {**DRAWN, "length": (1, 4)}
BATCHES = {"traffic": "permutation", "permutation": "complement", "packets": 40}
FLITS = ("valid", "flit")
DEFLECTING = "hypercube n=2 router=deflection sequence_width=4 data_width=16"
KINDS = {  # network, traffic, and the members of a link that say and hold what crosses it
    "packets": ("hypercube n=2 buffer_depth=4", LONGER, *FLITS),
    "circuits": ("lcan d=2 u=2 levels=2", LONGER, "kind", "data"),
    "batches": ("hypercube n=2 routing=lc1", BATCHES, "message", "message"),
    "deflection": (DEFLECTING, DRAWN, "valid", "packet"),
    "broadcasts": ("wk w=2 levels=2", LONGER | {"broadcast_share": 0.3}, *FLITS),
    "multicasts": ("hypercube n=2 multicast=yes", LONGER | {"multicast_share": 0.3}, *FLITS),
    "parity": ("hypercube n=2 parity=yes", LONGER, *FLITS),
}
FAULTS = {
    "swapped": lambda gate, payload: swapped,
    "dropped": lambda gate, payload: partial(dropped, gate=gate, payload=payload),
    "flipped": lambda gate, payload: partial(flipped, payload=payload),
}
QUICK = {("deflection", "dropped")}
WITHOUT_GOLDEN = {
    *(("packets", fault) for fault in FAULTS),
    ("circuits", "dropped"),
    ("batches", "swapped"),
    ("deflection", "dropped"),
}
"""Where the deliveries alone must tell. Elsewhere the cycles may be all that is wrong: a circuit is
asked for until it leads to its node, and a deflected packet goes on until it meets its own."""
NO_INVARIANTS = "`define SYNTHESIS\n"
"""Else an invariant of a router may stop the simulation before the scoreboard sees the fault."""


def run_failing(network, verilog, keys, work, *, exact):
    """Log of a simulation whose test must fail, and where its record is."""
    simulator = build_simulator({"wrong.v": verilog, "testbench.v": wrapper_verilog(network)}, TOP)
    traffic = Traffic(**keys)
    packets = make_packets(network, traffic)
    golden = run_model(network, traffic, packets) if exact else None
    job = make_job(network, traffic, packets, work, golden=golden)
    (work / "job").write_bytes(pickle.dumps(dataclasses.replace(job, patience=300)))
    environment = {JOB_VARIABLE: str(work / "job")}
    with pytest.raises(ToolError, match="the simulation must finish, but failed"):
        simulator.run("knotwork_sim.rtl.cocotb_test", work, environment=environment)
    log = (simulator.directory / "simulation.log").read_text()
    assert "FAIL=1" in log
    return log, job.record


@pytest.mark.fault
@pytest.mark.parametrize(
    ("kind", "fault"),
    [
        pytest.param(kind, fault, marks=() if (kind, fault) in QUICK else pytest.mark.slow)
        for kind in KINDS
        for fault in FAULTS
    ],
)
def test_a_wrong_link_fails_the_cocotb_test(kind, fault, tmp_path):
    words, keys, gate, payload = KINDS[kind]
    network = Network.from_words(words.split())
    right = network_verilog(network)
    wrong = changed(right, FAULTS[fault](gate, payload)(network, right))
    for exact in (True, False) if (kind, fault) in WITHOUT_GOLDEN else (True,):
        work = tmp_path / str(exact)
        work.mkdir()
        log, record = run_failing(network, NO_INVARIANTS + wrong, keys, work, exact=exact)
        assert re.search(r"Mismatch: \w+: ", log)
        assert pickle.loads(record.read_bytes()).mismatch.startswith(f"{network.name}: ")


@pytest.mark.slow
def test_an_invariant_of_a_router_fails_the_cocotb_test(tmp_path):
    words, keys, gate, payload = KINDS["broadcasts"]
    network = Network.from_words(words.split())
    wrong = FAULTS["dropped"](gate, payload)(network, network_verilog(network))
    log, _ = run_failing(network, wrong, keys, tmp_path, exact=True)
    assert "branching channel: a packet to one node must not branch" in log
