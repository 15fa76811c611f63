import pytest
from knotwork_boards.report.critical_path import Stretch, clock_words, critical_paths


def test_a_path_is_told_in_words(owners, report):
    (path,) = critical_paths(report, owners)  # those from pins have no clock to meet
    assert path.clock == "clk"
    assert path.words == (
        "from router 0, input dim0 vc0, count to router 1, input dim0 vc0, buffer, full: 7.5 ns, "
        "of it 5.0 in wires"
    )
    assert path.stretches == (
        Stretch("router 0, input dim0 vc0", 1.25, 2.0, 1),
        Stretch("router 0, output dim0", 0.5, 3.0, 1),
        Stretch("router 1, input dim0 vc0", 0.75, 0.0, 1),
    )
    assert path.tiles == ((1, 1), (1, 2), (2, 4))


def test_parts_sum_up_to_the_whole(owners, report):
    (path,) = critical_paths(report, owners)
    assert path.cells + path.wires == sum(
        step["delay"] for step in report["critical_paths"][0]["path"]
    )


@pytest.mark.parametrize("name", ["cd_sync.clk", "$glbnet$cd_sync.clk", "cd_sync.clk_$glb_clk"])
def test_a_clock_has_its_own_name(name):
    assert clock_words(name) == "cd_sync.clk"
