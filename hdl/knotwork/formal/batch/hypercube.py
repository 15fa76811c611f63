"""What LC1 on hypercubes does in each step."""

from collections.abc import Mapping, Sequence

from amaranth.hdl import Const, Mux, Value
from amaranth.lib import data

from ...gateware.batch.exchange import Exchange, Sequencer
from ...gateware.networks.hypercube import DimensionExchange
from ...network import Network, RouterKind
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


class DimensionExpectation(Expectation):
    """LC1 on hypercubes: the dimensions down and up again, by section 4 of the specification.

    Parameters
    ----------
    network : Network
        Network.
    """

    def __init__(self, network: Network) -> None:
        super().__init__(network)
        self._n = network.topology.address_width

    @property
    def steps(self) -> int:
        """(n - 1) + n."""
        return 2 * self._n - 1

    def _dimension(self, step: int) -> int:
        return self._n - 1 - step if step < self._n - 1 else step - (self._n - 1)

    def schedules(self) -> list[Const]:
        return [
            self._constant(
                {
                    "dimension": 1 << self._dimension(step),
                    "second": int(step >= self._n - 1),
                    "turns": int(step < self._n),
                },
            )
            for step in range(self.steps)
        ]

    def movement(
        self,
        batches: BatchState,
        kind: RouterKind,
        address: Value,
        own_packet: data.View,
        links: Mapping[int, Link],
    ) -> Movement:
        step = batches.step
        first = step < self._n - 1
        requests: Value = Const(0)
        neighbour_requests: Value = Const(0)
        other: Value = Const(0, len(own_packet.as_value()))
        for k, port in enumerate(kind.ports[1:]):
            now = among(step, [s for s in range(self.steps) if self._dimension(s) == k])
            entry, bit = batches.entry(k, own_packet.destination), own_packet.destination[k]
            requests |= now & Mux(first, ~entry.jump & (bit ^ entry.buddy_bit), bit ^ address[k])
            neighbour_requests |= now & links[port].requests
            other |= links[port].message.as_value() & now.replicate(len(other))
        packet_after = Mux(requests & neighbour_requests, other, own_packet.as_value())
        return Movement(
            outputs=dict.fromkeys(kind.ports[1:], PortOutput(own_packet, requests)),
            packet_after=data.View(own_packet.shape(), packet_after),
            raised=[
                (requests ^ neighbour_requests) & first if self._n > 1 else None,
                None,
                (requests ^ neighbour_requests) & ~first,
            ],
            neighbour_rules=[],
        )

    def register_parts(self, batches: BatchState, exchange: Exchange) -> list[RegisterPart]:
        """The whole table, which turns by one entry per step."""
        assert isinstance(exchange, DimensionExchange)
        turned = [min(step, self._n) for step in range(self.steps)]
        return self._shifted(batches, exchange.jump_table, turned)

    def sequencing(self, batches: BatchState, sequencer: Sequencer) -> Sequence[SequencerRegister]:
        """None: all its registers are in the schedule that it shows."""
        del batches, sequencer
        return ()
