from knotwork.tools import WHEELS
from knotwork_boards import checkup


def test_every_tool_of_the_flow_is_looked_for():
    names = {each.name for each in checkup.examine()}
    assert {name for name in WHEELS if not name.startswith("yosys")} <= names
