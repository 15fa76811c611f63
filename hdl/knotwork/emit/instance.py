"""The emitted network as a component of an Amaranth design."""

from typing import Any

from amaranth.hdl import ClockSignal, Instance, Module, ResetSignal, Signal, Value
from amaranth.lib import wiring

from ..gateware import network_signature
from ..network import Network
from .names import eject_fields, eject_prefix, inject_fields, inject_prefix, refused_port


class EmittedNetwork(wiring.Component):
    """`Fabric`'s ports around an `Instance` of the Verilog that `network_verilog` gives.

    For networks of any size; Amaranth's own simulator cannot run it. The Verilog must be added to
    the build: ``platform.add_file(f"{network.name}.v", network_verilog(network))``.

    Parameters
    ----------
    network : Network
        Network to place.

    Members
    -------
    inject, eject, refused
        See `gateware.network_signature`.
    """

    inject: list
    eject: list
    refused: Signal

    def __init__(self, network: Network) -> None:
        self._network = network
        super().__init__(network_signature(network))

    def elaborate(self, platform: object) -> Module:
        m = Module()
        pins: dict[str, Any] = {"i_clk": ClockSignal(), "i_rst": ResetSignal(allow_reset_less=True)}
        fields_in, fields_out = inject_fields(self._network), eject_fields(self._network)
        for node, (inject, eject) in enumerate(zip(self.inject, self.eject, strict=True)):
            into, out = inject_prefix(node), eject_prefix(node)
            pins |= {
                f"i_{into}_tvalid": inject.valid,
                f"o_{into}_tready": inject.ready,
                f"o_{out}_tvalid": eject.valid,
                f"i_{out}_tready": eject.ready,
                f"o_{refused_port(node)}": self.refused[node],
            }
            pins |= {f"i_{into}_{s}": Value.cast(inject.p[f]) for s, f in fields_in.items()}
            pins |= {f"o_{out}_{s}": Value.cast(eject.p[f]) for s, f in fields_out.items()}
        m.submodules.network = Instance(self._network.name, **pins)
        return m
