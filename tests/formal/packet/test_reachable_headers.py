"""Headers that can come to packet routers."""

import pytest
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, Property, prove_router
from knotwork.formal.packet.route_claims import assume_reachable


@pytest.mark.parametrize(("is_walked", "result"), [(True, PROVEN), (False, FAILED)])
def test_headers_of_paths_can_come_and_no_others(is_walked, result):
    """No node is in column 3, which a router of a mesh does not see by itself."""
    network = Network.from_word("mesh:x=3,y=2,data_width=8,buffer_depth=2")
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    port = network.topology.ports.index("L")

    def claim(harness):
        if is_walked:
            assume_reachable(harness)
        channel = harness.channels[port, 0]
        columns = [value[:2] for value in (channel.entry.flit.destination, harness.port("address"))]
        harness.claim(~channel.offered | (columns[0] != 3))
        harness.cover(channel.offered & (columns[0] == columns[1]))
        harness.cover(channel.offered & (columns[0] == 2) & (columns[1] == 1))

    one = Property(name="walked", text="of what comes", claim=claim, cover=8)
    (found,) = prove_router(network, kind, router_verilog(network, kind), [one])
    assert found.result == result
