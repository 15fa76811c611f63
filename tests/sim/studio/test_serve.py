"""The port: on this machine alone, refused where it is taken; the end when nobody asks."""

import http.client
import json
import socket
import threading
import webbrowser

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
