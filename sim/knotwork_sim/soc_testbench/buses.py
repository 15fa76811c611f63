"""Managers and memories of each kind of bus: those of cocotbext-axi, and Wishbone's."""

import logging
from collections.abc import Callable
from typing import Any, NamedTuple

import cocotb
from cocotbext.axi import (
    ApbBus,
    ApbMaster,
    ApbRam,
    AxiBus,
    AxiLiteBus,
    AxiLiteMaster,
    AxiLiteRam,
    AxiMaster,
    AxiRam,
)
from cocotbext.axi.sparse_memory import SparseMemory

from ..testbench.ends import set_pauses
from .wishbone import WishboneManager, WishboneMemory


class Place(NamedTuple):
    """Ports of a bus, the clock and reset that they are at, and the beats of its longest burst."""

    scope: Any
    prefix: str
    clock: Any
    reset: Any
    is_reset_high: bool
    burst: int


class BusEnds(NamedTuple):
    """What stands at a kind of bus.

    Members
    -------
    manager : callable
        Manager at a place: it has ``write(address, data)`` and ``read(address, length)``, whose
        answers have ``resp`` and ``data``.
    memory : callable
        Memory at a place, over these contents.
    pause : callable
        Lets either pause in a share of the cycles, from now on.
    answers : tuple of tuples of str
        Signals that are all high in a cycle in which a manager takes an answer, or a part of one:
        of each channel by which answers come.
    """

    manager: Callable[[Place], Any]
    memory: Callable[[Place, SparseMemory], Any]
    pause: Callable[[Any, float], None]
    answers: tuple[tuple[str, ...], ...]


def _of_cocotbext(
    bus: Any,
    master: Any,
    ram: Any,
    pause: Callable[[Any, float], None],
    answers: tuple[tuple[str, ...], ...],
    *,
    keys_of: Callable[[Place], dict[str, int]] = lambda _: {},
) -> BusEnds:
    """Ends of cocotbext-axi; `keys_of` gives what else a manager is to know."""

    def wires(place: Place) -> tuple[Any, Any, Any, bool]:
        # Each end would tell a page about itself, and a line per burst.
        logging.getLogger(f"cocotb.{place.scope._name}.{place.prefix}").setLevel(logging.WARNING)
        ports = bus.from_prefix(place.scope, place.prefix)
        return ports, place.clock, place.reset, place.is_reset_high

    return BusEnds(
        lambda place: master(*wires(place), **keys_of(place)),
        lambda place, contents: ram(*wires(place), mem=contents),
        pause,
        answers,
    )


_OF_AXI = (("bvalid", "bready"), ("rvalid", "rready"))
"""Handshakes of the channels by which AXI4 and AXI4-Lite answer."""


def _pause_channels(end: Any, share: float) -> None:
    """Pause all five channels, each by dice of its own."""
    for side, names in ((end.write_if, ("aw", "w", "b")), (end.read_if, ("ar", "r"))):
        for name in names:
            set_pauses(getattr(side, f"{name}_channel"), share, f"{side.log.name} {name}")


def _pause_apb(end: Any, share: float) -> None:
    set_pauses(end, share, end.log.name)


def _wishbone_memory(place: Place, contents: SparseMemory) -> WishboneMemory:
    made = WishboneMemory(place.scope, place.prefix, place.clock, contents)
    cocotb.start_soon(made.run())
    return made


BUS_ENDS = {
    "axi4": _of_cocotbext(
        AxiBus,
        AxiMaster,
        AxiRam,
        _pause_channels,
        _OF_AXI,
        keys_of=lambda place: {"max_burst_len": place.burst},
    ),
    "axi_lite": _of_cocotbext(AxiLiteBus, AxiLiteMaster, AxiLiteRam, _pause_channels, _OF_AXI),
    "apb": _of_cocotbext(ApbBus, ApbMaster, ApbRam, _pause_apb, (("penable", "pready"),)),
    "wishbone": BusEnds(
        lambda place: WishboneManager(place.scope, place.prefix, place.clock),
        _wishbone_memory,
        lambda end, share: end.pause(share),
        (("ack",), ("err",)),
    ),
}
"""Ends of the buses by a node's key `bus`."""
