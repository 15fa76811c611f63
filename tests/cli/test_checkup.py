import sys
from types import ModuleType

import pytest
from knotwork.cli import checkup
from knotwork.cli.checkup import Cache, Finding, examine, package, program, tool


def script(folder, name, text):
    path = folder / name
    path.write_text(f"#!{sys.executable}\n{text}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("print('Tool v1.25-3 (c) 1999')", "1.25-3"),
        ("import sys; print('tool 12.2.0.', file=sys.stderr)", "12.2.0"),
        ("print('tool')", "found"),
        ("print('1.2'); raise SystemExit(1)", None),
    ],
)
def test_a_program_tells_its_version(text, version, tmp_path, monkeypatch):
    made = script(tmp_path, "hammer", text)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = program("hammer", "nails", ["--version"], remedy="buy one")
    assert (found.version, found.place, found.needed) == (version, str(made), True)


def test_bytecode_that_is_not_kept_is_found(monkeypatch):
    kept = next(each for each in examine() if isinstance(each, Finding) and each.name == "bytecode")
    assert (kept.needed, kept.version) in {(False, "kept"), (False, None)}
    modules = {name: ModuleType(name) for name in ("first", "second", "builtin")}
    monkeypatch.setattr(sys, "modules", modules)
    modules["first"].__cached__ = modules["second"].__cached__ = __file__
    assert checkup._bytecode().version == "kept"
    modules["second"].__cached__ = "/nowhere/second.pyc"
    found = checkup._bytecode()
    assert (found.version, found.place) == (None, "1 of 2 modules")
    assert "python -m knotwork.cli.bytecode" in found.remedy


def test_what_is_not_there_has_no_version_and_python_is_there():
    found = program("no-such-hammer", "nails", [], remedy="buy one", needed=False)
    assert (found.version, found.place, found.remedy) == (None, None, "buy one")
    found = package("no-such-hammer", "nails")
    assert (found.version, found.place, found.remedy) == (None, None, "pip install no-such-hammer")
    assert next(iter(examine())).place == sys.executable


def test_a_tool_is_looked_for_as_verbs_look_for_it_and_may_be_mute(monkeypatch, tmp_path):
    monkeypatch.setenv("YOSYS", str(script(tmp_path, "mine", "print('Yosys 9.9')")))
    assert tool("yosys", "synthesis", ["-V"]).version == "9.9"
    monkeypatch.setenv("YOSYS", str(tmp_path / "none"))
    assert tool("yosys", "synthesis", ["-V"]).version is None
    monkeypatch.setenv("ICEPACK", str(script(tmp_path, "mine", "raise SystemExit(1)")))
    found = tool("icepack", "bitstreams", ["-h"], version_of="click")
    assert found.version == package("click", "").version


def test_a_cache_has_the_size_of_its_files(tmp_path, monkeypatch):
    (tmp_path / "deep").mkdir()
    (tmp_path / "deep" / "a.nbi").write_bytes(b"12345")
    (tmp_path / "b.nbc").write_bytes(b"123")
    (tmp_path / "c.py").write_bytes(b"1")
    assert Cache(name="all", folder=tmp_path).size == 9
    assert Cache(name="none", folder=tmp_path / "none").size == 0
    loops = Cache(name="loops", folder=tmp_path, pattern="*.nb[ci]")
    assert (loops.size, loops.files) == (8, f"{tmp_path}/**/*.nb[ci]")
    monkeypatch.setenv("KNOTWORK_CACHE", str(tmp_path))
    (kept,) = (found for found in examine() if isinstance(found, Cache))
    assert kept.folder == tmp_path / "loops"
