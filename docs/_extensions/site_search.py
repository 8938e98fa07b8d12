"""What the site's search finds: other spellings and other words for things, guides before modules, titles before text.

The search itself is Sphinx's, in the reader's browser; ``python -m docs.search_check`` holds it against questions.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]
#: Words that people ask with, beside those of Sphinx; the index keeps them, a query passes over them.
ASKED_WITH = frozenset({
    "how", "do", "does", "did", "i", "my", "me", "can", "could", "should", "which", "what", "when", "where", "who", "why",
    "you", "your", "get", "have", "has", "from", "with", "one",
})  # fmt: skip
#: A word of these pages -> what others write for it.
ALSO: dict[str, str] = {
    "centre": "center", "centres": "centers", "analyse": "analyze", "analysed": "analyzed", "normalise": "normalize",
    "normalised": "normalized", "metre": "meter", "metres": "meters", "recognised": "recognized", "colour": "color",
    "moment": "torque", "moments": "torques", "plate": "platform", "plates": "platforms", "recording": "acquisition",
    "recordings": "acquisitions", "laboratory": "lab", "laboratories": "labs", "hertz": "hz", "hz": "hertz",
    "picture": "figure", "pictures": "figures", "anonymise": "anonymize",
}  # fmt: skip
#: The name of a module, which is the title of its page: it is found as a name, and the words of guides come first.
MODULE = re.compile(r"[a-z][a-z0-9_]*(\.[a-z][a-z0-9_]*)+")


def language() -> type[Any]:
    """Return English as these pages are searched."""
    from sphinx.search.en import SearchEnglish  # the tests read this module where there is no sphinx

    class Words(SearchEnglish):
        stopwords = SearchEnglish.stopwords | ASKED_WITH

        def split(self, input: str) -> list[str]:
            if MODULE.fullmatch(input):
                return []
            words = super().split(input)
            return words + [ALSO[word] for word in map(str.lower, words) if word in ALSO]

        def word_filter(self, word: str) -> bool:
            return not word.isdigit() and word not in SearchEnglish.stopwords

    return Words


def words_of_pages() -> dict[str, list[str]]:
    """Return each page's further words, of ``search_words.toml``."""
    said = tomllib.loads((HERE / "search_words.toml").read_text(encoding="utf-8"))["pages"]
    return {page: [word.strip() for word in words.split(",")] for page, words in said.items()}


def add_words(app: Any, doctree: Any) -> None:
    """Give a page its further words, as a page's own keywords."""
    from docutils import nodes

    words = [twin for word in words_of_pages().get(app.env.docname, ()) for twin in (word, ALSO.get(word)) if twin]
    if words:
        doctree += nodes.meta("", name="keywords", content=", ".join(words))


def setup(app: Any) -> dict[str, bool]:
    """Search these pages so."""
    from sphinx.search import languages

    languages["en"] = language()
    app.connect("doctree-read", add_words)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
