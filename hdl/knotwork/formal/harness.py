"""What stands around a router in a proof: its ports, what is inside it, and what is claimed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

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
    Signal,
    Value,
)


class Bench(Elaboratable):
    """Verilog module of which something is claimed, in its weakest environment.

    Inputs take any value in every clock, but for what is assumed; the first clock is a reset. The
    claims go by ports and by wires inside, the latter by their paths in the flattened module.

    Parameters
    ----------
    module : str
        Name of the module.
    inputs, outputs : dict of str to int
        Bits of its ports, without clock and reset.

    Members
    -------
    m : Module
        Where claims add their monitors; registers are reset with the module.
    running : Value
        Low during the reset.
    keeps_memories : bool
        Memories of which no word is looked at stay whole for the solver; else all are registers.
    """

    keeps_memories = True

    def __init__(self, module: str, inputs: dict[str, int], outputs: dict[str, int]) -> None:
        self._module = module
        self._inputs = inputs
        self._ports = {
            name: Signal(bits, name=name) for name, bits in (inputs | outputs).items() if bits
        }
        self._inside: dict[str, Signal] = {}
        self._names = 0
        self._constants: set[str] = set()
        self._assumes = self._is_open = False
        self._domain: Any = ClockDomain("sync")
        self.m = Module()
        self.running = Signal(name="running")

    def port(self, name: str) -> Signal:
        """Port of the module."""
        return self._ports[name]

    def has_port(self, name: str) -> bool:
        """Whether the module has such a port."""
        return name in self._ports

    def inside(self, path: str, bits: int = 1) -> Signal:
        """Wire inside the module, ``core.input_local_vc0.buffer.full``."""
        if path not in self._inside:
            self._inside[path] = Signal(bits, name=path.replace(".", "_"))
        found = self._inside[path]
        if len(found) != bits:
            raise ValueError(f"{path} must have one width, not {len(found)} and {bits} bits")
        return found

    @property
    def wires(self) -> list[str]:
        """Paths of the wires inside that claims look at."""
        return list(self._inside)

    def constant(self, name: str) -> Signal:
        """Input of the module that is the same in every clock."""
        self._constants.add(name)
        return self.port(name)

    def any_constant(self, bits: int) -> Value:
        """Value that is the same in every clock, and of which nothing else is known."""
        return AnyConst(bits)

    def any_value(self, bits: int = 1) -> Value:
        """Value of which nothing is known."""
        return AnySeq(bits)

    def register(self, shape: Any, name: str, **more: Any) -> Signal:
        """Register of a monitor, cleared by the reset."""
        self._names += 1
        return Signal(shape, name=f"{name}_{self._names}", **more)

    def named(self, value: Any, name: str) -> Signal:
        """Wire for a value that claims use more than once."""
        value = Value.cast(value)
        self._names += 1
        wire = Signal(len(value), name=f"{name}_{self._names}")
        self.m.d.comb += wire.eq(value)
        return wire

    def environment(self, value: Any) -> None:
        """Consider only inputs that keep to this in every clock."""
        self.m.d.comb += Assume(Value.cast(value).bool(), None)

    def assume(self, value: Any) -> None:
        """Consider only what keeps to this in every clock after the reset."""
        self.environment(~self.running | Value.cast(value).bool())

    def claim(self, value: Any) -> None:
        """Claim that this holds in every clock after the reset."""
        if self._assumes:
            self.assume(value)
            return
        self.m.d.comb += Assert(~self.running | Value.cast(value).bool(), None, src_loc_at=1)

    def cover(self, value: Any) -> None:
        """Claim that this happens."""
        if not self._assumes:
            self.m.d.comb += Cover(self.running & Value.cast(value).bool(), None, src_loc_at=1)

    def claim_held(self, valid: Value, ready: Value, payload: Value, name: str) -> None:
        """Claim that what a stream shows stays until it is taken."""
        waited = self.register(1, f"waited_{name}")
        shown = self.register(len(payload), f"shown_{name}")
        self.m.d.sync += [waited.eq(valid & ~ready), shown.eq(payload)]
        self.claim(~waited | (valid & (payload == shown)))

    @contextmanager
    def assuming(self) -> Iterator[None]:
        """Take what is claimed meanwhile as given."""
        before, self._assumes = self._assumes, True
        yield
        self._assumes = before

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
        ports: Sequence[Any] = [
            ("i", "clk", domain.clk),
            ("i", "rst", domain.rst),
            *(("i" if n in self._inputs else "o", n, s) for n, s in self._ports.items()),
            *(("o", path, signal) for path, signal in self._inside.items()),
        ]
        m.submodules.router = Instance(self._module, *ports)
        return m

    def rtlil(self, name: str) -> str:
        """Bench as a module of this name in Yosys's intermediate language."""
        return rtlil.convert(self, name=name, ports=[self._domain.clk])

    def open_rtlil(self, name: str) -> str:
        """The same, but with the clock, the reset and the ports of what is inside as its own."""
        self._is_open = True
        return rtlil.convert(
            self, name=name, ports=[self._domain.clk, self._domain.rst, *self._ports.values()]
        )
