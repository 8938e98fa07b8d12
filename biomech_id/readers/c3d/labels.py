"""Which point is which: joined, decoded, freed of prefixes, and sorted into markers and the vendor's own outputs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from biomech_id.errors import MissingInputError, some_of
from biomech_id.readers.c3d.doubtful_names import unusual
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.source import FileFindings
from biomech_id.values import dataclass

#: Groups of labels in the POINT section that are model outputs; TYPE_GROUPS may name more.
OUTPUT_GROUPS = ("ANGLES", "FORCES", "MOMENTS", "POWERS", "SCALARS", "REACTIONS", "MODELED_MARKERS")
#: Of these, the one that holds points in space (in units of POINT); the others are quantities.
POINT_GROUP = "MODELED_MARKERS"
#: Outputs of the conventional model known by name, for files that lost the groups above.
_OUTPUT_NAME = re.compile(r"^[LR]?[A-Za-z]+(Angles?|Forces?|Moments?|Powers?|GRF|PowerScalar)$")
#: Joint centres, whole-body points and arrows of forces that vendors compute and store among the markers.
_VIRTUAL_NAME = re.compile(r"^([LR](HJC|KJC|AJC)|CentreOfMass(Floor)?|CenterOfMass(Floor)?|CofP\d*|Vector\d*)$")
LONGEST_LABEL = 127


@dataclass(frozen=True)
class Labels:
    """Labels of the points of one subject.

    Attributes
    ----------
    stored : tuple[str, ...]
        Every label as the file holds it, also those beyond the number of points.
    markers : dict[str, int]
        Marker name, prefix removed -> index of the point.
    outputs : dict[str, int]
        Name of a quantity that the vendor's model computed (angle, force, moment, power) -> index of the point.
    virtual : dict[str, int]
        Name of a point in space that the vendor's model computed (joint centre, segment axis) -> index of the point.
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


def sort_labels(file: C3DFile, subject: str | None, findings: FileFindings) -> Labels:
    """Return which point is which.

    Parameters
    ----------
    file : C3DFile
        The file, opened by `open_c3d`.
    subject : str | None
        Prefix of the wanted subject when a file holds several; None takes the one with most markers.
    findings : FileFindings
        Takes missing, spare, long, odd, repeated and unlabelled labels, and a choice among several subjects.

    Returns
    -------
    Labels
        Points sorted into markers, outputs and virtual points; unlabelled points (``*12``) are left out.

    Raises
    ------
    MissingInputError
        No label carries the wanted prefix.
    """
    stored = file.joined_strings("POINT", "LABELS")
    named = _of_points(stored, file.layout.points, findings)
    subjects = Counter(label.partition(":")[0] for label in named if ":" in label)
    prefix = _choose_subject(subjects, file, subject, findings)
    named, twice = numbered([_without(label, prefix) for label in named])
    if twice:
        findings.add("labels-duplicate", labels=list(dict.fromkeys(twice)))
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
        findings.add("labels-unlabelled", n=len(unlabelled), labels=unlabelled)
    return Labels(stored, markers, outputs, virtual, prefix.rstrip(":"), tuple(subjects))


def _of_points(stored: Sequence[str], n: int, findings: FileFindings) -> list[str]:
    """One label for each point."""
    named = list(stored[:n])
    spare = [label for label in stored[n:] if label]
    if spare:
        findings.add("labels-spare", labels=len(stored), points=n, spare=spare)
    missing = sum(i >= len(named) or not named[i] for i in range(n))
    if missing:
        findings.add("labels-missing", missing=missing, points=n)
    long = [label for label in named if len(label) > LONGEST_LABEL]
    if long:
        findings.add("labels-long", characters=len(long[0]), begins=long[0][:20])
    odd = unusual(named)
    if odd:
        findings.add("labels-odd", n=len(odd), labels=odd)
    return [named[i] if i < len(named) and named[i] else f"point {i + 1}" for i in range(n)]


def _choose_subject(counts: Counter[str], file: C3DFile, subject: str | None, findings: FileFindings) -> str:
    """The prefix (with its colon) to strip, or ""; ``counts`` says how many points carry each prefix."""
    if subject is not None and subject not in counts:
        names, where = file.parameters.strings("SUBJECTS", "NAMES"), findings.file
        if subject in names and not counts:
            return ""
        there = some_of([*counts] or list(names), 6) or "labels without prefix"
        raise MissingInputError(
            f"{where} has no markers of a subject {subject}; it has {there}.",
            value=subject, expected=f"one of {', '.join(counts) or 'no prefix'}", where=where,
        )  # fmt: skip
    if subject is None and len(counts) > 1:
        findings.add("subjects-several", subjects=counts.most_common(), taken=counts.most_common(1)[0][0])
    chosen = subject if subject is not None else counts.most_common(1)[0][0] if counts else ""
    return f"{chosen}:" if chosen else ""


def _without(label: str, prefix: str) -> str:
    return label[len(prefix) :] if prefix and label.startswith(prefix) and len(label) > len(prefix) else label


def numbered(named: Iterable[str]) -> tuple[list[str], list[str]]:
    """Return labels made unique.

    Parameters
    ----------
    named : Iterable[str]
        Labels, some of them more than once.

    Returns
    -------
    unique : list[str]
        In the order given: LANK, LANK_2, LANK_3.
    repeated : list[str]
        Labels that occurred before, once for each time.
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
    groups: dict[str, str] = {}
    for group in dict.fromkeys([*OUTPUT_GROUPS, *extra]):
        for label in filter(None, file.joined_strings("POINT", group)):
            groups.setdefault(_without(label, prefix), group)
    return groups


def _axis_families(named: Sequence[str]) -> set[str]:
    """Segment axes: four virtual points per segment, its origin O and the ends A, L, P of its axes (LFEO LFEA LFEL LFEP, LTI_O)."""
    present = set(named)
    stems = {name[:-1] for name in present if len(name) in (3, 4, 5) and name.endswith("O") and name.isupper()}
    return {stem + end for stem in stems for end in "OALP" if all(stem + other in present for other in "OALP")}
