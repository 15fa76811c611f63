"""Server of the studio: its page, and the requests of the page."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from functools import cache, partial
from html import escape
from pathlib import Path
from typing import Any

from knotwork import __version__
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from ..datasheet.document import SCRIPTS as DATASHEET_SCRIPTS
from ..datasheet.document import page_file
from .desk import BusyError, Desk

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
