"""Collectives' messages as beats of AXI4-Stream: for drivers, testbenches and programs.

Plain Python without a simulator: `CollectiveMessages` encodes what a node sends, as the signals of
each beat, and decodes what it receives.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from ..errors import ConfigurationError
from ..files import read_json
from ..operations import PREFIX, find_operation
from .collectives import REDUCING, Collective, MessageFormat, Operation


class SentBeat(NamedTuple):
    """Beat that a node sends: signals of ``s_axis_<name>_<i>`` beside the handshake."""

    tdata: int
    tlast: bool
    tdest: int
    tuser: int


class ReceivedBeat(NamedTuple):
    """Beat that a node receives: signals of ``m_axis_<name>_<i>`` beside the handshake."""

    tdata: int
    tlast: bool
    tid: int
    tuser: int


class Answer(NamedTuple):
    """Message that a node has received.

    Members
    -------
    kind : Collective
        What it answers.
    operation : str
        Operation of a reduction; empty otherwise.
    node : int
        Root of `REDUCE` and `GATHER`, sender from `BROADCAST` on; 0 otherwise.
    data : tuple of int
        Beats; none of a barrier.
    parts : dict of int to tuple of int
        Beats of each member, by its node, of a `GATHER`; empty otherwise.
    fault : bool
        The members' messages differed, or the message was too short or too long.
    """

    kind: Collective
    operation: str
    node: int
    data: tuple[int, ...]
    parts: dict[int, tuple[int, ...]]
    fault: bool


@dataclass(frozen=True)
class CollectiveMessages:
    """Messages of a group: what its members send as beats, and what they receive.

    Data are beats, each a number of `form.width` bits; `pack` and `unpack` convert elements.

    Parameters
    ----------
    order : tuple of int
        Nodes of the group in the tree's order, `CollectiveTree.order`.
    form : MessageFormat
        Widths and operations.

    Raises
    ------
    ConfigurationError
        Of all that encodes: no member, no operation, no data, or a number that does not fit.
    """

    order: tuple[int, ...]
    form: MessageFormat

    @classmethod
    def from_manifest(cls, manifest: str | Path, name: str | None = None) -> "CollectiveMessages":
        """Messages of a group of a network or a system.

        Parameters
        ----------
        manifest : str or Path
            ``manifest.json``, as ``knotwork generate`` writes it.
        name : str, optional
            Group, as its ports are named, `collective1` say; needed where there are several.

        Raises
        ------
        ConfigurationError
            A manifest without this group.
        """
        content = read_json(Path(manifest))
        groups: list[Mapping[str, Any]] = (
            content.get("collectives", []) if isinstance(content, dict) else []
        )
        names = [str(group["name"]) for group in groups]
        if name is None and len(groups) == 1:
            name = names[0]
        if name not in names:
            known = ", ".join(names) or "none"
            raise ConfigurationError(
                f"{manifest}: a group of collectives must be one of it, {known}, not {name}"
            )
        return cls.of_group(groups[names.index(name)])

    @classmethod
    def of_group(cls, group: Mapping[str, Any]) -> "CollectiveMessages":
        """Messages of a group, an entry of ``collectives`` in a manifest."""
        operations = tuple(
            Operation(
                one["name"],
                one["element_width"],
                one["signed"],
                find_operation(one["name"].removeprefix(PREFIX)) if "latency" in one else None,
            )
            for one in group["operations"]
        )
        form = MessageFormat(group["nodes"], group["width"], operations)
        return cls(tuple(group["order"]), form)

    @property
    def operations(self) -> tuple[str, ...]:
        """Words of the operations, by their place in a header."""
        return tuple(map(operation_word, self.form.operations))

    def barrier(self) -> list[SentBeat]:
        """Wait for all members."""
        return self._beats(Collective.BARRIER, [0])

    def all_reduce(self, values: Sequence[int], operation: str | None = None) -> list[SentBeat]:
        """Combine the vectors of all members, for all; the first operation if unnamed."""
        return self._beats(Collective.ALL_REDUCE, values, operation=operation)

    def reduce(
        self, values: Sequence[int], root: int, operation: str | None = None
    ) -> list[SentBeat]:
        """Combine the vectors of all members, for one; the first operation if unnamed."""
        self._require_member(root)
        return self._beats(Collective.REDUCE, values, root=root, operation=operation)

    def gather(self, values: Sequence[int], root: int) -> list[SentBeat]:
        """Collect the vectors of all members at one."""
        self._require_member(root)
        return self._beats(Collective.GATHER, values, root=root)

    def broadcast(self, values: Sequence[int]) -> list[SentBeat]:
        """Send a vector to all members, the sender too."""
        return self._beats(Collective.BROADCAST, values)

    def multicast(self, nodes: Iterable[int], values: Sequence[int]) -> list[SentBeat]:
        """Send a vector to some members."""
        mask, form = 0, self.form
        for node in nodes:
            self._require_member(node)
            mask |= 1 << node
        head = [mask >> form.width * beat & self._most for beat in range(form.mask_beats)]
        self._require_data(values)
        return self._beats(Collective.MULTICAST, [*head, *values])

    def scatter(self, parts: Mapping[int, Sequence[int]]) -> list[SentBeat]:
        """Send each member a vector of its own, all by their nodes."""
        if set(parts) != set(self.order):
            raise ConfigurationError(
                f"collectives: a scatter must have a part for each of the nodes "
                f"{_listed(sorted(self.order))}, not for {_listed(sorted(parts))}"
            )
        data: list[int] = []
        ends: set[int] = set()
        for node in self.order:
            self._require_data(parts[node])
            data += parts[node]
            ends.add(len(data) - 1)
        return self._beats(Collective.SCATTER, data, ends=ends)

    def tuser(self, kind: Collective, operation: int = 0, *, part: bool = False) -> int:
        """`tuser` of a beat, with the place of an operation."""
        places = self.form.user_places
        return (
            int(part) << places["part"][0]
            | kind << places["kind"][0]
            | operation << places["operation"][0]
        )

    def user_field(self, tuser: int, field: str) -> int:
        """Field of a `tuser`, of `MessageFormat.user_places`."""
        low, bits = self.form.user_places[field]
        return tuser >> low & ((1 << bits) - 1)

    def decode(self, beats: Sequence[ReceivedBeat]) -> Answer:
        """Message of beats, of which the last has `tlast`."""
        user, node = beats[0].tuser, beats[0].tid
        kind = Collective(self.user_field(user, "kind"))
        operation, parts = "", {}
        if kind in REDUCING:
            operation = self.operations[self.user_field(user, "operation")]
        data = () if kind == Collective.BARRIER else tuple(beat.tdata for beat in beats)
        if kind == Collective.GATHER:
            parts = dict(zip(self.order, self._split(beats), strict=False))
        return Answer(
            kind, operation, node, data, parts, bool(self.user_field(beats[-1].tuser, "fault"))
        )

    def pack(self, elements: Sequence[int], element_width: int) -> list[int]:
        """Elements as beats, the first one lowest; the last beat is filled up with zeros."""
        per_beat, most = self.form.width // element_width, (1 << element_width) - 1
        return [
            sum(
                (element & most) << element_width * place
                for place, element in enumerate(elements[first : first + per_beat])
            )
            for first in range(0, len(elements), per_beat)
        ]

    def unpack(
        self, beats: Sequence[int], element_width: int, *, signed: bool = False
    ) -> list[int]:
        """Elements of beats."""
        most, half = (1 << element_width) - 1, 1 << (element_width - 1)
        elements = [
            beat >> low & most for beat in beats for low in range(0, self.form.width, element_width)
        ]
        return [(element ^ half) - half for element in elements] if signed else elements

    @property
    def _most(self) -> int:
        return (1 << self.form.width) - 1

    def _split(self, beats: Sequence[ReceivedBeat]) -> list[tuple[int, ...]]:
        """Data of beats, divided behind those that end a part."""
        parts: list[tuple[int, ...]] = []
        begun: list[int] = []
        for beat in beats:
            begun.append(beat.tdata)
            if self.user_field(beat.tuser, "part"):
                parts.append(tuple(begun))
                begun = []
        return parts

    def _beats(
        self,
        kind: Collective,
        data: Sequence[int],
        *,
        root: int = 0,
        operation: str | None = None,
        ends: Iterable[int] = (),
    ) -> list[SentBeat]:
        self._require_data(data)
        place = 0 if operation is None else self._place(operation)
        return [
            SentBeat(
                value,
                number == len(data) - 1,
                root,
                self.tuser(kind, place, part=number in ends),
            )
            for number, value in enumerate(data)
        ]

    def _place(self, operation: str) -> int:
        if operation not in self.operations:
            raise ConfigurationError(
                f"collectives: an operation must be one of {', '.join(self.operations)}, "
                f"not {operation}"
            )
        return self.operations.index(operation)

    def _require_member(self, node: int) -> None:
        if node not in self.order:
            raise ConfigurationError(
                f"collectives: a node must be a member of the group, one of "
                f"{_listed(sorted(self.order))}, not {node}"
            )

    def _require_data(self, data: Sequence[int]) -> None:
        if not data:
            raise ConfigurationError("collectives: a message must have 1 beat or more, not 0")
        for value in data:
            if not 0 <= value <= self._most:
                raise ConfigurationError(
                    f"collectives: a beat must be an integer of {self.form.width} bits, not {value}"
                )


def operation_word(operation: Operation) -> str:
    """Word of an operation: its name, and whether its elements are signed, where that matters."""
    is_ordered = operation.name in ("min", "max")
    return f"signed_{operation.name}" if operation.signed and is_ordered else operation.name


def _listed(nodes: Sequence[int]) -> str:
    return ", ".join(map(str, nodes)) or "none"
