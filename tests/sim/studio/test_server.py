"""Requests to the studio: none but its own page's are answered, and nothing changes on the disk."""

import asyncio
import http.client
import json
import socket
import threading
import time
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from queue import SimpleQueue

import pytest
from helpers.studio import AMPLE, OWN, PORT, TOKEN, HereHelper, ask, asked, guarded, in_loop
from knotwork_sim.studio import server
from knotwork_sim.studio.desk import Desk
from knotwork_sim.studio.server import Guard, open_browser, open_port, serve
from starlette.requests import Request

GUARD = Guard(None, port=PORT, token=TOKEN)


def refusal(path="/api/facts", **changed):
    headers = {**OWN, **{name.replace("_", "-"): value for name, value in changed.items()}}
    told = {name: value.encode() for name, value in headers.items() if value is not None}
    return GUARD.refusal(path, told)


@in_loop
async def test_it_is_not_idle_while_an_answer_is_under_way():
    begun, end, sent = asyncio.Event(), asyncio.Event(), []

    async def slow(*_):
        begun.set()
        await end.wait()

    async def send(message):
        sent.append(message)

    guard = Guard(slow, port=PORT, token=TOKEN)
    assert guard.idle > 0
    headers = [(name.encode(), value.encode()) for name, value in OWN.items()]
    asking = asyncio.create_task(
        guard({"type": "http", "path": "/", "headers": headers}, None, send)
    )
    await begun.wait()
    assert guard.idle == 0
    end.set()
    await asking
    assert guard.idle > 0
    assert sent == []


def test_the_own_page_may_ask_and_a_refused_request_is_not_passed_on():
    assert refusal() is None
    assert refusal(host=f"localhost:{PORT}", origin=f"http://localhost:{PORT}") is None
    assert refusal(origin=None, sec_fetch_site=None) is None
    assert refusal("/", origin=None, sec_fetch_site="none", x_knotwork_token=None) is None
    answer = ask("POST", "/api/facts", {}, {**OWN, "origin": "http://evil.example"})
    assert answer.status == 403
    assert answer.told["refused"].startswith("studio: Origin must be")
    assert "access-control-allow-origin" not in answer.headers


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        *(
            ({"host": name}, f"Host must be 127.0.0.1:8737 or localhost:8737, not {name or ''!r}")
            for name in ("evil.example", "127.0.0.1:80", None)
        ),
        *(
            (
                {"origin": name},
                f"Origin must be that of http://127.0.0.1:8737 or localhost:8737, not {name!r}",
            )
            for name in ("http://evil.example", "null", "127.0.0.1:8737")
        ),
        (
            {"sec_fetch_site": "cross-site", "origin": None},
            "a request must come from the studio's page, not cross-site",
        ),
        *(
            (
                {"x_knotwork_token": token},
                "the token must be that of the address which knotwork studio printed",
            )
            for token in ("the toke", None)
        ),
    ],
)
def test_all_others_are_refused(changed, line):
    assert refusal(**changed) == f"studio: {line}"


def test_the_page_has_its_scripts_and_styles_and_loads_nothing_else():
    headers = ask("GET", "/").headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
    page, script, styles = (ask("GET", path) for path in ("/", "/studio.js", "/studio.css"))
    assert [page.status, script.status, styles.status] == [200, 200, 200]
    assert b'<script src="studio.js">' in page.body
    assert script.body.count(b"class Sheet ") == script.body.count(b"class Studio ") == 1
    assert b"comparedPart" not in script.body
    assert b".board" in styles.body


@in_loop
async def test_many_small_parts_of_a_request_cost_no_more_than_their_sum():
    parts, taken = [b'{"a": "', *[b" "] * 300_000, b'"}'], 0

    async def receive():
        nonlocal taken
        taken += 1
        return {"type": "http.request", "body": parts[taken - 1], "more_body": taken < len(parts)}

    headers = [(b"content-type", b"application/json")]
    asked = Request({"type": "http", "method": "POST", "headers": headers}, receive)
    begun = time.process_time()
    assert await server.body_of(asked) == {"a": " " * 300_000}
    assert time.process_time() - begun < 5  # it was hundreds of seconds


