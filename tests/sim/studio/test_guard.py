"""The guard: nobody but the studio's own page may ask."""

import asyncio

import pytest
from helpers.studio import OWN, PORT, TOKEN, ask, in_loop
from knotwork_sim.studio.guard import Guard

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


def test_the_own_page_may_ask():
    assert refusal() is None
    assert refusal(host=f"localhost:{PORT}", origin=f"http://localhost:{PORT}") is None
    assert refusal(origin=None, sec_fetch_site=None) is None
    assert refusal("/", origin=None, sec_fetch_site="none", x_knotwork_token=None) is None


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


def test_a_refused_request_is_not_passed_on():
    answer = ask("POST", "/api/facts", {}, {**OWN, "origin": "http://evil.example"})
    assert answer.status == 403
    assert answer.told["refused"].startswith("studio: Origin must be")
    assert "access-control-allow-origin" not in answer.headers


def test_browsers_are_told_to_load_nothing_else():
    headers = ask("GET", "/").headers
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self'")
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["cache-control"] == "no-store"
