"""Broadcasts of WK(w, L) read off the paper: nodes are strings of digits, messages pass one by one.

Written from section 3 of the specification alone, with ports by their digits; shares nothing with
the package. Nodes have letters for digits above 9.
"""

from itertools import product

DIGITS = "0123456789abcdef"


def nodes_of(w, levels):
    return ["".join(digits) for digits in product(DIGITS[:w], repeat=levels)]


def corner_level(node):
    return len(node) - len(node.rstrip(node[-1]))


def flip(node):
    return node[-corner_level(node) - 1]


def neighbour(node, digit):
    """Node behind the port `digit`, and the port by which it is come to; None for the free link."""
    if digit != node[-1]:
        return node[:-1] + digit, node[-1]
    run = corner_level(node)
    if run == len(node):
        return None
    far = node[: -run - 1] + node[-1] + flip(node) * run
    return far, far[-1]


def originate(node, w, *, printed=False):
    """Messages of a source: ``(port, m, t)``."""
    own, run = node[-1], corner_level(node)
    sent = [(h, 0, own) for h in DIGITS[:w] if h != own]
    if run < len(node):
        sent.append((own, run, own if printed else flip(node)))
    return sent


def receive(node, w, arrival, m, t):
    """Messages that a message makes a node send."""
    own, run = node[-1], corner_level(node)
    if arrival == own:
        return [(h, m, t) for h in DIGITS[:w] if h != own]
    if run in {len(node), m}:
        return []
    if run > m:
        return [(own, run, flip(node))]
    return [(own, m, t)] if flip(node) == t else []


def broadcast(source, w, random=None, *, printed=False):
    """Deliveries ``(node, sender, step, m, t)``, in the order in which they are looked at.

    Without `random` that is the order of their sending, and so of the steps; with it any message
    that is on its way may be the next.
    """
    waiting = [(source, message, 1) for message in originate(source, w, printed=printed)]
    deliveries = []
    while waiting:
        place = random.randrange(len(waiting)) if random else 0
        sender, (port, m, t), step = waiting.pop(place)
        end = neighbour(sender, port)
        assert end is not None
        node, arrival = end
        deliveries.append((node, sender, step, m, t))
        waiting += [(node, message, step + 1) for message in receive(node, w, arrival, m, t)]
    return deliveries


def stack_broadcast(source, w):
    """Deliveries ``(node, sender, step)`` by the stacks of section 4."""
    levels = len(source)

    def level_of(node, port):
        return corner_level(node) if port == node[-1] else 0

    def sent(node, stack):
        return [port for port in DIGITS[:w] if level_of(node, port) not in stack]

    waiting = [(source, port, [levels], 1) for port in sent(source, [levels])]
    deliveries = []
    while waiting:
        sender, port, carried, step = waiting.pop(0)
        stack = list(carried)
        end = neighbour(sender, port)
        assert end is not None
        node, arrival = end
        deliveries.append((node, sender, step))
        label = level_of(node, arrival)
        while stack[-1] <= label:
            stack.pop()
        stack.append(label)
        assert len(stack) <= levels + 1
        waiting += [(node, port, stack, step + 1) for port in sent(node, stack)]
    return deliveries


def unicast(source, destination):
    """Nodes of the self-routed path."""
    path = [source]
    while path[-1] != destination:
        here = path[-1]
        differ = next(i for i, (a, b) in enumerate(zip(here, destination, strict=True)) if a != b)
        end = neighbour(here, destination[differ])
        assert end is not None
        path.append(end[0])
    return path
