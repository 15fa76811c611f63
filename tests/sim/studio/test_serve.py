"""The port: on this machine alone, refused where it is taken; the end when nobody asks."""

import http.client
import json
import socket
import threading
import webbrowser
from concurrent.futures import ThreadPoolExecutor
from queue import SimpleQueue

import pytest
from helpers.studio import AMPLE
from knotwork.errors import ConfigurationError
from knotwork_sim.studio.serve import open_browser, open_port, serve


def test_the_studio_answers_on_loopback_alone_and_ends_when_idle():
    made, addresses = open_port(0), []
    host, port = made.getsockname()
    assert host == "127.0.0.1"
    thread = threading.Thread(
        target=serve, args=(made,), kwargs={"limit": AMPLE, "started": addresses.append, "idle": 2}
    )
    thread.start()
    connection = http.client.HTTPConnection(host, port, timeout=30)
    connection.request("GET", "/")
    answer = connection.getresponse()
    assert answer.status == 200
    assert b"Knotwork studio" in answer.read()
    token = addresses[0].removeprefix(f"http://127.0.0.1:{port}/#")
    assert len(token) >= 32
    connection.request("GET", "/api/sweep", headers={"X-Knotwork-Token": token})
    assert json.loads(connection.getresponse().read()) == {"number": 0, "state": "none"}
    connection.request("GET", "/api/sweep", headers={"Host": "evil.example"})
    assert connection.getresponse().status == 403
    connection.close()
    thread.join(60)
    assert not thread.is_alive()
    with pytest.raises(OSError):
        socket.create_connection((host, port), timeout=5)


def test_a_hundred_connections_at_once_are_all_answered_by_its_processes():
    made, addresses = open_port(0), SimpleQueue()
    host, port = made.getsockname()
    thread = threading.Thread(
        target=serve, args=(made,), kwargs={"limit": AMPLE, "started": addresses.put, "idle": 1}
    )
    thread.start()
    headers = {
        "Origin": f"http://{host}:{port}",
        "Content-Type": "application/json",
        "X-Knotwork-Token": addresses.get(timeout=30).partition("#")[2],
    }

    def facts(nodes):
        connection = http.client.HTTPConnection(host, port, timeout=120)
        told = json.dumps({"words": ["ring", f"n={nodes}"]})
        connection.request("POST", "/api/facts", told, headers)
        answer = connection.getresponse()
        found = answer.status, json.loads(answer.read())
        connection.close()
        return found

    with ThreadPoolExecutor(100) as pool:
        answers = list(pool.map(facts, range(100)))
    for nodes, (status, told) in enumerate(answers):
        if nodes < 2:
            line = f"ring: n must be an integer in 2..4096, not {nodes}"
            assert (status, told) == (422, {"refused": line})
        else:
            assert (status, told["answer"]["name"]) == (200, f"ring_n{nodes}")
    thread.join(60)
    assert not thread.is_alive()


def test_a_port_in_use_is_refused():
    with open_port(0) as made:
        port = made.getsockname()[1]
        with pytest.raises(ConfigurationError) as refused:
            open_port(port)
    line = f"studio: --port must be a free port of 127.0.0.1, not {port}: address already in use"
    assert str(refused.value) == line


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
