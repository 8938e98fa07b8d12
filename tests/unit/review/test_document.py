"""The page: its script in order, its policy by hashes, texts that stay texts, libraries that are what their list says."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import tomllib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import biomech_id.review
from biomech_id.errors import InvalidValueError
from biomech_id.languages import LANGUAGES
from biomech_id.movement.stance import Verdict
from biomech_id.review.document import _in_order, json_in_html, own_script, page_html

ROOM = Path(biomech_id.review.__file__).parent
NASTY = {"a": ["</script><b>", "<!--", "\u2028", 'quote " and \\', float("nan"), 1.5], "lone": "\ud800x"}


class Parts(HTMLParser):
    """Elements of a page with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.found: list[tuple[str, dict[str, str | None], str]] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.found.append(("", {}, ""))

    def handle_data(self, data: str) -> None:
        if self.found:
            tag, attributes, text = self.found[-1]
            self.found[-1] = (tag, attributes, text + data)

    def of(self, tag: str) -> list[tuple[dict[str, str | None], str]]:
        return [(attributes, text) for name, attributes, text in self.found if name == tag]


@pytest.fixture(scope="module")
def page() -> Parts:
    return Parts(page_html(NASTY, {"b1": "QUJD"}, title="</title><script>1</script>", language="en"))


def test_data_is_read_back_as_it_was_and_ends_no_element(page: Parts) -> None:
    (data,) = (text for attributes, text in page.of("script") if attributes.get("id") == "data")
    found = json.loads(data)
    assert found["a"] == [*NASTY["a"][:4], None, 1.5]
    assert found["lone"] == "?x"
    assert not set("<>&") & set(json_in_html(NASTY))
    assert page.of("title")[0][1].startswith("</title><script>")


def test_the_policy_allows_what_is_in_the_page_and_nothing_else(page: Parts) -> None:
    (policy,) = (a["content"] or "" for a, _ in page.of("meta") if a.get("http-equiv"))
    ran = [text for attributes, text in page.of("script") if "type" not in attributes]
    assert len(ran) == 3
    hashes = {
        f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'" for text in (*ran, page.of("style")[0][1])
    }
    assert set(re.findall(r"'sha256-[^']+'", policy)) == hashes
    assert policy.startswith("default-src 'none';")
    for forbidden in ("unsafe-inline", "unsafe-eval", "http", "*"):
        assert forbidden not in policy


def test_no_address_is_anywhere(page: Parts) -> None:
    text = page_html({}, {}, title="x", language="en")
    assert not re.search(r"https?:", text)
    assert not re.search(r"""\b(src|href)=["']""", re.sub(r"<script>.*?</script>", "", text, flags=re.DOTALL))


def test_every_module_stands_behind_those_it_imports() -> None:
    script = own_script()
    assert "import " not in re.sub(r"//[^\n]*|/\*.*?\*/", "", script, flags=re.DOTALL)
    assert not re.search(r"^export ", script, flags=re.MULTILINE)
    places = {name: script.index(f'modules["{name}"] = ') for name in (path.name for path in (ROOM / "page").glob("*.js"))}
    for name, use in re.findall(r'= modules\["([\w.]+)"\];()', script):
        assert places[name] >= 0, use
    for path in (ROOM / "page").glob("*.js"):
        for imported in re.findall(r'from "\./([\w.]+)"', path.read_text(encoding="utf-8")):
            assert places[imported] < places[path.name]


def test_modules_that_import_one_another_are_refused() -> None:
    both = {"a.js": 'import { b } from "./b.js";\n', "b.js": 'import { a } from "./a.js";\n'}
    with pytest.raises(InvalidValueError, match=r"a\.js, b\.js"):
        list(_in_order(both))


def test_vendored_files_are_those_listed_with_their_licences() -> None:
    listing: dict[str, Any] = json.loads((ROOM / "vendor" / "vendor.json").read_text(encoding="utf-8"))
    locked = json.loads((ROOM / "vendor" / "package-lock.json").read_text(encoding="utf-8"))["packages"]
    for name, sha256 in listing["files"].items():
        content = (ROOM / "vendor" / name).read_bytes().replace(b"\r\n", b"\n")
        assert hashlib.sha256(content).hexdigest() == sha256, name
    for name, about in listing["packages"].items():
        assert locked[f"node_modules/{name}"]["version"] == about["version"]
        assert locked[f"node_modules/{name}"]["integrity"].startswith("sha512-")
        assert about["license"] == "MIT"
        assert "Permission is hereby granted" in (ROOM / "vendor" / f"{name}.LICENSE").read_text(encoding="utf-8")
    # The libraries and the page, without a session: at most a megabyte.
    assert len(page_html({}, {}, title="", language="en").encode()) < 1_000_000


def words(language: str) -> dict[str, str]:
    return tomllib.loads((LANGUAGES[language] / "review.toml").read_text(encoding="utf-8"))


def test_both_languages_have_every_word_that_the_page_says() -> None:
    script = own_script()
    said = set(re.findall(r'\bsay\("(\w+)"', script)) | set(re.findall(r'\? "(\w+)" : "\w+"[,)]', script)) & set(words("en"))
    assert len(said) > 60
    assert said <= set(words("en"))
    assert words("en").keys() == words("de").keys()
    for name, text in words("en").items():
        assert set(re.findall(r"\{\w+\}", text)) == set(re.findall(r"\{\w+\}", words("de")[name])), name
    for group in ("angles", "moments", "powers", "ground", "emg", "forces", "upper"):
        assert {f"group_{group}", f"empty_{group}"} <= set(words("en"))
    assert {f"stance_{verdict}" for verdict in Verdict} <= set(words("en"))
