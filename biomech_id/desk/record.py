"""What people decided about one visit: text files in the desk's folder, written whole, each change held against what was seen."""

from __future__ import annotations

import hashlib
import json
import os
import tomllib
from collections.abc import Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any

from biomech_id.desk.marker_names import NAMES, named_markers_toml
from biomech_id.desk.refusals import Refusal
from biomech_id.errors import BiomechError
from biomech_id.files.atomic import whole_file
from biomech_id.files.settings import Section, Setting, a_number, a_text, must_fit, read_written, toml_of, toml_value
from biomech_id.gait.review import decision_records
from biomech_id.request.review_file import read_review
from biomech_id.request.subject_file import SUBJECT
from biomech_id.values import dataclass

_TEXTS = Setting("a list of names", lambda value: isinstance(value, list) and all(isinstance(each, str) for each in value))


def _table(words: str) -> Section:
    return Section({}, rest=Setting(words, lambda value: isinstance(value, str | int | float | dict)))


#: What ties a film to a trial: film second = rate (1 where none stands) x recording second + offset; and where it was tied first.
_TIE = Section(
    {"trial": a_text(), "offset_s": a_number(-1e6, 1e6, "s"), "rate": a_number(0.01, 100.0), "tied_s": a_number(-1e6, 1e6, "s")},
    required=("trial", "offset_s"),
)
_POINT = Setting("a point of the body", lambda value: isinstance(value, str) and value in NAMES)
#: What ``choices.toml`` of a visit may say; all of it becomes an option or a setting of the command line.
CHOICES = Section(
    {
        **{key: a_text("") for key in ("static", "model", "marker_set", "norm", "norm_for", "code", "label")},
        "exclude": _TEXTS, "functional": _TEXTS,
        "subject": _table("a value of subject.toml"), "conditions": _table("a word"),
        "channels": _table("a muscle"), "markers": Section({}, rest=_POINT), "film": Section({}, rest=_TIE),
    }
)  # fmt: skip
CHOICES_FILE, SUBJECT_FILE, RECIPE_FILE, REVIEW_FILE = "choices.toml", "subject.toml", "recipe.toml", "review.toml"
MARKERS_FILE = "markers.toml"
#: Files that the command line reads of a visit's folder.
DECISION_FILES = (SUBJECT_FILE, RECIPE_FILE, REVIEW_FILE, MARKERS_FILE)


def revision_of(path: Path) -> str:
    """Return the SHA-256 of a file's bytes, "" where there is none.

    Parameters
    ----------
    path : Path
        The file.
    """
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except FileNotFoundError:
        return ""


def document_toml(content: Mapping[str, Any]) -> str:
    """Write nested settings as TOML: single values first, tables and lists of tables after them.

    Parameters
    ----------
    content : Mapping[str, Any]
        As ``tomllib`` reads it.

    Examples
    --------
    >>> from biomech_id.desk.record import document_toml
    >>> print(document_toml({"mass_kg": 60.0, "clinic": {"examination": [{"test": "DF"}]}}), end="")
    mass_kg = 60
    <BLANKLINE>
    [[clinic.examination]]
    test = "DF"
    """
    return "\n\n".join(filter(None, _blocks(content, ""))) + "\n"


def _blocks(content: Mapping[str, Any], head: str) -> list[str]:
    tables = {key: value for key, value in content.items() if isinstance(value, Mapping) or _is_tables(value)}
    lines = [f"{_key(key)} = {_value(value)}" for key, value in content.items() if key not in tables]
    blocks = ["\n".join([*([f"[{head}]"] if head and lines else []), *lines])]
    for key, value in tables.items():
        name = f"{head}.{_key(key)}" if head else _key(key)
        if isinstance(value, Mapping):
            blocks += _blocks(value, name)
        else:
            blocks += ["\n".join([f"[[{name}]]", *(f"{_key(k)} = {_value(v)}" for k, v in row.items())]) for row in value]
    return blocks


