"""Options of the verbs that share their work among processes."""

from collections.abc import Callable
from typing import Any

import click


def scheduler_option(parts: str) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorator that gives a verb ``--scheduler ADDRESS``.

    Parameters
    ----------
    parts : str
        What is sent to the cluster, ``points``.
    """
    return click.option(
        "--scheduler",
        metavar="ADDRESS",
        help=f"Send the {parts} to a Dask cluster, tcp://host:port [all cores of this machine].",
    )
