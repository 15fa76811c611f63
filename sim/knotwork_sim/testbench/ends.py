"""Sources and sinks at a network's ports: those of cocotbext-axi, with pauses."""

import logging
import random
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from cocotbext.axi import AxiStreamBus, AxiStreamFrame, AxiStreamSink, AxiStreamSource

from .ports import Stream

# cocotbext-axi 0.1.28 uses names that cocotb 2 is going to give up, and reports that at length.
warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cocotbext\.")


class Source(AxiStreamSource):
    """Source of cocotbext-axi; Verilator knows no x, which it would give to idle signals."""

    _init_x = False


@dataclass(frozen=True)
class Ends:
    """What makes sources and sinks at the streams of a design.

    Members
    -------
    scope : handle
        Where the streams' signals are driven.
    clock, reset : handle
        Clock and reset.
    is_reset_high : bool
        Level of the reset.
    """

    scope: Any
    clock: Any
    reset: Any
    is_reset_high: bool = True

    @property
    def running(self) -> str:
        """Value of the reset while it does not reset."""
        return "0" if self.is_reset_high else "1"

    def source(self, stream: Stream) -> Source:
        """Source at a stream into the network; an element of a frame's data is a beat."""
        bus = _bus(self.scope, stream)
        return Source(bus, self.clock, self.reset, self.is_reset_high, byte_lanes=1)

    def sink(self, stream: Stream) -> AxiStreamSink:
        """Sink at a stream out of the network; an element of a frame's data is a beat."""
        bus = _bus(self.scope, stream)
        return AxiStreamSink(bus, self.clock, self.reset, self.is_reset_high, byte_lanes=1)


def _bus(scope: Any, stream: Stream) -> AxiStreamBus:
    # Each end would tell a page about itself, and a line per packet.
    logging.getLogger(f"cocotb.{scope._name}.{stream.prefix}").setLevel(logging.WARNING)
    return AxiStreamBus.from_prefix(scope, stream.prefix)


def frame(data: Sequence[int], *, tdest: int, tuser: int, widths: dict[str, int]) -> AxiStreamFrame:
    """Frame of a packet.

    The network reads `tdest` and `tuser` on its first beat only: the others have the complement.
    """
    rest = len(data) - 1
    sides = {
        name: [value] + [~value & (1 << widths[name]) - 1] * rest
        for name, value in (("tdest", tdest), ("tuser", tuser))
        if name in widths
    }
    return plain_frame(list(data), **sides)


def plain_frame(data: Any, **sides: Any) -> AxiStreamFrame:
    """Frame whose data are beats: cocotbext-axi takes a list, though its types say bytes."""
    return AxiStreamFrame(data, **sides)


def pauses(share: float, seed: str) -> Iterator[bool]:
    """Whether an end pauses, cycle by cycle."""
    dice = random.Random(seed)
    while True:
        yield dice.random() < share


def set_pauses(end: Source | AxiStreamSink, share: float, seed: str) -> None:
    """Let an end pause in this share of the cycles, from now on."""
    if share > 0:
        end.set_pause_generator(pauses(share, seed))
    else:
        end.clear_pause_generator()
        end.pause = False
