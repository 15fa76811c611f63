"""Points of a load sweep, measured on a board."""

from collections.abc import Sequence
from contextlib import ExitStack
from math import sqrt
from typing import Self

import click
from knotwork.errors import CheckFailedError, ConfigurationError
from knotwork.network import Network

from ..measuring import (
    MEASURE,
    PATTERNS,
    SETTINGS,
    UNIFORM,
    Settings,
    available_patterns,
    destinations,
)
from .commands import Request, rate_word
from .session import SerialLink, Session, device_of
from .window_line import WindowLine

SHORTFALL = 0.01
"""Share of the created flits that may be missing without saturation."""

DEVIATIONS = 3
"""Standard deviations of the packets in flight that may be missing beside them."""


def number_of_pattern(network: Network, wanted: Sequence[int] | None) -> int:
    """Pattern of the board that sends every node's packets where they must go.

    Parameters
    ----------
    wanted : sequence of int or None
        Destination of each node; None for the uniform pattern.

    Raises
    ------
    ConfigurationError
        The board has no such pattern.
    """
    if wanted is None:
        return UNIFORM
    known = available_patterns(network.topology)
    for number in known:
        found = destinations(network.topology, number)
        if found is not None and found.tolist() == list(wanted):
            return number
    names = ", ".join(PATTERNS[number] for number in known)
    listed = ",".join(map(str, wanted))
    raise ConfigurationError(
        f"{network.name}: the pattern must be one that a board has ({names}), not {listed}"
    )


class BoardPoints:
    """Board that measures the points of a sweep.

    Parameters
    ----------
    network : Network
        Network that it must carry.
    port : str
        Its serial port, or `session.SIMULATED`.
    baud : int
        Bits per second.
    patience : float
        Seconds to wait for a line.
    wanted : sequence of int or None
        Destination of each node; None for uniform traffic.
    length, seed, warmup, cycles : int
        Settings of all points.

    Raises
    ------
    ConfigurationError
        A pattern or a setting that no board has; another network is on the board.
    ToolError
        The port cannot be opened.
    """

    def __init__(
        self,
        network: Network,
        *,
        port: str,
        baud: int = 115200,
        patience: float = 10.0,
        wanted: Sequence[int] | None,
        length: int,
        seed: int,
        warmup: int,
        cycles: int,
    ) -> None:
        self._nodes = network.topology.nodes
        self._settings = Settings(
            mode=MEASURE,
            pattern=number_of_pattern(network, wanted),
            length=length,
            seed=seed,
            warmup=warmup,
            cycles=cycles,
        )
        with ExitStack() as stack:
            link = SerialLink(device_of(port, network, stack), baud=baud, report=_report)
            stack.enter_context(link)
            self._session = Session(link=link, network=network, patience=patience)
            self._stack = stack.pop_all()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Have the board test itself again, and release it."""
        self._session.send(Request({"mode": SETTINGS["mode"].default}, ("clear",)))
        self._stack.close()

    def point(self, rate: float) -> dict[str, object]:
        """What a window at an offered load shows: fields of a sweep's point.

        Raises
        ------
        ToolError
            The board does not take the settings, or sends no lines.
        CheckFailedError
            The window failed.
        """
        self._session.send(
            Request({**_words(self._settings), "rate": rate_word(rate)}, ("clear", "start"))
        )
        line = self._session.settled()
        if not line.passed:
            raise CheckFailedError(
                f"{line.name}: the window at rate {rate:g} must pass, but its line says FAIL"
            )
        accepted = line.accepted(self._nodes)
        mean = None if is_saturated(line) else line.latency_mean
        return {
            "offered": rate,
            "accepted": None if accepted is None else round(accepted, 6),
            "saturated": is_saturated(line),
            "latency_mean": None if mean is None else round(mean, 4),
            "latency_max": None if mean is None else line.measures["latency_max"],
            "packets": line.samples,
            "warmup": self._settings.warmup,
        }


def is_saturated(line: WindowLine) -> bool:
    """Whether fewer flits left the network than its nodes created.

    Missing are those beyond `SHORTFALL` of the created ones, and beyond what the number of packets
    in flight varies between two moments: their mean number is that of Little's law. A source whose
    queue was full is saturated too.
    """
    values = line.measures
    if values.get("overrun"):
        return True
    created = line.samples * values["length"]
    in_flight = values["latency_sum"] / values["cycles"]
    varies = DEVIATIONS * sqrt(2 * in_flight) * values["length"]
    return created - values["flits"] > max(SHORTFALL * created, varies)


def _words(settings: Settings) -> dict[str, int]:
    return {name: getattr(settings, name) for name in SETTINGS if name != "rate"}


def _report(what: str) -> None:
    click.echo(f"knotwork: {what}", err=True)
