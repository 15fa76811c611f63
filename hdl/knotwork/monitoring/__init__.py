"""What a network's monitor sees, in which registers it tells it, and what that means."""

from .chains import WaitingChain, waiting_chains
from .channels import Channel, monitored_channels
from .registers import Array, RegisterMap, network_registers, register_map

__all__ = [
    "Array",
    "Channel",
    "RegisterMap",
    "WaitingChain",
    "monitored_channels",
    "network_registers",
    "register_map",
    "waiting_chains",
]
