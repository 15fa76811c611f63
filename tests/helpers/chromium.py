"""Chromium that looks at the pages that Knotwork makes."""

import asyncio
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]
PHONE = {"width": 390, "height": 844}


def chromium_path() -> str | None:
    """Chromium of this machine; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@cache
def started(path: str) -> tuple[Any, Any, asyncio.AbstractEventLoop]:
    """Playwright, the one browser of this process, and the loop of asyncio in which both run."""
    from playwright.sync_api import sync_playwright

    playwright = sync_playwright().start()
    browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
    return playwright, browser, asyncio.get_running_loop()


@pytest.fixture
def chromium(request: pytest.FixtureRequest) -> Iterator[Any]:
    """Browser of all tests of a process; they are skipped where there is none.

    Playwright leaves its loop running in this thread. Between the tests that look at pages the
    loop is out of sight, so that other tests can run loops of their own.
    """
    path = chromium_path()
    if path is None:
        pytest.skip("Chromium is not installed")
    is_first = not started.cache_info().currsize
    playwright, browser, loop = started(path)

    def end() -> None:
        asyncio._set_running_loop(loop)
        browser.close()
        playwright.stop()
        asyncio._set_running_loop(None)
        started.cache_clear()

    if is_first:
        request.session.addfinalizer(end)
    asyncio._set_running_loop(loop)
    yield browser
    asyncio._set_running_loop(None)


@contextmanager
def looking_at(browser: Any, place: Path | str, **settings: Any) -> Iterator[Any]:
    """Page of a file, or at a server's address, in a context with these settings.

    It may say nothing on the console, but of a server's refusal (status 422), and load nothing
    from elsewhere.
    """
    url = place.as_uri() if isinstance(place, Path) else place
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | settings)
    page = context.new_page()
    said, requested = [], []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: requested.append(request.url))
    try:
        page.goto(url)
        yield page
    finally:
        context.close()
    own = url.partition("#")[0]
    assert [line for line in said if own == url or "status of 422" not in line] == []
    assert [each for each in requested if not each.startswith((own, "data:", "blob:"))] == []


def require_phone_page(page: Any, theme: str) -> None:
    """A page as wide as a `PHONE`, with the theme's background, and a button for the other."""
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]
    background = "getComputedStyle(document.body).backgroundColor"
    first = page.evaluate(background)
    assert (first == "rgb(13, 17, 23)") == (theme == "dark")
    page.get_by_role("button", name="Dark or light").click()
    assert page.evaluate(background) != first
