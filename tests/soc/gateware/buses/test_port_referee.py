"""Random bursts of cocotbext-axi's managers to its memories, over two planes of a network."""

import json
import shutil
from pathlib import Path

import pytest
from amaranth.hdl import Module, Value
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from helpers.emitted import FAST, SIMULATOR
from knotwork import Network
from knotwork.emit.modules import Shell, module_verilog
from knotwork.gateware import Fabric
from knotwork_sim.testbench.runner import run_tests
from knotwork_soc import BusParameters
from knotwork_soc.gateware.buses.bus_kinds import BUS_KINDS, axi4_signature, bus_signals
from knotwork_soc.gateware.buses.decoder import RegionOfNode
from knotwork_soc.gateware.buses.initiator_port import InitiatorPort
from knotwork_soc.gateware.buses.target_port import TargetPort


def connect_ports(m, fabric, node, inject=None, eject=None):
    """Streams of a port to those of a node; what is not given is idle."""
    into, out = fabric.inject[node], fabric.eject[node]
    if inject is not None:
        m.d.comb += [into.valid.eq(inject.valid), inject.ready.eq(into.ready)]
        m.d.comb += [into.p[name].eq(inject.p[name]) for name in ("data", "last", "destination")]
    if eject is None:
        m.d.comb += out.ready.eq(1)
    else:
        m.d.comb += [eject.valid.eq(out.valid), out.ready.eq(eject.ready)]
        m.d.comb += [eject.p[name].eq(out.p[name]) for name in ("data", "last", "source")]


class BusNetwork(wiring.Component):
    """Initiators at the nodes of a list, targets at those of another."""

    def __init__(self, network, bus, regions, initiators, targets):
        self.network, self.bus, self.regions = network, bus, regions
        self.initiators, self.targets = initiators, targets
        axi4 = axi4_signature(bus)
        super().__init__(
            {f"s_axi_{node}": In(axi4) for node in initiators}
            | {f"m_axi_{node}": Out(axi4) for node in targets}
        )

    def elaborate(self, platform):
        m = Module()
        m.submodules.requests = requests = Fabric(self.network)
        m.submodules.responses = responses = Fabric(self.network)
        topology = self.network.topology
        widths = {
            "flit_width": self.network.hardware.data_width,
            "address_width": topology.address_width,
        }
        for node in range(topology.nodes):
            ends = {}, {}
            if node in self.initiators:
                port = InitiatorPort(bus=self.bus, regions=self.regions, **widths)
                m.submodules[f"initiator_{node}"] = port
                wiring.connect(m, wiring.flipped(getattr(self, f"s_axi_{node}")), port.axi)
                ends = {"inject": port.inject}, {"eject": port.eject}
            if node in self.targets:
                port = TargetPort(bus=self.bus, **widths)
                m.submodules[f"target_{node}"] = port
                wiring.connect(m, port.axi, wiring.flipped(getattr(self, f"m_axi_{node}")))
                ends = {"eject": port.eject}, {"inject": port.inject}
            connect_ports(m, requests, node, **ends[0])
            connect_ports(m, responses, node, **ends[1])
        return m


def shell_of(component, bus, axi_members):
    """Shell with the signals of AXI4 members, prefixed by their names."""
    shell = Shell(component)
    for name in axi_members:
        for one in bus_signals(BUS_KINDS["axi4"], bus):
            value = getattr(component, name)
            for step in one.member:
                value = getattr(value, step)
            bits = Value.cast(value)[one.offset : one.offset + one.width]
            outside = one.from_manager is (component.signature.members[name].flow == In)
            (shell.input if outside else shell.output)(f"{name}_{one.name}", bits)
    return shell


def bus_network_verilog(component, name):
    """Verilog of the whole, ports by AXI4's names."""
    members = list(component.signature.members)
    return module_verilog(shell_of(component, component.bus, members), name)


pytestmark = pytest.mark.slow  # each compiles its network with Verilator
PROGRAM = Path(__file__).parents[3] / "cocotb" / "bus_testbench.py"
SIZE = 0x2000


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run a test of the testbench on a network with these nodes."""

    def run(word, bus, *, initiators, targets, test="random_bursts", **more):
        network = Network.from_word(f"{word},name=noc")
        addresses = [network.topology.address(node) for node in targets]
        regions = [RegionOfNode(n * SIZE, SIZE, one) for n, one in enumerate(addresses)]
        top = BusNetwork(network, bus, regions, initiators, targets)
        (tmp_path / "noc.v").write_text(bus_network_verilog(top, "noc"))
        facts = {
            "initiators": initiators,
            "targets": [(node, len(targets) * SIZE) for node in targets],
            "regions": [
                {"base": one.base, "size": one.size, "node": node}
                for one, node in zip(regions, targets, strict=True)
            ],
            "data_width": bus.data_width,
            "id_width": bus.id_width,
            "burst": bus.burst,
        }
        monkeypatch.setenv("BUS_FACTS", json.dumps(facts | more))
        shutil.copy(PROGRAM, tmp_path / "test_noc.py")
        monkeypatch.chdir(tmp_path)
        return run_tests(
            sources=[tmp_path / "noc.v"],
            top="noc",
            tests="test_noc",
            arguments=[SIMULATOR, "--test", test],
            build_args=FAST,
        )

    return run


@pytest.mark.parametrize(("flit_width", "stall"), [(36, 0), (16, 0.4)])
def test_memories_hold_what_was_written(run, flit_width, stall):
    status = run(
        f"mesh:x=2,y=2,data_width={flit_width},buffer_depth=4",
        BusParameters(burst=16, outstanding=4, id_width=2),
        initiators=[0, 3],
        targets=[1, 2],
        threads=4,
        bursts=30,
        stall=stall,
        seed=1,
    )
    assert status == 0


@pytest.mark.parametrize(
    ("word", "keys"),
    [
        ("torus:x=3,y=3", {"data_width": 64, "burst": 256}),
        ("hypercube:n=3", {"data_width": 8, "burst": 4, "outstanding": 1}),
        ("mesh:x=2,y=2", {"data_width": 128, "burst": 65, "outstanding": 16, "id_width": 1}),
    ],
)
def test_buses_of_all_widths(run, word, keys):
    status = run(
        f"{word},data_width=40,buffer_depth=4",
        BusParameters(**keys),
        initiators=[0, 3],
        targets=[1, 2],
        threads=3,
        bursts=40,
        stall=0.2,
        seed=2,
    )
    assert status == 0
