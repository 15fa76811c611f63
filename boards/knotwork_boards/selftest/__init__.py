"""The self-test: a network that checks itself and tells the outcome by UART and LEDs."""

from .fault import Fault
from .packet import PacketFormat
from .top import SelfTest
from .verilog import selftest_verilog

__all__ = ["Fault", "PacketFormat", "SelfTest", "selftest_verilog"]
