"""The command line of a visit: what the desk starts is what a person would type."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

from biomech_id.desk.record import DECISION_FILES, MARKERS_FILE, RECIPE_FILE, REVIEW_FILE, SUBJECT_FILE, VisitRecord, revision_of
from biomech_id.errors import typed

_SINGLE = {"static": "--static", "model": "--model", "marker_set": "--marker-set", "norm": "--norm", "norm_for": "--norm-for",
           "code": "--code"}  # fmt: skip
_SEVERAL = {"functional": "--functional", "exclude": "--exclude"}
_FILES = {RECIPE_FILE: "--recipe", SUBJECT_FILE: "--subject", REVIEW_FILE: "--review", MARKERS_FILE: "--marker-set"}
#: Options of ``run`` that ``check`` has as well.
_OF_CHECK = ("--static", "--exclude", "--model", "--marker-set", "--recipe", "--subject", "--review")


def run_words(record: VisitRecord) -> list[str]:
    """Return the words behind ``biomech-id`` that analyse a visit as it was decided, without ``-o``.

    Parameters
    ----------
    record : VisitRecord
        What was decided.
    """
    return ["run", str(record.recordings), *(word for pair in _options(record) for word in pair)]


def check_words(record: VisitRecord) -> list[str]:
    """Return the words behind ``biomech-id`` that ask whether a visit will run as it was decided.

    Parameters
    ----------
    record : VisitRecord
        What was decided.
    """
    known = (word for pair in _options(record) if pair[0] in _OF_CHECK for word in pair)
    return ["check", str(record.recordings), "--json", *known]


def _options(record: VisitRecord) -> list[tuple[str, str]]:
    return _chosen(record) + [(option, str(path)) for name, option in _FILES.items() if (path := record.own(name))]


def _chosen(record: VisitRecord) -> list[tuple[str, str]]:
    choices = record.choices
    options = [(option, str(choices[key])) for key, option in _SINGLE.items() if choices.get(key)]
    return options + [(option, name) for key, option in _SEVERAL.items() for name in choices.get(key, ())]


def decided_hash(record: VisitRecord) -> str:
    """Return a hash of all that was decided: the command line's words, and the bytes of the files that it names.

    Parameters
    ----------
    record : VisitRecord
        What was decided.
    """
    seen = [word for pair in _chosen(record) for word in pair]
    seen += [revision_of(record.folder / name) for name in DECISION_FILES]
    return hashlib.sha256("\0".join(seen).encode("utf-8", "surrogateescape")).hexdigest()


def command_line(words: Sequence[str]) -> str:
    """Return a command as it is typed in this system's shell.

    Parameters
    ----------
    words : Sequence[str]
        Behind ``biomech-id``.
    """
    return " ".join(["biomech-id", *(word if word.startswith("--") else typed(word) for word in words)])


def desk_folder(archive: Path) -> Path:
    """Return where the desk writes unless somebody names another place: a sibling of the archive.

    Parameters
    ----------
    archive : Path
        Folder of patients and visits.
    """
    return archive.parent / f"{archive.name} desk"
