"""Proofs of memory-mapped buses: their bridges, and the ports between them and a network.

Each part is proven in any environment that keeps to the standard (IHI 0022) and to what the part
beside it is proven to do.
"""

from collections.abc import Callable

from knotwork.formal.component import ComponentProofs

from ...parameters import BusParameters
from .decoder import decoder_proofs
from .guards import read_guard_proofs, write_guard_proofs
from .initiator_port import read_initiator_proofs, transactions_proofs, write_initiator_proofs
from .packets import receiver_proofs, sender_proofs
from .stores import burst_store_proofs, store_proofs

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
