"""A plane's beats are those of its network; a node's have what its keys say."""

from amaranth.hdl import Shape
from knotwork import Network
from knotwork.gateware.adapters import header_of, node_layout, plane_layout
from knotwork.gateware.layouts import eject_layout, inject_layout
from knotwork.system import Payload


def test_a_planes_beat_is_that_of_its_network():
    payload = Payload.of(32, [8, 32, 64], keep=True, user_width=5)
    network = Network.from_words(f"mesh x=2 y=2 data_width={payload.width}".split())
    for layout in (inject_layout(network), eject_layout(network)):
        assert plane_layout(payload, header_of(layout)) == layout


def test_a_nodes_beat_has_its_keys_fields():
    payload = Payload.of(32, [64], keep=True, user_width=5)
    beat = node_layout(64, payload, {"destination": 4})
    bits = {name: Shape.cast(shape).width for name, shape in beat.members.items()}
    assert bits == {"data": 64, "keep": 8, "last": 1, "user": 5, "destination": 4}
    plain = node_layout(64, Payload.of(32, [64]), {"source": 2})
    assert [*plain.members] == ["data", "last", "source"]
