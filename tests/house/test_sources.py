from house.sources import Module, circles, import_graph, modules, placed_imports


def house(**sources):
    """Modules by their last name, all in the package `home`."""
    made = {f"home.{name}": Module(f"home.{name}", source) for name, source in sources.items()}
    return made | {"home": Module("home", "", is_package=True)}


def test_deferred_imports_and_those_for_types_count():
    known = house(
        a="def f():\n    from .b import g",
        b="from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from home import c",
        c="import home.d",
        d="",
    )
    graph = import_graph(known)
    assert graph["home.a"] == {"home.b"}
    assert graph["home.b"] == {"home.c"}
    assert graph["home.c"] == {"home.d"}
    assert circles(graph) == []


def test_a_circle_is_found_however_long_it_is_and_however_late_its_imports():
    known = house(
        a="from . import b",
        b="from .c import f",
        c="def f():\n    from .a import g",
        d="from . import a",
    )
    assert circles(import_graph(known)) == [["home.a", "home.b", "home.c"]]
    known = house(a="if TYPE_CHECKING:\n    from .b import B", b="from .a import A")
    assert circles(import_graph(known)) == [["home.a", "home.b"]]


def test_a_package_that_imports_what_imports_it_is_a_circle():
    known = house(a="from . import X") | {"home": Module("home", "from .a import Y", True)}
    assert circles(import_graph(known)) == [["home", "home.a"]]


def test_relative_imports_of_a_package_start_at_itself():
    source = "from .names import x\nfrom ..other import y"
    package = Module("knotwork.emit", source, is_package=True)
    module = Module("knotwork.emit.a", source)
    assert package.imported_names == ["knotwork.emit.names.x", "knotwork.other.y"]
    assert module.imported_names == ["knotwork.emit.names.x", "knotwork.other.y"]


def test_the_version_is_known_to_all():
    known = {
        "knotwork": Module("knotwork", "", is_package=True),
        "knotwork.a": Module("knotwork.a", "from . import __version__"),
        "knotwork.b": Module("knotwork.b", "from . import Network"),
    }
    assert placed_imports(known)["knotwork.a"] == []
    assert placed_imports(known)["knotwork.b"] == ["knotwork.__init__"]


def test_the_modules_of_all_three_roots_are_known():
    known = modules()
    assert {"knotwork", "knotwork.network", "knotwork_sim", "knotwork_boards.flow"} <= known.keys()
    assert known["knotwork"].path == "hdl/knotwork/__init__.py"
