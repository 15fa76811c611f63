from knotwork import Network
from knotwork.costs.batch import batch_pieces


def sizes(word):
    network = Network.from_word(word)
    return batch_pieces(network, network.router_kinds[0])["lut4"]


def test_messages_pass_a_multiplexer_for_each_link():
    found = sizes("hypercube:n=4,routing=lc1,data_width=16")
    assert (found["links"], found["messages"]) == (4, 4 * (16 + 2 * 4))
    assert (found["table"], found["counter"]) == (0, 0)


def test_tables_and_counters_are_where_a_key_puts_them():
    assert sizes("ccc:n=4,routing=lc2,control=shift")["table"] == 4
    assert sizes("ccc:n=4,routing=lc2")["table"] == 0
    assert sizes("hypercube:n=4,routing=lc1,sequencer=distributed")["bits of the counter"] == 4
