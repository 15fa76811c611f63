"""Bursts of a bridge from AXI4 in proofs: what its registers say, beside what its manager saw."""

from collections.abc import Sequence

from amaranth.hdl import Mux, Value
from amaranth.lib import data

from ...gateware.buses.axi4 import address_layout
from .harness import BusHarness
from .rules import AxiOwed, axi_requests_are_held, bursts_are_short


class Bursts:
    """The bursts of a bridge, beside what its manager has seen.

    Members
    -------
    owed : AxiOwed
        What the bridge owes its manager.
    unsent : Value
        Beats of the read that is unrolled, which were not sent yet.
    number, kept : Value
        The next beat's number in it, and the read.
    """

    def __init__(self, harness: BusHarness, stage: str, reads: str, writes: str) -> None:
        axi = harness.manager
        layout = address_layout(axi.parameters)
        bits = (axi.parameters.burst - 1).bit_length()
        with harness.assuming():
            axi_requests_are_held(harness, axi)
            bursts_are_short(harness, axi)
        self.written = harness.inside(f"{writes}.number", bits)
        self.number = harness.inside(f"{reads}.number", bits)
        for path, number in ((writes, self.written), (reads, self.number)):
            harness.claim(harness.inside(f"{path}.begun") == number.any())
        full = harness.inside(f"{stage}.full")
        self.kept = data.View(layout, harness.inside(f"{stage}.kept", layout.size))
        self.unsent = Mux(full, self.kept.length + 1 - self.number, 0)
        self.owed = AxiOwed(harness, axi)
        harness.claim(~full | (self.kept.length < axi.parameters.burst))
        harness.claim(self.number <= Mux(full, self.kept.length, 0))
        # AW waits while its beats are sent.
        harness.claim(~self.written.any() | axi["awvalid"])
        harness.claim(~axi["awvalid"] | (self.written <= axi["awlen"]))


def last_data_is_told(harness: BusHarness, bursts: Bursts) -> None:
    """Assume that a manager marks the last data of a write's burst (IHI 0022, A3.2.2)."""
    axi = harness.manager
    with harness.assuming():
        last = axi["wlast"] == (bursts.written == axi["awlen"])
        harness.claim(~axi.taken("w") | last)


def offered_beat_stays(harness: BusHarness, held: Value, wrote: Value) -> None:
    """Claim that a beat that was offered to a bus of one channel is there still."""
    axi = harness.manager
    harness.claim(~(held & wrote) | (axi["awvalid"] & axi["wvalid"]))
    harness.claim(~(held & ~wrote) | harness.inside("beats.read_stage.full"))


def queued(harness: BusHarness, path: str, layout: data.StructLayout) -> list[tuple]:
    """Entries of a queue of two places, each with whether it is there."""
    places = (("front", "occupied"), ("back", "full"))
    return [
        (
            harness.inside(f"{path}.{flag}"),
            data.View(layout, harness.inside(f"{path}.{place}", layout.size)),
        )
        for place, flag in places
    ]


def total(values: Sequence[Value]) -> Value:
    """Sum of values."""
    found, *others = values
    for one in others:
        found = found + one
    return found
