"""A real browser on a page from a file: what it said, what it asked for, and its clicks and keys."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

#: As distributions call it; a browser that a test tool downloads is none of ours.
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
#: What a browser does on a machine without a graphics card: software puts the page together, and SwiftShader draws WebGL, which
#: today's browsers want to be told (``--use-angle=swiftshader`` would feign a card for all of it). And a sandbox that root has not.
ARGUMENTS = (
    "--no-sandbox",
    "--enable-unsafe-swiftshader",
    "--disable-dev-shm-usage",
    "--force-color-profile=srgb",
)
#: The drawing library below the browser says how fast it is when software puts the page together; the page has no word in that.
DRIVER = "GL Driver Message (OpenGL, Performance"
#: Kind of a decision's control -> the table it stands in.
TABS = {"cycle": "cycles", "stance": "stances", "verdict": "stances", "event": "events", "remove": "decided"}
SIZE = {"width": 1400, "height": 1000}


def missing(what: str) -> None:
    """Skip, or fail where a browser has to be there."""
    if os.environ.get("CI") or os.environ.get("BIOMECH_ID_BROWSER"):
        pytest.fail(what)
    pytest.skip(what)


@dataclass
class Page:
    """One page, with what it said on the console and asked for."""

    page: Any
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)

    def scrub(self, frame: int) -> None:
        """Put the cursor into a frame and wait until it is drawn."""
        self.page.evaluate(
            """async (frame) => {
              const slider = document.getElementById("scrub");
              slider.value = String(frame);
              slider.dispatchEvent(new Event("input"));
              await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            }""",
            frame,
        )

    def settle(self) -> None:
        """Wait until everything is drawn."""
        self.page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def numbers(self) -> list[tuple[str, str, float]]:
        """Every number under the cursor: variable, side, value."""
        found = self.page.evaluate(
            "() => [...document.querySelectorAll('.value')].map((e) => [e.dataset.key, e.dataset.side, e.dataset.value])"
        )
        return [(key, side, float(value) if value else float("nan")) for key, side, value in found]

    def show(self, group: str, along: str) -> None:
        self.page.click(f"#group-{group}")
        self.page.select_option("#along", along)
        self.settle()

    def tab(self, name: str) -> None:
        """Show one of the tables below the curves."""
        self.page.click(f"#tab-{name}")

    def decide(self, what: str) -> Any:
        """The control of one decision, in the table that holds it."""
        self.tab(TABS[what.partition(" ")[0]])
        return self.page.locator(f'[data-decide="{what}"]')

    def tab_to(self, wanted: str, *, most: int = 120) -> None:
        """Go to a control by the tabulator alone."""
        for _ in range(most):
            self.page.keyboard.press("Tab")
            if self.page.evaluate("() => document.activeElement.dataset.decide ?? document.activeElement.id") == wanted:
                return
        raise AssertionError(f"nobody reaches {wanted} by the tabulator")


@contextmanager
def browser() -> Iterator[Any]:
    """A browser that the distribution installed."""
    path = next(filter(None, map(shutil.which, BROWSERS)), None)
    if path is None:
        missing(f"no browser is installed (looked for {', '.join(BROWSERS)})")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        missing("Playwright is not installed: pip install biomech-id[peers]")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=path, args=[*ARGUMENTS])
        try:
            yield opened
        finally:
            opened.close()


def another(opened: Any, *more: str) -> Any:
    """A second browser, started with other arguments."""
    path = next(filter(None, map(shutil.which, BROWSERS)))
    return opened.browser_type.launch(executable_path=path, args=[*ARGUMENTS, *more])


def open_page(opened: Any, path: Path, **options: Any) -> Page:
    """Open a page from its file and wait for its first picture."""
    context = opened.new_context(**{"viewport": SIZE, "accept_downloads": True, **options})
    page = context.new_page()
    page.set_default_timeout(60_000)
    made = Page(page)
    page.on("console", lambda said: None if DRIVER in said.text else made.console.append(f"{said.type}: {said.text}"))
    page.on("pageerror", lambda error: made.console.append(f"error: {error}"))
    page.on("request", lambda asked: made.requests.append(asked.url))
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-shown]", state="attached")
    # Means are over all trials, which are unpacked behind the first picture.
    page.wait_for_selector("html[data-whole]", state="attached")
    made.settle()
    return made
