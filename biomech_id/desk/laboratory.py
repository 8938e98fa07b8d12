"""The laboratory as the page has it: charts over sessions, norms and who is in them, style, and signatures that do not hold."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

from biomech_id.desk.command import command_line
from biomech_id.desk.office import SURVEYS, Office
from biomech_id.desk.record import read_toml
from biomech_id.desk.versions import CHAIN_FILE
from biomech_id.errors import BiomechError
from biomech_id.files.json_text import read_json
from biomech_id.languages import Sentence, worded
from biomech_id.norms.comparable import fingerprint_of_norm
from biomech_id.norms.contributors import mark, samples_of
from biomech_id.session.values.norm import norm_note, read_norm

#: Visits that one answer lists for a norm.
MOST_LISTED = 200


def laboratory(office: Office, language: str = "en", search: str = "") -> dict[str, Any]:
    """Return all that the page shows of the laboratory.

    Parameters
    ----------
    office : Office
        The desk.
    language : str, optional
        One of `languages.LANGUAGES`.
    search : str, optional
        Words that the path of every listed visit holds.
    """
    words = search.casefold().split()
    ran = {visit: results.folder for visit in office.archive.newest() if (results := office.results(visit)).there}
    norms = office.norms
    listed = [visit for visit in ran if all(word in visit.path.casefold() for word in words)]
    manifests = {visit.path: folder / "manifest.json" for visit, folder in ran.items()} if norms else {}
    built = office.queue.of("", "norm")
    return {
        "surveys": {kind: _survey(office, kind, language) for kind in SURVEYS},
        "norms": [_norm(Path(path), language) for path in norms],
        "marks": {each: path for path, at in manifests.items() for each in _marks_of(at)},
        "style": _style(office),
        "visits": [{"id": visit.id, "visit": visit.path} for visit in listed[:MOST_LISTED]],
        "runs": len(ran), "signed": sum((folder.parent / "versions" / CHAIN_FILE).is_file() for folder in ran.values()),
        "read_only": not office.lock.held,
        "built": built and built.to_dict(),
    }  # fmt: skip


def _survey(office: Office, kind: str, language: str) -> dict[str, Any]:
    """What a command over all sessions said when it was last asked, and whether this desk has asked it."""
    task, output = office.queue.of("", kind), office.survey_logs / f"{kind}.out"
    about = {"command": command_line(office.survey_words(kind, language)), "task": task and task.to_dict(), "made": None}
    try:
        answer = _worded(json.loads(output.read_text(encoding="utf-8")), language)
        return {**about, "made": output.stat().st_mtime_ns // 1_000_000, "told": answer}
    except (OSError, ValueError, LookupError, TypeError, AttributeError):  # not there, being written, or of another version
        return about


def _worded(answer: Any, language: str) -> Any:
    """What a command said, each finding with its sentence in the page's language."""
    if isinstance(answer, list):
        return [_worded(each, language) for each in answer]
    if not isinstance(answer, dict):
        return answer
    text = {"text": worded(answer["rule"], answer["values"], language)} if "rule" in answer else {}
    return {**{name: _worded(value, language) for name, value in answer.items()}, **text}


def _norm(path: Path, language: str) -> dict[str, Any]:
    try:
        return {"file": path.name, **_worded(_read_norm(path, path.stat().st_mtime_ns), language)}
    except (BiomechError, OSError) as error:
        return {"file": path.name, "error": str(error)}


@lru_cache(maxsize=64)
def _read_norm(path: Path, _changed_ns: int) -> dict[str, Any]:
    """What a norm says of itself, how it was computed, and of each of its people age, sex and marks of their recordings."""
    norm = read_norm(path)
    computed = {
        key: [Sentence("computed-with", {"words": each}).to_dict() for each in words.split(", ")]
        for key, words in fingerprint_of_norm(norm).items()
    }
    people = [
        {
            "age": None if person.age_years != person.age_years else person.age_years,
            "sex": person.sex,
            "marks": sorted(person.marks),
        }
        for person in samples_of(norm)
    ]
    note = norm_note(norm) or {}
    return {**{key: note[key] for key in ("n", "name", "version", "date", "movement", "clinical")}, "computed": computed,
            "who": people}  # fmt: skip


def _marks_of(manifest: Path) -> tuple[str, ...]:
    """The same of results that may be under way, damaged or of another version: nothing is known of these."""
    try:
        return _marks(manifest, manifest.stat().st_mtime_ns)
    except (BiomechError, OSError, LookupError, TypeError, AttributeError):
        return ()


@lru_cache(maxsize=100_000)
def _marks(manifest: Path, _changed_ns: int) -> tuple[str, ...]:
    """By which a norm knows the recordings of some results again."""
    return tuple(mark(sha) for sha in read_json(manifest)["inputs"].values())


def _style(office: Office) -> dict[str, Any]:
    """What the laboratory's style file says."""
    path = None
    try:
        path = office.style
        return {"file": path and str(path), "said": read_toml(path) if path else {}}
    except (BiomechError, OSError) as error:
        return {"file": path and str(path), "error": str(error)}
