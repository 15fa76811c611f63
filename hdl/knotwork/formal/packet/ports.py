"""Input fronts and output ports of a router that counts credits, as proofs watch them."""

from functools import cached_property
from itertools import combinations
from typing import TypeVar

from amaranth.hdl import Cat, Const, Signal, Value
from amaranth.lib import data

from ...gateware.layouts import flit_layout
from ...gateware.packet.classes import class_port_name
from ...gateware.packet.credit_links import CreditCount, count_bits
from ...gateware.packet.input_port import FrontPort
from ...gateware.packet.inputs import known_port_bits
from ...gateware.packet.output_port import OutputPort as OutputGateware
from ...gateware.packet.router import CreditRouter
from ...gateware.parts.buffer import SkidBuffer
from ...network import Network, RouterKind
from ...output_ways import OutputClass, output_classes
from ...routing import Turn
from ...routing.walks.headers import HeaderBits
from ..harness import Harness
from .channels import is_guarded, skid_path

Port = TypeVar("Port", bound=FrontPort)


class Front:
    """Register of an input port with the turn of one channel's head.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    port : int
        Input port.

    Members
    -------
    name : str
        Name of the port.
    gateware : FrontPort
        Input port in the router's gateware.
    vcs : list of int
        The port's virtual channels.
    outputs : list of int
        Outputs that it can turn to, in the order of `turn`.
    output_classes : list of OutputClass
        Turns of its flits, in the order of their codes.
    occupied, held, last : Signal
        There is a flit; its packet holds its output's virtual channel; it is its packet's last.
    turn : Signal
        One-hot: output that the flit turns to.
    flit : View
        The flit.
    """

    def __init__(self, harness: Harness, network: Network, kind: RouterKind, port: int) -> None:
        self._harness, self.port = harness, port
        self._node_ports = kind.node_ports
        # One virtual channel leads to most nodes; with multicast units, one for each class.
        self._single_vc_ports = [one for one in kind.node_ports if len(kind.output_vcs(one)) <= 1]
        self.name = class_port_name(network.topology.ports[port], kind)
        self.gateware = self._find_gateware(FrontPort)
        self.vcs = kind.input_vcs(port)
        turns = [turn for turn in kind.turns if turn.input_port == port]
        self.outputs = sorted({turn.output_port for turn in turns})
        self._classes = network.routing.classes
        self.output_classes = output_classes(network, kind, port)
        ahead = [turn for turn in turns if turn.output_port not in self._single_vc_ports]
        stored = {vc for one in ahead for vc in self._stored_vcs(one.output_port, one.output_vc)}
        self._output_vcs = sorted(stored) or [0]
        self._has_channel = len(self._output_vcs) > 1
        self.held, self.last = harness.probe(self.gateware.held), harness.probe(self.gateware.last)
        self.turn = harness.probe(self.gateware.turn)
        self.occupied = harness.named(self.turn.any(), f"occupied_{self.name}")
        layout = flit_layout(network)
        self._stores_all_bits = known_port_bits(network, kind, port) == HeaderBits()
        self.flit = data.View(layout, self._complete_flit(is_crossing=False))

    def _find_gateware(self, kind: type[Port]) -> Port:
        """Input port in the router's gateware."""
        return self._harness.component(f"input_{self.name}", kind)

    def _complete_flit(self, *, is_crossing: bool) -> Signal:
        """A flit of the port, with the bits that it does not store."""
        if self._stores_all_bits:
            return self._harness.probe(
                self.gateware.crossing if is_crossing else self.gateware.flit
            )
        router = self._harness.component("", CreditRouter)
        return self._harness.probe(router.inputs[self.name].flits[is_crossing])

    def _stored_vcs(self, port: int, vc: int) -> list[int]:
        """Virtual channels by which the module's register stores one of an output."""
        if port not in self._node_ports:
            return [vc]
        lanes = sorted({one // self._classes for one in self.vcs})
        return [lane * self._classes + vc for lane in lanes]

    def is_of(self, vc: int) -> Value:
        """Whether the front is of this virtual channel, if it has a flit."""
        if len(self.vcs) == 1:
            return Const(1)
        # Of two channels the module keeps one bit; of more, the register is the value itself.
        front_vc = self.gateware.front_vc
        bits = self._harness.probe(front_vc.value if len(self.vcs) == 2 else front_vc.register)
        return bits[self.vcs.index(vc)]

    @property
    def channel(self) -> Value:
        """One-hot: virtual channels of the output, in the order of `kind.output_vcs`."""
        if not self._has_channel:
            return Const(1, 1)
        return self._harness.probe(self.gateware.channel)

    def code_of(self, turn: Turn) -> int:
        """Number of the way of a turn."""
        return self.output_classes.index(
            OutputClass(turn.output_port, turn.output_vc % self._classes)
        )

    @property
    def code_bits(self) -> int:
        """Bits of a code in the queues of the port's channels."""
        return (len(self.output_classes) - 1).bit_length()

    @property
    def has_twin(self) -> bool:
        """Whether a second RAM holds the entries too."""
        return len(self.vcs) > 1

    def turns_of(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        """Turns that a code stands for, a bit for each of `turns`."""
        if not len(code):
            return Const(1, 1)
        return Cat(code == self.code_of(turn) for turn in turns)

    def fits(self, code: Value, turns: tuple[Turn, ...]) -> Value:
        """Whether a code stands for none but these turns, if for any of them."""
        del code, turns
        return Const(1)

    def leaves(self, granted: Value) -> Value:
        """Whether the flit leaves, if these of `outputs` are granted to it."""
        return granted.any()

    def flit_to(self, output: int) -> Value:
        """Flit as it leaves by an output."""
        return labelled(self.flit, self._label(output))

    def crossing_to(self, output: int) -> Value:
        """Flit as it enters the crossbar a cycle after its grant, if it leaves by an output."""
        flit = data.View(self.flit.shape(), self._complete_flit(is_crossing=True))
        turned = self._turned(output)
        return labelled(flit, self._label(output, across=True), turned)

    def _turned(self, output: int) -> Value | None:
        """Register with the parity of what a label changed; None where no label changes any."""
        del output
        return None

    def _label(self, output: int, *, across: bool = False) -> Value:
        """Label of the flit that leaves by an output, or `across` the crossbar, a cycle later."""
        del output, across
        return Const(0, 0)

    def requests_vc(self, output: int, vc: int) -> Value:
        """Whether there is a flit that takes a virtual channel of an output."""
        if output not in self.outputs:
            return Const(0)
        requests = self.occupied & self.turn[self.outputs.index(output)]
        if output in self._single_vc_ports:
            return requests
        stored = [one for one in self._stored_vcs(output, vc) if one in self._output_vcs]
        if not stored:
            return Const(0)
        if not self._has_channel:
            return requests
        return requests & Cat(self.channel[self._output_vcs.index(one)] for one in stored).any()

    def offers(self, vc: int, turn: Turn) -> Value:
        """Whether it shows a flit of a virtual channel, with this turn."""
        return self.is_of(vc) & self.requests_vc(turn.output_port, turn.output_vc)

    @property
    def is_legal(self) -> Value:
        """Whether the turn is one-hot if there is a flit, and 0 otherwise."""
        one_hot = Cat(self.turn == 1 << n for n in range(len(self.turn))).any()
        right = (self.occupied & one_hot) | (~self.occupied & (self.turn == 0))
        if self._has_channel:
            one_vc = Cat(self.channel == 1 << n for n in range(len(self.channel))).any()
            ways = zip(self.outputs, self.turn, strict=True)
            ahead = [bit for out, bit in ways if out not in self._single_vc_ports]
            right &= ~Cat(ahead).any() | one_vc
        return right


def labelled(flit: data.View, label: Value, turned: Value | None = None) -> Value:
    """Flit with a label, the lowest bits of its destination; what was broken stays so.

    With parity, `turned` is that of the bits which the label changes, if it was stored.
    """
    parts = {name: Value.cast(flit[name]) for name, _ in flit.shape()}
    kept = parts["destination"][: len(label)]
    if is_guarded(flit) and len(label):
        changed = (kept ^ label).xor() if turned is None else turned
        parts["header_parity"] = parts["header_parity"] ^ changed
    parts["destination"] = Cat(label, parts["destination"][len(label) :])
    return Cat(parts.values())


def enters_only_empty(network: Network, vc: int) -> bool:
    """Whether heads enter a virtual channel of a link only while it is empty."""
    classes, escape = network.routing.classes, network.routing.escape_class
    return escape is not None and vc % classes < escape


class Receiver:
    """What a router knows of one virtual channel behind a link.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    port, vc : int
        Output port and virtual channel.

    Members
    -------
    name : str
        ``R_vc0``.
    depth : int
        Flits that the buffer behind the link holds.
    sent, on_link, credit : Value
        A flit was granted in the cycle before; it is on the link; a credit comes back.
    has_credit : Signal
        The router knows of a free place.
    all_free : Signal or None
        It knows that all are free, where it needs to know.
    """

    def __init__(
        self, harness: Harness, network: Network, kind: RouterKind, port: int, vc: int
    ) -> None:
        self._harness = harness
        link = network.topology.ports[port]
        self.name, self.depth = f"{link}_vc{vc}", network.depth_behind(kind.router, port)
        self._gateware = gateware = harness.component(f"credits_{self.name}", CreditCount)
        self.on_link: Value = harness.port(f"{link}_o_valid")[vc]
        self.sent = self.on_link
        if network.has_crossbar_stage:
            self.sent = harness.probe(gateware.taken_before)
        self.credit: Value = harness.port(f"{link}_o_credit")[vc]
        self.has_credit = harness.probe(gateware.room)
        has_all_free = enters_only_empty(network, vc)
        self.all_free = harness.probe(gateware.all_free) if has_all_free else None

    @cached_property
    def outstanding(self) -> Signal:
        """Flits granted before the last cycle beyond the credits that came back."""
        owed = self._harness.register(range(self.depth + 2), f"owed_{self.name}")
        self._harness.m.d.sync += owed.eq(owed + self.sent - self.credit)
        return owed

    @property
    def is_empty(self) -> Value:
        """Whether no flit is there or on the way."""
        return self.outstanding + self.sent == 0

    def counts(self) -> Value:
        """Whether the router's count of free places is right."""
        probe, gateware = self._harness.probe, self._gateware
        right = probe(gateware.two) == (self.outstanding + 2 <= self.depth)
        bits = count_bits(self.depth)
        if bits:
            right &= probe(gateware.count) == (self.depth - self.outstanding)[:bits]
            if self.all_free is not None:
                right &= probe(gateware.all_but_taken) == (self.outstanding == 0)
        return right


class OutputPort:
    """Output of a router, and the fronts that can turn to it.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    network, kind : Network, RouterKind
        Router.
    port : int
        Output port.
    fronts : dict of int to Front
        Fronts by input port.

    Members
    -------
    name : str
        Name of the port, and of the class of traffic where there are several.
    link : str
        Name of the port.
    shares : bool
        Outputs of other classes of traffic send by the same link.
    is_local : bool
        It leads to a node.
    is_staged : bool
        Its flits cross the crossbar in the cycle after their grant.
    vcs : list of int
        Virtual channels that are used.
    fronts : list of Front
        Those that can turn to it, in the order of the arbiter's requesters.
    granted : Signal
        The front that crosses, a bit each.
    tail : Signal
        The flit that crosses is its packet's last.
    flit : View
        Flit behind the crossbar: the one granted in the cycle before, or in the one before that if
        it `is_staged`.
    """

    def __init__(
        self,
        harness: Harness,
        network: Network,
        kind: RouterKind,
        port: int,
        fronts: dict[int, Front],
    ) -> None:
        self._harness, self.port = harness, port
        self.link = network.topology.ports[port]
        self.name = class_port_name(self.link, kind)
        self._gateware = gateware = harness.component(f"output_{self.name}", OutputGateware)
        self.is_local = port in kind.node_ports
        self.shares = kind.traffic_class is not None and not self.is_local
        self.is_staged = network.has_crossbar_stage and not self.is_local
        self._skid = skid_path(network, port)
        self.vcs = kind.output_vcs(port)
        self._guarded = {
            vc for vc in self.vcs if not self.is_local and enters_only_empty(network, vc)
        }
        self.fronts = [front for front in fronts.values() if port in front.outputs]
        self._layout = flit_layout(network)
        self.granted = harness.probe(gateware.granted)
        self.flit = harness.probe_view(gateware.flit)
        lasts = Cat(front.last for front in self.fronts)
        self.tail = harness.named((self.granted & lasts).any(), f"tail_{self.name}")

    def busy(self, vc: int) -> Value:
        """Whether a packet holds a virtual channel."""
        return self._harness.probe(self._gateware.busy)[self.vcs.index(vc)]

    def has_space(self, vc: int) -> Value:
        """Whether a flit may take a virtual channel."""
        if self.is_local:
            if vc:
                return self._harness.probe(self._gateware.room)[self.vcs.index(vc)]
            skid = self._harness.component(self._skid, SkidBuffer)
            return ~self._harness.probe(skid.full)
        return self._harness.probe(self._credits(vc).room)

    def _credits(self, vc: int) -> CreditCount:
        """Count of the free places behind a virtual channel of the link."""
        return self._harness.component(f"credits_{self.link}_vc{vc}", CreditCount)

    def opens(self, vc: int) -> Value:
        """Whether a head may take a virtual channel that no packet holds."""
        if vc in self._guarded:
            return self._harness.probe(self._credits(vc).all_free)
        return self.has_space(vc)

    @cached_property
    def eligible(self) -> Signal:
        """Fronts whose flit could cross, a bit each."""
        found = []
        for front in self.fronts:
            ways = [
                front.requests_vc(self.port, vc)
                & ((front.held & self.has_space(vc)) | (~self.busy(vc) & self.opens(vc)))
                for vc in self.vcs
            ]
            found.append(Cat(ways).any())
        return self._harness.named(Cat(found), f"eligible_{self.name}")

    @property
    def is_open(self) -> Value:
        """Whether a flit may be granted, if one could cross: no other class has the link."""
        return self._harness.probe(self._gateware.open) if self.shares else Const(1)

    def grants(self, front: Front) -> Value:
        """Whether a front is granted."""
        return self.granted[self.fronts.index(front)] if front in self.fronts else Const(0)

    def taken(self, vc: int) -> Value:
        """Whether a flit is granted a virtual channel."""
        return Cat(
            self.grants(front) & front.requests_vc(self.port, vc) for front in self.fronts
        ).any()

    @cached_property
    def first(self) -> dict[tuple[int, int], Value]:
        """For each two fronts, whether the first of them comes before the other."""
        found: dict[tuple[int, int], Value] = {}
        for one, other in combinations(range(len(self.fronts)), 2):
            bit = self._harness.probe(self._gateware.arbiter.first[one, other])
            found[one, other], found[other, one] = bit, ~bit
        return found

    @property
    def link_flit(self) -> data.View:
        """Flit on the link."""
        return data.View(self._layout, self._harness.port(f"{self.link}_o_flit"))

    @cached_property
    def passing(self) -> Signal:
        """Flit that is granted."""
        flits = [front.flit_to(self.port) for front in self.fronts]
        return self._merged("passing", flits, self.granted)

    @cached_property
    def crosses(self) -> Signal:
        """Fronts whose flit was granted in the cycle before, a bit each, if it `is_staged`."""
        return self._harness.probe(self._gateware.crosses)

    @cached_property
    def crossing(self) -> Signal:
        """Flit that was granted in the cycle before, if it `is_staged`."""
        flits = [front.crossing_to(self.port) for front in self.fronts]
        return self._merged("crossing", flits, self.crosses)

    def _merged(self, name: str, flits: list[Value], chosen: Value) -> Signal:
        """The flit of those chosen; 0 without one."""
        merged: Value = Const(0, self._layout.size)
        for flit, bit in zip(flits, chosen, strict=True):
            merged = merged | (flit & bit.replicate(self._layout.size))
        return self._harness.named(merged, f"{name}_{self.name}")

    def in_flight(self, receiver: Receiver) -> list[tuple[Value, data.View]]:
        """Whether a flit to a virtual channel is under way, and that flit: the oldest first."""
        link = (receiver.on_link, self.link_flit)
        if not self.is_staged:
            return [link]
        return [link, (receiver.sent, data.View(self._layout, self.crossing))]
