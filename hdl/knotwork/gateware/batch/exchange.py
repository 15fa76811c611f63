"""What each network with batches supplies: the exchange at a router, the order of steps."""

from typing import Protocol

from amaranth.hdl import Signal
from amaranth.lib import data, wiring
from amaranth.lib.wiring import In, Out

from ...network import Network, RouterKind
from ...untyped import Interface, View
from ..component import Component
from .layouts import exchange_signature, message_layout, steps_layout


class ExchangeLink(Protocol):
    """Interface of `exchange_signature`, for type checkers."""

    message: View
    request: Signal


class Exchange(Component):
    """Selects in each step the neighbour whose packet replaces the router's own.

    It holds the part of the jump table that the router needs. A subclass gives `elaborate`.

    Latency
    -------
    0 cycles.

    Parameters
    ----------
    network : Network
        Network with batches.
    kind : RouterKind
        Routers that it is for.

    Members
    -------
    address : In(address_width)
        The router's own address.
    control : In(steps_layout)
        What the network does in this cycle.
    own : In(message_layout)
        Beat of the packet that the router has.
    i, o : interfaces
        Links, each an `exchange_signature`, by the name of its port.
    taken : Out(message_layout)
        Beat of the packet that it takes.
    takes : Out(1)
        It takes that packet in this step; meaningless between batches.
    raised : Out(3)
        {F3, F2, F1}, see `routing.batch`; meaningless between batches.
    """

    address: Signal
    control: View
    own: View
    i: Interface
    o: Interface
    taken: View
    takes: Signal
    raised: Signal

    def __init__(self, network: Network, kind: RouterKind) -> None:
        self._network = network
        self._kind = kind
        links = {
            network.topology.ports[port]: Out(exchange_signature(network))
            for port in kind.ports[1:]
        }
        super().__init__(
            {
                "address": In(network.topology.address_width),
                "control": In(steps_layout(network)),
                "own": In(message_layout(network)),
                "i": In(wiring.Signature(links)),
                "o": Out(wiring.Signature(links)),
                "taken": Out(message_layout(network)),
                "takes": Out(1),
                "raised": Out(3),
            }
        )

    @property
    def network(self) -> Network:
        """Network with batches."""
        return self._network

    @property
    def kind(self) -> RouterKind:
        """Routers that it is for."""
        return self._kind

    @property
    def links(self) -> dict[int, tuple[ExchangeLink, ExchangeLink]]:
        """What comes in and what goes out, by port."""
        names = {port: self.network.topology.ports[port] for port in self.kind.ports[1:]}
        return {
            port: (getattr(self.i, name), getattr(self.o, name)) for port, name in names.items()
        }


class Sequencer(Component):
    """Counter of the steps of a batch, which controls what the routers do in each.

    A subclass gives `layout` and `elaborate`; after the last step it returns to the first.

    Latency
    -------
    1 cycle from `advance` to the next step; all outputs are registers.

    Parameters
    ----------
    network : Network
        Network with batches.

    Members
    -------
    advance : In(1)
        The step ends with this cycle.
    o : Out(layout)
        What the routers do.
    final : Out(1)
        The step is the last.
    shown : View
        Registers of `o`, which `elaborate` sets.
    """

    advance: Signal
    o: Interface
    final: Signal
    shown: View

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__({"advance": In(1), "o": Out(self.layout(network)), "final": Out(1)})

    @staticmethod
    def layout(network: Network) -> data.StructLayout:
        """Layout of `o`."""
        raise NotImplementedError

    @property
    def network(self) -> Network:
        """Network with batches."""
        return self._network
