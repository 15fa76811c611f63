"""Nodes that are strings of digits, and their addresses."""

from abc import abstractmethod
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate

from .base import Topology


@dataclass(frozen=True, kw_only=True)
class DigitAddresses(Topology):
    """Network whose nodes are strings of digits, each in separate bits of the address.

    A node's index is the value of its digits in their mixed radix. A subclass gives `radices`.
    """

    @property
    @abstractmethod
    def radices(self) -> tuple[int, ...]:
        """Radix of each digit, the lowest first."""

    @cached_property
    def digit_offsets(self) -> tuple[int, ...]:
        """Lowest bit of each digit in an address, and above them the bits of all."""
        widths = [(radix - 1).bit_length() for radix in self.radices]
        return tuple(accumulate(widths, initial=0))

    @property
    def address_width(self) -> int:
        """Bits of all digits."""
        return self.digit_offsets[-1]

    def digits_of(self, node: int) -> list[int]:
        """Digits of a node, the lowest first."""
        digits = []
        for radix in self.radices:
            node, digit = divmod(node, radix)
            digits.append(digit)
        return digits

    def address(self, node: int) -> int:
        """Digits of a node, each in separate bits; its index if all radices are powers of two."""
        places = self.digit_offsets[:-1]
        return sum(d << place for d, place in zip(self.digits_of(node), places, strict=True))

    def node_at(self, address: int) -> int | None:
        """Node whose digits these are; None where one is too large."""
        node, weight = 0, 1
        for level, place in enumerate(self.digit_offsets[:-1]):
            digit = address >> place & (1 << self.digit_offsets[level + 1] - place) - 1
            if digit >= self.radices[level]:
                return None
            node += digit * weight
            weight *= self.radices[level]
        return node if address >> self.address_width == 0 else None

    def label(self, node: int) -> str:
        """Digits of a node, the highest first: ``012``."""
        separator = "" if max(self.radices) <= 10 else "_"
        return separator.join(map(str, reversed(self.digits_of(node))))
