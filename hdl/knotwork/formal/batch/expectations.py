"""What the specifications of LC1 and LC2 say of each step, at a router."""

from typing import Any, NamedTuple

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...gateware.networks import gates_of
from ...network import Network, RouterKind
from ...topology.ccc import BACKWARD, FORWARD, LATERAL


class Link(NamedTuple):
    """What a link shows in a clock, one way.

    Members
    -------
    message : View
        Packet.
    asks : Value
        Whether the sender would exchange.
    """

    message: Any
    asks: Value


class Movement(NamedTuple):
    """What becomes of a router's packet in a step.

    Members
    -------
    shows : dict of int to (View, Value or None)
        Packet that each port shows, and whether it asks; None where that means nothing.
    takes : View
        Packet that the router has after the step.
    raised : tuple of Value
        F1, F2, F3.
    asked : list of Value
        What the neighbours keep to.
    """

    shows: dict[int, tuple[Any, Value | None]]
    takes: Any
    raised: tuple[Value, Value, Value]
    asked: list[Value]


def _constant(network: Network, members: dict[str, Any]) -> Const:
    layout = gates_of(network).SEQUENCERS[network.routing.name].layout(network)
    return Const(layout.const(members).as_value().value, layout.size)


def _among(step: Value, steps: list[int]) -> Value:
    return step.matches(*steps) if steps else Const(0)


