import re

import pytest
from amaranth.back import verilog
from amaranth.hdl import (
    ClockDomain,
    Elaboratable,
    Fragment,
    Instance,
    Module,
    ResetInserter,
    Signal,
)
from helpers.emitted import module_ports, verilog_of
from knotwork import Fabric
from knotwork.emit import EmittedNetwork

WORDS = ["hypercube:n=1,data_width=8", "moebius:n=2,data_width=64"]
WORDS += ["hypercube:n=2,multicast=yes", "ccc:n=3,routing=lc2,words=2", "lcan:d=2,u=2,levels=2"]
WORDS += ["mesh:x=2,y=2,collectives=yes,groups=all/1-2,operations=sum,or,collective_watchdog=9"]


def instance_of(network):
    ((fragment, _, _),) = Fragment.get(EmittedNetwork(network), None).subfragments
    assert isinstance(fragment, Instance)
    return fragment


@pytest.mark.parametrize("word", WORDS)
def test_its_pins_are_the_verilogs_ports(word):
    network, text = verilog_of(word)
    instance = instance_of(network)
    assert instance.type == network.name
    ways = {"i": "input", "o": "output"}
    pins = {name: (ways[way], len(value)) for name, (value, way) in instance.ports.items()}
    assert pins == module_ports(text, network.name)


@pytest.mark.filterwarnings("ignore::amaranth.hdl.UnusedElaboratable")
@pytest.mark.parametrize("word", WORDS[1::4])
def test_its_ports_are_the_fabrics(word):
    network, _ = verilog_of(word)
    emitted, fabric = EmittedNetwork(network), Fabric(network)
    assert emitted.signature == fabric.signature
    for component in (emitted, fabric):
        component._MustUse__used = True  # neither need be built for this


def test_a_design_with_it_holds_one_instance():
    network, _ = verilog_of("hypercube:n=1,data_width=8")
    text = verilog.convert(EmittedNetwork(network), name="around")
    assert len(re.findall(rf"^  {network.name} ", text, re.MULTILINE)) == 1
    assert ".s_axis_0_tdata(" in text


@pytest.mark.parametrize("restartable", [False, True])
def test_only_where_it_is_restartable_does_a_reset_inserter_reach_the_network(restartable):
    network, _ = verilog_of("hypercube:n=1,data_width=8")
    anew = Signal()
    around = ResetInserter(anew)(EmittedNetwork(network, restartable=restartable))
    text = verilog.convert(around, name="around", ports=[anew])
    (wire,) = re.findall(r"\.rst\((\S+) ?\)", text)
    if not restartable:
        assert wire == "rst"
        return
    (register,) = re.findall(rf"assign {re.escape(wire)} +=.*\|.* (\S+) *;", text)
    assert re.search(rf"reg {re.escape(register)} += 1'h1;", text)
    assert re.search(r"if \(anew\) begin\s+(\S+) += 1'h1;", text)


def test_it_fits_a_domain_without_reset():
    network, _ = verilog_of("hypercube:n=1,data_width=8")

    class Board(Elaboratable):
        def elaborate(self, platform):
            m = Module()
            m.domains.sync = ClockDomain(reset_less=True)
            m.submodules.network = EmittedNetwork(network)
            return m

    text = verilog.convert(Board(), name="board", ports=[])
    assert re.search(r"\.rst\(1'h0\)", text)
