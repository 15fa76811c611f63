from knotwork.errors import ConfigurationError
from knotwork_sim.datasheet.told import Table, or_reason


def test_cells_are_worded_as_on_the_command_line():
    table = Table.of_facts("Facts", "knotwork x", {"deadlock_free": True, "mean": 2.133333333})
    assert table.rows == [["deadlock free", "yes"], ["mean", "2.13333"]]
    assert table.as_json()["command"] == "knotwork x"
    assert Table.of_rows("T", "", ["a", "b"], [(1, None)]).rows == [["1", "-"]]


def test_what_is_refused_gives_the_line():
    def refuse():
        raise ConfigurationError("routers must be few")

    assert or_reason(refuse) == {"reason": "routers must be few"}
    assert or_reason(lambda: {"a": 1}) == {"a": 1}
