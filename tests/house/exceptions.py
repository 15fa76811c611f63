"""Exceptions to the house's rules, each with its reason; one that applies no more fails."""

_COMPONENT = "one component: its ports, their description, and an elaborate parted into steps"

LARGER: dict[str, str] = {
    f"knotwork.gateware.{name}": _COMPONENT
    for name in (
        "batch.router.BatchRouter",
        "circuit.interface.CircuitInterface",
        "circuit.switch.CircuitSwitch",
        "packet.branching_channel.BranchingChannel",
        "packet.input_channel.InputChannel",
        "packet.router.PacketRouter",
    )
}
"""What may be larger than `sizes` says."""

_TESTED_BY = {
    # Records, types, and names of what another file has.
    "types alone: basedpyright, in make lint": "*.untyped knotwork.formal.batch.expectation",
    "a base class, whose classes have tests": "knotwork_sim.traffic.patterns.law",
    "tests/routing/test_lcan.py": (
        "knotwork.routing.baseline knotwork.routing.cm5 knotwork.routing.fattree "
        "knotwork.routing.sw_banyan knotwork.routing.trac"
    ),
    "tests/routing/circuits/test_cycles.py": "knotwork.routing.circuits.outcome",
    "tests/routing/scheduling/test_rounds.py": "knotwork.routing.scheduling.schedule",
    "tests/routing/test_multicast.py": "knotwork.routing.options",
    "tests/routing/test_base.py": "knotwork.routing.routing_rule",
    "tests/gateware/test_router_classes.py": "knotwork.gateware.router_class",
    "tests/test_network.py": "knotwork.parameters.*",
    # Parts of something that has a test.
    "tests/emit/system/test_examples.py": "docs.examples.accelerator",
    "tests/emit/flows/test_litex.py": "docs.examples.litex_soc",
    "tests/topology/test_hypercube.py": "knotwork.topology.binary",
    "tests/topology/graph_file/test_graph_file.py": "knotwork.topology.graph_file.*",
    "tests/topology/altered/test_surviving.py": "knotwork.topology.altered.*",
    "tests/own/test_topologies.py": "knotwork.own.* knotwork.shipped",
    "tests/routing/walks/test_all_pairs.py": "knotwork.routing.walks.loops",
    "tests/routing/made/test_tables.py": "knotwork.routing.made.*loops",
    "tests/routing/table_file/test_routing.py": "knotwork.routing.table_file.table_routing",
    "tests/routing/wk/test_unicast.py": "knotwork.routing.wk.turns",
    "tests/routing/compiled/test_checking.py": "knotwork.routing.compiled.*",
    "tests/gateware/batch/test_router.py": "knotwork.gateware.batch.*",
    "tests/gateware/circuit/test_switch.py": "knotwork.gateware.circuit.*",
    "tests/gateware/deflection/test_router.py": "knotwork.gateware.deflection.*",
    "tests/gateware/packet/test_router.py": (
        "knotwork.gateware.packet.channel knotwork.gateware.packet.interface"
    ),
    "tests/gateware/packet/test_branching_channel.py": "knotwork.gateware.packet.write_side",
    "tests/formal/packet/loaded proves them, and tests/sim/testbench/test_loading.py": (
        "knotwork.gateware.packet.loaded.*"
    ),
    "tests/gateware/buses/ports/test_target_port.py": "knotwork.gateware.buses.guards.*",
    "tests/gateware/buses/ports/test_initiator_port.py": (
        "knotwork.gateware.buses.ports.*_initiator"
    ),
    "tests/emit/writer/test_module.py": "knotwork.emit.writer.*",
    "sections of the manifest: tests/emit/test_package.py": "knotwork.emit.*",
    "tests/boards/selftest/test_self_test.py": "knotwork_boards.selftest.*",
    "tests/boards/selftest/measure/test_measurement.py": "knotwork_boards.selftest.*measure*",
    "tests/sim/traffic/given/test_packet_list.py": "knotwork_sim.traffic.given.*",
    "tests/sim/scoreboard/test_losses.py": "knotwork_sim.scoreboard.lossy",
    "inlined into a compiled loop: tests/sim/model/packet/test_network.py": (
        "knotwork_sim.model.packet.*"
    ),
    "inlined into a compiled loop: tests/sim/model/deflection/test_network.py": (
        "knotwork_sim.model.deflection.*"
    ),
    "tests/sim/testbench/test_network_testbench.py": "knotwork_sim.testbench.stimulus",
    # Environments of proofs, and what claims need to observe: wrong ones would fail the proofs.
    "tests/formal/packet/test_properties.py": (
        "knotwork.formal.packet.observed.* knotwork.formal.packet.*harness"
    ),
    "tests/formal/packet/claims/test_branch_buffers.py": "knotwork.formal.packet.branching.*",
    "tests/formal/packet/credits/test_properties.py": (
        "knotwork.formal.packet.credits.harness knotwork.formal.packet.credits.observed.*"
    ),
    "tests/formal/circuit/test_switch_properties.py": "knotwork.formal.circuit.*",
    "tests/formal/batch/test_router.py": "knotwork.formal.batch.contract",
    "tests/formal/buses/test_ports.py": "knotwork.formal.buses.ports.*",
    "tests/formal/deflection/test_ring.py": "knotwork.formal.deflection.harness",
}

TESTED_OTHERWISE = {
    pattern: reason for reason, patterns in _TESTED_BY.items() for pattern in patterns.split()
}
"""Modules that no test of their folder names, as patterns, and where they are tested."""

STANDS_TWICE: dict[tuple[str, str], str] = {}
"""Pairs of modules that have ten lines in common."""
