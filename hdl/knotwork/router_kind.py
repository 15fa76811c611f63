"""A network's distinct routers."""

from dataclasses import dataclass
from functools import cached_property

from .routing import Turn
from .topology import LOCAL


@dataclass(frozen=True)
class RouterKind:
    """Routers that are one module: the same connected ports and turns.

    Members
    -------
    name : str
        Module name, ``moebius_router``.
    ports : tuple of int
        Connected ports, `LOCAL` first.
    router : int
        One of them, that stands for all.
    unicast_turns, broadcast_turns : tuple of Turn
        Turns of packets to one node, and of the copies of broadcasts, sorted.
    error_turns : tuple of Turn
        Turns to the node, where the routing takes none, of packets that are found broken.
    """

    name: str
    ports: tuple[int, ...]
    router: int
    unicast_turns: tuple[Turn, ...]
    broadcast_turns: tuple[Turn, ...]
    error_turns: tuple[Turn, ...] = ()

    @cached_property
    def turns(self) -> tuple[Turn, ...]:
        """Turns that packets can take there, sorted."""
        return tuple(sorted({*self.unicast_turns, *self.broadcast_turns, *self.error_turns}))

    def input_vcs(self, port: int) -> list[int]:
        """Virtual channels by which a packet can come in at `port`, rising."""
        return sorted({turn.input_vc for turn in self.turns if turn.input_port == port})

    def output_vcs(self, port: int) -> list[int]:
        """Virtual channels by which a packet can leave at `port`, rising."""
        return sorted({turn.output_vc for turn in self.turns if turn.output_port == port})

    def branches(self, port: int, vc: int) -> tuple[Turn, ...]:
        """Turns of a broadcast's copies from this input and virtual channel, ejection included.

        None where a copy is ejected and goes no further.
        """
        turns = [t for t in self.broadcast_turns if (t.input_port, t.input_vc) == (port, vc)]
        return () if all(turn.output_port == LOCAL for turn in turns) else tuple(turns)

    def is_plain_output(self, port: int) -> bool:
        """Whether nothing but room is left to be decided about a flit that was granted `port`.

        So it is where the output, and every input that can turn to it, has one virtual channel,
        and no packet branches to it.
        """
        inputs = {turn.input_port for turn in self.turns if turn.output_port == port}
        single = all(len(self.input_vcs(source)) == 1 for source in inputs)
        copies = [turn for turn in self.broadcast_turns if turn.output_port == port]
        branches = any(self.branches(turn.input_port, turn.input_vc) for turn in copies)
        return single and len(self.output_vcs(port)) == 1 and not branches
