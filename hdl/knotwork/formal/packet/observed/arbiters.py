"""Arbiters of a packet router: grants, owners of channels, and how long a requester waits."""

from abc import ABC, abstractmethod
from typing import ClassVar

from amaranth.hdl import Const, Signal, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....gateware.parts.crossbar import is_smaller_steered, steering
from ....network import Network
from ...harness import Harness


class Arbiter:
    """Round-robin arbiter.

    Parameters
    ----------
    harness : Harness
        Harness of the router.
    path : str
        Its place in the router.
    requesters : int
        How many can ask.

    Members
    -------
    grant : Signal
        One-hot: the requester that is served.
    last : Value
        One-hot: the requester that was served last.
    hold : Signal
        The last requester is still served.
    """

    def __init__(self, harness: Harness, path: str, requesters: int) -> None:
        self.requesters = requesters
        self.grant: Signal = harness.inside(f"{path}.grant", requesters)
        self.hold: Signal = harness.inside(f"{path}.hold")
        self.last = self._last(harness, path)

    def _last(self, harness: Harness, path: str) -> Value:
        return harness.inside(f"{path}.last", self.requesters)

    def is_consistent(self) -> Value:
        """Whether its registers have values that it can give them."""
        return self.last.any() & is_one_hot_or_zero(self.last)


class ChannelArbiter(Arbiter, ABC):
    """Arbiter that gives an output's virtual channel to one packet at a time.

    Members
    -------
    owns : Value
        One-hot: the requester whose packet has had the channel since an earlier cycle.
    latency : int
        Cycles from asking to the first in which the flit may cross.

    Parameters
    ----------
    harness, path, requesters
        As for `Arbiter`.
    is_plain : bool
        Its output is a stream that waits for room.
    """

    latency: ClassVar[int]

    def __init__(self, harness: Harness, path: str, requesters: int, *, is_plain: bool) -> None:
        super().__init__(harness, path, requesters)
        self._observe(harness, path, is_plain=is_plain)

    def _observe(self, harness: Harness, path: str, *, is_plain: bool) -> None:
        """Observe what only some arbiters have."""

    @property
    @abstractmethod
    def owns(self) -> Value: ...

    @property
    def most(self) -> int:
        """Most packets of others that a requester waits for."""
        return self.most_of(self.requesters)

    @staticmethod
    @abstractmethod
    def most_of(distance: int) -> int:
        """The same for a requester at this distance behind the last owner of a free channel."""

    @abstractmethod
    def ahead(self, number: int) -> Value:
        """Packets of others that may still go before that of a requester that asks."""

    def _chosen(self, cases: list[tuple[Value, int]]) -> Value:
        """Number of the one case that is true."""
        bits = max(self.most.bit_length(), 1)
        found: Value = Const(0, bits)
        for case, value in cases:
            found |= case.replicate(bits) & Const(value, bits)
        return found

    def _distance(self, last: int, number: int) -> int:
        """Place of a requester in the order that begins after another, or after itself."""
        return (number - last - 1) % self.requesters + 1


class DirectArbiter(ChannelArbiter):
    """Arbiter that grants in the cycle in which it is asked (`gateware.parts.ChannelArbiter`)."""

    latency = 0

    @property
    def owns(self) -> Value:
        return self.last & self.hold.replicate(self.requesters)

    @staticmethod
    def most_of(distance: int) -> int:
        return distance - 1

    def ahead(self, number: int) -> Value:
        cases: list[tuple[Value, int]] = []
        for last in range(self.requesters):
            distance = self._distance(last, number)
            cases += [
                (self.last[last] & ~self.hold, self.most_of(distance)),
                (self.last[last] & self.hold, 0 if last == number else distance),
            ]
        return self._chosen(cases)


class RegisteredArbiter(ChannelArbiter):
    """Arbiter whose grants are registers (`gateware.parts.RegisteredChannelArbiter`).

    `last` names an owner one cycle after that owner was granted. If a packet crosses whole in its
    owner's first cycle, round robin therefore starts after the previous owner. So of two packets in
    a row, only the second is sure to come from a requester nearer to one that asks meanwhile. Where
    k > 1 requesters can ask, each waits for at most
    2 k - 3 packets of others.
    """

    latency = 1

    def _observe(self, harness: Harness, path: str, *, is_plain: bool) -> None:
        self._is_steered: Value = Const(1)
        if is_plain and is_smaller_steered(self.requesters):
            lines = steering(self.grant)
            self._is_steered = harness.inside(f"{path}.steering", len(lines)) == lines

    def _last(self, harness: Harness, path: str) -> Value:
        # With a single requester nothing reads this register, so there is none.
        return super()._last(harness, path) if self.requesters > 1 else Const(1, 1)

    @property
    def owns(self) -> Value:
        return self.grant

    @staticmethod
    def most_of(distance: int) -> int:
        return max(0, 2 * distance - 3)

    def is_consistent(self) -> Value:
        return super().is_consistent() & (self.hold == self.grant.any()) & self._is_steered

    def ahead(self, number: int) -> Value:
        cases: list[tuple[Value, int]] = []
        for last in range(self.requesters):
            distance, is_last = self._distance(last, number), self.last[last]
            cases.append((is_last & ~self.hold, self.most_of(distance)))
            for owner in set(range(self.requesters)) - {number}:
                near = self._distance(owner, number)
                more = self.most_of(distance) if near < distance - 1 else 1 + self.most_of(near)
                cases.append((is_last & self.grant[owner], more))
        return self._chosen(cases)


def channel_arbiters(network: Network) -> type[ChannelArbiter]:
    """Kind of the arbiters that give a network's virtual channels to packets."""
    return RegisteredArbiter if network.cycles_per_hop == 2 else DirectArbiter
