"""Connection to the studio's server, which ends where the other side keeps it waiting."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

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
