"""Where a study's subjects lie, and where their results go: one name for each, whatever a laboratory nests in what."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Iterator, Sequence
from pathlib import Path

from biomech_id.errors import MissingInputError, OptionError
from biomech_id.readers.formats import FORMATS
from biomech_id.request.job import refuse_unprintable

#: Names at the top of a study's results that are not a subject's: the tables of the study and the table of verdicts.
RESERVED = ("study", "verdicts.csv", "left_out.csv")
#: Files by which the folder of a finished session is known.
_OF_RESULTS = {"manifest.json", "summary.json"}


def find_subjects(study: Path, *, out: Path | None = None) -> tuple[Path, ...]:
    """Return every folder below ``study`` (and itself) that holds recordings, sorted by relative path.

    Those of a later format in `readers.formats` serve only where the whole study has none of an earlier one: beside C3D files
    OpenSim's ``.trc`` files are, as a rule, an export of the same recordings. Hidden files and folders (snapshots, waste baskets,
    what other systems leave on a shared disk) are left out, and so are ``out`` and the folders of finished results, which may hold
    copies of recordings. Links to folders are followed, but no folder is taken twice. A folder that may not
    be looked into is taken for a subject's: its verdict says so.

    Parameters
    ----------
    study : Path
        Folder of the study.
    out : Path | None, optional
        Folder of the results, which is left out.

    Raises
    ------
    MissingInputError
        No such folder, or no recording anywhere in it.
    OptionError
        A folder whose name is no text.
    """
    results = os.path.realpath(out) if out is not None else None
    by_kind: dict[str, list[Path]] = {suffix: [] for suffix in FORMATS}
    for folder, suffixes in visible_folders(study, results):
        kind = next((kind for kind in by_kind if suffixes is None or kind in suffixes), None)
        if kind is not None:
            by_kind[kind].append(folder)
    folders = next(filter(None, by_kind.values()), [])
    if not folders:
        wrong = f"{study} holds no folder with C3D files." if study.is_dir() else f"There is no folder {study}."
        raise MissingInputError.at(study, wrong, "folders with .c3d files")
    for folder in folders:
        refuse_unprintable(folder.relative_to(study))
    return tuple(sorted(folders, key=lambda folder: folder.relative_to(study).as_posix()))


def visible_folders(study: Path, left_out: str | None, *, of_results: bool = False) -> Iterator[tuple[Path, set[str] | None]]:
    """Yield each visible folder once.

    Parameters
    ----------
    study : Path
        The folder that is gone through, with all below it.
    left_out : str | None
        Real path of a folder that is left out.
    of_results : bool, optional
        Whether folders of finished sessions are gone through too.

    Yields
    ------
    tuple[Path, set[str] | None]
        A folder, and the suffixes of its visible files in lower case; None where it cannot be listed.
    """
    seen = {left_out}
    folders, links = deque([study]), deque[Path]()
    while folders or links:
        # Links come last, so that a folder bears its own name where it has one in the study.
        folder = folders.popleft() if folders else links.popleft()
        real = os.path.realpath(folder)
        if real in seen or not folder.is_dir():
            continue
        seen.add(real)
        try:
            with os.scandir(folder) as listed:
                entries = [entry for entry in listed if not entry.name.startswith(".")]
        except OSError:
            yield folder, None
            continue
        if not of_results and {entry.name for entry in entries} >= _OF_RESULTS:
            continue
        inside = sorted((entry for entry in entries if entry.is_dir()), key=lambda entry: entry.name)
        folders.extend(folder / entry.name for entry in inside if not entry.is_symlink())
        links.extend(folder / entry.name for entry in inside if entry.is_symlink())
        yield folder, {os.path.splitext(entry.name)[1].lower() for entry in entries if entry not in inside}


def check_apart(study: Path, out: Path) -> None:
    """Refuse a folder for the results that is the one with what is to be analysed.

    Parameters
    ----------
    study : Path
        Folder with what is to be analysed.
    out : Path
        Folder for the results.

    Raises
    ------
    OptionError
        They are one.
    """
    if out.resolve() == study.resolve():
        raise OptionError(
            f"{out} holds what is to be analysed; name another folder for the results.",
            value=str(out), expected="a folder beside the study", where="--out",
        )  # fmt: skip


def subject_names(folders: Sequence[Path], study: Path) -> dict[str, Path]:
    """Return name -> folder for every subject, in the order of ``folders``.

    The name is the folder's path relative to the study, with forward slashes; results lie at that path below OUT. No subject's
    results may lie inside another's: a folder that holds both recordings and further subjects' folders keeps the results of its
    own recordings one step deeper, under its own name again, and so does the study itself. An underscore is added where a name
    is taken, were it only in other capitals, which are the same on Windows and on many a shared disk; or where it is reserved for
    the tables of the study.

    >>> from pathlib import Path
    >>> from biomech_id.request.study_folders import subject_names
    >>> root = Path("lab")
    >>> list(subject_names([root, root / "anna", root / "anna/2020", root / "study"], root))
    ['lab', 'anna/anna', 'anna/2020', 'study_']
    >>> list(subject_names([root / "BEN", root / "Ben", root / "ben"], root))
    ['BEN', 'Ben_', 'ben__']

    Parameters
    ----------
    folders : Sequence[Path]
        Folders of the subjects, below the study's.
    study : Path
        Folder of the study.
    """
    relatives = {folder: folder.relative_to(study).as_posix() for folder in folders}
    above = {ancestor.casefold() for relative in relatives.values() for ancestor in _ancestors(relative)}
    wanted = {folder: relative for folder, relative in relatives.items() if relative != "." and relative.casefold() not in above}
    # Those that have to go one step deeper choose last.
    for folder in folders:
        deeper = f"{relatives[folder]}/{folder.name}" if folder != study else study.resolve().name or "recordings"
        wanted.setdefault(folder, deeper)
    taken = set(above)
    names: dict[Path, str] = {}
    for folder, name in wanted.items():
        names[folder] = _free(name, taken)
        taken.add(names[folder].casefold())
    return {names[folder]: folder for folder in folders}


def _ancestors(relative: str) -> Iterator[str]:
    parts = relative.split("/")
    return ("/".join(parts[:count]) for count in range(1, len(parts)))


def _free(name: str, taken: set[str]) -> str:
    """The name, or with underscores where it is taken: at its top where that is reserved, else at its end."""
    top, slash, rest = name.partition("/")
    if top.casefold() in RESERVED:
        while (top + slash + rest).casefold() in taken or top.casefold() in RESERVED:
            top += "_"
        return top + slash + rest
    while name.casefold() in taken:
        name += "_"
    return name


def recordings_of(subjects: Sequence[str], study: Path) -> dict[str, Path]:
    """Return the folder with the recordings of each subject that `subject_names` calls so; it need not exist.

    "." stands for a session that is no part of a study: its recordings lie in ``study`` itself.

    Parameters
    ----------
    subjects : Sequence[str]
        Names of the subjects in the study.
    study : Path
        Folder of the study.
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
    """Folder of one subject's results.

    Parameters
    ----------
    out : Path
        Folder of the study's results.
    subject : str
        Its name in the study.
    """
    return out.joinpath(*subject.split("/"))
