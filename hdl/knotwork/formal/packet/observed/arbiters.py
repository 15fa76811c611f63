"""Round-robin arbiters of a node's interface."""

from amaranth.hdl import Signal, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ...harness import Harness


class Arbiter:
    """Round-robin arbiter (`gateware.parts.arbiter`).

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    path : str
        Its place in the router.
    requesters : int
        How many can request.

    Members
    -------
    grant : Signal
        One-hot: the requester that is served.
    last : Signal
        One-hot: the requester that was served last.
    hold : Signal
        The last requester is still served.
    """

    def __init__(self, harness: Harness, path: str, requesters: int) -> None:
        self.requesters = requesters
        self.grant: Signal = harness.inside(f"{path}.grant", requesters)
        self.hold: Signal = harness.inside(f"{path}.hold")
        self.last: Signal = harness.inside(f"{path}.last", requesters)

    def is_consistent(self) -> Value:
        """Whether its registers have values that it can give them."""
        return self.last.any() & is_one_hot_or_zero(self.last)
