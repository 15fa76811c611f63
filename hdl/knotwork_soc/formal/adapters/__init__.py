"""Proofs of the stream adapters, for all lengths of packets, pauses and orders of clock edges."""

from collections.abc import Callable

from knotwork.formal.component import ComponentProofs

from .converters import ConverterProofs, converter_verilog
from .crossings import clock_watch_proofs, crossing_verilog, event_crossing_proofs, prove_crossing
from .guards import ejection_guard_proofs, injection_guard_proofs
from .mesochronous import mesochronous_verilog, prove_mesochronous
from .resets import link_resets_proofs, reset_release_proofs

__all__ = [
    "ADAPTER_PROOFS",
    "ConverterProofs",
    "converter_verilog",
    "crossing_verilog",
    "mesochronous_verilog",
    "prove_crossing",
    "prove_mesochronous",
]

ADAPTER_PROOFS: dict[str, Callable[[], ComponentProofs]] = {
    "event_crossing": event_crossing_proofs,
    "clock_watch": clock_watch_proofs,
    "injection_guard": injection_guard_proofs,
    "ejection_guard": ejection_guard_proofs,
    "link_resets": link_resets_proofs,
    "reset_release": reset_release_proofs,
}
"""Proofs of the other parts by name."""
