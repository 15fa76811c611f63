"""Exceptions to the house's rules, each with its reason; one that applies no more fails."""

LARGER: dict[str, str] = {}
"""What may be larger than `sizes` says."""

TESTED_OTHERWISE: dict[str, str] = {
    "knotwork_boards.untyped": "types alone: basedpyright, in make lint",
    "knotwork_sim.model.packet.arbitration": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.packet.buffers": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.packet.interfaces": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.deflection.router": "inlined into the compiled loop:"
    " tests/sim/model/deflection/test_network.py",
    "knotwork.formal.packet.observed.*": "observes only what claims need; a part that observed "
    "wrongly would fail the proofs of tests/formal/packet/test_properties.py",
    "knotwork.formal.packet.branching.*": "as observed; proven with it by the buffers of "
    "tests/formal/packet/claims/test_branch_buffers.py",
    "knotwork.formal.packet.harness": "the environment of every proof in "
    "tests/formal/packet/test_properties.py",
    "knotwork.formal.circuit.contract": "environment and claims at once: each side is proven by "
    "tests/formal/circuit/test_switch_properties.py",
    "knotwork.formal.circuit.*_harness": "the environments of the proofs in "
    "tests/formal/circuit/test_switch_properties.py",
    "knotwork.formal.batch.contract": "environment and claims at once: each side is proven by "
    "tests/formal/batch/test_router.py",
    "knotwork.formal.batch.expectation": "types and a base class; its classes have tests",
    "knotwork.formal.deflection.harness": "the environment of the proofs in "
    "tests/formal/deflection/test_ring.py",
}
"""Modules without a test of their name, as patterns, and where they are tested."""
