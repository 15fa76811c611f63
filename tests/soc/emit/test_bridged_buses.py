"""Managers and memories of all buses, over the emitted Verilog of systems, in a simulator.

A byte that a memory holds, or that a read brings, must be that of a reference kept beside. Beside
a clock that stops nothing hangs, and nothing is lost.
"""

import pytest
from helpers.buses import drive
from helpers.emitted import module_ports
from helpers.faults import changing
from knotwork_soc import System
from knotwork_soc.emit import system_verilog
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS

RATIOS = {"slow_nodes": (23_000, 17_100, 31_700), "fast_nodes": (3_100, 2_300, 5_300)}
RATIOS["unrelated"] = (7_300, 13_900, 9_970)
"""Periods in ps, in turn, of the nodes' clocks beside the network's of 10 ns."""


def system_of(network, buses, *, size, words=()):
    """System named ``chip`` of buses (node, kind, side), where each memory has a region."""
    words = [*network.split(), "name=chip", "node.bus=none", *words]
    for node, kind, side in buses:
        words += [f"node.{node}.bus={kind}", f"node.{node}.side={side}"]
    targets = [node for node, _, side in buses if side == "target"]
    for number, node in enumerate(targets):
        region = {"base": number * size, "size": size, "node": node}
        words += [f"map.ram{number}.{key}={value}" for key, value in region.items()]
    return System.from_words(words)


def prefixed(node, kind, side):
    """Prefix of the ports of a node's bus."""
    bus = BUS_KINDS[kind]
    return f"{bus.target_prefix if side == 'target' else bus.initiator_prefix}_{node}"


def inputs_of(verilog):
    return [name for name, (way, _) in module_ports(verilog, "chip").items() if way == "input"]


PAIRS = [
    ("wishbone", "apb"),
    ("wishbone", "wishbone"),
    ("apb", "axi_lite"),
    ("axi_lite", "apb"),
    ("wishbone", "axi4"),
    ("axi4", "wishbone"),
    ("axi4", "apb"),
]


@pytest.mark.slow
@pytest.mark.parametrize("ratio", [None, *RATIOS])
@pytest.mark.parametrize("kinds", PAIRS, ids="_to_".join)
def test_memory_of_another_bus_is_as_the_reference(kinds, ratio, tmp_path, monkeypatch):
    """With the network's clock, or clocks of the ends' own."""
    buses = [(0, kinds[0], "initiator"), (3, kinds[1], "target")]
    own = ["node.0.clock=own", "node.3.clock=own"] if ratio else []
    words = ["data_width=40", "bus.burst=128", "bus.outstanding=4", *own]
    verilog = system_verilog(system_of("mesh x=2 y=2", buses, size=0x1000, words=words))
    file = tmp_path / "chip.v"
    file.write_text(verilog)
    prefixes = tuple(prefixed(*bus) for bus in buses)
    traffic = {"prefixes": prefixes, "inputs": inputs_of(verilog)}
    if not ratio:
        for stalls in (0, 0.4):
            more = traffic | {"transfers": 60, "stalls": stalls}
            assert drive(monkeypatch, file, kinds, **more) == 0
        return
    clocks = {"": 10_000, "_0": RATIOS[ratio][0], "_3": RATIOS[ratio][2]}
    more = traffic | {"transfers": 40, "stalls": 0.2, "clocks": clocks}
    assert drive(monkeypatch, file, kinds, **more) == 0


SIZE = 0x8000
"""Bytes of a region; each memory has one."""
TOPOLOGIES = {
    "mesh": "mesh x=3 y=2",
    "torus": "torus x=3 y=3",
    "moebius": "moebius n=3",
    "wk": "wk w=3 levels=2",
    "tcpg": "tcpg k=1 m=1",
}
"""Networks of the acceptance test, small ones."""


@pytest.fixture
def traffic(simulate):
    """Exit status of random bursts of cocotbext-axi's managers to its memories."""

    def run(network, initiators, targets, own, words, clocks, *, simulator=None, **facts):
        buses = [(node, "axi4", "initiator") for node in initiators]
        buses += [(node, "axi4", "target") for node in targets]
        keys = [f"node.{node}.clock=own" for node in own]
        system = system_of(network, buses, size=SIZE, words=[*words.split(), *keys])
        own = [node.index for node in system.nodes if node.has_own_clock]
        periods = {f"clk_{node}": clocks[place % len(clocks)] for place, node in enumerate(own)}
        of_system = {
            "initiators": [node.index for node in system.initiators],
            "targets": [(node, len(targets) * SIZE) for node in targets],
            "regions": [vars(region) for region in system.map.values()],
            "data_width": system.bus.data_width,
            "id_width": system.bus.id_width,
            "burst": system.bus.burst,
            "periods": {"clk": 10_000} | periods,
        }
        chosen = {"simulator": simulator} if simulator else {}
        verilog = system_verilog(system)
        return simulate(verilog, "bus_testbench", **chosen, BUS_FACTS=of_system | facts)

    return run


