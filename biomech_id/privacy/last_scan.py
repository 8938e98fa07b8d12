"""The last look at what a code has written: no word of a name in any text, else nothing is written at all."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import numpy as np

from biomech_id.errors import OutputError
from biomech_id.privacy.name_words import NameWords

#: Hashes are letters and digits by chance, and so is what the review page packs.
_HASH = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")
_PACKED = re.compile(
    r"<script[^>]*type=\"text/plain\"[^>]*>.*?</script>|<script>.*?</script>|<style>.*?</style>|<meta[^>]*>", re.DOTALL
)
_CHARACTER = re.compile(r"\\u([0-9a-f]{4})")


def last_scan(folder: Path, *, words: NameWords, printed: Sequence[str] = (), also: str = "") -> None:
    """Refuse a folder in which some text still shows a name.

    Parameters
    ----------
    folder : Path
        With everything that was written.
    words : NameWords
        Words by which the person could be known.
    printed : Sequence[str], optional
        Texts of the report's pages and metadata, which its file holds compressed.
    also : str, optional
        What will be written beside it: the manifest.

    Raises
    ------
    OutputError
        Some text does; the sentence names the file and the kind of name, never the word.
    """
    listed = sorted(path for path in folder.rglob("*"))
    texts = [(path.relative_to(folder).as_posix(), text) for path in listed for text in texts_of(path, folder)]
    for file, text in (*texts, *(("report.pdf", text) for text in printed), ("manifest.json", also)):
        kind = words.first_in(_HASH.sub(" ", text))
        if kind:
            shown = "a file" if words.first_in(file) else file
            raise OutputError(
                f"Under the code, {shown} would still hold a part of {kind}; nothing was written. Rename what bears it, or choose "
                "another code.",
                value=kind, expected="no part of a name in any text", where=shown,
            )  # fmt: skip


def texts_of(path: Path, folder: Path) -> Iterator[str]:
    """Yield every text of a file and its own name; of a packed page and of arrays what people read in them.

    Parameters
    ----------
    path : Path
        The file, or a folder.
    folder : Path
        What its name is relative to.

    Yields
    ------
    Iterator[str]
        The name first; of files without text that people read nothing else.
    """
    yield path.relative_to(folder).as_posix()
    if path.is_dir() or path.suffix == ".pdf":
        return
    if path.suffix == ".npz":
        yield from _of_arrays(path)
        return
    text = path.read_text(encoding="utf-8", errors="replace")
    if path.suffix == ".html":
        text = _PACKED.sub(" ", text)
    if path.suffix == ".json":
        text = "\n".join(_of_json(json.loads(text)))
    yield _CHARACTER.sub(lambda escape: chr(int(escape[1], 16)), text) if path.suffix == ".html" else text


def _of_arrays(path: Path) -> Iterator[str]:
    with np.load(path, allow_pickle=False) as file:
        yield from file.files
        for name in file.files:
            if file[name].dtype.kind == "U":
                yield "\n".join(map(str, np.ravel(file[name])))


def _of_json(value: object) -> Iterable[str]:
    if isinstance(value, dict):
        for name, each in value.items():
            yield str(name)
            yield from _of_json(each)
    elif isinstance(value, list):
        for each in value:
            yield from _of_json(each)
    elif isinstance(value, str):
        yield value
