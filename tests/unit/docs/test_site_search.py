"""How the site's search ranks, on an index of four pages; ``make site`` asks the questions of the built site itself."""

from __future__ import annotations

import json
import shutil
import subprocess
import tomllib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).resolve().parents[3] / "docs"
INDEX = {
    "docnames": ["filters", "index", "events", "api/signal", "decisions/filters"],
    "titles": ["Filter markers", "Start", "Gait events", "signal.filters", "Why we filter"],
    "alltitles": {
        "Filter markers": [[0, None]], "Start": [[1, None]], "Gait events": [[2, None]], "A filter": [[1, "a-filter"]],
        "Why we filter": [[4, None]],
    },
    "terms": {"filter": [1, 2, 3, 4], "markers": [1, 2, 3, 4], "strike": 2},
    "titleterms": {"filter": [0, 1, 4], "markers": 0, "gait": 2},
    "indexentries": {}, "objects": {"signal": [[3, 0, 1, "", "filter"]]}, "objnames": {"0": ["py", "function", "Python function"]},
}  # fmt: skip


@pytest.fixture
def site_search(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(DOCS / "_extensions"))
    return import_module("site_search")


def small_site(monkeypatch: pytest.MonkeyPatch, folder: Path) -> Any:
    """Guides and a module that speak of filters; words are their own stems."""
    from docs import search_check

    monkeypatch.setattr(search_check, "_stem", lambda word: word)
    (folder / "searchindex.js").write_text(f"Search.setIndex({json.dumps(INDEX)})", encoding="utf-8")
    (folder / "_static").mkdir()
    (folder / "_static" / "language_data.js").write_text('const stopwords = new Set(["how", "a"]);', encoding="utf-8")
    return search_check.load(folder)


def test_titles_come_first_then_headings_then_text_and_modules_last(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    search = small_site(monkeypatch, tmp_path)
    assert list(dict.fromkeys(search.results("filter markers"))) == [
        "filters",
        "index",
        "decisions/filters",
        "events",
        "api/signal",
    ]
    assert search.results("how a strike") == ["events"]
    assert search.results("crutch filter") == [], "every word must be on the page"


def test_a_question_whose_page_is_fourth_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from docs import search_check

    search = small_site(monkeypatch, tmp_path)
    assert search_check.missed(search, [{"asked": "filter markers", "page": "index"}]) == []
    (line,) = search_check.missed(search, [{"asked": "filter markers", "page": "api/signal"}])
    assert "api/signal is not among filters, index, decisions/filters" in line


def test_every_page_that_is_given_words_is_there(site_search: Any) -> None:
    pages = site_search.words_of_pages()
    for page, words in pages.items():
        source = DOCS / page.replace("gallery/pages/", "gallery/")
        assert source.with_suffix(".py").is_file() or source.with_suffix(".md").is_file(), page
        assert all(word == word.lower() and " " not in word for word in words), page


def test_every_further_question_has_a_page(site_search: Any) -> None:
    asked = tomllib.loads((DOCS / "questions.toml").read_text(encoding="utf-8"))
    assert len(asked["question"]) >= 40
    assert len(asked["further"]) >= 20


@pytest.mark.skipif(shutil.which("node") is None, reason="needs Node to run what the site's search runs in a browser")
def test_the_search_of_the_site_scores_as_the_check_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The two are one rule in two languages."""
    search, query = small_site(monkeypatch, tmp_path), "how filter markers"
    rows = [((page, title, "", ""), 15 - n) for n, (page, title) in enumerate(zip(INDEX["docnames"], INDEX["titles"], strict=True))]
    script = f"""
        const stopwords = new Set(["how", "a"]), window = {{location: {{search: "?q={query.replace(" ", "+")}"}}}};
        const splitQuery = (text) => text.split(/[^\\p{{Letter}}\\p{{Number}}_]+/gu).filter((word) => word);
        class Stemmer {{ stemWord(word) {{ return word; }} }}
        const Search = {{_index: {json.dumps(INDEX)}}};
        {(DOCS / "_static" / "search_scorer.js").read_text(encoding="utf-8")}
        console.log(JSON.stringify({json.dumps([[*row, score] for row, score in rows])}.map(Scorer.score)));
    """
    done = subprocess.run(["node", "-"], input=script, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == pytest.approx([search.rank(row, search.stems(query)) for row in rows])


def test_a_modules_name_is_no_title_word(site_search: Any) -> None:
    assert site_search.MODULE.fullmatch("gait.events")
    assert not site_search.MODULE.fullmatch("Gait events. More")
