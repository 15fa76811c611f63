"""The emitted network as a component of an Amaranth design."""

from operator import attrgetter

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Signal, Value, ValueLike
from amaranth.lib import stream, wiring

from ..gateware import network_signature
from ..gateware.axi_lite import AXI_LITE_SIGNALS
from ..network import Network
from ..untyped import Interface
from .ports import (
    ALARM_PORT,
    CONFIG_FIELDS,
    CONFIG_PREFIX,
    MONITOR_PREFIX,
    STATUS_PORT,
    eject_fields,
    eject_prefix,
    has_config,
    has_monitor,
    inject_fields,
    inject_prefix,
    monitor_ports,
    refused_port,
)


class EmittedNetwork(wiring.Component):
    """`Fabric`'s ports around an `Instance` of the Verilog that `network_verilog` gives.

    For networks of any size; Amaranth's own simulator cannot run it. The Verilog must be added to
    the build: ``platform.add_file(f"{network.name}.v", network_verilog(network))``.

    Parameters
    ----------
    network : Network
        Network to place.
    restartable : bool
        `ResetInserter` around it resets the network as well, one cycle later; so does the first
        cycle after power-up.

    Members
    -------
    inject, eject, refused, config, status
        See `gateware.network_signature`.
    """

    inject: list
    eject: list
    refused: Signal
    config: stream.Interface
    status: Signal

    def __init__(self, network: Network, *, restartable: bool = False) -> None:
        self._network = network
        self._restartable = restartable
        super().__init__(network_signature(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        reset: Value = ResetSignal(allow_reset_less=True)
        if self._restartable:
            # `ResetInserter` reaches this register, but not those inside the Verilog.
            anew = Signal(init=1)
            m.d.sync += anew.eq(0)
            reset |= anew
        pins: dict[str, ValueLike] = {"i_clk": ClockSignal(), "i_rst": reset}
        fields_in, fields_out = inject_fields(self._network), eject_fields(self._network)
        for node, (inject, eject) in enumerate(zip(self.inject, self.eject, strict=True)):
            into, out = inject_prefix(self._network, node), eject_prefix(self._network, node)
            pins |= _stream(into, inject, fields_in, ahead="i", back="o")
            pins |= _stream(out, eject, fields_out, ahead="o", back="i")
            pins[f"o_{refused_port(self._network, node)}"] = self.refused[node]
        if has_config(self._network):
            pins |= _stream(CONFIG_PREFIX, self.config, CONFIG_FIELDS, ahead="i", back="o")
            pins[f"o_{STATUS_PORT}"] = self.status
        if has_monitor(self._network):
            pins |= self._monitor()
        m.submodules.network = Instance(self._network.name, **pins)
        return m

    def _monitor(self) -> dict[str, ValueLike]:
        """Pins of the bus that reads the monitor, and its alarm."""
        outside: Interface = self
        pins: dict[str, ValueLike] = {f"o_{ALARM_PORT}": outside.alarm}
        inputs, _ = monitor_ports(self._network)
        for signal, path in AXI_LITE_SIGNALS.items():
            port = f"{MONITOR_PREFIX}_{signal}"
            pins[f"{'i' if port in inputs else 'o'}_{port}"] = attrgetter(path)(outside.monitor)
        return pins


def _stream(
    prefix: str, side: stream.Interface, fields: dict[str, str], *, ahead: str, back: str
) -> dict[str, Value]:
    """Pins of an AXI4-Stream, `ahead` and `back` their directions."""
    pins: dict[str, Value] = {
        f"{ahead}_{prefix}_tvalid": side.valid,
        f"{back}_{prefix}_tready": side.ready,
    }
    return pins | {f"{ahead}_{prefix}_{s}": Value.cast(side.p[f]) for s, f in fields.items()}
