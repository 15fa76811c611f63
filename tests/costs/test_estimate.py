import json

import numpy as np
import pytest
from helpers.long_links import network_of
from helpers.ring import CyclicRingRouting, Ring
from knotwork import Network
from knotwork.costs import estimated_cost
from knotwork.costs.estimate import MODEL, PIECES, Area, fmax_of, largest_kind, model, router_area
from knotwork.errors import ConfigurationError
from knotwork.parameters import ROUTER_PARAMETERS


def test_a_network_is_the_sum_of_its_routers():
    network = Network.from_word("mesh:x=4,y=3")
    found = estimated_cost(network)
    each = [router_area(network, network.router_kinds[n]) for n in network.router_number]
    assert found.network == pytest.approx(np.sum(each, axis=0))
    assert found.router == max(each)
    assert found.role == "router_L_R_U_D"


def test_what_stands_at_nodes_counts():
    network = Network.from_word("lcan:d=2,u=2,levels=2")
    routers = sum(router_area(network, network.router_kinds[n]).lut4 for n in network.router_number)
    assert estimated_cost(network).network.lut4 > routers + 4 * 100


def test_every_router_class_is_estimated():
    assert PIECES.keys() == ROUTER_PARAMETERS.keys()
    for word in ("hypercube:n=3,routing=lc1", "ring:n=4,router=deflection", "baseline:levels=2"):
        found = estimated_cost(Network.from_word(word))
        assert found.router.lut4 > 0
        assert 20 < found.fmax_mhz < 400


def test_a_router_costs_the_sum_of_its_pieces(monkeypatch):
    network = Network.from_word("mesh:x=3,y=3")
    kind = largest_kind(network)
    before = router_area(network, kind)
    pieces = PIECES["packet"](network, kind)
    dearer = json.loads(MODEL.read_text())
    dearer["costs"]["credits"]["lut4"]["crossbar"] += 2
    monkeypatch.setattr("knotwork.costs.estimate.model", lambda: dearer)
    after = router_area(network, kind)
    assert after.lut4 - before.lut4 == pytest.approx(2 * pieces["lut4"]["crossbar"])
    assert after[1:] == before[1:]
    dearer["costs"]["credits"]["ns"] = {"path": 8}
    assert fmax_of("credits", pieces["ns"]) == 125


def test_areas_add_up():
    total = Area(1, 2, 3).plus(Area(10, 20, 30), 2)
    assert total == (21, 42, 63)
    assert total.luteq == 21 + 6 * 42
    assert total.as_json() == {"lut4": 21, "dpr": 42, "ff": 63, "luteq": 273}


def test_its_error_is_told():
    found = estimated_cost(Network.from_word("petersen"))
    errors = model()["errors"]
    assert found.as_json()["error"] == errors
    told = found.cells()["error of the cost"]
    assert f"LUTeq of all routers within {errors['network_luteq']['most']:.0%}" in told
    assert f"MHz within {errors['fmax_mhz']['most']:.0%}" in told
    assert f"for {errors['networks']} networks that it was not fitted on" in told


def of(word):
    return estimated_cost(Network.from_word(word))


def test_a_class_of_traffic_costs_a_router_beside_links_that_are_shared():
    one, two, three = (of(f"mesh:x=4,y=4,classes={n}") for n in (1, 2, 3))
    for figure in ("lut4", "dpr", "ff"):
        more = [getattr(each.router, figure) for each in (one, two, three)]
        assert more[2] - more[1] == pytest.approx(more[1] - more[0], rel=0.2)
    assert two.fmax_mhz < one.fmax_mhz
    weighted = of("mesh:x=4,y=4,classes=2,arbitration=weighted,class_weights=15,15")
    assert weighted.router.lut4 > two.router.lut4
    assert weighted.fmax_mhz < two.fmax_mhz
    limited = of("mesh:x=4,y=4,classes=2,class_limits=1,1/100")
    assert limited.router.lut4 > two.router.lut4


@pytest.mark.parametrize(
    ("plain", "option"),
    [
        ("moebius:n=4,routing=spr,virtual_channels=2", "vc_scheme=escape"),
        ("hypercube:n=4,virtual_channels=4", "multicast=yes"),
    ],
)
def test_escapes_and_multicasts_cost_more_than_the_channels_that_they_need(plain, option):
    before, after = of(plain), of(f"{plain},{option}")
    assert after.router.lut4 > 1.1 * before.router.lut4
    assert after.router.dpr > before.router.dpr
    assert after.router.ff > before.router.ff
    assert after.fmax_mhz < before.fmax_mhz


