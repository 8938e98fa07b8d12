"""Which marker set is a recording's: the best match, and why; and what markers are most likely called where none was named."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Collection, Iterable
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from biomech_id.anatomy import PELVIS, SIDE_WORDS, part_words
from biomech_id.conventions import SIDES
from biomech_id.errors import MissingInputError
from biomech_id.markersets.marker_set import MARKER_SETS, MarkerKey, MarkerSet, load_markerset, plain

#: Below this share of its required markers a set is not the recording's.
SMALLEST_SHARE = 0.6
_FEET: tuple[MarkerKey, ...] = tuple((side, "foot") for side in SIDES)


class Detection(NamedTuple):
    """A marker set and, in one sentence, why it was chosen."""

    markerset: MarkerSet
    why: str


class Proposal(NamedTuple):
    """What a file's labels suggest.

    Attributes
    ----------
    markerset : MarkerSet
        The set that was compared.
    share : float
        Part of its required markers that is in the file, 0 to 1.
    found : int
        Number of the set's markers that are in the file.
    why : str
        The same in a sentence.
    missing : dict[MarkerKey, tuple[str, ...]]
        Segment -> required labels that the file lacks.
    unused : tuple[str, ...]
        Labels of the file that the set does not know.
    """

    markerset: MarkerSet
    share: float
    found: int
    why: str
    missing: dict[MarkerKey, tuple[str, ...]]
    unused: tuple[str, ...]


def detect(
    labels: Collection[str], *, stored: Collection[str] = (), sets: Iterable[MarkerSet] | None = None, model: str | None = None
) -> Detection:
    """Choose the marker set that fits a file's labels best.

    Parameters
    ----------
    labels : Collection[str]
        Labels of the markers that are seen at least once (a label that is there without data does not count).
    stored : Collection[str], optional
        Names of points and outputs that other software computed; they count for a set that knows them, and against none.
    sets : Iterable[MarkerSet] | None, optional
        Sets to choose from; the shipped ones by default, a laboratory's own can be put first.
    model : str | None, optional
        Consider only sets that this model can use.

    Returns
    -------
    Detection
        The set, and in one sentence why.

    Raises
    ------
    MissingInputError
        No set has at least 60 % of its required markers in the file; the message names the nearest one and what it lacks, segment
        by segment.
    """
    best = propose(labels, stored=stored, sets=sets, model=model)[0]
    if best.share < SMALLEST_SHARE:
        raise MissingInputError(
            f"The markers fit no known marker set; the nearest is {best.why} Missing: {describe_missing(best.missing)}. "
            "Write a marker set for this laboratory (`biomech-id markerset FILE.c3d` proposes one).",
            value=sorted(labels), expected=f"the markers of one of {', '.join(MARKER_SETS)}", where="marker set",
        )  # fmt: skip
    return Detection(best.markerset, best.why)


def propose(
    labels: Collection[str], *, stored: Collection[str] = (), sets: Iterable[MarkerSet] | None = None, model: str | None = None
) -> list[Proposal]:
    """Rank the marker sets by how well they fit the labels (see `detect`).

    Parameters
    ----------
    labels : Collection[str]
        Labels of the recording's markers that are seen.
    stored : Collection[str], optional
        Names of points that other software computed.
    sets : Iterable[MarkerSet] | None, optional
        The sets to be tried; None for those that are shipped.
    model : str | None, optional
        Only sets that this body model can use; None for any.

    Returns
    -------
    list[Proposal]
        Best first: by the share of required markers found, then by how many of the set's markers the file has, then as given.
    """
    candidates = [load_markerset(name) for name in MARKER_SETS] if sets is None else list(sets)
    proposals = [_judge(markerset, labels, stored) for markerset in candidates if model is None or model in markerset.models]
    return sorted(proposals, key=lambda p: (-p.share, -p.found))


def describe_missing(missing: dict[MarkerKey, tuple[str, ...]]) -> str:
    """List what is missing for which segment, in words.

    Parameters
    ----------
    missing : dict[MarkerKey, tuple[str, ...]]
        Segment -> labels that are not there.

    Returns
    -------
    str
        "LKNE, LTHI (left thigh); ..."; "nothing" where nothing is missing.
    """
    parts = [f"{', '.join(labels)} ({part_words(part)})" for part, labels in missing.items()]
    return "; ".join(parts) or "nothing"


def _judge(markerset: MarkerSet, labels: Collection[str], stored: Collection[str]) -> Proposal:
    everything = [*labels, *stored]
    matched = markerset.matches(everything)
    present = markerset.present(everything, matched)
    missing = markerset.lacking(present)
    lacking = {label for cluster in missing.values() for label in cluster}
    n_required = len(markerset.required)
    twins = {plain(twin.label) for twin in markerset.twins}
    extra = set(markerset.extra_landmarks.values())
    others = (label for label in labels if matched.get(label) in {None, *extra})
    unused = tuple(label for label in others if not any(plain(label).startswith(twin) for twin in twins))
    own = markerset.lacking(markerset.present(labels, {label: matched[label] for label in labels if label in matched}))
    computed = len({label for cluster in own.values() for label in cluster}) - len(lacking)
    outputs = f" and {computed} among the points that other software computed" if computed else ""
    why = (
        f"{markerset.name} ({markerset.title}): {n_required - len(lacking) - computed} of its {n_required} required markers are in "
        f"the file{outputs}, "
        f"{len(unused)} of the file's {len(labels)} markers do not belong to it."
    )
    return Proposal(markerset, 1.0 - len(lacking) / n_required, len(present), why, missing, unused)


@cache
def common_names() -> dict[str, Any]:
    """Load the file of common names.

    Returns
    -------
    dict[str, Any]
        Its tables as they are written, read once.
    """
    return tomllib.loads(Path(__file__).with_name("common-names.toml").read_text(encoding="utf-8"))


def common_roles(labels: Iterable[str]) -> dict[MarkerKey, str]:
    """Find the roles that labels show by common names alone: pelvis, heels and toes, as far as they are there.

    Parameters
    ----------
    labels : Iterable[str]
        Labels of the markers that are seen at least once.

    Returns
    -------
    dict[MarkerKey, str]
        (side, role) -> the recording's own label; the sacrum's side is "".
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
    """Find the markers that show which way is up: those of the pelvis or above it, and those of the feet.

    Parameters
    ----------
    labels : Iterable[str]
        Labels of a recording.
    markerset : MarkerSet, optional
        Its word stands; labels that it does not know are judged by common names where it does not name markers of both kinds.

    Returns
    -------
    upper : tuple[str, ...]
        Labels of the pelvis and above.
    lower : tuple[str, ...]
        Labels of the feet. Either may be empty.
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
