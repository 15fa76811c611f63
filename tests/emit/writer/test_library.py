"""Each component is one module, and a module is nothing but its component and its parameters."""

import re
from collections import Counter

import pytest
from amaranth.hdl import (
    ClockDomain,
    ClockSignal,
    DomainRenamer,
    EnableInserter,
    Module,
    ResetInserter,
    Signal,
)
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from helpers.emitted import instances, modules, verilog_of
from helpers.long_links import network_of
from knotwork import Network
from knotwork.emit.modules import Shell, add_module, module_verilog
from knotwork.emit.verilog import add_modules, network_verilog
from knotwork.emit.writer.component import module_texts
from knotwork.emit.writer.library import Library
from knotwork.errors import ConfigurationError
from knotwork.gateware.component import Component

NETWORKS = [
    "mesh:x=3,y=3,data_width=8",
    "mesh:x=3,y=3,data_width=8,pipeline=1",
    "mesh:x=2,y=2,data_width=8,pipeline=3",
    "mesh:x=2,y=2,nodes_per_router=2,routing=updown,data_width=8",
    "ring:n=5,routing=updown,data_width=8,pipeline=1",
    "petersen:data_width=8",
    "rp:k=3,data_width=8",
    "tcpg:k=1,m=1,data_width=8",
    "mesh:x=2,y=2,tables=loaded,data_width=8",
    "mesh:x=2,y=2,counters=yes,watchdog=20,data_width=8",
    "mesh:x=2,y=2,virtual_channels=2,data_width=8",
    "torus:x=3,y=3,data_width=8",
    "torus:x=3,y=2,data_width=8,virtual_channels=4",
    "hypercube:n=3,data_width=8",
    "hypercube:n=2,parity=yes,data_width=8",
    "hypercube:n=1,multicast=yes,data_width=8",
    "moebius:n=3,twist=1,virtual_channels=3,data_width=8",
    "moebius:n=2,routing=spr,data_width=8",
    "moebius:n=2,twist=1,routing=spr,vc_scheme=escape,virtual_channels=4,data_width=8",
    "moebius:n=2,multicast=yes,max_packet=7,data_width=8",
    "ccc:n=3,data_width=8",
    "ring:n=4,data_width=8",
    "ring:n=3,routing=updown,data_width=8,tables=loaded",
    "ccc:n=2,routing=lc2,words=3,data_width=8",
    "ccc:n=2,routing=lc2,control=shift,sequencer=distributed,words=2",
    "hypercube:n=1,routing=lc1,data_width=8",
    "lcan:d=2,u=2,levels=2,data_width=8",
    "lcan:d=2,u=1,levels=2,routing=scheduled,max_packet=2",
    "lcan:d=4,u=2,levels=2,interconnect=tree,data_width=16",
    "fattree:r=4,2,u=2,3,max_packet=3",
    "cm5:levels=2",
    "baseline:levels=2",
    "mesh:x=2,y=2,router=deflection,data_width=8",
    "mesh:x=3,y=2,router=deflection,data_width=8",
    "torus:x=3,y=3,router=deflection,data_width=8",
    "torus:x=3,y=3,directions=one,router=deflection,data_width=28",
    "moebius:n=2,routing=spr,router=deflection,data_width=8",
    "wk:w=2,levels=2,router=deflection,data_width=8",
]
"""Of every router class and most of their options."""

MORE = [
    "wk:w=2,levels=2,data_width=8",
    "mesh:x=2,y=2,classes=2,data_width=8",
    "ccc:n=3,parity=yes,data_width=8",
]
"""Some of whose components say more of themselves than their modules depend on."""


def normalised(text):
    """Each module's text by its name, without comments; names of modules are numbers in order."""
    found = re.findall(r"^module (\w+) (.*?)^endmodule$", text, re.MULTILINE | re.DOTALL)
    names = {name for name, _ in found}

    def of(body):
        numbers = {}

        def name(match):
            word = match[0]
            return f"<{numbers.setdefault(word, len(numbers))}>" if word in names else word

        return re.sub(r"\w+", name, re.sub(r"//.*", "", body))

    return {name: of(body) for name, body in found}


