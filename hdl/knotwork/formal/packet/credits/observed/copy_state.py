"""Queue of a channel whose packets are copied: how far a copy is, and which ways are left."""

from functools import cached_property

from amaranth.hdl import Cat, Const, Mux, Signal, Value

from .....gateware.layouts import label_width
from .....gateware.parts.arbiter import is_one_hot_or_zero
from .....network import Network, RouterKind
from ....harness import Harness
from .channel import CreditChannel
from .copy_front import CopyFront
from .turn_queue import CopyQueue, QueueSizes, TurnQueue


class CopyState(CreditChannel):
    """One virtual channel of an input port, from whose queue packets may leave several times.

    Parameters
    ----------
    harness, network, kind, vc
        As of `CreditChannel`.
    front : CopyFront
        Front of its port.
    granted : Value
        Outputs of the front that are granted to it, a bit each.

    Members
    -------
    copies : CopyFront
        Front of its port.
    rest : Value
        Turns that the first packet has yet to take, once it was shown, a bit each.
    hidden, gone : Signal
        Flits that cannot be read because their packet is not complete; flits of the first packet
        that left by a copy that is not the last.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        vc: int,
        *,
        front: CopyFront,
        granted: Value,
    ) -> None:
        self.copies = front
        super().__init__(harness, network, kind, vc, front=front, granted=front.leaves(granted))
        self._granted = granted
        self._label_bits = label_width(network)
        place = front.vcs.index(vc)
        self._rest = harness.inside(f"input_{front.name}.rest_{place}", len(front.ways))
        self.rest: Value = front.turns_of(self._rest, self.turns)
        self.cancel: Value = Const(0)
        if self.is_local:
            cancels = harness.inside(f"input_{front.name}.cancel", len(front.vcs))
            self.cancel = cancels[place]
        self.hidden = harness.register(range(self.depth + 2), f"hidden_{self.name}")

    def _queue(self, sizes: QueueSizes) -> TurnQueue:
        front = self.front
        return CopyQueue(
            self._harness,
            front.name,
            front.vcs.index(self.vc),
            self.vc,
            sizes,
            from_node=self.is_local,
            has_twin=front.has_twin,
        )

    @property
    def fits(self) -> Value:
        """Whether only turns of the channel are left to the packet at the head."""
        return self.copies.fits(self._rest, self.turns)

    @cached_property
    def is_last_copy(self) -> Value:
        """Whether at most one way is left."""
        return self._harness.named(is_one_hot_or_zero(self._rest), f"is_last_copy_{self.name}")

    @cached_property
    def highest(self) -> Value:
        """Highest way that is left, as turns."""
        rest = self._rest
        one = Cat(rest[n] & ~rest[n + 1 :].any() for n in range(len(rest)))
        return self.copies.turns_of(self._harness.named(one, f"highest_{self.name}"), self.turns)

    @cached_property
    def again(self) -> Value:
        left = self._rest & ~self.copies.way
        return self._harness.named(self.valid & left.any(), f"again_{self.name}")

    @cached_property
    def gone(self) -> Signal:
        gone = self._harness.register(range(self.depth + 2), f"gone_{self.name}")
        with self._harness.m.If(self.leaves & self.again):
            self._harness.m.d.sync += gone.eq(Mux(self.front.last, 0, gone + 1))
        return gone

    @property
    def frees(self) -> Value:
        return self.leaves & ~self.again

    @cached_property
    def seen(self) -> Value:
        partly = self.flit.broadcast & ~self.flit.last if self.is_local else Const(0)
        return self._harness.named(self.arrives & ~partly, f"seen_{self.name}")

    @cached_property
    def level(self) -> Signal:
        harness = self._harness
        level = harness.register(range(self.depth + 2), f"level_{self.name}")
        kept = Mux(self.cancel, level - self.hidden, level)
        comes = self.arrives & ~self.seen
        harness.m.d.sync += [
            level.eq(kept + self.arrives - self.frees),
            self.hidden.eq(Mux(self.cancel | self.seen, 0, self.hidden + comes)),
        ]
        return level

    @cached_property
    def visible(self) -> Signal:
        """Flits that can be read, or were read already by the copy."""
        return self._harness.named(
            (self.level - self.hidden)[: len(self.level)], f"visible_{self.name}"
        )

    @cached_property
    def readable(self) -> Signal:
        left = (self.visible - self.gone)[: len(self.level)]
        return self._harness.named(left, f"readable_{self.name}")
