"""Bit flips in flits with parity: broken packets come out marked, and nothing hangs."""

import dataclasses
import pickle
import re
from collections import defaultdict
from typing import NamedTuple

import numpy as np
import pytest
from helpers.hostile_runs import testbenches
from helpers.routes import slow
from knotwork import Network
from knotwork.emit import network_verilog
from knotwork.gateware.layouts import flit_layout
from knotwork_sim.model.run import run_model
from knotwork_sim.rtl.cocotb_run import make_job
from knotwork_sim.rtl.verilator import build_simulator
from knotwork_sim.rtl.wrapper import TOP, wrapper_verilog
from knotwork_sim.scoreboard.score import count_mismatches
from knotwork_sim.traffic.keys import Traffic
from knotwork_sim.traffic.make import make_packets

# Memories and registers that hold flits, or turns beside them, by the end of their module's name:
# buffers; those of routers with credits, whose outputs have a register per input; skid buffers.
STORES = {"memory": "", "back": "", "registered": "", "front": ""}
STORES |= {"ram": "_buffer", "turns": "_buffer", "turns_twin": "_buffer", "kept": "_marker_skid"}
STORES |= {f"gate_{number}": "" for number in range(8)} | {"crossing_flit": ""}
PUBLIC = "/* verilator public_flat_rw */"


class Upsettable(NamedTuple):
    simulator: object
    links: list[str]
    flit_width: int


def stores(verilog):
    """Control lines by which a testbench can reach all that holds flits."""
    for part in re.split(r"(?=^module )", verilog, flags=re.MULTILINE)[1:]:
        module = re.match(r"module (\w+)", part)[1]
        for name in re.findall(r"^  (?:output )?reg (?:\[\d+:0\] )?(\w+)\b", part, re.MULTILINE):
            if name in STORES and module.endswith(STORES[name]):
                yield f'public_flat_rw -module "{module}" -var "{name}"\n'


def build_upsettable(network, edit=lambda verilog: verilog):
    """Simulator whose links have an exclusive or with a mask that the testbench gives."""
    verilog = edit(network_verilog(network))
    width = int(re.search(r"wire \[(\d+):0\] link_\w+_flit;", verilog)[1]) + 1
    links = []

    def flipped(found):
        links.append(found[1])
        return f"({found[1]} ^ (upset_link == 16'd{len(links)} ? upset_flit : {width}'d0))"

    verilog = re.sub(r"(?<=_i_flit)\((link_\w+_flit)\)", flipped, verilog)
    ports = {"upset_link": 16, "upset_flit": width}
    for name, bits in ports.items():
        head = f"module {network.name} (\n"
        verilog = verilog.replace(head, f"{head}  input [{bits - 1}:0] {name},\n")
    wrapper = wrapper_verilog(network)
    for name, bits in ports.items():
        port = f"  input [{bits - 1}:0] {name} {PUBLIC},\n"
        wrapper = wrapper.replace("  input clk ", f"{port}  input clk ")
        wrapper = wrapper.replace("    .clk(clk)", f"    .{name}({name}),\n    .clk(clk)")
    sources = {"network.v": verilog, "testbench.v": wrapper}
    seen = "".join(f'public_flat_rd -module "{network.name}" -var "{link}"\n' for link in links)
    sources["stores.vlt"] = "`verilator_config\n" + "".join(stores(verilog)) + seen
    return Upsettable(build_simulator(sources, TOP), links, width)


def checks(network):
    """Masks of a flit's bits of which an even number are set: parities, and copies of `last`."""
    layout = flit_layout(network)

    def mask(*names):
        fields = [layout[name] for name in names if name in layout.members]
        return sum(((1 << field.width) - 1) << field.offset for field in fields)

    copies = mask("last_copies")
    one_copy = copies & -copies
    return [
        mask("data", "chain", "lost", "data_parity"),
        mask("destination", "source", "broadcast", "header_parity"),
        mask("last") | one_copy,
        copies,
    ]


def run_upsets(network, upsettable, runs, work):
    """Records and flips of runs (traffic, packets, cycles between two flips, 0 for none)."""
    with testbenches():
        from upset_testbench import UPSETS_VARIABLE, Upsets

        simulator, links, width = upsettable
        jobs = []
        for number, (traffic, packets, every) in enumerate(runs):
            folder = work / str(number)
            folder.mkdir()
            # Upset packets are judged by `judge_upsets`: they may be wrong if they are marked.
            job = dataclasses.replace(make_job(network, traffic, packets, folder), facts=None)
            jobs.append(Upsets(job, every, links, width, checks(network), seed=number))
        (work / "jobs").write_bytes(pickle.dumps(jobs))
        simulator.run("upset_testbench", work, environment={UPSETS_VARIABLE: str(work / "jobs")})
        return [pickle.loads(upsets.job.record.read_bytes()) for upsets in jobs]


class Arrival(NamedTuple):
    node: int
    source: int
    contents: list[bytes]
    marks: list[int]


def arrivals(record):
    """Packets as the nodes got them, whose `last` came."""
    coming = {}
    for place in range(len(record.clock)):
        node = int(record.node[place])
        arrival = coming.setdefault(node, Arrival(node, int(record.source[place]), [], []))
        arrival.contents.append(record.data[place].tobytes())
        arrival.marks.append(int(record.user[place]))
        if record.last[place]:
            yield coming.pop(node)
    assert not coming, "a packet without an end"


