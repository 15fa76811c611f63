"""The gates of collectives do what their model does, in every cycle."""

import random
from typing import ClassVar

import pytest
from amaranth.back import rtlil
from amaranth.hdl import Module, ResetInserter, Signal
from amaranth.lib import wiring
from amaranth.lib.wiring import In, Out
from amaranth.sim import Simulator
from helpers.collectives import (
    SEVERAL,
    SUM,
    Group,
    Message,
    drawn_rounds,
    faulty_messages,
    form_of,
    same_messages,
    tree_of,
)
from helpers.long_links import graph_of
from helpers.operations import Average, ComplexAdd, SaturatingAdd, operation_of
from knotwork import Network
from knotwork.errors import ConfigurationError
from knotwork.gateware.collectives.operations import operation_module
from knotwork.gateware.collectives.tree import CollectiveGroup
from knotwork.gateware.collectives.watchdog import CollectiveWatchdog
from knotwork.routing.collectives import Collective, Operation
from knotwork_sim.model.collectives import Beat, CollectiveModel, Header, Watchdog

LONG = [(0, 1, 2), (1, 2, 3), (2, 3, 1), (3, 0, 4), (1, 4, 2)]
"""Links of a graph that take several cycles."""


def _gates_equal_model(tree, form, messages, *, stall=0.0, seed=1, reset_after=0):
    """Simulate both, with the same offers, until nothing moves: answers, and the model's faults.

    With `reset_after` cycles of other messages and a reset before.
    """
    reset = Signal()
    gates, model = CollectiveGroup(tree, form), CollectiveModel(tree, form)
    group, faults = Group(messages, random.Random(seed), stall), []

    async def begin(ctx):
        before = Group(messages, random.Random(seed + 1), 0.5)
        for _ in range(reset_after):
            before.offer()
            taken, answers = [], []
            for beat, ready, send, receive in zip(
                before.beats, before.ready, gates.send, gates.receive, strict=True
            ):
                ctx.set(send.valid, beat is not None)
                ctx.set(receive.ready, ready)
                if beat is not None:
                    ctx.set(send.p, _sent(beat))
            for beat, send, receive in zip(before.beats, gates.send, gates.receive, strict=True):
                taken.append(beat is not None and bool(ctx.get(send.ready)))
                answers.append(_received(ctx, receive))
            before.step(answers, taken)
            await ctx.tick()
        ctx.set(reset, 1)
        await ctx.tick()
        ctx.set(reset, 0)

    async def bench(ctx):
        if reset_after:
            await begin(ctx)
        quiet = 0
        while quiet < 40:
            group.offer()
            for beat, ready, send, receive in zip(
                group.beats, group.ready, gates.send, gates.receive, strict=True
            ):
                ctx.set(send.valid, beat is not None)
                ctx.set(receive.ready, ready)
                if beat is not None:
                    ctx.set(send.p, _sent(beat))
            cycle = model.step(group.beats, group.ready)
            taken = [
                beat is not None and bool(ctx.get(send.ready))
                for beat, send in zip(group.beats, gates.send, strict=True)
            ]
            marks = [0] * len(tree.members)
            for fault in cycle.faults:
                marks[tree.members.index(fault.member)] |= fault.bits
            assert [_received(ctx, receive) for receive in gates.receive] == cycle.answers
            assert taken == cycle.taken
            assert [ctx.get(fault) for fault in gates.fault] == marks
            for bits, expected in ((gates.refused, cycle.refused), (gates.waits, cycle.waits)):
                assert ctx.get(bits) == sum(bit << member for member, bit in enumerate(expected))
            faults.extend(cycle.faults)
            group.step(cycle.answers, cycle.taken)
            moves = any(taken) or any(answer is not None for answer in cycle.answers)
            quiet = 0 if moves else quiet + 1
            await ctx.tick()

    simulator = Simulator(ResetInserter(reset)(gates))
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()
    assert group.has_sent
    return group.answers, faults


def _sent(beat):
    return {
        "data": beat.data,
        "last": beat.last,
        "part": beat.part,
        "header": beat.header._asdict(),
    }


