"""Exceptions to the house's rules, each with its reason; one that applies no more fails."""

LARGER: dict[str, str] = {}
"""What may be larger than `sizes` says."""

TESTED_OTHERWISE: dict[str, str] = {
    "knotwork_sim.model.packet.arbitration": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.packet.buffers": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.packet.interfaces": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.deflection.router": "inlined into the compiled loop:"
    " tests/sim/model/deflection/test_network.py",
}
"""Modules without a test of their name, as patterns, and where they are tested."""
