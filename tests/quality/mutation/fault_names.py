"""Names of faults by what they do: the signals that a gate reads and drives, not Yosys' numbers.

A signal is named by the source. Where a gate's wire has no such name, the nearest named signals
stand for it, those that it comes from or goes to. So a name outlasts every change that leaves the
gate where it is.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import groupby
from typing import Any

Bit = int | str

SHOWN = 4
"""Signals of a list; the others are left out of a name."""

_CLOCK = re.compile(r"C|CLK|\w+_CLK")


class FaultNames:
    """Names of the faults of a module, which is in Yosys' JSON."""

    def __init__(self, module: dict[str, Any]) -> None:
        self._cells = module["cells"]
        self._place: dict[Bit, tuple[str, int]] = {}  # wire of the source, and the bit in it
        self._width: dict[str, int] = {}
        for wire, net in sorted(module["netnames"].items(), key=lambda one: (len(one[0]), one[0])):
            if not net["hide_name"] and not re.fullmatch(r"_\d+_", wire):
                self._width[wire] = len(net["bits"])
                for place, bit in enumerate(net["bits"]):
                    self._place.setdefault(bit, (wire, place))
        self._driver: dict[Bit, str] = {}
        self._readers: dict[Bit, list[str]] = {}
        for cell in self._cells:
            for bit in self._pins(cell, "output"):
                self._driver[bit] = cell
            for bit in self._pins(cell, "input"):
                self._readers.setdefault(bit, []).append(cell)

    def name(self, mode: str, cell: str, port: str, place: int) -> str:
        """Name of a fault at a bit of a port of a cell."""
        bit = self._cells[cell]["connections"][port][place]
        outputs = self._pins(cell, "output")
        if bit in outputs and bit in self._place:
            return f"{mode} at {self._list([bit])}"
        read = self._named(
            self._pins(cell, "input") if bit in outputs else [bit],
            lambda bit: self._pins(self._driver[bit], "input") if bit in self._driver else [],
        )
        driven = self._named(
            outputs,
            lambda bit: [
                b for one in self._readers.get(bit, []) for b in self._pins(one, "output")
            ],
        )
        kind = self._cells[cell]["type"].strip("$_").partition("_")[0]
        kind = "register" if "DFF" in kind else kind
        # The inputs of most gates are alike, and in no order.
        port = {"A": "input", "B": "input", "Y": "output", "S": "select"}.get(port, port)
        return f"{mode} at {port} of {kind} from {read or 'nothing'} to {driven or 'nothing'}"

    def _pins(self, cell: str, direction: str) -> list[Bit]:
        facts = self._cells[cell]
        return [
            bit
            for port, bits in facts["connections"].items()
            if facts["port_directions"][port] == direction and not _CLOCK.fullmatch(port)
            for bit in bits
        ]

    def _named(self, bits: Iterable[Bit], beyond: Callable[[Bit], Sequence[Bit]]) -> str:
        """Nearest named signals in one direction."""
        seen: set[Bit] = set()
        waiting = list(bits)
        while waiting:
            bit = waiting.pop()
            if bit not in seen:
                seen.add(bit)
                waiting += [] if bit in self._place else beyond(bit)
        return self._list(bit for bit in seen if bit in self._place)

    def _list(self, bits: Iterable[Bit]) -> str:
        """Bits by their wires: ``clock[3:1], ends``."""
        words = []
        for wire, found in groupby(sorted(self._place[bit] for bit in bits), lambda one: one[0]):
            places = [place for _, place in found]
            if len(places) == self._width[wire]:
                words.append(wire)
                continue
            # Consecutive numbers differ from their rank by the same.
            ranked = enumerate(places)
            runs = [[p for _, p in run] for _, run in groupby(ranked, lambda one: one[1] - one[0])]
            spans = [f"{run[-1]}:{run[0]}" if len(run) > 1 else str(run[0]) for run in runs]
            words.append(f"{wire}[{','.join(reversed(spans))}]")
        return ", ".join(words[:SHOWN]) + (", ..." if len(words) > SHOWN else "")
