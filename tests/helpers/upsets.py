"""Networks in whose buffers and on whose links bits flip, and a judge of what comes of it."""

import dataclasses
import pickle
import re
from collections import defaultdict
from typing import NamedTuple

from helpers.hostile_runs import testbenches
from knotwork.emit import network_verilog
from knotwork.gateware.layouts import flit_layout
from knotwork_sim.rtl.cocotb_run import make_job
from knotwork_sim.rtl.verilator import build_simulator
from knotwork_sim.rtl.wrapper import TOP, wrapper_verilog

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
