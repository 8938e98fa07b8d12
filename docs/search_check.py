"""Whether the site's search finds the page that answers: ``python -m docs.search_check docs/_build``, a part of ``make site``.

The site searches in the reader's browser, in ``searchindex.js``. What is done there (``searchtools.js`` of Sphinx: every word must
be on the page; the best place of any word, title before text, scores it; ``_static/search_scorer.js`` adds what stands in titles;
equals go by title) is done here on the same file, for the questions of ``questions.toml``.
"""

from __future__ import annotations

import json
import re
import sys
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
#: Among how many results the page must be.
FIRST = 3
_TITLE, _PART_OF_TITLE, _TERM, _PART_OF_TERM = 15, 7, 5, 2
_WHOLE_NAME, _PART_OF_NAME = 11, 6
_PRIORITY = {0: 15, 1: 5, 2: -5}
#: (page, what the result is called, anchor, description), its score: as the browser lists it.
Row = tuple[tuple[str, str, str, str], int]


def _listed(files: object) -> list[int]:
    return [int(each) for each in files] if isinstance(files, list) else [int(str(files))]


def _of_titles(index: dict[str, Any], query: str) -> Iterator[Row]:
    for title, places in index["alltitles"].items():
        if query in title.lower().strip() and len(query) >= len(title) / 2:
            for file, anchor in places:
                own = index["titles"][file]
                score = int(_TITLE * len(query) / len(title) + 0.5) + (own == title)
                name = title if own == title else f"{own} > {title}"
                yield (index["docnames"][file], name, "" if anchor is None else "#" + anchor, ""), score


def _of_entries(index: dict[str, Any], query: str) -> Iterator[tuple[bool, Row]]:
    for entry, places in index["indexentries"].items():
        if query in entry and len(query) >= len(entry) / 2:
            for file, anchor, main in places:
                row = (index["docnames"][file], index["titles"][file], "#" + anchor if anchor else "", "")
                yield bool(main), (row, int(100 * len(query) / len(entry) + 0.5))


def _of_objects(index: dict[str, Any], words: set[str]) -> Iterator[Row]:
    for word in words:
        for prefix, objects in index["objects"].items():
            for file, kind, priority, _, name in objects:
                full = f"{prefix}.{name}" if prefix else name
                last = full.lower().rpartition(".")[2]
                title, kind_name = index["titles"][file], index["objnames"][str(kind)][2]
                around = f"{prefix} {name} {kind_name} {title}".lower()
                if word not in full.lower() or any(other not in around for other in words - {word}):
                    continue
                score = _WHOLE_NAME if word in (full.lower(), last) else _PART_OF_NAME * (word in last)
                row = (index["docnames"][file], full, "#" + full, f"{kind_name}, in {title}")
                yield row, score + _PRIORITY.get(priority, 0)


def _of_terms(index: dict[str, Any], words: Sequence[str]) -> Iterator[Row]:
    scores: dict[int, dict[str, int]] = {}
    for word in words:
        for table, whole, part in (("terms", _TERM, _PART_OF_TERM), ("titleterms", _TITLE, _PART_OF_TITLE)):
            terms = index[table]
            parts = [] if len(word) <= 2 or word in terms else [term for term in terms if word in term]
            for term, score in [(word, whole)] * (word in terms) + [(term, part) for term in parts]:
                for file in _listed(terms[term]):
                    scores.setdefault(file, {})[word] = score
    enough = {len(words), sum(len(word) > 2 for word in words)}
    for file, found in scores.items():
        if len(found) in enough:
            yield (index["docnames"][file], index["titles"][file], "", ""), max(found.values())


