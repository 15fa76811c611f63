"""Plugins: networks, routings and operations from a file, or from an installed package."""

import sys
from pathlib import Path

import pytest
from helpers.circulant import Circulant
from helpers.operations import Average
from knotwork import Network, operations
from knotwork.cli.main import run
from knotwork.entry_points import EntryPoint
from knotwork.errors import ConfigurationError
from knotwork.portable import packed, unpacked
from knotwork.routing import routings_of
from knotwork.topology import TOPOLOGIES
from knotwork.user_defined import plugins
from knotwork.user_defined.plugins import load_plugin

CIRCULANT = Path(sys.modules[Circulant.__module__].__file__).read_text()


@pytest.fixture(autouse=True)
def _forgotten():
    """Forget the files, which tests have under few names."""
    yield
    for name in [name for name in sys.modules if name.startswith(("mine_", "other_"))]:
        del sys.modules[name]


def written(folder, text, name="mine.py"):
    file = folder / name
    file.write_text(text)
    return file


def refused(file):
    with pytest.raises(ConfigurationError) as refusal:
        load_plugin(file)
    return str(refusal.value)


def test_a_network_of_a_plugin_is_one_of_all(tmp_path, capsys):
    file = written(tmp_path, CIRCULANT)
    assert run(["check", "--plugin", str(file), "circulant", "n=12", "step=5"]) == 0
    assert "circulant" in TOPOLOGIES
    assert list(TOPOLOGIES)[-1] == "circulant"
    assert list(routings_of("circulant")) == ["forward"]
    assert Network.from_word("circulant:n=12").topology.nodes == 12
    assert load_plugin(file) is load_plugin(written(tmp_path, CIRCULANT, "mine.py"))
    assert run(["networks", "--plugin", str(file), "--json"]) == 0
    assert '"circulant"' in capsys.readouterr().out
    assert run(["describe", "circulant", "n=400", "--plugin", str(file)]) == 0
    assert run(["describe", "circulant", "n=4000", "--plugin", str(file)]) == 2
    assert "circulant: n must be an integer in 5..1024, not" in capsys.readouterr().err


def test_a_graph_alone_has_the_routings_that_are_made(tmp_path):
    routings = "    routings: ClassVar[tuple[type, ...]] = (Forward,)\n"
    assert routings in CIRCULANT
    load_plugin(written(tmp_path, CIRCULANT.replace(routings, "")))
    assert list(routings_of("circulant")) == ["updown", "shortest", "balanced"]
    network = Network.from_word("circulant:n=12,step=5")
    assert network.routing.name == "updown"
    assert network.deadlock_report.deadlock_free
    assert len(network.routing.path(0, 6)) == 3  # 0, 5 or 1, 6
    assert repr(network) == "Network(Circulant(n=12, step=5))"


def test_an_installed_package_brings_a_network(monkeypatch):
    installed(monkeypatch, ("circulant", "helpers.circulant:Circulant"))
    assert "circulant" in TOPOLOGIES
    assert TOPOLOGIES["circulant"] is Circulant
    assert Network.from_word("circulant:n=9,step=2").deadlock_report.deadlock_free


def test_a_routing_for_a_shipped_network(tmp_path):
    text = (
        "from knotwork import Routing\n\n\nclass Mine(Routing):\n    name = 'mine'\n"
        "    networks = ('mesh',)\n\n    @staticmethod\n"
        "    def rule(parameters, router, port, channel_class, destination):\n"
        "        ahead = 2 if destination > router else 1\n"
        "        return (0, 0) if router == destination else (ahead, 0)\n"
    )
    load_plugin(written(tmp_path, text))
    assert list(routings_of("mesh")) == ["dimension_order", "o1turn", "mine"]
    network = Network.from_word("mesh:x=3,y=2,routing=mine")
    with pytest.raises(ConfigurationError, match="the port must have a link, not be R, which"):
        network.require_deadlock_free()
    again = written(tmp_path, text + "\n", "other.py")
    assert refused(again) == (
        f"{again}: must not define routing=mine of mesh, which already has a routing of that name"
    )


OPERATION = (
    "from knotwork import UserOperation\n\n\nclass Mine(UserOperation):\n    name = 'mine'\n"
    "    verilog = 'mine.v'\n    combine = staticmethod(lambda one, other, width: one | other)\n"
)


def test_an_operation_from_a_file_and_its_module_beside_it(tmp_path, monkeypatch):
    monkeypatch.setattr("knotwork.operations._KNOWN", {})
    (tmp_path / "mine.v").write_text(
        "module mine (input [7:0] one, other, output [7:0] result); endmodule"
    )
    load_plugin(written(tmp_path, OPERATION))
    network = Network.from_word("mesh:x=2,y=2,collectives=yes,element_width=8,operations=user:mine")
    (operation,) = network.collective_groups[0].form.operations
    assert (operation.name, operation.latency) == ("user:mine", 0)
    assert network.name == "mesh_x2_y2_collectivesyes_operationsmine_element_width8"
    again = written(tmp_path, OPERATION + "\n", "other.py")
    assert refused(again) == (
        f"{again}: must not define an operation 'mine', because another one has that name"
    )
    (kind,) = network.user_defined_classes
    sent = packed(network)
    assert kind.name == "mine"
    (tmp_path / "mine.v").unlink()  # its text went with the class
    assert unpacked(sent).parameters == network.parameters


