"""Where a study's subjects lie, and where their results go: one name for each, whatever a laboratory nests in what."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from biomech_id.errors import MissingInputError

#: Names at the top of a study's results that are not a subject's: the tables of the study and the table of verdicts.
RESERVED = ("study", "verdicts.csv")


def find_subjects(study: Path, *, out: Path | None = None) -> tuple[Path, ...]:
    """Return every folder below ``study`` (and itself) that holds C3D files, sorted by relative path.

    Hidden files and folders (snapshots, waste baskets, what other systems leave on a shared disk) are left out, and so is
    ``out``, which may hold copies of recordings.

    Raises
    ------
    MissingInputError : no such folder, or no C3D file anywhere in it.
    """
    found = {path.parent for path in study.rglob("*") if path.suffix.lower() == ".c3d"} if study.is_dir() else set()
    results = out.resolve() if out is not None else None
    folders = [f for f in found if _holds_visible(f, study) and not (results and f.resolve().is_relative_to(results))]
    if not folders:
        raise MissingInputError(
            f"{study} holds no folder with C3D files.", value=str(study), expected="folders with .c3d files", where=str(study)
        )
    return tuple(sorted(folders, key=lambda folder: folder.relative_to(study).as_posix()))


def _holds_visible(folder: Path, study: Path) -> bool:
    if any(part.startswith(".") for part in folder.relative_to(study).parts):
        return False
    return any(path.suffix.lower() == ".c3d" and not path.name.startswith(".") for path in folder.iterdir())


def subject_names(folders: Sequence[Path], study: Path) -> dict[str, Path]:
    """Return name -> folder for every subject, in the order of ``folders``.

    The name is the folder's path relative to the study, with forward slashes; results lie at that path below OUT. No subject's
    results may lie inside another's: a folder that holds both recordings and further subjects' folders keeps the results of its
    own recordings one step deeper, under its own name again, and so does the study itself. An underscore is added where a name
    is taken, or reserved for the tables of the study.

    >>> root = Path("lab")
    >>> list(subject_names([root, root / "anna", root / "anna/2020", root / "study"], root))
    ['lab', 'anna/anna', 'anna/2020', 'study_']
    """
    relatives = [folder.relative_to(study).as_posix() for folder in folders]
    above = {ancestor for relative in relatives for ancestor in _ancestors(relative)}
    taken = above | set(relatives)
    names: dict[str, Path] = {}
    for folder, relative in zip(folders, relatives, strict=True):
        if relative == ".":
            name = _free(study.resolve().name or "recordings", taken)
        elif relative in above:
            name = _free(f"{relative}/{folder.name}", taken)
        else:
            name = relative
        names[_unreserved(name, taken)] = folder
    return names


def _ancestors(relative: str) -> Iterator[str]:
    parts = relative.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _unreserved(name: str, taken: set[str]) -> str:
    top, slash, rest = name.partition("/")
    if top.casefold() not in RESERVED:
        return name
    return _free(top + "_", taken) + slash + rest


def recordings_of(subjects: Sequence[str], study: Path) -> dict[str, Path]:
    """Return the folder with the recordings of each subject that `subject_names` calls so; it need not exist.

    "." stands for a session that is no part of a study: its recordings lie in ``study`` itself.
    """
    if list(subjects) == ["."]:
        return {".": study}
    try:
        folders = find_subjects(study)
    except MissingInputError:
        folders = ()
    named = subject_names(folders, study)

    def guessed(name: str) -> Path:
        # Recordings at the top of a study bear its name, and the study may have moved since.
        return study if study in folders and "/" not in name and not (study / name).is_dir() else study / name

    return {name: named.get(name, guessed(name)) for name in subjects}


def target_of(out: Path, subject: str) -> Path:
    """Folder of one subject's results."""
    return out.joinpath(*subject.split("/"))
