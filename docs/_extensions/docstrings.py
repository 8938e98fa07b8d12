"""Docstrings of this project as reStructuredText.

Their sections are those of numpydoc, but an entry is one sentence, ``name : what, with shape and unit``, that may run on over
indented lines; numpydoc would take its first line for a type. An indented paragraph is an equation or an example: it stays.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from enum import Enum
from itertools import groupby, pairwise
from typing import Any

RULE = re.compile(r"-{3,}$")
#: What is returned may have names, or be one sentence.
NAMED = re.compile(r"[\w, ]+ : ")
#: Sections whose entries have names, in the order they are written.
LISTED = ("Parameters", "Attributes", "Returns", "Raises")


def to_rest(lines: list[str]) -> list[str]:
    """Return a docstring's lines as reStructuredText.

    Raises
    ------
    ValueError : a section nobody knows, or an entry without `` : ``.
    """
    prose, sections = split(lines)
    rest = list(paragraphs(prose))
    for title, body in sections:
        rest += section(title, body)
    return rest


def split(lines: list[str]) -> tuple[list[str], list[tuple[str, list[str]]]]:
    """Return the prose, and each section's title and lines."""
    starts = [i for i in range(len(lines) - 1) if lines[i].strip() and RULE.match(lines[i + 1])]
    bounds = [*starts, len(lines)]
    return lines[: bounds[0]], [(lines[a].strip(), lines[a + 2 : b]) for a, b in pairwise(bounds)]


def paragraphs(lines: list[str]) -> Iterator[str]:
    """Yield prose, with ``::`` before what is indented and belongs to no list."""
    before = ""
    for paragraph in blocks(lines):
        kind = kind_of(paragraph[0], before)
        if kind == "literal" != before:
            yield from ("::", "")
        yield from (paragraph if kind == "literal" else map(plain_bars, paragraph))
        yield ""
        before = kind


def kind_of(line: str, before: str) -> str:
    """Return what a paragraph is by its first line and by what stands before it."""
    if line.startswith(("* ", "- ")) or (before == "list" and line.startswith("  ")):
        return "list"
    return "literal" if line.startswith("  ") else "text"


def blocks(lines: list[str]) -> list[list[str]]:
    """Return the stretches of lines between empty ones."""
    return [list(block) for filled, block in groupby(lines, key=lambda line: bool(line.strip())) if filled]


def plain_bars(line: str) -> str:
    """Return a line whose bars are those of absolute values: in reStructuredText they would ask for a substitution."""
    return re.sub(r"(``.*?``)|\|", lambda match: match[1] or r"\|", line)


def section(title: str, body: list[str]) -> Iterator[str]:
    """Yield a section as a field; what is said of all its entries, below an empty line, follows as prose."""
    if title not in LISTED:
        raise ValueError(f"unknown section {title!r}")
    listed, *rest = blocks(body)
    if title == "Returns" and not NAMED.match(listed[0]):
        yield from (":Returns:", *(f"    {plain_bars(line)}" for line in body), "")
        return
    yield f":{title}:"
    names = []
    for entry in entries(listed):
        name, separator, text = entry.partition(" : ")
        if not separator:
            raise ValueError(f"an entry of {title} is not 'name : text': {entry!r}")
        names += name.split(", ")
        shown = [f"`{n}`" if title == "Raises" else f"**{n}**" for n in name.split(", ")]
        yield f"    * {', '.join(shown)} -- {plain_bars(text)}"
    yield ""
    for paragraph in rest:
        yield from (*map(plain_bars, paragraph), "")
    if title == "Attributes":
        for name in names:  # to be linked to
            yield from (f".. py:attribute:: {name}", "    :no-typesetting:", "")


def entries(lines: list[str]) -> list[str]:
    """Return each entry as one line: what follows is indented, or the names themselves run on."""
    joined: list[str] = []
    for line in lines:
        if joined and (line.startswith(" ") or (joined[-1].endswith(",") and " : " not in joined[-1])):
            joined[-1] += f" {line.strip()}"
        else:
            joined.append(line)
    return joined


def _process(app: Any, what: str, name: str, obj: Any, options: object, lines: list[str]) -> None:
    if not getattr(obj, "__module__", name).startswith("biomech_id"):
        return  # what a module imports from elsewhere passes by here, and is not shown
    try:
        lines[:] = to_rest(lines)
    except ValueError as error:
        logging.getLogger(f"sphinx.{__name__}").warning("%s: %s", name, error)


def _skip(app: Any, what: str, name: str, obj: object, skip: bool, options: object) -> bool | None:
    if isinstance(obj, Enum):
        return False  # the choices of an enumeration are shown, with or without a word on each
    return True if type(obj).__name__ == "_tuplegetter" else None  # a named tuple's fields are in its docstring


def setup(app: Any) -> dict[str, bool]:
    """Tell Sphinx."""
    app.connect("autodoc-process-docstring", _process)
    app.connect("autodoc-skip-member", _skip)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