def _received(ctx, stream):
    if not ctx.get(stream.valid):
        return None
    beat = ctx.get(stream.p)
    header = Header(beat.header.kind, beat.header.operation, beat.header.root)
    return Beat(beat.data, bool(beat.last), bool(beat.part), header, bool(beat.fault))


@pytest.mark.parametrize(
    "word", ["mesh:x=3,y=2", "lcan:d=2,u=2,levels=2", "mesh:x=2,y=2,nodes_per_router=2"]
)
@pytest.mark.parametrize("stall", [0.0, 0.4])
def test_gates_do_what_the_model_does_in_every_cycle(word, stall):
    topology = Network.from_word(word).topology
    rng = random.Random(word)
    tree, form = tree_of(topology), form_of(topology, SEVERAL if stall else (SUM,))
    rounds = drawn_rounds(tree, form, rng, 6)
    answers, faults = _gates_equal_model(tree, form, rounds.messages, stall=stall)
    assert answers == rounds.answers
    assert not faults


USER_DEFINED = {
    "one": (operation_of(SaturatingAdd, 16),),
    "at once": (operation_of(Average, 8),),
    "mixed": (
        operation_of(Average, 16),
        SUM,
        operation_of(SaturatingAdd, 8),
        Operation("min", 16),
    ),
}


@pytest.mark.parametrize("operations", USER_DEFINED.values(), ids=USER_DEFINED)
@pytest.mark.parametrize(("word", "stall"), [("mesh:x=3,y=2", 0.3), ("lcan:d=3,u=1,levels=2", 0.0)])
def test_operations_of_a_user_take_their_cycles_and_nothing_overtakes(word, stall, operations):
    topology = Network.from_word(word).topology
    tree, form = tree_of(topology), form_of(topology, operations)
    rounds = drawn_rounds(tree, form, random.Random(word), 10)
    answers, faults = _gates_equal_model(tree, form, rounds.messages, stall=stall)
    assert answers == rounds.answers
    assert not faults


@pytest.mark.parametrize(
    ("members", "line"),
    [
        (None, "gates(8) must be a wiring.Component of Amaranth, not NoneType"),
        ({"one": In(8), "result": Out(8)}, "gates(8) must have a member In(8) other, not none"),
        (
            {"one": In(8), "other": In(4), "result": Out(8)},
            "gates(8) must have a member In(8) other, not In(4)",
        ),
        (
            {"one": In(8), "other": In(8), "result": In(8)},
            "gates(8) must have a member Out(8) result, not In(8)",
        ),
        (
            {"one": In(8), "other": In(8), "result": Out(8), "enable": In(1)},
            "gates(8) must have no member enable, not In(1)",
        ),
    ],
)
def test_gates_of_a_user_whose_members_do_not_fit_are_refused(members, line):
    made = (lambda _: None) if members is None else (lambda _: wiring.Component(members))
    kind = type("Mine", (Average,), {"name": "mine", "gates": staticmethod(made)})
    with pytest.raises(ConfigurationError) as refusal:
        operation_module(kind, 8)
    assert str(refusal.value) == f"user:mine: {line}"


def test_a_users_verilog_is_an_instance_where_amaranth_builds():
    class Platform:
        files: ClassVar = {}

        def add_file(self, name, text):
            self.files[name] = text

    m, made = Module(), operation_module(ComplexAdd, 16)
    m.submodules.made = made
    m.d.comb += [made.one.eq(1), made.other.eq(2), made.enable.eq(1), made.valid.eq(1)]
    text = rtlil.convert(m, platform=Platform(), ports=[made.result])
    assert "cell \\complex_adder " in text
    assert "parameter \\HALF 8" in text
    for pin in ("clk", "rst", "ce", "given", "a", "b", "y"):
        assert f"connect \\{pin} " in text
    assert [*Platform.files] == ["complex_adder.v"]
    assert "module complex_adder" in Platform.files["complex_adder.v"]