@dataclass(frozen=True)
class Site:
    """A built site's search.

    Attributes
    ----------
    index : dict[str, Any]
        Its ``searchindex.js``.
    stop : frozenset[str]
        Words that a query passes over.
    """

    index: dict[str, Any]
    stop: frozenset[str]

    @cached_property
    def _headings(self) -> dict[str, list[frozenset[str]]]:
        found: dict[str, list[frozenset[str]]] = {page: [] for page in self.index["docnames"]}
        for title, places in self.index["alltitles"].items():
            for page in {self.index["docnames"][file] for file, _ in places}:
                found[page].append(frozenset(self.stems(title)))
        return found

    @cached_property
    def _titles(self) -> dict[str, frozenset[str]]:
        return {
            page: frozenset(self.stems(title)) for page, title in zip(self.index["docnames"], self.index["titles"], strict=True)
        }

    def stems(self, text: str) -> list[str]:
        """Return the words that are searched for."""
        return [_stem(word) for word in re.findall(r"\w+", text.lower()) if word not in self.stop]

    def rank(self, row: Row, asked: Sequence[str]) -> float:
        """Return the score of a result, as ``search_scorer.js`` has it."""
        (page, *_), score = row
        title, *headings = (_share(asked, words) for words in (self._titles[page], *self._headings[page]))
        named = 30 * title + 15 * max(headings, default=0.0)
        if page.startswith("api/"):
            return score - 25 + named / 2
        return score - 10 + named / 2 if page.startswith("decisions/") else score + named

    def results(self, query: str) -> list[str]:
        """Return the pages of the results for a query, best first, a page as often as the browser lists it."""
        low, asked = query.lower().strip(), self.stems(query)
        words = list(dict.fromkeys(word for word in asked if not word.isdigit()))
        rows = [*_of_titles(self.index, low), *_of_objects(self.index, set(re.findall(r"\w+", low))), *_of_terms(self.index, words)]
        entries = list(_of_entries(self.index, low))
        groups = (rows + [row for main, row in entries if main], [row for main, row in entries if not main])
        ranked = (sorted(group, key=lambda row: (-self.rank(row, asked), row[0][1].lower())) for group in groups)
        return [row[0] for row in dict.fromkeys(row for group in ranked for row, _ in group)]


@cache
def _stem(word: str) -> str:
    return str(_stemmer().stemWord(word))


@cache
def _stemmer() -> Any:
    from snowballstemmer import stemmer  # comes with Sphinx

    return stemmer("english")


def _share(asked: Sequence[str], words: Collection[str]) -> float:
    return sum(word in words for word in asked) / len(asked) if asked else 0.0


def load(site: Path) -> Site:
    """Return the search of a built site."""
    text = (site / "searchindex.js").read_text(encoding="utf-8")
    words = re.search(
        r"stopwords = new Set\((\[.*?\])\)", (site / "_static" / "language_data.js").read_text(encoding="utf-8"), re.DOTALL
    )
    if words is None:
        raise SystemExit("language_data.js names no stop words: Sphinx has changed its search; compare with searchtools.js.")
    return Site(json.loads(text[text.index("(") + 1 : text.rindex(")")]), frozenset(json.loads(words[1])))


def missed(search: Site, asked: Sequence[Mapping[str, str]]) -> list[str]:
    """Return a line for every question whose page is not among the first results."""
    lines = []
    for each in asked:
        found = search.results(each["asked"])
        if each["page"] not in found[:FIRST]:
            lines.append(
                f"  {each['asked']!r}: {each['page']} is not among {', '.join(found[:FIRST]) or 'nothing'} (of {len(found)})"
            )
    return lines


def main(site: str) -> int:
    """Print how many questions are answered among the first results, and those that are not; 1 where one of the forty is not."""
    search, asked = load(Path(site)), tomllib.loads((HERE / "questions.toml").read_text(encoding="utf-8"))
    lost = {kind: missed(search, asked[kind]) for kind in ("question", "further")}
    for kind, lines in lost.items():
        n = len(asked[kind])
        sys.stdout.write("\n".join([f"{kind}: {n - len(lines)} of {n} pages among the first {FIRST}", *lines]) + "\n")
    return 1 if lost["question"] else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
