"""Components of Amaranth as modules of their own, and what their proofs may claim of streams."""

import pytest
from amaranth.hdl import Module, Signal
from amaranth.lib import data, stream, wiring
from amaranth.lib.wiring import In, Out
from knotwork.formal import FAILED, PROVEN
from knotwork.formal.component import (
    ComponentHarness,
    ComponentProofs,
    component_shell,
    component_verilog,
)
from knotwork.formal.property import Property

PAIR = data.StructLayout({"low": 2, "high": 1})


class Wire(wiring.Component):
    """Stream that passes, if `holds`, and else is hidden while it is not taken."""

    def __init__(self, *, holds=True):
        self._holds = holds
        super().__init__({"i": In(stream.Signature(PAIR)), "o": Out(stream.Signature(PAIR))})

    def elaborate(self, platform):
        m = Module()
        shown = Signal(init=1)
        if not self._holds:
            m.d.sync += shown.eq(~(self.o.valid & ~self.o.ready))
        m.d.comb += [
            self.o.p.eq(self.i.p),
            self.o.valid.eq(self.i.valid & shown),
            self.i.ready.eq(self.o.ready & shown),
        ]
        return m


def proofs(**keys):
    def harness():
        made = ComponentHarness(Wire())
        made.assume_stream("i")
        return made

    held = Property(name="held", text="what is offered stays", claim=lambda h: h.claim_stream("o"))
    high = Property(
        name="high",
        text="fields are those of the layout",
        claim=lambda h: h.claim(h.stream("o").payload.high == h.stream("i").payload.high),
    )
    return ComponentProofs(lambda: Wire(**keys), harness, [held, high])


def test_a_port_for_each_member():
    made = Wire()
    inputs, outputs = component_shell(made).widths
    made._MustUse__used = True
    assert inputs == {"i_valid": 1, "i_payload": 3, "o_ready": 1}
    assert outputs == {"i_ready": 1, "o_valid": 1, "o_payload": 3}
    assert "module part (" in component_verilog(Wire)


@pytest.mark.parametrize(("holds", "result"), [(True, PROVEN), (False, FAILED)])
def test_a_stream_that_does_not_keep_what_it_offers_is_found(holds, result):
    found = {one.name: one.result for one in proofs(holds=holds).prove()}
    assert found == {"held": result, "high": PROVEN}
