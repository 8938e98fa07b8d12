"""What pages hold, as values that can be compared: a report's drawings and the words they stand for, a review page's data."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
import math
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np


class Page(NamedTuple):
    """What one page draws, the text that its letters stand for, and its size."""

    drawn: bytes
    text: str
    box: str


class Report(NamedTuple):
    """Everything that its pixels follow from."""

    pages: list[Page]
    #: What pages name: fonts by their name, as which letters of one are embedded changes no letter; shapes, colours and patterns.
    named: dict[str, str]


def report_drawings(path: Path) -> Report:
    """Read a report, without the version that the manifest beside it names."""
    from pypdf import PdfReader

    manifest = path.with_name("manifest.json")
    version = json.loads(manifest.read_text(encoding="utf-8"))["version"] if manifest.is_file() else ""
    pages, named = [], {}
    for page in PdfReader(path).pages:
        contents = page.get_contents()
        drawn = b"" if contents is None else contents.get_data()
        pages.append(Page(without_version(drawn, version), page.extract_text().replace(version, ""), str(page.mediabox)))
        for kind, entries in page["/Resources"].get_object().items():
            entries = entries.get_object()
            if kind == "/Font":
                named |= {f"{kind}{name}": str(font.get_object()["/BaseFont"]).rpartition("+")[2] for name, font in entries.items()}
            elif isinstance(entries, dict):
                named |= {f"{kind}{name}": _drawn_with(each) for name, each in entries.items()}
    return Report(pages, named)


#: Of an object, how its data are packed, and what it belongs to.
_PACKED = ("/Length", "/Filter", "/DecodeParms", "/Parent")


def _drawn_with(value: Any) -> str:
    """A PDF object in full, what it refers to included, its data unpacked."""
    value = value.get_object() if hasattr(value, "get_object") else value
    if isinstance(value, dict):
        inner = {name: _drawn_with(each) for name, each in value.items() if name not in _PACKED}
        data = hashlib.sha256(value.get_data()).hexdigest() if hasattr(value, "get_data") else ""
        return f"{sorted(inner.items())} {data}"
    return str([_drawn_with(each) for each in value]) if isinstance(value, list) else str(value)


_SHOWN = re.compile(rb"\[([^\]]*)\]\s*TJ")


def without_version(drawn: bytes, version: str) -> bytes:
    """A page's contents without the text that names the program's version, which is set letter by letter."""

    def plain(shown: re.Match[bytes]) -> bytes:
        letters = b"".join(re.findall(rb"\(((?:\\.|[^\\)])*)\)", shown[1])).replace(b"\x00", b"").decode("latin-1")
        return letters.replace(version, "").encode("latin-1") if version in letters else shown[0]

    return _SHOWN.sub(plain, drawn) if version else drawn


_SCRIPT = re.compile(r'<script type="(?:application/json|text/plain)" id="(\w+)">(.*?)</script>', re.DOTALL)
_BYTES = {"f4": 4, "d4": 4, "u1": 1}


def review_data(path: Path, parsed: Callable[[str], Any] = json.loads) -> Any:
    """Read the data of a review page, without the version; each array as the hash of its bytes, wherever it stands in its block."""
    held = dict(_SCRIPT.findall(path.read_text(encoding="utf-8")))
    blocks = {
        name: gzip.decompress(base64.b85decode(text.translate(str.maketrans(",./", "<>&"))))
        for name, text in held.items()
        if name != "data"
    }
    data = _unpacked(parsed(held["data"]), blocks)
    rows = {f"{each['variable']} {each['component']} {each['along']}": each for each in data.get("variables", ())}
    return {**data, "variables": rows}


def _unpacked(value: Any, blocks: Mapping[str, bytes]) -> Any:
    """The same with each array's hash in place of where it stands, and without the version."""
    if isinstance(value, list):
        return [_unpacked(each, blocks) for each in value]
    if not isinstance(value, dict):
        return value
    left_out = ("block", "arrays", "version")
    plain = {name: _unpacked(each, blocks) for name, each in value.items() if name not in left_out}
    if "arrays" in value:
        block, notes = blocks[value["block"]], dict(value["arrays"])
        if {"columns", "curves"} <= plain.keys():
            plain |= _by_name(
                plain, {name: _rows(notes.pop(name), block) for name in ("frames", "cycles", "errors") if name in notes}
            )
        plain["arrays"] = {name: _hashed(note, block) for name, note in notes.items()}
    return plain


def _by_name(trial: Mapping[str, Any], rows: Mapping[str, list[str]]) -> dict[str, Any]:
    """A trial's curves by what they show, so that one that came between others is added and moves none."""
    curves = {}
    for *key, error in trial["curves"]:
        where = int(error)
        curves[" ".join(map(str, key))] = {
            "sha256": rows["cycles"][len(curves)], "error": rows["errors"][where] if where >= 0 else "none",
        }  # fmt: skip
    return {"columns": dict(zip(trial["columns"], rows.get("frames", ()), strict=True)), "curves": curves}


def _rows(note: Mapping[str, Any], block: bytes) -> list[str]:
    """The hash of each row of an array, whose bytes stand sorted by their place in a number."""
    at, size, shape = int(note["at"]), _BYTES[note["type"]], [int(each) for each in note["shape"]]
    planes = np.frombuffer(block, dtype=np.uint8, count=size * math.prod(shape), offset=at).reshape(size, -1)
    return [hashlib.sha256(row.tobytes()).hexdigest() for row in planes.T.reshape(shape[0], -1)] if shape[0] else []


def _hashed(note: Mapping[str, Any], block: bytes) -> dict[str, Any]:
    at, size = int(note["at"]), _BYTES[note["type"]] * math.prod(map(int, note["shape"]))
    about = {name: each for name, each in note.items() if name != "at"}
    return {**about, "sha256": hashlib.sha256(block[at : at + size]).hexdigest()}
