"""Harness of a module in a proof: its ports, the wires inside, assumptions and claims."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, TypeVar

from amaranth.asserts import AnyConst, AnySeq, Initial  # pyright: ignore (no stub)
from amaranth.back import rtlil  # pyright: ignore[reportAttributeAccessIssue] (no stub)
from amaranth.hdl import (
    Assert,
    Assume,
    ClockDomain,
    Cover,
    Elaboratable,
    Instance,
    Module,
    ShapeLike,
    Signal,
    Value,
    ValueLike,
)
from amaranth.lib import data

from ..untyped import View
from .elaboration import Elaboration

Component = TypeVar("Component")


class WiredModule(Elaboratable):
    """Verilog module whose inputs have any value, and whose internal wires can be read.

    The first cycle is a reset.

    Parameters
    ----------
    module : str
        Name of the module.
    inputs, outputs : dict of str to int
        Bits of its ports, without clock and reset.
    gateware : Elaboration, optional
        Gateware that the Verilog was written from.

    Members
    -------
    m : Module
        Where a harness adds to it; its registers are reset with the module.
    running : Value
        Low during the reset.
    gateware : Elaboration
        Gateware that the Verilog was written from.
    """

    def __init__(
        self,
        module: str,
        inputs: dict[str, int],
        outputs: dict[str, int],
        gateware: Elaboration | None = None,
    ) -> None:
        self._module = module
        self.gateware = gateware or Elaboration()
        self._inputs = inputs
        self._ports = {
            name: Signal(bits, name=name) for name, bits in (inputs | outputs).items() if bits
        }
        self._inside: dict[str, Signal] = {}
        self._constants: set[str] = set()
        self._is_open = False
        self._domain: Any = ClockDomain("sync")  # its signals have no stub
        self.m = Module()
        self.running = Signal(name="running")

    def rename(self, module: str) -> None:
        """Take the module of another name."""
        self._module = module

    def port(self, name: str) -> Signal:
        """Port of the module."""
        return self._ports[name]

    def has_port(self, name: str) -> bool:
        """Whether the module has a port of this name."""
        return name in self._ports

    def inside(self, path: str, bits: int = 1) -> Signal:
        """Wire inside the module, ``input_local.buffer.full``."""
        if path not in self._inside:
            self._inside[path] = Signal(bits, name=path.replace(".", "_"))
        found = self._inside[path]
        if len(found) != bits:
            raise ValueError(f"{path} must have one width, not {len(found)} and {bits} bits")
        return found

    def component(self, path: str, kind: type[Component]) -> Component:
        """Component within the module, whose attributes are the signals for `probe`."""
        return self.gateware.part(path, kind)

    def probe(self, signal: Value) -> Signal:
        """Wire inside the module of a signal of its gateware."""
        signal = Value.cast(signal)
        return self.inside(self.gateware.path(signal), len(signal))

    def probe_view(self, signal: View) -> View:
        """Wire inside the module of a signal that has fields."""
        return data.View(signal.shape(), self.probe(signal.as_value()))

    def probe_words(self, read: Value, places: Iterable[int]) -> list[Signal]:
        """Words at places of the memory inside from which a signal is read."""
        path, bits = self.gateware.memory(read), len(Value.cast(read))
        return [self.inside(f"{path}[{place}]", bits) for place in places]

    @property
    def wires(self) -> list[str]:
        """Paths of the wires inside that claims refer to."""
        return list(self._inside)

    def constant(self, name: str) -> Signal:
        """Input of the module that is the same in every cycle."""
        self._constants.add(name)
        return self.port(name)

    def elaborate(self, platform: object) -> Module:
        m = self.m
        m.domains.sync = domain = self._domain
        m.d.comb += self.running.eq(~domain.rst)
        if not self._is_open:
            m.d.comb += domain.rst.eq(Initial())
            for name, bits in self._inputs.items():
                if bits:
                    value = AnyConst(bits) if name in self._constants else AnySeq(bits)
                    m.d.comb += self._ports[name].eq(value)
        ports = [
            ("i", "clk", domain.clk),
            ("i", "rst", domain.rst),
            *(("i" if n in self._inputs else "o", n, s) for n, s in self._ports.items()),
            *(("o", path, signal) for path, signal in self._inside.items()),
        ]
        m.submodules.router = Instance(self._module, *ports)
        return m

    def rtlil(self, name: str) -> str:
        """Harness as a module of this name in Yosys's intermediate language."""
        return rtlil.convert(self, name=name, ports=[self._domain.clk])

    def open_rtlil(self, name: str) -> str:
        """The same, with the clock, the reset and the ports of the module inside as its ports."""
        self._is_open = True
        return rtlil.convert(
            self, name=name, ports=[self._domain.clk, self._domain.rst, *self._ports.values()]
        )


