"""Keys of collectives: a tree of its own for every group of nodes, beside any network."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

from ..errors import ConfigurationError
from ..operations import (
    PREFIX,
    UserOperation,
    find_operation,
    known_operations,
    require_sound_operation,
    word_of,
)
from ..wording import not_one_of
from .base import Parameters, parameter
from .kinds import YES_NO, Choice, Integer, Kind

MOST_GROUPS = 8
"""Groups that a network may have."""
MOST_OPERATIONS = 16
"""Operations that its reductions may have."""

OPERATION_WORDS = ("sum", "min", "max", "signed_min", "signed_max", "and", "or", "xor")
"""Operations by name."""

ALL = "all"
"""Group of all nodes."""

_END = r"([0-9]{1,20}|@[A-Za-z0-9_.]+)"
_GROUP = re.compile(rf"{ALL}|{_END}(-{_END})?(,{_END}(-{_END})?)*")


@dataclass(frozen=True)
class NodeGroups(Kind):
    """Groups of nodes, written ``all/0-7,12``; a tuple of their texts."""

    most: int

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Notation of a group, and how many there may be."""
        return (
            f"1 to {self.most} groups separated by /, each all, or nodes and ranges A-B by number "
            f"or @label separated by commas"
        )

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of groups in this notation, whatever nodes there are."""
        return (
            isinstance(value, tuple)
            and 1 <= len(value) <= self.most
            and all(isinstance(group, str) and _GROUP.fullmatch(group) for group in value)
        )

    def parse(self, text: str) -> tuple[str, ...]:
        """Groups, without spaces between words."""
        value = tuple(re.sub(r"\s*([,/])\s*", r"\1", text.strip()).split("/"))
        if not self.accepts(value):
            raise ValueError(text)
        return value

    def read(self, value: object) -> object:
        """As for all kinds; in a list, as in a TOML file, a group is a text, a node, or a list."""
        if isinstance(value, list | tuple):
            return self.parse("/".join(map(_group_text, value)))
        return super().read(str(value) if isinstance(value, int) else value)

    def display(self, value: Any) -> str:
        """Groups as users write them."""
        return "/".join(value)

    def name_part(self, value: Any) -> str:
        """The same without strokes; labels are no part of an identifier, so a digest will stand."""
        text = self.display(value)
        if "@" in text:
            return text.replace(",", "+")
        return text.replace("/", "_and_").replace("-", "to")


def _group_text(group: object) -> str:
    return ",".join(map(str, group)) if isinstance(group, list | tuple) else str(group)


@dataclass(frozen=True)
class Operations(Kind):
    """Distinct operations, written ``sum,signed_max,user:<name>``.

    A tuple of names, and of classes of `UserOperation` where they are a user's.
    """

    most: int

    words = OPERATION_WORDS
    is_resolved = True

    @property
    def rule(self) -> str:  # pyright: ignore[reportIncompatibleVariableOverride]
        """Names, and how many there may be."""
        return (
            f"1 to {self.most} different ones of {', '.join(OPERATION_WORDS)}, or "
            f"{PREFIX}NAME of a plugin, separated by commas"
        )

    def accepts(self, value: object) -> bool:
        """Whether `value` is a tuple of operations, none of them twice."""
        return (
            isinstance(value, tuple)
            and 1 <= len(value) <= self.most
            and all(one in OPERATION_WORDS or _is_user_defined(one) for one in value)
            and len(set(value)) == len(value)
        )

    def parse(self, text: str) -> tuple[str | type[UserOperation], ...]:
        """Names between commas.

        Raises
        ------
        ConfigurationError
            An operation of the user's that no plugin defines.
        """
        return self._of(text.split(","))

    def read(self, value: object) -> object:
        """As for all kinds; a list, as in a TOML file, is read as its texts are; also classes."""
        if isinstance(value, list | tuple):
            return self._of(value)
        return self._of([value]) if isinstance(value, type) else super().read(value)

    def _of(self, named: Sequence[object]) -> tuple[str | type[UserOperation], ...]:
        value = tuple(
            one if isinstance(one, type) else _operation_named(str(one).strip()) for one in named
        )
        if not self.accepts(value):
            raise ValueError(named)
        return value

    def display(self, value: Any) -> str:
        """Names as users write them."""
        return ",".join(map(word_of, value))

    def name_part(self, value: Any) -> str:
        """Names without what marks a user's, which is no part of an identifier."""
        return self.display(value).replace(PREFIX, "")


