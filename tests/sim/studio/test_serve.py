"""The port: on this machine alone, refused where it is taken; the end when nobody asks."""

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
from helpers.studio import AMPLE
from knotwork_sim.studio import serve as serving_module
from knotwork_sim.studio import server
from knotwork_sim.studio.serve import open_browser, open_port, serve


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
    monkeypatch.setattr(serving_module, "MOST_REQUESTS", 20)
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
