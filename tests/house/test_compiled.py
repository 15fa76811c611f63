from house.compiled import keeps, reached, wrong_digests
from house.sources import PROJECT, Module

KNOWN = {
    name: Module(f"home.{name}", source, path=f"hdl/home/{name}.py")
    for name, source in {
        "loops": "from .rules import ask\n@kept_on_disk()\ndef run(): ask()",
        "rules": "def f():\n    from .ground import LEAST",
        "ground": "LEAST = 1",
        "other": "from .loops import run",
    }.items()
}
KNOWN = {module.name: module for module in KNOWN.values()}
RIGHT = {PROJECT / f"hdl/home/{name}.py" for name in ("loops", "rules", "ground")}


def test_what_a_kept_function_depends_on_is_followed_through_all_imports():
    assert keeps(KNOWN["home.loops"])
    assert not keeps(KNOWN["home.other"])
    assert reached(KNOWN["home.loops"], KNOWN) == {
        path.relative_to(PROJECT).as_posix() for path in RIGHT
    }


def test_a_digest_of_too_few_or_too_many_files_is_found():
    assert wrong_digests(KNOWN, lambda path: RIGHT) == []
    (line,) = wrong_digests(KNOWN, lambda path: RIGHT - {PROJECT / "hdl/home/ground.py"})
    assert line == "home.loops: its digest and its imports differ in hdl/home/ground.py"
    (line,) = wrong_digests(KNOWN, lambda path: RIGHT | {PROJECT / "hdl/home/other.py"})
    assert line.endswith("differ in hdl/home/other.py")
