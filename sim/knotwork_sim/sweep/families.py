"""Families of networks: those that a word with a range in one key names."""

import re
from dataclasses import dataclass

from knotwork.errors import ConfigurationError
from knotwork.network import Network
from knotwork.wording import not_one_of

_SPAN = re.compile(r"(?<![^,])([a-z_]+)=([0-9]{1,9})-([0-9]{1,9})(?![^,])")


@dataclass(frozen=True)
class Family:
    """Networks that differ in one key, for which a word gives a range.

    Members
    -------
    label : str
        Topology and keys as the user named them, without the range: ``lcan d=2, u=2``.
    parameters : dict
        Parameters of the networks; the key with a range has the range as its value.
    networks : tuple of Network
        In the order of the range; one network if there is no range.
    """

    label: str
    parameters: dict[str, object]
    networks: tuple[Network, ...]

    @classmethod
    def from_word(cls, word: str) -> "Family":
        """Networks of ``lcan:d=2,u=2,levels=2-10``.

        Raises
        ------
        ConfigurationError
            Two ranges, an empty range, a range of a key that the topology does not have, or words
            that describe no network.
        """
        name, _, keys = word.partition(":")
        spans = list(_SPAN.finditer(keys))
        named = [each for each in keys.split(",") if not _SPAN.fullmatch(each)]
        label = f"{name} {', '.join(named)}".rstrip()
        if not spans:
            network = Network.from_word(word)
            return cls(label, network.parameters, (network,))
        if len(spans) > 1:
            raise ConfigurationError(
                f"sweep: one key must be a range, not {' and '.join(span[0] for span in spans)}"
            )
        (span,) = spans
        key, first, last = span[1], int(span[2]), int(span[3])
        if first > last:
            raise ConfigurationError(
                f"sweep: {key} must be a range FIRST-LAST that is not empty, not {first}-{last}"
            )
        before, after = f"{name}:{keys[: span.start()]}{key}=", keys[span.end() :]
        smallest = Network.from_word(f"{before}{first}{after}")
        known = smallest.topology.keys()
        if key not in known:
            raise ConfigurationError(not_one_of("sweep: a key with a range", known, key))
        larger = (
            Network.from_word(f"{before}{value}{after}") for value in range(first + 1, last + 1)
        )
        parameters: dict[str, object] = {**smallest.parameters, key: f"{first}-{last}"}
        return cls(label, parameters, (smallest, *larger))
