"""Access to members of a user's topology: any failure becomes one line."""

import operator
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from ..errors import ConfigurationError, KnotworkError
from ..topology import Topology


class MemberCheck:
    """Part of the check of one topology; subclasses check.

    Parameters
    ----------
    topology : Topology
        A user's.
    """

    def __init__(self, topology: Topology) -> None:
        self.topology, self.name = topology, topology.name

    def refuse(self, what: str, rule: str, value: object) -> ConfigurationError:
        """Error's line: the thing, the rule, the value."""
        return ConfigurationError(f"{self.name}: {what} must {rule}, not {value}")

    def port_at(self, router: int, port: int) -> str:
        """Start of a line about a port."""
        return f"router {router}, port {self.topology.ports[port]}:"

    @contextmanager
    def computing(self, what: str) -> Iterator[None]:
        """Refuse a member that cannot be computed."""
        try:
            yield
        except (KnotworkError, KeyboardInterrupt):
            raise
        except BaseException as error:  # SystemExit too: it is the user's code
            fault = " ".join(f"{type(error).__name__}: {error}".split()).rstrip(": ")
            raise self.refuse(what, "be computed", f"raise {fault}") from None

    def integer(self, what: str, get: Callable[[], Any], low: int, high: int) -> int:
        """Integer that a member gives, in a range."""
        with self.computing(what):
            value = get()
        try:
            number = operator.index(value)
        except TypeError:
            number = low - 1
        if not low <= number <= high or isinstance(value, bool):
            raise self.refuse(what, f"be an integer in {low}..{high}", abbreviate(value))
        return number


def declared_name(kind: type) -> object:
    """Name that a class gives itself or inherits; None without one."""
    return next((vars(each)["name"] for each in kind.__mro__ if "name" in vars(each)), None)


def find_duplicate(names: Sequence[str]) -> str | None:
    """First name that occurs twice."""
    seen: set[str] = set()
    for name in names:
        if name in seen:
            return name
        seen.add(name)
    return None


def abbreviate(value: object) -> str:
    """Value for an error's line."""
    try:
        text = " ".join(repr(value).split())
    except Exception:
        return type(value).__name__
    return text if len(text) <= 60 else type(value).__name__
