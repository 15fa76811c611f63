"""Keys of the memory-mapped buses of a system."""

from dataclasses import dataclass
from typing import ClassVar

from knotwork.errors import ConfigurationError
from knotwork.parameters import Integer, Parameters, parameter

BUS_TITLES = {"axi4": "AXI4", "axi_lite": "AXI4-Lite", "wishbone": "Wishbone", "apb": "APB"}
"""Names of the memory-mapped buses, for people, by the value of a node's key `bus`."""

BUS_DATA_WIDTHS = {
    "axi4": (8, 16, 32, 64, 128, 256, 512, 1024),
    "axi_lite": (32, 64),
    "wishbone": (8, 16, 32, 64),
    "apb": (8, 16, 32),
}
"""Bits of data that the standard of each bus has."""


@dataclass(frozen=True, kw_only=True)
class BusParameters(Parameters):
    """Widths and limits that all memory-mapped nodes of a system share.

    Parameters
    ----------
    address_width : int
        Bits of an address, 12..64; addresses are of bytes.
    data_width : int
        Bits of a beat's data, 8..1024, a power of two.
    id_width : int
        Bits of an initiator's transaction identifiers, 1..8.
    burst : int
        Longest burst in beats, 1..256; a longer one is answered with an error.
    outstanding : int
        Transactions of each direction, reads and writes, that may be under way at a node, 1..64.
    timeout : int
        Cycles of the network's clock after which a target that does not answer is answered for,
        16..65535.
    """

    name: ClassVar[str] = "bus"

    address_width: int = parameter(Integer(12, 64), help="bits of a byte's address", default=32)
    data_width: int = parameter(Integer(8, 1024), help="bits of a beat's data", default=32)
    id_width: int = parameter(Integer(1, 8), help="bits of a transaction's identifier", default=4)
    burst: int = parameter(Integer(1, 256), help="beats of the longest burst", default=256)
    outstanding: int = parameter(
        Integer(1, 64), help="reads, and writes, under way at a node", default=8
    )
    timeout: int = parameter(
        Integer(16, 65535), help="cycles until a silent target is answered for", default=1024
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.data_width & self.data_width - 1:
            raise ConfigurationError(
                f"bus: data_width must be a power of two, not {self.data_width}"
            )

    @property
    def data_bytes(self) -> int:
        """Bytes of a beat."""
        return self.data_width // 8

    @property
    def beat_widths(self) -> dict[str, int]:
        """Bits of a beat in a packet: of a write with its strobes, of a read with its outcome."""
        return {"write": self.data_width + self.data_bytes, "read": self.data_width + 2}


def require_data_width(name: str, bus: BusParameters) -> None:
    """Refuse a width of data that the standard of a bus does not have.

    Parameters
    ----------
    name : str
        Value of a node's key `bus`: ``axi4``, ``axi_lite``, ``wishbone`` or ``apb``.
    bus : BusParameters
        Widths and limits.

    Raises
    ------
    ConfigurationError
        Its widths, and the one asked for.
    """
    if bus.data_width not in BUS_DATA_WIDTHS[name]:
        *others, last = BUS_DATA_WIDTHS[name]
        widths = f"{', '.join(map(str, others))} or {last}"
        raise ConfigurationError(
            f"bus: data_width must be {widths} for {BUS_TITLES[name]}, not {bus.data_width}"
        )