def test_facts_errors_and_more_requests_than_may_wait_are_answered(monkeypatch):
    answer = ask("POST", "/api/facts", {"words": ["hypercube", "n=3"]})
    assert (answer.status, answer.told["answer"]["name"]) == (200, "hypercube_n3")
    refused = ask("POST", "/api/facts", {"words": ["hypercube", "n=99"]})
    line = "hypercube: n must be an integer in 1..20, not 99"
    assert (refused.status, refused.told) == (422, {"refused": line})
    answer = ask("POST", "/api/facts", {}, {**OWN, "content-type": "text/plain"})
    line = "studio: a request must be application/json"
    assert (answer.status, answer.told["refused"]) == (415, line)
    monkeypatch.setattr("knotwork_sim.studio.desk.MOST_WAITING", 0)
    answer = ask("POST", "/api/facts", {"words": ["ring", "n=3"]})
    line = "studio: too many requests are waiting; try again later"
    assert (answer.status, answer.told["refused"]) == (503, line)


LARGE = [
    "lcan d=16 u=16 levels=16",
    "hypercube n=1000000000",
    "ring n=1000000000",
    "hypercube n=" + "9" * 3000,
    "wk w=16 levels=16",
]
"""Networks of thousands of millions of nodes."""


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/facts", b"{", 400),
        ("POST", "/api/facts", b"[1]", 400),
        ("POST", "/api/facts", b'{"words": NaN}', 400),
        ("POST", "/api/facts", b"\xff", 400),
        ("POST", "/api/facts", b"[" * 100_000, 400),
        ("POST", "/api/facts", b'{"a":' * 50_000, 400),
        ("POST", "/api/facts", b'"' + b" " * server.MOST_BYTES + b'"', 413),
        ("POST", "/api/facts", b'{"words": 7}', 422),
        ("POST", "/api/files", b'{"words": ["ring", "n=3", "name=../../x"]}', 422),
        ("POST", "/api/files", b'{"words": ["../../etc/passwd"]}', 422),
        ("POST", "/api/files", b'{"words": ["graph", "file=/etc/hosts.edges"]}', 422),
        *(("POST", "/api/sheet", json.dumps({"words": s.split()}).encode(), 422) for s in LARGE),
        ("GET", "/api/facts", b"", 405),
        ("DELETE", "/", b"", 405),
        ("GET", "/../pyproject.toml", b"", 404),
        ("GET", "/page/studio.html", b"", 404),
        ("GET", "/%2e%2e/%2e%2e/etc/passwd", b"", 404),
        ("POST", "/api/nothing", b"{}", 404),
    ],
)
def test_hostile_requests_are_refused_and_change_nothing(
    method, path, body, status, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    answer = ask(method, path, body)
    assert answer.status == status
    assert len(answer.told["refused"].splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


@in_loop
async def test_a_sweep_is_started_watched_and_stopped():
    app = guarded(Desk(AMPLE, HereHelper))
    told = {"words": ["ring", "n=3"], "rates": "0.1:0.1:0.1", "measure": 100}
    started = await asked(app, "POST", "/api/sweep", json.dumps(told).encode())
    again = await asked(app, "POST", "/api/sweep", json.dumps(told).encode())
    assert (started.told["state"], again.status) == ("running", 409)
    assert again.told["refused"] == "studio: one sweep is running; stop it first"
    while (answer := await asked(app, "GET", "/api/sweep")).told["state"] == "running":
        await asyncio.sleep(0.01)
    assert (answer.told["state"], len(answer.told["points"])) == ("done", 1)
    assert (await asked(app, "DELETE", "/api/sweep")).told["state"] == "done"


@contextmanager
def serving(idle):
    """Address and token of a studio in a thread, which must end when idle."""
    port, addresses = open_port(0), SimpleQueue()
    host, number = port.getsockname()
    keys = {"limit": AMPLE, "started": addresses.put, "idle": idle}
    thread = threading.Thread(target=serve, args=(port,), kwargs=keys)
    thread.start()
    address = addresses.get(timeout=30)
    assert address.startswith(f"http://{host}:{number}/#")
    yield host, number, address.partition("#")[2]
    thread.join(60)
    assert not thread.is_alive()


def test_the_studio_answers_on_loopback_alone_and_ends_when_idle():
    with serving(idle=1) as (host, port, token):
        assert host == "127.0.0.1"
        assert len(token) >= 32
        connection = http.client.HTTPConnection(host, port, timeout=30)
        connection.request("GET", "/")
        answer = connection.getresponse()
        assert answer.status == 200
        assert b"Knotwork studio" in answer.read()
        connection.request("GET", "/api/sweep", headers={"X-Knotwork-Token": token})
        assert json.loads(connection.getresponse().read()) == {"number": 0, "state": "none"}
        connection.request("GET", "/api/sweep", headers={"Host": "evil.example"})
        assert connection.getresponse().status == 403
        connection.close()
    with pytest.raises(OSError):
        socket.create_connection((host, port), timeout=5)


def test_many_connections_at_once_are_all_answered_by_its_processes():
    with serving(idle=1) as (host, port, token):
        headers = {
            "Origin": f"http://{host}:{port}",
            "Content-Type": "application/json",
            "X-Knotwork-Token": token,
        }

        def facts(nodes):
            connection = http.client.HTTPConnection(host, port, timeout=120)
            named = json.dumps({"words": ["ring", f"n={nodes}"]})
            connection.request("POST", "/api/facts", named, headers)
            answer = connection.getresponse()
            found = answer.status, json.loads(answer.read())
            connection.close()
            return found

        with ThreadPoolExecutor(100) as pool:
            answers = list(pool.map(facts, [number % 10 for number in range(100)]))
    for place, (status, told) in enumerate(answers):
        nodes = place % 10
        if nodes < 2:
            line = f"ring: n must be an integer in 2..4096, not {nodes}"
            assert (status, told) == (422, {"refused": line})
        else:
            assert (status, told["answer"]["name"]) == (200, f"ring_n{nodes}")


def test_unfinished_heads_and_answers_that_none_takes_keep_nobody_out(monkeypatch):
    monkeypatch.setattr(server, "WAITING_SECONDS", 1.0)
    monkeypatch.setattr(server, "MOST_REQUESTS", 20)
    with serving(idle=4) as (host, port, _), ExitStack() as stack:
        head = f"GET /studio.js HTTP/1.1\r\nHost: {host}:{port}\r\n".encode()
        stalled = []
        for ending in (b"\r\n" * 2, b"") * 10:
            stalled.append(stack.enter_context(socket.create_connection((host, port))))
            # A small window: the answer does not fit into it.
            stalled[-1].setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 2048)
            stalled[-1].sendall(head + ending)
        deadline, status = time.monotonic() + 30, 503
        while status == 503 and time.monotonic() < deadline:
            time.sleep(0.2)
            asked = http.client.HTTPConnection(host, port, timeout=30)
            asked.request("GET", "/")
            status = asked.getresponse().status
            asked.close()
        assert status == 200
        stalled[1].settimeout(30)
        assert stalled[1].recv(1) == b""  # it was ended


def test_a_request_in_chunks_is_refused_before_it_is_parted():
    with serving(idle=1) as (host, port, token), socket.create_connection((host, port)) as asked:
        lines = ("POST /api/facts HTTP/1.1", f"Host: {host}:{port}", f"X-Knotwork-Token: {token}")
        lines += ("Content-Type: application/json", "Transfer-Encoding: chunked", "", "")
        asked.sendall("\r\n".join(lines).encode() + b"1\r\n{\r\n" * 100)
        asked.settimeout(30)
        answer = b"".join(iter(lambda: asked.recv(4096), b""))
    assert answer.startswith(b"HTTP/1.1 411 ")
    assert b"studio: a request must have a Content-Length, not come in chunks" in answer


def test_no_browser_and_one_of_the_terminal_are_not_asked(monkeypatch):
    def nothing():
        raise webbrowser.Error("none")

    monkeypatch.setattr(webbrowser, "get", nothing)
    assert not open_browser("http://127.0.0.1/")
    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("false"))
    assert not open_browser("http://127.0.0.1/")
    shown = []

    class Shown:
        def open(self, address):
            shown.append(address)
            return True

    monkeypatch.setattr(webbrowser, "get", Shown)
    assert open_browser("http://127.0.0.1/")
    assert shown == ["http://127.0.0.1/"]