@pytest.mark.parametrize(
    ("word", "luteq"),
    [
        ("mesh:x=8,y=8,routing=adaptive,buffer_depth=8", 1514),
        ("mesh:x=8,y=8,routing=adaptive,buffer_depth=8,selection=credits", 1607),
        ("hypercube:n=4,routing=adaptive,buffer_depth=8", 1498),
        ("torus:x=4,y=4,routing=adaptive,buffer_depth=8", 1508),
        ("mesh:x=8,y=8,routing=adaptive,virtual_channels=4,buffer_depth=4", 2025),
    ],
)
def test_routers_whose_packets_choose_cost_what_synthesis_found(word, luteq):
    """Measured as `make bench-hw` measures the largest router of a network, in its place."""
    assert of(word).router.luteq == pytest.approx(luteq, rel=0.03)


def test_loaded_tables_cost_their_memories_guards_and_a_controller():
    fixed, loaded = of("mesh:x=4,y=4,routing=updown"), of("mesh:x=4,y=4,tables=loaded")
    # Two banks of 16 entries at each of five inputs, of three bits.
    assert loaded.router.dpr > fixed.router.dpr + 0.9 * 2 * 5
    assert loaded.router.lut4 > 1.2 * fixed.router.lut4
    network = Network.from_word("mesh:x=4,y=4,tables=loaded")
    each = [router_area(network, network.router_kinds[n]) for n in network.router_number]
    assert loaded.network.lut4 > sum(area.lut4 for area in each) + 20


def test_a_monitor_costs_a_counter_per_event_and_its_bits():
    plain, counted = of("hypercube:n=3"), of("hypercube:n=3,counters=yes")
    watched = of("hypercube:n=3,watchdog=100")
    # 40 channels and 8 nodes: 88 events of 7 bits; six rows of totals of 32 bits, twice.
    assert counted.network.ff - plain.network.ff > 88 * 7
    cells = counted.network.dpr - plain.network.dpr
    assert cells == pytest.approx(2 * 6 * 8, rel=0.05)
    assert plain.network.lut4 < watched.network.lut4 < counted.network.lut4
    assert counted.router == plain.router


def test_a_longer_link_costs_its_registers_and_the_buffers_behind_it():
    links = [(a, (a + 1) % 4) for a in range(4)]
    long = [(a, b, 5) for a, b in links]
    short, far = (estimated_cost(network_of(each, name="net")) for each in (links, long))
    # Four stages each way, of a flit with two addresses and a mark, a valid and a credit.
    registers = 8 * 4 * (32 + 2 * 2 + 1 + 2)
    assert far.network.ff == pytest.approx(short.network.ff + registers)
    assert far.network.dpr == pytest.approx(short.network.dpr)  # 16 flits are a round, and more
    deeper = estimated_cost(network_of([(a, b, 16) for a, b in links], name="net"))
    assert deeper.network.dpr > 1.5 * far.network.dpr


@pytest.mark.parametrize("pipeline", [2, 3])
@pytest.mark.parametrize(
    "word",
    [
        "mesh:x=2,y=2,classes=2,nodes_per_router=2,parity=yes,counters=yes,tables=loaded",
        "hypercube:n=2,multicast=yes,classes=2,nodes_per_router=2,parity=yes,watchdog=9",
        "wk:w=3,levels=2,classes=2,nodes_per_router=2,parity=yes,counters=yes",
        "moebius:n=3,routing=spr,vc_scheme=escape,classes=2,parity=yes,counters=yes",
    ],
)
def test_options_are_estimated_together(word, pipeline):
    without = word.replace(",parity=yes", "")
    found = of(f"{word},pipeline={pipeline}")
    assert found.router.lut4 > of(f"{without},pipeline={pipeline}").router.lut4
    assert 20 < found.fmax_mhz < 200


@pytest.mark.parametrize(
    ("network", "what"),
    [
        ("hypercube:n=3,routing=lc1,words=2", "packets of several words"),
        (Network(Ring(nodes=6), routing=CyclicRingRouting), "rules of your own"),
    ],
)
def test_what_was_not_measured_is_refused(network, what):
    network = Network.from_word(network) if isinstance(network, str) else network
    with pytest.raises(ConfigurationError) as refusal:
        estimated_cost(network)
    assert str(refusal.value) == f"{network.name}: the cost of {what} cannot be estimated"
