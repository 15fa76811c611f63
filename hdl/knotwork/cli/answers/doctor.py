"""Answer of `doctor`: tools and caches, as each root reports them."""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass

from ...entry_points import EntryPoint, entry_points
from ...wording import entry_named
from .. import output
from ..checkup import Cache, Finding


@dataclass(frozen=True)
class Checkup:
    """Everything that was found.

    Members
    -------
    tools : list of Finding
        Tools, missing ones included.
    caches : list of Cache
        Folders of what is kept.
    """

    tools: list[Finding]
    caches: list[Cache]

    @property
    def missing(self) -> list[Finding]:
        """Tools that are needed and not there."""
        return [each for each in self.tools if each.needed and each.version is None]

    def as_json(self) -> dict[str, object]:
        """Facts by the names that `doctor` promises."""
        return {
            "ok": not self.missing,
            "tools": [asdict(each) for each in self.tools],
            "caches": [
                {"name": each.name, "files": each.files, "bytes": each.size} for each in self.caches
            ],
            "missing": [each.name for each in self.missing],
        }


def examine_roots(names: Sequence[str]) -> Checkup:
    """Findings of these roots, of all if none are named.

    Raises
    ------
    ConfigurationError
        No root has that name.
    """
    entries = {entry.name: entry for entry in entry_points(group="knotwork.doctor")}
    requested = [entry_named(entries, "doctor: ROOT", name) for name in names]
    chosen = [entry for entry in entries.values() if not requested or entry in requested]
    found = [each for entry in chosen for each in _examine(entry)]
    return Checkup(
        tools=[each for each in found if isinstance(each, Finding)],
        caches=[each for each in found if isinstance(each, Cache)],
    )


def _examine(entry: EntryPoint) -> Iterator[Finding | Cache]:
    """Findings of one root; that it cannot be imported is one too."""
    try:
        yield from entry.load()()
    except ImportError as error:
        yield Finding(
            name=entry.value,
            purpose=f"part {entry.name} of Knotwork: {error}",
            needed=True,
            version=None,
            place=None,
            remedy="make setup, or pip install . in the clone",
        )


def print_checkup(checkup: Checkup) -> None:
    """Print tables of tools and caches, and what to do about what is missing."""
    rows = [
        (
            each.name,
            each.version or ("MISSING" if each.needed else "none, optional"),
            each.purpose,
            each.place,
        )
        for each in checkup.tools
    ]
    output.table("Tools", ("tool", "version", "for", "where"), rows)
    if checkup.caches:
        sizes = [(each.name, f"{each.size / 1e6:.1f} MB", each.files) for each in checkup.caches]
        output.table("Caches", ("cache", "size", "files, which may be removed"), sizes)
    for each in checkup.tools:
        if each.version is None:
            kind = "missing" if each.needed else "optional"
            output.paragraph(f"{each.name} is {kind} ({each.purpose}): {each.remedy}")
    if not checkup.missing:
        output.paragraph("Nothing is missing that Knotwork needs.")
