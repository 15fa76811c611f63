# ruff: noqa: PLR0917  (compiled functions have no keyword-only arguments)
"""The loops that follow rules through a network.

A network is its arrays of neighbours and peer ports, with the routers and local ports of its nodes
(`places`).
A table of a broadcast's copies has one row per copy, in the order of their steps; the first row is
the source's packet.
"""

from ..compiled.calls import next_copy, next_hop
from ..compiled.rule_loop import RuleLoop
from ..draws import label_of

NO_LINK, LEAVES_ESCAPE = 1, 2
"""Faults of a rule that a walk meets."""

ROUTER, PARENT, OUTPUT, PORT, CLASS, LABEL = range(6)
COLUMNS = 6
"""Columns of a table of copies: router, row of the copy before it, output by which that copy was
sent, input port and class by which this one came, label."""


@RuleLoop
def fill_first_hops(rule, parameters, neighbours, places, table):
    """Fill a table with the next router for every (source, destination)."""
    for source in range(len(table)):
        router, start = places[0, source], places[1, source]
        for destination in range(len(table)):
            port, _ = next_hop(rule, parameters, router, start, 0, destination)
            table[source, destination] = neighbours[router, port]


@RuleLoop
def mark_walks(
    rule,
    parameters,
    neighbours,
    peer_ports,
    places,
    local_ports,
    groups,
    starts,
    other_ways,
    escape,
    writes,
    destinations,
    marks,
    turns,
    visited,
    stack,
):
    """Mark what packets do; returns router and output of a fault, and the fault, 0 for none.

    `escape` is the first escape class, -1 for none. `writes` is `Routing.written_marks`: from other
    nodes no packet has the destination's number. `visited` is the last destination by whose
    packets each channel was reached, -1 at first. The `stack` has room for all channels, and for
    -1, the source's node.
    """
    ports = neighbours.shape[1]
    classes = marks.shape[2]
    for destination in destinations:
        for start in range(places.shape[1] * len(starts)):
            source, first_class = start // len(starts), starts[start % len(starts)]
            number, end = destination // places.shape[1], destination % places.shape[1]
            if writes.size > 0 and not writes[places[0, source], places[0, end], number]:
                continue
            stack[0], depth = -1, 1
            while depth > 0:
                depth -= 1
                channel = stack[depth]
                router, port, vc_class = places[0, source], places[1, source], first_class
                if channel >= 0:
                    link, vc_class = channel // classes, channel % classes
                    port = peer_ports[link // ports, link % ports]
                    router = neighbours[link // ports, link % ports]
                for way in range(1 + len(other_ways)):
                    if way > 0 and vc_class >= escape:
                        break
                    known_class = vc_class if way == 0 else other_ways[way - 1]
                    output, out_class = next_hop(
                        rule, parameters, router, port, known_class, destination
                    )
                    turns[groups[router], port, vc_class, output, out_class] = True
                    if output < local_ports:
                        break
                    if neighbours[router, output] < 0:
                        return router, output, NO_LINK
                    must_escape = vc_class >= escape or way == len(other_ways)
                    if escape >= 0 and must_escape and out_class < escape:
                        return router, output, LEAVES_ESCAPE
                    if channel >= 0:
                        marks[channel, output, out_class] = True
                    reached = (router * ports + output) * classes + out_class
                    if visited[reached] != destination:
                        visited[reached] = destination
                        stack[depth] = reached
                        depth += 1
    return -1, -1, 0


@RuleLoop
def measure_walks(
    rule, parameters, neighbours, peer_ports, places, local_ports, classes, written, lengths
):
    """Fill in the hops of all walks; returns a pair whose walk is a loop, or -1 twice.

    The second of a pair is a destination, with a number that the source has drawn.
    """
    nodes = len(lengths)
    for source in range(nodes):
        for destination in range(lengths.shape[1]):
            label = label_of(written, places[0], source, destination % nodes, destination // nodes)
            router, port, vc_class, hops = places[0, source], places[1, source], 0, 0
            while True:
                output, vc_class = next_hop(rule, parameters, router, port, vc_class, label)
                if output < local_ports:
                    break
                if hops > len(neighbours) * classes:
                    return source, destination
                port = peer_ports[router, output]
                router = neighbours[router, output]
                hops += 1
            lengths[source, destination] = hops
    return -1, -1


@RuleLoop
def compare_addresses(
    rule,
    parameters,
    neighbours,
    peer_ports,
    places,
    local_ports,
    classes,
    addresses,
    own,
    sometimes,
    always,
):
    """Collect the bits in which a packet's addresses differ from those of routers on its way."""
    for source in range(len(addresses)):
        for destination in range(len(addresses)):
            router, port, vc_class, hops = places[0, source], places[1, source], 0, 0
            while True:
                here = own[router]
                differs = addresses[destination] ^ here, addresses[source] ^ here
                for address in range(2):
                    sometimes[address, router, port, 0] |= differs[address]
                    always[address, router, port, 0] &= differs[address]
                output, vc_class = next_hop(rule, parameters, router, port, vc_class, destination)
                if output < local_ports or hops > len(neighbours) * classes:
                    break
                for address in range(2):
                    sometimes[address, router, output, 1] |= differs[address]
                    always[address, router, output, 1] &= differs[address]
                port = peer_ports[router, output]
                router = neighbours[router, output]
                hops += 1


@RuleLoop
def follow_copies(
    rule, parameters, neighbours, peer_ports, places, local_ports, source, arrival, copies
):
    """Fill `copies`, and `arrival`, which was -1, of each router.

    Returns rows, and copies to routers with one.
    """
    copies[0] = 0
    copies[0, ROUTER], copies[0, PORT] = places[0, source], places[1, source]
    arrival[places[0, source]], row, count, duplicates = 0, 0, 1, 0
    while row < count:
        router = copies[row, ROUTER]
        for output in range(local_ports, neighbours.shape[1]):
            reached = neighbours[router, output]
            if reached < 0:
                continue
            label, out_class = next_copy(
                rule,
                parameters,
                router,
                copies[row, PORT],
                copies[row, CLASS],
                copies[row, LABEL],
                source,
                output,
            )
            if label < 0:
                continue
            if arrival[reached] >= 0:
                duplicates += 1  # and is not followed: some broadcasts would never end
                continue
            arrival[reached] = arrival[router] + 1
            copies[count, ROUTER], copies[count, PARENT] = reached, row
            copies[count, OUTPUT], copies[count, CLASS] = output, out_class
            copies[count, PORT], copies[count, LABEL] = peer_ports[router, output], label
            count += 1
        row += 1
    return count, duplicates


@RuleLoop
def mark_broadcasts(
    rule,
    parameters,
    neighbours,
    peer_ports,
    places,
    receivers,
    groups,
    sources,
    marks,
    turns,
    arrival,
    copies,
):
    """Mark what copies do; returns a source of which a router got two copies, -1 for none.

    `receivers` says of each local port of each router the first source whose broadcasts it gets,
    and the one after the last. `arrival` and `copies` are scratch memory, for every router.
    """
    ports = neighbours.shape[1]
    local_ports, classes = receivers.shape[1], marks.shape[2]
    for source in sources:
        arrival[:] = -1
        count, duplicates = follow_copies(
            rule, parameters, neighbours, peer_ports, places, local_ports, source, arrival, copies
        )
        if duplicates > 0:
            return source
        for row in range(count):
            router, port, vc_class = (
                copies[row, ROUTER],
                copies[row, PORT],
                copies[row, CLASS],
            )
            for node in range(local_ports):
                first, end = receivers[router, node]
                if first <= source < end and (row > 0 or node != port):
                    turns[groups[router], port, vc_class, node, 0] = True
            if row == 0:
                continue
            before, output = copies[row, PARENT], copies[row, OUTPUT]
            sender, held_class = copies[before, ROUTER], copies[before, CLASS]
            turns[groups[sender], copies[before, PORT], held_class, output, vc_class] = True
            if before > 0:
                link = copies[copies[before, PARENT], ROUTER] * ports
                link += copies[before, OUTPUT]
                marks[link * classes + held_class, output, vc_class] = True
    return -1
