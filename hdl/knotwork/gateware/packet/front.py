"""Front of an input port: how its registers say where its flit goes, by which virtual channel."""

from collections.abc import Hashable
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value

from ...network import Network, RouterKind
from .inputs import port_ways


class Front(NamedTuple):
    """Flit that comes to the front.

    Members
    -------
    way, channel : Value
        One-hot: its way out, and the virtual channel by which it came.
    last, held : Value
        It is its packet's last; its packet holds its output's virtual channel already.
    """

    way: Value
    channel: Value
    last: Value
    held: Value


class FrontEncoding:
    """Registers that the outputs of a router read.

    Parameters
    ----------
    network, kind, port
        As for `InputBuffer`.
    """

    def __init__(self, network: Network, kind: RouterKind, port: int) -> None:
        turns = [turn for turn in kind.turns if turn.input_port == port]
        # One virtual channel leads to most nodes; with stores, one for each class.
        self.lone_ports = [port for port in kind.node_ports if len(kind.output_vcs(port)) <= 1]
        """Ports to nodes by one virtual channel, which no register needs to tell."""
        self._classes = network.routing.classes
        self._ways = port_ways(network, kind, port)
        self.channels = kind.input_vcs(port)
        """Virtual channels by which flits come in, rising."""
        self.outputs = sorted({turn.output_port for turn in turns})
        """Output ports, rising."""
        self._kind, self._node_ports = kind, kind.node_ports
        ahead = [turn for turn in turns if turn.output_port not in self.lone_ports]
        stored = {vc for turn in ahead for vc in self.stored_vcs(turn.output_port, turn.output_vc)}
        self.output_vcs = sorted(stored) or [0]
        """Virtual channels that flits go out by, rising; not by `lone_ports`; 0 without others."""

    @property
    def parameters(self) -> Hashable:
        """What it depends on: places of outputs and channels, not their numbers."""
        ways = tuple(self.outputs.index(way.output) for way in self._ways)
        channels = tuple((self._ways_of(vc), self._lane_of(vc)) for vc in self.output_vcs)
        return ways, channels, len(self.channels)

    def stored_vcs(self, port: int, vc: int) -> list[int]:
        """Virtual channels by which a register stores one of an output.

        Those of a store of a node's are the ones of its class in the lanes by which flits come.
        """
        if port not in self._node_ports:
            return [vc]
        lanes = sorted({channel // self._classes for channel in self.channels})
        return [lane * self._classes + vc for lane in lanes]

    def of_entry(self, entry: Value, channel: Value, held: Value) -> Front:
        """Front that an entry of a `TurnQueue` makes."""
        code = entry[:-1]
        way = Cat(code == number for number in range(len(self._ways)))
        return Front(way if len(code) else Const(1), channel, entry[-1], held)

    def turn(self, front: Front) -> Value:
        """One-hot: output port that it turns to, in the order of `outputs`."""
        return Cat(
            Cat(front.way[n] for n, way in enumerate(self._ways) if way.output == port).any()
            for port in self.outputs
        )

    def output_channel(self, front: Front) -> Value:
        """One-hot: virtual channel that it takes there; any value for one of `lone_ports`."""
        return Cat(self._uses_vc(vc, front) for vc in self.output_vcs)

    def _uses_vc(self, vc: int, front: Front) -> Value:
        ways = self._ways_of(vc)
        in_class = Const(1) if ways is None else Cat(front.way[n] for n in ways).any()
        return self.in_lane(vc // self._classes, front.channel) & in_class

    def _ways_of(self, vc: int) -> tuple[int, ...] | None:
        """Ways that go on in the class of a virtual channel; None if all that go on do."""
        ahead = [n for n, way in enumerate(self._ways) if way.output not in self.lone_ports]
        here = [n for n in ahead if self._ways[n].out_class == vc % self._classes]
        return None if here == ahead else tuple(here)

    def _lane_of(self, vc: int) -> tuple[int, ...] | None:
        """Places of the channels in the lane of a virtual channel; None if all are."""
        lane = vc // self._classes
        places = [n for n, number in enumerate(self.channels) if number // self._classes == lane]
        return None if len(places) == len(self.channels) else tuple(places)

    def in_lane(self, lane: int, channel: Value) -> Value:
        """Whether a virtual channel, one-hot in the order of `channels`, is of a lane."""
        places = self._lane_of(lane * self._classes)
        return Const(1) if places is None else Cat(channel[n] for n in places).any()

    def taken(self, port: int, vc: int) -> tuple[int, ...] | None:
        """Bits of `channel` that say whether a flit to an output takes a channel of it.

        None if it always does.
        """
        if port in self.lone_ports or self._kind.output_vcs(port) == [vc]:
            return None
        stored = self.stored_vcs(port, vc)
        return tuple(self.output_vcs.index(one) for one in stored if one in self.output_vcs)


class OneHotRegister(NamedTuple):
    """One-hot value, and its register: of two bits only the second is stored, of one none.

    Members
    -------
    value : Value
        The value; its first bit is set after a reset.
    register : Signal
        Its highest bits.
    """

    value: Value
    register: Signal

    @classmethod
    def made(cls, m: Module, count: int, name: str) -> "OneHotRegister":
        """Register of `count` bits."""
        if count == 1:
            return cls(Const(1), Signal(0, name=name))
        value = Signal(count, name=name)
        register = Signal(
            1 if count == 2 else count, init=0 if count == 2 else 1, name=f"{name}_of"
        )
        m.d.comb += value.eq(Cat(~register, register) if count == 2 else register)
        return cls(value, register)

    def stored(self, value: Value) -> Value:
        """What the register stores of a value."""
        return value[len(value) - len(self.register) :]


def asked_channel(here: Value, others: Value) -> Value:
    """Channel whose head may come to the front next, one-hot; with two it is known early."""
    return ~here if len(here) == 2 else others
