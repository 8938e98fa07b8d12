"""Signed versions: frozen folders, and a chain of hashes in which each entry holds the one before it.

An entry of ``signatures.toml`` is a table ``[[signature]]`` of the lines in `LINES`, in this order, and ``sha256``, the hash of
exactly those lines with their line ends. It shows whether anything was changed since somebody pressed the button. It does not show
who that was.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from biomech_id.desk.record import CHOICES_FILE, DECISION_FILES, now_text, revision_of, write_text_whole
from biomech_id.desk.results import MANIFEST
from biomech_id.errors import FileRefusedError, MissingInputError
from biomech_id.files.atomic import flush_to_disk
from biomech_id.files.inputs import sha256_of
from biomech_id.files.json_text import read_json
from biomech_id.files.settings import toml_value
from biomech_id.languages import Sentence
from biomech_id.values import dataclass

#: Lines of an entry, in their order, that its hash is of.
LINES = (
    "version", "name", "role", "statement", "seen", "time", "report_sha256", "manifest_sha256", "decisions_sha256", "inputs_sha256",
    "previous_sha256",
)  # fmt: skip
CHAIN_FILE = "signatures.toml"
#: Tables larger than this (bytes) are not copied into a version; the manifest has their hash.
LARGEST_COPIED = 5_000_000
#: Digits of an entry's hash that stand on paper.
CODE_DIGITS = 12


@dataclass(frozen=True)
class Signature:
    """One entry of the chain.

    Attributes
    ----------
    values : Mapping[str, Any]
        Line -> value, those of `LINES`.
    sha256 : str
        As the file has it.
    """

    values: Mapping[str, Any]
    sha256: str

    @property
    def lines(self) -> str:
        """The lines that the hash is of."""
        return "".join(f"{name} = {toml_value(self.values[name])}\n" for name in LINES if name in self.values)

    @property
    def computed(self) -> str:
        """The hash that belongs to these lines."""
        return hashlib.sha256(self.lines.encode("utf-8")).hexdigest()

    @property
    def code(self) -> str:
        """What is copied into the hospital's record."""
        return self.sha256[:CODE_DIGITS]

    @property
    def text(self) -> str:
        """The entry as the file has it."""
        return f"[[signature]]\n{self.lines}sha256 = {toml_value(self.computed)}\n"


def signatures_of(folder: Path) -> tuple[Signature, ...]:
    """Return the entries of a visit's chain, the oldest first.

    Parameters
    ----------
    folder : Path
        ``versions`` of a visit.
    """
    path = folder / CHAIN_FILE
    content = tomllib.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
    return tuple(
        Signature({k: v for k, v in row.items() if k != "sha256"}, row.get("sha256", "")) for row in content.get("signature", ())
    )


def signature_of(chain: Path, results: Path) -> tuple[Signature, Signature | None]:
    """Return the last entry that signs some results, and the one before it.

    Parameters
    ----------
    chain : Path
        A visit's ``signatures.toml``.
    results : Path
        Folder of the results, or of the signed version.

    Raises
    ------
    MissingInputError
        There is no such file, or no entry is of these results.
    FileRefusedError
        Something is not as it was signed.
    """
    if not chain.is_file():
        raise MissingInputError.at(chain, f"There is no file {chain}.", f"the {CHAIN_FILE} of a desk's visit")
    for flaw in flaws_of(chain.parent):
        raise FileRefusedError.at(chain, str(flaw), "signatures that hold")
    entries, manifest = signatures_of(chain.parent), revision_of(results / MANIFEST)
    of_these = [number for number, entry in enumerate(entries) if entry.values["manifest_sha256"] == manifest]
    if of_these:
        last = of_these[-1]
        return entries[last], entries[last - 1] if last else None
    raise MissingInputError.at(
        chain, f"{chain} signs no results with the manifest of {results}.", "the signatures of these results"
    )


def is_readable(folder: Path) -> bool:
    """Return whether a visit's chain can be read; one that is not there holds nothing, and can.

    Parameters
    ----------
    folder : Path
        ``versions`` of a visit.
    """
    try:
        signatures_of(folder)
    except (OSError, ValueError, AttributeError):
        return False
    return True


