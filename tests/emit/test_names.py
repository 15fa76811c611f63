"""Names in emitted Verilog: each is what its author gave, and none was taken twice."""

import re

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import wiring
from amaranth.lib.memory import Memory
from amaranth.lib.wiring import In, Out
from helpers.cases import slow
from helpers.combinations import GRAPHS
from helpers.emitted import OF_BRIDGES, OF_STREAMS
from knotwork import Network
from knotwork.emit.modules import Library, module_verilog
from knotwork.emit.verilog import add_modules
from knotwork.emit.writer.printing import Names, identifier
from knotwork_soc import BusParameters, System
from knotwork_soc.emit import system_verilog
from knotwork_soc.emit.shells import bridge_verilog, stream_shell
from knotwork_soc.gateware.buses.initiator_bridges import INITIATOR_BRIDGES
from knotwork_soc.gateware.buses.target_bridges import TARGET_BRIDGES

NETWORKS = [
    # Packet routers without credits, and with them and each option.
    "hypercube:n=2,pipeline=1",
    "torus:x=3,y=1,pipeline=1,nodes_per_router=2",
    "moebius:n=2,pipeline=2",
    "hypercube:n=2,pipeline=3,virtual_channels=2",
    "hypercube:n=1,parity=yes,counters=yes",
    "ring:n=3,classes=2,watchdog=100",
    "hypercube:n=1,classes=2,arbitration=weighted,class_weights=1,2,nodes_per_router=2",
    "ring:n=2,tables=loaded,routing=updown",
    "ring:n=2,tables=loaded,parity=yes,counters=yes",
    "moebius:n=2,routing=spr,vc_scheme=escape,pipeline=2,virtual_channels=4",
    "hypercube:n=2,multicast=yes,parity=yes,max_packet=7",
    "moebius:n=2,multicast=yes,max_packet=7,pipeline=3",
    "wk:w=2,levels=2,broadcast=label",
    "wk:w=2,levels=2,broadcast=stack",
    slow("tcpg:k=1,m=1,broadcast=ttl"),
    f"graph:file={GRAPHS / 'long_ring.edges'}",
    f"graph:file={GRAPHS / 'long_ring.edges'},tables=loaded",
    "mesh:x=2,y=1,dead=0,tables=loaded",
    "ring:n=3,routing=shortest,dead=0-1",
    "ccc:n=2",
    # Batches, circuits, deflection.
    "hypercube:n=1,routing=lc1",
    "hypercube:n=2,routing=lc1,words=3",
    "ccc:n=2,routing=lc2",
    "ccc:n=2,routing=lc2,control=entry",
    "lcan:d=2,u=2,levels=3,max_packet=2",
    "lcan:d=2,u=3,levels=3,routing=scheduled",
    "fattree:r=2,3,u=2,1,max_packet=1",
    "banyan:d=2,u=1,levels=2",
    "banyan:d=3,u=2,levels=2,cycle=adaptive",
    "torus:x=3,y=3,router=deflection",
    "hypercube:n=2,router=deflection",
]

UNNAMED = "sum|difference|product|shifted|remainder|quotient|value|signal|signature_\\w*|\\w*__\\w*"
"""What the writer, or Amaranth, names where nobody else does."""


@pytest.fixture
def numbered(monkeypatch):
    """Names that got a number, because a module has another of the same name."""
    found, take = [], Names.take

    def watched(self, name):
        taken = take(self, name)
        if taken != identifier(name):
            found.append(taken)
        return taken

    monkeypatch.setattr(Names, "take", watched)
    return found


def unnamed(text):
    """Declarations of what nobody named."""
    return re.findall(rf"^  (?:wire|reg) (?:\[\d+:0\] )?(?:{UNNAMED})\b.*", text, re.MULTILINE)


@pytest.mark.parametrize("word", NETWORKS)
def test_no_name_of_a_network_has_a_number_that_nobody_gave(word, numbered):
    network = Network.from_word(word)
    library = Library(network.name)
    add_modules(library, network)
    assert (numbered, [*map(unnamed, library.texts.values())]) == ([], [[]] * len(library.texts))


@pytest.mark.parametrize("words", [OF_BRIDGES, OF_STREAMS, f"{OF_BRIDGES} parity=yes"])
def test_no_name_of_a_system_has_one(words, numbered):
    text = system_verilog(System.from_words(words.split()))
    assert (numbered, unnamed(text)) == ([], [])


@pytest.mark.parametrize("kind", TARGET_BRIDGES)
def test_no_name_of_a_bridge_has_one(kind, numbered):
    bus = BusParameters()
    for bridges in (INITIATOR_BRIDGES, TARGET_BRIDGES):
        assert unnamed(bridge_verilog(bridges[kind](bus=bus), bus, "bridge")) == []
    assert numbered == []


class Careless(wiring.Component):
    """Two registers of one name, bits of a sum, and a memory by whose port a register is read."""

    i: In(2)
    o: Out(3)

    def elaborate(self, platform):
        m = Module()
        m.submodules.words = words = Memory(shape=1, depth=4, init=[])
        first, second = Signal(name="same"), Signal(name="same")
        m.d.sync += [first.eq(self.i[0]), second.eq(first)]
        write, read = words.write_port(), words.read_port(domain="comb")
        m.d.comb += [write.addr.eq(self.i), write.data.eq(first ^ second), write.en.eq(1)]
        m.d.comb += [read.addr.eq(self.i), self.o.eq(((self.i + first)[1:] ^ read.data) + second)]
        return m


def test_names_that_are_taken_twice_and_nets_without_one_are_found(numbered):
    text = module_verilog(stream_shell(Careless()), "careless")
    assert numbered == ["same_2"]
    assert unnamed(text) == ["  wire [2:0] sum;"]
