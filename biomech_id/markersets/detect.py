"""Which marker set is a recording's? The best match, and why."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from biomech_id.anatomy import part_words
from biomech_id.errors import MissingInputError
from biomech_id.markersets.marker_set import MARKER_SETS, MarkerKey, MarkerSet, load_markerset, plain

#: Below this share of its required markers a set is not the recording's.
SMALLEST_SHARE = 0.6


class Detection(NamedTuple):
    """A marker set and, in one sentence, why it was chosen."""

    markerset: MarkerSet
    why: str


class Proposal(NamedTuple):
    """What a file's labels suggest.

    Attributes
    ----------
    markerset : MarkerSet
        The nearest set.
    share : float
        Found part of its required markers, 0 to 1.
    found : int
        Number of its markers in the file.
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
    """Return the marker set that fits a file's labels best, and why.

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
    """Return every set with how well it fits the labels, best first (see `detect`).

    The order is by the share of required markers found, then by how many of the set's markers the file has, then as given.

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
    """
    candidates = [load_markerset(name) for name in MARKER_SETS] if sets is None else list(sets)
    proposals = [_judge(markerset, labels, stored) for markerset in candidates if model is None or model in markerset.models]
    return sorted(proposals, key=lambda p: (-p.share, -p.found))


def describe_missing(missing: dict[MarkerKey, tuple[str, ...]]) -> str:
    """Say in words what is missing for which segment.

    Parameters
    ----------
    missing : dict[MarkerKey, tuple[str, ...]]
        Segment -> labels that are not there.
    """
    parts = [f"{', '.join(labels)} ({part_words(part)})" for part, labels in missing.items()]
    return "; ".join(parts) or "nothing"


def _judge(markerset: MarkerSet, labels: Collection[str], stored: Collection[str]) -> Proposal:
    everything = [*labels, *stored]
    matched = markerset.matches(everything)
    present = markerset.present(everything, matched)
    missing, found = markerset.lacking(present), len(present)
    lacking = {label for cluster in missing.values() for label in cluster}
    n_required = len(markerset.required)
    twins = {plain(twin.label) for twin in markerset.twins}
    extra = set(markerset.extra_landmarks.values())
    others = (label for label in labels if matched.get(label) in {None, *extra})
    unused = tuple(label for label in others if not any(plain(label).startswith(twin) for twin in twins))
    why = (
        f"{markerset.name} ({markerset.title}): {n_required - len(lacking)} of its {n_required} required markers are in the file, "
        f"{len(unused)} of the file's {len(labels)} markers do not belong to it."
    )
    return Proposal(markerset, 1.0 - len(lacking) / n_required, found, why, missing, unused)
