"""Chromium that looks at the pages that Knotwork makes."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

ARGUMENTS = [
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
]


def chromium_path() -> str | None:
    """Chromium of this machine; None where there is none."""
    return shutil.which("chromium") or shutil.which("chromium-browser")


@pytest.fixture(scope="module")
def chromium() -> Iterator[Any]:
    """Browser of the tests of a module; they are skipped where there is none.

    While it is there, this thread has a running loop of asyncio, which no other module may meet.
    """
    path = chromium_path()
    if path is None:
        pytest.skip("Chromium is not installed")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


@contextmanager
def looking_at(browser: Any, file: Path, **settings: Any) -> Iterator[Any]:
    """Page of a file, which may say nothing on the console and ask no one for anything.

    Parameters
    ----------
    browser : Browser
        What `chromium` gives.
    file : Path
        Page of HTML.
    **settings
        Of `Browser.new_context`: ``viewport``, ``color_scheme``.
    """
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}} | settings)
    page = context.new_page()
    said, asked = [], []
    page.on("console", lambda message: said.append(f"{message.type}: {message.text}"))
    page.on("pageerror", lambda error: said.append(f"error: {error}"))
    page.on("request", lambda request: asked.append(request.url))
    try:
        page.goto(file.as_uri())
        yield page
    finally:
        context.close()
    assert said == []
    assert [url for url in asked if not url.startswith(("data:", "blob:"))] == [file.as_uri()]
