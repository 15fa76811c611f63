"""Signals of gateware by attributes: they are the wires that the Verilog has."""

import re

import pytest
from amaranth.hdl import ClockDomain, ClockSignal, DomainRenamer, Module, ResetSignal, Signal
from amaranth.lib import wiring
from amaranth.lib.cdc import FFSynchronizer
from amaranth.lib.wiring import In, Out
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal.component import component_verilog
from knotwork.formal.elaboration import Elaboration
from knotwork.gateware.packet.classes import StrictPriority
from knotwork.gateware.packet.input_buffer import InputBuffer
from knotwork.gateware.packet.input_port import InputPort
from knotwork.gateware.packet.output_port import OutputPort
from knotwork.gateware.router_classes import gateware_of

NETWORK = Network.from_word("hypercube:n=1,classes=2,data_width=8,buffer_depth=4")
KIND = NETWORK.router_kinds[0]


@pytest.fixture(scope="module")
def router():
    return Elaboration(gateware_of(NETWORK).router(NETWORK, KIND))


def test_a_register_and_a_port_are_wires_of_their_component(router):
    port = router.part("input_dim0_class0", InputPort)
    output = router.part("output_dim0_class0", OutputPort)
    assert router.path(port.holds) == "input_dim0_class0.holds"
    assert router.path(port.turn) == "input_dim0_class0.turn"
    assert router.path(output.arbiter.grant) == "output_dim0_class0.arbiter.grant"


def test_a_memory_is_found_by_what_is_read_of_it(router):
    buffer = router.part("input_dim0_class0.buffer", InputBuffer)
    assert router.memory(buffer.stored_flit) == "input_dim0_class0.buffer.ram"
    assert router.path(buffer.stored_flit) == "input_dim0_class0.buffer.ram_read_data"


def test_expressions_alone_stand_in_the_module_around_them(router):
    classes = router.part("classes_dim0", StrictPriority)
    path = router.path(classes.open)
    assert path == "classes_dim0_open"
    assert re.search(rf"^ *wire .*\b{path}\b", router_verilog(NETWORK, KIND), re.M)


def test_a_component_of_another_class_is_refused(router):
    with pytest.raises(TypeError, match=r"^input_dim0_class0 must be OutputPort, not <"):
        router.part("input_dim0_class0", OutputPort)


class Register(wiring.Component):
    """Register whose name is no identifier of Verilog as it stands."""

    def __init__(self):
        self.kept = Signal(2, name="kept__word")
        super().__init__({"i": In(2)})

    def elaborate(self, platform):
        m = Module()
        m.d.sync += self.kept.eq(self.i)
        return m


class AtAnotherClock(wiring.Component):
    """A register at another clock."""

    def __init__(self):
        self.inner = Register()
        super().__init__({"i": In(2)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.slow = DomainRenamer("other")(self.inner)
        m.d.comb += self.inner.i.eq(self.i)
        return m


def test_a_component_at_another_clock_is_found_by_its_class():
    outer = AtAnotherClock()
    crossed = Elaboration(outer)
    assert crossed.part("slow", Register) is outer.inner
    assert crossed.path(outer.inner.kept) == "slow.kept_word"
    assert crossed.path(outer.inner.i) == "slow.i"


class Crossed(wiring.Component):
    """Bit that crosses to another clock, by a part whose name is a keyword of Verilog."""

    def __init__(self):
        super().__init__({"i": In(1), "o": Out(1)})

    def elaborate(self, platform):
        m = Module()
        m.domains.other = ClockDomain(local=True)
        m.d.comb += [ClockSignal("other").eq(ClockSignal()), ResetSignal("other").eq(0)]
        self.sent, self.seen = Signal(name="sent"), Signal(name="seen")
        m.submodules.release = self.release = FFSynchronizer(self.sent, self.seen, o_domain="other")
        m.d.sync += self.sent.eq(self.i)
        m.d.comb += self.o.eq(self.seen)
        return m


def test_what_a_synchroniser_reads_and_shows_are_its_ports():
    core = Crossed()
    crossed = Elaboration(core)
    assert crossed.place(core.release) == "release_"
    assert crossed.path(core.sent) == "release_.sent"
    assert crossed.path(core.seen) == "release_.seen"
    verilog = component_verilog(Crossed)
    assert re.search(r"module part_release\b[^;]*\binput sent\b[^;]*\boutput seen\b", verilog)
    assert re.search(r"part_release release_ \(", verilog)