def _is_user_defined(operation: object) -> bool:
    if not isinstance(operation, type) or not issubclass(operation, UserOperation):
        return False
    require_sound_operation(operation, "operations")
    if operation.name in OPERATION_WORDS:
        raise ConfigurationError(
            f"{word_of(operation)}: an operation's name must not be that of another one, as "
            f"{operation.name}"
        )
    return True


def _operation_named(word: str) -> str | type[UserOperation]:
    """Class of the user's that a word names, or the word."""
    if not word.startswith(PREFIX):
        return word
    found = find_operation(word.removeprefix(PREFIX))
    if found is None:
        known = [f"{PREFIX}{name}" for name in known_operations()]
        thing = "operations: an operation of your own"
        if not known:
            raise ConfigurationError(
                f"{thing} must be defined by a plugin, --plugin FILE.py, not be {word!r}"
            )
        raise ConfigurationError(not_one_of(thing, known, word))
    return found


@dataclass(frozen=True)
class Width(Choice):
    """One of a few widths."""

    def accepts(self, value: object) -> bool:
        """Whether `value` is an integer that one of the words spells."""
        return isinstance(value, int) and not isinstance(value, bool) and str(value) in self.words

    def parse(self, text: str) -> Any:
        """Integer that a word spells."""
        if text not in self.words:
            raise ValueError(text)
        return int(text)


@dataclass(frozen=True, kw_only=True)
class CollectiveParameters(Parameters):
    """Keys of collectives.

    Parameters
    ----------
    collectives : bool
        Lay a tree for every group of nodes, along the links but on wires of its own.
    collective_width : int or None
        Bits of a beat of a collective, 8..512; None, until resolved, for as many as a flit's.
    groups : tuple of str or None
        Groups of nodes, each with a tree and ports of its own; None, until resolved, for one of
        all nodes.
    operations : tuple of str and types of UserOperation, or None
        Operations of reductions; None, until resolved, for ``sum``.
    element_width : int or None
        Bits of an element that an operation takes; None, until resolved, for the largest of 32, 16
        and 8 that divides `collective_width`.
    collective_watchdog : int
        Report a member for whose message its group waits for this many cycles; 0 for no watchdog.
    """

    collectives: bool = parameter(
        YES_NO,
        help="a tree beside the network that sums, gathers and broadcasts over nodes",
        default=False,
        silent=True,
    )
    collective_width: int | None = parameter(
        Integer(8, 512),
        help="bits per beat of a collective (default: data_width)",
        default=None,
        silent=True,
    )
    groups: tuple[str, ...] | None = parameter(
        NodeGroups(MOST_GROUPS),
        help="groups of nodes that have a tree each, as in all/0-7,12 (default: all)",
        default=None,
        silent=True,
    )
    operations: tuple[str | type[UserOperation], ...] | None = parameter(
        Operations(MOST_OPERATIONS),
        help="what collectives combine by (default: sum)",
        default=None,
        silent=True,
    )
    element_width: int | None = parameter(
        Width(("8", "16", "32", "64")),
        help="bits of an element of a beat (default: the most of 32, 16, 8 that fit)",
        default=None,
        silent=True,
    )
    collective_watchdog: int = parameter(
        Integer(0, 2**32 - 1),
        help="report a node that its group awaits for this many cycles; 0 for no watchdog",
        default=0,
        silent=True,
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.collectives:
            for key, field in CollectiveParameters.keys().items():
                if (value := getattr(self, key)) != field.default:
                    shown = field.metadata["kind"].display(value)
                    raise ConfigurationError(
                        f"{self.name}: {key} must be used with collectives=yes, not alone as "
                        f"{shown}"
                    )

    def with_collectives(self, data_width: int) -> Self:
        """Same parameters with what follows from others, and from a flit's bits, filled in.

        Raises
        ------
        ConfigurationError
            Elements that do not fill a beat.
        """
        if not self.collectives:
            return self
        width = self.collective_width or data_width
        fitting = [bits for bits in (32, 16, 8) if width % bits == 0]
        if self.element_width is None and not fitting:
            raise ConfigurationError(
                f"{self.name}: collective_width must be a multiple of 8, the bits of an element, "
                f"not {width}"
            )
        element_width = self.element_width or fitting[0]
        if width % element_width:
            raise ConfigurationError(
                f"{self.name}: element_width must divide collective_width, {width}, not be "
                f"{element_width}"
            )
        return replace(
            self,
            collective_width=width,
            groups=self.groups or (ALL,),
            operations=self.operations or ("sum",),
            element_width=element_width,
        )


NO_COLLECTIVES: dict[str, object] = {
    key: field.default for key, field in CollectiveParameters.keys().items()
}
"""Values of all keys for a network without them."""