def doubled(text):
    """Names of modules that are equal when names are normalised."""
    found = normalised(text)
    count = Counter(found.values())
    return [name for name, body in found.items() if count[body] > 1]


@pytest.mark.parametrize("word", NETWORKS)
def test_no_two_modules_are_equal(word):
    assert doubled(verilog_of(word)[1]) == []


def test_no_two_modules_of_a_network_with_long_links_are_equal():
    links = [(0, 1, 3), (1, 2), (2, 0, 2)]
    network = network_of(links, directed=True, data_width=8, routing="updown")
    assert doubled(network_verilog(network)) == []


def test_a_double_would_be_found():
    _, text = verilog_of("hypercube:n=1,data_width=8")
    counter = re.search(
        r"^module \w+credit_count_16 .*?^endmodule$", text, re.MULTILINE | re.DOTALL
    )
    name = re.search(r"\w+credit_count_16", counter[0])[0]
    again = counter[0].replace(name, "other")
    assert doubled(f"{text}{again}\n") == [name, "other"]


class Comparing(Library):
    """Library that writes a component anew at each of its places, and compares."""

    def __init__(self, prefix):
        super().__init__(prefix)
        self.compared = 0

    def place(self, component):
        known = self._modules.get((type(component), component.parameters, frozenset()))
        found = super().place(component)
        if known is not None and found is not None:
            name = self._write(component, frozenset()).name
            texts, before = (module_texts(self._designs[one]) for one in (name, known.name))
            for one, text in texts.items():
                renamed = re.sub(rf"\b{name}(?=_|\b)", known.name, text)
                assert renamed == before[one.replace(name, known.name, 1)], known.name
            self.compared += 1
        return found


@pytest.mark.parametrize("word", [*NETWORKS, *MORE])
def test_a_component_is_the_same_at_each_of_its_places(word):
    network = Network.from_word(word)
    library = Comparing(network.name)
    add_modules(library, network)
    assert library.texts


class Counter4(Component):
    """Counter to a number."""

    def __init__(self, *, last):
        self._last = last
        super().__init__({"go": In(1), "count": Out(4)})

    def elaborate(self, platform):
        m = Module()
        with m.If(self.go & (self.count != self._last)):
            m.d.sync += self.count.eq(self.count + 1)
        return m


class Nameless(Counter4):
    """Counter whose parameters do not say how far it counts."""

    @property
    def parameters(self):
        return ()


class Inverse(Component):
    """One expression."""

    def __init__(self):
        super().__init__({"i": In(4), "o": Out(4)})

    def elaborate(self, platform):
        m = Module()
        m.d.comb += self.o.eq(~self.i)
        return m


class Pair(wiring.Component):
    """Two counters, to these numbers, and what is one expression."""

    def __init__(self, kind, first, second):
        self._counters = kind(last=first), kind(last=second)
        super().__init__({"go": In(1), "a": Out(4), "b": Out(4)})

    def elaborate(self, platform):
        m = Module()
        m.submodules.first, m.submodules.second = first, second = self._counters
        m.submodules.inverse = inverse = Inverse()
        m.d.comb += [
            first.go.eq(self.go),
            second.go.eq(self.go),
            self.a.eq(first.count),
            inverse.i.eq(second.count),
            self.b.eq(inverse.o),
        ]
        return m


def shell_of(core, inputs, outputs):
    """Component with a plain signal for each of these ports."""
    shell = Shell(core)
    for name in inputs:
        shell.input(name, getattr(core, name))
    for name in outputs:
        shell.output(name, getattr(core, name))
    return shell


def pair(*, kind=Counter4, first=3, second=3):
    """Pair with a plain signal per port."""
    return shell_of(Pair(kind, first, second), ["go"], ["a", "b"])


def test_equal_components_are_one_module_and_others_are_numbered():
    text = module_verilog(pair(), "top")
    assert modules(text) == ["top_counter4", "top"]
    assert instances(text, "top_counter4") == ["first", "second"]
    text = module_verilog(pair(second=5), "top")
    assert modules(text) == ["top_counter4", "top_counter4_2", "top"]
    assert instances(text, "top_counter4_2") == ["second"]