def judge_upsets(network, packets, record):
    """Assert that nothing was wrong or lost in silence; the packets that came marked."""
    words = packets.words(network.hardware.data_width)
    first, flows = packets.first_flit[:-1] + packets.chain_length, defaultdict(list)
    for number, node in packets.deliveries():
        flow = network.topology.address(int(packets.source[number])), node
        flits = words[first[number] : packets.first_flit[number + 1]]
        flows[flow].append((number, [flit.tobytes() for flit in flits]))
    found = list(arrivals(record))
    copies = network.has_broadcast or network.has_multicast
    assert copies or len(found) == len(packets), "each comes out somewhere, and once"
    marked = [arrival for arrival in found if arrival.marks[-1]]
    for arrival in found:
        assert arrival.marks == sorted(arrival.marks), "a mark stays up to the last beat"
        if not arrival.marks[-1]:
            flow = flows[arrival.source, arrival.node]
            contents = [sent for _, sent in flow]
            assert arrival.contents in contents, "wrong in silence"
            place = contents.index(arrival.contents)
            # What was overtaken was marked, and is not to come any more.
            del flow[0 if network.routing.in_order and not copies else place : place + 1]
    missing = {number for flow in flows.values() for number, _ in flow}
    assert len(missing) <= len(marked), "lost in silence"
    return marked


QUICK = "hypercube:n=2,parity=yes,buffer_depth=4"
SLOW = [
    "mesh:x=3,y=3,parity=yes,buffer_depth=4,pipeline=2",
    "torus:x=3,y=3,parity=yes,buffer_depth=5,pipeline=2,virtual_channels=4",
    "wk:w=3,levels=2,broadcast=no,parity=yes,buffer_depth=4,pipeline=2",
    "hypercube:n=4,parity=yes,buffer_depth=8", "torus:x=3,y=3,parity=yes,buffer_depth=2",
    "mesh:x=3,y=3,parity=yes,buffer_depth=2,pipeline=2",
    "moebius:n=3,routing=spr,vc_scheme=escape,parity=yes,buffer_depth=4",
    "moebius:n=3,routing=spr,vc_scheme=escape,parity=yes,buffer_depth=2,pipeline=2",
    "wk:w=3,levels=2,broadcast=no,virtual_channels=4,parity=yes,buffer_depth=4",
    "tcpg:k=1,m=1,broadcast=no,parity=yes,buffer_depth=2",
    "wk:w=3,levels=2,parity=yes,buffer_depth=8,pipeline=2",
    "wk:w=3,levels=2,parity=yes,buffer_depth=8,pipeline=3",
    "hypercube:n=3,multicast=yes,parity=yes,buffer_depth=8,pipeline=2",
    "hypercube:n=3,multicast=yes,parity=yes,buffer_depth=8,pipeline=3",
    "moebius:n=3,routing=spr,vc_scheme=escape,parity=yes,buffer_depth=4,pipeline=3",
    "mesh:x=2,y=2,classes=2,parity=yes,buffer_depth=4,pipeline=2",
    "mesh:x=2,y=2,nodes_per_router=2,parity=yes,buffer_depth=4,pipeline=3",
]  # fmt: skip
EVERY = 16
SPARSE = {"tcpg:k=1,m=1,broadcast=no,parity=yes,buffer_depth=2"}
"""Networks most of whose places have no flit to upset, as where channels share a memory."""


def traffic_of(network, packets, seed):
    pauses = {"bubble": 0.1, "stall": 0.3, "pauses": "changing"}
    if network.has_broadcast:
        pauses["broadcast_share"] = 0.1
    if network.has_multicast:
        pauses["multicast_share"] = 0.2
    traffic = Traffic(rate=0.7, packets=packets, length=(1, 5), seed=seed, **pauses)
    return traffic, make_packets(network, traffic)


@pytest.mark.parametrize("word", [QUICK, *slow(SLOW)])
def test_what_an_upset_broke_is_marked_and_all_else_is_whole(word, tmp_path):
    network = Network.from_word(word)
    count, runs = (400, 2) if word == QUICK else (3000, 4)
    plain, *upset = [traffic_of(network, count, seed) for seed in range(runs)]
    runs = [(*plain, 0), *((*traffic, EVERY) for traffic in upset), (*plain, 0)]
    results = run_upsets(network, build_upsettable(network), runs, tmp_path)
    for number in (0, -1):  # without upsets, before and after
        record, flips = results[number]
        assert not flips
        assert count_mismatches(record, run_model(network, *plain)) == 0
        assert not record.user.any()
    total, marks = 0, 0
    for (_, packets), (record, flips) in zip(upset, results[1:-1], strict=True):
        marked = judge_upsets(network, packets, record)
        assert len(marked) <= len(flips)
        total, marks = total + len(flips), marks + len(marked)
        # The judge would notice a broken packet without its mark.
        silent = dataclasses.replace(record, user=np.zeros_like(record.user))
        with pytest.raises(AssertionError, match="wrong in silence"):
            judge_upsets(network, packets, silent)
    assert total >= 30
    assert marks >= total // (25 if network.has_credits or word in SPARSE else 10)
