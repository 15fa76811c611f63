"""Tables loaded in service: the words that load them, and their sections of the manifest."""

from functools import lru_cache

import numpy as np
from amaranth.lib import data

from ..errors import ConfigurationError
from ..gateware.packet.loaded import status_layout, word_layout
from ..network import Network
from ..routing.compiled.tables import CLASSES, UNREACHED
from ..topology.altered.surviving import Surviving
from .ports import CONFIG_PREFIX, STATUS_PORT


def layout_fields(layout: data.StructLayout, prefix: str = "") -> dict[str, list[int]]:
    """Lowest bit and number of bits of each field, by name; of one inside another ``outer.inner``.

    Fields without bits are left out.
    """
    found: dict[str, list[int]] = {}
    for name, field in layout:
        place = [field.offset, field.width]
        inner = field.shape
        if isinstance(inner, data.StructLayout):
            for key, (offset, width) in layout_fields(inner, f"{prefix}{name}.").items():
                found[key] = [place[0] + offset, width]
        elif field.width:
            found[f"{prefix}{name}"] = place
    return found


def load_words(network: Network, wanted: Network) -> list[int]:
    """Words that make a network in service route as another one does; the last goes with `tlast`.

    First come its tables, then the links that are dead in `wanted`, a word per end: so packets for
    them wait while the tables come, and only those that are under way then are lost.

    Parameters
    ----------
    network : Network
        The one in service, with ``tables=loaded``.
    wanted : Network
        The same topology, or what `without` leaves of it without dead links; any routing whose
        packets follow one table.

    Raises
    ------
    ConfigurationError, DeadlockError
        They do not fit, or the wanted network's check failed.
    """
    dead = _dead_ports(network, wanted)
    wanted.require_deadlock_free()
    _require_fit(network, wanted)
    layout, local = word_layout(network), network.topology.is_local
    fields = layout_fields(layout)
    words: list[int] = []
    answers = wanted.routing.answer_table
    codes = [wanted.topology.address(node) for node in range(wanted.topology.nodes)]
    for router, port, vc_class, node in np.argwhere(answers != UNREACHED).tolist():
        output, out_class = divmod(int(answers[router, port, vc_class, node]), CLASSES)
        if output == port and not local(port):
            raise ConfigurationError(
                f"{wanted.name}: routing={wanted.routing.name} must not send a packet back over "
                f"port {wanted.topology.ports[port]} of router {router} to go with tables=loaded"
            )
        word = {
            "router": router,
            "input.port": port,
            "input.channel_class": vc_class,
            "destination": codes[node],
            "output.port": output,
            "output.channel_class": 0 if local(output) else out_class,
        }
        words.append(_word(fields, word))
    for router, port in np.argwhere(dead).tolist():
        words.append(_word(fields, {"dead": 1, "router": router, "output.port": port}))
    return words


def _word(fields: dict[str, list[int]], values: dict[str, int]) -> int:
    """Word of these values; fields that are not named, or have no bits, are 0."""
    return sum(values[name] << low for name, (low, _) in fields.items() if name in values)


def word_fields(network: Network, word: int) -> dict[str, int]:
    """Values of a word's fields, by name."""
    return _values(layout_fields(word_layout(network)), word)


def _values(fields: dict[str, list[int]], word: int) -> dict[str, int]:
    return {name: word >> low & (1 << bits) - 1 for name, (low, bits) in fields.items()}


@lru_cache(maxsize=4)
def _status_fields(network: Network) -> dict[str, list[int]]:
    return layout_fields(status_layout(network))


def lost_packet(network: Network, status: int) -> tuple[int, int] | None:
    """Source and destination of the packet that the status reports as lost; None for none."""
    fields = _values(_status_fields(network), status)
    if not fields["lost"]:
        return None
    ends = (
        network.topology.node_at(fields.get(f"packet.{end}", 0))
        for end in ("source", "destination")
    )
    source, destination = ends
    assert source is not None
    assert destination is not None, "only packets between nodes can be lost"
    return source, destination


def _dead_ports(network: Network, wanted: Network) -> np.ndarray:
    """Whether each port's link is dead in the wanted network, bool of (routers, ports)."""
    if not network.loads_tables:
        raise ConfigurationError(f"{network.name}: tables must be loaded, not fixed")
    whole, left = network.topology, wanted.topology
    if isinstance(left, Surviving) and left.unaltered == whole and not left.parts.routers:
        return (whole.neighbours >= 0) & (left.neighbours < 0)
    if left != whole:
        raise ConfigurationError(
            f"{network.name}: the loaded network must be {whole.instance_name}, possibly with dead "
            f"links, not {left.instance_name}"
        )
    return np.zeros(whole.neighbours.shape, bool)


def _require_fit(network: Network, wanted: Network) -> None:
    """Refuse packets that do more than follow a table of the classes that there are."""
    routing = wanted.routing
    owner = f"{wanted.name}: routing={routing.name}"
    if routing.router_class != network.router_class or not routing.has_one_path:
        raise ConfigurationError(f"{owner} must send each packet by its table alone to be loaded")
    if routing.classes > network.routing.classes:
        raise ConfigurationError(
            f"{owner} must need at most {network.routing.classes} virtual channels per traffic "
            f"class, as many as {network.name}, not {routing.classes}"
        )


def manifest_sections(network: Network) -> dict[str, object]:
    """How tables are loaded and links declared dead, and how lost packets are reported."""
    return {
        "config": {
            "stream": CONFIG_PREFIX,
            "format": "a word per beat: with dead = 0 the channel of `output`, by which packets "
            "leave that come to `router` by the channel of `input` for `destination`, with dead = "
            "1 a dead link at the port of `output`, at this end; routers by number, ports by "
            "their place in `ports`, destinations by address. tlast ends a load",
            "fields": layout_fields(word_layout(network)),
            "ports": list(network.topology.ports),
            "when": "at any time; a link is dead at once. The rest of a load comes into force "
            "after its tlast: nodes begin no packet, the network drains, all routers swap their "
            "tables in one cycle, and links that this load did not declare dead are alive. No "
            "word is taken meanwhile. The table in force before the first load is the one "
            "generated; a reset brings it back",
        },
        "lost": {
            "tuser": f"bit {network.lost_flag.bit_length() - 1} of m_axis_*_tuser is 1 on the "
            "last beat of a packet whose rest was lost on a dead link; that beat's tdata is 0 and "
            "none of the packet's",
            "status": "lost is 1 for one cycle for every other packet that was lost on a dead "
            "link; `packet` has the addresses of its nodes",
        },
        "status": {
            "port": STATUS_PORT,
            "width": status_layout(network).size,
            "fields": layout_fields(status_layout(network)),
            "format": "waits: a load waits until the network is empty; swaps: changes with each "
            "swap; lost and packet: see `lost`",
        },
    }
