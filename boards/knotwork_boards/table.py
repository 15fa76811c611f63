"""Boards for which a bitstream can be built."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

from knotwork.wording import entry_named

from .families import ECP5, GOWIN, ICE40, Family
from .untyped import Platform


class Led(NamedTuple):
    """LED among the resources of a platform.

    Members
    -------
    name : str
        Name of the resource.
    number : int
        Which of that name.
    colour : str or None
        One of its colours, where it has several.
    """

    name: str
    number: int = 0
    colour: str | None = None


class Leds(NamedTuple):
    """LEDs that show the outcome of the self-test."""

    alive: Led
    passed: Led
    failed: Led


@dataclass(frozen=True)
class Board:
    """Board with a UART and three LEDs.

    Parameters
    ----------
    name : str
        Name on the command line.
    title : str
        Name in tables.
    family : Family
        Family of its FPGA.
    module, platform : str
        Module, and the platform class in it.
    leds : Leds
        LEDs for the outcome.
    loader : tuple of str
        Words by which openFPGALoader knows the board; none where it cannot load it.
    extension : str or None
        Attribute of the platform that holds further resources, on a connector.
    """

    name: str
    title: str
    family: Family
    module: str
    platform: str
    leds: Leds
    loader: tuple[str, ...] = ()
    extension: str | None = None

    @cached_property
    def platform_class(self) -> type[Platform]:
        """Class of the platform, imported at first use."""
        return getattr(import_module(self.module), self.platform)

    def make_platform(self) -> Platform:
        """Make a platform for one build."""
        platform = self.family.tools(self.platform_class)()
        if self.extension is not None:
            platform.add_resources(getattr(platform, self.extension))
        return platform

    @property
    def device(self) -> str:
        """Name of the FPGA."""
        return getattr(self.platform_class, self.family.device_by)

    @property
    def luts(self) -> int:
        """Four-input look-up tables of the FPGA."""
        return self.family.devices[self.device].luts

    def has_die_of(self, other: "Board") -> bool:
        """Whether another board's FPGA has the same die, in whatever package it is."""
        return (self.family, self.luts) == (other.family, other.luts)

    @cached_property
    def clock_hz(self) -> int:
        """Frequency of the board's clock, at which the network runs."""
        return int(self.make_platform().default_clk_frequency)

    @property
    def clock_mhz(self) -> float:
        """Frequency of the board's clock in MHz."""
        return self.clock_hz / 1e6

    @cached_property
    def uart(self) -> dict[str, str]:
        """Pins of the FPGA that send (``tx``) and receive (``rx``)."""
        platform = self.make_platform()
        lines = [line.name for line in platform.lookup("uart", 0).ios]
        uart = platform.request("uart", 0, dir=dict.fromkeys(lines, "-"))
        return {name: getattr(uart, name).io.metadata[0].name for name in ("tx", "rx")}


ROW = Leds(Led("led", 0), Led("led", 1), Led("led", 2))
COLOURS = Leds(Led("led_b"), Led("led_g"), Led("led_r"))
RGB = Leds(Led("rgb_led", 0, "b"), Led("rgb_led", 0, "g"), Led("rgb_led", 0, "r"))
ICEBREAKER = Leds(Led("led_g", 1), Led("led_g"), Led("led_r"))  # `alive`: on the break-off part

_PLATFORMS = "knotwork_boards.platforms"
_DAP_LINK = (
    "-c",
    "cmsisdap",
    "--vid",
    "0x1d50",
    "--pid",
    "0x602b",
)  # the iCELink of an iCESugar-pro


def _named(name: str) -> tuple[str, str]:
    """Words for a board that openFPGALoader has a name for: `openFPGALoader --list-boards`."""
    return ("-b", name)


def _ulx3s(size: str) -> Board:
    name, title = f"ulx3s_{size.lower()}", f"Radiona ULX3S {size}"
    platform = f"ULX3S_{size}_Platform"
    return Board(name, title, ECP5, "amaranth_boards.ulx3s", platform, ROW, _named("ulx3s"))


def _orangecrab(size: str) -> Board:
    name, title = f"orangecrab_{size.lower()}", f"OrangeCrab r0.2 {size}"
    module, platform = _PLATFORMS, f"OrangeCrab{size}Platform"
    return Board(name, title, ECP5, module, platform, RGB, _named("orangeCrab"))


BOARDS = {
    board.name: board
    for board in (
        *map(_ulx3s, ("12F", "25F", "45F", "85F")),
        Board(
            "icepi_zero",
            "Icepi Zero 1.3",
            ECP5,
            "amaranth_boards.icepi_zero",
            "IcepiZero1_3Platform",
            ROW,
            _named("icepi-zero"),
        ),
        *map(_orangecrab, ("25F", "85F")),
        Board(
            "ecp5_5g_evn",
            "Lattice ECP5-5G evaluation board",
            ECP5,
            "amaranth_boards.ecp5_5g_evn",
            "ECP55GEVNPlatform",
            ROW,
            _named("ecp5_evn"),
        ),
        Board(
            "icesugar_pro",
            "MuseLab iCESugar-pro",
            ECP5,
            "amaranth_boards.icesugar_pro",
            "ICESugarProPlatform",
            RGB,
            _DAP_LINK,
        ),
        Board(
            "icebreaker",
            "1BitSquared iCEBreaker",
            ICE40,
            "amaranth_boards.icebreaker",
            "ICEBreakerPlatform",
            ICEBREAKER,
            _named("ice40_generic"),
            extension="break_off_pmod",
        ),
        Board(
            "icesugar",
            "MuseLab iCESugar",
            ICE40,
            "amaranth_boards.icesugar",
            "ICESugarPlatform",
            COLOURS,
        ),
        Board(
            "ice40_hx8k_b_evn",
            "Lattice iCE40-HX8K breakout board",
            ICE40,
            "amaranth_boards.ice40_hx8k_b_evn",
            "ICE40HX8KBEVNPlatform",
            ROW,
            _named("ice40_generic"),
        ),
        Board(
            "tang_nano_9k",
            "Sipeed Tang Nano 9K",
            GOWIN,
            "amaranth_boards.tang_nano_9k",
            "TangNano9kPlatform",
            ROW,
            _named("tangnano9k"),
        ),
        Board(
            "tang_nano_20k",
            "Sipeed Tang Nano 20K",
            GOWIN,
            _PLATFORMS,
            "TangNano20kPlatform",
            ROW,
            _named("tangnano20k"),
        ),
        Board(
            "tang_primer_20k",
            "Sipeed Tang Primer 20K with dock",
            GOWIN,
            "amaranth_boards.tang_primer_20k",
            "TangPrimer20kDockPlatform",
            ROW,
            _named("tangprimer20k"),
        ),
    )
}
"""Boards by name."""


def board_named(name: str) -> Board:
    """Board of that name.

    Raises
    ------
    ConfigurationError
        No board has that name.
    """
    return entry_named(BOARDS, "a board", name)
