"""RAMs that are written together."""

from typing import NamedTuple

from amaranth.hdl import Module, Value
from amaranth.lib.memory import Memory


class Write(NamedTuple):
    """Write port that several RAMs have in common.

    Latency
    -------
    1 cycle from `arrives` until a value is found; 0 from a place to what is found there.

    Members
    -------
    m : Module
        Module that they become part of.
    arrives : Value
        A value arrives in each of them.
    into : Value
        Place where it is stored: the RAMs hold as many values as it has places.
    """

    m: Module
    arrives: Value
    into: Value

    def ram(self, name: str, value: Value, found: Value) -> Value:
        """RAM of a value that arrives; gives what is found at a place."""
        ram = Memory(shape=len(value), depth=1 << len(self.into), init=[])
        self.m.submodules[name] = ram
        write, read = ram.write_port(), ram.read_port(domain="comb")
        self.m.d.comb += [
            write.en.eq(self.arrives),
            write.data.eq(value),
            write.addr.eq(self.into),
            read.addr.eq(found),
        ]
        return read.data
