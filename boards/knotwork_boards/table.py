"""Boards for which a bitstream can be built."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import NamedTuple

from knotwork.wording import entry_named

from .untyped import Platform

Led = tuple[str, int]
"""Resource of amaranth-boards: name and number."""


class Leds(NamedTuple):
    """LEDs that show the outcome of the self-test."""

    alive: Led
    passed: Led
    failed: Led


LUTS = {
    "iCE40UP5K": 5280,
    "iCE40HX8K": 7680,
    "LFE5U-12F": 24288,  # the same die as the 25F; nextpnr uses all of it
    "LFE5U-25F": 24288,
    "LFE5U-45F": 43848,
    "LFE5U-85F": 83640,
}
"""Four-input look-up tables of each device, as nextpnr counts them."""


@dataclass(frozen=True)
class Board:
    """Board of amaranth-boards with a UART and three LEDs.

    Parameters
    ----------
    name : str
        Name on the command line.
    title : str
        Name in tables.
    module, platform : str
        Module of `amaranth_boards`, and the platform class in it.
    leds : Leds
        LEDs for the outcome.
    extension : str or None
        Attribute of the platform that holds further resources, on a connector.
    """

    name: str
    title: str
    module: str
    platform: str
    leds: Leds
    extension: str | None = None

    @cached_property
    def platform_class(self) -> type[Platform]:
        """Class of the platform, imported at first use."""
        return getattr(import_module(f"amaranth_boards.{self.module}"), self.platform)

    def make_platform(self) -> Platform:
        """Make a platform for one build."""
        platform = self.platform_class()
        if self.extension is not None:
            platform.add_resources(getattr(platform, self.extension))
        return platform

    @property
    def device(self) -> str:
        """Name of the FPGA."""
        return self.platform_class.device

    @property
    def family(self) -> str:
        """``ecp5`` or ``ice40``."""
        return "ice40" if self.device.startswith("iCE40") else "ecp5"

    @property
    def luts(self) -> int:
        """Four-input look-up tables of the FPGA."""
        return LUTS[self.device]

    @cached_property
    def clock_hz(self) -> int:
        """Frequency of the board's clock, at which the network runs."""
        return int(self.make_platform().default_clk_frequency)

    @property
    def clock_mhz(self) -> float:
        """Frequency of the board's clock in MHz."""
        return self.clock_hz / 1e6


ROW = Leds(("led", 0), ("led", 1), ("led", 2))
COLOURS = Leds(("led_b", 0), ("led_g", 0), ("led_r", 0))
ICEBREAKER = Leds(("led_g", 1), ("led_g", 0), ("led_r", 0))  # `alive` is on the break-off part

BOARDS = {
    board.name: board
    for board in (
        Board("ulx3s_12f", "Radiona ULX3S 12F", "ulx3s", "ULX3S_12F_Platform", ROW),
        Board("ulx3s_25f", "Radiona ULX3S 25F", "ulx3s", "ULX3S_25F_Platform", ROW),
        Board("ulx3s_45f", "Radiona ULX3S 45F", "ulx3s", "ULX3S_45F_Platform", ROW),
        Board("ulx3s_85f", "Radiona ULX3S 85F", "ulx3s", "ULX3S_85F_Platform", ROW),
        Board("icepi_zero", "Icepi Zero 1.3", "icepi_zero", "IcepiZero1_3Platform", ROW),
        Board(
            "icebreaker",
            "1BitSquared iCEBreaker",
            "icebreaker",
            "ICEBreakerPlatform",
            ICEBREAKER,
            extension="break_off_pmod",
        ),
        Board("icesugar", "MuseLab iCESugar", "icesugar", "ICESugarPlatform", COLOURS),
        Board(
            "ice40_hx8k_b_evn",
            "Lattice iCE40-HX8K breakout board",
            "ice40_hx8k_b_evn",
            "ICE40HX8KBEVNPlatform",
            ROW,
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
