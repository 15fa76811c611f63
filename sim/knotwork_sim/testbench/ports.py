"""Ports of a network in a simulation, bound to its manifest wherever the network stands."""

from dataclasses import dataclass
from typing import Any

from knotwork.emit.ports import STATUS_PORT, has_config
from knotwork.errors import ConfigurationError

from .manifest import Manifest


@dataclass(frozen=True)
class Stream:
    """Handles of one AXI4-Stream.

    Members
    -------
    prefix : str
        What its signals' names begin with.
    tvalid, tready, tlast, tdata : handle
        Signals that every stream has.
    tdest, tid, tuser : handle or None
        Signals that only some have.
    """

    prefix: str
    tvalid: Any
    tready: Any
    tlast: Any
    tdata: Any
    tdest: Any = None
    tid: Any = None
    tuser: Any = None

    @classmethod
    def of(cls, scope: Any, prefix: str) -> "Stream":
        """Stream of a scope, all of whose ports are known to be there."""
        signals = [name for name in cls.__dataclass_fields__ if name != "prefix"]
        handles = {name: getattr(scope, f"{prefix}_{name}", None) for name in signals}
        return cls(prefix, **handles)


@dataclass(frozen=True)
class Ports:
    """Handles of all ports of a network.

    Members
    -------
    scope : handle
        Instance of the network.
    clock, reset : handle
        Clock and reset.
    inject, eject : tuple of Stream
        Streams by which each node sends and receives.
    refused : tuple of handle
        Port of each node that reports a refused packet.
    config : Stream or None
        Stream by which a network of batches gets its table.
    status : handle or None
        What became of its last batch.
    """

    scope: Any
    clock: Any
    reset: Any
    inject: tuple[Stream, ...]
    eject: tuple[Stream, ...]
    refused: tuple[Any, ...]
    config: Stream | None = None
    status: Any = None


def bind(scope: Any, manifest: Manifest) -> Ports:
    """Ports of the instance of a network that `scope` is: the top of a design, or a part of it.

    Raises
    ------
    ConfigurationError
        A port that is missing or has other bits than the manifest says, or a node that it does not
        name.
    """
    path = scope._path
    for name, width in manifest.ports():
        handle = getattr(scope, name, None)
        if handle is None:
            raise ConfigurationError(
                f"{path}: must have the port {name}, which {manifest.where} names"
            )
        if len(handle) != width:
            raise ConfigurationError(
                f"{path}.{name}: must have {width} bits, as {manifest.where} says, "
                f"not {len(handle)}"
            )
    content = manifest.content
    nodes = content["nodes"]
    following = f"s_axis_{len(nodes)}_tvalid"
    if hasattr(scope, following):
        raise ConfigurationError(
            f"{manifest.where}: must name node {len(nodes)}, as {path} has the port {following}"
        )
    configured = has_config(manifest.network)
    return Ports(
        scope=scope,
        clock=getattr(scope, content["clock"]["port"]),
        reset=getattr(scope, content["reset"]["port"]),
        inject=tuple(Stream.of(scope, node["inject"]) for node in nodes),
        eject=tuple(Stream.of(scope, node["eject"]) for node in nodes),
        refused=tuple(getattr(scope, node["refused"]) for node in nodes),
        config=Stream.of(scope, content["config"]["stream"]) if configured else None,
        status=getattr(scope, STATUS_PORT) if configured else None,
    )


def signal_value(handle: Any, cycle: int) -> int:
    """Value of a signal; 0 where there is none.

    Raises
    ------
    AssertionError
        A value that is not known.
    """
    if handle is None:
        return 0
    value = handle.value
    try:
        return int(value)
    except ValueError:
        raise AssertionError(
            f"cycle {cycle}: {handle._path} must be known, and is {value}"
        ) from None
