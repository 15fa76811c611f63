"""What LC2 on cube-connected cycles does in each step."""

from collections.abc import Mapping, Sequence

from amaranth.hdl import Cat, Const, Mux, Value
from amaranth.lib import data

from ...gateware.batch.exchange import Exchange, Sequencer
from ...gateware.networks.ccc import CycleExchange, CycleSequencer
from ...network import Network, RouterKind
from ...routing.ccc import LC2
from ...topology.ccc import BACKWARD, FORWARD, LATERAL, CubeConnectedCycles
from .expectation import (
    BatchState,
    Expectation,
    Link,
    Movement,
    PortOutput,
    RegisterPart,
    SequencerRegister,
    among,
)


class CycleExpectation(Expectation):
    """LC2 on cube-connected cycles: three periods, by section 5 of the specification.

    Parameters
    ----------
    network : Network
        Network.
    """

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._topology = CubeConnectedCycles.of(network.topology)
        self._length = self._topology.cycle_length

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
            shifts = self._shifts(step)
            if shifts is not None:
                members["shifts"] = int(shifts)
            found.append(self._constant(members))
        return found

    def movement(
        self,
        batches: BatchState,
        kind: RouterKind,
        address: Value,
        own_packet: data.View,
        links: Mapping[int, Link],
    ) -> Movement:
        topology, length, step = self._topology, self._length, batches.step
        place, bits = topology.cycle_position(kind.router), topology.cycle_bits
        first, second = step < 2 * length, step >= 3 * length
        outputs: dict[int, PortOutput] = {}
        held, differs = own_packet, Const(0)
        if LATERAL in links:
            turn = among(step, [s for s in range(self.steps) if self._exchanges(s, place)])
            wants = self._wants(batches, bits + place, address, own_packet)
            requests, other = turn & wants, links[LATERAL]
            outputs[LATERAL] = PortOutput(own_packet, requests)
            differs = turn & (requests ^ other.requests)
            both = Mux(requests & other.requests, other.message.as_value(), own_packet.as_value())
            held = data.View(own_packet.shape(), both)
        ahead, behind = links[FORWARD], links[BACKWARD]
        mine, next_, last = (
            packet.destination[:bits] for packet in (own_packet, ahead.message, behind.message)
        )
        falls_ahead = mine > next_ if place < length - 1 else Const(0)
        falls_behind = last > mine if place > 0 else Const(0)
        rounds = [2 * length + r for r in range(length)]
        forward = among(step, [s for s in rounds if (place + s) % 2 == 0])
        swapped = Mux(
            forward,
            Mux(falls_ahead, ahead.message.as_value(), own_packet.as_value()),
            Mux(falls_behind, behind.message.as_value(), own_packet.as_value()),
        )
        shifted = Mux(first, ahead.message.as_value(), behind.message.as_value())
        outputs[FORWARD] = PortOutput(held, falls_ahead)
        outputs[BACKWARD] = PortOutput(held, None)
        is_misplaced = (step == 3 * length) & (mine != place)
        raised: list[Value | None] = [None, is_misplaced, None]
        if LATERAL in links:
            raised = [differs & first, is_misplaced, differs & second]
        return Movement(
            outputs=outputs,
            packet_after=data.View(own_packet.shape(), Mux(~first & ~second, swapped, shifted)),
            raised=raised,
            neighbour_rules=[behind.requests == falls_behind] if place > 0 else [],
        )

    def _wants(self, batches: BatchState, k: int, address: Value, own_packet: data.View) -> Value:
        """Whether a packet wants to cross the lateral link of dimension `k`."""
        entry, bit = batches.entry(k, own_packet.destination), own_packet.destination[k]
        first = batches.step < 2 * self._length
        return Mux(first, ~entry.jump & (bit ^ entry.buddy_bit), bit ^ address[k])

    def register_parts(self, batches: BatchState, exchange: Exchange) -> list[RegisterPart]:
        """The entry of the router's place, always, or the whole table in shift registers."""
        place = self._topology.cycle_position(exchange.kind.router)
        if place >= self._topology.cube_bits:
            return []
        assert isinstance(exchange, CycleExchange)
        if self._shifts(0) is None:
            entry = batches.table[self._topology.cycle_bits + place]
            return self._entry(exchange.jump_table, entry, 0, Const(1))
        advances = [
            bool(self._shifts(step)) and not self._exchanges(step, place)
            for step in range(self.steps)
        ]
        turned = [sum(advances[:step]) for step in range(self.steps)]
        return self._shifted(batches, exchange.jump_table, turned)

    def _shifts(self, step: int) -> bool | None:
        """Whether shift registers advance where it is nobody's turn; None where there are none.

        Dimension n - 1, at the highest place, begins in step L - x + 1; all n shifts of the node
        that begins last, at place 0, are done L + n steps later.
        """
        if LC2.of(self._network.routing).options.control != "shift":
            return None
        first = self._length - self._topology.cube_bits + 1
        return first <= step < first + self._length + self._topology.n

    def sequencing(self, batches: BatchState, sequencer: Sequencer) -> Sequence[SequencerRegister]:
        """Step within the period, and the period."""
        assert isinstance(sequencer, CycleSequencer)
        length, step = self._length, batches.step
        first, second = step < 2 * length, step >= 3 * length
        count = Mux(first, step, Mux(second, step - 3 * length, step - 2 * length))
        period = Cat(first, ~first & ~second, second)
        return [
            SequencerRegister(sequencer.count, count[: len(sequencer.count)]),
            SequencerRegister(sequencer.period, period),
        ]
