"""What an option adds to a packet router with credits: one part, which knows of no other option."""

from collections.abc import Iterable, Mapping
from typing import Self

from amaranth.hdl import Module, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import Member

from ...untyped import Interface


class RouterOption:
    """Part of a packet router; a subclass overrides the steps in which it has something to add.

    The router calls each step for all its options one after the other: each adds its own stage to a
    path and passes the rest on. It may ask for a link more than once.
    """

    @classmethod
    def among(cls, options: Iterable["RouterOption"]) -> Self:
        """The part of this class among those of a router."""
        return next(one for one in options if isinstance(one, cls))

    def members(self) -> Mapping[str, Member]:
        """Ports that it adds to the router's."""
        return {}

    def inject(self, m: Module, port: int, node: stream.Interface) -> stream.Interface:
        """Stream that the interface of a node gets in place of the node's."""
        del m, port
        return node

    def receive(
        self, m: Module, port: int, link: Interface, full: Mapping[int, Value]
    ) -> Interface:
        """Link that an input port gets in place of the one at `port`.

        `full` says of its virtual channels whether their buffer has no place.
        """
        del m, port, full
        return link

    def send(self, m: Module, port: int, link: Interface) -> Interface:
        """Link that the outputs get in place of the one at `port`."""
        del m, port
        return link

    def refill(self) -> Value | None:
        """When all credits are back, of which some may have been lost; None where none can be."""
        return None

    def grant(
        self, m: Module, port: int, vc: int, taken: Value, room: Value
    ) -> tuple[Value, Value]:
        """What takes a credit of a link's virtual channel, and whether there is room there."""
        del m, port, vc
        return taken, room

    def input_port(self, m: Module, port: int, one: Interface) -> None:
        """Connect what it needs of an input, a `RouterInput`."""

    def output_channel(self, m: Module, port: int, vc: int, output: Interface, number: int) -> None:
        """Connect what it needs of a link's virtual channel, one of an `OutputPort` by number."""

    def connect(self, m: Module, router: wiring.Component) -> None:
        """Connect its ports, once all else is connected."""