def test_gates_of_a_user_that_raise_are_refused():
    kind = type("Mine", (Average,), {"name": "mine", "gates": staticmethod(lambda _: 1 // 0)})
    with pytest.raises(ConfigurationError) as refusal:
        operation_module(kind, 8)
    assert str(refusal.value) == (
        "user:mine: gates(8) must be a component, but raised ZeroDivisionError: integer division "
        "or modulo by zero"
    )


def test_messages_that_differ_end_alike_behind_an_operation_that_takes_cycles():
    topology = Network.from_word("mesh:x=3,y=2").topology
    tree, form = tree_of(topology), form_of(topology, USER_DEFINED["one"])
    messages = faulty_messages(form, random.Random(2), tree.members)
    _, faults = _gates_equal_model(tree, form, messages, stall=0.3, reset_after=30)
    assert faults


@pytest.mark.parametrize("cycles", [5, 17, 60])
def test_after_a_reset_from_any_state_it_is_as_new(cycles):
    topology = Network.from_word("mesh:x=3,y=2").topology
    tree, form = tree_of(topology), form_of(topology)
    rounds = drawn_rounds(tree, form, random.Random(cycles), 6)
    answers, _ = _gates_equal_model(
        tree, form, rounds.messages, stall=0.2, seed=cycles, reset_after=cycles
    )
    assert answers == rounds.answers


def test_links_of_several_cycles_hold_what_is_on_them():
    topology = graph_of(LONG)
    tree, form = tree_of(topology), form_of(topology)
    rounds = drawn_rounds(tree, form, random.Random(3), 8)
    answers, _ = _gates_equal_model(tree, form, rounds.messages, stall=0.3)
    assert answers == rounds.answers


@pytest.mark.parametrize("word", ["mesh:x=3,y=2", "lcan:d=2,u=2,levels=2"])
@pytest.mark.parametrize("seed", range(3))
def test_messages_that_differ_are_reported_and_end_alike_in_gates_and_model(word, seed):
    topology = Network.from_word(word).topology
    rng = random.Random(seed)
    tree, form = tree_of(topology), form_of(topology)
    messages = faulty_messages(form, rng, tree.members)
    _, faults = _gates_equal_model(tree, form, messages, stall=0.2 * seed, seed=seed)
    assert faults


@pytest.mark.parametrize(
    ("other", "bits"),
    [
        (Message(Header(Collective.BARRIER), [1]), 0b101),
        (Message(Header(Collective.ALL_REDUCE, 1), [1, 2, 3]), 0b001),
        (Message(Header(Collective.ALL_REDUCE, 0), [1, 2]), 0b100),
    ],
)
def test_a_member_that_differs_is_named_and_all_get_a_marked_answer(other, bits):
    topology = Network.from_word("mesh:x=3,y=3").topology
    tree, form = tree_of(topology), form_of(topology, SEVERAL)
    messages = same_messages(tree, Header(Collective.ALL_REDUCE), [1, 2, 3])
    messages[8] = [other]
    for node in tree.members:
        messages[node].append(Message(Header(Collective.BARRIER), [0]))
    answers, faults = _gates_equal_model(tree, form, messages)
    assert {(fault.member, fault.bits) for fault in faults} in ({(8, bits)}, {(8, 1), (8, 4)})
    for got in answers.values():
        assert [answer.fault for answer in got] == [True, False]


def test_another_root_is_named_and_all_learn_of_it():
    topology = Network.from_word("mesh:x=3,y=3").topology
    tree, form = tree_of(topology), form_of(topology)
    messages = same_messages(tree, Header(Collective.REDUCE, 0, 3), [5])
    messages[8] = [Message(Header(Collective.REDUCE, 0, 4), [5])]
    answers, faults = _gates_equal_model(tree, form, messages)
    assert {(fault.member, fault.bits) for fault in faults} == {(8, 0b010)}
    assert all(len(got) == 1 and got[0].fault for got in answers.values())


def test_a_root_outside_the_group_is_refused_and_nothing_is_started():
    topology = Network.from_word("mesh:x=3,y=2").topology
    tree, form = tree_of(topology, [0, 1, 4]), form_of(topology)
    barrier = Message(Header(Collective.BARRIER), [0])
    messages = same_messages(tree, Header(Collective.REDUCE, 0, 5), [1, 2])
    for sent in messages.values():
        sent += [Message(Header(Collective.GATHER, 0, 7), [1]), barrier]
    answers, faults = _gates_equal_model(tree, form, messages)
    assert not faults
    assert all([answer.header.kind for answer in got] == [0] for got in answers.values())


@pytest.mark.parametrize(("parts", "marked"), [(1, {0, 4}), (3, set()), (4, {4})])
def test_a_scatter_with_other_parts_than_members_is_marked(parts, marked):
    """Of too few parts at those who get none, of too many at the last one."""
    topology = Network.from_word("mesh:x=3,y=2").topology
    tree, form = tree_of(topology, [0, 1, 4]), form_of(topology)
    assert tree.order == (1, 0, 4)
    data = list(range(2 * parts))
    message = Message(Header(Collective.SCATTER), data, frozenset(data[1::2]))
    answers, _ = _gates_equal_model(tree, form, {0: [message], 1: [], 4: []})
    assert {node for node, (answer,) in answers.items() if answer.fault} == marked


def test_the_members_that_are_missing_are_named():
    topology = Network.from_word("mesh:x=3,y=3").topology
    tree, form = tree_of(topology), form_of(topology)
    model = CollectiveModel(tree, form)
    barrier = Beat(0, last=True, part=False, header=Header(Collective.BARRIER))
    late = {2, 3, 8}
    beats = [None if node in late else barrier for node in tree.members]
    assert not any(model.step([None] * 9, [True] * 9).waits)
    for _ in range(2 * tree.depth + 3):
        cycle = model.step(beats, [True] * 9)
        beats = [None if taken else beat for beat, taken in zip(beats, cycle.taken, strict=True)]
    assert {node for node in tree.members if cycle.waits[node]} == late


def _simulate(component, bench):
    simulator = Simulator(component)
    simulator.add_clock(1e-6)
    simulator.add_testbench(bench)
    simulator.run()


@pytest.mark.parametrize("bound", [1, 2, 5, 16])
def test_a_watchdog_finds_who_is_waited_for_after_one_to_two_bounds(bound):
    members, rng = 5, random.Random(bound)
    gates, model = CollectiveWatchdog(members=members, bound=bound), Watchdog(members, bound)
    waited, seen = [0] * members, set()

    async def bench(ctx):
        waits = [False] * members
        for _ in range(60 * bound):
            late = model.step(waits)
            ctx.set(gates.waits, sum(wait << member for member, wait in enumerate(waits)))
            assert ctx.get(gates.late) == sum(bit << member for member, bit in enumerate(late))
            for member, cycles in enumerate(waited):
                assert late[member] >= (cycles >= 2 * bound)
                assert late[member] <= (cycles >= bound)
                seen.add((late[member], cycles >= bound))
            await ctx.tick()
            for member, wait in enumerate(waits):
                waited[member] = waited[member] + 1 if wait else 0
                if rng.random() < 0.3 / bound:
                    waits[member] = not wait

    _simulate(gates, bench)
    assert seen >= {(True, True), (False, False)}


def test_a_group_reports_the_member_that_is_late_until_its_message_comes():
    tree = tree_of(Network.from_word("mesh:x=3,y=3").topology)
    form, bound, late = form_of(tree.topology), 12, {2, 7}
    gates, model = CollectiveGroup(tree, form, watchdog=bound), CollectiveModel(tree, form)
    watchdog, reported = Watchdog(len(tree.members), bound), []
    barrier = Beat(0, last=True, part=False, header=Header(Collective.BARRIER))

    async def bench(ctx):
        beats = [None if node in late else barrier for node in tree.members]
        for now in range(90):
            if now == 60:
                beats[2] = beats[7] = barrier
            for beat, send, receive in zip(beats, gates.send, gates.receive, strict=True):
                ctx.set(send.valid, beat is not None)
                ctx.set(receive.ready, 1)
                if beat is not None:
                    ctx.set(send.p, _sent(beat))
            cycle = model.step(beats, [True] * 9)
            reported.append({node for node, one in enumerate(watchdog.step(cycle.waits)) if one})
            assert ctx.get(gates.late) == sum(1 << node for node in reported[-1])
            beats = [None if took else beat for beat, took in zip(beats, cycle.taken, strict=True)]
            await ctx.tick()

    _simulate(gates, bench)
    assert [reported[now] for now in (bound, 59, 89)] == [set(), late, set()]
