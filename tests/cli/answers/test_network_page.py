"""All about one network."""

import pytest
from knotwork.parameters import ROUTER_PARAMETERS
from knotwork.routing import all_routings_of
from knotwork.routing.network_keys import all_network_keys
from knotwork.topology import TOPOLOGIES


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_a_network_is_told_in_full(name, answer, run):
    (page,) = answer(f"networks {name}")["networks"]
    (listed,) = [each for each in answer("networks")["networks"] if each["name"] == name]
    assert listed.items() <= page.items()
    assert [each["name"] for each in page["routing_entries"]] == list(all_routings_of(name))
    assert all(each["summary"] for each in page["routing_entries"])
    for router, keys in page["router_class_keys"].items():
        assert [key["key"] for key in keys] == list(ROUTER_PARAMETERS[router].keys())
    assert page["elsewhere"] == TOPOLOGIES[name].elsewhere
    assert page["references"], "a network says where it was published"
    status, out, _ = run(f"networks {name}")
    assert status == 0
    assert " ".join(out.split()).startswith(f"{name}: {page['summary']}.")
    cells = {line.split("│")[1].strip() for line in out.splitlines() if "│" in line}
    assert set(all_network_keys(name)) <= cells
    assert "Source: " in out


def test_several_are_told_one_after_the_other(answer, run):
    assert [page["name"] for page in answer("networks wk mesh")["networks"]] == ["wk", "mesh"]
    _, out, _ = run("networks wk mesh")
    assert out.index("wk: ") < out.index("mesh: ")


def test_ranges_defaults_and_sources_are_those_of_the_declarations(run):
    _, out, _ = run("networks moebius")
    rows = [[cell.strip() for cell in line.split("│")[1:-1]] for line in out.splitlines()]
    assert ["twist", "an integer in 0..1", "0", "imaginary bit n: 0-MC or 1-MC"] in rows
    assert ["buffer_depth", "an integer in 2..1024", "16", "flits per VC buffer"] in rows
    assert "IEEE Trans. Computers" in " ".join(out.split())


def test_an_unknown_one_is_refused(refusal):
    assert refusal("networks Torus") == (
        f"a network must be one of {', '.join(TOPOLOGIES)}, not 'Torus'; did you mean torus?"
    )
