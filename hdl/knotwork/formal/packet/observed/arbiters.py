"""Arbiters of a packet router: who is served, who owns a channel, and who waits for how many."""

from abc import ABC, abstractmethod
from typing import ClassVar

from amaranth.hdl import Const, Signal, Value

from ....gateware.parts.arbiter import is_one_hot_or_zero
from ....network import Network
from ...harness import Bench


class Arbiter:
    """Round-robin arbiter.

    Parameters
    ----------
    bench : Bench
        Bench of the router.
    path : str
        Its place in the router.
    requesters : int
        Who can ask.

    Members
    -------
    grant : Signal
        One-hot: who is served.
    last : Value
        One-hot: who was last.
    hold : Signal
        They go on.
    """

    def __init__(self, bench: Bench, path: str, requesters: int) -> None:
        self.requesters = requesters
        self.grant: Signal = bench.inside(f"{path}.grant", requesters)
        self.hold: Signal = bench.inside(f"{path}.hold")
        self.last = self._last(bench, path)

    def _last(self, bench: Bench, path: str) -> Value:
        return bench.inside(f"{path}.last", self.requesters)

    def is_consistent(self) -> Value:
        """Whether its registers are such as it leaves them."""
        return self.last.any() & is_one_hot_or_zero(self.last)


class ChannelArbiter(Arbiter, ABC):
    """Arbiter that gives an output's virtual channel to one packet at a time.

    Members
    -------
    owns : Value
        One-hot: whose packet has the channel from an earlier clock on.
    latency : int
        Clocks from asking to the first in which the flit may cross.
    """

    latency: ClassVar[int]

    @property
    @abstractmethod
    def owns(self) -> Value: ...

    @property
    def most(self) -> int:
        """Packets of others that one who asks waits for."""
        return self.most_of(self.requesters)

    @staticmethod
    @abstractmethod
    def most_of(distance: int) -> int:
        """Packets of others for one so far behind the last owner, while nobody owns it."""

    @abstractmethod
    def ahead(self, number: int) -> Value:
        """Packets of others that may still go before that of a requester who asks."""

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
    """Arbiter that grants in the clock in which it is asked (`gateware.parts.ChannelArbiter`)."""

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

    Its `last` is an owner's a clock after the owner is: what crosses whole in its owner's first
    clock is followed by who comes after the owner before. So of any two packets in a row the later
    one, not the next, is nearer to a requester that asks meanwhile, who waits for 2 k - 3 packets
    of others where k can ask, if k > 1.
    """

    latency = 1

    def _last(self, bench: Bench, path: str) -> Value:
        # Where one alone can ask nothing reads it, and it is not there.
        return super()._last(bench, path) if self.requesters > 1 else Const(1, 1)

    @property
    def owns(self) -> Value:
        return self.grant

    @staticmethod
    def most_of(distance: int) -> int:
        return max(0, 2 * distance - 3)

    def is_consistent(self) -> Value:
        return super().is_consistent() & (self.hold == self.grant.any())

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
    return RegisteredArbiter if network.hardware.pipeline == 2 else DirectArbiter
