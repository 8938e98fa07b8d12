"""The page of questions has sixty, honest noes among them; links of it and of the page of what is public lead somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import biomech_id as bid

DOCS = Path(__file__).resolve().parents[3] / "docs"
QUESTIONS = (DOCS / "questions.md").read_text(encoding="utf-8")
ROOT = DOCS.parent


def test_sixty_questions_with_honest_noes() -> None:
    rows = [line for line in QUESTIONS.splitlines() if line.startswith("| ") and "](" in line]
    assert len(rows) >= 60
    assert sum("**no" in row.lower() for row in rows) >= 10


@pytest.mark.parametrize("page", ["questions", "public"])
def test_every_link_leads_to_a_page(page: str) -> None:
    links = re.findall(r"\]\(/?([\w/.-]+)\)", (DOCS / f"{page}.md").read_text(encoding="utf-8"))
    assert links
    for link in links:
        source = DOCS / link.replace("gallery/pages/", "gallery/")
        assert source.is_file() or source.with_suffix(".py").is_file(), link


def test_every_name_of_bid_on_a_page_is_there() -> None:
    for page in (QUESTIONS, (ROOT / "README.md").read_text(encoding="utf-8")):
        for name in re.findall(r"bid\.([A-Za-z_]\w*)", page):
            assert name in dir(bid), name


def test_both_pages_are_reachable_from_the_first() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    assert all(f"({page}.md)" in index and f"\n{page}\n" in index for page in ("questions", "public"))


def test_the_deprecated_names_of_the_page_are_those_that_warn() -> None:
    text = (DOCS / "public.md").read_text(encoding="utf-8").split("## Deprecated in 0.2")[1]
    assert set(bid._GOES) == set(re.findall(r"`(\w+)`", text.split("`solve(motion")[0])) - {"biomech_id"}


def test_the_citation_has_the_version() -> None:
    cited = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (\S+)$", cited, flags=re.MULTILINE).group(1) == bid.__version__  # type: ignore[union-attr]


def test_the_changelog_begins_with_the_version_and_ends_with_the_first() -> None:
    versions = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    assert versions[0] == bid.__version__
    assert versions[-1] == "0.1.0"
    assert len(set(versions)) == len(versions)
