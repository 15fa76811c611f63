"""Trees of collectives for mutants: what each port takes and must show, cycle by cycle.

What members offer depends on what was taken before, and so on the tree. As long as a mutant does
what the golden model does, both are offered the same: so the cycles of the model are written down
once, and a mutant is compared with them until it differs.
"""

import os
import random
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

from helpers.collectives import Group, Message, drawn_rounds, faulty_messages
from knotwork.collective_groups import NodeGroup
from knotwork.emit.modules import Shell, module_verilog
from knotwork.formal.component import component_shell
from knotwork.gateware.collectives.messages import received_layout, sent_layout
from knotwork.gateware.collectives.tree import CollectiveGroup
from knotwork.network import Network
from knotwork.routing.collectives import KIND_BITS, Collective, MessageFormat
from knotwork_sim.model.collectives import Beat, CollectiveModel, Header
from knotwork_sim.rtl.programs import build_executable, compiled_sources
from knotwork_sim.rtl.wrapper import TOP

from .mutants import INPUT, Mutant, input_width, switched_verilog

COLLECTIVES = 40
"""Collectives of a run."""
RUNS = 6
"""Runs of a round: with each of `STALLS`, without and with faults."""
QUIET = 40
"""Cycles without a beat after which a run ends."""
STALLS = (0.0, 0.3, 0.7)
"""Shares of the cycles in which members pause."""
WORD = 64


class Fields(NamedTuple):
    """Values of ports by name, and of which the mutant must show them."""

    inputs: dict[str, int]
    outputs: dict[str, int]


class Cycles(NamedTuple):
    """Cycles of a run: reset, inputs, outputs, and the bits of these that count, as integers."""

    resets: list[int]
    inputs: list[int]
    outputs: list[int]
    counts: list[int]


