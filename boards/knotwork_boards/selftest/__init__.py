"""The self-test: a network that checks itself and reports the outcome by UART and LEDs.

`SelfTest` is the top. What tests the nodes depends on the router class: each class has a module
here (`packet`, `circuit`, `batch`, `deflection`) and a line in `SELF_TESTS`; `RouterSelfTest` says
what a class provides. All classes share the contents of the packets (`packet_format`), the tally,
the line of a window and the UART.
"""

from .node_test import BuildHints, Fault, RouterSelfTest, require_measuring
from .packet_format import PacketFormat
from .self_test import SELF_TESTS, SelfTest, self_test_of, selftest_verilog

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