@pytest.mark.slow
def test_memories_hold_what_was_written(traffic):
    """A mesh of 2 x 2, one manager and one memory at clocks of their own."""
    words = "data_width=40 buffer_depth=2 bus.burst=16 bus.outstanding=2 bus.id_width=2"
    facts = {"threads": 4, "bursts": 30, "stall": 0.3, "seed": 1}
    assert traffic("mesh x=2 y=2", [0, 3], [1, 2], [0, 2], words, (7_300, 13_900), **facts) == 0


@pytest.mark.slow
@pytest.mark.timeout(7200)
@pytest.mark.parametrize("network", TOPOLOGIES)
def test_four_managers_and_two_memories(traffic, network):
    """10^5 bursts over 5 networks and 3 ratios of clocks, with stalls."""
    nodes = System.from_words(TOPOLOGIES[network].split()).network.topology.nodes
    initiators, targets = [0, 1, nodes // 2, nodes - 1], [2, nodes - 2]
    words = "data_width=40 buffer_depth=4 bus.burst=32 bus.outstanding=4 bus.id_width=2"
    ends = (TOPOLOGIES[network], initiators, targets, [*initiators, *targets], words)
    facts = {"threads": 4, "bursts": 420, "stall": 0.2, "seed": len(network)}
    statuses = {  # 420 x 16 threads x 15 cases = 100,800; the ratios share what was compiled
        ratio: traffic(*ends, clocks, simulator="verilator", **facts)
        for ratio, clocks in RATIOS.items()
    }
    assert statuses == dict.fromkeys(RATIOS, 0)


PERIODS = {"clk": 10_000, "clk_0": 7_300, "clk_1": 13_900, "clk_2": 9_970, "clk_3": 12_100}
TIMEOUT = 256
"""Cycles of the network after which a memory is silent."""
BOUND = 200
"""Cycles for a transfer beside them: to the memory, through its crossing, and back."""
LENGTHS = [40, 1500, 900, 100, 1200]
"""Cycles of the network for which the clock stops; fewer than half of `TIMEOUT` lose nothing."""


@pytest.fixture
def stopping(simulate):
    """Exit status of managers at nodes 0 and 3, and memories at nodes 1 and 2.

    The clock of node 1, or of node 0, is the one that `stops`.
    """

    def run(stops, kinds, *, before="", after=""):
        sides = ("initiator", "target", "target", "initiator")
        buses = list(zip(range(4), kinds, sides, strict=True))
        words = ["node.clock=own", "data_width=40", f"bus.timeout={TIMEOUT}", "bus.burst=128"]
        words += ["bus.outstanding=4", "bus.id_width=2"]
        verilog = system_verilog(system_of("mesh x=2 y=2", buses, size=0x1000, words=words))
        verilog = changing(before, after, places=None)(verilog) if before else verilog
        facts = {
            "stops": stops,
            "kinds": dict(enumerate(kinds)),
            "prefixes": {bus[0]: prefixed(*bus) for bus in buses},
            "inputs": inputs_of(verilog),
            "periods": PERIODS,
            "timeout": TIMEOUT,
            "lengths": LENGTHS,
            "bound": BOUND,
            "stall": 0.1,
            "seed": 5,
        }
        return simulate(verilog, "stopping_testbench", STOPPING_FACTS=facts)

    return run


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["axi4", "wishbone", "apb"])
def test_a_memory_whose_clock_stops_is_answered_for(stopping, kind):
    assert stopping("clk_1", ("axi4", kind, "axi4", "axi4")) == 0


@pytest.mark.slow
@pytest.mark.parametrize(("manager", "memory"), [("axi4", "wishbone"), ("wishbone", "axi4")])
def test_a_manager_whose_clock_stops_holds_up_nobody(stopping, manager, memory):
    assert stopping("clk_0", (manager, memory, "axi4", "axi4")) == 0


@pytest.mark.slow
@pytest.mark.fault
@pytest.mark.parametrize(
    ("stops", "before", "after"),
    [
        # A silent memory is not told; it gets too few beats; a write leaves before its beats.
        ("clk_1", "silent <= late | (silent & ~over)", "silent <= silent & ~over"),
        ("clk_1", "fills = (lacking > 9'd1) | (lacks & ~known)", "fills = 1'b0"),
        ("clk_0", "complete = store_level > decoder_o_payload_request_length", "complete = 1'b1"),
    ],
)
def test_a_fault_is_found(stopping, stops, before, after):
    assert stopping(stops, ("axi4",) * 4, before=before, after=after) == 1
