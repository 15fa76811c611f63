"""What a plane's flits carry for streams whose nodes have widths of their own."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import gcd

from knotwork.errors import ConfigurationError

BYTE = 8
"""Bits of a unit where beats have `tkeep`."""


@dataclass(frozen=True, kw_only=True)
class Payload:
    """Fields of a flit's data: `data`, then `absent`, then `user`, lowest first.

    A packet is a row of units. All its flits but the last are full; the last one says how many of
    its highest units are absent. A unit is a byte where beats have ``tkeep``, and otherwise the
    greatest common divisor of all widths, so that every node's beats are whole units. Where a unit
    is a flit, nothing can be absent, and the field has no bits.

    Parameters
    ----------
    data_width : int
        Bits of `data`: the network's `data_width`.
    unit : int
        Bits of a unit, a divisor of `data_width`.
    keep : bool
        Beats have ``tkeep``; a last beat may then have no byte at all.
    user_width : int
        Bits of `user`: what a sender gives with a packet's first beat.
    """

    data_width: int
    unit: int
    keep: bool = False
    user_width: int = 0

    @classmethod
    def of(
        cls, data_width: int, widths: Iterable[int], *, keep: bool = False, user_width: int = 0
    ) -> "Payload":
        """Payload that serves nodes of these widths.

        Raises
        ------
        ConfigurationError
            A width neither divides `data_width` nor is a multiple of it, or has broken bytes.
        """
        unit = data_width
        for width in widths:
            if width % data_width and data_width % width:
                raise ConfigurationError(
                    f"node: width must divide the network's data_width of {data_width}, or be a "
                    f"multiple of it, not {width}"
                )
            unit = gcd(unit, width)
        if keep and unit % BYTE:
            raise ConfigurationError(
                f"node: widths with keep=yes must be whole bytes, not {unit} bits"
            )
        return cls(
            data_width=data_width, unit=BYTE if keep else unit, keep=keep, user_width=user_width
        )

    @property
    def units(self) -> int:
        """Units of a flit."""
        return self.data_width // self.unit

    @property
    def absent_width(self) -> int:
        """Bits of `absent` in a flit."""
        return self.absent_bits(self.data_width)

    @property
    def width(self) -> int:
        """Bits of the whole: the plane's `data_width`."""
        return self.data_width + self.absent_width + self.user_width

    @property
    def fields(self) -> dict[str, int]:
        """Bits of each field, lowest first; fields of no bits are left out."""
        all_fields = {
            "data": self.data_width,
            "absent": self.absent_width,
            "user": self.user_width,
        }
        return {name: bits for name, bits in all_fields.items() if bits}

    def absent_bits(self, width: int) -> int:
        """Bits that tell how many units of a beat this wide are absent: all only with `keep`."""
        most = width // self.unit - (not self.keep)
        return most.bit_length()

    def flits(self, units: int) -> int:
        """Flits of a packet of so many units; one without any still takes one."""
        return max(1, -(-units // self.units))

    def is_plain(self, width: int) -> bool:
        """Whether a node this wide needs no adapter: its beats are the plane's."""
        return width == self.width == self.data_width
