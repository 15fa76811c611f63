"""Operations of reductions as users write them, in Amaranth and in Verilog, for tests."""

from amaranth.hdl import Module, Mux, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from knotwork import UserOperation
from knotwork.operations import word_of
from knotwork.routing.collectives import Operation


class SaturatingAdder(wiring.Component):
    """Sum in the first cycle, and what it is at most in the second."""

    def __init__(self, width):
        super().__init__(
            {"one": In(width), "other": In(width), "enable": In(1), "result": Out(width)}
        )

    def elaborate(self, platform):
        m = Module()
        total = Signal(len(self.one) + 1)
        with m.If(self.enable):
            m.d.sync += [
                total.eq(self.one + self.other),
                self.result.eq(Mux(total[-1], ~0, total)),
            ]
        return m


class SaturatingAdd(UserOperation):
    """Sum that stays at the largest element, in Amaranth."""

    name = "saturating_add"
    latency = 2
    gates = SaturatingAdder

    @staticmethod
    def combine(one, other, width):
        return min(one + other, (1 << width) - 1)


class ComplexAdd(UserOperation):
    """Sum of complex numbers, whose parts are the halves of an element, in Verilog."""

    name = "complex_add"
    latency = 1
    element_widths = (16, 32)
    verilog = "verilog/complex_add.v"
    module = "complex_adder"
    ports = {"one": "a", "other": "b", "result": "y", "enable": "ce", "valid": "given"}

    @staticmethod
    def verilog_parameters(width):
        return {"HALF": width // 2}

    @staticmethod
    def combine(one, other, width):
        half = width // 2
        most = (1 << half) - 1
        real, imaginary = one + other & most, (one >> half) + (other >> half) & most
        return imaginary << half | real


class Averager(wiring.Component):
    """Half of a sum."""

    def __init__(self, width):
        super().__init__({"one": In(width), "other": In(width), "result": Out(width)})

    def elaborate(self, platform):
        m = Module()
        total = Signal(len(self.one) + 1)
        m.d.comb += [total.eq(self.one + self.other), self.result.eq(total >> 1)]
        return m


class Average(UserOperation):
    """Mean of two, which depends on the order; it takes no cycle."""

    name = "average"
    any_order = False
    gates = Averager

    @staticmethod
    def combine(a, b, _):
        return (a + b) // 2


def operation_of(kind, element_width):
    """Operation of elements of so many bits."""
    return Operation(word_of(kind), element_width, user_defined=kind)
