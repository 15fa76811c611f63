"""Server of the studio: its port, page and requests, who may send them, and its connections."""

import asyncio
import hmac
import json
import secrets
import socket
import time
import webbrowser
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, MutableMapping
from contextlib import asynccontextmanager
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

import uvicorn
from knotwork import __version__
from knotwork.errors import ConfigurationError
from knotwork.estimates.work import Limit
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from ..datasheet.document import SCRIPTS as DATASHEET_SCRIPTS
from ..datasheet.document import page_file
from .desk import BusyError, Desk

TOKEN = "x-knotwork-token"
"""Header that has the token; a foreign page cannot set it without asking this server first."""
OWN_SITES = ("same-origin", "none")
"""Values of ``Sec-Fetch-Site`` that the studio's page, or its address typed by hand, gives."""

HEADERS = {
    "content-security-policy": "default-src 'none'; script-src 'self'; style-src 'self' "
    "'unsafe-inline'; img-src data:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
    "frame-ancestors 'none'",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-store",
}
"""Headers of every answer, for the browser."""


class Guard:
    """Application that passes on what the studio's own page requests, and refuses all else.

    Parameters
    ----------
    app : ASGI application
        What answers.
    port : int
        Port of the server.
    token : str
        Secret that its address has; requests for work must carry it.
    """

    def __init__(self, app: ASGIApp, *, port: int, token: str) -> None:
        self._app, self._token = app, token.encode()
        self.hosts = (f"127.0.0.1:{port}", f"localhost:{port}")
        self._under_way, self._answered_at = 0, time.monotonic()

    @property
    def idle(self) -> float:
        """Seconds since the last answer; 0 while one is under way."""
        return 0.0 if self._under_way else time.monotonic() - self._answered_at

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        if scope["type"] != "http":
            if scope["type"] == "lifespan":
                await self._app(scope, receive, send)
            return
        headers = {name.decode("latin-1"): value for name, value in scope["headers"]}
        line = self.refusal(scope["path"], headers)
        if line is not None:
            await JSONResponse({"refused": line}, 403)(scope, receive, _with_headers(send))
            return
        if "transfer-encoding" in headers:
            line = "studio: a request must have a Content-Length, not come in chunks"
            answer = JSONResponse({"refused": line}, 411, {"connection": "close"})
            await answer(scope, receive, _with_headers(send))
            return
        self._under_way += 1
        try:
            await self._app(scope, receive, _with_headers(send))
        finally:
            self._under_way -= 1
            self._answered_at = time.monotonic()

    def refusal(self, path: str, headers: Mapping[str, bytes]) -> str | None:
        """Line that refuses a request; None for one of the studio's own page."""
        headers_by_name = {name: value.decode("latin-1") for name, value in headers.items()}
        hosts = " or ".join(self.hosts)
        if (host := headers_by_name.get("host", "")) not in self.hosts:
            return f"studio: Host must be {hosts}, not {host!r}"
        origin = headers_by_name.get("origin")
        if origin is not None and origin not in [f"http://{host}" for host in self.hosts]:
            return f"studio: Origin must be that of http://{hosts}, not {origin!r}"
        site = headers_by_name.get("sec-fetch-site", "none")
        if site not in OWN_SITES:
            return f"studio: a request must come from the studio's page, not {site}"
        if path.startswith("/api/") and not hmac.compare_digest(
            headers.get(TOKEN, b""), self._token
        ):
            return "studio: the token must be that of the address which knotwork studio printed"
        return None


def _with_headers(send: Send) -> Callable[[MutableMapping[str, Any]], Awaitable[None]]:
    """`send` that adds `HEADERS`."""

    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *added]
        await send(message)

    return sent


WAITING_SECONDS = 10.0
"""Seconds in which the head of a request must be here, and in which an answer must be taken."""
CHUNKED = b"transfer-encoding"
"""Header of requests whose body comes in chunks: to part thousands of them would take seconds."""
_SLICE = 4096  # bytes


