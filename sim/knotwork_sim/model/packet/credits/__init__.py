"""Golden model of packet routers that give credits: two cycles per hop, registers on the links.

The compiled loop is `network`. Beside the state of all packet routers it reads and writes
`registers`: fronts, orders, credits, and what is on its way between routers. `allocation` chooses
what crosses a router, and the next fronts.
"""

from .network import run
from .registers import make_registers

__all__ = ["make_registers", "run"]
