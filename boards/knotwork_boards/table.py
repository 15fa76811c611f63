"""Boards that a bitstream can be built for."""

from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from typing import Any

from knotwork.errors import ConfigurationError

Led = tuple[str, int]
"""Resource of amaranth-boards: name and number."""

LUTS = {
    "iCE40UP5K": 5280,
    "iCE40HX8K": 7680,
    "LFE5U-12F": 24288,  # the same die as the 25F; nextpnr uses all of it
    "LFE5U-25F": 24288,
    "LFE5U-45F": 43848,
    "LFE5U-85F": 83640,
}
"""Four-input look-up tables by device, as nextpnr counts them."""


@dataclass(frozen=True)
class Board:
    """Board of amaranth-boards that has a UART and three LEDs.

    Parameters
    ----------
    name : str
        Name for the command line.
    title : str
        Name for people.
    module, platform : str
        Module in `amaranth_boards`, and the platform class in it.
    leds : tuple of Led
        Where to show alive, pass and fail.
    extension : str or None
        Attribute of the platform with further resources, on a connector.
    """

    name: str
    title: str
    module: str
    platform: str
    leds: tuple[Led, Led, Led]
    extension: str | None = None

    @cached_property
    def platform_class(self) -> type[Any]:
        """Platform, imported when it is first asked for."""
        return getattr(import_module(f"amaranth_boards.{self.module}"), self.platform)

    def make_platform(self) -> Any:
        """Platform for one build."""
        platform = self.platform_class()
        if self.extension is not None:
            platform.add_resources(getattr(platform, self.extension))
        return platform

    @property
    def device(self) -> str:
        """FPGA."""
        return self.platform_class.device

    @property
    def family(self) -> str:
        """``ecp5`` or ``ice40``."""
        return "ice40" if self.device.startswith("iCE40") else "ecp5"

    @property
    def luts(self) -> int:
        """Four-input look-up tables."""
        return LUTS[self.device]

    @cached_property
    def clock_hz(self) -> int:
        """Clock of the board, at which the network runs."""
        return int(self.make_platform().default_clk_frequency)

    @property
    def clock_mhz(self) -> float:
        """Clock in MHz."""
        return self.clock_hz / 1e6


ROW = (("led", 0), ("led", 1), ("led", 2))
COLOURS = (("led_b", 0), ("led_g", 0), ("led_r", 0))
ICEBREAKER = (("led_g", 1), ("led_g", 0), ("led_r", 0))  # alive sits on the break-off part

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
        There is none.
    """
    if name not in BOARDS:
        raise ConfigurationError(f"a board must be one of {', '.join(BOARDS)}, not {name!r}")
    return BOARDS[name]
