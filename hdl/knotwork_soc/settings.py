"""Keys of a whole system."""

from dataclasses import dataclass
from typing import ClassVar

from knotwork.parameters import YES_NO, Choice, Integer, Parameters, parameter


@dataclass(frozen=True, kw_only=True)
class SystemParameters(Parameters):
    """What all nodes of a system share.

    Parameters
    ----------
    keep : bool
        Give streams ``tkeep``: packets of any number of bytes.
    user_width : int
        Bits of ``tuser`` that a packet carries from its sender to its receiver, 0..256.
    reset : str
        ``high``: the port ``rst`` is active high; ``low``: ``rst_n`` is active low.
    reset_style : str
        ``synchronous`` to each port's clock; or ``asynchronous``: a reset begins at any time,
        however short, also while the clock stands still, and ends at edges of the clock.
    """

    name: ClassVar[str] = "system"

    keep: bool = parameter(YES_NO, help="streams have tkeep", default=False)
    user_width: int = parameter(Integer(0, 256), help="bits of tuser per packet", default=0)
    reset: str = parameter(
        Choice(("high", "low")), help="level at which resets are active", default="high"
    )
    reset_style: str = parameter(
        Choice(("synchronous", "asynchronous")), help="when resets may begin", default="synchronous"
    )

    @property
    def is_reset_asynchronous(self) -> bool:
        """Whether resets begin at any time."""
        return self.reset_style == "asynchronous"

    @property
    def is_reset_low(self) -> bool:
        """Whether resets are active low."""
        return self.reset == "low"