def test_an_installed_package_brings_an_operation(monkeypatch):
    monkeypatch.setattr("knotwork.operations._KNOWN", {})
    entry = EntryPoint("average", "helpers.operations:Average", operations.GROUP, "some-package")
    monkeypatch.setattr(
        operations, "entry_points", lambda *, group, name=None: [entry] * (name != "other")
    )
    network = Network.from_word("mesh:x=2,y=2,collectives=yes,operations=user:average")
    assert network.user_defined_classes == (Average,)
    wrong = entry._replace(name="mean")
    monkeypatch.setattr(operations, "entry_points", lambda *, group, name=None: [wrong])
    with pytest.raises(ConfigurationError) as refusal:
        Network.from_word("mesh:x=2,y=2,collectives=yes,operations=user:mean")
    assert str(refusal.value) == (
        "knotwork.operations of some-package: helpers.operations:Average must have the name "
        "'mean' of its entry point"
    )


@pytest.mark.parametrize(
    ("text", "said"),
    {
        "": "must define a network, a Topology with a name, a Routing with networks, or a "
        "UserOperation with a name",
        "from knotwork import UserOperation\nclass A(UserOperation): name = 'A'": "an operation's "
        "name must be 1 to 32 of a-z, 0-9 and _, the first of a-z, not 'A'",
        "x = (": "must be a file that Python runs, but SyntaxError: '(' was never closed",
        "import nothing_there": "must be a file that Python runs, but ModuleNotFoundError: No "
        "module named 'nothing_there'",
        "import sys; sys.exit('so\\nlong')": "must be a file that Python runs, but SystemExit: so "
        "long",
        "from knotwork import Topology\nclass A(Topology): name = 'mesh'": "name must not be",
        "from knotwork import Topology\nclass A(Topology):\n    name = 'm'": "m: nodes must be",
        "from knotwork import Topology\nclass A(Topology):\n    name = 'm'\n    nodes = 1\n    "
        "ports = ('local',)\n    neighbours = None\n    is_direct = False": "m must have routings, "
        "at least one",
        "from knotwork import Routing\nclass A(Routing):\n    name = 'a'\n    rule = 1\n    "
        "networks = ('mush',)": "networks of a must be of hypercube, moebius",
    }.items(),
)  # fmt: skip
def test_files_that_are_no_plugins(tmp_path, text, said):
    file = written(tmp_path, text)
    found = refused(file)
    assert said in found
    assert "\n" not in found
    assert run(["networks", "--plugin", str(file)]) == 2


def test_files_that_cannot_be_read(tmp_path):
    file = tmp_path / "none.py"
    assert refused(file) == (f"{file}: must be a readable Python file: No such file or directory")
    loop = tmp_path / "loop.py"
    loop.symlink_to(loop)
    assert refused(loop) == (
        f"{loop}: must be a readable Python file: Too many levels of symbolic links"
    )
    other = written(tmp_path, CIRCULANT, "mine.txt")
    assert refused(other) == f"{other}: must be a Python file, name.py"


def test_two_networks_of_one_name(tmp_path):
    load_plugin(written(tmp_path, CIRCULANT))
    other = written(tmp_path, CIRCULANT + "\n# another\n", "other.py")
    assert refused(other) == (
        f"{other}: must not define a network 'circulant', because another one has that name"
    )


def test_a_name_twice_among_packages(monkeypatch):
    entry = ("circulant", "helpers.circulant:Circulant")
    installed(monkeypatch, entry, entry)
    with pytest.raises(ConfigurationError, match="'circulant', because another one has that name"):
        _ = "circulant" in TOPOLOGIES


def installed(monkeypatch, *entries):
    made = [EntryPoint(name, value, plugins.GROUP) for name, value in entries]
    monkeypatch.setattr(plugins, "entry_points", lambda group: made)
    monkeypatch.setattr(TOPOLOGIES, "_installed", None)


@pytest.mark.parametrize(
    ("entry", "said"),
    [
        (("mesh", "helpers.circulant:Circulant"), "must not define a network 'mesh', because"),
        (("loop", "helpers.nothing:Ring"), "helpers.nothing:Ring must be importable: Module"),
        (("other", "helpers.circulant:Circulant"), "must have the name 'other' of its entry"),
        (("other", "helpers.circulant:NEXT"), "must name a class of Topology, not 1"),
    ],
)
def test_entry_points_that_are_refused(monkeypatch, entry, said):
    installed(monkeypatch, entry)
    with pytest.raises(ConfigurationError) as refusal:
        _ = [TOPOLOGIES[name] for name in TOPOLOGIES]
    assert str(refusal.value).startswith("knotwork.networks of an installed package: ")
    assert said in str(refusal.value)
