"""Identifiers of Verilog: none twice, none a keyword."""

import re

from ...parameters.identifier import KEYWORDS


class Names:
    """Identifiers of one module."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def take(self, name: str) -> str:
        """An identifier for a name: itself, or with a number behind it if it is taken."""
        name = identifier(name)
        found, number = name, 2
        while found in self._taken:
            found, number = f"{name}_{number}", number + 1
        self._taken.add(found)
        return found


def identifier(name: str) -> str:
    """Identifier for any name."""
    plain = re.sub(r"\W", "_", name.replace("$", "")) or "value"
    if plain[0].isdigit():
        plain = f"_{plain}"
    return f"{plain}_" if plain in KEYWORDS else plain