def _is_tables(value: object) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(each, Mapping) for each in value)


def _value(value: Any) -> str:
    return value.isoformat() if isinstance(value, date | datetime) else toml_value(value)


def _key(key: str) -> str:
    return key if key.isascii() and key.replace("_", "").replace("-", "").isalnum() else toml_value(key)


def read_toml(path: Path) -> dict[str, Any]:
    """Return what a TOML file of the desk says; nothing where there is none.

    Parameters
    ----------
    path : Path
        The file.
    """
    return dict(read_written(path, toml_of)) if path.is_file() else {}


def write_text_whole(path: Path, text: str) -> str:
    """Write a file so that it is there whole or as it was, also after a crash, and return its revision.

    Parameters
    ----------
    path : Path
        The file.
    text : str
        All that it will hold.
    """
    with whole_file(path) as part:
        part.write_text(text, encoding="utf-8", newline="\n")
    return revision_of(path)


@dataclass(frozen=True)
class VisitRecord:
    """What people decided about one visit.

    Attributes
    ----------
    folder : Path
        Of the visit below the desk's own.
    recordings : Path
        Folder of the recordings, which is only read.
    """

    folder: Path
    recordings: Path

    @property
    def choices(self) -> dict[str, Any]:
        """What was chosen."""
        return read_toml(self.folder / CHOICES_FILE)

    def own(self, name: str) -> Path | None:
        """Return a decision's file in force, the desk's own or None.

        Parameters
        ----------
        name : str
            One of `DECISION_FILES`.
        """
        path = self.folder / name
        return path if path.is_file() else None

    def choose(self, change: Mapping[str, Any], seen: str | None) -> str:
        """Lay a change over the choices, write the files that follow from them, and return the new revision.

        Parameters
        ----------
        change : Mapping[str, Any]
            Keys of `CHOICES`; None takes one away, tables are laid over key by key.
        seen : str | None
            Revision that the change was made on; None where nobody looks.

        Raises
        ------
        Refusal
            Somebody else changed the choices since (412), or the change cannot be understood (422).
        """
        path = self.folder / CHOICES_FILE
        self._expect(path, seen)
        choices = _laid_over(self.choices, change)
        try:
            must_fit(CHOICES, choices, CHOICES_FILE)
            _markers_of(choices)
            subject = _laid_over(read_toml(self.recordings / SUBJECT_FILE), _subject_of(choices))
            if subject:
                must_fit(SUBJECT, subject, SUBJECT_FILE)
        except BiomechError as error:
            raise Refusal.because("desk-not-understood", status=422, why=error.message) from error
        revision = write_text_whole(path, document_toml(choices))
        self.settle()
        return revision

    def settle(self) -> None:
        """Write the files that follow from the choices, where they are not what they should be."""
        choices = self.choices
        subject, channels = _subject_of(choices), choices.get("channels")
        subject = _laid_over(read_toml(self.recordings / SUBJECT_FILE), subject) if subject else {}
        self._derive(SUBJECT_FILE, document_toml(subject) if subject else "")
        self._derive(RECIPE_FILE, document_toml({"emg": {"channels": channels}}) if channels else "")
        self._derive(MARKERS_FILE, _markers_of(choices))

    def _derive(self, name: str, text: str) -> None:
        path = self.folder / name
        if not text:
            path.unlink(missing_ok=True)
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            write_text_whole(path, text)

    def decide(self, text: str, seen: str | None) -> str:
        """Keep a ``review.toml``, once the command line's own reader has read it, and return its revision.

        Parameters
        ----------
        text : str
            The whole file.
        seen : str | None
            Revision that it was made on; None where nobody looks.

        Raises
        ------
        Refusal
            Somebody else changed it since (412), or it cannot be read (422); the old one stands.
        """
        path = self.folder / REVIEW_FILE
        self._expect(path, seen)
        try:
            with whole_file(path) as part:
                part.write_text(text, encoding="utf-8", newline="\n")
                read_review(part)
        except BiomechError as error:
            # The hidden name under which it was read is nobody's business.
            raise Refusal.because("desk-not-understood", status=422, why=error.message.replace(part.name, path.name)) from error
        return revision_of(path)

    def review_text(self) -> str:
        """Return the decisions in force: the desk's own, else those that lie beside the recordings."""
        for folder in (self.folder, self.recordings):
            if (folder / REVIEW_FILE).is_file():
                return (folder / REVIEW_FILE).read_text(encoding="utf-8")
        return ""

    def decisions(self) -> list[dict[str, Any]]:
        """Return the decisions in force, as ``summary.json`` has those that a run followed."""
        paths = (folder / REVIEW_FILE for folder in (self.folder, self.recordings))
        path = next((each for each in paths if each.is_file()), None)
        return decision_records(read_review(path)) if path else []

    def repair(self, repair: Mapping[str, Any], *, done: bool) -> str:
        """Put a ``[[repair]]`` into ``review.toml``, or take it out, and return the revision.

        Parameters
        ----------
        repair : Mapping[str, Any]
            As the file has it: kind, what, trials.
        done : bool
            Whether it is put in.
        """
        content = tomllib.loads(self.review_text())
        same = ("kind", "what", "trials")
        kept = [each for each in content.get("repair", []) if [each.get(k) for k in same] != [repair.get(k) for k in same]]
        content["repair"] = [*kept, dict(repair)] if done else kept
        if not content["repair"]:
            del content["repair"]
        return self.decide(document_toml({**content, "schema": 2}), None)

    def _expect(self, path: Path, seen: str | None) -> None:
        now = revision_of(path)
        if seen is not None and seen != now:
            text = path.read_text(encoding="utf-8") if now else ""
            raise Refusal.because("desk-somebody-else", status=412, more={"text": text, "revision": now}, file=path.name)

    def note(self, what: str, who: str, values: Mapping[str, Any]) -> None:
        """Add a line to the visit's journal, on the disk before this returns.

        Parameters
        ----------
        what : str
            What was done.
        who : str
            As somebody gave a name.
        values : Mapping[str, Any]
            What it was done with.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        entry = {"time": now_text(), "who": who, "what": what, **values}
        with open(self.folder / "journal.jsonl", "a", encoding="utf-8", newline="\n") as file:
            file.write(json.dumps(entry) + "\n")
            file.flush()
            os.fsync(file.fileno())

    def journal(self, most: int = 200) -> list[dict[str, Any]]:
        """Return the last entries of the journal; a line that a crash cut is left out.

        Parameters
        ----------
        most : int, optional
            How many.
        """
        path = self.folder / "journal.jsonl"
        entries = []
        for line in path.read_text(encoding="utf-8").splitlines()[-most:] if path.is_file() else ():
            try:
                entries.append(json.loads(line))
            except ValueError:
                continue
        return entries


def now_text() -> str:
    """Return the time with its zone, to the second."""
    return datetime.now().astimezone().isoformat(timespec="seconds")


def _laid_over(base: Mapping[str, Any], change: Mapping[str, Any]) -> dict[str, Any]:
    result = dict(base)
    for key, value in change.items():
        if isinstance(value, Mapping):
            value = _laid_over(result[key] if isinstance(result.get(key), Mapping) else {}, value) or None
        if value is None or value in ("", []):
            result.pop(key, None)
        else:
            result[key] = value
    return result


def _markers_of(choices: Mapping[str, Any]) -> str:
    """The marker set that was named marker by marker; nothing where a known one was chosen, or none."""
    return named_markers_toml(choices["markers"]) if choices.get("markers") and not choices.get("marker_set") else ""


def _subject_of(choices: Mapping[str, Any]) -> dict[str, Any]:
    """What choices say for ``subject.toml``."""
    conditions = {"conditions": choices["conditions"]} if choices.get("conditions") else {}
    return {**choices.get("subject", {}), **conditions}