class CycleExpectation:
    """LC2 on cube-connected cycles: section 5 of the specification, three periods.

    Parameters
    ----------
    network : Network
        Network.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._topology: Any = network.topology
        self._length: int = self._topology.cycle_length

    @property
    def steps(self) -> int:
        """5 L."""
        return 5 * self._length

    def _exchanges(self, step: int, place: int) -> bool:
        """Whether the lateral links at a place are in their window."""
        length = self._length
        if place >= self._topology.cube_bits:
            return False
        if step < 2 * length:
            return length <= step + place < 2 * length
        return step >= 3 * length and 0 <= step - 3 * length - place < length

    def schedules(self) -> list[Const]:
        """What the controller tells all routers, by step."""
        length, found = self._length, []
        for step in range(self.steps):
            sorts, second = 2 * length <= step < 3 * length, step >= 3 * length
            round_ = step - 2 * length
            places = range(self._topology.cube_bits)
            ahead = [not second and (not sorts or (place + round_) % 2 == 0) for place in (0, 1)]
            members = {
                "sorts": int(sorts),
                "second": int(second),
                "begins_second": int(step == 3 * length),
                "ahead": ahead[0] | ahead[1] << 1,
                "turn": sum(self._exchanges(step, place) << place for place in places),
            }
            found.append(_constant(self._network, members))
        return found

    def movement(self, batches: Any, kind: RouterKind, address: Value, own: Any, links: Any) -> Any:
        """Movement of a step, as a router of this kind sees it."""
        topology, length, step = self._topology, self._length, batches.step
        place, bits = topology.place(kind.router), topology.cycle_bits
        first, second = step < 2 * length, step >= 3 * length
        sorts = ~first & ~second
        shows: dict[int, tuple[Any, Value | None]] = {}
        held, first_differs, second_differs = own, Const(0), Const(0)
        if LATERAL in links:
            k = bits + place
            turn = _among(step, [s for s in range(self.steps) if self._exchanges(s, place)])
            jump, buddy = batches.entry(k, own.destination)
            wants = Mux(
                first, ~jump & (own.destination[k] ^ buddy), own.destination[k] ^ address[k]
            )
            asks = turn & wants
            shows[LATERAL] = (own, asks)
            other = links[LATERAL]
            differs = turn & (asks ^ other.asks)
            first_differs, second_differs = differs & first, differs & second
            both = Mux(asks & other.asks, other.message.as_value(), own.as_value())
            held = data.View(own.shape(), both)
        ahead, behind = links[FORWARD], links[BACKWARD]
        mine, next_, last = (
            packet.destination[:bits] for packet in (own, ahead.message, behind.message)
        )
        falls_ahead = mine > next_ if place < length - 1 else Const(0)
        falls_behind = last > mine if place > 0 else Const(0)
        rounds = [2 * length + r for r in range(length)]
        forward = _among(step, [s for s in rounds if (place + s) % 2 == 0])
        swapped = Mux(
            forward,
            Mux(falls_ahead, ahead.message.as_value(), own.as_value()),
            Mux(falls_behind, behind.message.as_value(), own.as_value()),
        )
        shifted = Mux(first, ahead.message.as_value(), behind.message.as_value())
        shows[FORWARD] = (held, falls_ahead)
        shows[BACKWARD] = (held, None)
        return Movement(
            shows,
            data.View(own.shape(), Mux(sorts, swapped, shifted)),
            (first_differs, (step == 3 * length) & (mine != place), second_differs),
            [behind.asks == falls_behind] if place > 0 else [],
        )

    def kept(self, batches: Any, kind: RouterKind) -> list[tuple[str, Any, Value]]:
        """Registers of a router's exchange, what is in them, and when: its place's entry."""
        place = self._topology.place(kind.router)
        if place >= self._topology.cube_bits:
            return []
        return [("entry", batches.table[self._topology.cycle_bits + place], Const(1))]

    def sequencing(self, batches: Any) -> dict[str, tuple[int, Value]]:
        """Registers of the sequencer: their bits and what is in them."""
        length, step = self._length, batches.step
        first, second = step < 2 * length, step >= 3 * length
        count = Mux(first, step, Mux(second, step - 3 * length, step - 2 * length))
        bits = (2 * length - 1).bit_length()
        return {
            "count": (bits, count[:bits]),
            "period": (3, Cat(first, ~first & ~second, second)),
        }


class DimensionExpectation:
    """LC1 on hypercubes: section 4 of the specification, dimensions down and up again.

    Parameters
    ----------
    network : Network
        Network.
    """

    def __init__(self, network: Network) -> None:
        self._network = network
        self._n: int = network.topology.address_width

    @property
    def steps(self) -> int:
        """(n - 1) + n."""
        return 2 * self._n - 1

    def _dimension(self, step: int) -> int:
        return self._n - 1 - step if step < self._n - 1 else step - (self._n - 1)

    def schedules(self) -> list[Const]:
        """What the controller tells all routers, by step."""
        return [
            _constant(
                self._network,
                {
                    "dimension": 1 << self._dimension(step),
                    "second": int(step >= self._n - 1),
                    "turns": int(step < self._n),
                },
            )
            for step in range(self.steps)
        ]

    def movement(self, batches: Any, kind: RouterKind, address: Value, own: Any, links: Any) -> Any:
        """Movement of a step, as a router sees it."""
        step = batches.step
        first = step < self._n - 1
        asks: Value = Const(0)
        asked: Value = Const(0)
        other: Value = Const(0, len(own.as_value()))
        for k, port in enumerate(kind.ports[1:]):
            now = _among(step, [s for s in range(self.steps) if self._dimension(s) == k])
            jump, buddy = batches.entry(k, own.destination)
            bit = own.destination[k]
            asks |= now & Mux(first, ~jump & (bit ^ buddy), bit ^ address[k])
            asked |= now & links[port].asks
            other |= links[port].message.as_value() & now.replicate(len(other))
        takes = Mux(asks & asked, other, own.as_value())
        return Movement(
            dict.fromkeys(kind.ports[1:], (own, asks)),
            data.View(own.shape(), takes),
            ((asks ^ asked) & first, Const(0), (asks ^ asked) & ~first),
            [],
        )

    def kept(self, batches: Any, kind: RouterKind) -> list[tuple[str, Any, Value]]:
        """Registers of a router's exchange, what is in them, and when: a table that goes round."""
        del kind
        n, found = self._n, []
        for i in range(n):
            for loaded in range(n - i, n):
                when = ~batches.control.running & (batches.loaded == loaded)
                found.append((f"entry_{i}", batches.table[2 * n - 1 - i - loaded], when))
            for turned in range(n):
                steps = [s for s in range(self.steps) if min(s, n) % n == turned]
                when = (batches.loaded == n) & _among(batches.step, steps)
                found.append((f"entry_{i}", batches.table[n - 1 - (i + turned) % n], when))
        return found

    def sequencing(self, batches: Any) -> dict[str, tuple[int, Value]]:
        """Registers of the sequencer beside what it shows: none."""
        del batches
        return {}


EXPECTATIONS: dict[str, Any] = {"lc1": DimensionExpectation, "lc2": CycleExpectation}
"""Expectation by the routing's name."""
