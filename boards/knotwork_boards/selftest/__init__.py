"""The self-test: a network that checks itself and reports the outcome by UART and LEDs.

`SelfTest` is the top. The parts at the nodes depend on the router class: each class has a room here
(`packet`, `circuit`, `batch`, `deflection`) and a line in `SELF_TESTS`; `RouterSelfTest` says what
a room gives. All classes share the modules outside the rooms: the contents of the packets
(`packet_format`), random bits, the tally, the line of a window and the UART.
"""

from .fault import Fault
from .node_test import require_measuring
from .packet_format import PacketFormat
from .registry import SELF_TESTS, self_test_of
from .router_self_test import BuildHints, RouterSelfTest
from .self_test import SelfTest
from .verilog import selftest_verilog

__all__ = [
    "SELF_TESTS",
    "BuildHints",
    "Fault",
    "PacketFormat",
    "RouterSelfTest",
    "SelfTest",
    "require_measuring",
    "self_test_of",
    "selftest_verilog",
]
