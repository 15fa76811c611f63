"""Lines of the self-test, as a board writes them, and what follows from their numbers."""

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Self

from ..measuring import BINS, COLLECTIVE_COUNTERS, COUNTERS

VERDICTS = ("PASS", "FAIL")


@dataclass(frozen=True, kw_only=True)
class WindowLine:
    """Line of a window, as `selftest.window_line.WindowLineWriter` writes it.

    Members
    -------
    name : str
        Network under test.
    window : int
        Number of the window.
    sent, received, lost, duplicated, corrupted, misrouted, refused : int
        Packets.
    measures : mapping of str to int
        All other words, by name: settings, latencies and whatever else a board reports.
    verdict : str
        One of `VERDICTS`.
    """

    name: str
    window: int
    sent: int
    received: int
    lost: int
    duplicated: int
    corrupted: int
    misrouted: int
    refused: int
    measures: Mapping[str, int] = field(default_factory=dict)
    verdict: str

    @classmethod
    def parse(cls, text: str) -> Self | None:
        """Line that `text` spells; None for anything else, such as the end of a line."""
        name, *pairs = text.rstrip("\r\n").split(" ")
        verdict = pairs.pop() if pairs else ""
        found = [_PAIR.fullmatch(pair) for pair in pairs]
        numbers = {pair[1]: int(pair[2]) for pair in found if pair is not None}
        if len(numbers) < len(pairs) or not numbers.keys() >= {"window", *COUNTERS}:
            return None
        if verdict not in VERDICTS or not _NAME.fullmatch(name):
            return None
        counts = {key: numbers.pop(key) for key in ("window", *COUNTERS)}
        return cls(name=name, verdict=verdict, measures=numbers, **counts)

    @property
    def passed(self) -> bool:
        """Whether the window passed."""
        return self.verdict == "PASS"

    @property
    def faults(self) -> dict[str, int]:
        """Counters of what must not happen, where it did."""
        counts = {name: getattr(self, name) for name in COUNTERS[2:]}
        for name in COLLECTIVE_COUNTERS[1:]:
            counts[name] = self.measures.get(name, 0)
        return {name: count for name, count in counts.items() if count}

    @property
    def is_measured(self) -> bool:
        """Whether latency and load were measured in the window."""
        return bool(self.measures.get("mode") and self.measures.get("cycles"))

    @property
    def samples(self) -> int:
        """Packets whose latency was measured."""
        return self.measures.get("samples", self.received)

    @property
    def latency_mean(self) -> float | None:
        """Mean latency of the samples, in cycles."""
        if not self.is_measured or not self.samples or "latency_sum" not in self.measures:
            return None
        return self.measures["latency_sum"] / self.samples

    @property
    def histogram(self) -> list[int]:
        """Samples by the logarithm of their latency."""
        return [self.measures.get(f"h{k}", 0) for k in range(BINS)] if self.is_measured else []

    def accepted(self, nodes: int) -> float | None:
        """Flits per node per cycle that left the network."""
        if not self.is_measured or "flits" not in self.measures:
            return None
        return self.measures["flits"] / (self.measures["cycles"] * nodes)

    def as_dict(self) -> dict[str, int | str]:
        """Words by name."""
        words = asdict(self)
        verdict, measures = words.pop("verdict"), words.pop("measures")
        return {**words, **measures, "verdict": verdict}


_NAME = re.compile(r"\w+", re.ASCII)
_PAIR = re.compile(r"([a-z]\w*)=(\d{1,20})", re.ASCII)
