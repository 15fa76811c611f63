import pytest
from knotwork_sim.collectives import measure
from knotwork_sim.verbs.collective import ENGINES

REFUSED = {
    "mesh x=3 y=3 sum": "collective: COLLECTIVE must be one of barrier, all_reduce, reduce, "
    "gather, broadcast, multicast, scatter, not 'sum'",
    "mesh x=3 y=3": "collective: the arguments must be NET... COLLECTIVE, a network and a "
    "collective, not 'mesh x=3 y=3'",
    "mesh x=3 y=3 reduce --root 9": "mesh_x3_y3: ",
    "mesh x=3 y=3 collectives=yes groups=0-3 reduce --root 8": "collective: --root must name "
    "members of the group collective, not node 8",
    "mesh x=3 y=3 reduce --length 0": "collective: --length must be an integer in 1..1048576, not ",
    "mesh x=3 y=3 reduce --group 1": "mesh_x3_y3_collectivesyes: --group must be the place of a "
    "group, 0, not 1",
    "mesh x=3 y=3 multicast --to 1,1": "collective: --to must name each node once, not 1,1",
    "mesh x=3 y=3 multicast --against relay": "mesh_x3_y3: --against relay must be used with "
    "multicast=yes, not without",
    "mesh x=1000 y=1000 barrier --limit 1min": "collective mesh_x1000_y1000 must stay within 1 min",
    "mesh x=3 y=3 barrier --engine netlist": "collective: --engine must be one of model, rtl, "
    "both, not 'netlist'",
}


@pytest.mark.parametrize(("words", "line"), REFUSED.items())
def test_what_cannot_be_measured_is_refused(words, line, refusal):
    assert refusal(f"collective {words}").startswith(line)


def test_the_command_knows_all_engines():
    assert ENGINES == measure.ENGINES


def test_a_table_has_a_row_for_each_algorithm(run):
    status, out, _ = run("collective mesh x=3 y=3 all_reduce --length 9 --against unicast")
    assert status == 0
    for words in ("9 beats", "all_reduce", "doubling", "ring", "direct", "times as long"):
        assert words in out
    assert out.endswith(
        "The network has no collectives=yes: this is the group that it would have.\n"
    )
    _, out, _ = run("collective mesh x=3 y=3 collectives=yes barrier")
    assert "this is the group" not in out


def test_a_multicast_goes_to_nodes(answer):
    found = answer(
        "collective hypercube n=3 multicast=yes multicast --to 1,@010 --against relay,unicast"
    )
    assert (found["receivers"], found["root"]) == (2, 0)
    assert [*{other["means"]: None for other in found["against"]}] == ["relay", "unicast"]
