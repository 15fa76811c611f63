from knotwork import Network
from knotwork.costs.deflection import deflection_pieces


def test_a_router_of_four_links_has_two_rounds_of_two_exchanges():
    network = Network.from_word("hypercube:n=4,router=deflection")
    (kind,) = network.router_kinds
    packet = 32 + 4 + 4 + 2  # data, two addresses, phase and first
    sizes = deflection_pieces(network, kind)
    assert sizes["lut4"]["exchanges"] == 4 * packet
    assert sizes["lut4"]["wires"] == 4 * packet
    assert sizes["ns"]["rounds"] == 2
    assert sizes["lut4"]["rings"] == 0


def test_one_way_rings_have_no_exchanges():
    word = "torus:x=4,y=4,directions=one,router=deflection,data_width=28,source=no"
    network = Network.from_word(word)
    sizes = deflection_pieces(network, network.router_kinds[0])["lut4"]
    assert (sizes["exchanges"], sizes["rings"]) == (0, 28 + 4)
