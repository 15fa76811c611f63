"""Parameters that users write as ``key=value``, and the hardware keys of each router class."""

from .base import Parameters, display_value, format_value, parameter, parse_words, unknown_key
from .batch import BatchParameters
from .circuit import CircuitParameters
from .deflection import DeflectionParameters
from .kinds import (
    IDENTIFIER,
    YES_NO,
    Choice,
    FromFile,
    Integer,
    Integers,
    Kind,
    Mix,
    Real,
    Reals,
    Span,
    Text,
    YesNo,
    shares,
)
from .packet import PacketParameters
from .routers import Limit, RouterParameters

ROUTER_PARAMETERS: dict[str, type[RouterParameters]] = {
    "packet": PacketParameters,
    "circuit": CircuitParameters,
    "batch": BatchParameters,
    "deflection": DeflectionParameters,
}
"""Hardware parameters by router class."""

__all__ = [
    "IDENTIFIER",
    "ROUTER_PARAMETERS",
    "YES_NO",
    "BatchParameters",
    "Choice",
    "CircuitParameters",
    "DeflectionParameters",
    "FromFile",
    "Integer",
    "Integers",
    "Kind",
    "Limit",
    "Mix",
    "PacketParameters",
    "Parameters",
    "Real",
    "Reals",
    "RouterParameters",
    "Span",
    "Text",
    "YesNo",
    "display_value",
    "format_value",
    "parameter",
    "parse_words",
    "shares",
    "unknown_key",
]
