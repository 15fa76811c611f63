"""Command lines that make a sweep again, wherever it was asked for."""

import shlex
from collections.abc import Sequence
from decimal import Decimal

from knotwork.network import Network
from knotwork.network_words import join_words
from knotwork.parameters.base import format_value

from ..traffic.keys import Traffic
from .board import BoardPort
from .load_result import Window
from .rates import parse_rates


def sweep_command(
    networks: Sequence[str],
    traffic: Traffic,
    window: Window,
    *,
    rates: Sequence[float] | None,
    rtl_rates: Sequence[float],
    engine: str,
    board: BoardPort | None,
    repeat: int = 1,
) -> str:
    """Command line of a load sweep of networks that are named by words.

    A matrix that has no file stands there by what it is.
    """
    words = ["knotwork", "sweep", *networks, *traffic_words(traffic)]
    if rates is not None:
        words += ["--rates", spelled_rates(rates)]
    if window.warmup is not None:
        words += ["--warmup", str(window.warmup)]
    words += ["--measure", str(window.measure)]
    if repeat > 1:
        words += ["--repeat", str(repeat)]
    if engine != "model":
        words += ["--engine", engine]
    if board is not None:
        words += ["--port", board.port, "--baud", str(board.baud)]
    if rtl_rates:
        words += ["--rtl-rates", spelled_rates(rtl_rates)]
    return shlex.join(words)


def network_word(network: Network) -> str:
    """Word that names a network, with all its parameters."""
    values = network.parameters.items()
    keys = [f"{key}={format_value(value)}" for key, value in values if value is not None]
    return join_words([network.topology.name, *keys])


def traffic_words(traffic: Traffic) -> list[str]:
    """Words of traffic that is not the default, and always its seed."""
    words = []
    for key, field in Traffic.keys().items():
        value = getattr(traffic, key)
        if key != "seed" and (value is None or value == field.default):
            continue
        file = getattr(value, "name", "")
        words.append(f"{key}={file or traffic.spelled(key)}")
    return words


def spelled_rates(rates: Sequence[float]) -> str:
    """Loads as ``--rates`` takes them: a range, if they are one."""
    exact = [Decimal(repr(rate)) for rate in rates]
    if len(exact) > 2:
        text = ":".join(f"{number:f}" for number in (exact[0], exact[-1], exact[1] - exact[0]))
        if exact[0] < exact[1] <= exact[-1] and parse_rates(text) == tuple(rates):
            return text
    return ",".join(f"{rate:f}" for rate in exact)
