"""Input channel of a router that counts credits."""

from functools import cached_property

from amaranth.hdl import Cat, Const, Mux, Signal, Value
from amaranth.lib import data

from .....gateware.layouts import flit_layout
from .....gateware.packet.classes import known_in_class
from .....gateware.packet.input_buffer import kept_apart
from .....gateware.packet.inputs import carried, completed
from .....gateware.parts.arbiter import is_one_hot_or_zero
from .....gateware.router_class import node_suffix
from .....network import Network, RouterKind
from ....harness import Harness
from ...observed.gates import Choice, Gates
from .front import Front
from .queued_channel import QueuedChannel
from .turn_queue import QueueSizes, TurnQueue


class CreditChannel(QueuedChannel):
    """One virtual channel of an input port: its queue, and what came and left.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, vc
        As of `InputChannel`.
    front : Front
        Front of its port.
    granted : Signal
        The flit at the front leaves.

    Members
    -------
    front : Front
        Front of its port.
    queue : TurnQueue
        Its queue.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        vc: int,
        *,
        front: Front,
        granted: Value,
    ) -> None:
        super().__init__(harness, network, kind, front.port, vc)
        self.front, self._kind = front, kind
        self._gates = Gates(harness, network, kind, self)
        self._layout = flit_layout(network)
        self._known = known_in_class(network, kind, network.known_header(kind, self.port))
        leaving = [network.known_header(kind, t.output_port, leaving=True) for t in self.turns]
        self._leaving = leaving
        self._copied = [turn in kind.broadcast_turns for turn in self.turns]
        if not network.has_broadcast:
            self._copied = []
        place = front.vcs.index(vc)
        flit = carried(Signal(self._layout), self._known)
        apart = kept_apart(network, flit)
        mark_at = self._layout["last"].offset if apart else None
        self.queue = self._queue(
            QueueSizes(
                self.depth,
                front.code_bits,
                len(flit) - len(apart),
                mark_at,
                copies=3 if network.has_parity else 1,
            )
        )
        self.arrives = harness.named(
            harness.inside(f"input_{front.name}.arrives", len(front.vcs))[place],
            f"arrives_{self.name}",
        )
        self._interface = f"node_interface{node_suffix(network, front.port)}"
        self.offered = self.arrives
        if self.is_local:
            shown = harness.inside(f"{self._interface}.o_valid", network.virtual_channels)
            self.offered = harness.named(shown[vc], f"offered_{self.name}")
        self.valid = harness.named(front.occupied & front.shown(vc), f"valid_{self.name}")
        self._leaves = harness.named(granted & front.shown(vc), f"leaves_{self.name}")

    def _queue(self, sizes: QueueSizes) -> TurnQueue:
        front, vc = self.front, self.vc
        place = front.vcs.index(vc)
        has_twin = front.has_twin
        return TurnQueue(self._harness, front.name, place, vc, sizes, has_twin=has_twin)

    @cached_property
    def flit(self) -> data.View:
        """Flit that arrives."""
        name = f"{self._interface}.o_flit" if self.is_local else f"input_{self.front.name}.i"
        return data.View(self._layout, self._harness.inside(name, self._layout.size))

    def is_received(self, sent: data.View) -> Value:
        """Whether the flit that arrives is the one on the link."""
        return self.flit.as_value() == sent.as_value()

    def turns_by(self, header: Value) -> Value:
        """Turns of flits with a header, a bit each."""
        given = Signal(self._layout, name=f"by_header_{self.name}")
        self._harness.m.d.comb += given.destination.eq(header)
        return self._gates.of(given, "by_header").turns

    @property
    def entry(self) -> data.View:
        return self._arriving

    @cached_property
    def _arriving(self) -> data.View:
        layout = data.StructLayout({"flit": self._layout, "turn": len(self.turns)})
        both = Cat(self.flit.as_value(), self._arriving_choice.turns)
        return data.View(layout, self._harness.named(both, f"entry_{self.name}"))

    @cached_property
    def _arriving_choice(self) -> Choice:
        return self._gates.of(self.flit, "arriving")

    @property
    def shown(self) -> data.View:
        return self.front.flit

    @property
    def leaves(self) -> Signal:
        return self._leaves

    def is_legal(self) -> Value:
        turns = self.entry.turn
        return self.may_take(turns) & self.is_as_known(self.entry.flit, turns)

    def is_as_known(self, flit: data.View, turn: Value) -> Value:
        """Whether the bits of a flit's addresses are those that the routing makes known.

        And whether a broadcast takes only turns of broadcasts, and another packet one.
        """
        address = self._harness.port("address")
        right = completed(flit, self._known, address) == flit.as_value()
        if self._copied:
            alone = [bit for bit, copied in zip(turn, self._copied, strict=True) if not copied]
            return right & Mux(flit.broadcast, ~Cat(alone).any(), is_one_hot_or_zero(turn))
        for taken, known in zip(turn, self._leaving, strict=True):
            right &= ~taken | (completed(flit, known, address) == flit.as_value())
        return right

    def ways_of(self, turns: Value) -> Value:
        """Ways that the port's front has for a flit of these turns, a bit each."""
        found: list[Value] = [Const(0)] * len(self.front.ways)
        for bit, turn in zip(turns, self.turns, strict=True):
            found[self.front.way_of(turn)] = bit
        return Cat(found)

    @property
    def shown_turn(self) -> Signal:
        """Turn of the flit at the front, a bit each, if it is this channel's."""
        return self._shown_turn

    @cached_property
    def _shown_turn(self) -> Signal:
        turns = Cat(self.front.shows(self.vc, turn) for turn in self.turns)
        return self._harness.named(turns, f"shown_turn_{self.name}")

    def turn_of(self, code: Value) -> Value:
        """One-hot turn of a code in the queue; 0 if no flit of this channel has it."""
        return self.front.turns_of(code, self.turns)

    def whole(self, word: Value, name: str) -> data.View:
        """Flit that a word of the RAM encodes."""
        address = self._harness.port("address")
        flit = completed(Signal(self._layout), self._known, address, word)
        return data.View(self._layout, self._harness.named(flit, f"{name}_{self.name}"))
