"""Which point is which: joined, decoded, freed of prefixes, and sorted into markers and the vendor's own outputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from biomech_id.errors import Finding, MissingInputError
from biomech_id.readers.c3d.doubtful_names import unusual
from biomech_id.readers.c3d.file import C3DFile

#: Groups of labels in the POINT section that are model outputs; TYPE_GROUPS may name more.
OUTPUT_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS", "MODELED_MARKERS")
#: Of these, the one that holds points in space
#: (in POINT:UNITS); the others are quantities.
POINT_GROUP = "MODELED_MARKERS"
#: Outputs of the conventional model known by name, for files that lost the groups above.
_OUTPUT_NAME = re.compile(r"^[LR]?[A-Za-z]+(Angles?|Forces?|Moments?|Powers?|GRF|PowerScalar)$")
#: Joint centres and whole-body points that vendors compute and store among the markers.
_VIRTUAL_NAME = re.compile(r"^([LR](HJC|KJC|AJC)|CentreOfMass(Floor)?|CenterOfMass(Floor)?)$")
LONGEST_LABEL = 127


@dataclass(frozen=True)
class Labels:
    """Labels of the points of one subject.

    Attributes
    ----------
    stored : tuple[str, ...]
        Every label as the file holds it, also those beyond the number of points.
    markers : dict[str, int]
        Name -> index of the point. ``outputs`` are quantities (angles, moments...), ``virtual`` points in space that the vendor's
        model computed (joint centres, segment axes).
    outputs : dict[str, int]
        Name -> index of the point. ``outputs`` are quantities (angles, moments...), ``virtual`` points in space that the vendor's
        model computed (joint centres, segment axes).
    virtual : dict[str, int]
        Name -> index of the point. ``outputs`` are quantities (angles, moments...), ``virtual`` points in space that the vendor's
        model computed (joint centres, segment axes).
    subject : str
        Prefix that was stripped, or "".
    subjects : tuple[str, ...]
        Every prefix in the file.
    """

    stored: tuple[str, ...]
    markers: dict[str, int]
    outputs: dict[str, int]
    virtual: dict[str, int]
    subject: str
    subjects: tuple[str, ...]


def sort_labels(file: C3DFile, subject: str | None) -> tuple[Labels, tuple[Finding, ...]]:
    """Return which point is which.

    Parameters
    ----------
    file : C3DFile
        The file.
    subject : str | None
        Prefix of the wanted subject when a file holds several; None takes the one with most markers.

    Raises
    ------
    MissingInputError
        No label carries the wanted prefix.
    """
    findings: list[Finding] = []
    where = file.source.name
    stored = file.joined_strings("POINT", "LABELS")
    named = _of_points(stored, file.layout.points, findings, where)
    subjects = Counter(label.partition(":")[0] for label in named if ":" in label)
    prefix = _choose_subject(subjects, file, subject, findings, where)
    named, twice = numbered([_without(label, prefix) for label in named])
    if twice:
        findings.append(Finding("labels-duplicate", {"file": where, "labels": list(dict.fromkeys(twice))}, where))
    quantities = _declared(file, prefix)
    families = _axis_families(named)
    markers: dict[str, int] = {}
    outputs: dict[str, int] = {}
    virtual: dict[str, int] = {}
    unlabelled = []
    for index, name in enumerate(named):
        if name in quantities or (_OUTPUT_NAME.match(name) and name not in families):
            (virtual if quantities.get(name) == POINT_GROUP else outputs)[name] = index
        elif name in families or _VIRTUAL_NAME.match(name):
            virtual[name] = index
        elif name.startswith("*"):
            unlabelled.append(name)
        else:
            markers[name] = index
    if unlabelled:
        findings.append(Finding("labels-unlabelled", {"file": where, "n": len(unlabelled), "labels": unlabelled}, where))
    return Labels(stored, markers, outputs, virtual, prefix.rstrip(":"), tuple(subjects)), tuple(findings)


def _of_points(stored: Sequence[str], n: int, findings: list[Finding], where: str) -> list[str]:
    """One label for each point."""
    named = list(stored[:n])
    spare = [label for label in stored[n:] if label]
    if spare:
        findings.append(Finding("labels-spare", {"file": where, "labels": len(stored), "points": n, "spare": spare}, where))
    nameless = [i for i in range(n) if i >= len(named) or not named[i]]
    if nameless:
        findings.append(Finding("labels-missing", {"file": where, "missing": len(nameless), "points": n}, where))
    long = [label for label in named if len(label) > LONGEST_LABEL]
    if long:
        findings.append(Finding("labels-long", {"file": where, "characters": len(long[0]), "begins": long[0][:20]}, where))
    odd = unusual(named)
    if odd:
        findings.append(Finding("labels-odd", {"file": where, "n": len(odd), "labels": odd}, where))
    return [named[i] if i < len(named) and named[i] else f"point {i + 1}" for i in range(n)]


def _choose_subject(counts: Counter[str], file: C3DFile, subject: str | None, findings: list[Finding], where: str) -> str:
    """The prefix (with its colon) to strip, or ""; ``counts`` says how many points carry each prefix."""
    if subject is not None and subject not in counts:
        names = file.parameters.strings("SUBJECTS", "NAMES")
        if subject in names and not counts:
            return ""
        raise MissingInputError(
            f"{where} has no markers of a subject {subject}; it has {_some([*counts] or list(names)) or 'labels without prefix'}.",
            value=subject, expected=f"one of {', '.join(counts) or 'no prefix'}", where=where,
        )  # fmt: skip
    if subject is None and len(counts) > 1:
        values = {"file": where, "subjects": counts.most_common(), "taken": counts.most_common(1)[0][0]}
        findings.append(Finding("subjects-several", values, where))
    chosen = subject if subject is not None else counts.most_common(1)[0][0] if counts else ""
    return f"{chosen}:" if chosen else ""


def _without(label: str, prefix: str) -> str:
    return label[len(prefix) :] if prefix and label.startswith(prefix) and len(label) > len(prefix) else label


def numbered(named: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return labels made unique (LANK, LANK_2, LANK_3), and those that occurred before, once for each time.

    Parameters
    ----------
    named : Iterable[str]
        Labels, some of them more than once.
    """
    seen: set[str] = set()
    twice: list[str] = []
    unique = []
    for name in named:
        candidate, number = name, 1
        while candidate in seen:
            number += 1
            candidate = f"{name}_{number}"
        if number > 1:
            twice.append(name)
        seen.add(candidate)
        unique.append(candidate)
    return unique, twice


def _declared(file: C3DFile, prefix: str) -> dict[str, str]:
    """Names of model outputs that the POINT group declares, with the group they are in."""
    extra = [name.upper() for name in file.parameters.strings("POINT", "TYPE_GROUPS")[::2]]
    found: dict[str, str] = {}
    for group in dict.fromkeys([*OUTPUT_GROUPS, *extra]):
        for label in file.joined_strings("POINT", group):
            if label:
                found.setdefault(_without(label, prefix), group)
    return found


def _axis_families(named: Sequence[str]) -> set[str]:
    """Segment axes: four virtual points per segment, its origin O and the ends A, L, P of its axes (LFEO LFEA LFEL LFEP)."""
    present = set(named)
    stems = {name[:-1] for name in present if len(name) in (3, 4) and name.endswith("O") and name.isupper()}
    return {stem + end for stem in stems for end in "OALP" if all(stem + other in present for other in "OALP")}


def _some(names: Sequence[str], most: int = 6) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
