"""What markers are most likely called, for recordings whose marker set nobody named."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

from biomech_id.anatomy import PELVIS, SIDE_WORDS
from biomech_id.conventions import SIDES
from biomech_id.markersets.marker_set import MarkerKey, MarkerSet

_FEET: tuple[MarkerKey, ...] = tuple((side, "foot") for side in SIDES)


@cache
def common_names() -> dict[str, Any]:
    """Return the file of common names as it is written."""
    return tomllib.loads(Path(__file__).with_name("common-names.toml").read_text(encoding="utf-8"))


def common_roles(labels: Iterable[str]) -> dict[MarkerKey, str]:
    """Return the roles that labels show by common names alone: pelvis, heels and toes, as far as they are there.

    Parameters
    ----------
    labels : Iterable[str]
        Labels of the markers that are seen at least once.

    Returns
    -------
    dict[MarkerKey, str]
        (side, role) to the recording's own label; the sacrum's side is "".
    """
    by_plain = {re.sub(r"[^A-Z0-9]", "", label.upper()): label for label in labels}
    roles: dict[MarkerKey, str] = {}
    for role, spellings in common_names()["landmarks"].items():
        for side in SIDES if "{s}" in spellings[0] else ("",):
            words = (side, SIDE_WORDS[side].upper()) if side else ("",)
            spelt = (spelling.replace("{s}", word) for spelling in spellings for word in words)
            label = next((by_plain[text] for text in spelt if text in by_plain), None)
            if label is not None:
                roles[side, role] = label
    return roles


def upper_and_lower(labels: Iterable[str], markerset: MarkerSet | None = None) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return which markers are of the pelvis or above it, and which of the feet: what tells up from down.

    Parameters
    ----------
    labels : Iterable[str]
        Labels of a recording.
    markerset : MarkerSet, optional
        Its word stands; labels that it does not know are judged by common names where it does not name markers of both kinds.
    """
    labels = tuple(labels)
    upper, lower = ((), ()) if markerset is None else (_of(markerset, labels, [PELVIS]), _of(markerset, labels, _FEET))
    if upper and lower:
        return upper, lower
    known = {} if markerset is None else markerset.matches(labels)
    above, below = (re.compile(common_names()["upright"][name], re.IGNORECASE) for name in ("upper", "feet"))
    free = [label for label in labels if label not in known]
    lower += tuple(label for label in free if below.search(label))
    return upper + tuple(label for label in free if above.search(label) and label not in lower), lower


def _of(markerset: MarkerSet, labels: Iterable[str], segments: Iterable[MarkerKey]) -> tuple[str, ...]:
    own = {label for segment in segments for label in markerset.labels_of(segment)}
    return tuple(label for label, meant in markerset.matches(labels).items() if meant in own)