class TreeBench:
    """Tree of a network's first group as a module, its ports side by side, and its model.

    Parameters
    ----------
    network : Network
        Network with collectives.
    name : str
        Name of the module.
    """

    def __init__(self, network: Network, name: str) -> None:
        self.name, self.group = name, network.collective_groups[0]
        shell = _shell(self.group)
        self.inputs, self.outputs = shell.widths
        self.verilog = module_verilog(shell, name)

    def testbench(self) -> str:
        """Module in which a vector has all inputs of the tree, and another all outputs."""
        pins, place = [], {"in_": 0, "out": 0}
        for vector, ports in (("in_", self.inputs), ("out", self.outputs)):
            for port, bits in ports.items():
                pins.append(f".{port}({vector}[{place[vector]} +: {bits}])")
                place[vector] += bits
        return (
            f"module {TOP} (input clk, input rst, input [{INPUT}_BITS-1:0] {INPUT},\n"
            f"  input [{place['in_'] - 1}:0] in_, output [{place['out'] - 1}:0] out);\n"
            f"  {self.name} tree (.clk(clk), .rst(rst), .{INPUT}({INPUT}),\n    "
            + ",\n    ".join(pins)
            + ");\nendmodule\n"
        )

    def port_of(self, bit: int) -> str:
        """Kind of the output that has a bit of the vector, ``receive_payload``."""
        for port, bits in self.outputs.items():
            if bit < bits:
                return "_".join(part for part in port.split("_") if not part.isdigit())
            bit -= bits
        raise ValueError("a bit must be of an output")

    def run(self, number: int) -> Cycles:
        """Cycles of a run; of those before the reset in the middle of traffic, nothing counts."""
        rng = random.Random(number)
        stall, has_faults = STALLS[number % len(STALLS)], number // len(STALLS) % 2
        cycles = Cycles([], [], [], [])
        before = self._messages(rng, has_faults=True)
        for fields in self._cycles(before, rng, 0.5, most=rng.randrange(20, 200)):
            self._add(cycles, fields.inputs, {})
        for _ in range(2):
            self._add(cycles, {"rst": 1}, {})
        messages = self._messages(rng, has_faults=bool(has_faults))
        for fields in self._cycles(messages, rng, stall):
            self._add(cycles, fields.inputs, fields.outputs)
        return cycles

    def _messages(self, rng: random.Random, *, has_faults: bool) -> dict[int, list[Message]]:
        """Messages of each member; with faults, some end too early or name what is not there."""
        tree, form = self.group.tree, self.group.form
        if not has_faults:
            drawn = drawn_rounds(tree, form, rng, COLLECTIVES).messages
        else:
            drawn = faulty_messages(form, rng, tree.members, COLLECTIVES)
            for messages in drawn.values():
                for place in rng.sample(range(len(messages)), len(messages) // 3):
                    messages.insert(place, self._any_message(rng))
        return {
            node: [
                one._replace(data=[self._word(rng, word) for word in one.data]) for one in messages
            ]
            for node, messages in drawn.items()
        }

    def _any_message(self, rng: random.Random) -> Message:
        """Message of one sender, or with a root outside the group, with parts anywhere."""
        form, length = self.group.form, rng.randint(1, 6)
        alone = rng.randrange(Collective.BROADCAST, 1 << KIND_BITS)
        is_rooted = rng.random() < 0.3
        outside = [
            node for node in range(1 << form.root_bits) if node not in self.group.tree.members
        ]
        header = Header(
            rng.choice((Collective.REDUCE, Collective.GATHER)) if is_rooted else alone,
            rng.randrange(1 << form.operation_bits),
            rng.choice(outside) if is_rooted and outside else rng.randrange(1 << form.root_bits),
        )
        if is_rooted and not outside:
            header = header._replace(kind=alone)
        parts = frozenset(place for place in range(length) if rng.random() < 0.5)
        return Message(header, [rng.getrandbits(form.width) for _ in range(length)], parts)

    def _word(self, rng: random.Random, word: int) -> int:
        """Beat of a message: any, or one that differs from others in a few bits."""
        beat = (1 << self.group.form.width) - 1
        if rng.random() < 0.5:
            return word & beat
        return rng.choice((0, beat)) ^ (1 << rng.randrange(self.group.form.width))

    def _cycles(
        self,
        messages: dict[int, list[Message]],
        rng: random.Random,
        stall: float,
        most: int = 100_000,
    ) -> Iterator[Fields]:
        """What a tree takes and shows that was reset before."""
        form = self.group.form
        model, group = CollectiveModel(self.group.tree, form), Group(messages, rng, stall)
        quiet = 0
        for _ in range(most):
            group.offer()
            cycle = model.step(group.beats, group.ready)
            inputs: dict[str, int] = {}
            outputs = {name: 0 for name in self.outputs if name.startswith("fault")}
            for member, (beat, takes, answer) in enumerate(
                zip(group.beats, group.ready, cycle.answers, strict=True)
            ):
                inputs[f"receive_{member}_ready"] = takes
                inputs[f"send_{member}_valid"] = beat is not None
                outputs[f"receive_{member}_valid"] = answer is not None
                if beat is not None:
                    inputs[f"send_{member}_payload"] = _sent(form, beat)
                    outputs[f"send_{member}_ready"] = cycle.taken[member]
                if answer is not None:
                    outputs[f"receive_{member}_payload"] = _received(form, answer)
            for name, bits in (("refused", cycle.refused), ("waits", cycle.waits)):
                outputs[name] = sum(bit << member for member, bit in enumerate(bits))
            for fault in cycle.faults:
                outputs[f"fault_{self.group.tree.members.index(fault.member)}"] |= fault.bits
            yield Fields(inputs, outputs)
            group.step(cycle.answers, cycle.taken)
            moves = any(cycle.taken) or any(answer is not None for answer in cycle.answers)
            quiet = 0 if moves else quiet + 1
            if quiet == QUIET:
                return

    def _add(self, cycles: Cycles, inputs: dict[str, int], outputs: dict[str, int]) -> None:
        """Add a cycle; ports that are not named are 0, or do not count."""
        taken = place = 0
        for port, bits in self.inputs.items():
            taken |= inputs.get(port, 0) << place
            place += bits
        shown = counts = place = 0
        for port, bits in self.outputs.items():
            if port in outputs:
                shown |= outputs[port] << place
                counts |= ((1 << bits) - 1) << place
            place += bits
        cycles.resets.append(inputs.get("rst", 0))
        cycles.inputs.append(taken)
        cycles.outputs.append(shown)
        cycles.counts.append(counts)


def _shell(group: NodeGroup) -> Shell:
    return component_shell(CollectiveGroup(group.tree, group.form))


def _header(form: MessageFormat, header: Header) -> int:
    low = header.kind | header.operation << KIND_BITS
    return low | header.root << (KIND_BITS + form.operation_bits)


def _sent(form: MessageFormat, beat: Beat) -> int:
    values = {
        "data": beat.data,
        "last": beat.last,
        "part": beat.part,
        "header": _header(form, beat.header),
    }
    layout = sent_layout(form)
    return sum(int(value) << layout[name].offset for name, value in values.items())


def _received(form: MessageFormat, beat: Beat) -> int:
    values = {
        "data": beat.data,
        "last": beat.last,
        "part": beat.part,
        "fault": beat.fault,
        "header": _header(form, beat.header),
    }
    layout = received_layout(form)
    return sum(int(value) << layout[name].offset for name, value in values.items())


def job_bytes(bench: TreeBench, runs: Sequence[Cycles]) -> bytes:
    """Runs in the form that trees.cpp reads: words of 64 bits."""
    words = [-(-sum(ports.values()) // WORD) for ports in (bench.inputs, bench.outputs)]

    def number(value: int, count: int = 1) -> bytes:
        return value.to_bytes(count * WORD // 8, "little")

    found = [number(len(runs))]
    for run in runs:
        found.append(number(len(run.inputs)))
        for reset, taken, shown, counts in zip(*run, strict=True):
            found += [number(reset), number(taken, words[0])]
            found += [number(shown, words[1]), number(counts, words[1])]
    return b"".join(found)


class TreeVerdict(NamedTuple):
    """Outcome of a mutant's simulations: where it first differed, and at which output."""

    run: int  # -1 if it did not
    cycle: int
    what: str
    message: str = ""  # message of an assertion that failed

    @property
    def killed(self) -> bool:
        """Whether the simulations detected it."""
        return self.run >= 0


def judge_tree(bench: TreeBench, mutants: Sequence[Mutant], rounds: range) -> list[TreeVerdict]:
    """Run the original tree, and the tree with each mutant, through some rounds of runs."""
    numbers = range(rounds.start * RUNS, rounds.stop * RUNS)
    switched = switched_verilog(bench.verilog, bench.name, mutants)
    wrapper = bench.testbench().replace(f"{INPUT}_BITS", str(input_width(mutants)))
    program = Path(__file__).with_name("trees.cpp")
    executable = build_executable(
        {
            "tree.v": switched,
            "testbench.v": wrapper,
            **compiled_sources("ports.h"),
            program.name: program.read_text(encoding="utf-8"),
        },
        asserts=True,
        KNOTWORK_INPUTS=sum(bench.inputs.values()),
        KNOTWORK_OUTPUTS=sum(bench.outputs.values()),
    )
    with tempfile.TemporaryDirectory(prefix="knotwork-") as folder:
        job = Path(folder) / "job"
        job.write_bytes(job_bytes(bench, [bench.run(number) for number in numbers]))

        def verdict(number: int) -> TreeVerdict:
            command = [executable, job, str(number)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:  # a mutant with a loop of gates, say
                return TreeVerdict(0, 0, "crash")
            *said, last = done.stdout.splitlines()
            run, cycle, bit = map(int, last.split())
            if run < 0:
                return TreeVerdict(-1, -1, "nothing")
            if bit < 0:
                return TreeVerdict(run, cycle, "assertion", said[0] if said else "")
            return TreeVerdict(run, cycle, bench.port_of(bit))

        with ThreadPoolExecutor(os.cpu_count()) as pool:
            return list(pool.map(verdict, [0, *(mutant.number for mutant in mutants)]))
