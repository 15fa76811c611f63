"""Components that are one module wherever their parameters are equal: what tells them apart."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import data
from amaranth.lib.wiring import In, Out
from knotwork.gateware.component import Component, frozen


class DelayLine(Component):
    """Shows its input some cycles later."""

    def __init__(self, *, bits, cycles=1):
        self._cycles = cycles
        super().__init__({"i": In(bits), "o": Out(bits)})

    @property
    def variant(self):
        return f"{self._cycles}" if self._cycles > 1 else ""

    def elaborate(self, platform):
        m = Module()
        value = self.i
        for _ in range(self._cycles - 1):
            m.d.sync += self.o.eq(value)
            value = self.o
        m.d.sync += self.o.eq(value)
        return m


def test_equal_arguments_are_equal_parameters_however_they_are_given():
    assert DelayLine(bits=3).parameters == DelayLine(bits=3, cycles=1).parameters
    assert DelayLine(bits=3).parameters != DelayLine(bits=4).parameters


def test_a_module_is_named_for_its_class_and_its_variant():
    assert DelayLine(bits=3).module_name == "delay_line"
    assert DelayLine(bits=3, cycles=2).module_name == "delay_line_2"


@pytest.mark.parametrize(
    ("one", "other", "alike"),
    [
        ({"low": 2, "high": 1}, {"low": 2, "high": 1}, True),
        ({"low": 2, "high": 1}, {"low": 1, "high": 2}, False),
        ({"low": 2}, {"first": 2}, False),
    ],
)
def test_layouts_are_compared_by_their_fields(one, other, alike):
    assert (frozen(data.StructLayout(one)) == frozen(data.StructLayout(other))) == alike


def test_lists_are_compared_by_what_is_in_them():
    assert frozen([1, {"a": [2]}]) == frozen((1, {"a": (2,)}))
    assert frozen("12") != frozen(["1", "2"])


def test_without_a_library_a_component_is_elaborated_itself():
    assert isinstance(DelayLine(bits=3).elaborate(None), Module)
