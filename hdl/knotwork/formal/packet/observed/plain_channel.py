"""Input channel where no packet branches."""

from amaranth.hdl import Const, Value
from amaranth.lib import data

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network, RouterKind
from ...harness import Harness
from .entries import Entries
from .gates import Gates
from .one_turn_channel import OneTurnChannel
from .plain_buffer import PlainBuffer


class PlainChannel(OneTurnChannel):
    """Input channel whose packets take one turn each, and whose buffer keeps that turn.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind, port, vc
        As of `InputChannel`.

    Members
    -------
    buffer : PlainBuffer
        Its buffer.
    entries : Entries
        The buffer's entries.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        super().__init__(harness, network, kind, port, vc)
        self._gates = Gates(harness, network, kind, self)
        places = {(turn.input_port, turn.input_vc) for turn in kind.broadcast_turns}
        self._ejects_copies = (port, vc) in places
        self.entries = Entries(harness, network, kind, self)
        self.buffer = buffer = PlainBuffer(harness, self, self.entries)
        self.offered, self.arrives, self.valid = buffer.offered, buffer.arrives, buffer.valid

    @property
    def entry(self) -> data.View:
        return self.buffer.entry

    @property
    def head(self) -> data.View:
        """Flit at the head of the buffer, and its turn."""
        return self.buffer.head

    @property
    def shown(self) -> data.View:
        return self.head.flit

    @property
    def leaves(self) -> Value:
        return self.buffer.leaves

    @property
    def shown_turn(self) -> Value:
        return self.head.turn

    def is_legal(self) -> Value:
        turn, flit = self.entry.turn, self.entry.flit
        right = turn.any() & is_one_hot_or_zero(turn) & self.entries.is_as_known(self.entry)
        if not self.entries.has_turn and self._gates.unicast_turns:
            right &= self._gates.of(flit, "offered").turns.any() | self._is_copy
        return right if self._ejects_copies else right & ~self._is_copy

    @property
    def _is_copy(self) -> Value:
        flit = self.entry.flit
        return flit.broadcast if "broadcast" in flit.shape().members else Const(0)
