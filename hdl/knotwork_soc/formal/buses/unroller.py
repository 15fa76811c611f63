"""Proof of the unroller of bursts: a beat's address and bytes by the formulas of the standard."""

from collections.abc import Callable, Iterator

from amaranth.hdl import Array, Cat, Mux, Value
from knotwork.emit.modules import Shell, module_verilog
from knotwork.formal.elaboration import Elaboration
from knotwork.formal.harness import Harness
from knotwork.formal.property import Property, Result
from knotwork.formal.prover import prove

from ...gateware.buses.bursts import PAGE_BITS, Unroller, beat_layout
from ...gateware.buses.bus_kinds import Burst, address_layout
from ...parameters import BusParameters

SMALL = BusParameters(address_width=14, data_width=32, id_width=1, burst=16)
"""Widths with which it is proven."""


def unroller_shell(bus: BusParameters) -> Shell:
    """Unroller with a port per field, ``i_address``, ``o_address``."""
    unroller = Unroller(bus=bus)
    shell = Shell(unroller)
    shell.input("i_valid", unroller.i.valid)
    shell.output("i_ready", unroller.i.ready)
    for name in address_layout(bus).members:
        shell.input(f"i_{name}", unroller.i.p[name])
    shell.output("o_valid", unroller.o.valid)
    shell.input("o_ready", unroller.o.ready)
    for name in beat_layout(bus).members:
        shell.output(f"o_{name}", unroller.o.p[name])
    return shell


class UnrollerHarness(Harness):
    """Harness of an unroller, to which any burst may come that the standard allows.

    Parameters
    ----------
    bus : BusParameters
        Its widths.
    """

    def __init__(self, bus: BusParameters) -> None:
        shell = unroller_shell(bus)
        super().__init__("unroller", *shell.widths, Elaboration(shell.core))
        self.bus = bus
        self.word_bits = (bus.data_bytes - 1).bit_length()

    def assume_bursts(self) -> None:
        """Assume bursts of the standard (IHI 0022, A3.4.1), held until they are taken (A3.2.1)."""
        valid, ready = self.port("i_valid"), self.port("i_ready")
        fields = [self.port(f"i_{name}") for name in address_layout(self.bus).members]
        address, length = self.port("i_address"), self.port("i_length")
        size, kind = self.port("i_size"), self.port("i_burst")
        within = (1 << size) - 1
        total = (length + 1) << size
        wraps = [length == beats - 1 for beats in (2, 4, 8, 16)]
        page = (address[:PAGE_BITS] & ~within) + total
        with self.assuming():
            self.claim_held(valid, ready, Cat(fields), "burst")
            self.claim((size <= self.word_bits) & (length < self.bus.burst))
            self.claim(kind <= Burst.WRAP)
            self.claim((kind != Burst.WRAP) | (Cat(wraps).any() & ~(address & within).any()))
            self.claim((kind != Burst.INCR) | (page <= 1 << PAGE_BITS))


def _counts(harness: UnrollerHarness) -> None:
    _beats(harness)


def _beats(harness: UnrollerHarness) -> Value:
    """Claim what follows each other; the number of the beat, as the ports tell it."""
    harness.assume_bursts()
    taken = harness.port("o_valid") & harness.port("o_ready")
    last = harness.port("o_last")
    number = harness.register(8, "beats")
    harness.m.d.sync += number.eq(Mux(taken, Mux(last, 0, number + 1), number))
    unroller = harness.component("", Unroller)
    harness.claim(harness.probe(unroller.number) == number)
    harness.claim(harness.probe(unroller.begun) == number.any())
    harness.claim(~number.any() | harness.port("i_valid"))
    harness.claim(~harness.port("i_valid") | (number <= harness.port("i_length")))
    harness.claim(harness.port("o_valid") == harness.port("i_valid"))
    length = harness.port("i_length")
    harness.claim(~harness.port("o_valid") | (last == (number == length)))
    harness.claim((harness.port("i_valid") & harness.port("i_ready")) == (taken & last))
    harness.cover(taken & last & (number == harness.bus.burst - 1))
    return number


def _addresses(harness: UnrollerHarness) -> None:
    number = _beats(harness)
    start, size, kind = (harness.port(f"i_{name}") for name in ("address", "size", "burst"))
    valid, address = harness.port("o_valid"), harness.port("o_address")
    number_bytes = harness.named(1 << size, "number_bytes")
    aligned = harness.named(start & ~(number_bytes - 1), "aligned")
    wrap = harness.named(((harness.port("i_length") + 1) << size) - 1, "wrap")
    plain = harness.named(
        Mux(number == 0, start, aligned + (number << size))[: len(start)], "plain"
    )
    wrapped = (start & ~wrap) | ((start + (number << size)) & wrap)
    expected = harness.named(Array([start, plain, wrapped[: len(start)], start])[kind], "expected")
    harness.claim(~valid | (address == expected))
    bits = harness.word_bits
    harness.claim(~valid | (harness.port("o_word") == Cat(address[:bits] & 0, address[bits:])))
    lower = expected[:bits]
    upper = harness.named(lower | (number_bytes - 1)[:bits], "upper")
    for lane in range(harness.bus.data_bytes):
        there = (lower <= lane) & (lane <= upper)
        harness.claim(~valid | (harness.port("o_lanes")[lane] == there))
    harness.cover(valid & (kind == Burst.WRAP) & (number > 2) & (address == (start & ~wrap)))


PROPERTIES = (
    Property(
        name="beats",
        text="a burst has as many beats as its length says, the last one marked, and is taken with "
        "it",
        claim=_counts,
    ),
    Property(
        name="addresses",
        text="each beat has the address and the bytes of IHI 0022, A3.4.1 and A3.4.2",
        claim=_addresses,
    ),
)
"""Properties of the unroller."""


def prove_unroller(edit: Callable[[str], str] = str) -> Iterator[Result]:
    """Prove them, of Verilog that `edit` may have changed."""
    verilog = edit(module_verilog(unroller_shell(SMALL), "unroller"))
    return prove("unroller", verilog, lambda: UnrollerHarness(SMALL), PROPERTIES)
