"""Harness of a component whose ports are buses, by the standards' signal names."""

from amaranth.hdl import Cat, Mux, Signal, Value
from knotwork.formal.harness import Harness
from knotwork.untyped import Interface

from ...bus import BusParameters
from ...emit.bus_shell import bus_shell
from ...gateware.buses.bus_kinds import BUS_KINDS, BusKind, bus_signals


class Bus:
    """Ports of one bus of a harness.

    Parameters
    ----------
    harness : Harness
        The harness.
    prefix : str
        First part of the ports' names.
    kind, bus : BusKind, BusParameters
        The bus.
    """

    def __init__(self, harness: Harness, prefix: str, kind: BusKind, bus: BusParameters) -> None:
        self._harness = harness
        self._prefix = prefix
        self._signals = bus_signals(kind, bus)
        self.parameters = bus

    def __getitem__(self, name: str) -> Signal:
        """Port of the signal with this name in the standard."""
        return self._harness.port(f"{self._prefix}_{name}")

    def given(self, name: str, otherwise: int) -> Value | int:
        """The same, or what holds where the bus has no such signal."""
        port = f"{self._prefix}_{name}"
        return self._harness.port(port) if self._harness.has_port(port) else otherwise

    def taken(self, channel: str) -> Value:
        """Whether a channel of AXI has a transfer."""
        return self[f"{channel}valid"] & self[f"{channel}ready"]

    def payload(self, channel: str) -> Value:
        """All that a channel of AXI carries."""
        own = [one for one in self._signals if one.member == (channel, "payload")]
        return Cat(self[one.name] for one in own)


class BusHarness(Harness):
    """Harness of a component whose members are buses, each named by its kind.

    Parameters
    ----------
    component : Interface
        The component; only its ports are read.
    bus : BusParameters
        Its widths.
    name : str
        Name of its module.

    Members
    -------
    manager, target : Bus
        The bus at which a manager is connected, and that where a peripheral is.
    """

    def __init__(self, component: Interface, bus: BusParameters, name: str) -> None:
        shell = bus_shell(component, bus)
        component._MustUse__used = True  # pyright: ignore[reportAttributeAccessIssue]
        super().__init__(name, *shell.widths)
        inputs, _ = shell.widths
        for kind in BUS_KINDS.values():
            signals = bus_signals(kind, bus)
            for prefix in (kind.initiator_prefix, kind.target_prefix):
                if not self.has_port(f"{prefix}_{signals[0].name}"):
                    continue
                found = Bus(self, prefix, kind, bus)
                if f"{prefix}_{signals[0].name}" in inputs:
                    self.manager = found
                else:
                    self.target = found

    def occupancy(self, path: str) -> Value:
        """Entries of a queue of two places."""
        return self.inside(f"{path}.occupied") + self.inside(f"{path}.full")

    def counter(self, name: str, more: Value, less: Value, bits: int = 6) -> Signal:
        """Register that counts up by one value and down by another."""
        count = self.register(bits, name)
        self.m.d.sync += count.eq(count + more - less)
        return count

    def last_of(self, value: Value, when: Value, name: str) -> Signal:
        """Register with what a value was when it was last given."""
        kept = self.register(len(value), name)
        self.m.d.sync += kept.eq(Mux(when, value, kept))
        return kept
