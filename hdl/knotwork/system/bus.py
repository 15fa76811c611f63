"""Keys of the memory-mapped buses of a system."""

from dataclasses import dataclass
from typing import ClassVar

from ..errors import ConfigurationError
from ..parameters import Integer, Parameters, parameter


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
