"""What `draw` shows of a schedule: pictures of its steps; and the paths of messages without one."""

from ...drawing.highlights import highlight_steps
from ...drawing.svg import draw_network, draw_steps, require_size
from ...errors import ConfigurationError
from ...network import Network
from ...wording import plural
from ..message_options import MessageRequest
from .messages import delivery, messages_of, scheduling_routing, scheduling_routing_of


def draw_schedule(
    network: Network,
    request: MessageRequest,
    *,
    step: int | None = None,
    apart: bool = False,
    labels: str = "label",
) -> list[str]:
    """SVG of all steps of a schedule, of one of them, or a list of one for each.

    Of messages on a network without schedules, one of all their paths.

    Parameters
    ----------
    network : Network
        What to draw.
    request : MessageRequest
        What is delivered.
    step : int, optional
        The one step to draw, from 1.
    apart : bool
        Whether each step has a picture of its own.
    labels : str
        What the boxes of nodes say, one of `drawing.boxes.TEXTS`.

    Raises
    ------
    ConfigurationError
        A network without schedules or too large, or a step that there is not.
    """
    require_size(network)
    if request.messages is not None and scheduling_routing_of(network.topology.name) is None:
        if step is not None or apart:
            raise ConfigurationError(
                "draw: --step and --frames must be used with a network that has schedules, not "
                f"{network.topology.name}"
            )
        sent = messages_of(request, network.topology.nodes, "draw")
        pairs = list(zip(sent.sources.tolist(), sent.destinations.tolist(), strict=True))
        return [draw_network(network, messages=pairs, labels=labels)]
    routing = scheduling_routing(network, "draw")
    wanted = delivery(request, routing, "draw")
    steps = highlight_steps(network.topology, routing.frames(*wanted.messages))
    if step is not None and step > len(steps):
        raise ConfigurationError(f"draw: --step must be in 1..{len(steps)}, not {step}")
    shown = Network(network.topology, routing=type(routing))
    title = f"{wanted.name}: {plural(len(steps), 'step')}"
    if step is not None:
        return [draw_steps(shown, [steps[step - 1]], title, labels=labels)]
    groups = [[one] for one in steps] if apart else [steps]
    return [draw_steps(shown, group, title, labels=labels) for group in groups]
