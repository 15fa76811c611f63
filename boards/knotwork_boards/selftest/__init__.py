"""The self-test: a network that checks itself and tells the outcome by UART and LEDs."""

from .packet.fault import Fault
from .packet.fields import PacketFormat
from .self_test import SelfTest
from .verilog import selftest_verilog

__all__ = ["Fault", "PacketFormat", "SelfTest", "selftest_verilog"]
