"""Collectives in the self-test: a sound tree passes; each fault in one raises its counter."""

import pytest
from amaranth.hdl import Module
from amaranth.lib import wiring
from helpers.cases import slow
from helpers.collectives import SEVERAL, SUM, form_of, tree_of
from helpers.operations import SaturatingAdd, operation_of
from helpers.self_tests import expected_line, pulse
from knotwork import Network
from knotwork.collective_groups import NodeGroup
from knotwork.gateware.collectives.tree import CollectiveGroup
from knotwork.routing.collectives import Operation
from knotwork_boards.selftest import Fault
from knotwork_boards.selftest.collectives import CollectiveTest

ROUNDS_LOG2 = 2


class Group(wiring.Component):
    """Group with its test; `tamper` changes how the two are connected."""

    def __init__(self, tree, form, tamper=None):
        self.tests = CollectiveTest(
            [NodeGroup("collective", tree, form)], rounds_log2=ROUNDS_LOG2, faults=True
        )
        self.collective = CollectiveGroup(tree, form)
        self._tamper = tamper
        super().__init__({})

    def elaborate(self, platform):
        m = Module()
        m.submodules.tests, m.submodules.group = self.tests, self.collective
        self.tests.connect(m, self)
        if self._tamper is not None:
            self._tamper(m, self.tests._tests["collective"], self.collective)
        return m


@pytest.fixture
def windows(run):
    """Answers, wrong ones, and the verdict of each of some windows."""

    def windows(tree, form, *, alters=(0,), tamper=None):
        dut, found = Group(tree, form, tamper), []

        async def testbench(ctx):
            for altered in alters:
                ctx.set(dut.tests.alters, altered)
                await pulse(ctx, dut.tests.clear)
                await ctx.tick().repeat(4)
                await pulse(ctx, dut.tests.start)
                quiet = 0
                while quiet < 200:
                    *_, active = await ctx.tick().sample(dut.tests.active)
                    quiet = 0 if active else quiet + 1
                counts = ctx.get(dut.tests.counts)
                found.append((counts.answers, counts.wrong_answers, ctx.get(dut.tests.passed)))

        run(dut, testbench)
        return found

    return windows


@pytest.mark.parametrize(
    ("word", "members", "operations"),
    [
        ("mesh:x=2,y=2", None, (SUM,)),
        ("mesh:x=3,y=2", [5, 0, 3], SEVERAL),
        ("lcan:d=2,u=2,levels=2", None, (Operation("max", 8, signed=True), SUM)),
        ("mesh:x=2,y=2,nodes_per_router=2", [3], (Operation("min", 32),)),
    ],
)
def test_a_sound_group_passes_and_a_wrong_word_of_one_member_is_found_by_all(
    windows, word, members, operations
):
    topology = Network.from_word(word).topology
    tree, form = tree_of(topology, members), form_of(topology, operations)
    count = len(tree.members)
    answers = count * (2 + len(operations)) << ROUNDS_LOG2
    found = windows(tree, form, alters=(0, 1, 0))
    assert found == [(answers, 0, 1), (answers, count, 0), (answers, 0, 1)]


def test_an_operation_of_a_user_is_in_the_tree_and_not_tested(windows):
    """A barrier, the sum and a broadcast: the oracle does not have the gates of the other one."""
    topology = Network.from_word("mesh:x=2,y=2").topology
    tree, form = tree_of(topology), form_of(topology, (operation_of(SaturatingAdd, 8), SUM))
    answers = 4 * 3 << ROUNDS_LOG2
    assert windows(tree, form, alters=(0, 1)) == [(answers, 0, 1), (answers, 4, 0)]


def withheld(m, test, group):
    m.d.comb += [test.receive[1].valid.eq(0), group.receive[1].ready.eq(0)]


def altered(field):
    def tamper(m, test, group):
        was = getattr(group.receive[1].p, field)
        m.d.comb += getattr(test.receive[1].p, field).eq(was ^ 1)

    return tamper


