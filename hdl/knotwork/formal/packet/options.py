"""Claims about options of routers that count credits: parity, choices, classes, monitors."""

from amaranth.hdl import Array, Cat, Const, Mux, Signal, Value

from ...gateware.packet.classes import StrictPriority, WeightedRoundRobin, class_port_name
from ...gateware.packet.input_buffer import InputBuffer
from ...gateware.packet.inputs import input_unicast_turns
from ...gateware.packet.output_port import OutputPort as OutputGateware
from ...gateware.parts.arbiter import is_one_hot_or_zero
from ...monitoring import input_probes
from ...network import RouterKind
from ...router_kind import by_class
from ..property import Property
from .credit_channel import CreditChannel, TurnQueue
from .credit_harness import CreditHarness
from .ports import OutputPort
from .special_channels import CopyChannel, CopyFront, WaysChannel


def _claim_votes(harness: CreditHarness) -> None:
    for front in harness.fronts.values():
        buffer = harness.component(f"input_{front.name}.buffer", InputBuffer)
        queues = [harness.queued[front.port, vc].queue for vc in front.vcs]
        behind = harness.probe(buffer.behind)
        for vc, queue in zip(front.vcs, queues, strict=True):
            is_read = _is_read(queue, queue.words, harness.probe(queue.gateware.behind), behind)
            harness.claim(~front.is_of(vc) | is_read)
        if not front.has_twin:
            continue
        # Of an only channel, the other entry is that of its head.
        chosen: Value = Const(1)
        if len(front.vcs) > 1:
            chosen = harness.probe(buffer.other_channel)
        other = harness.probe(buffer.other)
        for place, queue in enumerate(queues):
            is_read = _is_read(queue, queue.twins, queue.head, other)
            harness.claim((chosen != 1 << place) | is_read)


def _is_read(queue: TurnQueue, words: list[Signal], at: Value, found: Value) -> Value:
    """Whether the majority of the copies at one of a queue's pointers is found."""
    return (at >= queue.depth) | (found == Array(words)[at])


VOTES = Property(
    name="votes",
    text="what is read of an entry is the majority of its three copies, bit by bit, whatever the "
    "RAMs hold",
    claim=_claim_votes,
)


def _claim_escapes(harness: CreditHarness) -> None:
    for channel in harness.choosing.values():
        _claim_request_order(harness, channel)
    for (port, vc), receiver in harness.receivers.items():
        if receiver.all_free is not None:
            entered = _entered(harness.outputs[port], vc)
            harness.claim(~entered | receiver.is_empty)


def _claim_request_order(harness: CreditHarness, channel: WaysChannel) -> None:
    """Claim that a head requests its ways in their order, each after the one before was blocked."""
    front, packet = channel.front, channel.taken
    is_head = channel.valid & ~front.held
    escapes = input_unicast_turns(harness.network, harness.kind, channel.port, channel.vc).escapes
    escaping = Cat(channel.front_turn[channel.turns.index(turn)] for turn in escapes)
    due = harness.register(range(channel.ways), f"due_{channel.name}")
    with harness.m.If(is_head & channel.leaves):
        harness.m.d.sync += due.eq(0)
    with harness.m.Elif(is_head & ~harness.eligible(front)):
        harness.m.d.sync += due.eq(Mux(due == channel.ways - 1, 0, due + 1))
    harness.claim(due < channel.ways)
    harness.claim(~is_head | (channel.front_turn == channel.way(channel.first_turn, due)))
    # A head that is not shown keeps what it requests; before a head comes, its first way is due.
    harness.claim(packet.open | (channel.requested == due))
    harness.claim(~(packet.open | (channel.level == 0)) | (due == 0))
    if any(map(harness.can_happen, escapes)):
        for number in range(channel.ways):
            harness.cover(is_head & (due == number) & channel.leaves)
        harness.cover(is_head & escaping.any() & channel.leaves)


def _entered(output: OutputPort, vc: int) -> Value:
    """Whether a head is granted a virtual channel."""
    heads = [
        output.grants(front) & front.requests_vc(output.port, vc) & ~front.held
        for front in output.fronts
    ]
    return Cat(heads).any()


def escapes_property(base: tuple[Property, ...], credits_held: Property) -> Property:
    """Property that rests on `base`, queues, grants and packets of all ports, and on credits."""
    return Property(
        name="escapes",
        text="a head requests its first way, then the others in their order, its escape last, and "
        "then the first again, each only after the one before was blocked; but by an escape, it "
        "enters a virtual channel only while that is empty",
        claim=_claim_escapes,
        lemmas=(*base, credits_held),
    )


def _claim_sharing(harness: CreditHarness) -> None:
    for output in harness.outputs.values():
        if output.shares:
            _claim_open_class(harness, output)
            _claim_single_class(harness, output)


def _claim_open_class(harness: CreditHarness, output: OutputPort) -> None:
    """Claim which class the link is open to: one that could send, if any could."""
    count, number = harness.network.traffic_classes, harness.kind.traffic_class
    assert number is not None
    is_weighted = bool(harness.network.class_weights)
    kind = WeightedRoundRobin if is_weighted else StrictPriority
    classes = harness.component(f"classes_{output.link}", kind)
    requests, opens = harness.probe(classes.requests), harness.probe(classes.open)
    harness.claim(requests[number] == output.eligible.any())
    harness.claim(opens[number] == output.is_open)
    harness.claim(is_one_hot_or_zero(requests & opens))
    harness.claim(requests.any() == (requests & opens).any())
    if not is_weighted:
        harness.claim(opens[number] == ~requests[number + 1 :].any())
    else:
        assert isinstance(classes, WeightedRoundRobin)
        spent = harness.probe(classes.spent)
        waits = (requests & ~spent).any()
        harness.claim(~(requests[number] & opens[number] & spent[number]) | ~waits)
    if any(harness.reaches(front, output) for front in output.fronts):
        if number > 0:
            harness.cover(output.granted.any() & requests[:number].any())
        if number + 1 < count:
            harness.cover(output.eligible.any() & ~output.is_open)


