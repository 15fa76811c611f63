"""Proofs that a mutant is equivalent: no input can ever make its outputs differ.

Mutant and original start in the same state, any one that agrees with the memories' initial values,
are reset, and get the same inputs. The proof is an induction: it assumes that registers are equal
in one cycle and shows that they are equal in the next. A register for which that fails, or is not
found out in time, is released: from then on either copy may have any value. If the outputs are
equal whatever the released registers hold, they are equal forever. Outputs are compared while there
is no reset, and the payload of a node's stream only while the stream is valid.

References
----------
C. A. J. van Eijk, "Sequential equivalence checking based on structural similarities", IEEE Trans.
CAD 19(7), 2000.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple, Self

from .gates import FALSE, TRUE
from .invariants import over
from .netlist import Netlist
from .original import AnyCycle, Original, by_bit, valid_port


class Answer(NamedTuple):
    """Outcome of a proof."""

    equivalent: bool  # whether no input can reveal the mutant
    reason: str  # why, or the output at which it may show


Relations = dict[int, set[int]]
"""When each register of the netlist equals the original's: `ALWAYS`, or while a register of the
original has a value, written as in a `Clause`."""

ALWAYS = 0

LOOSE = 100
"""Released registers beyond which a proof gives up: such a mutant is a fault, and each costs."""


class _Pair:
    """A mutant and the original in one cycle, with the same inputs.

    `relations` say which registers are equal before the cycle; the others have any value, or those
    in `states`. With `idle`, links may carry different payloads while they are not valid.
    """

    def __init__(
        self,
        netlist: Netlist,
        mutant: int,
        original: Original,
        cycle: AnyCycle,
        relations: Relations,
        *,
        states: Sequence[int] | None = None,
        idle: bool = False,
    ) -> None:
        self.gates, self._original, self._cycle, self._idle = cycle.gates, original, cycle, idle
        self.one = cycle.one
        before = list(states or (self.gates.free() for _ in netlist.registers))
        for register, guards in relations.items():
            partner = original.of[register]
            if partner is not None:
                when = self.gates.any(_while(guard, cycle.first) for guard in guards)
                before[register] = self.gates.choice(when, cycle.first[partner], before[register])
        ports = cycle.idle_ports if idle else cycle.ports
        self.other = netlist.evaluate(self.gates, by_bit(netlist, ports), before, mutant)

    @classmethod
    def after_reset(cls, netlist: Netlist, mutant: int, original: Original) -> Self:
        """Both in the first cycle, a reset: only memories may differ before it."""
        cycle = original.reset
        states = netlist.before_reset(cycle.gates)
        same = {r: {ALWAYS} for r in range(len(states)) if r not in netlist.power_on_values}
        return cls(netlist, mutant, original, cycle, same, states=states)

    def may_differ(self, register: int, guard: int = ALWAYS) -> bool:
        """Whether a register can differ from the original's after this cycle."""
        return self._perhaps(self._difference(register, guard))

    def _difference(self, register: int, guard: int) -> int:
        partner = self._original.of[register]
        if partner is None:
            return TRUE
        differs = self.gates.differ(self.one.registers[partner], self.other.registers[register])
        return self.gates.both(_while(guard, self.one.registers), differs)

    def differing_output(self, netlist: Netlist) -> str:
        """Name of an output that may differ; empty if there is none."""
        cycle = self._cycle
        theirs = dict(_by_name(self._original.netlist.outputs, self.one.outputs))
        given = [bit for bits in cycle.ports.values() for bit in bits]
        values = dict(_by_name(cycle.ports, given)) | theirs
        running = cycle.ports["rst"][0] ^ 1
        for name, literal in _by_name(netlist.outputs, self.other.outputs):
            differs = self.gates.both(running, self.gates.differ(theirs[name], literal))
            port = name.partition("[")[0]
            valid = valid_port(port) if self._idle else ""
            valid = valid or f"{port.rpartition('_t')[0]}_tvalid"
            if port != valid and f"{valid}[0]" in values:
                bits = [bit for key, bit in values.items() if key.partition("[")[0] == valid]
                differs = self.gates.both(self.gates.any(bits), differs)
            if self._perhaps(differs):
                return name
        return ""

    def _perhaps(self, literal: int) -> bool:
        return literal != FALSE and self._cycle.cnf.perhaps([self._cycle.cnf.literal(literal)])


def _while(guard: int, registers: Sequence[int]) -> int:
    return TRUE if guard == ALWAYS else over((guard,), registers)[0]


def _by_name(
    ports: Mapping[str, Sequence[object]], literals: Sequence[int]
) -> Iterator[tuple[str, int]]:
    places = (f"{port}[{place}]" for port, bits in ports.items() for place in range(len(bits)))
    return zip(places, literals, strict=True)


def prove(netlist: Netlist, mutant: int, original: Original) -> Answer:
    """Try to prove that a mutant's outputs always equal those of the original.

    The second attempt lets links carry different payloads while they are not valid, provided that
    no output depends on them: two such mutants may then be neighbours.
    """
    answer = _try(netlist, mutant, original, idle=False)
    has_links = any(valid_port(port) in netlist.inputs for port in netlist.inputs)
    if answer.equivalent or not has_links:
        return answer
    other = _try(netlist, mutant, original, idle=True)
    return other if other.equivalent else answer


def _try(netlist: Netlist, mutant: int, original: Original, *, idle: bool) -> Answer:
    reset = _Pair.after_reset(netlist, mutant, original)
    cycle = original.cycle

    def weaker(register: int) -> set[int]:
        """Guards under which a register that may differ is equal after the reset."""
        return {g for g in original.guards[register] if not reset.may_differ(register, g)}

    relations = {
        register: weaker(register) if reset.may_differ(register) else {ALWAYS}
        for register in range(len(netlist.registers))
    }
    while True:
        pair = _Pair(netlist, mutant, original, cycle, relations, idle=idle)
        if output := pair.differing_output(netlist):
            return Answer(False, f"may show at {output}")
        wrong = [
            (register, guard)
            for register, guards in relations.items()
            for guard in guards
            if pair.may_differ(register, guard)
        ]
        if not wrong:
            break
        for register, guard in wrong:
            relations[register].discard(guard)
            if guard == ALWAYS:
                relations[register] |= weaker(register)
        if sum(ALWAYS not in guards for guards in relations.values()) > LOOSE:
            return Answer(False, f"may show: more than {LOOSE} registers may differ")
    loose = [netlist.name(r) for r, guards in relations.items() if ALWAYS not in guards]
    if not loose:
        why = "no register and no output depends on it"
    else:
        why = f"no output depends on what differs: {', '.join(loose[:3])}"
        why += f" and {len(loose) - 3} more" if len(loose) > 3 else ""
    return Answer(True, why + (" (by invariants)" if original.invariants else ""))
