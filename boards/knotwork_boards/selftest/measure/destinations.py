"""Where the packets of a measured window go."""

from amaranth.hdl import Array, Cat, Const, Module, Signal, Value
from amaranth.lib import stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.topology import Topology

from ...measuring.drawn import choice_count, excludes_sender
from ...measuring.patterns import available_patterns, destinations
from ...measuring.random_words import DESTINATION, WORD_WIDTH
from ...measuring.settings import SEED_WIDTH
from .commands import SETTINGS_LAYOUT
from .random_register import RandomRegister


class Destinations(wiring.Component):
    """Stream of the addresses to which a node sends, one per packet, as `measuring.drawn` has them.

    Parameters
    ----------
    topology : Topology
        Network.
    node : int
        Index of the node.

    Members
    -------
    load : In(1)
        Begins anew; some cycles later addresses come, one per cycle.
    seed, pattern
        Settings.
    o : Out(stream)
        Addresses.
    """

    load: Value
    seed: Value
    pattern: Value
    o: stream.Interface

    def __init__(self, topology: Topology, *, node: int) -> None:
        self._topology = topology
        self._node = node
        super().__init__(
            {
                "load": In(1),
                "seed": In(SEED_WIDTH),
                "pattern": In(SETTINGS_LAYOUT["pattern"].width),
                "o": Out(stream.Signature(topology.address_width)),
            }
        )

    def elaborate(self, platform: object) -> Module:
        """Draw a place among the receivers, then an index, then its address: a stage each."""
        del platform
        m = Module()
        topology, node = self._topology, self._node
        to = topology.receivers(node)
        m.submodules.register = register = RandomRegister(node=node, stream=DESTINATION)
        place, index = Signal(range(max(len(to), 2))), Signal(range(topology.nodes))
        filled = Signal(2)
        moves = ~self.o.valid | self.o.ready
        m.d.comb += [
            register.seed.eq(self.seed),
            register.load.eq(self.load),
            register.step.eq(moves),
        ]
        skips = (place >= node - to.start) if excludes_sender(to, node) else 0
        with m.If(self.load):
            m.d.sync += [filled.eq(0), self.o.valid.eq(0)]
        with m.Elif(moves):
            m.d.sync += [
                place.eq(product(register.o, choice_count(to, node)) >> WORD_WIDTH),
                index.eq(place + to.start + skips),
                self.o.p.eq(self._address(index)),
                Cat(filled, self.o.valid).eq(Cat(1, filled)),
            ]
        return m

    def _address(self, index: Value) -> Value:
        """Address of the node with this index, or of the one that the pattern says."""
        topology = self._topology
        width, nodes = topology.address_width, range(topology.nodes)
        addresses = [topology.address(node) for node in nodes]
        drawn = index
        if addresses != list(nodes):
            drawn = Array(Const(address, width) for address in addresses)[index]
        of_pattern: dict[int, Value] = {}
        for number in available_patterns(topology):
            fixed = destinations(topology, number)
            if fixed is None:  # uniform
                of_pattern[number] = drawn
            else:
                of_pattern[number] = Const(addresses[fixed[self._node]], width)
        numbers = range(1 << len(self.pattern))
        return Array(of_pattern.get(number, drawn) for number in numbers)[self.pattern]


def product(value: Value, factor: int) -> Value:
    """`value` times a constant, by additions: a multiplier would be worth more elsewhere."""
    width = factor.bit_length()
    if factor + 1 == 1 << width:
        return ((value << width) - value)[: len(value) + width]
    shifted = [value << place for place in range(width) if factor >> place & 1]
    total = shifted[0]
    for term in shifted[1:]:
        total = total + term
    return total
