from knotwork.routing.scheduling.linear_complement import JumpTable
from knotwork_sim.traffic.jump_tables import ConfigSource, Loading


def test_a_table_comes_with_its_highest_dimension_first():
    table = JumpTable(jump=(1, 0, 1), buddy=(3, 0, 3))
    assert Loading.of(table, time=9) == Loading(9, ((1, 3), (0, 0), (1, 3)))


def test_entries_are_held_out_until_they_are_taken():
    source = ConfigSource([Loading(5, ((1, 2), (0, 1))), Loading(0, ((1, 0),))])
    assert source.offered(4) is None
    assert source.offered(5) == source.offered(8) == (1, 2, False)
    source.taken()
    assert source.offered(9) == (0, 1, True)
    source.taken()
    assert not source.done
    assert source.offered(10) == (1, 0, True)
    source.taken()
    assert source.done
    assert source.offered(11) is None
