"""The studio's port, its server, and the browser that looks at it."""

import asyncio
import secrets
import socket
import webbrowser
from collections.abc import Callable

import uvicorn
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit

from .desk import Desk
from .server import Connection, Guard, application

LOOPBACK = "127.0.0.1"
"""The only address at which the studio answers."""
MOST_REQUESTS = 512
"""Requests at the same time; the server refuses more."""
POLL_SECONDS = 0.1
"""Seconds between two looks at whether the studio is idle."""


def open_port(port: int) -> socket.socket:
    """Socket at a port of this machine, 0 for a free one.

    Raises
    ------
    ConfigurationError
        The port is in use, or not this user's.
    """
    made = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((LOOPBACK, port))
        made.listen(128)
    except OSError as error:
        made.close()
        reason = (error.strerror or str(error)).lower()
        raise ConfigurationError(
            f"studio: --port must be a free port of {LOOPBACK}, not {port}: {reason}"
        ) from None
    return made


def serve(
    made: socket.socket,
    *,
    limit: Limit,
    started: Callable[[str], None],
    idle: float | None = None,
) -> None:
    """Answer the page until the process is ended, or no request has come for long.

    Parameters
    ----------
    made : socket
        Port, as `open_port` gives it.
    limit : Limit
        What a request's work may take.
    started : callable
        Takes the address, which has the token.
    idle : float, optional
        Seconds without a request, once all are answered, after which it ends.
    """
    port, token = made.getsockname()[1], secrets.token_urlsafe(24)
    guard = Guard(application(Desk(limit)), port=port, token=token)
    with made:
        started(f"http://{LOOPBACK}:{port}/#{token}")
        asyncio.run(_serve(made, guard, idle))


async def _serve(made: socket.socket, guard: Guard, idle: float | None) -> None:
    server = uvicorn.Server(
        uvicorn.Config(
            guard,
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            lifespan="on",
            http=Connection,
            limit_concurrency=MOST_REQUESTS,
            timeout_graceful_shutdown=1,
            ws="none",
        )
    )
    watching = asyncio.create_task(_end_when_idle(server, guard, idle or float("inf")))
    try:
        await server.serve(sockets=[made])
    finally:
        watching.cancel()


async def _end_when_idle(server: uvicorn.Server, guard: Guard, idle: float) -> None:
    while guard.idle < idle:
        await asyncio.sleep(POLL_SECONDS)
    server.should_exit = True


def open_browser(address: str) -> bool:
    """Whether a browser shows the address; one that would take the terminal is not started."""
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    if type(browser) is webbrowser.GenericBrowser:
        return False
    return browser.open(address)
