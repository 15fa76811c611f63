"""Exceptions to the house's rules, each with its reason; one that applies no more fails."""

_COMPONENT = "one component: its ports, their description, and an elaborate parted into steps"

LARGER: dict[str, str] = {
    "knotwork.gateware.batch.router.BatchRouter": _COMPONENT,
    "knotwork.gateware.circuit.interface.CircuitInterface": _COMPONENT,
    "knotwork.gateware.circuit.switch.CircuitSwitch": _COMPONENT,
    "knotwork.gateware.packet.branching_channel.BranchingChannel": _COMPONENT,
    "knotwork.gateware.packet.input_channel.InputChannel": _COMPONENT,
    "knotwork.gateware.packet.router.PacketRouter": _COMPONENT,
}
"""What may be larger than `sizes` says."""

_ONE_LINE = "names the routings of another file: {}"

TESTED_OTHERWISE: dict[str, str] = {
    "docs.examples.accelerator": "tests/emit/system/test_examples.py",
    "docs.examples.litex_soc": "tests/emit/flows/test_litex.py",
    "knotwork.parameters.*": "keys of router classes: tests/test_network.py sets them",
    "knotwork.untyped": "types alone: basedpyright, in make lint",
    "knotwork.topology.binary": "tests/topology/test_hypercube.py and test_moebius.py ask it",
    "knotwork.topology.factors": "what a factor is: tests/topology/test_rings.py",
    "knotwork.topology.graph_file.*": "formats of one graph, and what is wrong in any:"
    " tests/topology/graph_file/test_graph_file.py",
    "knotwork.topology.altered.*": "parts of one class: tests/topology/altered/test_surviving.py",
    "knotwork.routing.baseline": _ONE_LINE.format("tests/routing/test_lcan.py"),
    "knotwork.routing.cm5": _ONE_LINE.format("tests/routing/test_lcan.py"),
    "knotwork.routing.fattree": _ONE_LINE.format("tests/routing/test_lcan.py"),
    "knotwork.routing.sw_banyan": _ONE_LINE.format("tests/routing/test_lcan.py"),
    "knotwork.routing.trac": _ONE_LINE.format("tests/routing/test_lcan.py"),
    "knotwork.routing.circuits.outcome": "a record: tests/routing/circuits/test_cycles.py",
    "knotwork.routing.options": "keys of routings: tests/routing/test_multicast.py",
    "knotwork.routing.routing_rule": "a part of `Routing`: tests/routing/test_base.py",
    "knotwork.routing.scheduling.schedule": "a record: tests/routing/scheduling/test_rounds.py",
    "knotwork.routing.walks.loops": "loops of the walks: tests/routing/walks/test_all_pairs.py",
    "knotwork.routing.made.loops": "tests/routing/made/test_tables.py and test_routings.py",
    "knotwork.routing.made.balance_loops": "tests/routing/made/test_balance.py",
    "knotwork.routing.made.routing": "tests/routing/made/test_routings.py",
    "knotwork.routing.table_file.table_routing": "tests/routing/table_file/test_routing.py",
    "knotwork.routing.wk.turns": "tests/routing/wk/test_unicast.py",
    "knotwork.gateware.router_class": "a record: tests/gateware/test_router_classes.py",
    "knotwork.own.*": "checks of one topology, all of them: tests/own/test_topologies.py",
    "knotwork.shipped": "decides what is checked: tests/own/test_topologies.py",
    "knotwork.routing.compiled.asking": "tests/routing/compiled/test_checking.py",
    "knotwork.routing.compiled.loops": "tests/routing/compiled/test_checking.py",
    "knotwork.routing.compiled.sound_rule": "tests/routing/compiled/test_checking.py",
    "knotwork.routing.compiled.tables": "tests/routing/compiled/test_checking.py",
    "knotwork.routing.compiled.walking": "tests/routing/compiled/test_checking.py",
    "knotwork.gateware.batch.*": "parts of the router: tests/gateware/batch/test_router.py",
    "knotwork.gateware.circuit.controller": "tests/gateware/test_fabric.py runs it",
    "knotwork.gateware.circuit.headers": "tests/gateware/circuit/test_switch.py sends by it",
    "knotwork.gateware.circuit.layouts": "tests/gateware/circuit/test_switch.py sends by it",
    "knotwork.gateware.circuit.xorshift": "tests/gateware/circuit/test_switch.py draws from it",
    "knotwork.gateware.deflection.*": "parts of routers: tests/gateware/deflection/test_router.py",
    "knotwork.gateware.packet.channel": "two classes fill it: tests/gateware/packet/test_router.py",
    "knotwork.gateware.packet.write_side": "tests/gateware/packet/test_branching_channel.py",
    "knotwork.gateware.packet.interface": "part of a router: tests/gateware/packet/test_router.py",
    "knotwork.gateware.packet.loaded.*": "parts of one router: tests/formal/packet/loaded proves "
    "them, and tests/sim/testbench/test_loading.py runs them",
    "knotwork.gateware.buses.guards.*": "parts of a target: "
    "tests/gateware/buses/ports/test_target_port.py",
    "knotwork.gateware.buses.packets.receiver": "tests/gateware/buses/packets/test_sender.py",
    "knotwork.gateware.buses.ports.*_initiator": "parts of an initiator: "
    "tests/gateware/buses/ports/test_initiator_port.py",
    "knotwork.gateware.parts.factors": "tests/gateware/networks/test_torus.py and others",
    "knotwork.gateware.parts.network_routes": "tests/gateware/packet/test_inputs.py",
    "knotwork.emit.*": "sections of the manifest: tests/emit/test_package.py",
    "knotwork.formal.buses.ports.*": "tests/formal/buses/test_ports.py",
    "knotwork.formal.circuit.nodes": "tests/formal/circuit/test_switch_properties.py",
    "knotwork_boards.selftest.windows": "tests/boards/selftest/test_self_test.py",
    "knotwork_boards.selftest.measure.*": "parts of one whole: "
    "tests/boards/selftest/measure/test_measurement.py",
    "knotwork_boards.selftest.packet.measured_*": "the nodes' share of it, tested there too",
    "knotwork_boards.untyped": "types alone: basedpyright, in make lint",
    "knotwork_sim.traffic.given.columns": "a part of the list:"
    " tests/sim/traffic/given/test_packet_list.py",
    "knotwork_sim.traffic.given.packet_file": "a part of the list:"
    " tests/sim/traffic/given/test_packet_list.py",
    "knotwork_sim.traffic.patterns.law": "a base class; its classes have tests",
    "knotwork_sim.scoreboard.lossy": "a part of what is expected:"
    " tests/sim/scoreboard/test_losses.py",
    "knotwork_sim.model.packet.arbitration": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.packet.buffers": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.packet.interfaces": "inlined into the compiled loop:"
    " tests/sim/model/packet/test_network.py",
    "knotwork_sim.model.deflection.router": "inlined into the compiled loop:"
    " tests/sim/model/deflection/test_network.py",
    "knotwork_sim.testbench.stimulus": "runs in simulators:"
    " tests/sim/testbench/test_network_testbench.py",
    "knotwork.formal.packet.observed.*": "observes only what claims need; a part that observed "
    "wrongly would fail the proofs of tests/formal/packet/test_properties.py",
    "knotwork.formal.packet.branching.*": "as observed; proven with it by the buffers of "
    "tests/formal/packet/claims/test_branch_buffers.py",
    "knotwork.formal.packet.*harness": "the environments of every proof in "
    "tests/formal/packet/test_properties.py",
    "knotwork.formal.packet.credits.harness": "the environment of every proof in "
    "tests/formal/packet/credits/test_properties.py",
    "knotwork.formal.packet.credits.observed.*": "observes only what claims need; proven with them "
    "in tests/formal/packet/credits/test_properties.py",
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

STANDS_TWICE: dict[tuple[str, str], str] = {}
"""Pairs of modules that have ten lines in common."""
