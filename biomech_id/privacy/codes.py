"""Codes of a study's subjects: a table that says which folder is called how, and sentences about subjects that show no name."""

from __future__ import annotations

import csv
import io
import unicodedata
from collections.abc import Mapping
from pathlib import Path

from biomech_id.errors import BiomechError, FileRefusedError, OptionError
from biomech_id.files.text import read_problem, read_text
from biomech_id.privacy.name_words import NameWords
from biomech_id.privacy.pseudonym import check_code, folders_that_tell
from biomech_id.request.job import Job
from biomech_id.request.study_folders import RESERVED

CODE_COLUMNS = ("folder", "code")


def read_codes(path: Path) -> dict[str, str]:
    """Read a table of codes: CSV with the columns ``folder`` (relative to the study, with forward slashes) and ``code``.

    Parameters
    ----------
    path : Path
        The CSV file, in UTF-8.

    Returns
    -------
    dict[str, str]
        Folder -> code.

    Raises
    ------
    FileRefusedError
        It cannot be read, or lacks a column.
    OptionError
        A folder or a code stands in it twice, or a code cannot stand in the name of a file.
    """
    try:
        reader = csv.DictReader(io.StringIO(read_text(path)))
        rows = [{name: str(row.get(name) or "").strip() for name in CODE_COLUMNS} for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        problem = read_problem(error) if not isinstance(error, csv.Error) else str(error)
        raise FileRefusedError.at(path, f"{path} cannot be read: {problem}.", "a CSV file in UTF-8") from error
    missing = [name for name in CODE_COLUMNS if name not in (reader.fieldnames or ())]
    if missing:
        raise FileRefusedError.at(path, f"{path} lacks the column {missing[0]}.", ", ".join(CODE_COLUMNS))
    codes = {_plain(row["folder"]): row["code"] for row in rows}
    for code in codes.values():
        check_code(code)
        if not code or code.casefold() in RESERVED:
            raise OptionError(
                f"{path} gives a folder the code {code!r}.", value=code, expected="a code of its own", where="--codes"
            )
    if len(codes) < len(rows) or len({code.casefold() for code in codes.values()}) < len(rows):
        words = f"{path} names a folder or a code twice: each folder has one line and a code of its own."
        raise OptionError(words, value=len(rows), expected="different folders and codes", where="--codes")
    return codes


def _plain(folder: str) -> str:
    return unicodedata.normalize("NFC", folder.replace("\\", "/").strip("/")) or "."


def coded_subjects(subjects: Mapping[str, Path], study: Path, codes: Mapping[str, str]) -> dict[str, Path]:
    """Return code -> folder for the subjects of a study.

    Parameters
    ----------
    subjects : Mapping[str, Path]
        Name -> folder, as the study has them.
    study : Path
        Folder of the study.
    codes : Mapping[str, str]
        Folder relative to the study -> code, as `read_codes` returns it.

    Returns
    -------
    dict[str, Path]
        In the order of the subjects.

    Raises
    ------
    OptionError
        A subject without a code: said before anything is computed.
    """
    named = {name: _plain(folder.relative_to(study).as_posix()) for name, folder in subjects.items()}
    without = [name for name, folder in named.items() if folder not in codes]
    if without:
        raise OptionError(
            f"{len(without)} of {len(named)} subjects have no code, {without[0]} first.",
            value=without, expected="a line for every folder with recordings", where="--codes",
        )  # fmt: skip
    return {codes[named[name]]: folder for name, folder in subjects.items()}


def coded_sentence(error: BiomechError, job: Job) -> str:
    """Return an error's sentence for a table that holds no names; where that cannot be had, that there is one.

    Parameters
    ----------
    error : BiomechError
        Why there is no result.
    job : Job
        Job of the subject that has no result.

    Returns
    -------
    str
        One sentence with the code and without names.
    """
    code = job.code or ""
    words = NameWords.of(((name, "a name") for path in job.paths for name in (path.name, *folders_that_tell(path))), without=code)
    sentence = error.under_code
    if not sentence or words.first_in(sentence):
        return f"{code} could not be analysed ({type(error).__name__}); run its folder alone to read why."
    return sentence
