"""Network within a system, for verbs that know no adapters."""

from collections.abc import Iterable, Sequence

from ..network import Network
from ..network_words import network_word
from ..progress import tell
from .system import System


def network_within(words: Sequence[str], *, beside: Iterable[str] = ()) -> Network:
    """Network of a system that words describe; a line on stderr says that the rest is left out.

    Parameters
    ----------
    words : sequence of str
        As of `System.from_words`.
    beside : iterable of str
        As of `Network.from_texts`.
    """
    system = System.from_words(words, beside=beside)
    if not system.is_plain:
        first, value = next(iter(system.told.items()))
        tell(f"{system.name}: the network alone, without its nodes' adapters ({first}={value} ...)")
    return system.network


def network_within_word(word: str) -> Network:
    """Network of a system that one word describes, ``mesh:x=2,y=2,node.width=64``."""
    return network_within(network_word(word))
