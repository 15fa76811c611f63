import pytest
from amaranth.hdl import Module
from amaranth.lib import stream
from knotwork.gateware.adapters.gatherer import Gatherer
from knotwork.gateware.adapters.layouts import units_layout
from knotwork.gateware.adapters.splitter import Splitter
from knotwork.gateware.adapters.widths import resized, with_user
from knotwork.system.payload import Payload


@pytest.mark.parametrize(("user", "fields"), [(0, {"source": 4}), (3, {"source": 4, "user": 3})])
def test_packets_carry_user_where_it_has_bits(user, fields):
    payload = Payload(data_width=32, unit=8, user_width=user)
    assert with_user({"source": 4}, payload) == fields


@pytest.mark.parametrize(
    ("widths", "kind"), [((8, 32), Gatherer), ((32, 8), Splitter), ((32, 32), None)]
)
def test_a_stream_has_the_second_width(widths, kind):
    m, payload = Module(), Payload(data_width=32, unit=8)
    beats = stream.Signature(units_layout(widths[0], payload, {})).create(path=("beats",))
    out = resized(m, beats, widths, payload, {})
    assert len(out.p.data) == widths[1]
    m._MustUse__used = True  # it is looked into, not built
    parts = [part for part, _ in m._named_submodules.values()]
    assert [type(part) for part in parts] == ([] if kind is None else [kind])
    for part in parts:
        part._MustUse__used = True
