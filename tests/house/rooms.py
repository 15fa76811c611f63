"""The two axes: a network has a file, and a router class a room, of its name on every floor."""

from collections.abc import Collection, Iterable, Mapping
from importlib import import_module

NETWORK_FLOORS = ("hdl/knotwork/topology", "hdl/knotwork/routing")
"""Folders in which every network has a file, or a room, of its name."""

GATES = "hdl/knotwork/gateware/networks"
"""Folder in which the networks have one whose routers ask for gates of the network's own."""

CLASS_FLOORS = (
    "hdl/knotwork/parameters",
    "hdl/knotwork/gateware",
    "hdl/knotwork/emit",
    "hdl/knotwork/formal",
    "sim/knotwork_sim/model",
    "boards/knotwork_boards/selftest",
    "tests/gateware",
    "tests/formal",
    "tests/sim/model",
    "tests/boards/selftest",
)
"""Folders in which every router class has a room, or a file, of its name."""

REGISTRIES = (
    "knotwork.parameters.ROUTER_PARAMETERS",
    "knotwork.gateware.router_classes.ROUTER_GATEWARE",
    "knotwork.emit.manifest.MANIFEST_SECTIONS",
    "knotwork.formal.proofs.PROOFS",
    "knotwork_sim.model.run.MODELS",
    "knotwork_boards.selftest.self_test.SELF_TESTS",
)
"""Tables that have an entry per router class."""


def without_room(names: Iterable[str], folders: Iterable[str], paths: Collection[str]) -> list[str]:
    """Places where neither a file nor a folder of the name is among the paths."""
    return [
        f"{folder}/{name}"
        for folder in folders
        for name in names
        if f"{folder}/{name}.py" not in paths
        and f"{folder}/test_{name}.py" not in paths
        and not any(path.startswith(f"{folder}/{name}/") for path in paths)
    ]


def need_gates(
    router_classes: Mapping[str, Iterable[str]], graph: Mapping[str, Iterable[str]]
) -> list[str]:
    """Networks, by their router classes, that must have gates of their own.

    They have a routing whose router class's gateware imports `knotwork.gateware.networks`.
    """

    def asks(router_class: str) -> bool:
        room = f"knotwork.gateware.{router_class}"
        own = [name for name in graph if name == room or name.startswith(f"{room}.")]
        reached, waiting = set(own), own
        while waiting:
            new = set(graph.get(waiting.pop(), ())) - reached
            new = {name for name in new if name.startswith("knotwork.gateware.")}
            reached |= new
            waiting += new
        return "knotwork.gateware.networks" in reached

    asking = {one for classes in router_classes.values() for one in classes if asks(one)}
    return [name for name, classes in router_classes.items() if asking & set(classes)]


def registry(place: str) -> Mapping[str, object]:
    """Table of a module by its dotted name."""
    module, _, name = place.rpartition(".")
    return getattr(import_module(module), name)


def unequal(registries: Mapping[str, Collection[str]]) -> list[str]:
    """Registries whose keys are not those of the first."""
    (first, keys), *others = registries.items()
    return [
        f"{name}: {sorted(set(keys) ^ set(its_keys))} must be in it as in {first}"
        for name, its_keys in others
        if set(its_keys) != set(keys)
    ]
