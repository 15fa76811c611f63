"""Proofs of packet routers.

Modules build on each other in this order: `rule_turns` follows the routing's rule; `observed` and
`branching` watch the module's ports and wires; `harness` puts a router into its environment;
`reachable_headers` narrows the environment; `claims` states what must hold; `properties` orders it.
"""

from .harness import PacketHarness
from .properties import properties
from .reachable_headers import assume_reachable

__all__ = ["PacketHarness", "assume_reachable", "properties"]
