"""Beats and refusals that are not those of the golden model, each described in a text."""

from collections.abc import Sequence

from ..model.record import TakenBeat
from .exact_cycles import ExactCycles
from .expected import Expected
from .faults import Arrival, misrouted, source_text
from .mismatch import Mismatch, make_mismatch
from .network_facts import NetworkFacts
from .sent_packet import SentPacket


def wrong_refusal(
    facts: NetworkFacts, packet: SentPacket, node: int, cycle: int, exact: ExactCycles
) -> Mismatch:
    """Refusal in another cycle than the golden model's."""
    must = exact.next_refusal(node)
    when = "never" if must is None else f"in cycle {must}"
    headline = (
        f"{facts.label(node)} must refuse packet {packet.number} {when}, not in cycle {cycle}"
    )
    return make_mismatch(facts, "wrong cycle", headline, packet=packet, node=node)


def wrong_beat(expected: Expected, beat: TakenBeat, exact: ExactCycles) -> Mismatch:
    """Beat that is not the one that the golden model has at this node and cycle."""
    facts, must = expected.facts, exact.next_at(beat.node)
    here, due = facts.label(beat.node), None
    if must is not None:
        due = _packet_of(expected, exact.packet_of(must))
    golden = "no more beats there" if must is None else _beat_text(facts, must)
    details = [("golden model", golden), ("came", _beat_text(facts, beat))]
    if must is not None and must._replace(clock=beat.clock) == beat:
        headline = f"a beat at {here} must come in cycle {must.clock}, not in cycle {beat.clock}"
        return make_mismatch(
            facts, "wrong cycle", headline, packet=due, node=beat.node, details=details
        )
    packet = _packet_with(expected, beat)
    if packet is not None and beat.node not in packet.nodes:
        arrival = Arrival(beat.node, beat.source, packet.contents, beat.user, beat.clock)
        return misrouted(expected, arrival, [packet.number])
    return make_mismatch(
        facts,
        "wrong beat",
        f"a beat at {here} must be the golden model's",
        packet=due or packet,
        node=beat.node,
        cycle=beat.clock,
        details=details,
    )


def missing_beat(expected: Expected, exact: ExactCycles) -> Mismatch:
    """Beat that the golden model has had, and the network has not."""
    facts, beat = expected.facts, exact.missing()
    assert beat is not None
    return make_mismatch(
        facts,
        "missing",
        f"{facts.label(beat.node)} must take a beat",
        packet=_packet_of(expected, exact.packet_of(beat)),
        node=beat.node,
        cycle=beat.clock,
        details=[("golden model", _beat_text(facts, beat))],
    )


def wrong_injection(
    facts: NetworkFacts, packet: SentPacket, cycle: int, exact: ExactCycles
) -> Mismatch:
    """Packet that enters in another cycle than the golden model's."""
    must = exact.injected[packet.number]
    when = "never" if must < 0 else f"in cycle {must}"
    instead = "and did not" if cycle < 0 else f"not in cycle {cycle}"
    return make_mismatch(
        facts,
        "wrong injection",
        f"packet {packet.number} must enter {when}, {instead}",
        packet=packet,
        node=packet.source,
    )


def wrong_status(facts: NetworkFacts, cycle: int, value: int, exact: ExactCycles) -> Mismatch:
    """Status that is not the golden model's."""
    must = _status_text(exact.status[0]) if exact.status else "stay as it is"
    headline = f"status must {must}, not {_status_text((cycle, value))}"
    return make_mismatch(facts, "wrong status", headline)


def _status_text(change: tuple[int, int]) -> str:
    cycle, value = change
    return f"become {value:#x} in cycle {cycle}"


def unfinished(expected: Expected, exact: ExactCycles) -> Mismatch | None:
    """What of the golden model's the network has not done; its beats have all been judged."""
    facts, refusal = expected.facts, exact.missing_refusal()
    if refusal is not None:
        cycle, node = refusal
        left = expected.refusals[node]
        what = f"packet {left[0].number}" if left else "a packet"
        headline = f"{facts.label(node)} must refuse {what} in cycle {cycle}, and did not"
        return make_mismatch(
            facts, "not refused", headline, packet=left[0] if left else None, node=node
        )
    if exact.status:
        change = _status_text(exact.status[0])
        return make_mismatch(facts, "wrong status", f"status must {change}, and did not")
    return None


def _beat_text(facts: NetworkFacts, beat: TakenBeat) -> str:
    """Beat in one line."""
    last = ", the last beat" if beat.last else ""
    user = f", tuser {beat.user}" if beat.user else ""
    return f"{beat.data:#x} of {source_text(facts, beat.source)}{last}{user}, in cycle {beat.clock}"


def _packet_of(expected: Expected, beats: Sequence[TakenBeat]) -> SentPacket | None:
    """Packet that a node takes in these beats; the earliest that is still due there."""
    facts = expected.facts
    contents = facts.contents([beat.data for beat in beats])
    key = facts.key(facts.node_at.get(beats[0].source), contents)
    numbers = expected.due.fate(key, beats[0].node).packets
    return expected.packets[numbers[0]] if numbers else None


def _packet_with(expected: Expected, beat: TakenBeat) -> SentPacket | None:
    """First packet that has a beat's data, of its source where packets carry it."""
    facts = expected.facts
    for packet in expected.packets:
        own = not facts.has_source or facts.codes[packet.source] == beat.source
        if own and any(packet.data(flit) == beat.data for flit in range(packet.flits)):
            return packet
    return None
