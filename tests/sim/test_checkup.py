import pytest
from knotwork.cli.checkup import Cache, Finding
from knotwork_sim import checkup


def test_what_simulation_needs_and_what_it_can_do_without():
    found = list(checkup.examine())
    tools = {each.name: each.needed for each in found if isinstance(each, Finding)}
    assert {name for name, needed in tools.items() if needed} == {
        *("verilator", "cocotb", "libpython", "c++", "make", "perl")
    }
    optional = {"matplotlib", "uvicorn", "distributed", "pyarrow", "ziglang", "iverilog", "gtkwave"}
    assert optional <= tools.keys()
    assert any(isinstance(each, Cache) for each in found)


@pytest.mark.parametrize("place", [None, "/usr/lib/libpython3.11.so.1.0"])
def test_python_without_its_library_is_told(place, monkeypatch):
    """Simulators load it; on Debian `python3` runs without it."""
    monkeypatch.setattr("find_libpython.find_libpython", lambda: place)
    (found,) = (each for each in checkup.examine() if getattr(each, "name", "") == "libpython")
    assert found.place == place
    assert (found.version is None) == (place is None)
    assert "libpython3-dev" in found.remedy