class Connection(H11Protocol):
    """Connection that holds its place among all only while its answer is made.

    The server counts open connections, and takes no more than so many: those that ask for nothing
    must not keep others out.
    """

    _watch: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for a request."""
        super().connection_made(transport)
        self._wait()

    def data_received(self, data: bytes) -> None:
        """Take a part of a request; wait for the rest of its head."""
        for start in range(0, len(data), _SLICE):
            if self._is_chunked:
                self.flow.pause_reading()
                break
            super().data_received(data[start : start + _SLICE])
        if self._is_waiting:
            self._wait()
        else:
            self._stop()

    def on_response_complete(self) -> None:
        """Wait until the answer is taken, and for the next request."""
        super().on_response_complete()
        self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        super().connection_lost(exc)
        self._stop()

    @property
    def _is_waiting(self) -> bool:
        """Whether there is no request, or its answer is made."""
        return self.cycle is None or self.cycle.response_complete

    @property
    def _is_chunked(self) -> bool:
        """Whether the body of a request, which the guard refuses, comes in chunks."""
        return not self._is_waiting and any(name == CHUNKED for name, _ in self.headers)

    def _wait(self) -> None:
        if self._watch is None:
            self._watch = self.loop.call_later(WAITING_SECONDS, self._end)

    def _stop(self) -> None:
        if self._watch is not None:
            self._watch.cancel()
            self._watch = None

    def _end(self) -> None:
        self._watch = None
        if self._is_waiting:
            self.transport.abort()


MOST_BYTES = 512 * 1024
"""Bytes of a request, at most."""
BODY_SECONDS = 10.0
"""Seconds in which a request must be here."""

SCRIPTS = ("ask", "words", "form", "wiring", "board", "sweep", "download", "studio")
"""Scripts of the page, each after those that it uses as it is read."""
_ENTRY = "main"  # of the datasheet: starts its page


def application(desk: Desk) -> Starlette:
    """Application whose requests a desk answers."""

    @asynccontextmanager
    async def open_desk(_: Starlette) -> AsyncIterator[None]:
        yield
        await desk.close()

    routes = [
        Route("/", partial(_file, page, "text/html"), methods=["GET"]),
        Route("/studio.css", partial(_file, styles, "text/css"), methods=["GET"]),
        Route("/studio.js", partial(_file, script, "text/javascript"), methods=["GET"]),
        Route("/api/sweep", partial(_sweep, desk), methods=["GET", "POST", "DELETE"]),
        *(
            Route(f"/api/{job}", partial(_job, desk, job), methods=["POST"])
            for job in ("form", "facts", "sheet", "files")
        ),
    ]
    handlers: Mapping[Any, Any] = {HTTPException: _refused}
    return Starlette(routes=routes, exception_handlers=handlers, lifespan=open_desk)


async def _refused(_: Request, error: HTTPException) -> Response:
    """Line that says what a request must be."""
    return JSONResponse({"refused": f"studio: {error.detail}"}, error.status_code)


async def _file(made: Callable[[], str], kind: str, _: Request) -> Response:
    return Response(made(), media_type=f"{kind}; charset=utf-8")


async def _job(desk: Desk, job: str, request: Request) -> Response:
    """Answer of a job; status 422 for what a command line would refuse."""
    body = await body_of(request)
    try:
        answer = await desk.answer(job, body)
    except BusyError:
        raise HTTPException(503, "too many requests are waiting; try again later") from None
    status = 422 if answer.startswith(b'{"refused"') else 200
    return Response(answer, status, media_type="application/json")


async def _sweep(desk: Desk, request: Request) -> Response:
    """The sweep in the background: started, stopped, or as it stands."""
    if request.method == "DELETE":
        return JSONResponse(desk.stop_sweep().as_json())
    if request.method == "POST":
        body = await body_of(request)
        try:
            desk.start_sweep(body)
        except BusyError:
            raise HTTPException(409, "one sweep is running; stop it first") from None
    return JSONResponse(desk.sweep.as_json())


async def body_of(request: Request) -> dict[str, Any]:
    """What a request says, a JSON object.

    Raises
    ------
    HTTPException
        Another kind of content, too much of it, or none in time.
    """
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise HTTPException(415, "a request must be application/json")
    content = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for part in request.stream():
                content += part
                if len(content) > MOST_BYTES:
                    raise HTTPException(413, f"a request must have at most {MOST_BYTES} bytes")
    except TimeoutError:
        raise HTTPException(408, f"a request must arrive within {BODY_SECONDS:.0f} s") from None
    try:
        body = json.loads(content, parse_constant=_no_number)
    except (ValueError, RecursionError):
        raise HTTPException(400, "a request must be JSON") from None
    if not isinstance(body, dict):
        raise HTTPException(400, "a request must be a JSON object")
    return body


def _no_number(word: str) -> None:
    raise ValueError(word)


@cache
def page() -> str:
    """Page of HTML."""
    return _own("studio.html").replace("{{version}}", escape(__version__))


@cache
def styles() -> str:
    """Styles: those of the datasheet, and the page's own."""
    return page_file("page.css") + _own("studio.css")


@cache
def script() -> str:
    """Scripts: those of the datasheet, but for the one that starts its page, and the page's own."""
    shared = [page_file(f"scripts/{name}.js") for name in DATASHEET_SCRIPTS if name != _ENTRY]
    own = [_own(f"scripts/{name}.js") for name in SCRIPTS]
    return "\n".join(['"use strict";', *shared, *own])


def _own(name: str) -> str:
    return Path(__file__).with_name("page").joinpath(name).read_text(encoding="utf-8")


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
