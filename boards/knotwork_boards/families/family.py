"""What the flow has to know of an FPGA family: its tools, cells, devices and PLL."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from operator import attrgetter
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ..untyped import Platform

if TYPE_CHECKING:
    from amaranth.hdl import Signal
    from amaranth.lib import io


MHZ = 1_000_000


class Range(NamedTuple):
    """Lowest and highest frequency in MHz that a datasheet allows."""

    low: float
    high: float

    def has(self, hz: Fraction | float) -> bool:
        """Whether a frequency in Hz lies in it."""
        return self.low * MHZ <= hz <= self.high * MHZ


class Limits(NamedTuple):
    """Limits of a PLL.

    Members
    -------
    input, detector, oscillator, output : Range
        Frequencies at the input, the phase detector, the oscillator (VCO) and the output.
    """

    input: Range
    detector: Range
    oscillator: Range
    output: Range


@dataclass(frozen=True, kw_only=True)
class Setting:
    """Setting of a PLL.

    Parameters
    ----------
    hz : Fraction
        Frequency of the output.
    oscillator_hz : Fraction
        Frequency of the oscillator.
    dividers : mapping
        Parameters of the PLL that are dividers.
    """

    hz: Fraction
    oscillator_hz: Fraction
    dividers: Mapping[str, int] = field(hash=False)


class Wires(NamedTuple):
    """Wires of a PLL.

    Members
    -------
    pin : port
        Pin of the board's clock.
    clock, locked : Signal
        What comes out of it, and whether it is steady.
    """

    pin: "io.SingleEndedPort | io.DifferentialPort"
    clock: "Signal"
    locked: "Signal"


@dataclass(frozen=True, kw_only=True)
class Pll:
    """PLL of a family.

    Parameters
    ----------
    settings : callable
        Settings that its limits allow, from the frequency of the input and the highest one of the
        output in Hz, and the device. Of settings that differ only in the output's divider,
        the fastest.
    instantiate : callable
        Instantiates it in a module, with a setting.
    parameters : callable
        Parameters of its cell that a setting decides.
    """

    settings: Callable[[Fraction, Fraction, str], Iterable[Setting]]
    instantiate: Callable[..., None]
    parameters: Callable[[Setting], Mapping[str, int]] = attrgetter("dividers")

    def nearest(self, input_hz: float, at_most_hz: float, device: str) -> Setting | None:
        """Fastest setting that is not above a frequency; of equal ones, the slowest oscillator."""
        slow = self.settings(Fraction(input_hz), Fraction(at_most_hz), device)
        return max(slow, key=lambda setting: (setting.hz, -setting.oscillator_hz), default=None)


def integer_multiples(detector_hz: Fraction, oscillator: Range) -> Iterator[int]:
    """Factors that bring a detector's frequency into an oscillator's range."""
    first = max(1, -(-int(oscillator.low * MHZ) // detector_hz))
    last = int(oscillator.high * MHZ / detector_hz)
    return iter(range(int(first), last + 1))


class Device(NamedTuple):
    """FPGA of a family.

    Members
    -------
    luts : int
        Its four-input look-up tables, as nextpnr counts them.
    synthesis : str
        Options of Yosys's synthesis for it.
    """

    luts: int
    synthesis: str = ""


class ConstantCell(NamedTuple):
    """Look-up table that drives a constant, which a tool can still change after synthesis.

    Members
    -------
    kind : str
        Type of the cell.
    parameter : str
        Its parameter of 16 bits: all ones or all zeros.
    output : str
        Its output.
    """

    kind: str
    parameter: str
    output: str

    def value(self, bit: int) -> int:
        """Parameter with which it drives a bit."""
        return 0xFFFF * bit


Parameters = Mapping[str, Mapping[str, int]]
"""Parameters of cells: names of cells at the top, then names of parameters."""


def unchanged(platform: type[Platform]) -> type[Platform]:
    """Platform whose tools are those that Amaranth calls."""
    return platform


@dataclass(frozen=True, kw_only=True, eq=False)
class Family:
    """FPGA family: its tools, cells and devices.

    Parameters
    ----------
    name : str
        Name in tables and records.
    title : str
        Name on pages.
    placer, packer : str
        Tools for place and route and for the bitstream, as `knotwork.tools` knows them.
    unpacker : str
        Tool that reads bitstreams, likewise; None where nothing turns them into Verilog.
    product : str
        Bitstream that the packer writes.
    device_by : str
        Attribute of a platform that names the device.
    devices : mapping
        Devices by name.
    cells : mapping
        Per kind of resource, nextpnr's cells that take it, and how much each takes; the first names
        what is available.
    counted : mapping
        Per kind of resource that nextpnr does not count, the beginning of Yosys's cells that take
        it; there are as many as look-up tables.
    ram_size : int
        Size of a memory of 16 x 4 bits in look-up tables, with what is around it: bits in registers
        that take as many cells. Zero where look-up tables cannot be memories.
    pll : Pll
        Its PLL.
    constant : ConstantCell
        Its look-up table, as a constant.
    retune : callable
        Sets parameters of the PLL and of constants in what place and route left in a folder, before
        it is packed; None where they can be set in the netlist only.
    reach_mhz : float
        Frequency that small networks come near to: a first aim.
    synthesis : str
        Yosys's command that synthesises for it.
    netlist_options : str
        Options with which it adds no pads to the ports of a module.
    models : str
        Yosys's models of its cells, in the folder of its shared files.
    after_synthesis : tuple of str
        Yosys's commands after synthesis, such that its netlist is in ``top.json``.
    tools : callable
        Makes a platform that calls these tools.
    """

    name: str
    title: str
    placer: str
    packer: str
    product: str
    device_by: str = "device"
    devices: Mapping[str, Device]
    cells: Mapping[str, Mapping[str, int]]
    counted: Mapping[str, str] = field(default_factory=dict)
    ram_size: int
    pll: Pll
    constant: ConstantCell
    retune: Callable[[Path, Parameters], None] | None = None
    reach_mhz: float
    synthesis: str
    netlist_options: str = ""
    models: str
    after_synthesis: tuple[str, ...] = ()
    unpacker: str | None = None
    tools: Callable[[type[Platform]], type[Platform]] = unchanged
