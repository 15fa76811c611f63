import pytest
from helpers.ring import Ring, RingRouting
from knotwork import Network, Torus
from knotwork.cli import main
from knotwork.errors import ConfigurationError
from knotwork_boards.selftest import SelfTest, self_test_of

REFUSAL = "{}: router must be packet for the self-test, not deflection"
DEFLECTING = [
    Network(Torus(x=3, y=3), router="deflection"),
    Network(Ring(nodes=5), routing=RingRouting, router="deflection"),
]


@pytest.mark.parametrize("network", DEFLECTING, ids=["torus", "ring"])
def test_networks_of_deflection_routers_are_refused(network, refusal):
    self_test = self_test_of(network)
    for ask in (self_test.node_test, self_test.build_hints):
        with pytest.raises(ConfigurationError) as refused:
            ask(network)
        assert str(refused.value) == REFUSAL.format(network.name)
    text = refusal(ConfigurationError, lambda: SelfTest(network, clock_hz=12_000_000))
    assert text == REFUSAL.format(network.name)


def test_the_command_refuses_them_with_status_2(capsys):
    words = ["torus", "x=3", "y=3", "router=deflection"]
    assert main.run(["bitstream", *words, "--board", "icebreaker"]) == 2
    name = DEFLECTING[0].name
    assert capsys.readouterr().err == f"knotwork: error: {REFUSAL.format(name)}\n"
