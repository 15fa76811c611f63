"""A studio in this process: its server asked without a port, its work done at once."""

import asyncio
import json
from functools import wraps
from typing import Any, NamedTuple

from knotwork.estimates.work import Limit
from knotwork_sim.studio import helper
from knotwork_sim.studio.desk import Desk
from knotwork_sim.studio.server import Guard, application

PORT, TOKEN = 8737, "the token"
AMPLE = Limit(600.0, 8e9)
OWN = {
    "host": f"127.0.0.1:{PORT}",
    "origin": f"http://127.0.0.1:{PORT}",
    "sec-fetch-site": "same-origin",
    "x-knotwork-token": TOKEN,
    "content-type": "application/json",
}
"""Headers of the studio's own page."""


class Answer(NamedTuple):
    """Status, headers and body of an answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def told(self) -> Any:
        return json.loads(self.body)


class HereHelper:
    """Helper that is this process."""

    def __init__(self, limit: Limit) -> None:
        self.limit, self.jobs, self.ended = limit, [], 0

    async def answer(self, job, request, so_far):
        self.jobs.append(job)
        await asyncio.sleep(0)
        return helper.answer(job, request, self.limit, so_far)

    def end(self) -> None:
        self.ended += 1

    async def gone(self) -> None:
        await asyncio.sleep(0)


def in_loop(test):
    """Test that is a coroutine, run in a loop of its own."""

    @wraps(test)
    def run(*arguments, **keys):
        asyncio.run(test(*arguments, **keys))

    return run


def guarded(desk: Desk) -> Guard:
    return Guard(application(desk), port=PORT, token=TOKEN)


async def asked(app, method: str, path: str, body: bytes = b"", headers=None) -> Answer:
    """Answer of an application to a request."""
    sent: list[dict[str, Any]] = []
    headers = OWN if headers is None else headers
    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": path.partition("?")[0],
        "raw_path": path.encode(),
        "query_string": path.partition("?")[2].encode(),
        "root_path": "",
        "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
        "client": ("127.0.0.1", 1),
        "server": ("127.0.0.1", PORT),
    }
    messages = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive():
        return messages.pop(0) if messages else {"type": "http.disconnect"}

    async def send(message):
        sent.append(message)

    await app(scope, receive, send)
    start, *parts = sent
    told = {name.decode(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], told, b"".join(part.get("body", b"") for part in parts))


def ask(method: str, path: str, told: object = None, headers=None) -> Answer:
    """Answer of a new studio to one request; what is not bytes is sent as JSON."""
    body = told if isinstance(told, bytes) else json.dumps(told).encode()
    return asyncio.run(asked(guarded(Desk(AMPLE, HereHelper)), method, path, body, headers))
