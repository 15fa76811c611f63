"""Parameters that users write as ``key=value``: what they may be, and the keys of each router class."""

from .base import (
    YES_NO,
    Choice,
    Integer,
    Integers,
    Kind,
    Parameters,
    Real,
    Span,
    Text,
    parameter,
    parse_words,
    spelled,
    unknown_key,
)
from .batch import BatchParameters
from .circuit import CircuitParameters
from .deflection import DeflectionParameters
from .packet import PacketParameters

ROUTER_PARAMETERS: dict[str, type[Parameters]] = {
    "packet": PacketParameters,
    "batch": BatchParameters,
    "circuit": CircuitParameters,
    "deflection": DeflectionParameters,
    "ring_deflection": DeflectionParameters,
}
"""Hardware keys by router class."""

__all__ = [
    "ROUTER_PARAMETERS",
    "YES_NO",
    "BatchParameters",
    "Choice",
    "CircuitParameters",
    "DeflectionParameters",
    "Integer",
    "Integers",
    "Kind",
    "PacketParameters",
    "Parameters",
    "Real",
    "Span",
    "Text",
    "parameter",
    "parse_words",
    "spelled",
    "unknown_key",
]