def _claim_single_class(harness: CreditHarness, output: OutputPort) -> None:
    """Claim that no flit of another class is on the way to the link beside one of this class."""
    own = _granted_before(harness, output, output.name)
    for kind in _other_kinds(harness):
        name = class_port_name(output.link, kind)
        other = _granted_before(harness, output, name)
        for one, same in zip(own, other, strict=True):
            harness.claim(~(one & same))
        flit = harness.probe(harness.component(f"output_{name}", OutputGateware).flit)
        harness.claim(~own[-1] | (flit == 0))


def _granted_before(harness: CreditHarness, output: OutputPort, name: str) -> list[Value]:
    """Whether a class was granted the link: in this cycle, and in those until the flit is on it."""
    gateware = harness.component(f"output_{name}", OutputGateware)
    steps: list[Value] = [harness.probe(gateware.granted).any()]
    for number in range(1 + output.is_staged):
        before: Signal = harness.register(1, f"granted_{name}_{number}")
        harness.m.d.sync += before.eq(steps[-1])
        steps.append(before)
    if output.is_staged:
        crosses = harness.probe(gateware.crosses)
        harness.claim(crosses.any() == steps[1])
    return steps


def _other_kinds(harness: CreditHarness) -> list[RouterKind]:
    """The router's other classes."""
    kind = harness.kind
    return [
        one
        for one in by_class(harness.network.routing, kind)
        if one.traffic_class != kind.traffic_class
    ]


def sharing_property(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, packets, holders and grants."""
    return Property(
        name="sharing",
        text="a link is open to one class that could send, if any could: to the highest, or with "
        "weights to one that has spent its weight only if all that could send have; no flit of "
        "another class is on the way to the link beside it",
        claim=_claim_sharing,
        lemmas=base,
    )


def _claim_probes(harness: CreditHarness) -> None:
    inputs, nodes = input_probes(harness.module), harness.module.node_ports
    flits, waits, wants = (harness.port(f"probe_{name}") for name in ("flits", "waits", "wants"))
    first = 0
    for place, one in enumerate(inputs):
        input_place = one.port, one.virtual_channel
        end = first + len([t for t in harness.module.turns if t[:2] == input_place])
        channel = harness.queued.get(input_place)
        if channel is not None:  # else it is of another class of traffic
            harness.claim(flits[place] == channel.arrives)
            harness.claim(waits[place] == ((channel.readable != 0) & ~channel.leaves))
            harness.claim(wants[first:end] == _wanted_turns(harness, channel))
        first = end
    for place, port in enumerate(nodes, len(inputs)):
        prefix = harness.at_node("m_axis", port)
        valid, ready = (harness.port(f"{prefix}_{name}") for name in ("tvalid", "tready"))
        harness.claim(flits[place] == (valid & ready))
        harness.claim(waits[place] == (valid & ~ready))
    for probe in (flits, waits, wants):
        harness.cover(probe.any())


def _wanted_turns(harness: CreditHarness, channel: CreditChannel) -> Value:
    """Turns that a channel requests, or did when it was at the front; never another's."""
    requests = Cat(channel.requests(turn) for turn in channel.turns)
    front = channel.front
    if len(front.vcs) == 1:
        return requests
    requested = harness.register(len(requests), f"requested_{channel.name}")
    ends = channel.leaves & front.last
    with harness.m.If(front.is_of(channel.vc)):
        harness.m.d.sync += requested.eq(requests & ~ends.replicate(len(requests)))
    harness.claim(harness.probe(front.gateware.requested[channel.vc]) == requested)
    kept = (channel.readable != 0) & ~front.is_of(channel.vc)
    wants = harness.named(
        requests | (requested & kept.replicate(len(requests))), f"wants_{channel.name}"
    )
    # The turn requested is that of the flit that waits: in the middle of a packet, the packet's.
    packet = channel.copy if isinstance(channel, CopyChannel) else channel.taken
    is_shown = front.is_of(channel.vc)
    harness.claim(is_shown | ~packet.open | ((requested & ~packet.turn) == 0))
    harness.claim(is_shown | packet.open | (channel.readable != 0) | (requested == 0))
    if not isinstance(front, CopyFront):
        for word, ahead in zip(channel.queue.words, channel.queue.ahead, strict=True):
            is_head = kept & ~packet.open & (ahead == channel.copied)
            turns = channel.any_way(channel.turn_of(channel.queue.code(word)))
            harness.claim(~is_head | ((wants & ~turns) == 0))
    harness.cover((requested & kept.replicate(len(requests))).any())
    return wants


def probes_property(base: tuple[Property, ...]) -> Property:
    """Property that rests on `base`: queues, packets of all ports, holders and grants."""
    return Property(
        name="probes",
        text="the monitor is shown each flit that comes, each channel that holds a flit and gives "
        "none, and the turn that it asks for, or asked for when its input last showed it",
        claim=_claim_probes,
        lemmas=base,
    )
