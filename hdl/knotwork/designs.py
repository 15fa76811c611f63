"""What the words of a command line name: a network, or what another package makes of one.

A package that knows more keys than those of networks names them in the entry-point group
``knotwork.designs``: each entry is a key, or the head of dotted keys, and the subclass of `Design`
that reads words with such keys. Words without any do not load it.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar, Self

from .entry_points import EntryPoint, entry_points
from .network import Network
from .network_words import network_word, network_words

if TYPE_CHECKING:
    from .emit.package import Files
    from .routing import DeadlockReport

GROUP = "knotwork.designs"


class Design:
    """A network as verbs take it: its name, its deadlock check, its facts and its files.

    Parameters
    ----------
    network : Network
        Network that is described, checked, generated.

    Members
    -------
    keys : sequence of str
        Keys that the class reads beside those of networks, as errors name them.
    """

    keys: ClassVar[Sequence[str]] = ()

    def __init__(self, network: Network) -> None:
        self.network = network

    @classmethod
    def from_texts(
        cls, name: str, texts: Mapping[str, object], *, beside: Iterable[str] = ()
    ) -> Self:
        """Design of a network's name and ``{key: text}``, as `Network.from_texts` takes them."""
        return cls(Network.from_texts(name, dict(texts), beside=beside))

    @property
    def name(self) -> str:
        """Name of the top module."""
        return self.network.name

    @property
    def is_plain(self) -> bool:
        """Whether it is its network and nothing else."""
        return True

    @property
    def deadlock_report(self) -> "DeadlockReport":
        """Outcome of the deadlock check."""
        return self.network.deadlock_report

    def require_deadlock_free(self) -> None:
        """Refuse a design that failed its deadlock check; see `Network.require_deadlock_free`."""
        self.network.require_deadlock_free()

    def bare_network(self) -> Network:
        """Network for verbs that take nothing else; a line on stderr says what is left out."""
        return self.network

    def facts(self) -> dict[str, object]:
        """Facts beside those of the network, by name."""
        return {}

    def print_facts(self) -> None:
        """Print `facts` as tables."""

    def advice(self) -> Sequence[str]:
        """Lines that users should read before files are written."""
        return ()

    def files(
        self,
        *,
        keep_hierarchy: bool = False,
        testbench: bool = False,
        flows: Sequence[str] = (),
        hints: bool = False,
        split: bool = False,
    ) -> "Files":
        """Files that ``generate`` writes, as `emit.package.network_files` makes them."""
        from .emit.package import network_files

        return network_files(
            self.network,
            keep_hierarchy=keep_hierarchy,
            testbench=testbench,
            flows=flows,
            hints=hints,
            split=split,
        )


def design_from_texts(
    name: str, texts: Mapping[str, object], *, beside: Iterable[str] = ()
) -> Design:
    """Design of a network's name and ``{key: text}``; the keys decide which class reads them.

    Parameters
    ----------
    name, texts, beside
        As of `Network.from_texts`.
    """
    entries = {entry.name: entry for entry in entry_points(group=GROUP)}
    entry = _reader(entries, texts)
    if entry is not None:
        return entry.load().from_texts(name, texts, beside=beside)
    return Design.from_texts(name, texts, beside=_known_beside(entries, beside))


def read_design(words: Sequence[str], *, beside: Iterable[str] = ()) -> Design:
    """Design that command-line words name, or a TOML file; see `Network.from_words`."""
    return design_from_texts(*network_words(words), beside=beside)


def read_network(words: Sequence[str], *, beside: Iterable[str] = ()) -> Network:
    """Network that words name; a line on stderr says what of their design is left out."""
    return read_design(words, beside=beside).bare_network()


def read_network_word(word: str) -> Network:
    """Network that one word names, ``mesh:x=2,y=2,data_width=64``."""
    return read_network(network_word(word))


def _reader(entries: Mapping[str, EntryPoint], texts: Mapping[str, object]) -> EntryPoint | None:
    """Entry of what reads these keys; None where they are a network's."""
    for key in texts:
        if (head := key.partition(".")[0]) in entries:
            return entries[head]
    if any("." in key or isinstance(text, dict) for key, text in texts.items()):
        return next(iter(entries.values()), None)  # which says what tables there are
    return None


def _known_beside(entries: Mapping[str, EntryPoint], beside: Iterable[str]) -> Iterator[str]:
    """Keys beside a network's; what reads them is loaded when an error names them."""
    for reader in dict.fromkeys(entry.load() for entry in entries.values()):
        yield from reader.keys
    yield from beside
