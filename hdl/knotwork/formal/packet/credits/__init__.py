"""Proofs of packet routers that count credits.

`observed` watches the module's ports and wires; `harness` puts a router into its environment:
neighbours that send no flit without a credit, and return one for each flit they were sent at most.
The other modules state what must hold; `properties` orders it.
"""

from .harness import CreditHarness
from .link_registers import link_parts
from .properties import properties

__all__ = ["CreditHarness", "link_parts", "properties"]