class Harness(WiredModule):
    """Verilog module and the claims about it, in its weakest environment.

    Inputs take any value in every cycle, unless something is assumed of them. Claims refer to ports
    and to wires inside, the latter by their paths in the flattened module.

    Parameters
    ----------
    module, inputs, outputs, gateware
        As of `WiredModule`.

    Members
    -------
    keeps_memories : bool
        Memories whose words no claim reads stay memories for the solver; otherwise all become
        registers.
    unclaimed_assertions : tuple of str
        Patterns of the paths of assertions in the Verilog that are no claims here.
    begins_anywhere : bool
        The cycle of the reset finds anything in registers and memories; otherwise, where a reset
        takes longer, what they hold at power-up.
    has_clocks : bool
        The module has clocks and resets of its own among its inputs, with edges and resets at any
        time; a cycle of the harness is a step in which each may change.
    """

    keeps_memories = True
    unclaimed_assertions: tuple[str, ...] = ()
    begins_anywhere = True
    has_clocks = False

    def __init__(
        self,
        module: str,
        inputs: dict[str, int],
        outputs: dict[str, int],
        gateware: Elaboration | None = None,
    ) -> None:
        super().__init__(module, inputs, outputs, gateware)
        self._names = 0
        self._assumes = False

    def any_constant(self, bits: int) -> Value:
        """Value that is the same in every cycle, and of which nothing else is known."""
        return AnyConst(bits)

    def any_value(self, bits: int = 1) -> Value:
        """Value of which nothing is known."""
        return AnySeq(bits)

    def register(self, shape: ShapeLike, name: str, *, init: int = 0) -> Signal:
        """Register of a monitor, which the reset clears, or sets to `init`."""
        self._names += 1
        return Signal(shape, name=f"{name}_{self._names}", init=init)

    def before(self, value: Value, name: str) -> Value:
        """Value of the cycle before; 0 in the first."""
        register = self.register(len(value), name)
        self.m.d.sync += register.eq(value)
        return register

    def record(self, layout: data.Layout, name: str) -> data.View:
        """Register of a monitor that has fields."""
        self._names += 1
        return Signal(layout, name=f"{name}_{self._names}")

    def named(self, value: ValueLike, name: str) -> Signal:
        """Wire for a value that claims use more than once."""
        value = Value.cast(value)
        self._names += 1
        wire = Signal(len(value), name=f"{name}_{self._names}")
        self.m.d.comb += wire.eq(value)
        return wire

    def environment(self, value: ValueLike) -> None:
        """Consider only inputs with which this holds in every cycle."""
        self.m.d.comb += Assume(Value.cast(value).bool(), None)

    def assume(self, value: ValueLike) -> None:
        """Consider only runs in which this holds in every cycle after the reset."""
        self.environment(~self.running | Value.cast(value).bool())

    def claim(self, value: ValueLike) -> None:
        """Claim that this holds in every cycle after the reset."""
        if self._assumes:
            self.assume(value)
            return
        self.m.d.comb += Assert(~self.running | Value.cast(value).bool(), None, src_loc_at=1)

    def cover(self, value: ValueLike) -> None:
        """Claim that this can happen."""
        if not self._assumes:
            self.m.d.comb += Cover(self.running & Value.cast(value).bool(), None, src_loc_at=1)

    def claim_held(self, valid: Value, ready: Value, payload: Value, name: str) -> None:
        """Claim that a stream keeps valid and payload until a transfer."""
        waited = self.register(1, f"waited_{name}")
        offered = self.register(len(payload), f"offered_{name}")
        self.m.d.sync += [waited.eq(valid & ~ready), offered.eq(payload)]
        self.claim(~waited | (valid & (payload == offered)))

    @contextmanager
    def assuming(self) -> Iterator[None]:
        """Assume what is claimed meanwhile."""
        before, self._assumes = self._assumes, True
        yield
        self._assumes = before
