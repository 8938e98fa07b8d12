"""What the clinic found, as the laboratory wrote it into ``[clinic]`` of ``subject.toml``, by joint."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from biomech_id.languages import LANGUAGES, terms_of
from biomech_id.report.layout.style import Style
from biomech_id.session.tables.session_tables import Tables

#: Section -> key -> text; "" is the section of keys outside any.
Findings: TypeAlias = Mapping[str, Mapping[str, str]]


def clinic_of_session(tables: Tables) -> Findings:
    """Return what ``[clinic]`` of a session's subject file said; empty where it said nothing.

    Parameters
    ----------
    tables : Tables
        The session's tables.
    """
    return tables.summary.get("clinic") or {}


def examined_words(style: Style, *terms: str) -> str:
    """Return terms of the examination in the report's language, with commas; what a laboratory wrote itself stays as it is.

    Parameters
    ----------
    style : Style
        Colours, words, scales and units of the report.
    *terms : str
        As in ``examination.csv``: joint, test, muscle, position, scale; empty ones are left out.
    """
    return ", ".join(style.labels.get(f"examined.{term}", term) for term in terms if term)


def found_at(joint: str, clinic: Findings) -> list[str]:
    """Return what the clinic found at one joint: "section, key: text", in the order of the file.

    Parameters
    ----------
    joint : str
        "hip", "knee" or "ankle".
    clinic : Findings
        As in ``summary.json``.
    """
    return [
        f"{name.replace('_', ' ')}, {key}: {text}" if name else f"{key}: {text}"
        for name, keys in clinic.items()
        for key, text in keys.items()
        if _joint_of(name, key) == joint
    ]


def _joint_of(section: str, key: str) -> str:
    """The joint a key is about: of its first word that means one, else of its section's."""
    for word in [*key.lower().replace("_", " ").split(), *section.lower().replace("_", " ").split()]:
        for joint in ("hip", "knee", "ankle"):
            if word.strip("()[],.:").startswith(_beginnings(joint)):
                return joint
    return ""


def _beginnings(joint: str) -> tuple[str, ...]:
    """How words for a joint and its muscles begin, in any language: the first word of a key that is one of them decides."""
    return tuple(word for language in LANGUAGES for word in terms_of(language, "joints").get(joint, ()))
