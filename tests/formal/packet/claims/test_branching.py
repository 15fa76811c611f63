"""Routers whose packets branch: what is proven of them, and what makes the proofs fail."""

import re

import pytest
from knotwork import Network
from knotwork.emit.modules import router_verilog
from knotwork.formal import FAILED, PROVEN, prove_router, router_properties
from knotwork.formal.packet.rule_turns import legal_copies
from knotwork.gateware.networks.wk import BRANCH_COMPUTATIONS
from knotwork.gateware.networks.wk_broadcast import LabelBranches

NET = "wk w=2 levels=2 data_width=8 buffer_depth=2"
KIND = "wk_router_digit0_level1"


def outcomes(words, *, only=None, break_it=lambda text: text):
    """Results by property of the largest kind of router: of all, or of some and their lemmas."""
    network = Network.from_words(words.split())
    kind = max(network.router_kinds, key=lambda kind: len(kind.turns))
    properties = router_properties(network, kind)
    chosen = [one for one in properties if only is None or one.name in only]
    assert only is None or len(chosen) == len(only)
    verilog = break_it(router_verilog(network, kind))
    return {
        one.name: (one.result, one.reason) for one in prove_router(network, kind, verilog, chosen)
    }


def module(text, name):
    """Part of a Verilog text that is one module."""
    begin = text.index(f"module {name} ")
    return text[begin : text.index("endmodule", begin)]


def changing(name, pattern, replacement):
    """A change of one module."""

    def change(text):
        part = module(text, f"{KIND}_core_{name}")
        changed, count = re.subn(pattern, replacement, part)
        assert count == 1
        return text.replace(part, changed)

    return change


def test_a_buffer_where_packets_branch_is_proven():
    found = outcomes(NET, only=["branches", "order_digit1_vc0"])
    assert found == dict.fromkeys(found, (PROVEN, ""))
    assert {"grants", "buffer_digit1_vc0"} <= found.keys()


@pytest.mark.slow
@pytest.mark.parametrize(
    "words",
    [
        NET,
        f"{NET} max_packet=1",
        "wk w=2 levels=2 data_width=8 buffer_depth=3",
        "wk w=3 levels=2 data_width=8 buffer_depth=4 broadcast=mask",
        "wk w=3 levels=2 broadcast=address",
        "tcpg k=1 m=1 data_width=8 buffer_depth=4",
    ],
)
def test_routers_where_packets_branch_are_proven(words):
    found = outcomes(words)
    assert found == dict.fromkeys(found, (PROVEN, ""))


INPUT = "input_digit1_vc0"
READER, BRANCH = f"{INPUT}_reader", f"{INPUT}_branch"
WIRE = r"\\\$\d+ "


@pytest.mark.parametrize(
    ("fault", "breaks"),
    [
        # The buffer lets a broadcast go once one branch is through.
        ((READER, rf"finish = ({WIRE}) & {WIRE};", r"finish = \1;"), "buffer_digit1_vc0"),
        # A broadcast that is too long is not forgotten.
        (("interface_injector", r"o__cancel\[0\] = .*;", "o__cancel[0] = 1'h0;"), "injection"),
        *(
            pytest.param(*fault, marks=pytest.mark.slow)
            for fault in [
                # A copy leaves with another label than its packet's.
                ((BRANCH, r"labels__1 = .*;", "labels__1 = 1'h0;"), "order_digit1_vc0"),
                # A branch sends its packet again and again.
                ((READER, rf"rest = wanted & {WIRE};", "rest = wanted;"), "buffer_digit1_vc0"),
                # A branch takes what is shown, whether or not it is next.
                ((READER, r"= wanted & here;", "= wanted;"), "buffer_digit1_vc0"),
                # The node gets no copy.
                ((BRANCH, r"select = 2'h3;", "select = 2'h2;"), "buffer_digit1_vc0"),
                # A branch that is blocked holds up the others.
                ((READER, rf"= moved \| {WIRE};", "= moved;"), "sharing_digit1_vc0"),
                # A flit is written over that some branch has not read.
                (
                    ("input_digit1_vc0", r"i__ready = ~ full;", "i__ready = 1'h1;"),
                    "order_digit1_vc0",
                ),
            ]
        ),
    ],
)
def test_a_fault_of_a_branching_router_is_found(fault, breaks):
    found = outcomes(NET, only=[breaks], break_it=changing(*fault))
    result, reason = found[breaks]
    assert result == FAILED
    assert reason.startswith(("counterexample: ", "it rests on "))


def test_gates_that_branch_otherwise_than_the_rule_are_found(monkeypatch):
    class Reversed(LabelBranches):
        def _crosses(self):
            return ~super()._crosses()

    monkeypatch.setitem(BRANCH_COMPUTATIONS, "label", Reversed)
    found = outcomes(NET, only=["branches"])
    assert found["branches"][0] == FAILED


@pytest.mark.parametrize(
    "words",
    [
        "wk w=3 levels=2",
        "wk w=3 levels=2 broadcast=mask",
        pytest.param("tcpg k=1 m=1", marks=pytest.mark.slow),
    ],
)
def test_as_many_copies_come_to_the_routers_as_there_are_nodes(words):
    network = Network.from_words(words.split())
    topology, routing = network.topology, network.routing
    cases = [
        (case.address, case.source)
        for kind in network.router_kinds
        for (_, vc), ones in legal_copies(network, kind).items()
        for case in ones
        if vc < routing.classes
    ]
    assert len(set(cases)) == len(cases) == topology.nodes**2
