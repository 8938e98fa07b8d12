"""What a file says once but its other words contradict: damage that changes a letter or a number and leaves the file readable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np

from biomech_id.algebra.arrays import FloatArray
from biomech_id.readers.c3d.doubtful_names import doubtful, one_apart, unlike_descriptions
from biomech_id.readers.c3d.file import C3DFile
from biomech_id.readers.c3d.labels import OUTPUT_GROUPS
from biomech_id.readers.c3d.plate_setup import PlateSetup
from biomech_id.readers.c3d.units import METRES, NEWTONS
from biomech_id.readers.source import FileFindings

#: A plate is a rectangle: measured corners close to 5 mm in 600, and one number typed or damaged leaves the other axes exact.
SKEW_OF_SIDE, SKEW_OF_ONE_AXIS, EXACT = 0.02, 0.002, 1e-6
#: So many channels with one number make another number odd, where it differs by this share.
ALIKE, ODD_SHARE = 5, 0.01
#: LTO and RTO, N and V are one character apart and both meant.
SHORTEST_DOUBTED = 4
_CONTEXTS = ("Left", "Right", "General")
_EVENTS = ("Foot Strike", "Foot Off", "Event")
#: Quantities that plates and electrodes measure, as programs write them.
_UNITS = {*METRES, *NEWTONS, "v", "mv", "uv", "volt", "volts", "deg", "degc", "adc", *(f"{n}{m}" for n in NEWTONS for m in METRES)}


def note_contradictions(file: C3DFile, setups: Sequence[PlateSetup], findings: FileFindings) -> None:
    """Note what is most likely damaged in a file that can be read; nothing is corrected.

    Parameters
    ----------
    file : C3DFile
        The file, opened by `open_c3d`.
    setups : Sequence[PlateSetup]
        Its force plates as described.
    findings : FileFindings
        Takes doubtful names, odd calibrations and skew plates.
    """
    names = [
        *_names(file, "POINT", file.layout.points),
        *_names(file, "ANALOG", file.layout.channels),
        *_outputs(file),
        *_words(file),
    ]
    if names:
        findings.add("names-doubtful", names=list(dict.fromkeys(names)))
    numbers = [odd for name in ("SCALE", "OFFSET") if (odd := _odd_one(file, name))]
    if numbers:
        findings.add("calibration-odd", numbers=numbers)
    for setup in setups:
        off = 0.0 if setup.problem else _skew(setup.corners)
        if off:
            findings.add("plate-corners-skew", plate=setup.number, off=off)


def _names(file: C3DFile, group: str, n: int) -> list[tuple[str, str]]:
    names = file.joined_strings(group, "LABELS")[:n]
    return [*doubtful(names), *unlike_descriptions(names, file.joined_strings(group, "DESCRIPTIONS"))]


def _outputs(file: C3DFile) -> list[tuple[str, str]]:
    """Model outputs that a group declares and no point is called, with the point that is one character away."""
    labels = file.joined_strings("POINT", "LABELS")
    known = {label.rpartition(":")[2] for label in labels}
    declared = dict.fromkeys(name.rpartition(":")[2] for group in OUTPUT_GROUPS for name in file.joined_strings("POINT", group))
    return [
        (near, name)
        for name in declared
        if name and name not in known
        for near in sorted(label for label in known if one_apart(label, name))[:1]
    ]


def _words(file: C3DFile) -> list[tuple[str, str]]:
    """Sides, kinds and units that are no words but nearly are."""
    misspelt = []
    for words, known in (
        (file.joined_strings("EVENT", "CONTEXTS"), _CONTEXTS),
        (file.joined_strings("EVENT", "LABELS"), _EVENTS),
        (file.joined_strings("ANALOG", "UNITS"), ()),
    ):
        counts = Counter(words)
        common = (*known, *(word for word, count in counts.items() if count > 1))
        rare = {word for word, count in counts.items() if count == 1} - {*known}
        strangers = [word for word in rare if word.lower().strip(" .") not in _UNITS and len(word) >= SHORTEST_DOUBTED]
        misspelt += [(word, near) for word in strangers for near in [other for other in common if one_apart(word, other)][:1]]
    return sorted(misspelt)


def _odd_one(file: C3DFile, name: str) -> tuple[str, int, float, float] | None:
    """The one channel whose number differs from that of all others: parameter, channel from 1, its number, theirs."""
    values = file.joined_numbers("ANALOG", name)[: file.layout.channels]
    counts = Counter(values.tolist()).most_common(2)
    if len(counts) != 2 or len(values) - counts[0][1] != 1 or counts[0][1] < ALIKE:
        return None
    usual, odd = counts[0][0], counts[1][0]
    if abs(odd - usual) <= ODD_SHARE * abs(usual):
        return None
    return f"ANALOG:{name}", int(np.flatnonzero(values == odd)[0]) + 1 if np.isfinite(odd) else 0, odd, usual


def _skew(corners: FloatArray) -> float:
    """How far a plate's fourth corner is from where the other three want it, in the file's unit; 0 where that can be measured."""
    gap = np.abs(corners[0] - corners[1] + corners[2] - corners[3])
    side = np.abs(corners - corners.mean(axis=0)).max()
    exact = int((gap <= EXACT * max(side, np.abs(corners).max())).sum()) == 2
    return float(gap.max()) if gap.max() > (SKEW_OF_ONE_AXIS if exact else SKEW_OF_SIDE) * side else 0.0