def test_one_expression_stands_in_the_module_around_it():
    text = module_verilog(pair(), "top")
    assert "inverse" not in "".join(modules(text))
    assert "assign b = inverse_o;\n  assign inverse_o = ~second_count;\n" in text


def test_a_component_that_reads_beside_its_parameters_is_found():
    add_module(Comparing("top"), pair(), "top")
    with pytest.raises(AssertionError, match="top_nameless"):
        add_module(Comparing("top"), pair(kind=Nameless, second=5), "top")


def test_libraries_are_for_verilog_alone():
    core = Pair(Counter4, 2, 3)
    found = []

    async def run(ctx):
        ctx.set(core.go, 1)
        await ctx.tick().repeat(5)
        found.append((ctx.get(core.a), ctx.get(core.b)))

    simulator = Simulator(core)
    simulator.add_clock(1e-6)
    simulator.add_testbench(run)
    simulator.run()
    assert found == [(2, 0b1100)]


class Wrapped(wiring.Component):
    """Counter within something that changes its registers."""

    def __init__(self, wrap):
        self._wrap = wrap
        super().__init__({"go": In(1), "other": In(1), "count": Out(4)})

    def elaborate(self, platform):
        m = Module()
        m.domains.fast = ClockDomain(local=True)
        m.d.comb += ClockSignal("fast").eq(self.other)
        counter = Counter4(last=3)
        m.submodules.counter = self._wrap(self)(counter)
        m.d.comb += [counter.go.eq(self.go), self.count.eq(counter.count)]
        return m


def wrapped(wrap):
    """Wrapped counter with a plain signal per port."""
    return shell_of(Wrapped(wrap), ["go", "other"], ["count"])


def test_a_place_has_the_clock_that_it_is_renamed_to():
    text = module_verilog(wrapped(lambda core: DomainRenamer("fast")), "top")
    assert modules(text) == ["top_counter4", "top"]
    assert ".clk(other), .rst(fast_rst)" in text


@pytest.mark.parametrize("gate", [EnableInserter, ResetInserter])
def test_what_gates_registers_of_a_module_that_is_placed_is_refused(gate):
    line = f"gateware must have only what can be written as Verilog, not {gate.__name__} around"
    with pytest.raises(ConfigurationError, match=f"{line} a Counter4$"):
        module_verilog(wrapped(lambda core: gate(core.other)), "top")


class Reading(Counter4):
    """Counter that reads a signal that is no member."""

    seen = Signal(name="seen")

    def elaborate(self, platform):
        m = super().elaborate(platform)
        m.d.sync += self.count[3].eq(self.seen)
        return m


def test_what_stands_in_other_modules_is_read_by_members_alone():
    library = Library("top")
    add_module(library, shell_of(Pair(Reading, 3, 3), ["go"], ["a"]), "top")
    assert library.texts  # nothing drives it: it is 0 everywhere

    class Driving(Pair):
        def elaborate(self, platform):
            m = super().elaborate(platform)
            m.d.sync += Reading.seen.eq(self.go)
            return m

    library = Library("top")
    add_module(library, shell_of(Driving(Reading, 3, 3), ["go"], ["a"]), "top")
    line = "top_reading: must read what stands in other modules by their ports, not seen of top"
    with pytest.raises(ConfigurationError, match=f"^{line}$"):
        _ = library.texts


class Apart(wiring.Component):
    """Counter at a clock of its own, whose reset does not wait for it."""

    def __init__(self, kind):
        self._counter = kind(last=3)
        super().__init__({"go": In(1), "count": Out(4)})

    def elaborate(self, platform):
        m = Module()
        m.domains.sync = ClockDomain(async_reset=True, local=True)
        m.submodules.counter = self._counter
        m.d.comb += [self._counter.go.eq(self.go), self.count.eq(self._counter.count)]
        return m


def test_a_reset_waits_for_the_clock_where_it_does_outside():
    """Of a component in both kinds of domains there are two modules, of the others one."""
    text = module_verilog(shell_of(Apart(Counter4), ["go"], ["count"]), "top")
    assert modules(text) == ["top_counter4_async", "top"]
    assert "always @(posedge clk or posedge rst)" in text
    assert " or posedge " not in module_verilog(pair(), "top")