def altered_header(field):
    def tamper(m, test, group):
        was = getattr(group.receive[1].p.header, field)
        m.d.comb += getattr(test.receive[1].p.header, field).eq(was ^ 1)

    return tamper


def summed_twice(m, test, group):
    """One member's words are another's too."""
    m.d.comb += group.send[2].p.data.eq(test.send[1].p.data)


@pytest.mark.parametrize(
    "tamper",
    [
        altered("data"),
        altered("fault"),
        altered_header("kind"),
        altered_header("operation"),
        altered_header("root"),
    ],
)
def test_a_wrong_answer_is_counted_once_in_a_round_where_it_came(windows, tamper):
    topology = Network.from_word("mesh:x=2,y=2").topology
    tree, form = tree_of(topology), form_of(topology, (SUM, Operation("xor", 32)))
    assert windows(tree, form, tamper=tamper) == [(64, 1 << ROUNDS_LOG2, 0)]


def test_a_member_that_is_counted_with_anothers_words_is_noticed_by_all(windows):
    topology = Network.from_word("mesh:x=2,y=2").topology
    tree, form = tree_of(topology), form_of(topology)
    ((answers, wrong, passed),) = windows(tree, form, tamper=summed_twice)
    assert (answers, passed) == (48, 0)
    assert wrong == 16


def test_an_answer_that_does_not_come_ends_the_rounds_and_fails_the_window(windows):
    topology = Network.from_word("mesh:x=2,y=2").topology
    tree, form = tree_of(topology), form_of(topology)
    ((answers, _, passed),) = windows(tree, form, tamper=withheld)
    assert answers < 48
    assert not passed


def test_what_a_group_reports_is_wrong(windows):
    topology = Network.from_word("mesh:x=2,y=2").topology
    tree, form = tree_of(topology), form_of(topology)
    for name in ("refused", "fault"):

        def report(m, test, group, name=name):
            port = test.refused if name == "refused" else test.fault[2]
            m.d.comb += port.eq(group.receive[2].valid & group.receive[2].p.last)

        ((answers, wrong, passed),) = windows(tree, form, tamper=report)
        assert answers == 48
        assert wrong >= 12
        assert not passed


def lines_of(network, sent, answers, windows):
    """Lines of windows, each with so many wrong answers."""
    lines = []
    for number, wrong in enumerate(windows):
        verdict = "FAIL" if wrong else "PASS"
        line = expected_line(network.name, number, verdict, sent=sent, received=sent)
        lines.append(line.replace(verdict, f"answers={answers} wrong_answers={wrong} {verdict}"))
    return lines


SMALL = "data_width=8,collectives=yes,collective_width=16"


@pytest.mark.parametrize(
    ("word", "sent", "answers"),
    [
        ("hypercube:n=1,buffer_depth=2", 16, 24),
        slow("mesh:x=2,y=2,router=deflection,sequence_width=3", 64, 48),
        slow("lcan:d=2,u=2,levels=2", 64, 48),
        slow("hypercube:n=2,routing=lc1", 512, 48),
        slow("mesh:x=2,y=2,groups=all/0-1,operations=sum,min,signed_max,or", 64, 144),
    ],
)
def test_every_class_of_network_tests_its_groups_too(self_test, word, sent, answers):
    network = Network.from_word(f"{word},{SMALL}")
    members = sum(len(group.tree.members) for group in network.collective_groups)
    faults = [Fault.NONE, Fault.WORD, Fault.NONE]
    found = self_test(network=network, rounds_log2=2, faults=True).windows(3, faults)
    assert [line for line, _ in found] == lines_of(network, sent, answers, [0, members, 0])
    assert [leds[1:] for _, leds in found] == [(1, 0), (0, 1), (0, 1)]


@pytest.mark.slow
def test_the_emitted_self_test_reports_groups_too(simulated):
    network = Network.from_word("mesh:x=2,y=2,collectives=yes,groups=all/1-3,name=net")
    lines = simulated(network, [None] * 3, clock_hz=12_000_000, rounds_log2=2)
    assert [line for line, *_ in lines] == lines_of(network, 64, 84, [0] * 3)
