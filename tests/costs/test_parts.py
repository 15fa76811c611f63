from knotwork import Network
from knotwork.costs.parts import PARTS


def parts(word):
    network = Network.from_word(word)
    return {part.role: part for part in PARTS[network.router_class](network)}


def test_an_interface_keeps_two_packets_each_way():
    found = parts("lcan:d=2,u=2,levels=3")
    assert (found["interface"].number, found["controller"].number) == (8, 1)
    # 32 entries, of 33 bits out, and of 33 bits with a source of 3 in.
    assert found["interface"].pieces["dpr"]["cells"] == 9 * 2 + 9 * 2
    assert "chooser" not in found


def test_nodes_with_links_to_several_trees_have_choosers():
    assert parts("kyklos:k=2,levels=4")["chooser"].number == 16


def test_batches_have_a_controller():
    assert list(parts("hypercube:n=4,routing=lc1")) == ["controller"]
    assert "packet" not in PARTS
