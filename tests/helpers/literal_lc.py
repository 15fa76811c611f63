"""LC1 and LC2 as sections 4 to 7 of the specification say them, packet by packet and link by link.

Plain Python with nothing of `knotwork` in it. A packet is its source; `destinations` may be any
numbers of nodes, not only permutations.
"""

from dataclasses import dataclass, field

F1, F2, F3 = 1, 2, 3


@dataclass
class Batch:
    """Packets of all nodes on their way."""

    n: int
    destinations: list[int]
    held: list[int] = field(init=False)  # packet that each node has
    history: list[list[int]] = field(default_factory=list)  # `held` after every step
    flags: list[set[int]] = field(init=False)  # f1, F2 and F3 that each node has raised

    def __post_init__(self):
        self.held = list(range(2**self.n))
        self.flags = [set() for _ in self.held]

    def wanted(self, node):
        return self.destinations[self.held[node]]

    def bit(self, node, k):
        """Bit k of the destination of a node's packet; bit n is 0."""
        return self.wanted(node) >> k & 1 if k < self.n else 0

    def asks(self, node, k, jump, buddy):
        return not jump[k] and self.bit(node, k) != self.bit(node, buddy[k])

    def move(self, crossings):
        """Move packets over links, {(from, port): to}; a node has one afterwards, no more."""
        arrived = {}
        for (node, _), after in crossings.items():
            assert after not in arrived
            arrived[after] = self.held[node]
        leaving = {node for node, _ in crossings}
        assert leaving == set(arrived)
        for node, packet in arrived.items():
            self.held[node] = packet
        assert sorted(self.held) == list(range(2**self.n))

    def swap(self, wishes, partner, port, flag):
        """Swap packets where both ends ask, and raise the flag where only one does."""
        crossings = {}
        for node, wish in wishes.items():
            other = partner(node)
            if wish and wishes[other]:
                crossings[node, port] = other
            if wish != wishes[other]:
                self.flags[node].add(flag)
        self.move(crossings)


def literal_lc1(n, destinations, jump, buddy):
    """Batch on the hypercube."""
    batch = Batch(n, destinations)
    nodes = range(2**n)
    for k in range(n - 1, 0, -1):
        wishes = {node: batch.asks(node, k, jump, buddy) for node in nodes}
        batch.swap(wishes, lambda node, k=k: node ^ 2**k, k, F1)
        batch.history.append(list(batch.held))
    for k in range(n):
        wishes = {node: batch.bit(node, k) != node >> k & 1 for node in nodes}
        batch.swap(wishes, lambda node, k=k: node ^ 2**k, k, F3)
        batch.history.append(list(batch.held))
    return batch


def literal_lc2(n, destinations, jump, buddy, *, rounds=None, odd_forward_first=False):
    """Batch on the cube-connected cycles; `rounds` of sorting, 2^y if unnamed."""
    batch = Batch(n, destinations)
    y = 0
    while y + 2**y < n:
        y += 1
    x, length, nodes = n - y, 2**y, range(2**n)

    def place(node):
        return node % length

    def ahead(node):
        return node // length * length + (place(node) + 1) % length

    def behind(node):
        return node // length * length + (place(node) - 1) % length

    def across(node):
        return (node // length ^ 2 ** place(node)) * length + place(node)

    for t in range(2 * length):
        active = [v for v in nodes if place(v) < x and length <= t + place(v) < 2 * length]
        wishes = {node: batch.asks(node, y + place(node), jump, buddy) for node in active}
        batch.swap(wishes, across, "L", F1)
        batch.move({(node, "B"): behind(node) for node in nodes})
        batch.history.append(list(batch.held))
    for p in range(length if rounds is None else rounds):
        crossings = {}
        for node in nodes:
            own = batch.wanted(node) % length
            if (place(node) + p + odd_forward_first) % 2 == 0:
                if place(node) != length - 1 and own > batch.wanted(ahead(node)) % length:
                    crossings[node, "F"] = ahead(node)
            elif place(node) != 0 and own < batch.wanted(behind(node)) % length:
                crossings[node, "B"] = behind(node)
        batch.move(crossings)
        batch.history.append(list(batch.held))
    for node in nodes:
        if batch.wanted(node) % length != place(node):
            batch.flags[node].add(F2)
    for q in range(2 * length):
        active = [v for v in nodes if place(v) < x and 0 <= q - place(v) < length]
        wishes = {v: batch.bit(v, y + place(v)) != v >> (y + place(v)) & 1 for v in active}
        batch.swap(wishes, across, "L", F3)
        batch.move({(node, "F"): ahead(node) for node in nodes})
        batch.history.append(list(batch.held))
    return batch
