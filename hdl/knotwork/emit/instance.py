"""The emitted network as a component of an Amaranth design."""

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Signal, Value, ValueLike
from amaranth.lib import stream, wiring

from ..gateware import network_signature
from ..gateware.wiring_plan import network_bundles, network_ports
from ..network import Network
from .ports import port_signals, verilog_prefix


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
    inject, eject, refused, config, status, collective
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
        network = self._network
        signals = port_signals(network_bundles(network))
        for port in network_ports(network):
            end = port.member(self)
            for signal in signals(port):
                direction = "i" if signal.is_ahead == port.receives else "o"
                pins[f"{direction}_{verilog_prefix(port)}{signal.suffix}"] = signal.value(end)
        m.submodules.network = Instance(network.name, **pins)
        return m
