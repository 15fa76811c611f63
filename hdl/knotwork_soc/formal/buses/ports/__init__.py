"""Proofs of the ports between memory-mapped buses and a network.

Each part is proven in any environment that keeps to the standard (IHI 0022) and to what the part
beside it is proven to do.
"""

from collections.abc import Callable

from knotwork.formal.component import ComponentProofs

from ....parameters import BusParameters
from .decoder import decoder_proofs
from .packets import sender_proofs
from .read_guard import read_guard_proofs
from .read_initiator import read_initiator_proofs
from .receiver import receiver_proofs
from .stores import burst_store_proofs, store_proofs
from .transactions import transactions_proofs
from .write_guard import write_guard_proofs
from .write_initiator import write_initiator_proofs

__all__ = ["PORT_PROOFS", "ComponentProofs"]

PORT_PROOFS: dict[str, Callable[[BusParameters], ComponentProofs]] = {
    "transactions": lambda bus: transactions_proofs(bus, 1),
    "read_initiator": lambda bus: read_initiator_proofs(bus, 1),
    "write_initiator": lambda bus: write_initiator_proofs(bus, 1),
    "sender": lambda _: sender_proofs(),
    "receiver": lambda _: receiver_proofs(),
    "decoder": decoder_proofs,
    "store": lambda _: store_proofs(is_block=False),
    "block_store": lambda _: store_proofs(is_block=True),
    "burst_store": lambda _: burst_store_proofs(),
    "read_guard": read_guard_proofs,
    "write_guard": write_guard_proofs,
}
"""Proofs of the parts of initiators and targets, of small buses with two transactions under way."""
