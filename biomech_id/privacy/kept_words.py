"""What is kept of a clinic's notes in results that leave the house: words of a list, levels, grades and days."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Collection, Mapping
from functools import cache
from importlib import resources

from biomech_id.privacy.name_words import folded
from biomech_id.request.subject_file import TREATMENT_SECTION

#: A day, a spinal level, a word, a number.
_TOKEN = re.compile(r"\d{4}-\d{2}-\d{2}|\b(?:Th|[CLST])\d{1,2}\b|\b[IV]{1,3}\b|[^\W\d_]+|\d+")
_LEVEL = re.compile(r"(?:Th|[CLST])\d{1,2}|[IV]{1,3}")


@cache
def clinical_words() -> frozenset[str]:
    """Return the words that may be kept of a diagnosis, a level, an aid, an operation.

    Returns
    -------
    frozenset[str]
        Lower case, of ``clinical_words.txt``.
    """
    text = resources.files("biomech_id.privacy").joinpath("clinical_words.txt").read_text(encoding="utf-8")
    return frozenset(text.split())


def kept_text(text: str, moved: Callable[[datetime.date], str]) -> tuple[str, int]:
    """Return what may be kept of a note, and how many words may not.

    A number is kept where it is a single digit behind a word that is kept: "GMFCS 2".

    Parameters
    ----------
    text : str
        As somebody wrote it.
    moved : Callable[[datetime.date], str]
        What stands for a day.

    Returns
    -------
    tuple[str, int]
        Words, levels and days in their order; words, numbers and days that were left out.

    Examples
    --------
    >>> from biomech_id.privacy.kept_words import kept_text
    >>> kept_text("MMC L4, seen by Dr. Anna Winter 5.3.2014, GMFCS 2", lambda day: "")
    ('MMC L4 GMFCS 2', 8)
    """
    kept: list[str] = []
    tokens: list[str] = _TOKEN.findall(text)
    word_before = False
    for token in tokens:
        word = folded(token) in clinical_words()
        if word or _LEVEL.fullmatch(token) or (word_before and len(token) == 1 and token.isdigit()):
            kept.append(token)
        elif len(token) == len("2019-05-31") and (day := _day(token)) is not None and moved(day):
            kept.append(moved(day))
        word_before = word
    return " ".join(kept), len(tokens) - len(kept)


def _day(text: str) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat(text)
    except ValueError:
        return None


def kept_notes(
    clinic: Mapping[str, Mapping[str, str]], keep: Collection[str], moved: Callable[[datetime.date], str]
) -> tuple[dict[str, dict[str, str]], int]:
    """Return what is kept of the clinic's notes, and how many words were left out of it.

    Parameters
    ----------
    clinic : Mapping[str, Mapping[str, str]]
        Section -> key -> text, as in ``summary.json``.
    keep : Collection[str]
        Keys outside any section that are kept, and "treatment" for operations and other treatments.
    moved : Callable[[datetime.date], str]
        What stands for a day.

    Returns
    -------
    tuple[dict[str, dict[str, str]], int]
        Section -> key -> text; how many words.
    """
    left, kept = 0, dict[str, dict[str, str]]()
    for section, notes in clinic.items():
        asked = {key: text for key, text in notes.items() if key in keep} if not section else notes
        if section and (TREATMENT_SECTION not in keep or not section.startswith(f"{TREATMENT_SECTION} ")):
            continue
        words = {key: kept_text(text, moved) for key, text in asked.items()}
        left += sum(count for _, count in words.values())
        kept |= {section: {key: text for key, (text, _) in words.items() if text}}
    return {section: notes for section, notes in kept.items() if notes}, left
