"""Networks packed for worker processes, with the classes that a user wrote for them.

A worker, here or on a cluster, does not import the user's files: the classes travel with the
network.
"""

import hashlib
import pickle
import sys
from collections import ChainMap
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import cached_property, lru_cache
from io import BytesIO
from types import ModuleType
from typing import Any, cast

import cloudpickle
import numpy as np

from .network import Network


def packed(network: Network) -> bytes:
    """Network as bytes that `unpacked` makes it from, in any process that has Knotwork."""
    with ExitStack() as stack:
        for name in {kind.__module__ for kind in network.user_defined_classes} - {"__main__"}:
            stack.enter_context(_by_value(sys.modules[name]))
        data = BytesIO()
        _Pickler(data).dump(network)
        return data.getvalue()


def _rebuild_cached_property(function: Callable[[Any], Any], name: str) -> cached_property:
    rebuilt = cached_property(function)
    rebuilt.__set_name__(object, name)
    return rebuilt


def _reduce_cached_property(lazy: cached_property) -> tuple[object, ...]:
    return _rebuild_cached_property, (lazy.func, lazy.attrname)


class _Pickler(cloudpickle.Pickler):
    """Pickler that takes cached properties, which hold a lock up to Python 3.11."""

    dispatch_table: Any = ChainMap(
        {cached_property: _reduce_cached_property},
        cast("dict[type, Any]", cloudpickle.Pickler.dispatch_table),
    )


@contextmanager
def _by_value(module: ModuleType) -> Iterator[None]:
    """Send what a module defines itself, not its name."""
    if module.__name__ in cloudpickle.list_registry_pickle_by_value():
        yield
        return
    cloudpickle.register_pickle_by_value(module)
    try:
        yield
    finally:
        cloudpickle.unregister_pickle_by_value(module)


@lru_cache(maxsize=4)
def unpacked(data: bytes) -> Any:
    """Network of a worker's points, unpacked once."""
    return pickle.loads(data)


def user_code_digest(network: Network) -> str:
    """Digest of a user's classes or tables for a network; empty where there are none.

    A kept result is good only for the same links and rule.
    """
    if not network.user_defined_classes and network.routing.is_trusted:
        return ""
    topology, rule = network.topology, network.routing.checked_rule
    digest = hashlib.sha256()
    written = network.routing.written_numbers
    for array in (topology.neighbours, topology.peer_ports, rule.parameters, written):
        digest.update(np.ascontiguousarray(array).tobytes())
    code = getattr(rule.rule, "__code__", None)
    digest.update(code.co_code if code is not None else b"")
    return digest.hexdigest()
