import importlib.metadata
import sys

import pytest
from knotwork import entry_points
from knotwork.entry_points import EntryPoint


@pytest.mark.parametrize("group", ["knotwork.commands", "knotwork.doctor", "console_scripts"])
def test_what_python_finds_is_found(group):
    expected = importlib.metadata.entry_points(group=group)
    found = entry_points.entry_points(group=group)
    assert {(each.name, each.value) for each in found} == {(e.name, e.value) for e in expected}
    assert len(found) == len(expected)


def test_a_package_offers_objects_in_the_order_of_its_list(tmp_path, monkeypatch):
    for folder, name in (("first", "own_pack-1.0"), ("second", "own.pack-2.0")):
        place = tmp_path / folder / f"{name}.dist-info"
        place.mkdir(parents=True)
        (place / "entry_points.txt").write_text(
            f"[other]\nc = os:{folder}\n\n[toy.{folder}]\n# none\n"
            "b = os.path : join [extra]\na=sys\n"
        )
    (tmp_path / "second" / "bare.egg-info").mkdir()
    monkeypatch.setattr(sys, "path", [str(tmp_path / "first"), "nowhere", str(tmp_path / "second")])
    found = entry_points.entry_points(group="toy.first")
    assert found == [
        EntryPoint("b", "os.path : join [extra]", "toy.first", "own-pack"),
        EntryPoint("a", "sys", "toy.first", "own-pack"),
    ]
    import os.path

    assert [each.load() for each in found] == [os.path.join, sys]
    assert [each.module for each in found] == ["os.path", "sys"]
    assert entry_points.entry_points(group="toy.first", name="a") == found[1:]
    assert entry_points.entry_points(group="toy.second") == []
