"""Links between pages lead somewhere: files, and headings inside them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from biomech_id.languages import table

ROOT = Path(__file__).resolve().parents[2]
GENERATED = {".venv", "_build", "build", "dist", "demo", "out", "gallery"}
LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
HEADING = re.compile(r"^#{1,6} +(?P<text>.+?) *#*$", flags=re.MULTILINE)
CODE = re.compile(r"^```.*?^```$", flags=re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """Every page that people read, by name."""
    found = [path.relative_to(ROOT) for path in ROOT.rglob("*.md")]
    return sorted(path for path in found if not GENERATED & set(path.parts) and not path.parts[0].startswith("."))


def links(page: Path) -> list[str]:
    """The targets of a page's links inside the project."""
    text = CODE.sub("", (ROOT / page).read_text(encoding="utf-8"))
    return [target for target in LINK.findall(text) if not re.match(r"[a-z]+:", target)]


def anchors(page: Path) -> set[str]:
    """The anchors of a page's headings, as GitHub and the site make them."""
    text = CODE.sub("", page.read_text(encoding="utf-8"))
    words = [re.sub(r"[^\w\- ]", "", heading.lower()) for heading in HEADING.findall(text)]
    return {word.strip().replace(" ", "-") for word in words}


def broken(page: Path) -> list[str]:
    """Those links of a page that lead nowhere."""
    bad = []
    for target in links(page):
        path, _, anchor = target.partition("#")
        goal = (ROOT / page).parent / path if path else ROOT / page
        if not goal.exists() or (anchor and anchor not in anchors(goal)):
            bad.append(target)
    return bad


def test_pages_and_links_are_found_at_all() -> None:
    assert {Path("README.md"), Path("docs/index.md"), Path("docs/decisions/filtering.md")} <= set(pages())
    assert "user-guide.md#the-first-hour" in links(Path("docs/index.md"))


@pytest.mark.parametrize("page", pages(), ids=str)
def test_every_link_leads_somewhere(page: Path) -> None:
    assert broken(page) == []


def test_every_rule_that_check_prints_has_its_anchor() -> None:
    known = {rule for rule, entry in table("en").items() if "severity" in entry}
    assert len(known) > 80
    assert known <= anchors(Path("docs/check-rules.md"))


@pytest.mark.parametrize("place", ["biomech_id", "pipelines", "benchmarks", "reports"])
def test_every_page_that_the_code_names_is_there(place: str) -> None:
    for source in (ROOT / place).rglob("*.py"):
        for name in re.findall(r"docs/[\w/-]+\.md", source.read_text(encoding="utf-8")):
            assert (ROOT / name).is_file(), f"{source.relative_to(ROOT)} names {name}"
