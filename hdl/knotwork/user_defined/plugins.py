"""Networks, routings and operations from a file of the user's, or from an installed package.

Installed packages bring networks by the entry-point group ``knotwork.networks``, whose entries name
a network's class.
"""

import sys
from importlib.machinery import SourceFileLoader
from importlib.util import module_from_spec, spec_from_file_location
from types import ModuleType

from ..entry_points import EntryPoint, entry_points
from ..errors import ConfigurationError
from ..files import AnyPath, as_path, read_bytes, sha256
from ..operations import UserOperation, add_operation, require_sound_operation
from ..routing import Routing, add_routing, routings_of
from ..topology import TOPOLOGIES, Topology
from .checks import require_routing, require_sound_class

GROUP = "knotwork.networks"
"""Entry-point group of networks."""


class _Loader(SourceFileLoader):
    """Loader that leaves nothing beside a user's file, which may be refused once it has run."""

    def set_data(self, path: str, data: object, *, _mode: int = 0) -> None:
        """Keep no bytecode."""


def load_plugin(path: AnyPath) -> ModuleType:
    """Run a Python file and register the networks, routings and operations that it defines.

    A network is a `Topology` with a name of its own; a routing that names shipped
    networks in `Routing.networks` is one more of theirs; an operation is a `UserOperation` with a
    name. A file, or a copy of it, is run once.

    Raises
    ------
    ConfigurationError
        The file cannot be run, defines none, or what it defines has a name that is taken.
    """
    path = as_path(path, "a Python file")
    digest = sha256(read_bytes(path, "Python file"))
    where = path.resolve()  # after the file was read: a loop of links has nothing to resolve to
    name = f"{where.stem}_{digest[:8]}"
    if name in sys.modules:
        _register(sys.modules[name], str(path))
        return sys.modules[name]
    loader = _Loader(name, str(where))
    spec = spec_from_file_location(name, loader=loader) if where.suffix == ".py" else None
    if spec is None or spec.loader is None:
        raise ConfigurationError(f"{path}: must be a Python file, name.py")
    module = sys.modules[name] = module_from_spec(spec)
    folder = str(where.parent)
    if folder not in sys.path:
        sys.path.append(folder)  # for what it imports from beside it
    try:
        spec.loader.exec_module(module)
        _register(module, str(path))
    except KeyboardInterrupt:
        raise
    except ConfigurationError:
        del sys.modules[name]
        raise
    except BaseException as error:  # SystemExit too: it is the user's code
        del sys.modules[name]
        fault = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
        raise ConfigurationError(f"{path}: must be a file that Python runs, but {fault}") from None
    return module


def _register(module: ModuleType, owner: str) -> None:
    """Register what a module defines; all of it or nothing."""
    defined = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and kind.__module__ == module.__name__
    ]
    networks = [
        kind
        for kind in defined
        if issubclass(kind, Topology) and (vars(kind).get("name") is not None)
    ]
    routings = [kind for kind in defined if issubclass(kind, Routing) and kind.networks]
    operations = [
        kind for kind in defined if issubclass(kind, UserOperation) and vars(kind).get("name")
    ]
    if not (networks or routings or operations):
        raise ConfigurationError(
            f"{owner}: must define a network, a Topology with a name, a Routing with networks, or "
            f"a UserOperation with a name"
        )
    for kind in networks:
        require_network(kind, owner)
        if kind.name in TOPOLOGIES and TOPOLOGIES[kind.name] is not kind:
            raise ConfigurationError(
                f"{owner}: must not define a network {kind.name!r}, because another one has that "
                "name"
            )
    for place, kind in enumerate(networks):
        if kind.name in [other.name for other in networks[:place]]:
            raise ConfigurationError(f"{owner}: must define {kind.name!r} once, not twice")
    for routing in routings:
        for network in routing.networks:
            _require_free(routing, network, owner)
    for operation in operations:
        require_sound_operation(operation, owner)
    for operation in operations:
        add_operation(operation, owner)
    for kind in networks:
        TOPOLOGIES.add(kind)
    for routing in routings:
        for network in routing.networks:
            add_routing(network, routing)


def require_network(kind: object, owner: str) -> None:
    """Refuse a class that is no network, or one without a routing.

    Raises
    ------
    ConfigurationError
        Names what brings it.
    """
    if not isinstance(kind, type) or not issubclass(kind, Topology):
        raise ConfigurationError(f"{owner}: must name a class of Topology, not {kind!r}")
    require_sound_class(kind)
    if not routings_of(kind):
        raise ConfigurationError(f"{owner}: {kind.name} must have routings, at least one")


def _require_free(routing: type[Routing], network: str, owner: str) -> None:
    require_routing(routing, owner)
    if network not in TOPOLOGIES.shipped:
        raise ConfigurationError(
            f"{owner}: networks of {routing.name} must be of "
            f"{', '.join(TOPOLOGIES.shipped)}, not {network!r}"
        )
    if routings_of(network).get(routing.name, routing) is not routing:
        raise ConfigurationError(
            f"{owner}: must not define routing={routing.name} of {network}, which already has a "
            "routing of that name"
        )


def installed() -> "dict[str, Loader]":
    """What loads each network of the installed packages, by name.

    Raises
    ------
    ConfigurationError
        Two have the same name, or one has that of a shipped network.
    """
    found: dict[str, Loader] = {}
    for entry in entry_points(group=GROUP):
        owner = _owner(entry)
        if entry.name in TOPOLOGIES.shipped or entry.name in found:
            raise ConfigurationError(
                f"{owner}: must not define a network {entry.name!r}, because another one has that "
                "name"
            )
        found[entry.name] = Loader(entry)
    return found


def _owner(entry: EntryPoint) -> str:
    return f"{GROUP} of {entry.package or 'an installed package'}"


class Loader:
    """What loads the network of an entry point.

    Parameters
    ----------
    entry : EntryPoint
        Its name must be the network's.
    """

    def __init__(self, entry: EntryPoint) -> None:
        self._entry = entry

    def __call__(self) -> type[Topology]:
        """Class of the network.

        Raises
        ------
        ConfigurationError
            It cannot be imported, or is no network of that name.
        """
        entry, owner = self._entry, _owner(self._entry)
        kind = entry.load_for(owner)
        if isinstance(kind, type) and vars(kind).get("name") != entry.name:
            raise ConfigurationError(
                f"{owner}: {entry.value} must have the name {entry.name!r} of its entry point"
            )
        require_network(kind, owner)
        return kind