def sign(visit: Path, *, name: str, role: str, statement: str, seen: list[str]) -> Signature:
    """Freeze a visit's results as a new version and add it to the chain.

    Whoever calls it has looked for reasons not to sign. A folder that a crash left without an entry is removed.

    Parameters
    ----------
    visit : Path
        Folder of the visit below the desk's.
    name, role : str
        Of the person.
    statement : str
        What the person says.
    seen : list[str]
        Layers and trials whose limits were ticked.
    """
    folder, results = visit / "versions", visit / "results"
    entries = signatures_of(folder)
    number = len(entries) + 1
    folder.mkdir(parents=True, exist_ok=True)
    _remove(folder / str(number))
    part = folder / f".{number}"
    _remove(part)
    part.mkdir()
    _copy(results, visit, part)
    flush_to_disk(part)
    manifest = read_json(results / MANIFEST)
    entry = Signature(
        {
            "version": number, "name": name, "role": role, "statement": statement, "seen": seen, "time": now_text(),
            "report_sha256": sha256_of(part / "report.pdf"), "manifest_sha256": sha256_of(part / MANIFEST),
            "decisions_sha256": _decisions_hash(part), "inputs_sha256": _inputs_hash(manifest["inputs"]),
            "previous_sha256": entries[-1].sha256 if entries else "",
        },
        "",
    )  # fmt: skip
    for base, _, files in os.walk(part):
        for each in files:
            os.chmod(os.path.join(base, each), 0o444)
    os.replace(part, folder / str(number))
    chain = folder / CHAIN_FILE
    old = chain.read_text(encoding="utf-8") if chain.is_file() else ""
    write_text_whole(chain, f"{old}\n{entry.text}" if old else entry.text)
    return Signature(entry.values, entry.computed)


def _remove(folder: Path) -> None:
    """Remove a folder that may hold read-only files."""
    for base, _, _ in os.walk(folder):
        with suppress(OSError):
            os.chmod(base, 0o700)
    shutil.rmtree(folder, ignore_errors=True)


def _copy(results: Path, visit: Path, part: Path) -> None:
    for name in (MANIFEST, *read_json(results / MANIFEST)["outputs"]):
        source = results / name
        if (
            name == MANIFEST
            or name == "report.pdf"
            or (source.suffix in (".csv", ".json") and source.stat().st_size < LARGEST_COPIED)
        ):
            (part / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, part / name)
    for name in (*DECISION_FILES, CHOICES_FILE):
        if (visit / name).is_file():
            shutil.copyfile(visit / name, part / name)


def _decisions_hash(folder: Path) -> str:
    """Hash of the decisions' files: one line each, its hash and its name, as `sha256sum` writes it."""
    lines = (f"{revision}  {name}\n" for name in (CHOICES_FILE, *DECISION_FILES) if (revision := revision_of(folder / name)))
    return hashlib.sha256("".join(lines).encode()).hexdigest()


def _inputs_hash(inputs: Mapping[str, str]) -> str:
    return hashlib.sha256(json.dumps(inputs, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def flaws_of(folder: Path) -> Iterator[Sentence]:
    """Yield what is not as it was signed in a visit's versions; nothing for a chain that holds.

    Parameters
    ----------
    folder : Path
        ``versions`` of a visit.
    """
    if not is_readable(folder):
        yield Sentence("desk-chain-unreadable", {"file": str(folder / CHAIN_FILE)})
        return
    entries = signatures_of(folder)
    previous = ""
    for number, entry in enumerate(entries, start=1):
        where = {"version": number, "folder": str(folder)}
        if missing := [name for name in LINES if name not in entry.values]:
            yield Sentence("desk-entry-lacks", {**where, "names": missing})
            continue
        if entry.values["version"] != number or entry.values["previous_sha256"] != previous:
            yield Sentence("desk-chain-broken", where)
        if entry.computed != entry.sha256:
            yield Sentence("desk-entry-changed", {**where, "name": entry.values["name"]})
        previous = entry.sha256
        yield from _files_changed(folder / str(number), entry, where)
    numbered = {path.name for path in folder.glob("[0-9]*") if path.is_dir()}
    for name in sorted(numbered - {str(number) for number in range(1, len(entries) + 1)}):
        yield Sentence("desk-version-unsigned", {"version": name, "folder": str(folder)})


def _files_changed(version: Path, entry: Signature, where: Mapping[str, Any]) -> Iterator[Sentence]:
    named = {"report.pdf": "report_sha256", MANIFEST: "manifest_sha256"}
    changed = [name for name, line in named.items() if revision_of(version / name) != entry.values[line]]
    if _decisions_hash(version) != entry.values["decisions_sha256"]:
        changed.append(", ".join(name for name in (CHOICES_FILE, *DECISION_FILES)))
    if MANIFEST not in changed:
        manifest = read_json(version / MANIFEST)
        if _inputs_hash(manifest["inputs"]) != entry.values["inputs_sha256"]:
            changed.append(f"{MANIFEST}: inputs")
        there = {path.relative_to(version).as_posix(): path for path in version.rglob("*") if path.is_file()}
        known = {*named, *DECISION_FILES, CHOICES_FILE}
        outputs = manifest["outputs"]
        changed += [name for name, path in there.items() if name not in known and sha256_of(path) != outputs.get(name)]
    for name in changed:
        yield Sentence("desk-version-changed", {**where, "file": name})


def chains_below(folder: Path) -> list[Path]:
    """Return every ``versions`` folder at or below a folder; of a single version the chain that it belongs to.

    Parameters
    ----------
    folder : Path
        Of a desk, of a visit, or of a version.
    """
    if folder.parent.name == "versions" and (folder.parent / CHAIN_FILE).is_file():
        return [folder.parent]
    own = [folder] if (folder / CHAIN_FILE).is_file() else []
    return own or sorted(path.parent for path in folder.rglob(CHAIN_FILE) if path.is_file())
