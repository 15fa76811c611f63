from knotwork.topology import Trac


def test_trac_of_nine():  # section 4
    trac = Trac(levels=2)
    assert trac.nodes == 9
    assert trac.level_sizes == (3, 2)
    assert trac.more_facts()["open_uppers"] == 4
