"""Guard before the studio's server: only its own page may ask, and only from this machine."""

import hmac
import time
from collections.abc import Awaitable, Callable, Mapping, MutableMapping
from typing import Any

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

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
    """Application that passes on what the studio's own page asks, and refuses all else.

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
    """`send` that tells browsers `HEADERS` too."""

    async def sent(message: MutableMapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            added = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
            message["headers"] = [*message.get("headers", []), *added]
        await send(message)

    return sent
