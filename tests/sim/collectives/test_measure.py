from dataclasses import replace

import pytest
from knotwork import Mesh, Network
from knotwork.errors import CheckFailedError, ConfigurationError
from knotwork.routing.collectives import Collective
from knotwork_sim.collectives import measure as measuring
from knotwork_sim.collectives.measure import COLLECTIVES, MEANS, Request, measure
from knotwork_sim.collectives.messages import Answer
from knotwork_sim.traffic import keys

MESH = Network(Mesh(x=3, y=3))
DEPTH = 2  # from the middle


def test_names_are_those_of_traffic():
    assert set(COLLECTIVES) == set(keys.COLLECTIVES)


def test_a_vector_flows_in_a_pipeline():
    for length in (8, 40):
        found = measure(MESH, Request(Collective.ALL_REDUCE, length))
        assert (found.depth, found.nodes) == (DEPTH, 9)
        assert length <= found.cycles <= length + 2 * DEPTH + 6
        assert found.streaming_beats_per_cycle == 1
        assert found.beats_per_cycle == pytest.approx(length / found.cycles, abs=1e-4)
        assert found.bytes_per_cycle == pytest.approx(4 * length / found.cycles, abs=1e-4)
    found = measure(MESH, Request(Collective.BARRIER, 8))
    assert found.cycles <= 2 * DEPTH + 6
    assert found.length == 1


@pytest.mark.parametrize("kind", Collective)
def test_all_collectives_are_measured(kind):
    found = measure(MESH, Request(kind, 4, pauses=0.2, seed=3), against=["unicast"])
    beats = {"barrier": 1, "gather": 36, "scatter": 36}.get(found.collective, 4)
    assert found.beats == beats
    assert found.receivers == (8 if kind == Collective.MULTICAST else None)
    assert [other.cycles for other in found.against] == sorted(
        other.cycles for other in found.against
    )
    assert all(other.means == "unicast" for other in found.against)


def test_unicasts_carry_as_many_bytes():
    wide = Network(Mesh(x=3, y=3), collectives=True, collective_width=128)
    found = measure(wide, Request(Collective.GATHER, 8), against=["unicast"])
    assert found.width == 128
    assert found.bytes == 128
    # 8 others send 32 flits each to the root
    assert 8 * 32 <= found.against[0].cycles <= 8 * 32 + 20
    assert found.against[0].speedup == round(found.against[0].cycles / found.cycles, 2)


def test_groups_and_operations_are_those_of_the_network():
    keys = {"groups": ("all", "0-3,8"), "operations": ("sum", "signed_max")}
    network = Network(Mesh(x=3, y=3), collectives=True, **keys)
    found = measure(network, Request(Collective.REDUCE, 4, group=1, operation="signed_max"))
    assert (found.group, found.nodes, found.root) == ("collective1", 5, 0)
    assert found.operation == "signed_max"
    assert found.has_collectives
    found = measure(MESH, Request(Collective.REDUCE, 4, operation="xor"))
    assert (found.operation, found.has_collectives) == ("xor", False)


def refused(network, request, against=()):
    with pytest.raises(ConfigurationError) as found:
        measure(network, request, against=against)
    return str(found.value)


def test_what_there_is_not_is_refused():
    network = Network(Mesh(x=3, y=3), collectives=True, groups=("0-3", "4-8"), name="net")
    reduce = Request(Collective.REDUCE, 4)
    assert refused(network, reduce._replace(group=2)) == (
        "net: --group must be the place of a group, 0..1, not 2"
    )
    assert refused(network, reduce._replace(root=7)) == (
        "collective: --root must name members of the group collective0, not node 7"
    )
    assert refused(network, reduce._replace(operation="max")) == (
        "collective: --operation must be one of sum, not 'max'"
    )
    assert refused(network, Request(Collective.BARRIER, 4, root=1)) == (
        "collective: --root must be used with a collective that has a root, not with barrier"
    )
    assert refused(network, Request(Collective.GATHER, 4, operation="sum")) == (
        "collective: --operation must be used with all_reduce or reduce, not with gather"
    )
    assert refused(network, Request(Collective.GATHER, 4, receivers=(1, 2))) == (
        "collective: --to must be used with multicast, not with gather"
    )
    assert refused(network, Request(Collective.MULTICAST, 4, receivers=(1, 8))) == (
        "collective: --to must name members of the group collective0, not node 8"
    )
    assert refused(network, reduce, ["unicst"]) == (
        f"collective: --against must be one of {', '.join(MEANS)}, not 'unicst'; did you mean "
        "unicast?"
    )
    assert refused(network, reduce, ["unicast", "unicast"]) == (
        "collective: --against must name each once, not unicast,unicast"
    )


def test_a_wrong_answer_is_refused(monkeypatch):
    def wrong(*arguments, **more):
        found = make_round(*arguments, **more)
        return found._replace(answers={0: Answer(found.answers[0].header, [1, 2, 3])})

    make_round = measuring.make_round
    monkeypatch.setattr(measuring, "make_round", wrong)
    with pytest.raises(CheckFailedError, match=r"must give the answers of NumPy, not collective"):
        measure(MESH, Request(Collective.REDUCE, 3))


def test_an_answer_is_plain_data():
    found = measure(MESH, Request(Collective.BROADCAST, 4), against=["unicast"])
    plain = found.as_json()
    assert [*plain["against"][0]] == ["means", "algorithm", "cycles", "speedup"]
    assert replace(found, against=[]).as_json() == plain | {"against": []}
