"""Front of an input port: how its registers say where its flit goes, by which virtual channel."""

from collections.abc import Hashable
from typing import NamedTuple

from amaranth.hdl import Cat, Const, Module, Signal, Value

from ...network import Network, RouterKind
from ...output_ways import output_classes


class Front(NamedTuple):
    """Flit that comes to the front.

    Members
    -------
    way, channel : Value
        One-hot: its output class, and the virtual channel by which it came.
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
        self.single_vc_ports = [port for port in kind.node_ports if len(kind.output_vcs(port)) <= 1]
        """Ports to nodes by one virtual channel, which no register needs to store."""
        self._classes = network.routing.classes
        self._output_classes = output_classes(network, kind, port)
        self.channels = kind.input_vcs(port)
        """Virtual channels by which flits come in, rising."""
        self.outputs = sorted({turn.output_port for turn in turns})
        """Output ports, rising."""
        self._kind, self._node_ports = kind, kind.node_ports
        onward = [turn for turn in turns if turn.output_port not in self.single_vc_ports]
        stored = {vc for turn in onward for vc in self.stored_vcs(turn.output_port, turn.output_vc)}
        self.output_vcs = sorted(stored) or [0]
        """Virtual channels of the outputs but `single_vc_ports`, rising; 0 without others."""

    @property
    def parameters(self) -> Hashable:
        """What it depends on: places of outputs and channels, not their numbers."""
        ways = tuple(self.outputs.index(way.output) for way in self._output_classes)
        channels = tuple((self._outputs_of(vc), self._lane_of(vc)) for vc in self.output_vcs)
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
        way = Cat(code == number for number in range(len(self._output_classes)))
        return Front(way if len(code) else Const(1), channel, entry[-1], held)

    def turn(self, front: Front) -> Value:
        """One-hot: output port that it turns to, in the order of `outputs`."""
        return Cat(
            Cat(
                front.way[n] for n, way in enumerate(self._output_classes) if way.output == port
            ).any()
            for port in self.outputs
        )

    def output_channel(self, front: Front) -> Value:
        """One-hot: virtual channel that it takes there; any value for one of `single_vc_ports`."""
        return Cat(self._uses_vc(vc, front) for vc in self.output_vcs)

    def _uses_vc(self, vc: int, front: Front) -> Value:
        ways = self._outputs_of(vc)
        in_class = Const(1) if ways is None else Cat(front.way[n] for n in ways).any()
        return self.in_lane(vc // self._classes, front.channel) & in_class

    def _outputs_of(self, vc: int) -> tuple[int, ...] | None:
        """Output classes of a virtual channel, by position; None if every one is of its class."""
        onward = [
            n
            for n, way in enumerate(self._output_classes)
            if way.output not in self.single_vc_ports
        ]
        here = [n for n in onward if self._output_classes[n].out_class == vc % self._classes]
        return None if here == onward else tuple(here)

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
        if port in self.single_vc_ports or self._kind.output_vcs(port) == [vc]:
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
    def create(cls, m: Module, count: int, name: str) -> "OneHotRegister":
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


def next_channel(here: Value, others: Value) -> Value:
    """Channel whose head may come to the front next, one-hot; with two it is known early."""
    return ~here if len(here) == 2 else others
