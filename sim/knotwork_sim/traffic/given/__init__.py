"""What users give of their own: a list of packets, or a matrix of rates.

Both come from a file or from Python, are checked when they are made, and name the line at fault.
"""

from knotwork.routing.generated.rate_matrix import RateMatrix

from .packet_list import PacketList

__all__ = ["PacketList", "RateMatrix"]
