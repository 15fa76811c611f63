"""Circuit switch under proof, and its environment."""

from amaranth.hdl import Cat, Const, Value

from ...emit.modules import planned_ports
from ...gateware.circuit.layouts import group_names
from ...gateware.wiring_plan import router_module
from ...network import Network, RouterKind
from ..harness import Harness
from .contract import Link, NetworkCycle
from .nodes import is_node, levels_of


class SwitchHarness(Harness):
    """Harness of a switch among neighbours and a controller that keep to `contract`.

    Parameters
    ----------
    network, kind : Network, RouterKind
        Switch; its address is any constant.

    Members
    -------
    level, downers, uppers : int
        Its level, and the numbers of its links down and up.
    into, out : list of Link
        Links by which it receives and sends, downers first.
    crosspoints, closed : list of dict of int to Value
        For each output, by input: the crosspoint's register; whether it is closed in this cycle.
    """

    def __init__(self, network: Network, kind: RouterKind) -> None:
        super().__init__(kind.name, *planned_ports(network, router_module(network, kind)))
        self.network, self.kind = network, kind
        self.topology = levels_of(network)
        self.level = level = self.topology.level_of(kind.router)
        self.downers = self.topology.downers[level]
        self.uppers = len(kind.ports) - 1 - self.downers
        self.address, self.seed = self.constant("address"), self.constant("seed")
        self.environment(self.seed != 0)
        if not self.topology.turns_round:  # that of the first PE below
            self.environment(is_node(network, self.address) & ~self.address[-1])
        self.cycle = NetworkCycle(self, network)
        places = range(len(kind.ports) - 1)
        self.into = [self._link(place, "i") for place in places]
        self.out = [self._link(place, "o") for place in places]
        self.crosspoints = [self._by_input(place, "crosspoints") for place in places]
        self.closed = [self._by_input(place, "closed") for place in places]
        for rule in self.cycle.rules():
            self.environment(rule)
        for links, rules in ((self.into, Link.sent), (self.out, Link.received)):
            for link in links:
                for rule in rules(link).values():
                    self.environment(rule)

    def _link(self, place: int, direction: str) -> Link:
        level, is_lower = self.level, place < self.downers
        low, high = self.topology.digit_offsets[level : level + 2]
        subtree: Value = self.address[high:]
        if is_lower:
            subtree = Cat(Const(self.child(place), high - low), subtree)
        names = group_names(self.network, self.kind.ports[1 + place])
        return Link(
            self,
            self.network,
            self.cycle,
            f"{names.into if direction == 'i' else names.out}_",
            level=level if is_lower else level + 1,
            up=(direction == "i") == is_lower,
            subtree=subtree,
        )

    def child(self, downer: int) -> int:
        """Child to which a downer leads."""
        return downer // self.topology.wires[self.level]

    def inputs(self, output: int) -> list[int]:
        """Inputs that may lead to an output."""
        return inputs_of(self.network, self.kind, output)

    def _by_input(self, output: int, name: str) -> dict[int, Value]:
        inputs = self.inputs(output)
        if not inputs:
            return {}
        of = group_names(self.network, self.kind.ports[1 + output]).out
        return dict(zip(inputs, self.inside(f"{name}_{of}", len(inputs)), strict=True))

    def turns(self, number: int) -> Value:
        """Whether the header on an input from below is for a PE below; in one-way use none is."""
        if not self.topology.turns_round:
            return Const(0)
        low = self.topology.digit_offsets[self.level + 1]
        return self.into[number].header.destination[low:] == self.address[low:]

    def named_upper(self, number: int) -> Value | None:
        """Upper that the header on an input from below names; None where the switch chooses.

        In one-way use it is a digit of the terminal's number, on level 0 the highest.
        """
        header = self.into[number].header
        if self.network.routing.word_layout:
            return header[f"upper{self.level}"]
        if self.topology.turns_round:
            return None
        width = (self.topology.uppers[0] - 1).bit_length()
        low = (self.topology.levels - 1 - self.level) * width
        return header.destination[low : low + width]

    def wants(self, number: int, output: int) -> Value:
        """Whether an input shows a header for an output: round or down to its child, or up."""
        link = self.into[number]
        if output >= self.downers:
            return link.is_header & ~self.turns(number)
        low, high = self.topology.digit_offsets[self.level : self.level + 2]
        right = link.header.destination[low:high] == self.child(output)
        return link.is_header & right & (self.turns(number) if number < self.downers else 1)


def inputs_of(network: Network, kind: RouterKind, output: int) -> list[int]:
    """Inputs of a switch that may lead to an output: from above only down, round to other children.

    Both by their numbers, downers first. In one-way use none leads round.
    """
    topology = levels_of(network)
    level = topology.level_of(kind.router)
    downers, wires = topology.downers[level], topology.wires[level]
    below = range(downers)
    if output >= downers:
        return [*below]
    round_ = [n for n in below if level == 0 or n // wires != output // wires]
    round_ = round_ if topology.turns_round else []
    return [*round_, *range(downers, len(kind.ports) - 1)]
