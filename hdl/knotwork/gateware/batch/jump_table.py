"""Registers of a router for the jump table: the entry that it reads in a step."""

from typing import NamedTuple

from amaranth.hdl import Cat, Module, Mux, Signal, Value

from ...network import Network
from ...untyped import View


class Entry(NamedTuple):
    """Entry of the jump table.

    Members
    -------
    jump : Value
        Jump bit.
    buddy : Value
        Number of the buddy, n for the constant 0.
    """

    jump: Value
    buddy: Value

    def asks(self, destination: Value, bit: Value) -> Value:
        """Whether a packet asks for an exchange; `bit` is the dimension's, of its destination."""
        return ~self.jump & (bit ^ Cat(destination, 0).bit_select(self.buddy, 1))


def one_entry(m: Module, network: Network, control: View, dimension: int) -> Entry:
    """Registers `jump` and `buddy` of one dimension, which keep its entry."""
    n = network.topology.address_width
    jump, buddy = Signal(name="jump"), Signal(range(n + 1), name="buddy")
    with m.If(control.loads[dimension]):
        m.d.sync += [jump.eq(control.entry.jump), buddy.eq(control.entry.buddy)]
    return Entry(jump, buddy)


def shift_registers(m: Module, network: Network, control: View, shifts: Value) -> Entry:
    """Shift registers `jump` and `buddy` of all dimensions, and the entry at their head.

    A table comes in serially, an entry per cycle, until its first one, that of dimension n - 1, is
    at the head. Each shift brings the head to the other end, so n of them restore the table.

    Parameters
    ----------
    shifts : Value
        The registers advance by a dimension.

    References
    ----------
    Liu Zhiyong, Liu Qun, Zhang Xiang, "... Connected Cycles", J. Comput. Sci. & Technol. 10, 1995,
    section 3.2: two shift registers in every node.
    """
    n = network.topology.address_width
    bits = n.bit_length()  # of 0..n
    jump, buddy = Signal(n, name="jump"), Signal(n * bits, name="buddy")
    loads = Signal(name="loads")
    m.d.comb += loads.eq(control.loads.any())
    with m.If(loads | shifts):
        m.d.sync += [
            jump.eq(Cat(jump[1:], Mux(loads, control.entry.jump, jump[0]))),
            buddy.eq(Cat(buddy[bits:], Mux(loads, control.entry.buddy, buddy[:bits]))),
        ]
    return Entry(jump[0], buddy[:bits])
